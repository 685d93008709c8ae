"""Inputs that are one variable: numbers, texts, bytes; and inputs that are always the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker
from ramify.runtime.inputs.shapes.literals import literal
from ramify.runtime.recording import path
from ramify.runtime.terms import BOOL, FLOAT, INT, STR, InputName, Sort, const, var
from ramify.runtime.terms import language as T
from ramify.runtime.values.numeric.complex_ import sym_complex
from ramify.runtime.values.texts.bytes_ import sym_bytes

DEFAULTS: dict[Sort, Any] = {INT: 0, BOOL: False, FLOAT: 0.0, STR: ""}
KINDS: dict[Sort, type] = {INT: int, BOOL: bool, FLOAT: float, STR: str}


@dataclass(frozen=True, slots=True)
class Scalar:
    """An int, bool, float or str: one variable. An int may have bounds, and be a multiple of something."""

    sort: Sort
    default: Any = None
    low: int | None = None
    high: int | None = None
    step: int = 1

    @property
    def kind(self) -> type:
        return KINDS[self.sort]

    @property
    def decides(self) -> bool:
        return self.sort is BOOL

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value, variable = self.value(name, make), var(name, self.sort)
        if self.sort is BOOL:
            # Nothing can pass for a bool everywhere (`is True`, `case True`, C code): the target gets a real one.
            return make.choose(name, variable, value)
        if self.sort is STR:
            make.size(name, len(value))
            make.fact(T.le(T.length(variable), const(make.max_size)))
        if self.low is not None:
            make.fact(T.le(const(self.low), variable))
        if self.high is not None:
            make.fact(T.le(variable, const(self.high)))
        if self.step != 1:
            make.fact(T.eq(T.mod(variable, const(self.step)), const(0)))
        return make.wrap(value, variable)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return literal(self.value(name, make))

    def value(self, name: InputName, make: Maker) -> Any:
        default = DEFAULTS[self.sort] if self.default is None else self.default
        value = T.plain(make.value(name, self.sort, default), self.sort)
        if self.sort is not INT:
            return value
        inside = self._inside(value)
        if inside != value:
            # The assignment says what was built, also when a solver gave something outside.
            make.assignment[name] = inside
        return inside

    def _inside(self, value: int) -> int:
        """The nearest number that the bounds and the step allow."""
        if self.low is not None and value < self.low:
            value = self.low
        elif self.high is not None and value > self.high:
            value = self.high
        # Of the two neighbouring multiples the lower one, unless it falls out of the bounds.
        down = value - value % self.step
        return down if self.low is None or down >= self.low else down + self.step


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes: a text variable whose code points are below 256 (what the solver gives beyond is taken modulo).

    A bytearray cannot hold terms: its content is given up when it is built.
    """

    kind: type = bytes
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value = self._value(name, make).encode("latin-1")
        make.fact(T.le(T.length(var(name, STR)), const(make.max_size)))
        if make.plain:
            return self.kind(value)
        # Its buffer belongs to C code, which no override sees.
        if self.kind is bytearray:
            path.concretised("bytearray()")
            return bytearray(value)
        make.fact(T.is_latin(var(name, STR)))
        return sym_bytes(value, var(name, STR))

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return repr(self.kind(self._value(name, make).encode("latin-1")))

    def _value(self, name: InputName, make: Maker) -> str:
        value: str = make.value(name, STR, "")
        make.size(name, len(value))
        if any(character > "\xff" for character in value):
            value = make.assignment[name] = "".join(chr(ord(c) % 256) for c in value)
        return value


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex number: two float variables."""

    kind: type = complex
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        real, imag = (Scalar(FLOAT).build(name.part(part), make, level) for part in ("real", "imag"))
        return complex(real, imag) if make.plain else sym_complex(real, imag)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        real, imag = (Scalar(FLOAT).text(name.part(part), make, level) for part in ("real", "imag"))
        return f"complex({real}, {imag})"


@dataclass(frozen=True, slots=True)
class Fixed:
    """One value, always the same: None, a member of an Enum, a Literal, a class."""

    value: Any

    @property
    def kind(self) -> type:
        return type(self.value)

    @property
    def decides(self) -> bool:
        return False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        if isinstance(self.value, Enum):
            cls: Any = make.resolve(type(self.value))
            return cls[self.value.name] if self.value.name in cls.__members__ else cls(self.value.value)
        return make.resolve(self.value) if isinstance(self.value, type) else self.value

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return make.named(self.value) if isinstance(self.value, type) else literal(self.value, make)
