"""What a function promises: contracts read from docstrings and packages, and checked around calls."""

from ramify.runtime.contracts.clause import RESULT, Clause
from ramify.runtime.contracts.contract import Contract, types_of
from ramify.runtime.contracts.decorated import broken_promise
from ramify.runtime.contracts.promises import (
    INVARIANT,
    INVARIANTS,
    POSTCONDITION,
    PRECONDITION,
    RAISES,
    Broken,
    Promise,
    PromiseWatch,
    Violation,
    broken_invariant,
    defined,
    invariant_of,
)
from ramify.runtime.contracts.wrappers import ContractWrappers

__all__ = [
    "INVARIANT",
    "INVARIANTS",
    "POSTCONDITION",
    "PRECONDITION",
    "RAISES",
    "RESULT",
    "Broken",
    "Clause",
    "Contract",
    "ContractWrappers",
    "Promise",
    "PromiseWatch",
    "Violation",
    "broken_invariant",
    "broken_promise",
    "defined",
    "invariant_of",
    "types_of",
]  # fmt: skip
