"""SymList: a list whose length, and through its term whose elements at symbolic indices, depend on the
inputs.

The concrete storage is always right and holds concolic elements. Beside it, `size` is the length as a
term, and `term` the whole content as a sequence term (representation *arrays*) or None (representation
*cells*, or elements that have no common sort). A list built by the target is a plain list of concolic
elements: only inputs, and what is derived from them, are SymLists.

Long because every method of `list` changes both the storage and the terms that describe it.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ramify.runtime.recording import decide, journal, known, path
from ramify.runtime.terms import Sort, Term, const, seq_of
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import (
    ONE,
    ZERO,
    Bounds,
    as_index,
    bounds,
    counted_from,
    has,
    in_range,
    sliced_length,
)
from ramify.runtime.values.numeric.bool_ import negated, sym_bool


class SymList(list[Any]):
    """A concolic list."""

    __slots__ = ("_length", "_size", "_term")
    _size: Term
    _term: Term | None
    _length: int  # of the storage when size and term were set
    __hash__ = None

    @property
    def size(self) -> Term:
        """The length as a term."""
        # C code (`list.append(xs, 1)`, `heapq`) works on the storage and asks nobody. The difference is known,
        # the content is not.
        if self._length != list.__len__(self):
            describe(self, T.add(self._size, const(list.__len__(self) - self._length)), None)
        return self._size

    @property
    def term(self) -> Term | None:
        """The content as a term, unless C code (`heapq`) has changed the storage behind our back."""
        return self._term if self._length == list.__len__(self) else None

    # Reading

    def __bool__(self) -> bool:
        return decide(T.ne(self.size, ZERO), list.__len__(self) != 0)

    def __iter__(self) -> Iterator[Any]:
        position = 0
        size = base = ZERO
        shift = 0
        # One decision for every element: that there is one more. The last one says that there is none.
        while True:
            length = list.__len__(self)
            now = self._size if self._length == length else self.size
            if now is not size:  # mostly it stays the same: then the terms of `has` at little cost
                size = now
                base, shift = counted_from(size)
            term = T.lt(const(position - shift), base)
            inside = position < length
            if term.op != "const" and journal.run is not None:  # whoever asks for an element stands one frame up
                frame = sys._getframe(1)
                decide(term, inside, known.by_offset.get((id(frame.f_code), frame.f_lasti)) or known.of(frame))
            if not inside:
                return
            yield list.__getitem__(self, position)
            position += 1

    def __reversed__(self) -> Iterator[Any]:
        settle(self)
        return list.__reversed__(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        found = as_index(key)
        if found is None:
            return list.__getitem__(self, key)
        index, index_term = found
        if not in_range(index, index_term, list.__len__(self), self.size):
            return list.__getitem__(self, index)
        element = list.__getitem__(self, index)
        # A place counted from the end is another one when the length changes, unless the length is fixed.
        if index_term.op == "const" and (index >= 0 or self.size.op == "const"):
            return element
        return at(self, element, index_term)

    def _slice(self, key: slice) -> Any:
        found = bounds(key, self.size)
        if found is None:
            return list.__getitem__(self, key)
        part = list.__getitem__(self, found.plain)
        if found.step is ONE:
            return cut_out(self, part, found)
        if self.term is None or not scalars(self):
            settle(self)
            if any(core.is_concolic(bound) for bound in (key.start, key.stop, key.step)):
                path.concretised("slice bound")
            return part
        term = T.stride(self.term, found.low, found.high, found.step)
        made = sym_list(part, T.length(term), term)
        reread(made)
        return made

    def __contains__(self, value: Any) -> bool:
        term = same_sort(self, value)
        if term is not None and self.term is not None:
            return decide(T.seq_contains(self.term, term), list.__contains__(strip_list(self), core.plain(value)))
        return any(element is value or element == value for element in self)

    def index(self, value: Any, start: Any = 0, stop: Any = None) -> Any:
        for position, element in enumerate(self[start:stop] if start or stop is not None else self):
            if element is value or element == value:
                return position + _clamped(start, list.__len__(self))
        # Raises with Python's own words.
        return list.index([], core.strip(value))

    def count(self, value: Any) -> int:
        return sum(1 for element in self if element is value or element == value)

    def copy(self) -> SymList:
        return sym_list(list.copy(self), self.size, self.term)

    __copy__ = copy

    # Comparison: with terms if both sides have one, else element by element as Python does

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        mine, theirs = self.term, sequence_term(other, self.term)
        if mine is not None and theirs is not None:
            return sym_bool(strip_list(self) == strip_list(other), T.eq(mine, theirs))
        if not decide(T.eq(self.size, size_of(other)), list.__len__(self) == list.__len__(other)):
            return False
        return all(a is b or a == b for a, b in zip(self, list.__iter__(other), strict=False))

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else negated(equal)

    # A list subclass is otherwise pickled element by element, through `__iter__`, which decides.
    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return sym_list, (list.copy(self), self.size, self.term)

    # Joining

    # There is no `__radd__`: Python would prefer it to the in-place `+=` of a plain list on the left, which
    # would become a new object while its aliases keep the old one. `[1] + xs` is modelled where it is written.
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return list.__add__(self, other)
        joined = self.copy()
        joined.extend(other)
        return joined

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        found = as_index(times)
        if found is None:
            return list.copy(self) * times  # Python says what is wrong
        if found[1].op != "const":
            path.concretised("list repetition")
        return [*self] * found[0]

    def __rmul__(self, times: Any) -> Any:
        return NotImplemented if as_index(times) is None else self * times

    def __imul__(self, times: Any) -> Any:
        become(self, self * times)
        return self

    # Changing

    def append(self, value: Any) -> None:
        self._grow([value])

    def extend(self, values: Iterable[Any]) -> None:
        if (
            type(values) is SymList
            and sequence_term(values, self.term) is not None
            and scalars(self)
            and scalars(values)
        ):
            assert self.term is not None
            assert values.term is not None
            size, term = T.add(self.size, values.size), T.concat(self.term, values.term)
            list.extend(self, list.copy(values))
            describe(self, size, term)
            reread(self)
        else:
            self._grow(list(values))

    def _grow(self, values: list[Any]) -> None:
        """Where the new elements stand depends on the length: with a sequence term the elements are read from
        it again, without one the length is decided.
        """
        added = sequence_term(values, self.term)
        if self.size.op != "const" and (added is None or not scalars(self)):
            settle(self)
            forget(self)
            added = sequence_term(values, self.term)
        size = T.add(self.size, const(len(values)))
        term = T.concat(self.term, added) if self.term is not None and added is not None else None
        list.extend(self, values)
        describe(self, size, term)
        if size.op != "const":
            reread(self)

    def insert(self, position: Any, value: Any) -> None:
        # A position outside is clamped, as a bound of a slice is.
        head = self[:position]
        head.append(value)
        head.extend(self[position:])
        become(self, head)

    def pop(self, position: Any = -1) -> Any:
        if not decide(T.ne(self.size, ZERO), list.__len__(self) != 0):
            return list.pop(self)
        found = as_index(position)
        if found is None or not in_range(*found, list.__len__(self), self.size):
            return list.pop(self, core.plain(position))
        element = self[position]
        become(self, without(self, *found))
        return element

    def remove(self, value: Any) -> None:
        for position, element in enumerate(self):
            if element is value or element == value:
                del self[position]
                return
        list.remove([], value)

    def clear(self) -> None:
        become(self, [])

    def __delitem__(self, key: Any) -> None:
        if isinstance(key, slice):
            settle(self)
            list.__delitem__(self, plain_slice(key))
            forget(self)
            return
        found = as_index(key)
        if found is None or not in_range(*found, list.__len__(self), self.size):
            list.__delitem__(self, core.plain(key))
            return
        become(self, without(self, *found))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            settle(self)
            list.__setitem__(self, plain_slice(key), value)
            forget(self)
            return
        found = as_index(key)
        if found is None or not in_range(*found, list.__len__(self), self.size):
            list.__setitem__(self, core.plain(key), value)
            return
        index, index_term = found
        value_term = same_sort(self, value)
        fixed = index_term.op == "const" and (index >= 0 or self.size.op == "const")
        list.__setitem__(self, index, value)
        if self.term is not None and value_term is not None:
            describe(self, self.size, T.store(self.term, index_term, value_term))
            if not fixed:
                reread(self)
        else:
            describe(self, self.size, None)
            if not fixed:
                path.concretised("list index")

    def reverse(self) -> None:
        settle(self)
        list.reverse(self)
        forget(self)

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: Any = False) -> None:
        settle(self)
        list.sort(self, key=key, reverse=reverse)
        forget(self)


def sym_list(elements: list[Any], size: Term, term: Term | None) -> SymList:
    """The concolic list of these elements."""
    made = SymList(elements)
    describe(made, size, term)
    return made


def describe(self: SymList, size: Term, term: Term | None) -> None:
    """Sets the terms of the storage as it is now."""
    # Set together: the length is how a later change behind our back is noticed.
    self._length, self._size, self._term = list.__len__(self), size, term
    if path.CHECK_TERMS:
        path.check(size, self._length)
        if term is not None:
            path.check(term, strip_list(self))


def size_of(values: list[Any]) -> Term:
    return values.size if type(values) is SymList else const(list.__len__(values))


def strip_list(values: list[Any]) -> list[Any]:
    return [core.strip(v) for v in list.__iter__(values)]


def sequence_term(values: list[Any], like: Term | None) -> Term | None:
    """The content of a list as a term of the sort of `like`, if it has one."""
    if like is None:
        return None
    if type(values) is SymList:
        return values.term if values.term is not None and values.term.sort is like.sort else None
    # An element of another sort (a float among ints) has no place in the sequence.
    element = like.sort.element
    assert element is not None
    found = [term_as(element, v) for v in list.__iter__(values)]
    return None if None in found else T.seq(element, *found)  # type: ignore[arg-type]


def term_as(sort: Sort, value: Any) -> Term | None:
    """The value's term if it has exactly this sort."""
    if sort.element is not None and type(value) is list:
        return sequence_term(value, const((), sort))
    term = core.term_of(value)
    return term if term is not None and term.sort is sort else None


def scalars(self: SymList) -> bool:
    """Whether every element can be read again from a sequence term (a list inside a list is an object of its
    own).
    """
    return self.term is None or self.term.sort.element is None or self.term.sort.element.element is None


def same_sort(self: SymList, value: Any) -> Term | None:
    """The value's term if it could be an element of the list's sequence term."""
    if self.term is None or self.term.sort.element is None:
        return None
    return term_as(self.term.sort.element, value)


def at(self: SymList, element: Any, index: Term) -> Any:
    """The element at a symbolic place: exact with a sequence term of scalars, else a concretisation."""
    if self.term is not None and core.term_of(element) is not None and type(element) is not SymList:
        return core.wrap(core.plain(element), T.select(self.term, index))
    path.concretised("list index")
    return element


def reread(self: SymList) -> None:
    """After a store at a symbolic place every element may be the stored one."""
    assert self.term is not None
    # The concrete values stay: only where they come from is now a question of the term.
    for position in range(list.__len__(self)):
        element = list.__getitem__(self, position)
        if core.term_of(element) is not None and type(element) is not SymList:
            list.__setitem__(self, position, core.wrap(core.plain(element), T.select(self.term, const(position))))


def cut_out(self: SymList, part: list[Any], found: Bounds) -> SymList:
    """The slice `part` of a list, with step 1."""
    fixed = all((b.op == "const" and b.value >= 0) or b is self.size for b in (found.low, found.high))
    if self.term is None:
        if not fixed:
            path.concretised("slice bound")
        return sym_list(part, sliced_length(found, self.size), None)
    term = T.seq_slice(self.term, found.low, found.high)
    made = sym_list(part, T.length(term) if not fixed else sliced_length(found, self.size), term)
    # A slice that begins at a fixed place holds the elements it held; with any other, each may come from
    # elsewhere.
    if not (found.low.op == "const" and found.low.value >= 0):
        reread(made)
    return made


def without(self: SymList, index: int, index_term: Term) -> SymList:
    """The list without one element that exists."""
    rest = list.copy(self)
    del rest[index]
    size = T.sub(self.size, ONE)
    moved = index_term.op != "const" or (index < 0 and index != -1)
    if self.term is None:
        if moved and self.size.op != "const":
            path.concretised("list index")
        return sym_list(rest, size, None)
    # Without the last element nothing moves.
    if index_term.op == "const" and index == -1:
        return sym_list(rest, size, T.seq_slice(self.term, ZERO, size))
    place = index_term if index >= 0 else T.add(index_term, self.size)
    after = T.seq_slice(self.term, T.add(place, ONE), self.size)
    made = sym_list(rest, size, T.concat(T.seq_slice(self.term, ZERO, place), after))
    if moved:
        reread(made)
    return made


def settle(self: SymList) -> None:
    """Decides the length for good, as an iteration to the end would."""
    length = list.__len__(self)
    # The same questions in the same order as `__iter__`, so that both give the same path.
    for position in range(length + 1):
        decide(has(self.size, position), position < length)


def forget(self: SymList) -> None:
    """After a change that no term describes: the length is settled, the content is that of the elements."""
    term = None if self._term is None else sequence_term(list.copy(self), self._term)
    describe(self, const(list.__len__(self)), term)


def become(self: SymList, other: list[Any]) -> None:
    """Takes over the content of another list, keeping the identity."""
    size, term = size_of(other), sequence_term(other, self.term)
    # Slice assignment keeps the object, so aliases see the change.
    list.__setitem__(self, slice(None), list.copy(other))
    describe(self, size, term)


def plain_slice(key: slice) -> slice:
    """A slice with plain bounds; losing a symbolic bound is recorded."""
    parts = [core.plain(v) for v in (key.start, key.stop, key.step)]
    if any(core.is_concolic(v) for v in (key.start, key.stop, key.step)):
        path.concretised("slice bound")
    return slice(*parts)


def _clamped(start: Any, length: int) -> Any:
    if type(start) is int:
        return start if start >= 0 else max(0, length + start)
    return max(0, start + length) if start < 0 else start


def _order(name: str) -> None:
    """Defines `<` and the like as Python does: the first elements that differ decide, else the lengths."""
    compare: Callable[[Any, Any], Any] = getattr(operator, name)

    def method(self: SymList, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        position = 0
        while decide(has(self.size, position), position < list.__len__(self)):
            if not decide(has(size_of(other), position), position < list.__len__(other)):
                break
            a, b = list.__getitem__(self, position), list.__getitem__(other, position)
            if not (a is b or a == b):
                return compare(a, b)
            position += 1
        sizes = compare(list.__len__(self), list.__len__(other))
        return sym_bool(sizes, getattr(T, name)(self.size, size_of(other)))

    setattr(SymList, f"__{name}__", method)


for _name in ("lt", "le", "gt", "ge"):
    _order(_name)


def empty(sort: Sort) -> Term:
    """The empty sequence of elements of that sort."""
    return const((), seq_of(sort))


def _plain(values: SymList) -> list[Any]:
    return list.copy(values)


core.TERM_OF[SymList] = operator.attrgetter("term")
core.PLAIN[SymList] = _plain
core.stands_for(SymList, list)
