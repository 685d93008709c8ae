"""Coverage-guided exploration: cheap runs first, then decisions reversed in the order of what they can newly
cover, then a local search for what the solver cannot reach.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ramify.cfg.leaves import Leaf, Span
from ramify.runtime.inputs import Doubts
from ramify.runtime.programs import (
    CRASHED,
    CUT,
    REJECTED,
    RETURNED,
    UNMEASURED,
    VIOLATED,
    Burst,
    Climb,
    Execution,
    ending,
)
from ramify.runtime.recording import Phase, Why
from ramify.runtime.sandbox import CLOSING, WorkerDied
from ramify.runtime.search.audit import Audit
from ramify.runtime.search.exploration import (
    EXHAUSTED,
    INCOMPLETE,
    Exploration,
    Limits,
    Path,
    Stop,
    follows,
    path_key,
)
from ramify.runtime.search.goals import FAR, Goals
from ramify.runtime.search.nearness import Near
from ramify.runtime.search.strategies import Candidate, Indifferent, Node
from ramify.runtime.search.verdicts import EdgeVerdict, Verdicts
from ramify.runtime.solver import Sat, Solver, Unknown
from ramify.runtime.terms import Assignment

COVERED = Stop.COVERED
BURST = 300  # cheap runs before any concolic one
CLIMB = 150  # runs of one local search
PATIENCE = 6  # flips without anything new before a local search is tried
FLIPS_SHARE = 2  # or so many times the seconds of the last search, at the least of:
SEARCH_SECONDS = 0.1
USELESS = 10**6  # no search for what leads nowhere
CLIMBS_PER_BURST = 5
ROUNDS = 12  # local searches for one outcome before it is given up
BURST_SECONDS = 0.5
CONCOLIC_SECONDS = 2.0  # for one concolic run
PERSEVERE = 2.0  # seconds without anything new in which what was tried is tried again with other draws,
PERSEVERE_SHARE = 0.4  # or this share of the budget,
IN_VAIN = 1500  # if so many runs of that fit into it; where runs are slow or the machine is busy:
PERSEVERE_SLOWLY = 10.0
BREAK_SECONDS = 0.5  # for looking for exceptions once all is covered


class Measurable(Protocol):
    """What the loop needs of a program: in this process or in a child."""


    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution: ...

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution: ...

    def burst(self, seeds: range, covered: set[int], wanted: frozenset[Span], seconds: float) -> Burst: ...

    def shrink(
        self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]
    ) -> Execution | None: ...

    def bounds(self) -> list[str]: ...

    def doubts(self) -> Doubts: ...

    def left_plain(self) -> dict[str, str]: ...

    def close(self) -> None: ...

    def climb(
        self, start: Assignment, leaf: Leaf, outcome: bool, tries: int, covered: set[int], seconds: float,
        seed: int = 0, reached: frozenset[int] = frozenset(),
    ) -> Climb: ...  # fmt: skip


class CoverageGuided(Indifferent):
    """An uncovered edge first, else the nearest to one; what was tried often waits: no loop starves the rest."""

    def __init__(self, goals: Goals) -> None:
        self.goals = goals
        self._heap: list[tuple[tuple[int, ...], Candidate]] = []
        self._inside: list[Candidate] = []
        self._tried: Counter[tuple[object, bool]] = Counter()
        self._tried_from: Counter[tuple[tuple[object, bool], frozenset[int]]] = Counter()

    def add(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            heapq.heappush(self._heap, (self._score(candidate), candidate))
            if not self._edges(candidate) and not self._tried[candidate.edge]:
                self._inside.append(candidate)

    def take_inside(self) -> Candidate | None:
        """A decision inside an operation whose other outcome nobody has tried: it may raise."""
        while self._inside:
            candidate = self._inside.pop(0)
            if not self._tried[candidate.edge]:
                self._tried[candidate.edge] += 1
                return candidate
        return None

    def take(self) -> Candidate | None:
        heap = self._heap
        while heap:
            score, candidate = heapq.heappop(heap)
            now = self._score(candidate)
            if now == score or not heap or now <= heap[0][0]:
                self._tried[candidate.edge] += 1
                self._tried_from[candidate.edge, candidate.parent.hits] += 1
                return candidate
            heapq.heappush(heap, (now, candidate))
        return None

    def __len__(self) -> int:
        return len(self._heap)

    def _score(self, candidate: Candidate) -> tuple[int, ...]:
        edges = self._edges(candidate)
        distance = self.goals.distance(edges) if edges else self._inside_distance(candidate)
        # What holds where the flip leads may depend on the edges taken before: other ones deserve another attempt.
        tried = self._tried_from[candidate.edge, candidate.parent.hits] * TIRES
        tried += self._tried[candidate.edge] // SEVERAL
        return tried + min(distance, FAR), candidate.index, candidate.serial

    def _inside_distance(self, candidate: Candidate) -> int:
        """A lookup or conversion often decides the test that follows it."""
        site = candidate.edge[0]
        near = site.file == self.goals.path and self.goals.before_open(site.line)
        return JUST_BEFORE if near else INSIDE

    def _edges(self, candidate: Candidate) -> frozenset[int]:
        site, outcome = candidate.edge
        return self.goals.taken(site.span, outcome) if site.file == self.goals.path else frozenset()


INSIDE = 4  # the distance of a decision inside an operation: an index, a division, a conversion
JUST_BEFORE = 2  # the same, in the block of a test that has an outcome to cover
TIRES = 2  # how much further away each attempt makes an edge, from runs that took the same edges
SEVERAL = 3  # so many attempts from other runs make it one further away


@dataclass(slots=True)
class Fallback:
    """What the local search did."""

    searches: int = 0
    runs: int = 0
    covered: int = 0
    cheap_runs: int = 0
    cheap_covered: int = 0


@dataclass(frozen=True, slots=True)
class Ambition:
    """When a guided exploration is content: with every edge covered, or only when every path is."""

    all_paths: bool = False
    search: bool = True  # fall back to local search
    burst: int = BURST


class GuidedExploration(Exploration):
    """Explores for coverage: iterating yields the inputs that cover or break something new."""

    program: Measurable  # type: ignore[assignment]

    def __init__(
        self,
        program: Measurable,
        goals: Goals,
        solver: Solver,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        ambition: Ambition = Ambition(),
    ) -> None:
        self.guide = CoverageGuided(goals)
        super().__init__(program, solver, self.guide, limits)  # type: ignore[arg-type]
        self.goals = goals
        self.ambition = ambition
        self.bounds = ", ".join(program.bounds())
        self.fallback = Fallback()
        self.verdicts = Verdicts(goals, program.doubts())
        self.left_plain: dict[str, str] | None = None  # functions that could not be rewritten, and why
        self.audit = Audit(goals.own)
        self._near: dict[tuple[Leaf, bool], Near] = {}
        self._idle = 0  # flips since something new was covered
        self._gained = 0.0  # when something new was covered
        self._vain = 0  # cheap runs and those of local searches since then
        self._drawn = 1  # the seed of the next generated input
        self._flipping = 0.0  # seconds of flips since the last local search
        self._searching = SEARCH_SECONDS  # of that search
        self._ends: set[tuple[object, ...]] = set()
        self._spent = 0.0
        self._content_since: float | None = None
        self.allowance = CLOSING  # seconds for the verdicts of a search that was ended
        self._late = False  # whether cheap runs are made because nothing else is left to try

    def _explore(self) -> Iterator[Path]:
        return (path for path in self.steps() if path is not None)

    def steps(self) -> Iterator[Path | None]:
        """The exploration in small steps: a path that is worth keeping, or None for a step without one."""
        yield from self._measured(self.program.measure({}, self.goals.wanted(), self._left()))
        yield from self._burst()
        while True:
            stop = self._stop()
            if stop is not None:
                self.summary.stop = stop
                return
            content = self.goals.complete and self._returns() and not self.ambition.all_paths
            if not content and (self._idle >= PATIENCE or self._flipping > self._searching * FLIPS_SHARE):
                self._idle, self._flipping = 0, 0.0
                if (yield from self._search()):
                    continue
            candidate = self._to_break() if content else self.guide.take()
            if content and candidate is None:
                self.summary.stop = COVERED
                return
            if candidate is not None:
                self._idle += 1
                before = self._elapsed()
                yield from self._try(candidate)
                self._flipping += self._elapsed() - before
            elif self.summary.complete() or not ((yield from self._search()) or (yield from self._persevere())):
                proven = self.summary.complete()
                if not self._late and (self.goals.missing() if proven else self.ambition.all_paths):
                    self._late = True
                    before = len(self.goals.covered)
                    yield from self._burst()
                    # What a proof has excluded cannot be: something was lost that nobody recorded.
                    self.summary.divergences += proven and len(self.goals.covered) > before
                    continue
                self.summary.stop = EXHAUSTED if self.summary.complete() else INCOMPLETE
                return
            yield None

    def _run(self, assignment: Assignment) -> Execution:
        execution = self.program.run(dict(assignment), seconds=min(self._left(), CONCOLIC_SECONDS))
        self._count_lost(execution)
        return execution

    def _returns(self) -> bool:
        return any(outcome == RETURNED for outcome, *_ in self._ends)

    def _to_break(self) -> Candidate | None:
        """When all is covered: an operation that may still raise, for a while."""
        if self._content_since is None:
            self._content_since = self._elapsed()
        return self.guide.take_inside() if self._elapsed() - self._content_since < BREAK_SECONDS else None

    def _left(self) -> float:
        limit = self.limits.seconds
        return 60.0 if limit is None else max(limit - self._elapsed(), 0.05)

    # -- time: only what this exploration uses itself counts ----------------------------------------

    def resume(self) -> None:
        self._started = time.perf_counter()

    def pause(self) -> None:
        self._spent += time.perf_counter() - self._started
        self._started = time.perf_counter()

    def _elapsed(self) -> float:
        return self._spent + time.perf_counter() - self._started

    def _finish(self) -> None:
        if self.left_plain is None:
            try:
                self.left_plain = self.program.left_plain()
            except WorkerDied:
                self.left_plain = {}
        super()._finish()

    def edge_verdicts(self) -> list[EdgeVerdict]:
        """What became of every edge of the target."""
        summary = self.summary
        early = summary.stop in (Stop.TIME, Stop.MEMORY, Stop.INTERRUPTED)
        seconds = self.allowance if early else self._left()
        return self.verdicts.all(summary.stop == EXHAUSTED, self.bounds, summary.stop, summary.refused, seconds)

    # -- cheap first ------------------------------------------------------------------------------

    def _burst(self, again: bool = False) -> Iterator[Path | None]:
        if not self.ambition.burst or (self.goals.complete and not self._late):
            return
        seconds = min(BURST_SECONDS * (3 if self._late and not again else 1), self._left() / 4)
        first = self._drawn
        self._drawn += self.ambition.burst
        before = len(self.goals.covered)
        burst = self.program.burst(
            range(first, first + self.ambition.burst), self.goals.covered, self.goals.wanted(), seconds
        )
        self._vain += burst.runs
        self.fallback.cheap_runs += burst.runs
        for execution in burst.found:
            yield from self._measured(self._shrunk(execution))
        self.fallback.cheap_covered += len(self.goals.covered) - before

    def _shrunk(self, execution: Execution) -> Execution:
        """Generated inputs are long-winded: what is reported should be no larger than it must."""
        self._note_near(execution)
        edges = self.goals.own.intersection(execution.hits).difference(self.goals.covered)
        if not edges:
            return execution
        wanted = self.goals.wanted()
        self._note_near(self.program.measure(dict(execution.assignment), wanted, self._left()))
        found = self.program.shrink(execution.assignment, ending(execution), edges) or execution
        # Once more, for how near it comes to what it reached first.
        return self.program.measure(found.assignment, self.goals.wanted(), self._left())

    # -- one input ----------------------------------------------------------------------------------

    def _measured(
        self, execution: Execution, bound: int = 0, candidate: Candidate | None = None
    ) -> Iterator[Path | None]:
        """Takes note of a measured run, and runs it on concolic values for its decisions.

        It is a path to report if it covers or breaks something new.
        """
        self.summary.runs += 1
        self.summary.refused.update(execution.refusals)
        kept = False
        if execution.outcome == REJECTED:
            self.summary.rejected += 1
        else:
            before = len(self.goals.covered)
            new = self.goals.cover(execution.hits)
            if len(self.goals.covered) > before:
                self._idle = 0
                self._gained, self._vain = self._elapsed(), 0
            self.verdicts.covered_by(new, execution)
            self._note_near(execution)
            kept = self._is_new_end(execution) or bool(new)
            self.summary.cut += execution.outcome == CUT
        known = len(self.goals.covered)
        yield from self._expand(execution, bound, candidate)
        if execution.outcome == CRASHED:  # which edges it took is known only now
            kept |= len(self.goals.covered) > known
            self.summary.crashed += kept
        if kept:
            self.summary.paths += 1
            yield Path(execution, execution.outcome)

    def _is_new_end(self, execution: Execution) -> bool:
        """Whether no run before has ended like this: the first to return, or an exception from a new place."""
        end = ending(execution)
        known = end in self._ends
        self._ends.add(end)
        return not known

    def _note_near(self, execution: Execution) -> None:
        for leaf, both in execution.near.items():
            for outcome, distance in zip((True, False), both, strict=True):
                self._near.setdefault((leaf, outcome), Near()).note(execution.assignment, distance)
        for span, outcome in self.goals.unmeasured(execution.hits):
            if Leaf(span) not in execution.near:
                self._near.setdefault((Leaf(span), outcome), Near()).note(execution.assignment, UNMEASURED)

    def _expand(self, measured: Execution, bound: int, candidate: Candidate | None) -> Iterator[Path | None]:
        """Runs a measured input on concolic values and adds the flips of its decisions."""
        if measured.outcome == CRASHED and measured.reason.why is Why.TIME:
            self.summary.cut += 1  # it would not end on concolic values either; its decisions were told
            execution = measured
        else:
            execution = self._run(measured.assignment)
            execution.hits = measured.hits
        self.verdicts.reached(execution, measured.hits)
        measured.decisions, measured.facts = execution.decisions, execution.facts
        if measured.outcome == CRASHED:
            self._cover_crash(measured)
        diverged = candidate is not None and not follows(execution, candidate)
        if diverged:
            self.summary.divergences += 1
            bound = 0
            assert candidate is not None
            self.verdicts.diverged(candidate)
        key = path_key(execution.decisions)
        self.summary.divergences += not diverged and not self.audit.agrees(key, measured, execution)
        if key in self._seen:
            return
        self._seen.add(key)
        nodes = list(candidate.nodes[:bound]) if candidate is not None else []
        nodes += [Node() for _ in range(len(execution.decisions) - len(nodes))]
        self._add_candidates(execution, bound, nodes)
        self._leaves.append([n for n, d in zip(nodes, execution.decisions, strict=True) if d.phase is Phase.BODY])
        self.summary.cut += execution.outcome == CUT and measured.outcome != CUT
        if execution.outcome != REJECTED and execution.promises and measured.outcome != VIOLATED:
            for broken in self._falsify(execution):
                yield from self._measured(self.program.measure(broken.assignment, seconds=self._left()))

    def _cover_crash(self, measured: Execution) -> None:
        """A process that died took its marks along; the decisions it told on the way say which edges it took."""
        own = [d for d in measured.decisions if d.site.file == self.goals.path and d.site.test]
        taken = [edge for d in own for edge in self.goals.taken(d.site.span, d.branch)]
        self.verdicts.covered_by(self.goals.cover(taken), measured)

    def _try(self, candidate: Candidate) -> Iterator[Path | None]:
        verdict = self._flip(candidate)
        self.verdicts.flipped(candidate, verdict)
        self.strategy.solved(candidate, isinstance(verdict, Sat))
        if isinstance(verdict, Unknown):
            yield from self._near_search(candidate)
        if not isinstance(verdict, Sat):
            return
        candidate.nodes[candidate.index].free = True
        measured = self.program.measure(dict(verdict.model), self.goals.wanted(), self._left())
        yield from self._measured(measured, candidate.index + 1, candidate)

    # -- local search -----------------------------------------------------------------------------

    def _near_search(self, candidate: Candidate) -> Iterator[Path | None]:
        """After an unknown: a short search for that outcome, from the input whose flip could not be solved."""
        site, outcome = candidate.edge
        if self.ambition.search and site.file == self.goals.path and site.span in self.goals.wanted():
            yield from self._climb(Leaf(site.span), outcome, candidate.parent.assignment)

    def _search(self) -> Generator[Path | None, None, bool]:
        """One local search, for the outcome that looks nearest. Returns whether there was anything to try."""
        if not self.ambition.search:
            return False
        best: tuple[tuple[int, int, float], tuple[Leaf, bool]] | None = None
        for key, near in self._near.items():
            if near.rounds < ROUNDS and near.distance > 0:
                rank = near.rounds + self._importance(*key), near.rounds, near.distance
                if rank[0] < USELESS and (best is None or rank < best[0]):
                    best = rank, key
        if best is None:
            return False
        leaf, outcome = best[1]
        near = self._near[leaf, outcome]
        before = self._elapsed()
        yield from self._climb(leaf, outcome, near.start(), near.seed)
        self._searching = max(SEARCH_SECONDS, self._elapsed() - before)
        # Where no change comes nearer, another input is worth as much as a changed one.
        if self.fallback.searches % (2 if near.distance == UNMEASURED else CLIMBS_PER_BURST) == 0:
            yield from self._burst(again=True)
        return True

    def _persevere(self) -> Generator[Path | None, None, bool]:
        """Other draws when nothing is left but what was tried before. Returns whether it is worth the time."""
        patience = max(PERSEVERE, PERSEVERE_SHARE * (self.limits.seconds or 0.0))
        if self._vain < IN_VAIN:
            patience = max(patience, PERSEVERE_SLOWLY)
        if not self.ambition.search or not self.goals.missing() or self._elapsed() - self._gained > patience:
            return False
        yield from self._burst(again=True)
        for near in self._near.values():
            near.rounds = min(near.rounds, ROUNDS - 1)
        return True

    def _importance(self, leaf: Leaf, outcome: bool) -> int:
        """How many searches for goals come before one for this outcome."""
        if leaf.file is not None:
            return 2  # a module beside the target's
        edges = self.goals.taken(leaf.span, outcome)
        if any(map(self.goals.is_open, edges)):
            return 0
        return 1 if any(map(self.goals.is_detour, edges)) else USELESS

    def _climb(self, leaf: Leaf, outcome: bool, start: Assignment, seed: int = 0) -> Iterator[Path | None]:
        before = len(self.goals.covered)
        reached = self.goals.taken(leaf.span, not outcome) if leaf.file is None else frozenset[int]()
        climb = self.program.climb(
            dict(start), leaf, outcome, CLIMB, self.goals.covered, min(1.0, self._left()), seed, reached
        )
        self.fallback.searches += 1
        self.fallback.runs += climb.runs
        self._vain += climb.runs
        for execution in climb.found:
            yield from self._measured(self._shrunk(execution))
        self.fallback.covered += len(self.goals.covered) - before
        near = self._near.get((leaf, outcome)) or Near()
        if climb.distance < near.distance:  # what only came as near has wandered off
            near.note(climb.best, climb.distance)
            self._near[leaf, outcome] = near
