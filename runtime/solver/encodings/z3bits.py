"""Integers as two's complement of WIDTH bits: a second attempt for queries full of bit operations, checked
by evaluation.

Overflow is possible, so a model may be wrong (the evaluator will notice) and "unsat" proves nothing.
"""

from __future__ import annotations

from z3 import z3core as c

from ramify.runtime.solver.encodings.encoder import (
    Ast,
    Encoder,
    Handler,
    Unsupported,
    flag,
    negated,
    simple,
    variable,
)
from ramify.runtime.terms import BOOL, INT, Term

WIDTH = 64
RANGE = 1 << 40  # variables stay this small, so that sums and products by small factors do not overflow

SORTS = {INT: lambda ref: c.Z3_mk_bv_sort(ref, WIDTH)}


def bounded_variable(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    ast = e.keep(variable(e, node, args))
    if node.sort is INT:
        low, high = e.number(-RANGE, e.sort(INT)), e.number(RANGE, e.sort(INT))
        e.assume(node, e.call(c.Z3_mk_bvsle, low, ast))
        e.assume(node, e.call(c.Z3_mk_bvsle, ast, high))
    return ast


def constant(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.sort is BOOL:
        return flag(e, node, args)
    if not -(1 << WIDTH - 1) <= node.value < 1 << WIDTH - 1:
        raise Unsupported("integer wider than the bit-vectors")
    return e.number(node.value, e.sort(INT))


def bv_floordiv(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    a, b = args
    return e.call(c.Z3_mk_bvsdiv, e.call(c.Z3_mk_bvsub, a, e.call(c.Z3_mk_bvsmod, a, b)), b)


def bv_absolute(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    negative = e.call(c.Z3_mk_bvslt, args[0], e.number(0, e.sort(INT)))
    return e.ite(negative, e.call(c.Z3_mk_bvneg, args[0]), args[0])


BITS: dict[str, Handler] = {
    "var": bounded_variable,
    "const": constant,
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
