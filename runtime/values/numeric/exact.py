"""Decimal and Fraction inputs: comparisons, sums and products keep terms, everything else is concrete."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import INT, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.method import concrete_methods
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import sym_int

COMPARISONS = {"__eq__": T.eq, "__ne__": T.ne, "__lt__": T.lt, "__le__": T.le, "__gt__": T.gt, "__ge__": T.ge}
# The default precision of the decimal context is 28 digits; larger results are rounded, which no term says.
EXACT = const(10**28)  # what a Decimal of the usual precision holds without rounding


class SymDecimal(Decimal):
    """A concolic Decimal: an integer term, and how many of its digits stand behind the point."""

    # An integer and a fixed number of digits, not a fraction: how many digits a Decimal has shows in its text
    # and in what it is rounded to.
    units: Term
    digits: int

    def __bool__(self) -> bool:
        return decide(T.ne(self.units, const(0)), Decimal.__bool__(self))

    def __hash__(self) -> int:
        path.hashed()
        return Decimal.__hash__(self)

    def __neg__(self) -> Any:
        return sym_decimal(-core.plain(self), T.neg(self.units), self.digits)

    def __abs__(self) -> Any:
        return sym_decimal(abs(core.plain(self)), T.abs_(self.units), self.digits)

    def __reduce__(self) -> tuple[Any, ...]:
        return sym_decimal, (core.plain(self), self.units, self.digits)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class SymFraction(Fraction):
    """A concolic Fraction; arithmetic reduces by a common divisor, which has no term."""

    _numerator: Any
    _denominator: Any

    def __bool__(self) -> bool:
        return bool(self._numerator)

    def __hash__(self) -> int:  # type: ignore[override]
        path.hashed()
        return hash(core.plain(self))

    def __floor__(self) -> Any:
        return self._numerator // self._denominator

    def __neg__(self) -> Any:
        top, bottom = ratio(self) or (const(0), const(1))
        return sym_fraction(-core.plain(self), T.neg(top), bottom)

    def __abs__(self) -> Any:
        top, bottom = ratio(self) or (const(0), const(1))
        return sym_fraction(abs(core.plain(self)), T.abs_(top), bottom)

    def __reduce__(self) -> tuple[Any, ...]:
        return sym_fraction, (core.plain(self), *(ratio(self) or ()))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def sym_decimal(value: Decimal, units: Term | None, digits: int) -> Any:
    if units is None or units.op == "const":
        return value
    made = Decimal.__new__(SymDecimal, value)
    made.units, made.digits = units, digits
    if path.CHECK_TERMS:
        path.check(units, int(Fraction(value) * 10**digits))
    return made


def sym_fraction(value: Fraction, numerator: Term, denominator: Term) -> Any:
    # Not through `Fraction.__new__`, which reduces by the concrete common divisor.
    made: Any = object.__new__(SymFraction)
    made._numerator = sym_int(value.numerator, numerator)
    made._denominator = sym_int(value.denominator, denominator)
    return made


def ratio(value: Any) -> tuple[Term, Term] | None:
    """A finite number as numerator and (positive) denominator."""
    if type(value) is SymDecimal:
        return value.units, const(10**value.digits)
    if type(value) is SymFraction:
        top, bottom = core.term_of(value._numerator), core.term_of(value._denominator)
        # The denominator of a Fraction is positive, so comparisons may multiply crosswise.
        return None if top is None or bottom is None else (top, bottom)
    term = core.term_of(value)
    if term is not None and term.sort is INT:
        return term, const(1)
    try:
        plain = Fraction(value) if isinstance(value, (int, float, Decimal, Fraction)) else None
    # `Fraction(nan)` is a ValueError, `Fraction(inf)` an OverflowError.
    except (ValueError, OverflowError):  # nan and infinities
        return None
    if plain is None or core.is_concolic(value):
        return None
    return const(plain.numerator), const(plain.denominator)


def _comparison(builtin: Any, name: str, build: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    def compare(self: Any, other: Any) -> Any:
        value = getattr(builtin, name)(core.plain(self), core.plain(other))
        mine, theirs = ratio(self), ratio(other)
        if value is NotImplemented:
            return value
        if mine is None or theirs is None:
            path.concretised(f"{builtin.__name__}.{name}")
            return value
        return sym_bool(value, build(T.mul(mine[0], theirs[1]), T.mul(theirs[0], mine[1])))

    return compare


def _arithmetic(name: str, combine: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    """Sums, differences and products of Decimals: exact as long as the digits suffice, which is decided."""

    def operate(self: SymDecimal, other: Any) -> Any:
        value = getattr(Decimal, name)(core.plain(self), core.plain(other))
        theirs = _units(other)
        if value is NotImplemented or theirs is None:
            if value is not NotImplemented:
                path.concretised(f"Decimal.{name}")
            return value
        mine = (self.units, self.digits)
        left, right = (theirs, mine) if name.startswith("__r") else (mine, theirs)
        if combine is T.mul:
            digits, term = left[1] + right[1], T.mul(left[0], right[0])
        else:
            digits = max(left[1], right[1])
            term = combine(*(T.mul(units, const(10 ** (digits - d))) for units, d in (left, right)))
        exact = Fraction(value) * 10**digits
        if not decide(T.lt(T.abs_(term), EXACT), exact.denominator == 1 and abs(exact) < 10**28):
            path.concretised(f"Decimal.{name}")
            return value
        return sym_decimal(value, term, digits)

    return operate


def _units(value: Any) -> tuple[Term, int] | None:
    if type(value) is SymDecimal:
        return value.units, value.digits
    term = core.term_of(value)
    if term is not None and term.sort is INT:
        return term, 0
    if type(value) is Decimal and value.is_finite():
        exponent = value.as_tuple().exponent
        assert isinstance(exponent, int)
        digits = max(-exponent, 0)
        return (const(int(value.scaleb(digits))), digits) if digits <= 20 else None
    return None


for _name, _build in COMPARISONS.items():
    setattr(SymDecimal, _name, _comparison(Decimal, _name, _build))
    setattr(SymFraction, _name, _comparison(Fraction, _name, _build))
for _name, _combine in (("add", T.add), ("sub", T.sub), ("mul", T.mul)):
    setattr(SymDecimal, f"__{_name}__", _arithmetic(f"__{_name}__", _combine))
    setattr(SymDecimal, f"__r{_name}__", _arithmetic(f"__r{_name}__", _combine))


def _rest(cls: type, builtin: type) -> None:
    """All other methods run on the concrete value."""
    # Python's own `fractions` would hand the concolic parts to `math.gcd`, C code that takes the concrete value
    # and does not say so.
    kept = {*vars(cls), "__new__", "__init__", "__class__", "__reduce__", "__getattribute__", "__setattr__"}
    for name, value in vars(builtin).items():
        method = callable(value) and not isinstance(value, (type, classmethod, staticmethod))
        if name not in kept and method and "classmethod" not in type(value).__name__:
            concrete_methods(cls, builtin, name)


_rest(SymDecimal, Decimal)
_rest(SymFraction, Fraction)
core.PLAIN[SymDecimal] = Decimal
core.PLAIN[SymFraction] = lambda value: Fraction(core.plain(value._numerator), core.plain(value._denominator))
core.stands_for(SymDecimal, Decimal)
core.stands_for(SymFraction, Fraction)
