"""Inputs that hold others: lists, tuples, dicts, sets and their relatives in `collections`."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, Shape, counted, length_of
from ramify.runtime.inputs.shapes.literals import literal, tuple_text
from ramify.runtime.inputs.shapes.scalars import DEFAULTS, Scalar
from ramify.runtime.recording import Rejected, path
from ramify.runtime.terms import BOOL, STR, InputName, Sort, Term, const, seq_of, var
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import sym_dict
from ramify.runtime.values.list_ import sym_list
from ramify.runtime.values.set_ import sym_set


def most(make: Maker, level: int, *shapes: Shape) -> int:
    """How many elements a container kept as cells may have: none at the greatest depth of nested objects."""
    if any(map(nests, shapes)):
        return 0 if level >= make.max_depth else make.max_items
    return min(make.max_items if any(s.decides for s in shapes) else make.max_entries, make.max_size)


def nests(shape: Shape) -> bool:
    """Whether a shape contains objects, which may contain further ones."""
    inside = getattr(shape, "parts", ())
    return bool(getattr(shape, "is_object", False)) or any(nests(part) for part in inside)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of any length."""

    element: Shape
    kind: type = list

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.element,)

    @property
    def decides(self) -> bool:
        return self.element.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        sort = sequence_sort(self) if make.arrays else None
        if sort is not None:
            values = make.value(name, sort, [])
            make.size(name, len(values))
            make.fact(T.le(T.length(var(name, sort)), const(make.max_size)))
            return as_lists(T.plain(values, sort)) if make.plain else from_sequence(values, var(name, sort))
        # An element that takes decisions to build must be known to exist first.
        settled = self.element.decides
        length, size = counted(name, make, most(make, level, self.element), settled)
        elements = [self.element.build(name.item(k), make, level) for k in range(length)]
        return elements if settled or make.plain else sym_list(elements, size, None)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        sort = sequence_sort(self) if make.arrays else None
        if sort is not None:
            return literal(as_lists(T.plain(make.value(name, sort, []), sort)))
        return f"[{', '.join(cells(self.element, name, make, level))}]"


def cells(shape: Shape, name: InputName, make: Maker, level: int) -> list[str]:
    length = length_of(name, make, most(make, level, shape))
    return [shape.text(name.item(k), make, level) for k in range(length)]


@dataclass(frozen=True, slots=True)
class Settled:
    """A tuple of any length or a deque: the length is decided when it is built."""

    element: Shape
    kind: type = tuple
    decides: bool = True

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.element,)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        length, _ = counted(name, make, most(make, level, self), True)
        return self.kind(self.element.build(name.item(k), make, level) for k in range(length))

    def text(self, name: InputName, make: Maker, level: int) -> str:
        length = length_of(name, make, most(make, level, self))
        parts = [self.element.text(name.item(k), make, level) for k in range(length)]
        if self.kind is deque:
            return f"{make.module('collections')}.deque([{', '.join(parts)}])"
        return tuple_text(parts)


@dataclass(frozen=True, slots=True)
class IteratorOf:
    """An iterator or a generator over a list."""

    items: ListOf
    generator: bool = False
    kind: type = Iterator

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.items,)

    @property
    def decides(self) -> bool:
        return self.items.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        values = self.items.build(name, make, level)
        # Going through a list of symbolic length decides it step by step, as the target asks.
        return (value for value in values) if self.generator else iter(values)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        values = self.items.text(name, make, level)
        return f"(value for value in {values})" if self.generator else f"iter({values})"


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple of a fixed number of elements."""

    elements: tuple[Shape, ...]
    kind: type = tuple

    @property
    def parts(self) -> tuple[Shape, ...]:
        return self.elements

    @property
    def decides(self) -> bool:
        return any(shape.decides for shape in self.elements)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        return tuple(shape.build(name.item(k), make, level) for k, shape in enumerate(self.elements))

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return tuple_text([shape.text(name.item(k), make, level) for k, shape in enumerate(self.elements)])


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict of any size: a length, keys that differ, and values. Its relatives in `collections` have a decided
    size.
    """

    key: Shape
    value: Shape
    kind: type = dict

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.key, self.value)

    @property
    def decides(self) -> bool:
        return self.kind is not dict or self.key.decides or self.value.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        length, size = counted(name, make, self._most(make, level), self.decides)
        keys = distinct(self.key, name, length, make, level)
        entries = {k: self.value.build(name.value(n), make, level) for n, k in enumerate(keys)}
        if self.kind is defaultdict:
            return defaultdict(self._factory(), entries)
        if self.kind is not dict:
            return self.kind(entries)
        return entries if make.plain else sym_dict(entries, size)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        parts = [
            f"{self.key.text(name.key(n), make, level)}: "
            f"{self.value.text(name.value(n), make, level)}"
            for n in range(length_of(name, make, self._most(make, level)))
        ]
        entries = "{" + ", ".join(parts) + "}"
        if self.kind is dict:
            return entries
        cls = f"{make.module('collections')}.{self.kind.__name__}"
        if self.kind is defaultdict:
            factory = self._factory()
            return f"{cls}({factory.__name__ if factory is not None else None}, {entries})"
        return f"{cls}({entries})"

    def _most(self, make: Maker, level: int) -> int:
        return most(make, level, self.key, self.value)

    def _factory(self) -> type | None:
        return self.value.kind if self.value.kind in (int, float, str, list, dict, set, bool) else None


assert all(issubclass(cls, dict) for cls in (OrderedDict, Counter))


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set of any size, or a frozenset of a decided one."""

    element: Shape
    kind: type = set

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.element,)

    @property
    def decides(self) -> bool:
        return self.kind is frozenset or self.element.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        length, size = counted(name, make, most(make, level, self.element), self.decides)
        values = distinct(self.element, name, length, make, level)
        if self.kind is frozenset or make.plain:
            return self.kind(values)
        return sym_set(values, size)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        length = length_of(name, make, most(make, level, self.element))
        parts = [self.element.text(name.key(n), make, level) for n in range(length)]
        inside = "{" + ", ".join(parts) + "}" if parts else ""
        return f"frozenset({inside})" if self.kind is frozenset else inside or "set()"


@dataclass(frozen=True, slots=True)
class Record:
    """A dict with known keys, of which some may be missing: a TypedDict, or the keywords a function takes."""

    required: tuple[tuple[str, Shape], ...]
    optional: tuple[tuple[str, Shape], ...] = ()
    kind: type = dict

    @property
    def parts(self) -> tuple[Shape, ...]:
        return tuple(shape for _, shape in self.required + self.optional)

    @property
    def decides(self) -> bool:
        return bool(self.optional) or any(shape.decides for shape in self.parts)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        present = [*self.required]
        present += [(key, s) for key, s in self.optional if make.flag(name.presence(key), False)]
        return {key: shape.build(name.entry(key), make, level) for key, shape in present}

    def text(self, name: InputName, make: Maker, level: int) -> str:
        present = [*self.required]
        present += [(key, s) for key, s in self.optional if make.value(name.presence(key), BOOL, False)]
        parts = [f"{key!r}: {shape.text(name.entry(key), make, level)}" for key, shape in present]
        return "{" + ", ".join(parts) + "}"


def distinct(shape: Shape, name: InputName, length: int, make: Maker, level: int) -> list[Any]:
    """Keys of a dict or elements of a set: all different. A variable that nothing constrains yet is changed
    until it is.
    """
    made: list[Any] = []
    for number in range(length):
        if isinstance(shape, Scalar):
            _separate(shape, name.key(number), [core.plain(v) for v in made], make)
        value = shape.build(name.key(number), make, level)
        with path.paused():
            if any(value == other for other in made):
                # A dict or set of them would have fewer entries than its length says.
                raise Rejected(f"list({name}) would have equal elements")
        term = core.term_of(value)
        for other in made:
            other_term = core.term_of(other)
            if term is not None and other_term is not None:
                make.fact(T.ne(other_term, term))
        made.append(value)
    return made


def _separate(shape: Scalar, name: InputName, others: list[Any], make: Maker) -> None:
    default = DEFAULTS[shape.sort]
    value = shape.value(name, make)
    number = 0
    # The next value that nobody has; the solver is told below that they differ.
    while value in others and number <= 1000:
        value = (
            chr(ord("a") + number % 26) * (1 + number // 26)
            if shape.sort is STR
            else type(default)(number * shape.step + (shape.low or 0))
        )
        number += 1
    make.assignment[name] = value


def sequence_sort(shape: Shape) -> Sort | None:
    """The sort of a list's sequence variable, if its elements are scalars without bounds or lists of such."""
    if isinstance(shape, Scalar):
        bounded = shape.low is not None or shape.high is not None or shape.step != 1
        # Bools are decided one by one, bounds are facts of single variables: neither fits a sequence.
        return None if shape.sort is BOOL or bounded else shape.sort
    if type(shape) is ListOf:
        element = sequence_sort(shape.element)
        return None if element is None else seq_of(element)
    return None


def from_sequence(values: Any, term: Term) -> Any:
    """The concolic list of a sequence variable's value; nested lists are selected from the outer term."""
    element = term.sort.element
    assert element is not None
    parts = []
    for k, value in enumerate(values):
        part = T.select(term, const(k))
        # Each element is selected from the one sequence, so that a change of the sequence changes it.
        parts.append(
            from_sequence(value, part)
            if element.element is not None
            else core.wrap(T.plain(value, element), part)
        )
    return sym_list(parts, T.length(term), term)


def as_lists(value: Any) -> Any:
    return [as_lists(v) for v in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class ViewOf:
    """The keys, values or items of a dict."""

    entries: DictOf
    method: str
    kind: type = object

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.entries,)

    @property
    def decides(self) -> bool:
        return self.entries.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        return getattr(self.entries.build(name, make, level), self.method)()

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return f"{self.entries.text(name, make, level)}.{self.method}()"
