"""Module globals and class attributes as inputs: set before a run, written down as assignments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ramify.errors import InputError
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.inputs.annotations import Context, shape_of, shape_of_expression
from ramify.runtime.inputs.parameters import hints_of, scope_of, seeded
from ramify.runtime.inputs.shapes.base import Maker, Shape
from ramify.runtime.inputs.shapes.literals import literal
from ramify.runtime.terms import argument

MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class GlobalInputs:
    """The global names (`LIMIT`, `Config.rate`) that are inputs, with their shapes and what they are at first."""

    shapes: Mapping[str, Shape]
    usual: Mapping[str, str]

    def build(self, make: Maker) -> dict[str, Any]:
        return {name: shape.build(argument(name), make, 0) for name, shape in self.shapes.items()}

    def statements(self, make: Maker, module: str) -> list[str]:
        """Assignments that give the globals their values, where these are not the usual ones; `module` is a
        prefix, or nothing.
        """
        texts = {name: shape.text(argument(name), make, 0) for name, shape in self.shapes.items()}
        return [f"{module}{name} = {text}" for name, text in texts.items() if text != self.usual[name]]


@contextmanager
def installed(scope: dict[str, Any], values: Mapping[str, Any]) -> Iterator[None]:
    """The globals have these values in between."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for dotted, value in values.items():
            holder, name = _holder(scope, dotted)
            # The module of a run is thrown away, but a class may be shared with other modules.
            before.append((holder, name, _get(holder, name)))
            _set(holder, name, value)
        yield
    finally:
        # Backwards: one name may have been set twice.
        for holder, name, value in reversed(before):
            _set(holder, name, value)


def global_inputs(function: Callable[..., Any], names: Iterable[str], taken: Iterable[str]) -> GlobalInputs:
    """The globals that the user names, and those that the contract of the function gives types."""
    scope = getattr(function, "__globals__", {})
    said = contracts.of(function).types
    known = scope_of(function)
    shapes: dict[str, Shape] = {}
    usual: dict[str, str] = {}
    for dotted in dict.fromkeys([*names, *(n for n in said if n not in set(taken) and n in scope)]):
        holder, name = _holder(scope, dotted)
        value = _get(holder, name)
        if value is MISSING:
            raise InputError(f"--symbolic-global {dotted}: the module of {function.__qualname__} has no such name")
        context = Context(f"global {dotted!r}", known)
        declared = _declared(holder, name, known)
        if dotted in said:
            shape = shape_of_expression(said[dotted], context)
        else:
            shape = shape_of(type(value) if declared is None else declared, context)
        # The value that the module gives is the first one to try.
        shapes[dotted], usual[dotted] = seeded(shape, value), literal(value)
    return GlobalInputs(shapes, usual)


def _declared(holder: Any, name: str, scope: dict[str, Any]) -> Any:
    hints = hints_of(holder, scope) if isinstance(holder, type) else {}
    found = hints.get(name)
    return None if isinstance(found, str) else found


def _holder(scope: dict[str, Any], dotted: str) -> tuple[Any, str]:
    """What a dotted name is an attribute of: a class, or the module's own names."""
    *outer, name = dotted.split(".")
    holder: Any = scope
    for part in outer:
        holder = _get(holder, part)
    return holder, name


def _get(holder: Any, name: str) -> Any:
    return holder.get(name, MISSING) if isinstance(holder, dict) else getattr(holder, name, MISSING)


def _set(holder: Any, name: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[name] = value
    else:
        setattr(holder, name, value)
