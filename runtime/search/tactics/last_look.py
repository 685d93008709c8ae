"""A last look: cheap runs before a search ends, which must not take what was excluded."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.tactics.cheap_runs import BURST_SECONDS, CheapRuns
from ramify.runtime.search.tactics.tactic import Urgency

LONGER = 3  # times an ordinary burst


class LastLook:
    """Once, when nothing else is left to do."""

    def __init__(self, bench: Bench, cheap_runs: CheapRuns) -> None:
        self._bench = bench
        self._cheap_runs = cheap_runs
        self._looked = False

    def urgency(self) -> Urgency | None:
        bench = self._bench
        if self._looked or bench.content or bench.frontier:
            return None
        wanted = bench.goals.missing() if bench.proven else bench.ambition.all_paths
        return Urgency.LAST if wanted else None

    def turn(self) -> Iterator[Path]:
        bench = self._bench
        self._looked = True
        proven, before = bench.proven, len(bench.goals.covered)
        yield from self._cheap_runs.draw(LONGER * BURST_SECONDS)
        # What a proof has excluded cannot be: something was lost that nobody recorded.
        bench.summary.divergences += proven and len(bench.goals.covered) > before
