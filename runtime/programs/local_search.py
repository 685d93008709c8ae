"""Searches that need no solver: generated inputs, changed inputs that come nearer to an outcome, smaller inputs.

All of them make measured runs and look at what these took, ended in and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import inf
from time import perf_counter  # bound before the target, which may replace it
from typing import Any

from ramify.cfg.leaves import Leaf, Span
from ramify.runtime.programs.execution import CUT, REJECTED, Execution, ending
from ramify.runtime.programs.knowledge import UNMEASURED, Ascent, Burst, Climb, Knowledge
from ramify.runtime.programs.measured_runs import FEWEST_STEPS, MeasuredRunner
from ramify.runtime.proposals import Draws, Mending, smaller, transplanted
from ramify.runtime.terms import Assignment, InputKind, kind_of

BURST_STEPS = 2_000  # what runs longer is not cheap
MENDED = 25  # runs of one generated input with pieces replaced by what they were compared with
SHRINKS = 80
REPAIRS = 4  # inputs tried to make equal again what a change made different
NEAR_EXAMPLES = 0.25  # how many of the cheap runs change an example of a docstring


class LocalSearch:
    """The searches of one program, with what it draws its values from."""

    def __init__(self, measured: MeasuredRunner, draws: Draws, shown: Sequence[Assignment]) -> None:
        self._measured = measured
        self._draws = draws
        self._shown = shown  # the inputs of examples in docstrings

    def burst(self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None) -> Burst:
        """Measured runs on generated inputs, of which those are kept that take a new edge or end in a new way."""
        covered, endings, burst = set(known.covered), set(known.endings), Burst()
        draws, measured = self._draws, self._measured
        mending = Mending(draws.random)
        end = inf if seconds is None else perf_counter() + seconds
        limit = min(known.run_seconds, inf if seconds is None else seconds)
        for seed in seeds:
            burst.seeds += 1
            draws.restart(seed)
            given: Assignment | None = self._suggested(seed)
            mended = 0
            while given is not None and mended <= MENDED:
                mended += 1
                execution = measured.run(given, wanted, limit, draws.fresh, BURST_STEPS)
                burst.runs += 1
                burst.ticks += execution.ticks
                if measured.spoiled():
                    burst.found.append(execution)
                    return burst
                draws.notice(execution.seen)
                if execution.outcome in (REJECTED, CUT):
                    break
                if not covered.issuperset(execution.hits) or ending(execution) not in endings:
                    covered |= execution.hits
                    endings.add(ending(execution))
                    burst.found.append(execution)
                if perf_counter() > end:
                    return burst
                given = mending.mended(execution.assignment, measured.compared)
        return burst

    def _suggested(self, seed: int) -> Assignment:
        """What the docstrings show, one example after the other, then now and then one of them with changes."""
        shown = self._shown
        if seed <= len(shown):
            return dict(shown[seed - 1])
        if not shown or self._draws.random.random() >= NEAR_EXAMPLES:
            return {}
        chosen = self._draws.random.choice(shown)
        return self._draws.mutated(chosen, list(chosen))

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Execution | None:
        """The same in smaller: a run on plainer values that takes these edges too and ends alike; None if there is
        none.
        """
        best: Execution | None = None
        tries, failed = SHRINKS, 0  # ways that did not work before are tried again last
        while tries > 0:
            for number, candidate in enumerate(smaller(assignment)):
                if number < failed:
                    continue
                tries -= 1
                shrunk = self._measured.patiently(candidate, frozenset(), None, self._draws.usual)
                if self._measured.spoiled():
                    return best
                if edges <= shrunk.hits and ending(shrunk) == end:
                    best, assignment, failed = shrunk, shrunk.assignment, number
                    break
                if tries <= 0:
                    break
            else:
                if not failed:
                    break
                failed = 0
        return best

    def climb(self, ascent: Ascent, known: Knowledge, seconds: float | None) -> Climb:
        """Changes an input step by step towards an outcome."""
        self._draws.restart(ascent.seed)
        climber = _Climber(self._measured, self._draws, ascent, set(known.covered))
        end = inf if seconds is None else perf_counter() + seconds
        limit = min(known.run_seconds, inf if seconds is None else seconds)
        while ascent.start and climber.climb.runs < ascent.tries and perf_counter() < end:
            if not climber.advance(limit):
                break
        return climber.climb


class _Climber:
    """One climb: the nearest input so far, and what looks better than a random change of it."""

    def __init__(self, measured: MeasuredRunner, draws: Draws, ascent: Ascent, covered: set[int]) -> None:
        self.climb = Climb(best=ascent.start)
        self._measured = measured
        self._draws = draws
        self._leaf = ascent.leaf
        self._side = not ascent.outcome
        self._covered = covered
        self._reached = ascent.reached
        self._wanted = frozenset({ascent.leaf.span}) if ascent.leaf.file is None else frozenset[Span]()
        self._names = list(ascent.start)
        self._again: tuple[str, Any] | None = None  # the number that came nearer, and by how much
        self._pending = [ascent.start]
        self._differing = frozenset[Leaf]()  # comparisons of the best input whose operands differ

    def advance(self, seconds: float) -> bool:
        """One run; whether another one may come nearer."""
        climb = self.climb
        changed, is_random = self._next()
        execution = self._measured.run(changed, self._wanted, seconds, self._draws.fresh, FEWEST_STEPS)
        climb.runs += 1
        climb.ticks += execution.ticks
        if self._measured.spoiled():
            return False
        self._draws.notice(execution.seen)
        if execution.outcome == REJECTED:
            self._again = None
            return True
        if not self._covered.issuperset(execution.hits):
            self._covered |= execution.hits
            climb.found.append(execution)
        distance = self._distance(execution)
        step = _step(climb.best, changed) if distance < climb.distance else None
        self._again = None if step is None else (step[0], step[1] * 2)
        self._plan(changed, is_random, distance)
        if distance > climb.distance:
            return True
        climb.best, climb.distance = changed, distance
        self._differing = frozenset(self._measured.compared)
        if distance == 0 and execution not in climb.found:
            climb.found.append(execution)
        return distance != 0

    def _next(self) -> tuple[Assignment, bool]:
        """The input to run next, and whether it is a random change."""
        best = self.climb.best
        if self._again is not None:
            name, change = self._again
            return {**best, name: best[name] + change}, False
        if self._pending:
            return self._pending.pop(), False
        return self._draws.mutated(best, self._names), True

    def _distance(self, execution: Execution) -> float:
        near = execution.near.get(self._leaf)
        if near is not None:
            return near[self._side]
        return inf if self._reached.isdisjoint(execution.hits) else UNMEASURED

    def _plan(self, changed: Assignment, is_random: bool, distance: float) -> None:
        """What a run compared may say which changes to try next."""
        compared = self._measured.compared
        if distance < self.climb.distance and self._leaf in compared:
            self._pending = list(transplanted(changed, *compared[self._leaf]))
        elif is_random and distance == inf > self.climb.distance:
            repaired = (
                made
                for other in compared
                if other not in self._differing
                for made in islice(transplanted(changed, *compared[other]), REPAIRS)
            )
            self._pending = list(islice(repaired, REPAIRS))


def _step(before: Assignment, after: Assignment) -> tuple[str, Any] | None:
    """The number that changed and by how much, if only one did."""
    changed = [name for name in after if after[name] != before.get(name)]
    if len(changed) != 1:
        return None
    name = changed[0]
    old, new = before.get(name), after[name]
    number = kind_of(name) not in (InputKind.LENGTH, InputKind.CHOICE)
    if number and type(old) is type(new) and type(new) in (int, float):
        return name, new - old  # type: ignore[operator]
    return None
