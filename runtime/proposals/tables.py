"""Values in the tables that a target looks things up in: what is worth trying may stand in another module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

from ramify.runtime.worlds import names_used

PER_TABLE = 100
MAX_LOOKED_AT = 20_000  # values of one table
DEEPEST = 3

_PLAIN = (int, float, str, bytes)
_CONTAINERS = (list, tuple, set, frozenset)


def tabled(function: Any) -> list[Any]:
    """Some values of every table that the target, or a function of its module that it names, may use."""
    if not isinstance(function, FunctionType):
        return []
    found: dict[tuple[type, Any], None] = {}
    for table in _tables(names_used(function), function.__globals__):
        values = list(dict.fromkeys((type(v), v) for v in _values(table)))
        step = max(1, len(values) // PER_TABLE)
        # Spread over the whole table, not its first part.
        found |= dict.fromkeys(values[::step])
    return [value for _, value in found]


def _tables(names: set[str], scope: Mapping[str, Any]) -> Iterator[Any]:
    for name in sorted(names):
        value = scope.get(name)
        inside = vars(value) if type(value) is ModuleType else {name: value}
        for inner in sorted(names & inside.keys()):
            if type(inside[inner]) in (*_CONTAINERS, dict):
                yield inside[inner]


def _values(table: Any) -> Iterator[Any]:
    """The plain values of a table, keys before what they stand for, in an order that every process has."""
    waiting: list[tuple[Any, int]] = [(table, 0)]
    for looked, (value, depth) in enumerate(waiting):
        kind = type(value)
        if looked > MAX_LOOKED_AT:
            return
        if kind in _PLAIN:
            yield value
        elif depth < DEEPEST and kind is dict:
            waiting += [(inner, depth + 1) for inner in (*value, *value.values())]
        elif depth < DEEPEST and kind in _CONTAINERS:
            ordered = value if kind in (list, tuple) else sorted(value, key=repr)
            waiting += [(inner, depth + 1) for inner in ordered]
