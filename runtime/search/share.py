"""Explores several functions together: time goes, slice by slice, to those that still gain most from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from math import inf

from ramify.runtime.sandbox import CLOSING, TIME, Stopped
from ramify.runtime.search.exploration import Path
from ramify.runtime.search.guided import GuidedExploration

SLICE = 0.25  # nominal seconds, by the clock of each search
MAX_CHILDREN = 8  # processes that are kept between slices
FORGETS = 0.5  # how much of an earlier gain still counts after a slice

Make = Callable[[], GuidedExploration | None]
"""Makes an exploration when its turn has come; None if there can be none."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a slice came to: a path, or that a function is done with; one without exploration never had a turn."""

    name: str
    exploration: GuidedExploration | None
    path: Path | None = None


class _Share:
    """One exploration and what its slices have gained."""

    def __init__(self, name: str, make: Make) -> None:
        self.name = name
        self._make = make
        self.exploration: GuidedExploration | None = None
        self.gain = float("inf")  # everybody's first slice comes first
        self.slices = 0
        self.done = False

    @property
    def rank(self) -> tuple[float, int]:
        return -self.gain, self.slices

    def advance(self, seconds: float, end: float) -> Iterator[Path]:
        """One slice of so many nominal seconds, or until a real time; `done` says whether it was the last."""
        if self.exploration is None:
            self.exploration = self._make()
            if self.exploration is None:
                self.done = True
                return
            self._steps = self.exploration.steps()
        exploration = self.exploration
        before, until = len(exploration.goals.covered), exploration.effort.spent + seconds
        exploration.resume()
        try:
            for path in self._steps:
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


def shared(makes: Mapping[str, Make], seconds: float | None) -> Generator[Turn, None, None]:
    """The paths of all explorations, within `seconds` in all if given; a turn without a path says that one
    has ended.
    """
    waiting = [_Share(name, make) for name, make in makes.items()]
    end = inf if seconds is None else time.perf_counter() + seconds
    stop: BaseException = Stopped(TIME)
    try:
        while waiting:
            share = min(waiting, key=lambda share: share.rank)
            if time.perf_counter() >= end:
                break
            for path in share.advance(SLICE, end):
                yield Turn(share.name, share.exploration, path)
            if share.done:
                waiting.remove(share)
                if share.exploration is not None:
                    share.exploration.close()
                    yield Turn(share.name, share.exploration)
            elif len(waiting) > MAX_CHILDREN and share.exploration is not None:
                share.exploration.program.close()  # its child process; the next slice starts another
    except (KeyboardInterrupt, Stopped, MemoryError) as noticed:
        stop = noticed
    for share in waiting:
        if share.exploration is not None:
            share.exploration.stopped(stop)
            share.exploration.allowance = CLOSING / len(waiting)
            share.exploration.close()
        yield Turn(share.name, share.exploration)
