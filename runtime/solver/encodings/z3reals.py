"""Integers as Z3 integers, exactly, and floats as reals: a first guess without rounding, nan or infinity."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from z3 import z3core as c

from ramify.runtime.solver.encodings.encoder import (
    Ast,
    Encoder,
    Handler,
    Unsupported,
    by_first,
    chained,
    flag,
    negated,
    simple,
)
from ramify.runtime.terms import BOOL, FLOAT, INT, MAX_DECIMAL_BITS, Term

MAX_POWER = 64  # exponents unrolled into products
MAX_SHIFT = 64  # variable shift distances tried
MAX_DIGITS = 30  # that round() leaves or takes away
MAX_COUNTED = 24  # bits counted one by one
MAX_MASK = 1_024  # bits of a mask, each run of ones a division of its own

SORTS = {INT: c.Z3_mk_int_sort, FLOAT: c.Z3_mk_real_sort}


def _as_real(e: Encoder, node: Term, ast: Ast) -> Ast:
    return ast if node.sort is FLOAT else e.call(c.Z3_mk_int2real, ast)


def _floor(e: Encoder, real: Ast) -> Ast:
    return e.call(c.Z3_mk_real2int, real)


def constant(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    value = node.value
    if node.sort is BOOL:
        return flag(e, node, args)
    if node.sort is INT:
        return e.number(value)
    if node.sort is FLOAT:
        if value != value or value in (float("inf"), float("-inf")):
            raise Unsupported("a float that is no real")
        return e.number(Fraction(value), e.real)
    raise Unsupported(f"constant of sort {node.sort!r}")


def absolute(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    zero = e.number(0, e.sort(node.sort))
    return e.ite(e.call(c.Z3_mk_ge, args[0], zero), args[0], e.call(c.Z3_mk_unary_minus, args[0]))


def unmixed(build: Callable[..., Ast]) -> Handler:
    """A comparison of numbers; an integer beside a real becomes one, which is exact."""

    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        a, b = node.args
        if a.sort is not b.sort:
            args = [_as_real(e, a, args[0]), _as_real(e, b, args[1])]
        return build(e.ref, *args)

    return handler


def floordiv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """Python rounds to minus infinity; Z3's `div` does so for positive divisors."""
    a, b = args
    if node.sort is FLOAT:
        return e.call(c.Z3_mk_int2real, _floor(e, e.call(c.Z3_mk_div, a, b)))
    divisor = node.args[1]
    if divisor.is_const and divisor.value > 0:
        return c.Z3_mk_div(e.ref, a, b)
    positive = e.call(c.Z3_mk_gt, b, e.number(0))
    minus_a, minus_b = e.call(c.Z3_mk_unary_minus, a), e.call(c.Z3_mk_unary_minus, b)
    return e.ite(positive, e.call(c.Z3_mk_div, a, b), e.call(c.Z3_mk_div, minus_a, minus_b))


def mod(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """The remainder takes the divisor's sign."""
    a, b = args
    if node.sort is FLOAT:
        whole = e.call(c.Z3_mk_int2real, _floor(e, e.call(c.Z3_mk_div, a, b)))
        return e.sub(a, e.mul(b, whole))
    divisor = node.args[1]
    if divisor.is_const and divisor.value > 0:
        return c.Z3_mk_mod(e.ref, a, b)
    positive = e.call(c.Z3_mk_gt, b, e.number(0))
    minus_a, minus_b = e.call(c.Z3_mk_unary_minus, a), e.call(c.Z3_mk_unary_minus, b)
    other = e.call(c.Z3_mk_unary_minus, e.call(c.Z3_mk_mod, minus_a, minus_b))
    return e.ite(positive, e.call(c.Z3_mk_mod, a, b), other)


def truediv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_div(e.ref, _as_real(e, node.args[0], args[0]), _as_real(e, node.args[1], args[1]))


def power(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    base, exponent = node.args
    if exponent.is_const and 0 < exponent.value <= MAX_POWER and exponent.value == int(exponent.value):
        return e.mul(*[args[0]] * int(exponent.value))
    if node.sort is FLOAT:
        raise Unsupported("pow of floats")
    if base.is_const and base.value.bit_length() > MAX_DECIMAL_BITS // MAX_POWER:
        raise Unsupported("so large a number")
    if base.is_const and abs(base.value) > 1:
        return _cases(e, node, args[1], [e.number(base.value**k) for k in range(MAX_POWER)])
    products = [e.number(1), args[0]]
    for _ in range(6):
        products.append(e.mul(products[-1], args[0]))
    return _cases(e, node, args[1], products)


def _cases(e: Encoder, node: Term, selector: Ast, results: list[Ast]) -> Ast:
    """results[selector], with the selector assumed to be in range."""
    e.assume(node, e.call(c.Z3_mk_ge, selector, e.number(0)))
    e.assume(node, e.call(c.Z3_mk_lt, selector, e.number(len(results))))
    chosen = results[-1]
    for k in reversed(range(len(results) - 1)):
        chosen = e.ite(e.call(c.Z3_mk_eq, selector, e.number(k)), results[k], chosen)
    return chosen


def _distance(value: int) -> int:
    """A constant distance: an input put in its place may be any number."""
    if not 0 <= value <= MAX_DECIMAL_BITS:
        raise Unsupported("so long a shift")
    return value


def lshift(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    distance = node.args[1]
    if distance.is_const:
        return e.mul(args[0], e.number(1 << _distance(distance.value)))
    return e.mul(args[0], _cases(e, node, args[1], [e.number(1 << k) for k in range(MAX_SHIFT)]))


def rshift(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    distance = node.args[1]
    if distance.is_const:
        return e.call(c.Z3_mk_div, args[0], e.number(1 << _distance(distance.value)))
    return e.call(c.Z3_mk_div, args[0], _cases(e, node, args[1], [e.number(1 << k) for k in range(MAX_SHIFT)]))


def masked(e: Encoder, x: Ast, mask: int) -> Ast:
    """x & mask for a constant mask, exactly: every run of ones is a division and a remainder."""
    if mask < 0:
        return e.sub(x, masked(e, x, ~mask))
    if mask.bit_length() > MAX_MASK:
        raise Unsupported("so wide a mask")
    parts = []
    low = 0
    while mask >> low:
        if mask >> low & 1:
            high = low
            while mask >> high & 1:
                high += 1
            shifted = e.call(c.Z3_mk_div, x, e.number(1 << low)) if low else x
            parts.append(e.mul(e.call(c.Z3_mk_mod, shifted, e.number(1 << high - low)), e.number(1 << low)))
            low = high
        else:
            low += 1
    return e.add(*parts) if parts else e.number(0)


def bitwise(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """With a constant: `x | m` is `x + m - (x & m)`, `x ^ m` is `x + m - 2 * (x & m)`. Without: bit-vectors
    must do.
    """
    x, m = args
    if not node.args[1].is_const:
        raise Unsupported(f"{node.op} of two unknowns")
    common = masked(e, x, node.args[1].value)
    if node.op == "and_bits":
        return common
    return e.sub(e.add(x, m), common if node.op == "or_bits" else e.mul(e.number(2), common))


def invert(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return e.sub(e.number(-1), args[0])


def to_int(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    x = args[0]
    minus = e.call(c.Z3_mk_unary_minus, x)
    up = e.call(c.Z3_mk_unary_minus, _floor(e, minus))
    return e.ite(e.call(c.Z3_mk_ge, x, e.number(0, e.real)), _floor(e, x), up)


def round_half_even(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    x = args[0]
    down = _floor(e, x)
    fraction = e.sub(x, e.call(c.Z3_mk_int2real, down))
    half = e.number(Fraction(1, 2), e.real)
    up = e.add(down, e.number(1))
    even = e.call(c.Z3_mk_eq, e.call(c.Z3_mk_mod, down, e.number(2)), e.number(0))
    tie = e.ite(even, down, up)
    return e.ite(e.call(c.Z3_mk_lt, fraction, half), down, e.ite(e.call(c.Z3_mk_eq, fraction, half), tie, up))


def ceil(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return e.call(c.Z3_mk_unary_minus, _floor(e, e.call(c.Z3_mk_unary_minus, args[0])))


def sqrt(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    root = e.keep(c.Z3_mk_fresh_const(e.ref, "sqrt", e.real))
    e.assume(node, e.call(c.Z3_mk_ge, root, e.number(0, e.real)))
    e.assume(node, e.call(c.Z3_mk_eq, e.mul(root, root), args[0]))
    return root


def round_to(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """Rounding to a number of digits: exactly for integers, without binary rounding for floats."""
    digits = node.args[1]
    if not digits.is_const or abs(digits.value) > MAX_DIGITS:
        raise Unsupported("round() to so many digits")
    if node.sort is FLOAT:
        scale = e.number(Fraction(10) ** digits.value, e.real)
        whole = round_half_even(e, node, [e.mul(args[0], scale)])
        return e.call(c.Z3_mk_div, e.call(c.Z3_mk_int2real, whole), scale)
    if digits.value >= 0:
        return args[0]
    unit = e.number(10**-digits.value)
    share = e.call(c.Z3_mk_div, *(e.call(c.Z3_mk_int2real, a) for a in (args[0], unit)))
    return e.mul(round_half_even(e, node, [share]), unit)


def float_sum(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return e.add(*(_as_real(e, a, ast) for a, ast in zip(node.args, args, strict=True)))


def scaled(factor: float) -> Handler:
    return lambda e, node, args: e.mul(args[0], e.number(Fraction(factor), e.real))


def isqrt(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    root = e.keep(c.Z3_mk_fresh_const(e.ref, "isqrt", e.integer))
    above = e.add(root, e.number(1))
    e.assume(node, e.call(c.Z3_mk_ge, root, e.number(0)))
    e.assume(node, e.call(c.Z3_mk_le, e.mul(root, root), args[0]))
    e.assume(node, e.call(c.Z3_mk_gt, e.mul(above, above), args[0]))
    return root


def bit_count(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    size = absolute(e, node, args)
    e.assume(node, e.call(c.Z3_mk_lt, size, e.number(1 << MAX_COUNTED)))
    two = e.number(2)
    bits = [e.call(c.Z3_mk_mod, e.call(c.Z3_mk_div, size, e.number(1 << k)), two) for k in range(MAX_COUNTED)]
    return e.add(*bits)


def bit_length(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    size = absolute(e, node, args)
    limit = e.call(c.Z3_mk_lt, size, e.number(1 << MAX_SHIFT))
    e.assume(node, limit)
    result = e.number(MAX_SHIFT)
    for bits in reversed(range(MAX_SHIFT)):
        result = e.ite(e.call(c.Z3_mk_lt, size, e.number(1 << bits)), e.number(bits), result)
    return result


def never(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_false(e.ref)


def equal_of(build: Callable[..., Ast]) -> Handler:
    return by_first(simple(c.Z3_mk_iff), unmixed(build))


REALS: dict[str, Handler] = {
    "const": constant,
    "eq": equal_of(c.Z3_mk_eq),
    "ne": negated(equal_of(c.Z3_mk_eq)),
    "lt": unmixed(c.Z3_mk_lt),
    "le": unmixed(c.Z3_mk_le),
    "gt": unmixed(c.Z3_mk_gt),
    "ge": unmixed(c.Z3_mk_ge),
    "add": chained(c.Z3_mk_add),
    "sub": chained(c.Z3_mk_sub),
    "mul": chained(c.Z3_mk_mul),
    "neg": simple(c.Z3_mk_unary_minus),
    "abs": absolute,
    "floordiv": floordiv,
    "mod": mod,
    "truediv": truediv,
    "pow": power,
    "lshift": lshift,
    "rshift": rshift,
    "and_bits": bitwise,
    "or_bits": bitwise,
    "xor_bits": bitwise,
    "invert": invert,
    "bit_length": bit_length,
    "to_float": simple(c.Z3_mk_int2real),
    "to_int": to_int,
    "floor": simple(c.Z3_mk_real2int),
    "ceil": ceil,
    "round": round_half_even,
    "sqrt": sqrt,
    "round_to": round_to,
    "float_sum": float_sum,
    "degrees": scaled(180 / math.pi),
    "radians": scaled(math.pi / 180),
    "isqrt": isqrt,
    "bit_count": bit_count,
    "is_nan": never,
    "is_inf": never,
}
