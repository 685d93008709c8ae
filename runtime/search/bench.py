"""What the tactics of a search share: the program, what is known of it, and the way a run goes into the books."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ramify.cfg.leaves import Span
from ramify.runtime.inputs import Doubts, Written
from ramify.runtime.programs import (
    CRASHED,
    CUT,
    REJECTED,
    VIOLATED,
    Ascent,
    Burst,
    Climb,
    Execution,
    Knowledge,
    ending,
)
from ramify.runtime.proposals import Lessons
from ramify.runtime.search.audit import Audit
from ramify.runtime.search.effort import Effort
from ramify.runtime.search.exploration import Limits, Path, Summary, follows, path_key
from ramify.runtime.search.frontier import Frontier
from ramify.runtime.search.goals import Goals
from ramify.runtime.search.ledger import Ledger
from ramify.runtime.search.strategies import Candidate
from ramify.runtime.search.tree import PathTree
from ramify.runtime.solver import Sat, Solver, Unknown, Verdict
from ramify.runtime.terms import Assignment, Term, not_

BURST = 300  # cheap runs before any concolic one


class Measurable(Protocol):
    """What a search for coverage needs of a program, in this process or in a child. `seconds` is what is left of
    the budget, None if there is none.
    """

    name: str
    notes: list[str]
    setup: float  # nominal seconds of a fresh world

    @property
    def lessons(self) -> Lessons: ...

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """One run on concolic values."""

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        """One run on plain values."""

    def burst(self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None) -> Burst:
        """Runs on generated inputs; those are returned that add to what is known."""

    def climb(self, ascent: Ascent, known: Knowledge, seconds: float | None) -> Climb:
        """Runs on changes of one input that come nearer and nearer to an outcome."""

    def shrink(
        self, assignment: Assignment, end: tuple[object, ...], edges: frozenset[int]
    ) -> Execution | None:
        """A plainer input that takes these edges and ends alike, if there is one."""

    def texts(self, assignment: Assignment) -> Written: ...

    def bounds(self) -> list[str]: ...

    def doubts(self) -> Doubts: ...

    def left_plain(self) -> dict[str, str]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Ambition:
    """When a guided exploration is content: with every edge covered, or only when every path is."""

    all_paths: bool = False
    search: bool = True  # fall back to local search
    burst: int = BURST  # cheap runs in one go; 0 for none


@dataclass(slots=True)
class Tally:
    """What the cheap runs and the climbs came to."""

    searches: int = 0
    runs: int = 0
    covered: int = 0
    cheap_runs: int = 0
    cheap_covered: int = 0


@dataclass(slots=True)
class Bench:
    """The parts of one search, and the steps that several tactics take alike."""

    program: Measurable
    goals: Goals
    ledger: Ledger
    frontier: Frontier
    tree: PathTree
    solver: Solver
    effort: Effort
    summary: Summary
    limits: Limits
    ambition: Ambition
    audit: Audit
    left: Callable[[], float | None]  # real seconds of the budget
    measured: bool = True  # whether the module's marks could be put in: else nothing is seen to be covered
    tally: Tally = field(default_factory=Tally)

    # -- what there is to do -------------------------------------------------------------------------

    @property
    def content(self) -> bool:
        """Whether every goal is covered and nothing else is asked for."""
        return self.goals.complete and self.ledger.returned and not self.ambition.all_paths

    @property
    def proven(self) -> bool:
        """Whether nothing was left undone so far: with no flip waiting, what is not covered cannot be."""
        return self.measured and self.summary.complete()

    # -- one input -----------------------------------------------------------------------------------

    def measure(self, assignment: Assignment) -> Execution:
        """Runs an input on plain values."""
        execution = self.program.measure(dict(assignment), self.goals.wanted(), self.left())
        self.effort.measured(1, execution.ticks)
        return execution

    def enter(self, execution: Execution, bound: int = 0, origin: Candidate | None = None) -> Iterator[Path]:
        """Enters a measured run in the books and has the input run on concolic values for its decisions. It is a
        path to report if it covers or breaks something new. `origin` is the flip it was built for.
        """
        ledger, summary = self.ledger, self.summary
        summary.runs += 1
        summary.refused.update(execution.refusals)
        kept = False
        if execution.outcome == REJECTED:
            summary.rejected += 1
        else:
            kept = ledger.note_run(execution, self.effort.spent).kept
            summary.cut += execution.outcome == CUT
        known = len(self.goals.covered)
        yield from self._understand(execution, bound, origin)
        if execution.outcome == CRASHED:  # which edges it took is known only now
            kept |= len(self.goals.covered) > known
            summary.crashed += kept
        if kept:
            summary.paths += 1
            yield Path(execution, execution.outcome)

    def enter_smaller(self, execution: Execution) -> Iterator[Path]:
        """The same for a generated input: those are long-winded, and nothing should be larger than needed."""
        yield from self.enter(self._smaller(execution))

    def _smaller(self, execution: Execution) -> Execution:
        self.ledger.note_near(execution)
        edges = self.goals.own.intersection(execution.hits).difference(self.goals.covered)
        if not edges:
            return execution
        self.ledger.note_near(self.measure(execution.assignment))
        found = self.program.shrink(execution.assignment, ending(execution), edges) or execution
        return self.measure(found.assignment)  # once more, for how near it comes to what it reached first

    def _understand(self, measured: Execution, bound: int, origin: Candidate | None) -> Iterator[Path]:
        """Runs a measured input on concolic values and adds the flips of its decisions."""
        summary = self.summary
        execution = self._concolic(measured)
        self.ledger.note_understood(execution, measured.hits)
        measured.decisions, measured.facts = execution.decisions, execution.facts
        if measured.outcome == CRASHED:
            self.ledger.note_crash(measured)
        diverged = origin is not None and not follows(execution, origin)
        if diverged:
            assert origin is not None
            summary.divergences += 1
            self.ledger.note_divergence(origin)
            bound = 0
        elif not self.audit.agrees(path_key(execution.decisions), measured, execution):
            summary.divergences += 1
        flips = self.tree.grow(execution, bound, origin)
        if flips is None:
            return
        self.frontier.add(flips)
        summary.cut += execution.outcome == CUT and measured.outcome != CUT
        if execution.outcome != REJECTED and measured.outcome != VIOLATED:
            for assignment in self._breaking(execution):
                broken = self.measure(assignment)
                if broken.outcome == VIOLATED:
                    yield from self.enter(broken)
                else:  # the solver was sure of it: a term is not what the program computes
                    summary.divergences += 1

    def _concolic(self, measured: Execution) -> Execution:
        if measured.hung:
            self.summary.cut += 1  # it would not end on concolic values either; its decisions were told
            return measured
        execution = self.program.run(dict(measured.assignment), seconds=self.left())
        self.effort.concolic(execution)
        execution.hits = measured.hits
        self.summary.count_lost(execution)
        return execution

    # -- the solver ----------------------------------------------------------------------------------

    def flip(self, candidate: Candidate) -> Verdict:
        """Asks for an input that takes a path up to a decision, and its other side there."""
        parent = candidate.parent
        prefix = parent.facts + parent.conditions[: candidate.index]
        verdict = self._ask(prefix, parent.decisions[candidate.index].reversed, parent.assignment)
        self.ledger.note_answer(candidate, verdict)
        return verdict

    def _breaking(self, execution: Execution) -> Iterator[Assignment]:
        """For each postcondition that a run kept, an input on the same path that breaks it, if there is one."""
        path = execution.facts + execution.conditions
        for promise in execution.promises:
            if promise.op != "const":
                verdict = self._ask(path, not_(promise), execution.assignment)
                if isinstance(verdict, Sat):
                    yield verdict.model

    def _ask(self, prefix: Sequence[Term], goal: Term, parent: Assignment) -> Verdict:
        verdict = self.solver.solve(prefix, goal, parent)
        self.effort.solved(self.solver.stats)
        self.summary.unknown += isinstance(verdict, Unknown)
        return verdict
