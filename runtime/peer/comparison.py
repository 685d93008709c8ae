"""Compares the peer approach with the hybrid on one target: the same budget, the same branch table."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ramify.cfg.branches import Edge
from ramify.runtime.sandbox import Stopped, Watch, closing
from ramify.runtime.search import Exploration, GuidedExploration, Path, Stop

MEASURING = 0.25
"""The time for measuring the inputs of peer mode on the branch table, as a share of that of a mode."""

SLACK = 0.05
"""Seconds for the end of each search: there are several."""

PEER, HYBRID = "peer", "hybrid"


@dataclass(slots=True)
class Column:
    """What one way of exploring did."""

    name: str
    paths: int
    covered: frozenset[int]
    runs: int
    queries: int
    cut: int
    concretisations: int
    seconds: float
    stop: Stop
    unmeasured: int = 0  # inputs for which there was no time on the branch table


@dataclass(slots=True)
class Comparison:
    """One target, explored in several ways."""

    target: str
    edges: list[Edge]
    columns: dict[str, Column] = field(default_factory=dict)
    without: dict[str, Column] = field(default_factory=dict)  # the hybrid with one thing switched off
    interrupted: bool = False  # before everything that was asked for was done

    def only(self, one: str, other: str) -> list[Edge]:
        """The edges that only the first of two columns covered."""
        mine, theirs = self.columns[one].covered, self.columns[other].covered
        return [edge for edge in self.edges if edge.id in mine and edge.id not in theirs]

    def needs(self, edge: Edge) -> list[str]:
        """What the hybrid does not cover an edge without."""
        return [name for name, column in self.without.items() if edge.id not in column.covered]


def compare(
    target: str,
    peer: Callable[[], Exploration],
    hybrid: Callable[[], GuidedExploration],
    ablations: Mapping[str, Callable[[], GuidedExploration]],
) -> Comparison:
    """Explores a target in every way and measures the inputs of each on the same branch table.

    An interrupt ends it with what is known by then; before the hybrid has begun there is nothing to compare, and
    it is passed on.
    """
    # One program measures both: the numbers are of the same branch table.
    reference = hybrid()
    own = reference.goals.own
    comparison = Comparison(target, reference.goals.edges)
    comparison.columns[PEER] = _peer_column(peer(), reference)
    if comparison.columns[PEER].stop == Stop.INTERRUPTED:
        raise KeyboardInterrupt
    comparison.columns[HYBRID] = _guided_column(HYBRID, reference, own)
    comparison.interrupted = comparison.columns[HYBRID].stop == Stop.INTERRUPTED
    for name, without in [] if comparison.interrupted else list(ablations.items()):
        column = _guided_column(name, without(), own)
        if column.stop == Stop.INTERRUPTED:
            comparison.interrupted = True
            break
        comparison.without[name] = column
    return comparison


def _guided_column(name: str, exploration: GuidedExploration, own: frozenset[int]) -> Column:
    paths = list(Watch(exploration.limits.seconds, slack=SLACK).over(iter(exploration)))
    return _column(name, exploration, len(paths), own & exploration.goals.covered)


def _peer_column(exploration: Exploration, reference: GuidedExploration) -> Column:
    """Peer mode does not know branches: its inputs are measured once more."""
    covered: set[int] = set()
    paths = list(Watch(exploration.limits.seconds, slack=SLACK).over(iter(exploration)))
    column = _column(PEER, exploration, len(paths), frozenset())
    measured = 0
    if column.stop != Stop.INTERRUPTED:
        limit = (reference.limits.seconds or 10.0) * MEASURING
        for hits in Watch(limit, slack=SLACK).over(_measured(paths, reference, limit)):
            covered |= hits
            measured += 1
    column.unmeasured = len(paths) - measured
    column.covered = frozenset(covered) & reference.goals.own
    return column


def _measured(
    paths: Sequence[Path], reference: GuidedExploration, seconds: float
) -> Generator[frozenset[int], None, None]:
    """The edges that each input takes, as long as there is time."""
    end = time.perf_counter() + seconds
    try:
        for path in paths:
            if (left := end - time.perf_counter()) <= 0:
                return
            assignment: dict[str, Any] = dict(path.execution.assignment)
            yield reference.measure(assignment, left)
    except Stopped:
        closing()


def _column(name: str, exploration: Exploration, paths: int, covered: frozenset[int]) -> Column:
    summary = exploration.summary
    return Column(
        name,
        paths,
        covered,
        summary.runs,
        sum(summary.solver.queries.values()),
        summary.cut,
        len(summary.concretisations),
        summary.seconds,
        summary.stop,
    )
