"""From a Python value back to the Assignment that a shape builds it from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, Shape, fits
from ramify.runtime.inputs.shapes.choices import Bounded, Choice, Concrete, Extra
from ramify.runtime.inputs.shapes.containers import (
    DictOf,
    IteratorOf,
    ListOf,
    SetOf,
    Settled,
    TupleOf,
    most,
    sequence_sort,
)
from ramify.runtime.inputs.shapes.scalars import Bytes, Fixed, Scalar
from ramify.runtime.terms import FLOAT, INT, Assignment, InputName, Sort


class Unreadable(Exception):
    """The shape builds no such value."""


def read(shape: Shape, name: InputName, value: Any, make: Maker, level: int = 0) -> Assignment:
    """The variables from which the shape builds that value under that name; Unreadable if it cannot."""
    reader = _READERS.get(type(shape))
    if reader is None:
        raise Unreadable(name)
    return reader(shape, name, value, make, level)


def _scalar(shape: Scalar, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if shape.sort is FLOAT:
        value = _float(value)
    if not _is(value, shape.sort) or (shape.sort is INT and shape._inside(value) != value):
        raise Unreadable(name)
    if isinstance(value, str) and len(value) > make.max_size:
        raise Unreadable(name)
    return {name: value}


def _is(value: Any, sort: Sort) -> bool:
    try:
        return fits(value, sort)
    except TypeError:  # no sort has such values
        return False


def _float(value: Any) -> Any:
    """An int where a float is asked for is one."""
    try:
        return float(value) if type(value) is int else value
    except OverflowError:
        return value


def _bytes(shape: Bytes, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if not isinstance(value, (bytes, bytearray)) or type(value) is not shape.kind or len(value) > make.max_size:
        raise Unreadable(name)
    return {name: value.decode("latin-1")}


def _fixed(shape: Fixed, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    # With the type: True is no 1.
    if type(value) is not type(shape.value) or value != shape.value:
        raise Unreadable(name)
    return {}


def _choice(shape: Choice, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    # The first that fits: a value may belong to several types.
    for number, alternative in enumerate(shape._allowed(make, level)):
        try:
            return {shape._variable(name): number, **read(alternative, name, value, make, level)}
        except Unreadable:
            continue
    raise Unreadable(name)


def _inner(shape: Any, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    return read(shape.shape, name, value, make, level)


def _list(shape: ListOf, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    sort = sequence_sort(shape) if make.arrays else None
    if type(value) not in (list, tuple):
        raise Unreadable(name)
    if sort is not None:
        values = _sequence(value, sort)
        if not _is(values, sort) or len(values) > make.max_size:
            raise Unreadable(name)
        return {name: values}
    return _cells(name, value, shape.element, most(make, level, shape.element), make, level)


def _sequence(value: Any, sort: Sort) -> Any:
    if sort.element is None:
        return _float(value) if sort is FLOAT else value
    element = sort.element
    return [_sequence(part, element) for part in value] if type(value) in (list, tuple) else value


def _settled(shape: Settled, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if type(value) is not shape.kind:
        raise Unreadable(name)
    return _cells(name, value, shape.element, most(make, level, shape), make, level)


def _iterator(shape: IteratorOf, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    return read(shape.items, name, value, make, level)


def _tuple(shape: TupleOf, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if type(value) is not tuple or len(value) != len(shape.elements):
        raise Unreadable(name)
    parts = zip(shape.elements, value, strict=True)
    return _joined(read(part, name.item(k), v, make, level) for k, (part, v) in enumerate(parts))


def _dict(shape: DictOf, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if not isinstance(value, dict) or type(value) is not shape.kind:
        raise Unreadable(name)
    values = [
        read(shape.value, name.value(n), v, make, level) for n, v in enumerate(value.values())
    ]
    keys = _cells(name, value, shape.key, shape._most(make, level), make, level, InputName.key)
    return {**keys, **_joined(values)}


def _set(shape: SetOf, name: InputName, value: Any, make: Maker, level: int) -> Assignment:
    if type(value) is not shape.kind:
        raise Unreadable(name)
    return _cells(name, value, shape.element, most(make, level, shape.element), make, level, InputName.key)


def _cells(
    name: InputName,
    values: Any,
    element: Shape,
    limit: int,
    make: Maker,
    level: int,
    cell: Callable[[InputName, int], InputName] = InputName.item,
) -> Assignment:
    """A length and one input for each element."""
    if len(values) > limit:
        raise Unreadable(name)
    parts = [read(element, cell(name, k), value, make, level) for k, value in enumerate(values)]
    return {name.length: len(parts), **_joined(parts)}


def _joined(parts: Iterable[Assignment]) -> Assignment:
    return {name: value for part in parts for name, value in part.items()}


_READERS: dict[type, Callable[[Any, InputName, Any, Maker, int], Assignment]] = {
    Scalar: _scalar,
    Bytes: _bytes,
    Fixed: _fixed,
    Choice: _choice,
    Extra: _inner,
    Concrete: _inner,
    Bounded: _inner,
    ListOf: _list,
    Settled: _settled,
    IteratorOf: _iterator,
    TupleOf: _tuple,
    DictOf: _dict,
    SetOf: _set,
}
