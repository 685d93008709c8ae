"""Translates terms over flags, integers and floats to Z3, each node once per context.

Three encodings share the walk and differ in their tables. `reals`: integers as integers, floats as exact reals (a first guess, rounding
is ignored). `bits`: integers as two's complement of WIDTH bits. `ieee`: floats as binary64. A handler gets the encoder, the node and its
translated arguments and returns a Z3 node. Whatever limits the solutions without being implied goes to `side` and makes the answer
"unsat" worthless (`exact` is false then).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3
from z3 import z3core as c

from ramify.runtime.nodes import BOOL, FLOAT, INT, Term, walk

Ast = Any
Handler = Callable[["Encoder", Term, list[Ast]], Ast]

WIDTH = 64  # of integers in the bit-vector encoding
RANGE = 1 << 40  # variables are kept this small there, so that sums rarely overflow
MAX_POWER = 64  # exponents unrolled into products
MAX_SHIFT = 64  # variable shift distances tried


class Unsupported(Exception):
    """The encoding has no translation for an operation."""


class Encoder:
    """One encoding in one Z3 context. Nodes are reference-counted at once and live as long as the context."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.context = z3.Context()
        self.ref = self.context.ref()
        self.side: dict[Term, list[Ast]] = {}  # conditions to assert beside a node
        self.exact = mode != "bits"
        self._nodes: dict[Term, Ast] = {}
        self._inexact: set[Term] = set()
        self._handlers = {**COMMON, **TABLES[mode]}
        self.integer = self.keep(c.Z3_mk_int_sort(self.ref))
        self.real = self.keep(c.Z3_mk_real_sort(self.ref))
        self.boolean = self.keep(c.Z3_mk_bool_sort(self.ref))
        self.vector = self.keep(c.Z3_mk_bv_sort(self.ref, WIDTH))
        self.double = self.keep(c.Z3_mk_fpa_sort_64(self.ref))
        self.nearest = self.keep(c.Z3_mk_fpa_rne(self.ref))
        self.sorts = {
            BOOL: self.boolean,
            INT: self.vector if mode == "bits" else self.integer,
            FLOAT: self.double if mode == "ieee" else self.real,
        }

    def size(self) -> int:
        return len(self._nodes)

    def keep(self, ast: Ast) -> Ast:
        c.Z3_inc_ref(self.ref, c.Z3_sort_to_ast(self.ref, ast) if isinstance(ast, c.Sort) else ast)
        return ast

    def translate(self, term: Term) -> Ast:
        nodes = self._nodes
        if term in nodes:
            return nodes[term]
        handlers = self._handlers
        for node in walk((term,), skip=nodes.__contains__):
            handler = handlers.get(node.op)
            if handler is None:
                raise Unsupported(node.op)
            nodes[node] = self.keep(handler(self, node, [nodes[a] for a in node.args]))
        return nodes[term]

    def conditions(self, term: Term) -> list[Ast]:
        """The side conditions of everything inside a translated term."""
        if not self.side:
            return []
        return [s for node in walk((term,)) for s in self.side.get(node, ())]

    def assume(self, node: Term, condition: Ast, implied: bool = False) -> None:
        """Assert a condition beside a node; unless every solution meets it, the encoding is no longer exact."""
        self.side.setdefault(node, []).append(self.keep(condition))
        if not implied:
            self._inexact.add(node)

    def is_exact(self, term: Term) -> bool:
        return self.exact and (not self._inexact or not any(n in self._inexact for n in walk((term,))))

    # Small vocabulary for the handlers
    def number(self, value: int | Fraction, sort: Any = None) -> Ast:
        return self.keep(c.Z3_mk_numeral(self.ref, str(value), sort or self.integer))

    def nary(self, build: Callable[..., Ast], *args: Ast) -> Ast:
        return self.keep(build(self.ref, len(args), (c.Ast * len(args))(*args)))

    def call(self, build: Callable[..., Ast], *args: Ast) -> Ast:
        return self.keep(build(self.ref, *args))

    def ite(self, condition: Ast, then: Ast, otherwise: Ast) -> Ast:
        return self.call(c.Z3_mk_ite, condition, then, otherwise)

    def add(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_add, *args)

    def sub(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_sub, *args)

    def mul(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_mul, *args)

    def as_real(self, node: Term, ast: Ast) -> Ast:
        return ast if node.sort is FLOAT else self.call(c.Z3_mk_int2real, ast)

    def floor(self, real: Ast) -> Ast:
        return self.call(c.Z3_mk_real2int, real)


def variable(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.sort not in e.sorts:
        raise Unsupported(f"variable of sort {node.sort!r}")
    ast = c.Z3_mk_const(e.ref, c.Z3_mk_string_symbol(e.ref, node.value), e.sorts[node.sort])
    if e.mode == "bits" and node.sort is INT:
        e.keep(ast)
        low, high = e.number(-RANGE, e.vector), e.number(RANGE, e.vector)
        e.assume(node, e.call(c.Z3_mk_bvsle, low, ast))
        e.assume(node, e.call(c.Z3_mk_bvsle, ast, high))
    return ast


def constant(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    value = node.value
    if node.sort is BOOL:
        return c.Z3_mk_true(e.ref) if value else c.Z3_mk_false(e.ref)
    if node.sort is INT:
        if e.mode == "bits" and not -(1 << WIDTH - 1) <= value < 1 << WIDTH - 1:
            raise Unsupported("integer wider than the bit-vectors")
        return e.number(value, e.sorts[INT])
    if node.sort is FLOAT:
        if e.mode == "ieee":
            return c.Z3_mk_fpa_numeral_double(e.ref, value, e.double)
        if value != value or value in (float("inf"), float("-inf")):
            raise Unsupported("no such real")
        return e.number(Fraction(value), e.real)
    raise Unsupported(f"constant of sort {node.sort!r}")


def simple(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, *args)


def chained(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, len(args), (c.Ast * len(args))(*args))


def logical(flags: Handler, others: Handler) -> Handler:
    """Equality: of flags, or of anything else."""
    return lambda e, node, args: (flags if node.args[0].sort is BOOL else others)(e, node, args)


def negated(handler: Handler) -> Handler:
    return lambda e, node, args: c.Z3_mk_not(e.ref, e.keep(handler(e, node, args)))


def bool_to_int(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return e.ite(args[0], e.number(1, e.sorts[INT]), e.number(0, e.sorts[INT]))


def absolute(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    zero = e.number(0, e.sorts[node.sort])
    return e.ite(e.call(c.Z3_mk_ge, args[0], zero), args[0], e.call(c.Z3_mk_unary_minus, args[0]))


def unmixed(build: Callable[..., Ast]) -> Handler:
    """A comparison of numbers; an integer beside a real becomes one, which is exact."""

    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        a, b = node.args
        if a.sort is not b.sort:
            args = [e.as_real(a, args[0]), e.as_real(b, args[1])]
        return build(e.ref, *args)

    return handler


def floordiv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """Python rounds to minus infinity; Z3's `div` does so for positive divisors."""
    a, b = args
    if node.sort is FLOAT:
        return e.call(c.Z3_mk_int2real, e.floor(e.call(c.Z3_mk_div, a, b)))
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
        whole = e.call(c.Z3_mk_int2real, e.floor(e.call(c.Z3_mk_div, a, b)))
        return e.sub(a, e.mul(b, whole))
    divisor = node.args[1]
    if divisor.is_const and divisor.value > 0:
        return c.Z3_mk_mod(e.ref, a, b)
    positive = e.call(c.Z3_mk_gt, b, e.number(0))
    minus_a, minus_b = e.call(c.Z3_mk_unary_minus, a), e.call(c.Z3_mk_unary_minus, b)
    other = e.call(c.Z3_mk_unary_minus, e.call(c.Z3_mk_mod, minus_a, minus_b))
    return e.ite(positive, e.call(c.Z3_mk_mod, a, b), other)


def truediv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_div(e.ref, e.as_real(node.args[0], args[0]), e.as_real(node.args[1], args[1]))


def power(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    base, exponent = node.args
    if exponent.is_const and exponent.value == int(exponent.value) and 0 < exponent.value <= MAX_POWER:
        return e.mul(*[args[0]] * int(exponent.value))
    if node.sort is FLOAT:
        raise Unsupported("pow of floats")
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


def lshift(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    distance = node.args[1]
    if distance.is_const:
        return e.mul(args[0], e.number(1 << distance.value))
    return e.mul(args[0], _cases(e, node, args[1], [e.number(1 << k) for k in range(MAX_SHIFT)]))


def rshift(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    distance = node.args[1]
    if distance.is_const:
        return e.call(c.Z3_mk_div, args[0], e.number(1 << distance.value))
    return e.call(c.Z3_mk_div, args[0], _cases(e, node, args[1], [e.number(1 << k) for k in range(MAX_SHIFT)]))


def masked(e: Encoder, x: Ast, mask: int) -> Ast:
    """x & mask for a constant mask, exactly: every run of ones is a division and a remainder."""
    if mask < 0:
        return e.sub(x, masked(e, x, ~mask))
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
    """With a constant: `x | m` is `x + m - (x & m)`, `x ^ m` is `x + m - 2 * (x & m)`. Without: bit-vectors must do."""
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
    up = e.call(c.Z3_mk_unary_minus, e.floor(minus))
    return e.ite(e.call(c.Z3_mk_ge, x, e.number(0, e.real)), e.floor(x), up)


def round_half_even(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    x = args[0]
    down = e.floor(x)
    fraction = e.sub(x, e.call(c.Z3_mk_int2real, down))
    half = e.number(Fraction(1, 2), e.real)
    up = e.add(down, e.number(1))
    even = e.call(c.Z3_mk_eq, e.call(c.Z3_mk_mod, down, e.number(2)), e.number(0))
    tie = e.ite(even, down, up)
    return e.ite(
        e.call(c.Z3_mk_lt, fraction, half), down, e.ite(e.call(c.Z3_mk_eq, fraction, half), tie, up)
    )


def ceil(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return e.call(c.Z3_mk_unary_minus, e.floor(e.call(c.Z3_mk_unary_minus, args[0])))


def sqrt(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    root = e.keep(c.Z3_mk_fresh_const(e.ref, "sqrt", e.real))
    e.assume(node, e.call(c.Z3_mk_ge, root, e.number(0, e.real)))
    e.assume(node, e.call(c.Z3_mk_eq, e.mul(root, root), args[0]))
    return root


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
    return logical(simple(c.Z3_mk_iff), unmixed(build))


COMMON: dict[str, Handler] = {
    "var": variable,
    "const": constant,
    "not": simple(c.Z3_mk_not),
    "and": chained(c.Z3_mk_and),
    "or": chained(c.Z3_mk_or),
    "ite": simple(c.Z3_mk_ite),
    "bool_to_int": bool_to_int,
}

REALS: dict[str, Handler] = {
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
    "is_nan": never,
    "is_inf": never,
}


def bv_floordiv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    a, b = args
    return e.call(c.Z3_mk_bvsdiv, e.call(c.Z3_mk_bvsub, a, e.call(c.Z3_mk_bvsmod, a, b)), b)


def bv_absolute(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    negative = e.call(c.Z3_mk_bvslt, args[0], e.number(0, e.vector))
    return e.ite(negative, e.call(c.Z3_mk_bvneg, args[0]), args[0])


BITS: dict[str, Handler] = {
    "eq": simple(c.Z3_mk_eq),
    "ne": negated(simple(c.Z3_mk_eq)),
    "lt": simple(c.Z3_mk_bvslt),
    "le": simple(c.Z3_mk_bvsle),
    "gt": simple(c.Z3_mk_bvsgt),
    "ge": simple(c.Z3_mk_bvsge),
    "add": simple(c.Z3_mk_bvadd),
    "sub": simple(c.Z3_mk_bvsub),
    "mul": simple(c.Z3_mk_bvmul),
    "neg": simple(c.Z3_mk_bvneg),
    "abs": bv_absolute,
    "floordiv": bv_floordiv,
    "mod": simple(c.Z3_mk_bvsmod),
    "lshift": simple(c.Z3_mk_bvshl),
    "rshift": simple(c.Z3_mk_bvashr),
    "and_bits": simple(c.Z3_mk_bvand),
    "or_bits": simple(c.Z3_mk_bvor),
    "xor_bits": simple(c.Z3_mk_bvxor),
    "invert": simple(c.Z3_mk_bvnot),
}


def rounded(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, e.nearest, *args)


def either(floats: Handler, integers: Handler) -> Handler:
    """By the operands: two floats, or two integers; both kinds together only when the integer is an exact constant."""

    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        if all(a.sort is not FLOAT for a in node.args):
            return integers(e, node, args)
        return floats(e, node, [_as_double(e, a, ast) for a, ast in zip(node.args, args, strict=True)])

    return handler


def _as_double(e: Encoder, node: Term, ast: Ast) -> Ast:
    if node.sort is FLOAT:
        return ast
    if node.is_const and abs(node.value) <= 1 << 53:
        return e.keep(c.Z3_mk_fpa_numeral_double(e.ref, float(node.value), e.double))
    raise Unsupported("an integer compared with a float")


def double_from_int(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_fpa_to_fp_real(e.ref, e.nearest, e.call(c.Z3_mk_int2real, args[0]), e.double)


IEEE: dict[str, Handler] = {
    **REALS,
    "eq": logical(simple(c.Z3_mk_iff), either(simple(c.Z3_mk_fpa_eq), simple(c.Z3_mk_eq))),
    "ne": negated(logical(simple(c.Z3_mk_iff), either(simple(c.Z3_mk_fpa_eq), simple(c.Z3_mk_eq)))),
    "lt": either(simple(c.Z3_mk_fpa_lt), REALS["lt"]),
    "le": either(simple(c.Z3_mk_fpa_leq), REALS["le"]),
    "gt": either(simple(c.Z3_mk_fpa_gt), REALS["gt"]),
    "ge": either(simple(c.Z3_mk_fpa_geq), REALS["ge"]),
    "add": either(rounded(c.Z3_mk_fpa_add), REALS["add"]),
    "sub": either(rounded(c.Z3_mk_fpa_sub), REALS["sub"]),
    "mul": either(rounded(c.Z3_mk_fpa_mul), REALS["mul"]),
    "neg": either(simple(c.Z3_mk_fpa_neg), REALS["neg"]),
    "abs": either(simple(c.Z3_mk_fpa_abs), REALS["abs"]),
    "sqrt": rounded(c.Z3_mk_fpa_sqrt),
    "is_nan": simple(c.Z3_mk_fpa_is_nan),
    "is_inf": simple(c.Z3_mk_fpa_is_infinite),
    "to_float": double_from_int,
}


def _not_on_doubles(name: str) -> Handler:
    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        if any(a.sort is FLOAT for a in node.args):
            raise Unsupported(f"{name} of binary64")
        return REALS[name](e, node, args)

    return handler


def double_division(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.args[0].sort is not FLOAT:
        raise Unsupported("true division of integers")
    return c.Z3_mk_fpa_div(e.ref, e.nearest, *args)


IEEE["truediv"] = double_division
for _name in ("floordiv", "mod", "pow", "to_int", "floor", "ceil", "round"):
    IEEE[_name] = _not_on_doubles(_name)

TABLES: dict[str, dict[str, Handler]] = {"reals": REALS, "bits": BITS, "ieee": IEEE}
