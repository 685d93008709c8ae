"""Perseverance: what was tried before, tried again with other draws, while that has not been in vain for long."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.tactics.cheap_runs import CheapRuns
from ramify.runtime.search.tactics.climbs import ROUNDS
from ramify.runtime.search.tactics.tactic import Urgency

PATIENT = 2.0  # nominal seconds without anything new,
SHARE = 0.4  # or this share of the budget,
IN_VAIN = 1500  # if so many runs of that fit into it; where runs are slow:
PATIENT_SLOWLY = 10.0


class Perseverance:
    """The tactic when no flip and no climb is left."""

    def __init__(self, bench: Bench, cheap_runs: CheapRuns) -> None:
        self._bench = bench
        self._cheap_runs = cheap_runs

    def urgency(self) -> Urgency | None:
        bench = self._bench
        if bench.frontier or bench.content or bench.proven:
            return None
        if not bench.ambition.search or bench.goals.complete:
            return None
        within = bench.effort.spent - bench.ledger.gained <= self._patience()
        return Urgency.AGAIN if within else None

    def turn(self) -> Iterator[Path]:
        """Other inputs, and one more climb towards every outcome that was given up."""
        yield from self._cheap_runs.draw()
        for near in self._bench.ledger.nearest.values():
            near.rounds = min(near.rounds, ROUNDS - 1)

    def _patience(self) -> float:
        patience = max(PATIENT, SHARE * (self._bench.limits.seconds or 0.0))
        return max(patience, PATIENT_SLOWLY) if self._bench.ledger.vain < IN_VAIN else patience
