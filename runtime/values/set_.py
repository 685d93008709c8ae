"""SymSet: a set with symbolic elements and a symbolic size; membership asks element by element, each a
decision.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ramify.runtime.recording import decide, frames, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import checked_hash, equal
from ramify.runtime.values.equality import MISSING, find_among
from ramify.runtime.values.index import ONE, ZERO, has
from ramify.runtime.values.numeric.bool_ import negated


class SymSet(set[Any]):
    """A concolic set. `order` is the order of insertion: asking in it, unlike in that of the hashes, is the
    same in every run.
    """

    __slots__ = ("order", "size")
    size: Term
    # Hashes of texts differ from process to process (`PYTHONHASHSEED`), so an order that depends on them cannot
    # be replayed.
    order: list[Any]
    __hash__ = None

    def _find(self, value: Any, which: bool = True) -> Any:
        checked_hash(value)
        if self.size.op == "const":
            return find_among(list(self.order), value, which)
        position = 0
        for stored in list(self.order):
            decide(has(self.size, position), True)
            if equal(stored, value):
                return stored
            position += 1
        decide(has(self.size, position), False)
        return MISSING

    def __bool__(self) -> bool:
        return decide(T.ne(self.size, ZERO), set.__len__(self) != 0)

    def __iter__(self) -> Iterator[Any]:
        # What the program does in this order may depend on hashes; a sum, a sorted list or another set does
        # not.
        if set.__len__(self) > 1 and not frames.is_orderless(sys._getframe(1)):
            path.concretised("the order of a set")  # which hashes say
        position = 0
        for stored in set.__iter__(self):
            decide(has(self.size, position), True)
            yield stored
            position += 1
        decide(has(self.size, position), position < set.__len__(self))

    def ordered(self) -> Iterator[Any]:
        """The elements in the order of insertion, with the decisions of an iteration."""
        position = 0
        for stored in list(self.order):
            decide(has(self.size, position), True)
            yield stored
            position += 1
        decide(has(self.size, position), False)

    def __contains__(self, value: Any) -> bool:
        return self._find(_as_key(value), which=False) is not MISSING

    def copy(self) -> SymSet:
        return sym_set(self.order, self.size)

    __copy__ = copy

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return sym_set, (list(self.order), self.size)

    def __repr__(self) -> str:
        path.concretised("repr()")
        with path.paused():
            return set.__repr__(core.strip(self))

    # Changing

    def add(self, value: Any) -> None:
        if self._find(value, which=False) is MISSING:
            set.add(self, value)
            self.order.append(value)
            self.size = T.add(self.size, ONE)

    def discard(self, value: Any) -> None:
        stored = self._find(_as_key(value))
        if stored is not MISSING:
            self._drop(stored)

    def _drop(self, stored: Any) -> None:
        set.discard(self, stored)
        self.order = [value for value in self.order if value is not stored]
        self.size = T.sub(self.size, ONE)

    def remove(self, value: Any) -> None:
        stored = self._find(_as_key(value))
        if stored is MISSING:
            raise KeyError(value)
        self._drop(stored)

    def pop(self) -> Any:
        # Whether there is an element is decided; which one comes first is not, as for `__iter__` above.
        if not self:
            return set.pop(set())
        popped = next(set.__iter__(self))
        self._drop(popped)
        return popped

    def clear(self) -> None:
        set.clear(self)
        self.order = []
        self.size = ZERO

    def update(self, *others: Iterable[Any]) -> None:
        for other in others:
            for value in list(other):
                self.add(value)

    def difference_update(self, *others: Iterable[Any]) -> None:
        for other in others:
            for value in list(other):
                self.discard(value)

    def intersection_update(self, *others: Iterable[Any]) -> None:
        # Told apart by identity: `kept` holds elements of this very set.
        kept = self.intersection(*others)
        for value in list(set.__iter__(self)):
            if not any(value is k for k in set.__iter__(kept)):
                set.discard(self, value)
        self.order, self.size = kept.order, kept.size

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        # First made different: an element that stands twice in `other` counts once.
        for value in list(as_set(other)):
            if value in self:
                self.discard(value)
            else:
                self.add(value)

    # New sets

    def union(self, *others: Iterable[Any]) -> SymSet:
        joined = self.copy()
        joined.update(*others)
        return joined

    def difference(self, *others: Iterable[Any]) -> SymSet:
        rest = self.copy()
        rest.difference_update(*others)
        return rest

    def intersection(self, *others: Iterable[Any]) -> SymSet:
        # Any iterable will do for a method; membership in it is then decided.
        sets = [as_set(other) for other in others]
        kept = [value for value in self.ordered() if all(value in other for other in sets)]
        return sym_set(kept, T.const(len(kept)))

    def symmetric_difference(self, other: Iterable[Any]) -> SymSet:
        joined = self.copy()
        joined.symmetric_difference_update(other)
        return joined

    # Comparing

    def issubset(self, other: Iterable[Any]) -> bool:
        theirs = as_set(other)
        return all(value in theirs for value in self.ordered())

    def issuperset(self, other: Iterable[Any]) -> bool:
        return all(value in self for value in other)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        return not any(value in self for value in other)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        return self._as_large(other) and self.issubset(other)

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else negated(same)

    def _as_large(self, other: Any) -> bool:
        theirs = other.size if type(other) is SymSet else T.const(len(other))
        return decide(T.eq(self.size, theirs), set.__len__(self) == len(other))

    def __le__(self, other: Any) -> Any:
        return self.issubset(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.issuperset(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        return self.issubset(other) and not self._as_large(other)

    def __gt__(self, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        return self.issuperset(other) and not self._as_large(other)


def _as_key(value: Any) -> Any:
    """A set is looked for as the frozenset of its elements."""
    # As C code does for `in`, `remove` and `discard`, since a set has no hash.
    return frozenset(value) if isinstance(value, set) else value


def sym_set(values: Iterable[Any], size: Term) -> SymSet:
    """The concolic set of these values, which are different."""
    made = SymSet()
    made.order = list(values)
    for value in made.order:
        set.add(made, value)
    made.size = size
    if path.CHECK_TERMS:
        path.check(size, set.__len__(made))
    return made


def as_set(values: Iterable[Any]) -> Any:
    """Any iterable as a set in which membership is decided."""
    if type(values) is SymSet:
        return values
    values = list(values)
    if all(type(value) in SCALARS for value in values):  # nothing to decide, and tables may be large
        different = list(dict.fromkeys(values))
        return sym_set(different, const(len(different)))
    made = sym_set((), ZERO)
    made.update(values)
    return made


core.MAKERS[set] = as_set

SCALARS = frozenset({int, bool, float, str, bytes, type(None)})


def _binary(name: str, method: str) -> None:
    """Defines `|`, `&`, `-`, `^`, which take sets only."""

    def forward(self: SymSet, other: Any) -> Any:
        return getattr(self, method)(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def backward(self: SymSet, other: Any) -> Any:
        # The plain set on the left becomes a concolic one: C code would look the elements up by their hashes.
        return getattr(as_set(other), method)(self) if isinstance(other, (set, frozenset)) else NotImplemented

    def in_place(self: SymSet, other: Any) -> Any:
        if not isinstance(other, (set, frozenset)):
            return NotImplemented
        getattr(self, "update" if method == "union" else f"{method}_update")(other)
        return self

    setattr(SymSet, f"__{name}__", forward)
    setattr(SymSet, f"__r{name}__", backward)
    setattr(SymSet, f"__i{name}__", in_place)


for _name, _method in (
    ("or", "union"),
    ("and", "intersection"),
    ("sub", "difference"),
    ("xor", "symmetric_difference"),
):
    _binary(_name, _method)


def _plain(value: SymSet) -> set[Any]:
    return {*value.order}


core.PLAIN[SymSet] = _plain
core.stands_for(SymSet, set)
