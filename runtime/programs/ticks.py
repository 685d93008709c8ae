"""The budget of a run, counted in ticks: rounds of loops and calls of functions, then the run is cut.

Instrumented code calls `__ramify_tick__()`, which is the `__next__` of an iterator in C: counting costs next to
nothing. Once spent, every further tick cuts again, so that a target which catches everything is stopped at its
next round.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, repeat
from operator import length_hint
from typing import Any, NoReturn, Self

from ramify.instrument.measuring import TICK
from ramify.runtime.recording import Cut, Why


class Ticks:
    """The one budget of all modules of a world; each start of a run renews it."""

    def __init__(self) -> None:
        self._namespaces: list[dict[str, Any]] = []
        self.tick: Callable[[], None]
        self.start(sys.maxsize)  # modules are loaded without a budget

    def builtins(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """The builtins of a module whose code ticks, with further names."""
        namespace = {**vars(builtins), **names, TICK: self.tick}
        self._namespaces.append(namespace)
        return namespace

    def start(self, limit: int) -> None:
        self._limit, self._left = limit, repeat(None, limit)
        self.tick = chain(self._left, _Cutter(limit)).__next__
        for namespace in self._namespaces:
            namespace[TICK] = self.tick


    @property
    def counted(self) -> int:
        """The ticks since the start."""
        return self._limit - length_hint(self._left)


class _Cutter(Iterator[None]):
    def __init__(self, limit: int) -> None:
        self._limit = limit

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> NoReturn:
        raise Cut(Why.STEPS, f"more than {self._limit:,} steps")
