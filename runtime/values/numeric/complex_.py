"""SymComplex: a complex number whose two parts know how they were computed from the inputs."""

from __future__ import annotations

from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.values import core
from ramify.runtime.values.method import concrete_methods


class SymComplex(complex):
    """A concolic complex number: the parts are concolic floats, what has no model uses the concrete value."""

    parts: tuple[Any, Any]

    @property
    def real(self) -> Any:
        return self.parts[0]

    @property
    def imag(self) -> Any:
        return self.parts[1]

    def conjugate(self) -> SymComplex:
        return sym_complex(self.parts[0], -self.parts[1])

    def __bool__(self) -> bool:
        # There is no sort of complex numbers: every test is decided part by part.
        return bool(self.parts[0] != 0.0) or bool(self.parts[1] != 0.0)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, SymComplex):
            return bool(self.parts[0] == other.parts[0]) and bool(self.parts[1] == other.parts[1])
        if isinstance(other, complex):
            return bool(self.parts[0] == other.real) and bool(self.parts[1] == other.imag)
        if isinstance(other, (int, float)):
            return bool(self.parts[1] == 0.0) and bool(self.parts[0] == other)
        return NotImplemented

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    def __hash__(self) -> int:
        path.hashed()
        return complex.__hash__(self)

    def __add__(self, other: Any) -> Any:
        theirs = parts_of(other)
        if theirs is None:
            return NotImplemented
        return sym_complex(self.parts[0] + theirs[0], self.parts[1] + theirs[1])

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        theirs = parts_of(other)
        if theirs is None:
            return NotImplemented
        return sym_complex(self.parts[0] - theirs[0], self.parts[1] - theirs[1])

    def __rsub__(self, other: Any) -> Any:
        theirs = parts_of(other)
        if theirs is None:
            return NotImplemented
        return sym_complex(theirs[0] - self.parts[0], theirs[1] - self.parts[1])

    def __mul__(self, other: Any) -> Any:
        theirs = parts_of(other)
        if theirs is None:
            return NotImplemented
        (a, b), (c, d) = self.parts, theirs
        # CPython's own formula, in its order: any other rounds differently.
        return sym_complex(a * c - b * d, a * d + b * c)

    def __rmul__(self, other: Any) -> Any:
        theirs = parts_of(other)
        return NotImplemented if theirs is None else sym_complex(*theirs) * self

    def __neg__(self) -> SymComplex:
        return sym_complex(-self.parts[0], -self.parts[1])

    def __pos__(self) -> SymComplex:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return sym_complex, self.parts

    def __copy__(self) -> SymComplex:
        return self

    def __deepcopy__(self, memo: Any) -> SymComplex:
        return self


def parts_of(value: Any) -> tuple[Any, Any] | None:
    """A number as Python's complex arithmetic takes it; None for what it does not know."""
    if isinstance(value, SymComplex):
        return value.parts
    if isinstance(value, complex):
        return value.real, value.imag
    if isinstance(value, float):
        # A real operand counts as one with the imaginary part 0.0.
        return value, 0.0
    if isinstance(value, int):
        # Converted by adding, which keeps the term; `float()` here is the builtin and would take the concrete
        # value.
        return (value + 0.0 if core.is_concolic(value) else float(value)), 0.0
    return None


def sym_complex(real: Any, imag: Any) -> SymComplex:
    made = complex.__new__(SymComplex, core.plain(real), core.plain(imag))
    made.parts = (real, imag)
    return made


def _plain(value: SymComplex) -> complex:
    return complex(core.plain(value.parts[0]), core.plain(value.parts[1]))


core.PLAIN[SymComplex] = _plain
core.stands_for(SymComplex, complex)
concrete_methods(
    SymComplex, complex, "__abs__", "__truediv__", "__rtruediv__", "__pow__", "__rpow__",
    "__repr__", "__str__", "__format__", "__complex__",
)  # fmt: skip
