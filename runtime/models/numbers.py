"""Functions of `math`: exact terms where solvers have them, else terms that evaluation and guesses understand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ramify.runtime.models.conversions import float_
from ramify.runtime.models.registry import LIBRARY, models, models_concolic, models_one
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FALSE, MAX_FACTORIAL, Term, const, largest_accepted
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import as_index
from ramify.runtime.values.numeric.bool_ import SymBool, sym_bool
from ramify.runtime.values.numeric.float_ import SymFloat, sym_float
from ramify.runtime.values.numeric.int_ import SymInt, number, sym_int

Number = tuple[Any, Term]


# Rounding, and what is exact


def _rounding(function: Callable[..., Any], name: str) -> None:
    def model(value: Any, /) -> Any:
        # `math.floor` takes `__floor__` where there is one, else a float.
        method = getattr(value, name, None)
        return function(value) if method is None else method()

    models_one(function, LIBRARY)(model)


_rounding(math.floor, "__floor__")
_rounding(math.ceil, "__ceil__")
_rounding(math.trunc, "__trunc__")


def as_float(value: Any) -> Any:
    return float_(value) if type(value) in (SymInt, SymBool) else value


def float_number(value: Any) -> Number | None:
    """A number as a plain float and its term; None for what is no number (Python then says so)."""
    found = number(value)
    if found is None or type(found[0]) is not int:
        return found
    try:
        return float(found[0]), T.to_float(found[1])
    # An int may be too large for a float: the original then raises the same.
    except OverflowError:
        return None


@models_one(math.sqrt, LIBRARY)
def sqrt_(value: Any, /) -> Any:
    value = as_float(value)
    if type(value) is not SymFloat:
        return math.sqrt(value)
    plain = core.plain(value)
    # A negative number raises ValueError; nan is not less than zero and gives nan.
    if decide(T.lt(value.term, const(0.0)), plain < 0):
        return math.sqrt(plain)
    return sym_float(math.sqrt(plain), T.sqrt(value.term))


@models_one(math.fabs, LIBRARY)
def fabs_(value: Any, /) -> Any:
    value = as_float(value)
    return abs(value) if type(value) is SymFloat else math.fabs(value)


def _asked(function: Callable[..., bool], build: Callable[[Term], Term]) -> None:
    def model(value: Any, /) -> Any:
        value = as_float(value)
        if type(value) is not SymFloat:
            return function(value)
        return sym_bool(function(core.plain(value)), build(value.term))

    models_one(function, LIBRARY)(model)


_asked(math.isnan, T.is_nan)
_asked(math.isinf, T.is_inf)
# There is no operation for finite: it is what is neither.
_asked(math.isfinite, lambda term: T.and_(T.not_(T.is_nan(term)), T.not_(T.is_inf(term))))


# Functions of one float. Where Python raises is decided first.


def _above(limit: float) -> Callable[[Term], Term]:
    return lambda x: T.and_(T.gt(x, const(limit)), T.not_(T.is_inf(x)))


def _beyond(limit: float) -> Callable[[Term], Term]:
    return lambda x: T.and_(T.gt(T.abs_(x), const(limit)), T.not_(T.is_inf(x)))


# The condition under which CPython raises, as a term; the outcome is observed by calling (`accepts`). Overflows
# depend on the C library, so the limits are found by bisection.
REFUSED: dict[str, Callable[[Term], Term]] = {
    **dict.fromkeys(("log", "log2", "log10"), lambda x: T.le(x, const(0.0))),
    "log1p": lambda x: T.le(x, const(-1.0)),
    **dict.fromkeys(("sin", "cos", "tan"), T.is_inf),
    **dict.fromkeys(("acos", "asin"), lambda x: T.gt(T.abs_(x), const(1.0))),
    "acosh": lambda x: T.lt(x, const(1.0)),
    "atanh": lambda x: T.ge(T.abs_(x), const(1.0)),
    **{name: _above(largest_accepted(getattr(math, name))) for name in ("exp", "exp2", "expm1")},
    **{name: _beyond(largest_accepted(getattr(math, name))) for name in ("sinh", "cosh")},
}


def _total(x: Term) -> Term:
    return FALSE


def _function(name: str, build: Callable[[Term], Term]) -> None:
    function: Callable[..., float] = getattr(math, name)
    refused = REFUSED.get(name, _total)

    def model(value: Any, /) -> Any:
        found = float_number(value)
        if found is None:
            path.concretised(f"math.{name}")
            return function(core.plain(value))
        plain, term = found
        # The decision comes before the call: an exception would leave the path without it.
        if decide(refused(term), not accepts(function, plain)):
            return function(core.plain(value))
        return sym_float(function(plain), build(term))

    models_one(function, LIBRARY)(model)


def accepts(function: Callable[..., Any], *args: Any) -> bool:
    try:
        function(*args)
    except (ValueError, OverflowError):
        return False
    return True


for _name, _build in T.MATH.items():
    if _name != "log":
        _function(_name, _build)


@models_concolic(math.log, LIBRARY)
def log_(value: Any, base: Any = math.e, /) -> Any:
    found = float_number(value)
    if found is None or core.is_concolic(base):
        path.concretised("math.log")
        return math.log(core.plain(value)) if base is math.e else math.log(core.plain(value), core.plain(base))
    plain, term = found
    if decide(REFUSED["log"](term), not accepts(math.log, plain)):
        return math.log(plain) if base is math.e else math.log(plain, base)
    # `math.log(x, base)` is defined as this quotient.
    natural = sym_float(math.log(plain), T.MATH["log"](term))
    if base is math.e:
        return natural
    math.log(plain, base)  # raises for a base that is no base
    return natural / math.log(base)


# Functions of two numbers


def _of_two(name: str, build: Callable[[Term, Term], Term], refused: Callable[[Term, Term], Term]) -> None:
    function: Callable[..., float] = getattr(math, name)

    def model(a: Any, b: Any, /) -> Any:
        left, right = float_number(a), float_number(b)
        if left is None or right is None:
            path.concretised(f"math.{name}")
            return function(core.plain(a), core.plain(b))
        if decide(refused(left[1], right[1]), not accepts(function, left[0], right[0])):
            return function(left[0], right[0])
        return sym_float(function(left[0], right[0]), build(left[1], right[1]))

    models_concolic(function, LIBRARY)(model)


def _never(a: Term, b: Term) -> Term:
    return FALSE


def _no_remainder(a: Term, b: Term) -> Term:
    numbers = T.and_(T.not_(T.is_nan(a)), T.not_(T.is_nan(b)))
    return T.and_(numbers, T.or_(T.is_inf(a), T.eq(b, const(0.0))))


_of_two("atan2", T.atan2, _never)
_of_two("copysign", T.copysign, _never)
_of_two("fmod", T.fmod, _no_remainder)


@models_concolic(math.hypot, LIBRARY)
def hypot_(*coordinates: Any) -> Any:
    parts = [float_number(c) for c in coordinates]
    if len(parts) != 2 or None in parts:
        path.concretised("math.hypot")
        return math.hypot(*map(core.plain, coordinates))
    (a, a_term), (b, b_term) = parts  # type: ignore[misc]
    return sym_float(math.hypot(a, b), T.hypot(a_term, b_term))


@models_concolic(math.pow, LIBRARY)
def pow_(a: Any, b: Any, /) -> Any:
    left, right = float_number(a), float_number(b)
    if left is None or right is None:
        return math.pow(core.plain(a), core.plain(b))
    # For other bases the result depends on whether the exponent is whole, odd, or infinite.
    if not decide(T.gt(left[1], const(0.0)), left[0] > 0):
        path.concretised("math.pow")
        return math.pow(left[0], right[0])
    return sym_float(math.pow(left[0], right[0]), T.pow_(left[1], right[1]))


@models_concolic(math.isclose, LIBRARY)
def isclose_(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    left, right = float_number(a), float_number(b)
    if left is None or right is None or core.is_concolic(rel_tol) or core.is_concolic(abs_tol):
        path.concretised("math.isclose")
        return math.isclose(
            core.plain(a), core.plain(b), rel_tol=core.plain(rel_tol), abs_tol=core.plain(abs_tol)
        )
    value = math.isclose(left[0], right[0], rel_tol=rel_tol, abs_tol=abs_tol)
    x, y, relative = left[1], right[1], const(float(rel_tol))
    distance = T.abs_(T.sub(y, x))
    # CPython's own definition, with both sides in its order.
    near = T.or_(
        T.le(distance, T.abs_(T.mul(relative, y))),
        T.le(distance, T.abs_(T.mul(relative, x))),
        T.le(distance, const(float(abs_tol))),
    )
    finite = T.and_(T.not_(T.is_inf(x)), T.not_(T.is_inf(y)))
    return sym_bool(value, T.or_(T.eq(x, y), T.and_(finite, near)))


# Functions of integers


def _integer(value: Any) -> Number | None:
    # `math.gcd(2.0)` is a TypeError, also for a SymFloat.
    return None if isinstance(value, float) else as_index(value)


@models_concolic(math.gcd, LIBRARY)
def gcd_(*values: Any) -> Any:
    numbers = [_integer(v) for v in values]
    if None in numbers:
        return math.gcd(*map(core.plain, values))
    # The greatest common divisor of no numbers is 0.
    term = const(0)
    for found in numbers:
        assert found is not None
        term = T.gcd(term, found[1])
    return sym_int(math.gcd(*map(core.plain, values)), term)


@models_concolic(math.lcm, LIBRARY)
def lcm_(*values: Any) -> Any:
    path.concretised("math.lcm")
    return math.lcm(*map(core.plain, values))


@models_one(math.isqrt, LIBRARY)
def isqrt_(value: Any, /) -> Any:
    found = _integer(value)
    if found is None or decide(T.lt(found[1], const(0)), found[0] < 0):
        return math.isqrt(core.plain(value))
    return sym_int(math.isqrt(found[0]), T.isqrt(found[1]))


@models_one(math.factorial, LIBRARY)
def factorial_(value: Any, /) -> Any:
    found = _integer(value)
    if found is None or decide(T.lt(found[1], const(0)), found[0] < 0):
        return math.factorial(core.plain(value))
    # A solver may ask for the factorial of a billion.
    if not decide(T.le(found[1], const(MAX_FACTORIAL)), found[0] <= MAX_FACTORIAL):
        path.concretised("math.factorial")
        return math.factorial(found[0])
    return sym_int(math.factorial(found[0]), T.factorial(found[1]))


def _arrangements(function: Callable[..., int], build: Callable[[Term, Term], Term]) -> None:
    def model(n: Any, k: Any = None, /) -> Any:
        if k is None:
            return factorial_(n) if function is math.perm else function(core.plain(n))
        left, right = _integer(n), _integer(k)
        if left is None or right is None:
            return function(core.plain(n), core.plain(k))
        # In CPython's order: the first negative number is the one in the message.
        for plain, term in (left, right):
            if decide(T.lt(term, const(0)), plain < 0):
                return function(left[0], right[0])
        if max(left[0], right[0]) > MAX_FACTORIAL:
            path.concretised(f"math.{function.__name__}")
            return function(left[0], right[0])
        return sym_int(function(left[0], right[0]), build(left[1], right[1]))

    models_concolic(function, LIBRARY)(model)


_arrangements(math.comb, T.comb)
_arrangements(math.perm, T.perm)


@models(math.fsum, LIBRARY)
def fsum_(*args: Any) -> Any:
    if len(args) != 1:
        return math.fsum(*args)
    values = list(args[0])
    if any(map(core.is_concolic, values)):
        path.concretised("math.fsum")
    return math.fsum(map(core.plain, values))


def _lost(name: str) -> None:
    """Functions without a term: the loss is recorded."""
    function: Callable[..., Any] = getattr(math, name)

    def model(*args: Any, **keywords: Any) -> Any:
        path.concretised(f"math.{name}")
        return function(*map(core.plain, args), **{k: core.plain(v) for k, v in keywords.items()})

    models_concolic(function, LIBRARY)(model)


for _name in ("frexp", "gamma", "ldexp", "lgamma", "modf", "nextafter", "remainder", "ulp"):
    _lost(_name)
