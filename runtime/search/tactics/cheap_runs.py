"""Cheap runs: many generated inputs on plain values, before a solver is asked anything."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.tactics.tactic import Urgency

BURST_SECONDS = 0.5  # nominal: where a run costs much, fewer of them are cheap


class CheapRuns:
    """Opens the search. Other tactics draw more where they are stuck."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._drawn = 1  # the seed of the next generated input: no two bursts are alike
        self._opened = False

    def urgency(self) -> Urgency | None:
        if self._opened or self._bench.goals.complete or not self._bench.ambition.burst:
            return None
        return Urgency.OPENING

    def turn(self) -> Iterator[Path]:
        self._opened = True
        yield from self.draw()

    def draw(self, seconds: float = BURST_SECONDS) -> Iterator[Path]:
        """One burst, in at most so many nominal seconds."""
        bench = self._bench
        number = min(bench.ambition.burst, bench.effort.cheap(seconds))
        if not number:
            return
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
