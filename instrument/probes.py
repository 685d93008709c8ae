"""The recorders behind the probes: what instrumented code calls while it runs.

Every instrumented file has three names in `builtins`, made of `key`, so that its own `globals()` stay
untouched and monkeypatched builtins stay visible:

- a list with one cell per probe: `hits[5] = 1` is the cheapest store there is, for probes that are statements;
- the `add` method of a set, for probes inside expressions: it returns None, so `add(5) or value` is `value`;
- the `Tools` of the file, for what needs more than a store.

Nothing here may raise, call code of the program, or appear in its tracebacks.
"""

from __future__ import annotations

import builtins
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

_getframe = sys._getframe

_Add = Callable[[int], None]


class Names(NamedTuple):
    """The three names of a file's recorders."""

    hits: str
    add: str
    tools: str

    @classmethod
    def of(cls, key: str) -> Names:
        return cls(f"__ramify_{key}__", f"__ramify_{key}_add__", f"__ramify_{key}_tools__")


class _Recorders(NamedTuple):
    filename: str
    digest: str
    hits: list[int]
    added: set[int]


_active: dict[str, _Recorders] = {}


def activate(key: str, filename: str, digest: str, probes: int) -> None:
    """Put a file's recorders where its probes find them; call it before the code runs, as often as you like."""
    if key in _active:
        return
    recorders = _Recorders(filename, digest, [0] * probes, set())
    names = Names.of(key)
    add = recorders.added.add
    setattr(builtins, names.hits, recorders.hits)
    setattr(builtins, names.add, add)
    setattr(builtins, names.tools, Tools(add))
    _active[key] = recorders


def measured() -> dict[str, tuple[str, set[int]]]:
    """What this process has hit so far: for each file its source's digest and the numbers of its probes."""
    return {
        file.filename: (file.digest, {probe for probe, hit in enumerate(file.hits) if hit} | file.added)
        for file in _active.values()
    }


def reset() -> None:
    """Forget all hits, as a forked child does with its parent's."""
    for file in _active.values():
        file.hits[:] = [0] * len(file.hits)
        file.added.clear()


class Tools:
    """The parts of a probe that are more than one store."""

    __slots__ = ("_add", "_held", "chain", "ends", "guards", "iter")

    def __init__(self, add: _Add) -> None:
        self._add = add
        self._held: dict[tuple[int, int], Any] = {}
        self.guards = _Guards(add)
        self.ends = _Ends(add)
        self.chain = itertools.chain
        self.iter = iter

    def pick(self, stopped: int, value: Any) -> Any:
        """The value of `value and (add(n), add, rest)`: `rest` if it was reached, else what stopped there.

        The truth of `value` was tested once, by the `and` or `or` itself.
        """
        if type(value) is tuple and len(value) == 3 and value[1] is self._add:
            return value[2]
        self._add(stopped)
        return value

    # In `low <= f() < high` the middle operand is used twice but evaluated once. It waits here between
    # the two links, under the frame it belongs to: no temporary appears in `locals()`.

    def hold(self, link: int, value: Any) -> Any:
        self._held[id(_getframe(1)), link] = value
        return value

    def take(self, link: int) -> Any:
        return self._held.pop((id(_getframe(1)), link))

    def drop(self, link: int) -> None:
        self._held.pop((id(_getframe(1)), link), None)

    def pick_held(self, link: int, stopped: int, value: Any) -> Any:
        """`pick` for a chain whose middle operand is held: a chain that stopped never took it."""
        self._held.pop((id(_getframe(1)), link), None)
        return self.pick(stopped, value)


class _Guards(dict[int, "_Guard"]):
    """The guard of each `with`, by the number of its `left` edge, made when first needed."""

    def __init__(self, add: _Add) -> None:
        self._add = add

    def __missing__(self, left: int) -> _Guard:
        guard = self[left] = _Guard(self._add, left)
        return guard


class _Guard:
    """Stands around a `with` and, as `.body`, inside it: an exception seen there but not here was suppressed."""

    __slots__ = ("_add", "_raised", "_suppressed", "body")

    def __init__(self, add: _Add, left: int) -> None:
        self._add = add
        self._suppressed = left + 1
        self._raised: set[int] = set()
        self.body = _GuardBody(add, left, self._raised)

    __enter__ = bool  # takes no argument and does nothing, in C

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._raised:
            frame = id(_getframe(1))
            if frame in self._raised:
                self._raised.discard(frame)
                if kind is None:
                    self._add(self._suppressed)


class _GuardBody:
    __slots__ = ("_add", "_left", "_raised")

    def __init__(self, add: _Add, left: int, raised: set[int]) -> None:
        self._add = add
        self._left = left
        self._raised = raised

    __enter__ = bool

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._add(self._left)
        else:
            self._raised.add(id(_getframe(1)))


class _Ends(dict[int, "_End"]):
    """The end marker of each comprehension loop, by its `exhausted` edge, made when first needed."""

    def __init__(self, add: _Add) -> None:
        self._add = add

    def __missing__(self, exhausted: int) -> _End:
        end = self[exhausted] = _End(self._add, exhausted)
        return end


class _End(Iterable[Any]):
    """Chained behind an iterable: being asked for an iterator means the iterable ran to its end."""

    __slots__ = ("_add", "_exhausted")

    def __init__(self, add: _Add, exhausted: int) -> None:
        self._add = add
        self._exhausted = exhausted

    def __iter__(self) -> Iterator[Any]:
        self._add(self._exhausted)
        return iter(())
