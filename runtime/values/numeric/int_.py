"""SymInt: an int that knows how it was computed from the inputs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FLOAT, INT, MAX_BITS, Term, const, largest_accepted
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.numeric.bool_ import SymBool, as_int, sym_bool

_new: Callable[[type, int], Any] = int.__new__
ORDERS = ("big", "little")
MAX_BYTES = 64  # of an int turned into bytes with a term


class SymInt(int):
    """A concolic int. Its term lives in `__dict__`, since int allows no slots."""

    term: Term

    def __bool__(self) -> bool:
        return decide(T.ne(self.term, ZERO), int.__bool__(self))

    # `int()` of C code flattens a subclass, and warns of it; in rewritten code `int(x)` is a model and keeps
    # the term.
    def __int__(self) -> int:
        path.concretised("int()")
        return int.__int__(self)

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        # CPython's `n *= "ab"` asks a subclass of int for repetition, which it has not; `n * "ab"` works.
        return self * other

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __pos__ = conjugate = __trunc__

    def __float__(self) -> float:
        path.concretised("float()")
        return int.__float__(self)

    def __hash__(self) -> int:
        path.hashed()
        return int.__hash__(self)

    def __str__(self) -> str:
        path.shown()
        # `int.__str__` is object's and would call our own `__repr__`.
        return core.wrap(int.__repr__(self), T.int_to_str(self.term))  # type: ignore[no-any-return]

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        path.shown()
        if spec in ("", "d"):
            return core.wrap(int.__repr__(self), T.int_to_str(self.term))  # type: ignore[no-any-return]
        plain_spec = core.plain(spec)
        value = int.__format__(int.__int__(self), plain_spec)
        return core.wrap(value, T.format_(self.term, const(plain_spec)))  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return core.wrap, (int.__int__(self), self.term)

    def __copy__(self) -> SymInt:
        return self

    def __deepcopy__(self, memo: Any) -> SymInt:
        return self

    def __neg__(self) -> Any:
        return sym_int(int.__neg__(self), T.neg(self.term))

    def __abs__(self) -> Any:
        return sym_int(int.__abs__(self), T.abs_(self.term))

    def __invert__(self) -> Any:
        return sym_int(int.__invert__(self), T.invert(self.term))

    def __round__(self, digits: Any = None) -> Any:
        if digits is None or (type(digits) is int and digits >= 0):
            return self
        # How many digits are rounded off must be known: the term takes it as a constant.
        if type(digits) is not int:
            path.concretised("round()")
            return int.__round__(self, core.plain(digits))
        return sym_int(int.__round__(self, digits), T.round_to(self.term, const(digits)))

    def bit_length(self) -> Any:
        return sym_int(int.bit_length(self), T.bit_length(self.term))

    def bit_count(self) -> Any:
        return sym_int(int.bit_count(self), T.bit_count(self.term))

    def to_bytes(self, length: Any = 1, byteorder: Any = "big", *, signed: Any = False) -> Any:
        size, order = core.plain(length), core.plain(byteorder)
        value = int.__int__(self)
        if core.is_concolic(length) or type(size) is not int or not 0 <= size <= MAX_BYTES or order not in ORDERS:
            path.concretised("int.to_bytes")
            return int.to_bytes(value, size, order, signed=bool(signed))
        limit = 1 << (8 * size)
        # Outside of these Python raises OverflowError; zero bytes hold zero only.
        low, high = (-(limit // 2) if size else 0, limit // 2) if signed else (0, limit)
        # What does not fit raises OverflowError, a path of its own.
        fits = T.and_(T.le(const(low), self.term), T.lt(self.term, const(max(high, 1))))
        if not decide(fits, low <= value < max(high, 1)) or not size:
            return int.to_bytes(value, size, order, signed=bool(signed))
        places = range(size) if order == "little" else reversed(range(size))
        text = const("")
        for place in places:
            code = T.mod(T.floordiv(self.term, const(256**place)), const(256))
            text = T.concat(text, T.chr_(code))
        return core.wrap_bytes(int.to_bytes(value, size, order, signed=bool(signed)), text)

    def as_integer_ratio(self) -> Any:
        return (self, 1)

    @property
    def real(self) -> Any:
        return self

    numerator = real

    @property
    def imag(self) -> Any:
        return 0

    @property
    def denominator(self) -> Any:
        return 1


@core.checked
def sym_int(value: int, term: Term) -> Any:
    """The concolic int, or the plain one if the term says nothing."""
    if term.op == "const":
        return value
    made = _new(SymInt, value)
    made.term = term
    return made


ZERO = const(0)
REPEATED = (list, tuple, str, bytes, bytearray)


def number(value: Any) -> tuple[Any, Term] | None:
    """A number as its plain value and term; None for what is no int, bool or float (subclasses of users count
    as plain).
    """
    kind = type(value)
    if kind is SymInt or kind is int or kind is float or kind is bool:
        return core.plain(value), core.term_of(value)  # type: ignore[return-value]
    if kind is SymBool:
        value = as_int(value)
        return core.plain(value), core.term_of(value)  # type: ignore[return-value]
    if isinstance(value, int):
        return int.__int__(value), const(int.__int__(value))
    if isinstance(value, float):
        return float.__float__(value), core.term_of(value) or const(float.__float__(value))
    if kind is complex:  # it takes the concrete value
        path.concretised("complex number")
    return None


def _arithmetic(name: str, build: Callable[[Term, Term], Term], divides: bool = False) -> None:
    """Defines `+` and the like, in both directions. `divides`: a zero divisor is a decision, and then Python
    raises.
    """
    concrete: Callable[[Any, Any], Any] = getattr(int, f"__{name}__")
    general: Callable[[Any, Any], Any] = getattr(operator, name)

    def forward(self: SymInt, other: Any) -> Any:
        # The exact types first: nearly all operations of a loop are between these two.
        kind = type(other)
        if kind is int:
            term = const(other)
        elif kind is SymInt:
            term = other.term
        else:
            return mixed(self, other, False)
        if divides and not nonzero(term, other):
            return concrete(self, other)
        return core_wrap(concrete(self, other), build(self.term, term))

    def backward(self: SymInt, other: Any) -> Any:
        if type(other) is not int:
            return mixed(self, other, True)
        if divides and not nonzero(self.term, self):
            return concrete(other, self)
        return core_wrap(concrete(other, self), build(const(other), self.term))

    def mixed(self: SymInt, other: Any, swapped: bool) -> Any:
        found = number(other)
        if found is None:
            if name == "mul" and type(other) is str and len(other) * int.__int__(self) <= MAX_REPEATED:
                return core.wrap(other * int.__int__(self), T.repeat(const(other), self.term))
            # C code repeats sequences by the concrete value of an int subclass and does not ask it.
            if name == "mul" and isinstance(other, REPEATED):
                _settle(self)
            return NotImplemented
        left, right = (int.__int__(self), self.term), found
        if swapped:
            left, right = right, left
        if divides and not nonzero(right[1], right[0]):
            return general(left[0], right[0])
        return core.wrap(general(left[0], right[0]), build(left[1], right[1]))

    # `/` of two ints is a float.
    core_wrap = core.wrap if name == "truediv" else sym_int
    setattr(SymInt, f"__{name}__", forward)
    setattr(SymInt, f"__r{name}__", backward)


MAX_REPEATED = 10_000  # characters of a text that is repeated
MAX_COUNTED = 64  # how often anything else is repeated before the number is concretised


def _settle(count: SymInt) -> None:
    """Decides how often a plain sequence is repeated: Python repeats it without asking."""
    value = int.__int__(count)
    # From below: negative numbers and zero give the same empty sequence.
    for fewer in range(MAX_COUNTED):
        if decide(T.le(count.term, const(fewer)), value <= fewer):
            return
    path.concretised("repetition")


def nonzero(term: Term, value: Any) -> bool:
    """Decides whether a divisor is different from zero."""
    if term.op == "const":
        return bool(term.value != 0)
    return decide(T.ne(term, ZERO), bool(core.plain(value) != 0))


def _comparison(name: str, build: Callable[[Term, Term], Term]) -> None:
    concrete: Callable[[Any, Any], Any] = getattr(int, f"__{name}__")
    general: Callable[[Any, Any], Any] = getattr(operator, name)

    def method(self: SymInt, other: Any) -> Any:
        kind = type(other)
        if kind is int:
            return sym_bool(concrete(self, other), build(self.term, const(other)))
        if kind is SymInt:
            return sym_bool(concrete(self, other), build(self.term, other.term))
        found = number(other)
        if found is None:
            return NotImplemented
        return sym_bool(general(int.__int__(self), found[0]), build(self.term, found[1]))

    setattr(SymInt, f"__{name}__", method)


def _bits(name: str, build: Callable[[Term, Term], Term], shifts: bool = False) -> None:
    """Defines the operators that only take integers. `shifts`: a negative count is a decision, and then
    Python raises.
    """
    concrete: Callable[[Any, Any], Any] = getattr(int, f"__{name}__")

    def apply(left: tuple[Any, Term], right: tuple[Any, Term]) -> Any:
        if shifts and decide(T.lt(right[1], ZERO), right[0] < 0):
            return concrete(left[0], right[0])
        # A solver may ask for a shift by a billion, which Python would really carry out.
        if shifts and right[0] > MAX_BITS - left[0].bit_length():
            path.concretised("large shift")
            return concrete(left[0], right[0])
        return sym_int(concrete(left[0], right[0]), build(left[1], right[1]))

    def forward(self: SymInt, other: Any) -> Any:
        found = number(other)
        if found is None or found[1].sort is FLOAT:
            return NotImplemented
        return apply((int.__int__(self), self.term), found)

    def backward(self: SymInt, other: Any) -> Any:
        found = number(other)
        if found is None or found[1].sort is FLOAT:
            return NotImplemented
        return apply(found, (int.__int__(self), self.term))

    setattr(SymInt, f"__{name}__", forward)
    setattr(SymInt, f"__r{name}__", backward)


for _name in ("add", "sub", "mul"):
    _arithmetic(_name, getattr(T, _name))
for _name in ("truediv", "floordiv", "mod"):
    _arithmetic(_name, getattr(T, _name), divides=True)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name, getattr(T, _name))
for _name, _build in (("and", T.and_bits), ("or", T.or_bits), ("xor", T.xor_bits)):
    _bits(_name, _build)
for _name, _build in (("lshift", T.lshift), ("rshift", T.rshift)):
    _bits(_name, _build, shifts=True)


def _divmod(self: Any, other: Any) -> Any:
    found = number(other)
    return NotImplemented if found is None else divided((int.__int__(self), self.term), found)


def _rdivmod(self: Any, other: Any) -> Any:
    found = number(other)
    return NotImplemented if found is None else divided(found, (int.__int__(self), self.term))


def divided(left: tuple[Any, Term], right: tuple[Any, Term]) -> Any:
    """`divmod` of two numbers."""
    nonzero(right[1], right[0])
    value = divmod(left[0], right[0])
    terms = T.floordiv(left[1], right[1]), T.mod(left[1], right[1])
    return core.wrap(value[0], terms[0]), core.wrap(value[1], terms[1])


def power(base: tuple[Any, Term], exponent: tuple[Any, Term]) -> Any:
    """`**` of two numbers. A negative power is a float and a power of zero or of a negative float may raise:
    decisions.
    """
    (left, left_term), (right, right_term) = base, exponent
    if decide(T.lt(right_term, ZERO), right < 0):
        if not nonzero(left_term, left):
            return left**right
        # Python's `2 ** -1` is a float as well.
        if left_term.sort is INT and right_term.sort is INT:
            return core.wrap(left**right, T.pow_(T.to_float(left_term), T.to_float(right_term)))
    # A negative float to a power that is not whole is a complex number, which has no term.
    if _may_be_complex(left_term, right_term) and decide(T.lt(left_term, ZERO), left < 0):
        path.concretised("power of a negative number")
        return left**right
    if FLOAT in (left_term.sort, right_term.sort) and not _fits(left, left_term, right, right_term):
        return left**right
    value = left**right
    if type(value) is int and value.bit_length() > MAX_BITS:
        path.concretised("large power")
        return value
    return core.wrap(value, T.pow_(left_term, right_term))


def _fits(left: Any, base: Term, right: Any, exponent: Term) -> bool:
    """Decides whether a power of floats is none that is too large: Python raises then."""
    if exponent.is_const and not base.is_const:
        power_of, value, term = exponent.value, abs(left), T.abs_(base)
        largest = _largest_base(power_of) if 1 < power_of < 1024 else None
        if power_of < 0:
            path.concretised("power of floats")  # of a tiny base it may be too large
    elif base.is_const:
        root, value, term = abs(base.value), right, exponent
        largest = _largest_exponent(root) if root > 1 else None
    else:
        path.concretised("power of floats")
        return True
    if largest is None or decide(T.not_(T.gt(term, const(largest))), not value > largest):
        return True
    return math.isinf(value)


@lru_cache(maxsize=64)
# By bisection on what this C library accepts: where exactly `pow` overflows is its affair.
def _largest_base(exponent: float) -> float:
    return largest_accepted(lambda base: base**exponent)


@lru_cache(maxsize=64)
def _largest_exponent(base: float) -> float:
    return largest_accepted(lambda exponent: base**exponent)


def _may_be_complex(base: Term, exponent: Term) -> bool:
    """Whether powers of a negative base are complex for some exponents that are possible."""
    if exponent.sort is INT or (base.is_const and base.value >= 0):
        return False
    return not exponent.is_const or not float(exponent.value).is_integer()


def _pow(self: SymInt, other: Any, modulus: Any = None) -> Any:
    # `pow(x, y, m)` of rewritten code is a model; this is what C code or `operator` calls.
    if modulus is not None:
        path.concretised("pow() with a modulus")
        return pow(int.__int__(self), core.plain(other), core.plain(modulus))
    found = number(other)
    return NotImplemented if found is None else power((int.__int__(self), self.term), found)


def _rpow(self: SymInt, other: Any, modulus: Any = None) -> Any:
    found = number(other)
    return NotImplemented if found is None else power(found, (int.__int__(self), self.term))


for _name, _method in (("divmod", _divmod), ("rdivmod", _rdivmod), ("pow", _pow), ("rpow", _rpow)):
    setattr(SymInt, f"__{_name}__", _method)

# From 3.12 on.
if hasattr(int, "is_integer"):
    SymInt.is_integer = lambda self: True  # type: ignore[attr-defined]

core.FACTORIES[INT] = sym_int
core.TERM_OF[SymInt] = operator.attrgetter("term")
core.PLAIN[SymInt] = int.__int__
core.stands_for(SymInt, int)
