"""Explores several functions together: time goes, slice by slice, to those that still gain most from it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

from ramify.runtime.search.exploration import Path, Stop
from ramify.runtime.search.guided import GuidedExploration

SLICE = 0.25  # nominal seconds, by the clock of each search
MAX_CHILDREN = 8  # processes that are kept between slices
FORGETS = 0.5  # how much of an earlier gain still counts after a slice


class _Share:
    """One exploration and what its slices have gained."""

    def __init__(self, exploration: GuidedExploration) -> None:
        self.exploration = exploration
        self.steps = exploration.steps()
        self.gain = float("inf")  # everybody's first slice comes first
        self.slices = 0
        self.done = False

    @property
    def rank(self) -> tuple[float, int]:
        return -self.gain, self.slices

    def advance(self, seconds: float, end: float) -> Iterator[Path]:
        """One slice of so many nominal seconds, or until a real time; `done` says whether it was the last."""
        exploration = self.exploration
        before, until = len(exploration.goals.covered), exploration.effort.spent + seconds
        exploration.resume()
        try:
            for path in self.steps:
                if path is not None:
                    yield path
                if exploration.effort.spent >= until or time.perf_counter() >= end:
                    break
            else:
                self.done = True
        finally:
            exploration.pause()
            gained = len(exploration.goals.covered) - before
            self.slices += 1
            self.gain = gained + (self.gain * FORGETS if self.slices > 1 else 0)


def shared(
    explorations: Sequence[GuidedExploration], seconds: float | None
) -> Iterator[tuple[GuidedExploration, Path | None]]:
    """The paths of all explorations, within `seconds` in all if given; a path of None says that an exploration has
    ended.
    """
    waiting = [_Share(exploration) for exploration in explorations]
    end = math.inf if seconds is None else time.perf_counter() + seconds
    try:
        while waiting:
            share = min(waiting, key=lambda share: share.rank)
            if time.perf_counter() >= end:
                break
            for path in share.advance(SLICE, end):
                yield share.exploration, path
            if len(waiting) > MAX_CHILDREN:
                share.exploration.program.close()  # its child process; the next slice starts another
            if share.done:
                waiting.remove(share)
                share.exploration.close()
                yield share.exploration, None
        for share in waiting:
            share.exploration.summary.stop = Stop.TIME
    except KeyboardInterrupt:
        for share in waiting:
            share.exploration.summary.stop = Stop.INTERRUPTED
    for share in waiting:
        share.exploration.close()
        yield share.exploration, None
