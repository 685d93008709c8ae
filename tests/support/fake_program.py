"""A program that is a table, a solver that tries out a domain, goals whose distances are set by hand: what a unit
test of the search puts in the place of the machinery around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from textwrap import dedent
from typing import Any

from ramify.cfg.leaves import Leaf, Span
from ramify.cfg.source_file import SourceFile
from ramify.runtime.inputs import Doubts, Written
from ramify.runtime.programs import (
    CRASHED,
    RAISED,
    REJECTED,
    RETURNED,
    Ascent,
    Burst,
    Climb,
    Execution,
    Knowledge,
    Outcome,
)
from ramify.runtime.proposals import Lessons
from ramify.runtime.recording import ORDINARY, Concretisation, Decision, DecisionSite, Phase, Reason
from ramify.runtime.sandbox import Refusal
from ramify.runtime.search import Ambition, Candidate, Goals, Limits, Summary
from ramify.runtime.search.audit import Audit
from ramify.runtime.search.bench import Bench
from ramify.runtime.search.effort import Effort
from ramify.runtime.search.frontier import Frontier
from ramify.runtime.search.ledger import Ledger
from ramify.runtime.search.strategies import Node
from ramify.runtime.search.tree import PathTree
from ramify.runtime.solver import UNSAT, Sat, Stats, Unknown, Verdict
from ramify.runtime.terms import INT, Assignment, Term, const, make, satisfies, var

PATH = "/subject.py"
X = var("x", INT)


def above(number: int) -> Term:
    """The condition `x > number`."""
    return make("gt", X, const(number))


def equals(number: int) -> Term:
    """The condition `x == number`."""
    return make("eq", X, const(number))


# -- places and decisions ---------------------------------------------------------------------------------


@cache
def _site(*fields: Any) -> DecisionSite:
    return DecisionSite(*fields)


def site_at(leaf: Leaf, file: str = PATH, test: bool = True, negated: bool = False) -> DecisionSite:
    """The one site at a place: sites compare by identity."""
    return _site(file, "f", *leaf.span, test, negated)


def on(line: int) -> Leaf:
    """A place for whom it only matters that places differ."""
    return Leaf((line, 0, line, 1))


def goals_of(source: str, qualname: str | None = "f") -> Goals:
    """The goals of a function of a module that is written down in a test."""
    return Goals(SourceFile(PATH, dedent(source).lstrip("\n").encode()), qualname)


def leaf(goals: Goals, line: int) -> Leaf:
    """The first test on a line."""
    return Leaf(min(span for span in goals.leaves if span[0] == line))


def edge(goals: Goals, line: int, outcome: str = "true") -> int:
    """The number of one outcome of the first site on a line that has it."""
    return next(e.id for e in goals.table.edges if e.line == line and e.outcome == outcome)


def decided(goals: Goals, line: int, outcome: bool, term: Term, phase: Phase = Phase.BODY) -> Decision:
    """A decision of the test on a line."""
    return Decision(site_at(leaf(goals, line)), outcome, term, phase)


# -- runs -------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """What a run with one input does. `concolic` is how it ends on concolic values, if that is otherwise."""

    hits: Iterable[int] = ()
    decisions: Sequence[Decision] = ()
    near: Mapping[Leaf, list[float]] = field(default_factory=dict)
    outcome: Outcome = RETURNED
    exception: BaseException | None = None
    ticks: int = 0
    reason: Reason = ORDINARY
    facts: Sequence[Term] = ()
    promises: Sequence[Term] = ()
    refusals: Sequence[Refusal] = ()
    lost: Mapping[Concretisation, int] = field(default_factory=dict)
    concolic: Outcome | None = None

    def execution(self, x: int) -> Execution:
        """A run on plain values: it knows its edges, and nothing of decisions unless its process died."""
        return Execution(
            {"x": x},
            outcome=self.outcome,
            exception=self.exception,
            reason=self.reason,
            hits=frozenset(self.hits),
            near=dict(self.near),
            refusals=list(self.refusals),
            ticks=self.ticks,
            decisions=list(self.decisions) if self.outcome == CRASHED else [],
        )

    def understood(self, x: int) -> Execution:
        """The same on concolic values: decisions, and no edges."""
        return Execution(
            {"x": x},
            decisions=list(self.decisions),
            facts=list(self.facts),
            outcome=self.concolic or self.outcome,
            exception=self.exception,
            reason=self.reason,
            promises=list(self.promises),
            refusals=list(self.refusals),
            concretisations=dict(self.lost),
            ticks=self.ticks,
        )


def table_of(
    goals: Goals, domain: Iterable[int], path: Callable[[int], Sequence[tuple[int, Term]]]
) -> dict[int, Row]:
    """The rows of a function that decides, for an input, such conditions on such lines one after the other."""
    table = {}
    for x in domain:
        decisions = [decided(goals, line, satisfies({"x": x}, [term]), term) for line, term in path(x)]
        taken = [goals.taken(d.site.span, d.branch) for d in decisions]
        table[x] = Row(frozenset().union(*taken), decisions)
    return table


class FakeProgram:
    """A program with one integer input, whose runs are looked up. What it was asked for stands in `calls`."""

    def __init__(self, table: Mapping[int, Row] | None = None, setup: float = 0.0, name: str = "fake") -> None:
        self.table = dict(table or {})
        self.setup = setup
        self.name = name
        self.notes: list[str] = []
        self.lessons = Lessons()
        self.calls: list[tuple[Any, ...]] = []
        self.bursts: list[list[int]] = []  # the inputs that the next bursts find
        self.burst_ticks = 0
        self.climbs: list[Climb] = []  # what the next climbs come to
        self.plainer: dict[int, int] = {}
        self.interrupted_at: int | None = None  # the run on which somebody presses ctrl-c
        self.clock: FakeClock | None = None
        self.lasting = 0.0  # what a run takes, by that clock
        self.trust = Doubts()
        self.excuse: Exception | None = None  # why it cannot say what was left plain

    def asked(self, kind: str) -> list[Any]:
        """The calls of one kind: what came first in each."""
        return [call[1] for call in self.calls if call[0] == kind]

    def _row(self, assignment: Assignment) -> tuple[int, Row]:
        if self.interrupted_at is not None:
            self.interrupted_at -= 1
            if self.interrupted_at < 0:
                raise KeyboardInterrupt
        if self.clock is not None:
            self.clock.now += self.lasting
        x = assignment.get("x", 0)
        return x, self.table.get(x, Row())

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        self.calls.append(("run", assignment.get("x"), seconds))
        x, row = self._row(assignment)
        return row.understood(x)

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        self.calls.append(("measure", assignment.get("x"), wanted, seconds))
        x, row = self._row(assignment)
        return row.execution(x)

    def burst(self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None) -> Burst:
        self.calls.append(("burst", seeds, known, wanted, seconds))
        found = self.bursts.pop(0) if self.bursts else []
        return Burst(
            len(seeds), len(seeds), self.burst_ticks, [self.table.get(x, Row()).execution(x) for x in found]
        )

    def climb(self, ascent: Ascent, known: Knowledge, seconds: float | None) -> Climb:
        self.calls.append(("climb", ascent, known, seconds))
        return self.climbs.pop(0) if self.climbs else Climb(ascent.tries, best=ascent.start)

    def shrink(self, assignment: Assignment, end: tuple[object, ...], edges: frozenset[int]) -> Execution | None:
        self.calls.append(("shrink", assignment["x"], end, edges))
        x = self.plainer.get(assignment["x"])
        return None if x is None else self.table.get(x, Row()).execution(x)

    def texts(self, assignment: Assignment) -> Written:
        return Written({name: repr(value) for name, value in assignment.items()})

    def bounds(self) -> list[str]:
        return ["texts up to 3", "lists up to 2"]

    def doubts(self) -> Doubts:
        return self.trust

    def left_plain(self) -> dict[str, str]:
        self.calls.append(("left_plain", None))
        if self.excuse is not None:
            raise self.excuse
        return {"helper": "too large"}

    def close(self) -> None:
        self.calls.append(("close", None))


# -- the solver -------------------------------------------------------------------------------------------


class FakeSolver:
    """Tries out every number of a domain. Goals in `helpless` it does not decide, for the reason given there."""

    def __init__(self, domain: Iterable[int] = range(-10, 30), steps: int = 0) -> None:
        self.stats = Stats()
        self.domain = list(domain)
        self.helpless: dict[Term, str] = {}
        self.mistaken: dict[Term, int] = {}  # goals that it answers wrongly, and how
        self.steps = steps  # of what is given up
        self.asked: list[tuple[list[Term], Term, Assignment]] = []

    def solve(self, prefix: Sequence[Term], goal: Term, parent: Assignment) -> Verdict:
        self.asked.append((list(prefix), goal, parent))
        verdict = self._answer(prefix, goal)
        self.stats.queries["sat" if isinstance(verdict, Sat) else "unsat" if verdict is UNSAT else "unknown"] += 1
        return verdict

    def _answer(self, prefix: Sequence[Term], goal: Term) -> Verdict:
        if goal in self.mistaken:
            return Sat({"x": self.mistaken[goal]})
        if goal in self.helpless:
            self.stats.z3_calls += 1
            self.stats.steps += self.steps
            return Unknown(self.helpless[goal])
        for x in self.domain:
            if satisfies({"x": x}, [*prefix, goal]):
                return Sat({"x": x})
        return UNSAT


# -- the parts of a search --------------------------------------------------------------------------------


class FakeGoals:
    """Goals whose distances are set: by line and outcome of a test. Other places are inside operations."""

    path = PATH

    def __init__(self, distances: Mapping[tuple[int, bool], int], before: Iterable[int] = ()) -> None:
        self.distances = dict(distances)
        self.before = set(before)

    def taken(self, span: Span, outcome: bool) -> frozenset[int]:
        return frozenset({span[0] * 2 + (not outcome)}) if (span[0], outcome) in self.distances else frozenset()

    def distance(self, edges: Iterable[int]) -> int:
        return min(self.distances[number // 2, number % 2 == 0] for number in edges)

    def before_open(self, line: int) -> bool:
        return line in self.before


def flip_to(
    line: int,
    outcome: bool,
    *,
    hits: Iterable[int] = (),
    index: int = 0,
    serial: int = 1,
    gained: int = 0,
    file: str = PATH,
    term: Term | None = None,
    x: int = 0,
) -> Candidate:
    """The flip of a decision of the test on a line, at that index of its run."""
    padding = [Decision(site_at(on(900 + n)), True, above(-900 - n)) for n in range(index)]
    term = above(line) if term is None else term
    decision = Decision(site_at(on(line), file), not outcome, term)
    run = Execution({"x": x}, [*padding, decision], hits=frozenset(hits))
    return Candidate(run, index, serial, gained, [Node() for _ in run.decisions])


def bench_of(
    goals: Goals,
    table: Mapping[int, Row] | None = None,
    *,
    program: FakeProgram | None = None,
    solver: FakeSolver | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    ambition: Ambition = Ambition(),  # noqa: B008 - frozen
    left: float | None = None,
) -> Bench:
    """A bench with real books and a fake program."""
    program = FakeProgram(table) if program is None else program
    solver = FakeSolver() if solver is None else solver
    summary = Summary(solver.stats)
    ledger = Ledger(goals, program.lessons)
    return Bench(
        program,
        goals,
        ledger,
        Frontier(goals),
        PathTree(solver, summary, limits.depth),  # type: ignore[arg-type]
        solver,  # type: ignore[arg-type]
        Effort(program.setup),
        summary,
        limits,
        ambition,
        Audit(goals.own),
        lambda: left,
    )


def finished_bench(goals: Goals) -> Bench:
    """A bench with everything covered, and a run that returned."""
    bench = bench_of(goals)
    bench.ledger.note_run(Execution({"x": 0}, outcome=RETURNED, hits=frozenset(goals.own)), 0.0)
    return bench


class FakeClock:
    """A clock that stands still unless it is moved: by hand, or by every run of a program that it was given to."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    perf_counter = __call__


__all__ = [
    "PATH", "RAISED", "REJECTED", "RETURNED", "FakeClock", "FakeGoals", "FakeProgram", "FakeSolver", "Row",
    "X", "above", "bench_of", "decided", "edge", "equals", "finished_bench", "flip_to", "goals_of",
    "leaf", "on", "site_at", "table_of",
]  # fmt: skip
