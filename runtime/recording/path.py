"""Records the path of a run: every decision that an input took part in, and every place where an input's term
was lost.

Concolic values call `decide` where Python asks them for a truth value. Outside a run nothing is recorded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import FrameType
from typing import Any, NamedTuple

from ramify.runtime.recording.frames import is_own, loses_text
from ramify.runtime.recording.reason import Cut, Why
from ramify.runtime.recording.sites import DecisionSite, known
from ramify.runtime.terms import TRUE, Assignment, Evaluator, Term, make

CHECK_TERMS = os.environ.get("RAMIFY_CHECK_TERMS", "") not in ("", "0")
"""Whether every operation checks that its term evaluates to its concrete value (set before the first import).
"""

MAX_DECISIONS = 20_000


class Phase(Enum):
    """What the run was doing when a decision was taken."""

    BUILD = "build"  # choosing between the alternatives of an input's type
    ASSUME = "assume"  # evaluating a precondition
    ASSUMED = "assumed"  # the precondition's own truth: only worth reversing when it failed
    BODY = "body"  # the target, and constructors of its arguments
    ENSURE = "ensure"  # evaluating a postcondition

    __hash__ = object.__hash__  # that of an Enum is written in Python, and decisions are keys


class Decision(NamedTuple):
    """One taken alternative: the condition that was tested, where, and how it came out."""

    site: DecisionSite
    outcome: bool
    term: Term
    phase: Phase = Phase.BODY

    @property
    def branch(self) -> bool:
        """How the test in the source came out."""
        return self.outcome is not self.site.negated

    @property
    def condition(self) -> Term:
        """The condition as it held on this path."""
        return self.term if self.outcome else make("not", self.term)

    @property
    def reversed(self) -> Term:
        return make("not", self.term) if self.outcome else self.term


class Concretisation(NamedTuple):
    """A place where an operation without a model used the concrete value, and the operation's name."""

    file: str
    line: int
    operation: str


@dataclass(slots=True)
class Run:
    """What is being recorded."""

    assignment: Assignment
    limit: int = MAX_DECISIONS
    decisions: list[Decision] = field(default_factory=lambda: journal.make_log("decisions"))
    facts: list[Term] = field(default_factory=lambda: journal.make_log("facts"))  # hold by construction
    concretisations: dict[Concretisation, int] = field(default_factory=dict)
    plain_keyed: dict[int, tuple[Any, int]] = field(default_factory=dict)  # large, with plain keys: their sizes
    phase: Phase = Phase.BODY
    evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.assignment)


def _plain_log(kind: str) -> list[Any]:
    return []


@dataclass(slots=True)
class Journal:
    """What is being recorded, and what has been found out about objects and classes meanwhile."""

    run: Run | None = None
    make_log: Callable[[str], list[Any]] = _plain_log
    hashes: int = 0  # of concolic values, asked for by anybody
    keyed: dict[int, Any] = field(default_factory=dict)
    """The plain dicts and sets that came to hold concolic keys in this run, by id: looking a key up there decides.

    One object for all runs, as the next two: rewritten code asks them inline.
    """
    keeping: set[type] = field(default_factory=set)
    """The classes whose instances keep whatever is stored in an attribute, as far as this run has found out."""
    holding: set[type] = field(default_factory=set)
    """The same of containers and what is stored in their items; `always_holding` is known for every run."""
    always_holding: set[type] = field(default_factory=set)

    def forget(self) -> None:
        """What was found out about objects and classes of one run does not concern the next."""
        self.keyed.clear()
        self.keeping.clear()
        self.holding.intersection_update(self.always_holding)


# One for the whole process: Python passes nothing to the methods of a concolic value that could lead to its run,
# and a reference in every value would cost more than all else about it.
journal: Journal = Journal()


@contextmanager
def logging_to(make_log: Callable[[str], list[Any]]) -> Iterator[None]:
    """Runs in between keep their "decisions" and "facts" in lists that are made so, for somebody who must know
    of each at once.
    """
    before, journal.make_log = journal.make_log, make_log
    try:
        yield
    finally:
        journal.make_log = before


def active() -> Run | None:
    """The run that is being recorded now, if any."""
    return journal.run


@contextmanager
def recording(run: Run) -> Iterator[Run]:
    """Makes `run` the active one; whatever concolic values decide in between is recorded there."""
    before, journal.run = journal.run, run
    journal.forget()
    try:
        yield run
    finally:
        journal.run = before
        journal.forget()


class paused:  # a class because a generator costs more than the short work in between
    """Nothing is recorded in between."""

    __slots__ = ("_before",)
    _before: Run | None

    def __enter__(self) -> None:
        self._before, journal.run = journal.run, None

    def __exit__(self, *exception: object) -> None:
        journal.run = self._before


_tuple = tuple.__new__  # a NamedTuple's own constructor costs three times as much


def decide(term: Term, outcome: bool, site: DecisionSite | None = None) -> bool:
    """Records that a condition came out as `outcome`, and returns it."""
    run = journal.run
    if run is None or term.op == "const":
        return outcome
    decisions = run.decisions
    if len(decisions) >= run.limit:
        raise Cut(Why.DECISIONS, f"more than {run.limit} decisions")
    if CHECK_TERMS:
        check(term, outcome)
    decisions.append(_tuple(Decision, (site or known.of(sys._getframe(1)), outcome, term, run.phase)))
    return outcome


def fact(term: Term) -> None:
    """Records a condition that every input satisfies by construction."""
    run = journal.run
    if run is not None and term is not TRUE:
        run.facts.append(term)


def concretised(operation: str) -> None:
    """Records that an operation used the concrete value of an input because it has no model."""
    run = journal.run
    if run is not None:
        site = known.of(sys._getframe(1))
        key = Concretisation(site.file, site.line, operation)
        run.concretisations[key] = run.concretisations.get(key, 0) + 1


def noting_hashes(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, called for the target: if it uses the hash of an input, that is recorded."""
    before = journal.hashes
    try:
        return function(*args)
    finally:
        if journal.hashes != before:
            concretised("hash()")


def hashed() -> None:
    """Records that the target used the hash of an input: a miss in its table is no decision."""
    journal.hashes += 1
    if journal.run is not None and not is_own(sys._getframe(2).f_code.co_filename):
        concretised("hash()")


def shown() -> None:
    """Records that a text was made of an input, unless a model or rewritten code did it: whoever else did, C code
    or Python code that is not rewritten, keeps characters only.
    """
    if journal.run is not None:
        shown_to(sys._getframe(2))


def shown_to(frame: FrameType) -> None:
    """The same of a text that code in this frame has asked for."""
    if loses_text(frame):
        concretised("str()")


class TermMismatch(BaseException):
    """The debug check failed: a model is wrong. Nothing in a target may swallow that."""


def check(term: Term, value: Any) -> None:
    """The invariant: under the run's assignment a term evaluates to its concrete value."""
    run = journal.run
    if run is None:
        return
    try:
        evaluated = run.evaluator.value(term)
    except ArithmeticError as error:
        raise TermMismatch(f"{term!r} is undefined, the concrete value is {value!r}") from error
    if not same(evaluated, value):
        raise TermMismatch(f"{term!r} evaluates to {evaluated!r}, the concrete value is {value!r}")


def same(a: Any, b: Any) -> bool:
    """Equality that tells 0.0 from -0.0, 1 from True and 1.0, and that finds nan equal to itself."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return list.__len__(list(a)) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return float.__repr__(a) == float.__repr__(b)
    return (
        isinstance(a, bool) == isinstance(b, bool)
        and isinstance(a, float) == isinstance(b, float)
        and bool(a == b)
    )
