"""Floats as IEEE binary64, exactly: slow, so the last attempt; integers as Z3 integers."""

from __future__ import annotations

from collections.abc import Callable

from z3 import z3core as c

from ramify.runtime.solver.encodings import z3reals
from ramify.runtime.solver.encodings.encoder import Ast, Encoder, Handler, Unsupported, by_first, negated, simple
from ramify.runtime.solver.encodings.z3reals import REALS
from ramify.runtime.terms import FLOAT, INT, Term

SORTS = {INT: c.Z3_mk_int_sort, FLOAT: c.Z3_mk_fpa_sort_64}


def constant(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.sort is FLOAT:
        return double(e, node.value)
    return z3reals.constant(e, node, args)


def double(e: Encoder, value: float) -> Ast:
    return e.keep(c.Z3_mk_fpa_numeral_double(e.ref, value, e.sort(FLOAT)))


def nearest(e: Encoder) -> Ast:
    """Python's rounding mode."""
    return e.keep(c.Z3_mk_fpa_rne(e.ref))


def rounded(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, nearest(e), *args)


def either(floats: Handler, integers: Handler) -> Handler:
    """By the operands: two floats, or two integers; both kinds together only when the integer is an exact
    constant.
    """

    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        if all(a.sort is not FLOAT for a in node.args):
            return integers(e, node, args)
        return floats(e, node, [_as_double(e, a, ast) for a, ast in zip(node.args, args, strict=True)])

    return handler


def _as_double(e: Encoder, node: Term, ast: Ast) -> Ast:
    if node.sort is FLOAT:
        return ast
    if node.is_const and abs(node.value) <= 1 << 53:
        return double(e, float(node.value))
    raise Unsupported("an integer compared with a float")


def double_from_int(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_fpa_to_fp_real(e.ref, nearest(e), e.call(c.Z3_mk_int2real, args[0]), e.sort(FLOAT))


def equal_doubles(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    """IEEE equality; with a constant it is identity or "is zero", which Z3 simplifies well."""
    for constant_side, other in ((1, 0), (0, 1)):
        if node.args[constant_side].is_const:
            value = node.args[constant_side].value
            if value == 0:
                return c.Z3_mk_fpa_is_zero(e.ref, args[other])
            if value == value:
                return c.Z3_mk_eq(e.ref, args[other], args[constant_side])
    return c.Z3_mk_fpa_eq(e.ref, *args)


IEEE: dict[str, Handler] = {
    **REALS,
    "const": constant,
    "eq": by_first(simple(c.Z3_mk_iff), either(equal_doubles, simple(c.Z3_mk_eq))),
    "ne": negated(by_first(simple(c.Z3_mk_iff), either(equal_doubles, simple(c.Z3_mk_eq)))),
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
        if node.sort is FLOAT or any(a.sort is FLOAT for a in node.args):
            raise Unsupported(f"{name} of binary64")
        return REALS[name](e, node, args)

    return handler


def double_division(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.args[0].sort is not FLOAT:
        raise Unsupported("true division of integers")
    return c.Z3_mk_fpa_div(e.ref, nearest(e), *args)


IEEE["truediv"] = double_division
for _name in REALS:
    # What holds for real numbers says nothing about doubles; only choosing between values is the same for all.
    if IEEE[_name] is REALS[_name] and _name not in ("ite", "and", "or", "not"):
        IEEE[_name] = _not_on_doubles(_name)
