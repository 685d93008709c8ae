"""Where terms are defined: conditions under which no operation in them would raise.

Z3's functions are total, so it may choose a divisor of zero or an index outside the list; the evaluator
refuses such a model, and the query is asked once more with these conditions added. They are stricter than
Python where a connective guards an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ramify.runtime.terms import INT, TRUE, Term, const, walk
from ramify.runtime.terms import language as T


def not_zero(node: Term) -> Term:
    return T.ne(node.args[1], const(0))


def within(node: Term) -> Term:
    size, index = T.length(node.args[0]), node.args[1]
    return T.and_(T.ge(index, T.neg(size)), T.lt(index, size))


def not_negative(node: Term) -> Term:
    return T.ge(node.args[1], const(0)) if node.args[1].sort is INT else TRUE


DOMAIN: dict[str, Callable[[Term], Term]] = {
    "floordiv": not_zero,
    "mod": not_zero,
    "truediv": not_zero,
    "pow": not_negative,
    "lshift": not_negative,
    "rshift": not_negative,
    "char_at": within,
    "select": within,
    "store": within,
    "ord": lambda node: T.eq(T.length(node.args[0]), const(1)),
    "chr": lambda node: T.and_(T.ge(node.args[0], const(0)), T.le(node.args[0], const(0x10FFFF))),
    "table_get": lambda node: T.seq_contains(node.args[0], node.args[2]),
    "sqrt": lambda node: T.ge(node.args[0], const(0)),
    "str_to_int": lambda node: T.is_int_text(*node.args),
    "str_to_float": lambda node: T.is_float_text(*node.args),
}


def domain(constraints: Iterable[Term]) -> list[Term]:
    """Conditions under which every part of the constraints is defined."""
    found = (DOMAIN[node.op](node) for node in walk(constraints) if node.op in DOMAIN)
    return [c for c in dict.fromkeys(found) if c is not TRUE]
