"""Flips: a decision of an earlier run reversed by the solver, the likeliest to cover something new first."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.strategies import Candidate
from ramify.runtime.search.tactics.climbs import Climbs
from ramify.runtime.search.tactics.tactic import Urgency
from ramify.runtime.solver import Sat, Unknown

BREAK_SECONDS = 0.5  # nominal: for looking for exceptions once everything is covered


class Flips:
    """The usual tactic."""

    def __init__(self, bench: Bench, climbs: Climbs) -> None:
        self._bench = bench
        self._climbs = climbs

    def urgency(self) -> Urgency | None:
        return Urgency.USUAL if self._bench.frontier and not self._bench.content else None

    def turn(self) -> Iterator[Path]:
        candidate = self._bench.frontier.take()
        if candidate is not None:
            yield from self.attempt(candidate)

    def attempt(self, candidate: Candidate) -> Iterator[Path]:
        """Solves a flip and runs the input; where the solver does not know, a short climb may."""
        bench = self._bench
        bench.ledger.idle += 1
        before = bench.effort.spent
        verdict = bench.flip(candidate)
        if isinstance(verdict, Sat):
            candidate.nodes[candidate.index].free = True
            yield from bench.enter(bench.measure(verdict.model), candidate.index + 1, candidate)
        elif isinstance(verdict, Unknown):
            yield from self._climbs.after_unknown(candidate)
        self._climbs.waited(bench.effort.spent - before)


class Breaking:
    """When everything is covered: operations that may still raise, for a while."""

    def __init__(self, bench: Bench, flips: Flips) -> None:
        self._bench = bench
        self._flips = flips
        self._since: float | None = None

    def urgency(self) -> Urgency | None:
        bench = self._bench
        if not bench.content or not bench.frontier.untried_inside():
            return None
        over = self._since is not None and bench.effort.spent - self._since >= BREAK_SECONDS
        return None if over else Urgency.USUAL

    def turn(self) -> Iterator[Path]:
        if self._since is None:
            self._since = self._bench.effort.spent
        candidate = self._bench.frontier.take_inside()
        if candidate is not None:
            yield from self._flips.attempt(candidate)
