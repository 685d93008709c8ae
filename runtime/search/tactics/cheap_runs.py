"""Cheap runs: many generated inputs on plain values, before a solver is asked anything."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.tactics.tactic import Urgency

FIRST = 10  # runs of the first burst; each further one has twice as many
BURST_SECONDS = 0.5  # nominal: where a run costs much, fewer of them are cheap
PATIENCE = 6  # flips without anything new before the next burst is overdue


class CheapRuns:
    """Opens the search. As long as a burst finds anything the next one follows; then flips have their turns, and
    the bursts that are left come in between. Other tactics draw more where they are stuck.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._drawn = 1  # the seed of the next generated input: no two bursts are alike
        self._next = FIRST
        self._gained = True

    def urgency(self) -> Urgency | None:
        bench = self._bench
        if self._drawn > bench.ambition.burst or bench.goals.complete:
            return None
        if self._gained:
            return Urgency.OPENING
        if bench.ledger.idle >= PATIENCE:
            return Urgency.OVERDUE
        return Urgency.SPARE if not bench.frontier and not bench.proven else None

    def turn(self) -> Iterator[Path]:
        bench = self._bench
        bench.ledger.idle = 0
        before = len(bench.goals.covered)
        number = min(self._next, bench.ambition.burst + 1 - self._drawn)
        self._next *= 2
        yield from self._draw(min(number, bench.effort.cheap(BURST_SECONDS)))
        self._gained = len(bench.goals.covered) > before

    def draw(self, seconds: float = BURST_SECONDS) -> Iterator[Path]:
        """One burst for others, in at most so many nominal seconds."""
        yield from self._draw(min(self._bench.ambition.burst, self._bench.effort.cheap(seconds)))

    def _draw(self, number: int) -> Iterator[Path]:
        if not number:
            return
        bench = self._bench
        before = len(bench.goals.covered)
        seeds = range(self._drawn, self._drawn + number)
        self._drawn += number
        burst = bench.program.burst(seeds, bench.ledger.known, bench.goals.wanted(), bench.left())
        bench.effort.measured(burst.runs, burst.ticks)
        bench.ledger.vain += burst.runs
        bench.tally.cheap_runs += burst.runs
        for execution in burst.found:
            yield from bench.enter_smaller(execution)
        bench.tally.cheap_covered += len(bench.goals.covered) - before
