"""SymFloat: a float that knows how it was computed from the inputs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FLOAT, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.method import concrete_methods
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import ZERO, divided, nonzero, number, power

_new: Callable[[type, float], Any] = float.__new__
ZERO_FLOAT = const(0.0)


class SymFloat(float):
    """A concolic float."""

    __slots__ = ("term",)
    term: Term

    def __bool__(self) -> bool:
        return decide(T.ne(self.term, ZERO_FLOAT), float.__bool__(self))

    # `__float__` must return an exact float: CPython warns of a subclass and flattens it.
    def __float__(self) -> float:
        path.concretised("float()")
        return float.__float__(self)

    def __int__(self) -> int:
        path.concretised("int()")
        return float.__int__(self)

    def __hash__(self) -> int:
        path.hashed()
        return float.__hash__(self)

    def __str__(self) -> str:
        path.shown()
        return core.wrap(float.__repr__(self), T.float_to_str(self.term))  # type: ignore[no-any-return]

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        path.shown()
        if spec == "":
            return core.wrap(float.__repr__(self), T.float_to_str(self.term))  # type: ignore[no-any-return]
        plain_spec = core.plain(spec)
        value = float.__format__(float.__float__(self), plain_spec)
        return core.wrap(value, T.format_(self.term, const(plain_spec)))  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return core.wrap, (float.__float__(self), self.term)

    def __copy__(self) -> SymFloat:
        return self

    def __deepcopy__(self, memo: Any) -> SymFloat:
        return self

    def __neg__(self) -> Any:
        return sym_float(float.__neg__(self), T.neg(self.term))

    def __pos__(self) -> Any:
        return self

    conjugate = __pos__

    def __abs__(self) -> Any:
        return sym_float(float.__abs__(self), T.abs_(self.term))

    def __trunc__(self) -> Any:
        return rounded(self, float.__trunc__, T.to_int)

    def __floor__(self) -> Any:
        return rounded(self, float.__floor__, T.floor_)

    def __ceil__(self) -> Any:
        return rounded(self, float.__ceil__, T.ceil_)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return rounded(self, float.__round__, T.round_)
        # `round(x, n)` goes through the decimal text of the float; the term knows that for a known number of
        # digits.
        if type(digits) is not int:
            path.concretised("round()")
            return float.__round__(self, core.plain(digits))
        return sym_float(float.__round__(self, digits), T.round_to(self.term, const(digits)))

    def is_integer(self) -> Any:
        term = self.term
        # `floor` of nan or an infinity is undefined, so they are excluded first; `and_` does not evaluate
        # further.
        finite = T.and_(T.not_(T.is_nan(term)), T.not_(T.is_inf(term)), T.eq(T.floor_(term), term))
        return sym_bool(float.is_integer(self), finite)

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> float:
        return 0.0


@core.checked
def sym_float(value: float, term: Term) -> Any:
    """The concolic float, or the plain one if the term says nothing."""
    if term.op == "const":
        return value
    made = _new(SymFloat, value)
    made.term = term
    return made


def finite(value: float, term: Term) -> bool:
    """Decides whether a float is neither nan nor infinite."""
    # nan and the infinities raise different exceptions: ValueError and OverflowError.
    if decide(T.is_nan(term), float.__ne__(value, value)):
        return False
    return not decide(T.is_inf(term), float.__abs__(value) == float("inf"))


def rounded(self: SymFloat, concrete: Callable[..., Any], build: Callable[[Term], Term]) -> Any:
    """A conversion to int; nan and the infinities are decisions, and then Python raises."""
    value = float.__float__(self)
    if not finite(value, self.term):
        return concrete(value)
    return core.wrap(concrete(value), build(self.term))


def _operand(value: Any) -> tuple[Any, Term] | None:
    if type(value) is SymFloat:
        return float.__float__(value), value.term
    return number(value)


def _operator(name: str, build: Callable[[Term, Term], Term], divides: bool = False) -> None:
    """Defines an arithmetic operator in both directions. `divides`: a zero divisor is a decision, and then
    Python raises.
    """
    concrete: Callable[[Any, Any], Any] = getattr(operator, name)

    def apply(left: tuple[Any, Term], right: tuple[Any, Term]) -> Any:
        if divides and not nonzero(right[1], right[0]):
            return concrete(left[0], right[0])
        return core.wrap(concrete(left[0], right[0]), build(left[1], right[1]))

    def forward(self: SymFloat, other: Any) -> Any:
        right = _operand(other)
        return NotImplemented if right is None else apply((float.__float__(self), self.term), right)

    def backward(self: SymFloat, other: Any) -> Any:
        left = _operand(other)
        return NotImplemented if left is None else apply(left, (float.__float__(self), self.term))

    setattr(SymFloat, f"__{name}__", forward)
    setattr(SymFloat, f"__r{name}__", backward)


def _comparison(name: str, build: Callable[[Term, Term], Term]) -> None:
    concrete: Callable[[Any, Any], Any] = getattr(operator, name)

    def method(self: SymFloat, other: Any) -> Any:
        right = _operand(other)
        if right is None:
            return NotImplemented
        return sym_bool(concrete(float.__float__(self), right[0]), build(self.term, right[1]))

    setattr(SymFloat, f"__{name}__", method)


for _name in ("add", "sub", "mul"):
    _operator(_name, getattr(T, _name))
for _name in ("truediv", "floordiv", "mod"):
    _operator(_name, getattr(T, _name), divides=True)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name, getattr(T, _name))


def _divmod(self: Any, other: Any) -> Any:
    right = _operand(other)
    return NotImplemented if right is None else divided((float.__float__(self), self.term), right)


def _rdivmod(self: Any, other: Any) -> Any:
    left = _operand(other)
    return NotImplemented if left is None else divided(left, (float.__float__(self), self.term))


def _pow(self: SymFloat, other: Any, modulus: Any = None) -> Any:
    if modulus is not None:
        return pow(float.__float__(self), core.plain(other), core.plain(modulus))
    right = _operand(other)
    return NotImplemented if right is None else power((float.__float__(self), self.term), right)


def _rpow(self: SymFloat, other: Any, modulus: Any = None) -> Any:
    left = _operand(other)
    return NotImplemented if left is None else power(left, (float.__float__(self), self.term))


for _name, _method in (("divmod", _divmod), ("rdivmod", _rdivmod), ("pow", _pow), ("rpow", _rpow)):
    setattr(SymFloat, f"__{_name}__", _method)

concrete_methods(SymFloat, float, "as_integer_ratio", "hex")

core.FACTORIES[FLOAT] = sym_float
core.TERM_OF[SymFloat] = operator.attrgetter("term")
core.PLAIN[SymFloat] = float.__float__
core.stands_for(SymFloat, float)
# `0 == 0.0` in Python: were both one constant, floats would be compared as ints.
assert ZERO is not ZERO_FLOAT
