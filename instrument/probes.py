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
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

_getframe = sys._getframe

_Add = Callable[[int], None]
_T = TypeVar("_T")


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

    __slots__ = (
        "_add", "_links", "chain", "completions", "ends", "given", "guards", "iter", "one", "strict_guards",
    )  # fmt: skip

    def __init__(self, add: _Add) -> None:
        self._add = add
        self._links: dict[tuple[int, int], int] = {}
        self.guards = _Made(_Guard, add)
        self.strict_guards = _Made(partial(_Guard, strict=True), add)
        self.completions = _Made(_Completion, add)
        self.ends = _Made(_End, add)
        self.chain = itertools.chain
        self.iter = iter
        self.given = _Given
        self.one = (1,)

    def pick(self, stopped: int, value: Any) -> Any:
        """The value of `value and (add(n), add, rest)`: `rest` if it was reached, else what stopped there.

        The truth of `value` was tested once, by the `and` or `or` itself.
        """
        if type(value) is tuple and len(value) == 3 and value[1] is self._add:
            return value[2]
        self._add(stopped)
        return value

    # In `low <= f() < high` the operand in the middle must be evaluated once, so the chain stays one
    # expression, and its operands tell how far it has come. A frame evaluates one chain at a time; the
    # state is the `true` edge of the link in question, and edges of a chain are numbered in a row.

    def started(self, chain: int) -> None:
        self._links[id(_getframe(1)), chain] = chain

    def went_on(self, chain: int) -> None:
        key = id(_getframe(1)), chain
        link = self._links[key]
        self._links[key] = link + 2
        self._add(link)

    def ended(self, chain: int, last: int) -> None:
        link = self._links.pop((id(_getframe(1)), chain))
        if link <= last:
            self._add(link + 1)

    def ended_with(self, chain: int, last: int, value: Any) -> Any:
        link = self._links.pop((id(_getframe(1)), chain))
        if link <= last:
            self._add(link + 1)
        return value


class _Made(dict[int, _T]):
    """The helper of each edge that needs one, made when first needed."""

    def __init__(self, make: Callable[[_Add, int], _T], add: _Add) -> None:
        self._make = make
        self._add = add

    def __missing__(self, edge: int) -> _T:
        helper = self[edge] = self._make(self._add, edge)
        return helper


class _Guard:
    """Stands around a `with` and, as `.body`, inside it, to tell a suppressed exception from none.

    The body notes the frames it was left in by an exception or, if `strict`, without one. The latter
    costs more, and also knows exceptions from between the outer guard and the body.
    """

    __slots__ = ("_add", "_left", "_noted", "_strict", "body")

    def __init__(self, add: _Add, left: int, strict: bool = False) -> None:
        self._add = add
        self._left = left
        self._strict = strict
        self._noted: set[int] = set()
        self.body = _GuardBody(self._noted, strict)

    __enter__ = bool  # takes no argument and does nothing, in C

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        noted = False
        if self._noted:
            frame = id(_getframe(1))
            noted = frame in self._noted
            self._noted.discard(frame)
        if kind is None:
            self._add(self._left if noted is self._strict else self._left + 1)


class _GuardBody:
    __slots__ = ("_noted", "_strict")

    def __init__(self, noted: set[int], strict: bool) -> None:
        self._noted = noted
        self._strict = strict

    __enter__ = bool

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (kind is None) is self._strict:
            self._noted.add(id(_getframe(1)))


class _Completion:
    """Stands around the body of a `try` that may be left through the cleanup of another statement."""

    __slots__ = ("_add", "_completed")

    def __init__(self, add: _Add, completed: int) -> None:
        self._add = add
        self._completed = completed

    __enter__ = bool

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._add(self._completed)


class _End(Iterable[Any]):
    """Chained behind an iterable: being asked for an iterator means the iterable ran to its end."""

    __slots__ = ("_add", "_exhausted")

    def __init__(self, add: _Add, exhausted: int) -> None:
        self._add = add
        self._exhausted = exhausted

    def __iter__(self) -> Iterator[Any]:
        self._add(self._exhausted)
        return iter(())


class _Given:
    """An iterable that is an iterator already made: the iterator itself is not asked for one again."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def __iter__(self) -> Iterator[Any]:
        return self._iterator
