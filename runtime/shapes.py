"""How an input of each type is built from an Assignment, and how it is written down as Python.

A shape is built again for every run. Scalars are variables named after the parameter; a list is one sequence variable
(representation *arrays*) or a length and cells (*cells*); a union is a variable that chooses; an object runs its constructor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from ramify.runtime import path, terms as T
from ramify.runtime.nodes import BOOL, FLOAT, INT, STR, Assignment, Sort, Term, const, seq_of, var
from ramify.runtime.path import Cut, Phase, decide, fact
from ramify.runtime.values import core
from ramify.runtime.values.list_ import sym_list

DEFAULTS: dict[Sort, Any] = {INT: 0, BOOL: False, FLOAT: 0.0, STR: ""}


@dataclass(slots=True)
class Maker:
    """What building inputs needs to know. The assignment is completed with defaults as variables are met."""

    assignment: Assignment
    resolve: Callable[[type], type] = field(default=lambda cls: cls)
    arrays: bool = True
    max_size: int = 1000
    max_depth: int = 3

    def value(self, name: str, sort: Sort, default: Any) -> Any:
        """The value of a variable; if the assignment has none, or one of another sort, the default."""
        value = self.assignment.get(name)
        if value is None or not _fits(value, sort):
            value = self.assignment[name] = default
        return value

    def size(self, name: str, length: int) -> int:
        if length > self.max_size:
            raise Cut(f"{name} would have {length} elements")
        return length


def _fits(value: Any, sort: Sort) -> bool:
    """Whether a value can be read as one of that sort (an alternative of another type may have used the name)."""
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
        return core.wrap(value, var(name, self.sort))

    def text(self, name: str, make: Maker, level: int) -> str:
        return literal(self._value(name, make))

    def _value(self, name: str, make: Maker) -> Any:
        default = DEFAULTS[self.sort] if self.default is None else self.default
        return T.plain(make.value(name, self.sort, default), self.sort)


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
    """One of several alternatives, chosen by the variable `choice(name)`: decisions, the first alternative first."""

    alternatives: tuple[Shape, ...]

    def build(self, name: str, make: Maker, level: int) -> Any:
        allowed = self._allowed(make, level)
        chosen = self._chosen(name, make, level)
        variable = var(f"choice({name})", INT)
        run = path.active()
        before = run.phase if run is not None else Phase.BODY
        if run is not None:
            run.phase = Phase.BUILD
        fact(T.le(const(0), variable))
        fact(T.lt(variable, const(len(allowed))))
        for number in range(len(allowed) - 1):
            if decide(T.eq(variable, const(number)), number == chosen):
                break
        if run is not None:
            run.phase = before
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
        return int(value) if 0 <= value < len(self._allowed(make, level)) else 0


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
        length, size = sized(name, make)
        return sym_list([self.element.build(f"{name}[{k}]", make, level) for k in range(length)], size, None)

    def text(self, name: str, make: Maker, level: int) -> str:
        sort = sequence_sort(self) if make.arrays else None
        if sort is not None:
            return literal(as_lists(make.value(name, sort, [])))
        length = max(make.value(f"len({name})", INT, 0), 0)
        return "[" + ", ".join(self.element.text(f"{name}[{k}]", make, level) for k in range(length)) + "]"


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
        return f"{self.cls.__qualname__}({', '.join(parts)})"


def sized(name: str, make: Maker) -> tuple[int, Term]:
    """The length variable of a container kept as cells."""
    variable = var(f"len({name})", INT)
    length = make.size(name, max(make.value(f"len({name})", INT, 0), 0))
    make.assignment[f"len({name})"] = length
    fact(T.le(const(0), variable))
    return length, variable


def sequence_sort(shape: Shape) -> Sort | None:
    """The sort of a list's sequence variable, if its elements are scalars or lists of such."""
    if isinstance(shape, Scalar):
        return shape.sort
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
        parts.append(from_sequence(value, part) if element.element is not None else core.wrap(T.plain(value, element), part))
    return sym_list(parts, T.length(term), term)


def as_lists(value: Any) -> Any:
    return [as_lists(v) for v in value] if isinstance(value, (list, tuple)) else value


def literal(value: Any) -> str:
    """A Python expression for a plain value; unlike `repr`, it also evaluates for nan, infinities and Enum members."""
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
