"""The words of the solver: queries, verdicts and counters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from ramify.runtime.terms import Assignment, Term


@dataclass(frozen=True, slots=True)
class Query:
    """Is there an assignment under which every constraint holds? The last constraint is the goal, the
    flipped decision.
    """

    constraints: tuple[Term, ...]
    parent: Assignment  # where the constraints before the goal hold; its values are preferred

    @property
    def goal(self) -> Term:
        return self.constraints[-1]


@dataclass(frozen=True, slots=True)
class Sat:
    """Satisfiable; the model was checked by evaluating the constraints."""

    model: Assignment


@dataclass(frozen=True, slots=True)
class Unsat:
    """No assignment satisfies the query: proved."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither found nor excluded, and why. Never to be read as a no."""

    reason: str


Verdict = Sat | Unsat | Unknown
UNSAT = Unsat()


class Link(Protocol):
    """One link of the chain: answers a query, by itself or by asking the link it wraps."""

    def solve(self, query: Query) -> Verdict: ...


@dataclass(slots=True)
class Stats:
    """What happened so far. `queries` counts by verdict, `cache_hits` by rule, `attempts` by encoding and
    answer.
    """

    queries: Counter[str] = field(default_factory=lambda: Counter(sat=0, unsat=0, unknown=0))
    cache_hits: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    refuted_models: int = 0  # offered by Z3, but the evaluator disagreed
    seconds: float = 0.0  # inside the chain, Z3 included
    z3_seconds: float = 0.0
    z3_calls: int = 0
    steps: int = 0  # of Z3, in calls that gave up
