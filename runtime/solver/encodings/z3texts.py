"""Texts in Z3's own theory of strings: the last resort, and the way to prove that no length at all will do.

Z3's characters end at U+2FFFF, so a query that compares code points with numbers or uses higher characters
gets no proof from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ctypes import c_uint

import z3
from z3 import z3core as c

from ramify.runtime.solver import charsets
from ramify.runtime.solver.encodings import z3reals
from ramify.runtime.solver.encodings.encoder import Ast, Encoder, Handler, Unsupported, chained, negated, simple
from ramify.runtime.solver.encodings.z3reals import REALS
from ramify.runtime.terms import STR, Term

MAX_CHAR = 0x2FFFF

SORTS = {**z3reals.SORTS, STR: c.Z3_mk_string_sort}


def text(e: Encoder, value: str) -> Ast:
    codes = [ord(ch) for ch in value]
    if any(code >= MAX_CHAR for code in codes):
        raise Unsupported("a character beyond Z3's")
    return e.keep(c.Z3_mk_u32string(e.ref, len(codes), (c_uint * len(codes))(*codes)))


def constant(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return text(e, node.value) if node.sort is STR else z3reals.constant(e, node, args)


def length(e: Encoder, s: Ast) -> Ast:
    return e.call(c.Z3_mk_seq_length, s)


def position(e: Encoder, node: Term, index: Ast, size: Ast) -> Ast:
    """Python's index as a distance from the start."""
    if node.is_const:
        return index if node.value >= 0 else e.add(size, index)
    return e.ite(e.call(c.Z3_mk_lt, index, e.number(0)), e.add(size, index), index)


def clamped(e: Encoder, index: Ast, size: Ast) -> Ast:
    low = e.ite(e.call(c.Z3_mk_lt, index, e.number(0)), e.number(0), index)
    return e.ite(e.call(c.Z3_mk_gt, low, size), size, low)


def char_at(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_seq_at(e.ref, args[0], position(e, node.args[1], args[1], length(e, args[0])))


def substr(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    size = length(e, args[0])
    lo, hi = (clamped(e, position(e, n, a, size), size) for n, a in zip(node.args[1:], args[1:], strict=True))
    return c.Z3_mk_seq_extract(e.ref, args[0], lo, e.sub(hi, lo))  # empty when hi < lo


def index_of(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    s, sub, start = args
    first = position(e, node.args[2], start, length(e, s))
    negative = e.call(c.Z3_mk_lt, first, e.number(0))
    return e.call(c.Z3_mk_seq_index, s, sub, e.ite(negative, e.number(0), first))


def replace(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    old = node.args[1]
    if not old.is_const or not old.value:
        raise Unsupported("replace of an unknown or empty text")
    return c.Z3_mk_seq_replace_all(e.ref, *args)


def swapped(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, args[1], args[0])


def ordered(texts: Callable[..., Ast], numbers: str, swap: bool = False) -> Handler:
    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        if node.args[0].sort is STR:
            return texts(e.ref, *(reversed(args) if swap else args))
        return REALS[numbers](e, node, args)

    return handler


def code(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    e.assume(node, e.keep(c.Z3_mk_true(e.ref)))  # sound for models, no proof: higher characters are missing
    return (c.Z3_mk_string_to_code if node.op == "ord" else c.Z3_mk_string_from_code)(e.ref, args[0])


def of_class(name: str, least: int) -> Handler:
    """`s` consists of characters of a class, at least so many. Classes of many ranges are left to vectors."""

    return made_of(lambda: charsets.ranges(name), least)


def made_of(codes: Callable[[], Iterable[tuple[int, int]]], least: int) -> Handler:
    def handler(e: Encoder, node: Term, args: list[Ast]) -> Ast:
        ranges = [
            e.call(c.Z3_mk_re_range, text(e, chr(a)), text(e, chr(min(b, MAX_CHAR - 1))))
            for a, b in codes()
            if a < MAX_CHAR
        ]
        one = e.nary(c.Z3_mk_re_union, *ranges) if len(ranges) > 1 else ranges[0]
        many = e.call(c.Z3_mk_re_plus if least else c.Z3_mk_re_star, one)
        return c.Z3_mk_seq_in_re(e.ref, args[0], many)

    return handler


def same(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    if node.args[0].sort is STR:
        return c.Z3_mk_eq(e.ref, *args)
    return REALS["eq"](e, node, args)


TEXTS: dict[str, Handler] = {
    **REALS,
    "const": constant,
    "eq": same,
    "ne": negated(same),
    "lt": ordered(c.Z3_mk_str_lt, "lt"),
    "le": ordered(c.Z3_mk_str_le, "le"),
    "gt": ordered(c.Z3_mk_str_lt, "gt", swap=True),
    "ge": ordered(c.Z3_mk_str_le, "ge", swap=True),
    "concat": chained(c.Z3_mk_seq_concat),
    "len": simple(c.Z3_mk_seq_length),
    "char_at": char_at,
    "substr": substr,
    "contains": simple(c.Z3_mk_seq_contains),
    "starts_with": swapped(c.Z3_mk_seq_prefix),
    "ends_with": swapped(c.Z3_mk_seq_suffix),
    "index_of": index_of,
    "last_index_of": simple(c.Z3_mk_seq_last_index),
    "replace": replace,
    "ord": code,
    "chr": code,
    "is_decimal": of_class("isdecimal", 1),
    "is_digit": of_class("isdigit", 1),
    "is_numeric": of_class("isnumeric", 1),
    "is_space": of_class("isspace", 1),
    "is_ascii": of_class("isascii", 0),
    "is_latin": made_of(lambda: [(0, 0xFF)], 0),
}


def read_text(value: z3.SeqRef) -> str | None:
    """A string constant of a model, code point by code point."""
    context, ast = value.ctx_ref(), value.as_ast()
    if not c.Z3_is_string(context, ast):
        return None
    size = c.Z3_get_string_length(context, ast)
    codes = (c_uint * size)()
    c.Z3_get_string_contents(context, ast, size, codes)
    return "".join(map(chr, codes))
