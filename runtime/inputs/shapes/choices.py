"""Inputs of several types, inputs outside their declared type, and inputs that must satisfy something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, Shape, assumed
from ramify.runtime.inputs.shapes.containers import nests
from ramify.runtime.recording import Rejected, path
from ramify.runtime.terms import InputName, argument
from ramify.runtime.values import core


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives, chosen by the variable `choice(name)`: decisions, the first alternative
    first.

    A label makes several inputs take the same alternative, as two parameters of one type variable do.
    """

    alternatives: tuple[Shape, ...]
    label: str = ""
    decides: bool = True

    @property
    def kind(self) -> type:
        kinds = {shape.kind for shape in self.alternatives}
        return kinds.pop() if len(kinds) == 1 else object

    @property
    def parts(self) -> tuple[Shape, ...]:
        return self.alternatives

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        allowed = self._allowed(make, level)
        return allowed[make.pick(self._variable(name), len(allowed))].build(name, make, level)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        allowed = self._allowed(make, level)
        return allowed[make.picked(self._variable(name), len(allowed))].text(name, make, level)

    def _allowed(self, make: Maker, level: int) -> tuple[Shape, ...]:
        """At the greatest depth of nested objects only the alternatives that end there; and extra ones only if
        they are wanted.
        """
        shapes = self.alternatives
        if not make.alternatives:
            shapes = tuple(s for s in shapes if not isinstance(s, Extra)) or shapes
        if level < make.max_depth:
            return shapes
        return tuple(s for s in shapes if not nests(s)) or shapes

    def _variable(self, name: InputName) -> InputName:
        return argument(self.label).choice if self.label else name.choice


def choice(alternatives: list[Shape], label: str = "") -> Shape:
    """The choice between these, each once; no choice if there is only one."""
    flat: list[Shape] = []
    for shape in alternatives:
        # A labelled choice is shared with other inputs and must stay one.
        inside = shape.alternatives if isinstance(shape, Choice) and not shape.label else (shape,)
        flat += [s for s in inside if s not in flat]
    return flat[0] if len(flat) == 1 else Choice(tuple(flat), label)


@dataclass(frozen=True, slots=True)
class Extra:
    """An alternative beyond what was asked for: a subclass, another way to make an object, or a type that the
    declaration excludes though the function tests for it (`outside`).
    """

    shape: Shape
    outside: bool = False

    @property
    def kind(self) -> type:
        return self.shape.kind

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.shape,)

    @property
    def decides(self) -> bool:
        return self.shape.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        if self.outside:
            make.outside.append(name)
        return self.shape.build(name, make, level)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        if self.outside:
            make.outside.append(name)
        return self.shape.text(name, make, level)


@dataclass(frozen=True, slots=True)
class Concrete:
    """An input that goes straight into C code, which keeps its value and drops its term."""

    shape: Shape

    @property
    def kind(self) -> type:
        return self.shape.kind

    @property
    def decides(self) -> bool:
        return self.shape.decides

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value = self.shape.build(name, make, level)
        if core.is_concolic(value):
            path.concretised(f"{self.kind.__name__}()")
        return core.plain(value)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return self.shape.text(name, make, level)


@dataclass(frozen=True, slots=True)
class Condition:
    """What an input must satisfy, and how that is said."""

    words: str
    holds: Callable[[Any], Any] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Bounded:
    """An input that must satisfy conditions: others are rejected, and the search looks for one that does."""

    shape: Shape
    conditions: tuple[Condition, ...]
    decides: bool = True

    @property
    def kind(self) -> type:
        return self.shape.kind

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.shape,)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value = self.shape.build(name, make, level)
        for condition in self.conditions:
            try:
                with assumed():
                    holds = bool(condition.holds(value))
            # A condition that cannot be evaluated does not hold: the value is no input.
            except Exception as error:
                raise Rejected(f"{name} {condition.words}: {type(error).__name__}: {error}") from error
            if not holds:
                raise Rejected(f"{name} is not {condition.words}")
        return value

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return self.shape.text(name, make, level)
