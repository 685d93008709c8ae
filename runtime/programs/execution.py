"""What one run came to: its inputs, its decisions, how it ended and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from ramify.cfg.leaves import Leaf
from ramify.runtime.contracts import Broken
from ramify.runtime.inputs import MAX_DEPTH, MAX_ENTRIES, MAX_ITEMS, MAX_TEXT, NOTHING_WRITTEN, Written
from ramify.runtime.recording import MAX_DECISIONS, ORDINARY, Concretisation, Decision, Reason, Why
from ramify.runtime.sandbox import MIB, Refusal
from ramify.runtime.terms import Assignment, Term


class Outcome(StrEnum):
    """How a run ended."""

    RETURNED = "returned"
    RAISED = "raised"
    VIOLATED = "violated"  # a promise of a contract was not kept
    CUT = "cut"  # a budget was spent
    REJECTED = "rejected"  # its inputs are none
    CRASHED = "crashed"  # the process of the run ended before the run did


RETURNED, RAISED, VIOLATED = Outcome.RETURNED, Outcome.RAISED, Outcome.VIOLATED
CUT, REJECTED, CRASHED = Outcome.CUT, Outcome.REJECTED, Outcome.CRASHED


@dataclass(slots=True)
class Execution:
    """One run: its inputs, its decisions and how it ended."""

    assignment: Assignment
    decisions: list[Decision] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)
    outcome: Outcome = RETURNED
    result: Any = None
    exception: BaseException | None = None
    output: str = ""
    describe: Callable[[Assignment], Written] = field(default=lambda assignment: NOTHING_WRITTEN)
    reason: Reason = ORDINARY
    concretisations: dict[Concretisation, int] = field(default_factory=dict)
    promises: list[Term] = field(default_factory=list)  # postconditions that held, still to be falsified
    broken: Broken | None = None  # the promise that was not kept, if one was not
    raised_at: tuple[str, int] | None = None  # file and line of the program that the exception came from
    hits: frozenset[int] = frozenset()  # probes of the target's file, in a measured run
    near: dict[Leaf, list[float]] = field(default_factory=dict)  # of tests, from true and from false
    seen: tuple[Any, ...] = ()  # values that were compared
    refusals: list[Refusal] = field(default_factory=list)  # what it tried to do and was not allowed to
    ticks: int = 0  # rounds of loops and calls of functions
    outside: tuple[str, ...] = ()  # inputs that are not of their declared type

    _conditions: list[Term] | None = None

    @property
    def conditions(self) -> list[Term]:
        """The path condition, one term for each decision."""
        if self._conditions is None:
            self._conditions = [d.condition for d in self.decisions]
        return self._conditions

    @property
    def hung(self) -> bool:
        """Whether its process had to be killed because it did not end."""
        return self.outcome == CRASHED and self.reason.why is Why.TIME

    @property
    def arguments(self) -> Written:
        """The initial arguments as Python expressions, with the statements and imports they need."""
        return self.describe(self.assignment)

    def end(self, outcome: Outcome, reason: Reason) -> None:
        """It has ended so."""
        self.outcome, self.reason = outcome, reason

    def break_promise(self, broken: Broken | None) -> None:
        """It has ended with this promise not kept, if there is one."""
        if broken is not None:
            self.broken = broken
            self.end(VIOLATED, Reason(Why.PROMISE, broken.reason))


def ending(execution: Execution) -> tuple[Any, ...]:
    """What makes two runs end alike: first of all their outcome."""
    refused = frozenset((r.kind, r.file, r.line) for r in execution.refusals)
    error = type(execution.exception).__name__
    reason = execution.reason
    text = "" if reason.why is Why.TIME else reason.text
    return execution.outcome, error, execution.raised_at, (reason.why, text), refused


@dataclass(frozen=True, slots=True)
class Options:
    """How inputs are represented and how far a run may go."""

    arrays: bool = True
    max_size: int = MAX_TEXT  # of a text, or of a list with one sequence variable
    max_depth: int = MAX_DEPTH  # of objects inside objects
    max_entries: int = MAX_ENTRIES  # of a dict, a set, or a list kept as cells
    max_items: int = MAX_ITEMS  # of a container whose elements take decisions to build
    max_decisions: int = MAX_DECISIONS
    seed: int = 0
    output: int = MIB  # bytes that a run may print
    alternatives: bool = True  # also omitted defaults, shared objects, and types that only the body speaks of
    calls: int = 0  # of public methods before an object is handed over
    symbolic_globals: tuple[str, ...] = ()  # module globals and class attributes that are inputs
    guarded: bool = False  # whether the contracts of called functions and of classes are checked


class Runnable(Protocol):
    """What an exploration needs to know of a program, wherever it runs."""

    name: str
    notes: list[str]

    def run(
        self, assignment: Assignment, limit: int | None = None, seconds: float | None = None
    ) -> Execution:
        """One run from an assignment."""

    def texts(self, assignment: Assignment) -> Written:
        """The initial arguments as Python expressions."""

    def close(self) -> None:
        """No more runs will be asked for."""
