"""How an input of each type is built from an Assignment, and how it is written down as Python.

A shape is built again for every run. Scalars are variables named after the parameter; a list is one
sequence variable (representation *arrays*) or a length and cells (*cells*); a union is a variable that
chooses; an object runs its constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from ramify.runtime import path
from ramify.runtime import terms as T
from ramify.runtime.nodes import BOOL, FLOAT, INT, STR, Assignment, Sort, Term, const, seq_of, var
from ramify.runtime.path import Cut, Phase, decide, fact
from ramify.runtime.values import core
from ramify.runtime.values.bytes_ import sym_bytes
from ramify.runtime.values.dict_ import sym_dict
from ramify.runtime.values.list_ import sym_list
from ramify.runtime.values.set_ import sym_set

DEFAULTS: dict[Sort, Any] = {INT: 0, BOOL: False, FLOAT: 0.0, STR: ""}


@dataclass(slots=True)
class Maker:
    """What building inputs needs to know. The assignment is completed with defaults as variables are met."""

    assignment: Assignment
    resolve: Callable[[type], type] = field(default=lambda cls: cls)
    arrays: bool = True
    max_size: int = 1000
    max_depth: int = 3
    draw: Callable[[str, Sort, Any], Any] | None = None  # gives the values that the assignment does not have
    plain: bool = False  # build values with nothing concolic in them

    def value(self, name: str, sort: Sort, default: Any) -> Any:
        """The value of a variable; if the assignment has none, or one of another sort, the default."""
        value = self.assignment.get(name)
        if value is None or not _fits(value, sort):
            value = self.assignment[name] = default if self.draw is None else self.draw(name, sort, default)
        return value

    def size(self, name: str, length: int) -> int:
        if length > self.max_size:
            raise Cut(f"{name} would have {length} elements")
        return length


def _fits(value: Any, sort: Sort) -> bool:
    """Whether a value can be read as one of that sort (an alternative of another type may have used the
    name).
    """
    if sort.element is not None:
        element = sort.element
        return isinstance(value, (list, tuple)) and all(_fits(v, element) for v in value)
    return T.sort_of(value) is sort


class Shape(Protocol):
    """The type of an input."""

    def build(self, name: str, make: Maker, level: int) -> Any:
        """The concolic value of the input of that name."""

    def text(self, name: str, make: Maker, level: int) -> str:
        """The same value as a Python expression."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """An int, bool, float or str: one variable."""

    sort: Sort
    default: Any = None

    def build(self, name: str, make: Maker, level: int) -> Any:
        value = self._value(name, make)
        if self.sort is STR:
            make.size(name, len(value))
        if self.sort is BOOL:
            # Nothing can pass for a bool everywhere (`is True`, `case True`, C code): the target gets a real one.
            with building():
                return decide(var(name, BOOL), value)
        return core.wrap(value, var(name, self.sort))

    def text(self, name: str, make: Maker, level: int) -> str:
        return literal(self._value(name, make))

    def _value(self, name: str, make: Maker) -> Any:
        default = DEFAULTS[self.sort] if self.default is None else self.default
        return T.plain(make.value(name, self.sort, default), self.sort)


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes: a text variable whose code points are below 256 (what the solver gives beyond is taken modulo).
    """

    def build(self, name: str, make: Maker, level: int) -> Any:
        value = self._value(name, make)
        fact(T.is_latin(var(name, STR)))
        return sym_bytes(value.encode("latin-1"), var(name, STR))

    def text(self, name: str, make: Maker, level: int) -> str:
        return repr(self._value(name, make).encode("latin-1"))

    def _value(self, name: str, make: Maker) -> str:
        value: str = make.value(name, STR, "")
        make.size(name, len(value))
        if any(character > "\xff" for character in value):
            value = make.assignment[name] = "".join(chr(ord(c) % 256) for c in value)
        return value


@dataclass(frozen=True, slots=True)
class Fixed:
    """One value, always the same: None, a member of an Enum, a Literal."""

    value: Any

    def build(self, name: str, make: Maker, level: int) -> Any:
        if isinstance(self.value, Enum):
            return make.resolve(type(self.value))[self.value.name]  # type: ignore[index]
        return self.value

    def text(self, name: str, make: Maker, level: int) -> str:
        return literal(self.value)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives, chosen by the variable `choice(name)`: decisions, the first alternative
    first.
    """

    alternatives: tuple[Shape, ...]

    def build(self, name: str, make: Maker, level: int) -> Any:
        allowed = self._allowed(make, level)
        chosen = self._chosen(name, make, level)
        variable = var(f"choice({name})", INT)
        fact(T.le(const(0), variable))
        fact(T.lt(variable, const(len(allowed))))
        with building():
            for number in range(len(allowed) - 1):
                if decide(T.eq(variable, const(number)), number == chosen):
                    break
        return allowed[chosen].build(name, make, level)

    def text(self, name: str, make: Maker, level: int) -> str:
        return self._allowed(make, level)[self._chosen(name, make, level)].text(name, make, level)

    def _allowed(self, make: Maker, level: int) -> tuple[Shape, ...]:
        """At the greatest depth of nested objects only the alternatives that end there."""
        if level < make.max_depth:
            return self.alternatives
        return tuple(s for s in self.alternatives if not isinstance(s, Instance)) or self.alternatives

    def _chosen(self, name: str, make: Maker, level: int) -> int:
        value = make.value(f"choice({name})", INT, 0)
        if not 0 <= value < len(self._allowed(make, level)):
            value = make.assignment[f"choice({name})"] = 0
        return int(value)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of any length."""

    element: Shape

    def build(self, name: str, make: Maker, level: int) -> Any:
        sort = sequence_sort(self) if make.arrays else None
        if sort is not None:
            values = make.value(name, sort, [])
            make.size(name, len(values))
            return from_sequence(values, var(name, sort))
        settled = branches(self.element)
        length, size = counted(name, make, settled)
        elements = [self.element.build(f"{name}[{k}]", make, level) for k in range(length)]
        return elements if settled else sym_list(elements, size, None)

    def text(self, name: str, make: Maker, level: int) -> str:
        sort = sequence_sort(self) if make.arrays else None
        if sort is not None:
            return literal(as_lists(make.value(name, sort, [])))
        parts = [self.element.text(f"{name}[{k}]", make, level) for k in range(length_of(name, make))]
        return "[" + ", ".join(parts) + "]"


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict of any size: a length, keys that differ, and values."""

    key: Shape
    value: Shape

    def build(self, name: str, make: Maker, level: int) -> Any:
        length, size = counted(name, make, branches(self.key) or branches(self.value))
        keys = distinct(self.key, f"list({name})", length, make, level)
        return sym_dict(
            {k: self.value.build(f"list({name}.values())[{n}]", make, level) for n, k in enumerate(keys)},
            size,
        )

    def text(self, name: str, make: Maker, level: int) -> str:
        parts = [
            f"{self.key.text(f'list({name})[{n}]', make, level)}: "
            f"{self.value.text(f'list({name}.values())[{n}]', make, level)}"
            for n in range(length_of(name, make))
        ]
        return "{" + ", ".join(parts) + "}"


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set or frozenset of any size."""

    element: Shape
    frozen: bool = False

    def build(self, name: str, make: Maker, level: int) -> Any:
        length, size = counted(name, make, self.frozen or branches(self.element))
        values = distinct(self.element, f"list({name})", length, make, level)
        return frozenset(values) if self.frozen else sym_set(values, size)

    def text(self, name: str, make: Maker, level: int) -> str:
        parts = [self.element.text(f"list({name})[{n}]", make, level) for n in range(length_of(name, make))]
        inside = "{" + ", ".join(parts) + "}" if parts else ""
        return f"frozenset({inside})" if self.frozen else inside or "set()"


@dataclass(frozen=True, slots=True)
class VariadicTuple:
    """A tuple of any length, which is decided when it is built."""

    element: Shape

    def build(self, name: str, make: Maker, level: int) -> Any:
        length, _ = counted(name, make, True)
        return tuple(self.element.build(f"{name}[{k}]", make, level) for k in range(length))

    def text(self, name: str, make: Maker, level: int) -> str:
        parts = [self.element.text(f"{name}[{k}]", make, level) for k in range(length_of(name, make))]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple of a fixed number of elements."""

    elements: tuple[Shape, ...]

    def build(self, name: str, make: Maker, level: int) -> Any:
        return tuple(shape.build(f"{name}[{k}]", make, level) for k, shape in enumerate(self.elements))

    def text(self, name: str, make: Maker, level: int) -> str:
        parts = [shape.text(f"{name}[{k}]", make, level) for k, shape in enumerate(self.elements)]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a user's class: its constructor runs on symbolic arguments."""

    cls: type
    parameters: Callable[[], dict[str, Shape]]

    def build(self, name: str, make: Maker, level: int) -> Any:
        cls = make.resolve(self.cls)
        arguments = {p: s.build(f"{name}.{p}", make, level + 1) for p, s in self.parameters().items()}
        try:
            return cls(**arguments)
        except Exception as error:
            raise path.Rejected(f"{cls.__qualname__}() raised {type(error).__name__}: {error}") from error

    def text(self, name: str, make: Maker, level: int) -> str:
        parts = [f"{p}={s.text(f'{name}.{p}', make, level + 1)}" for p, s in self.parameters().items()]
        return f"{name_of(self.cls)}({', '.join(parts)})"


def name_of(cls: type) -> str:
    """What a class is called in its module. The package deal puts a class of its own in place of one with an
    invariant.
    """
    own = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "deal"]
    return own[0].__qualname__


def branches(shape: Shape) -> bool:
    """Whether building an input of that shape may take decisions, so that how many are built must be decided
    first.
    """
    if isinstance(shape, TupleOf):
        return any(map(branches, shape.elements))
    if isinstance(shape, ListOf):
        return branches(shape.element)
    if isinstance(shape, Scalar):
        return shape.sort is BOOL
    return not isinstance(shape, (Bytes, Fixed, DictOf, SetOf))


def length_of(name: str, make: Maker) -> int:
    return max(int(make.value(f"len({name})", INT, 0)), 0)


def counted(name: str, make: Maker, settled: bool) -> tuple[int, Term]:
    """The length variable of a container kept as cells; `settled`: its value is decided now, and the length a
    constant.
    """
    variable = var(f"len({name})", INT)
    length = make.assignment[f"len({name})"] = make.size(name, length_of(name, make))
    fact(T.le(const(0), variable))
    if not settled:
        return length, variable
    with building():
        for position in range(length + 1):
            decide(T.lt(const(position), variable), position < length)
    return length, const(length)


@contextmanager
def building() -> Iterator[None]:
    """What is decided in between chooses an input; it is no branch of the target."""
    run = path.active()
    if run is None:
        yield
        return
    before, run.phase = run.phase, Phase.BUILD
    try:
        yield
    finally:
        run.phase = before


def distinct(shape: Shape, name: str, length: int, make: Maker, level: int) -> list[Any]:
    """Keys of a dict or elements of a set: all different. A variable that nothing constrains yet is changed
    until it is.
    """
    made: list[Any] = []
    for number in range(length):
        if isinstance(shape, Scalar):
            _separate(shape, f"{name}[{number}]", [core.plain(v) for v in made], make)
        value = shape.build(f"{name}[{number}]", make, level)
        with path.paused():
            if any(value == other for other in made):
                raise path.Rejected(f"{name} would have equal elements")
        term = core.term_of(value)
        for other in made:
            other_term = core.term_of(other)
            if term is not None and other_term is not None:
                fact(T.ne(other_term, term))
        made.append(value)
    return made


def _separate(shape: Scalar, name: str, others: list[Any], make: Maker) -> None:
    default = DEFAULTS[shape.sort]
    value = make.value(name, shape.sort, default)
    number = 0
    while value in others and number <= 1000:
        value = (
            chr(ord("a") + number % 26) * (1 + number // 26) if shape.sort is STR else type(default)(number)
        )
        number += 1
    make.assignment[name] = value


def sequence_sort(shape: Shape) -> Sort | None:
    """The sort of a list's sequence variable, if its elements are scalars or lists of such."""
    if isinstance(shape, Scalar):
        return None if shape.sort is BOOL else shape.sort
    if isinstance(shape, ListOf):
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
        parts.append(
            from_sequence(value, part)
            if element.element is not None
            else core.wrap(T.plain(value, element), part)
        )
    return sym_list(parts, T.length(term), term)


def as_lists(value: Any) -> Any:
    return [as_lists(v) for v in value] if isinstance(value, (list, tuple)) else value


def literal(value: Any) -> str:
    """A Python expression for a plain value; unlike `repr`, it also evaluates for nan, infinities and Enum
    members.
    """
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if type(value) is float and (value != value or value in (float("inf"), float("-inf"))):
        return f"float({str(value)!r})"
    if type(value) is list:
        return f"[{', '.join(map(literal, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if type(value) in (set, frozenset):
        inner = "{" + ", ".join(map(literal, value)) + "}" if value else ""
        return inner if type(value) is set and value else f"{type(value).__name__}({inner})"
    return repr(value)
