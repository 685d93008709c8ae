"""Plain values as Python expressions that evaluate to them again."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker
from ramify.runtime.terms import integer


def literal(value: Any, make: Maker | None = None) -> str:
    """A Python expression for a plain value; unlike `repr`, it also evaluates for nan, infinities and Enum
    members.
    """
    if type(value) is int:
        return integer(value)
    if isinstance(value, Enum):
        return member(value, make or Maker({}))
    # `repr` gives `nan` and `inf`, which are no names of Python.
    if type(value) is float and (value != value or value in (float("inf"), float("-inf"))):
        return f"float({str(value)!r})"
    if type(value) is complex:
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if type(value) is list:
        return f"[{listed(value, make)}]"
    if type(value) is tuple:
        return tuple_text([literal(v, make) for v in value])
    if type(value) is dict:
        return "{" + ", ".join(f"{literal(k, make)}: {literal(v, make)}" for k, v in value.items()) + "}"
    if type(value) in (set, frozenset):
        # `{}` is an empty dict.
        inner = "{" + listed(value, make) + "}" if value else ""
        return inner if type(value) is set and value else f"{type(value).__name__}({inner})"
    return integer(value) if type(value) is int else repr(value)


def listed(values: Any, make: Maker | None) -> str:
    return ", ".join([integer(v) if type(v) is int else literal(v, make) for v in values])


def tuple_text(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def member(value: Enum, make: Maker) -> str:
    """A member of an Enum by its name; a combination of flags has none, only a value."""
    cls = make.named(type(value))
    return f"{cls}.{value.name}" if value.name in type(value).__members__ else f"{cls}({value.value!r})"
