"""Climbs: local searches that change the nearest input of an outcome step by step, for what no solver reaches."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.cfg.leaves import Leaf
from ramify.runtime.programs import UNMEASURED, Ascent
from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.ledger import Aim
from ramify.runtime.search.strategies import Candidate
from ramify.runtime.search.tactics.cheap_runs import CheapRuns
from ramify.runtime.search.tactics.tactic import Urgency
from ramify.runtime.terms import Assignment

CLIMB = 150  # runs of one climb
CLIMB_SECONDS = 1.0  # or so many nominal seconds
PATIENCE = 6  # flips without anything new before a climb is overdue
FLIPS_SHARE = 2  # or so many times the nominal seconds of the last climb, at the least of:
SHORTEST = 0.1
ROUNDS = 12  # climbs towards one outcome before it is given up
CLIMBS_PER_BURST = 5
OTHER_FILE = 2  # the rank of a test in a module beside the target's
USELESS = 10**6  # that of what leads to no goal

Rank = tuple[int, int, float]


class Climbs:
    """Comes in between the flips, and when there are none."""

    def __init__(self, bench: Bench, cheap_runs: CheapRuns) -> None:
        self._bench = bench
        self._cheap_runs = cheap_runs
        self._waited = 0.0  # nominal seconds of flips since the last climb
        self._longest = SHORTEST  # those of the last climb

    def waited(self, seconds: float) -> None:
        """Flips have taken so long."""
        self._waited += seconds

    def urgency(self) -> Urgency | None:
        bench = self._bench
        if not bench.ambition.search or bench.content:
            return None
        overdue = bench.ledger.idle >= PATIENCE or self._waited > self._longest * FLIPS_SHARE
        spare = not bench.frontier and not bench.proven
        if not (overdue or spare) or self.best() is None:
            return None
        return Urgency.OVERDUE if overdue else Urgency.SPARE

    def turn(self) -> Iterator[Path]:
        """One climb, towards the outcome that looks nearest."""
        bench = self._bench
        bench.ledger.idle, self._waited = 0, 0.0
        aim = self.best()
        if aim is None:
            return
        near = bench.ledger.near(aim)
        before = bench.effort.spent
        yield from self._climb(aim, near.start(), near.seed)
        self._longest = max(SHORTEST, bench.effort.spent - before)
        # Where no change comes nearer, another input is worth as much as a changed one.
        every = 2 if near.distance == UNMEASURED else CLIMBS_PER_BURST
        if bench.tally.searches % every == 0 and not bench.goals.complete:
            yield from self._cheap_runs.draw()

    def best(self) -> Aim | None:
        """The outcome worth a climb: few climbs so far, of a goal, near."""
        best: tuple[Rank, Aim] | None = None
        for aim, near in self._bench.ledger.nearest.items():
            if near.rounds < ROUNDS and near.distance > 0:
                rank = near.rounds + self._importance(aim), near.rounds, near.distance
                if rank[0] < USELESS and (best is None or rank < best[0]):
                    best = rank, aim
        return None if best is None else best[1]

    def after_unknown(self, candidate: Candidate) -> Iterator[Path]:
        """A climb towards an outcome that the solver could not decide, from the input whose flip it was."""
        bench = self._bench
        site, outcome = candidate.edge
        if bench.ambition.search and site.file == bench.goals.path and site.span in bench.goals.wanted():
            yield from self._climb((Leaf(site.span), outcome), candidate.parent.assignment, 0)

    def _importance(self, aim: Aim) -> int:
        """How many climbs towards goals come before one towards this outcome."""
        leaf, outcome = aim
        goals = self._bench.goals
        if leaf.file is not None:
            return OTHER_FILE
        edges = goals.taken(leaf.span, outcome)
        if any(map(goals.is_open, edges)):
            return 0
        return 1 if any(map(goals.is_detour, edges)) else USELESS

    def _climb(self, aim: Aim, start: Assignment, seed: int) -> Iterator[Path]:
        bench = self._bench
        leaf, outcome = aim
        before = len(bench.goals.covered)
        reached = bench.goals.taken(leaf.span, not outcome) if leaf.file is None else frozenset[int]()
        tries = min(CLIMB, bench.effort.cheap(CLIMB_SECONDS))
        ascent = Ascent(dict(start), leaf, outcome, tries, seed, reached)
        climb = bench.program.climb(ascent, bench.ledger.known, bench.left())
        bench.effort.measured(climb.runs, climb.ticks)
        bench.tally.searches += 1
        bench.tally.runs += climb.runs
        bench.ledger.vain += climb.runs
        for execution in climb.found:
            yield from bench.enter_smaller(execution)
        bench.tally.covered += len(bench.goals.covered) - before
        bench.ledger.note_climb(aim, climb.best, climb.distance)
