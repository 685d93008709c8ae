"""Prints terms as Python source with as few parentheses as Python needs.

`eval(show(t), dict(NAMES), assignment)` gives the value of `t`; NAMES holds the few functions that are no
builtins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ramify.runtime.terms import meaning as pysem
from ramify.runtime.terms import nodes
from ramify.runtime.terms.spelling import integer

# Python's precedences, loosest first. NUMBER is an integer literal: an atom that no attribute may follow.
CONDITIONAL, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, POWER, NUMBER, ATOM = range(
    15
)

Fragment = tuple[str, int]  # text and how tightly it binds
Text = Callable[[nodes.Term, list[Fragment]], Fragment]

MATH_OF_TWO = ("hypot", "atan2", "fmod", "copysign", "gcd", "isqrt", "factorial", "comb", "perm")
NAMES: dict[str, Any] = {
    "inf": math.inf,
    "nan": math.nan,
    "floor": math.floor,
    "ceil": math.ceil,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "sqrt": math.sqrt,
    "store": lambda s, i, v: type(s)(pysem.store(tuple(s), i, v)),
    **{name: getattr(math, name) for name in (*pysem.MATH_OF_ONE, *MATH_OF_TWO)},
    "table_get": pysem.table_get,
    "translate": pysem.translate,
    **{name: getattr(pysem, name) for name in ("re_found", "re_start", "re_end", "re_last")},
    "is_latin": pysem.is_latin,
    "is_time": pysem.is_time_text,
    "is_decimal": pysem.is_decimal_text,
    "is_int": pysem.accepts(int),
    "is_float": pysem.accepts(float),
}


def wrap(shown: Fragment, least: int) -> str:
    text, level = shown
    return text if level >= least else f"({text})"


def infix(symbol: str, level: int, left: int | None = None, right: int | None = None) -> Text:
    """A left-associative operator, unless told what each side must bind like."""
    least_left = level if left is None else left
    least_right = level + 1 if right is None else right

    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return f"{wrap(args[0], least_left)} {symbol} {wrap(args[1], least_right)}", level

    return text


def compare(symbol: str) -> Text:
    return infix(symbol, COMPARE, COMPARE + 1, COMPARE + 1)


def chain(symbol: str, level: int) -> Text:
    """An associative operator with any number of operands."""

    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return f" {symbol} ".join(wrap(a, level + 1) for a in args), level

    return text


def prefix(symbol: str, level: int) -> Text:
    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return symbol + wrap(args[0], level), level

    return text


def call(name: str) -> Text:
    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return f"{name}({', '.join(wrap(a, CONDITIONAL) for a in args)})", ATOM

    return text


def call_of_list(name: str) -> Text:
    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return f"{name}([{', '.join(wrap(a, CONDITIONAL) for a in args)}])", ATOM

    return text


def method(name: str) -> Text:
    def text(term: nodes.Term, args: list[Fragment]) -> Fragment:
        return f"{wrap(args[0], ATOM)}.{name}({', '.join(wrap(a, CONDITIONAL) for a in args[1:])})", ATOM

    return text


def plus(term: nodes.Term, args: list[Fragment]) -> Fragment:
    """`x - 3` for `x + -3`."""
    text, _ = args[1]
    if text.startswith("-") and term.args[1].is_const and term.sort is nodes.INT:
        return f"{wrap(args[0], SUM)} - {text[1:]}", SUM
    return f"{wrap(args[0], SUM)} + {wrap(args[1], SUM + 1)}", SUM


def conditional(term: nodes.Term, args: list[Fragment]) -> Fragment:
    condition, then, otherwise = args
    return f"{wrap(then, OR)} if {wrap(condition, OR)} else {wrap(otherwise, CONDITIONAL)}", CONDITIONAL


def index(term: nodes.Term, args: list[Fragment]) -> Fragment:
    return f"{wrap(args[0], ATOM)}[{args[1][0]}]", ATOM


def part(term: nodes.Term, args: list[Fragment]) -> Fragment:
    """Slices; bounds that say nothing are left out."""
    receiver, lo, hi = term.args[:3]
    low = "" if lo.is_const and lo.value == 0 else args[1][0]
    high = "" if hi.op == "len" and hi.args[0] is receiver else args[2][0]
    rest = f":{args[3][0]}" if len(args) > 3 else ""
    return f"{wrap(args[0], ATOM)}[{args[1][0] if rest else low}:{args[2][0] if rest else high}{rest}]", ATOM


def listing(term: nodes.Term, args: list[Fragment]) -> Fragment:
    return f"[{', '.join(wrap(a, CONDITIONAL) for a in args)}]", ATOM


def constant(value: Any) -> Fragment:
    if isinstance(value, tuple):
        return f"[{', '.join(constant(v)[0] for v in value)}]", ATOM
    text = integer(value) if type(value) is int else repr(value)
    if text.startswith("-"):
        return text, UNARY
    return text, NUMBER if type(value) is int else ATOM


def text_of(node: nodes.Term, texts: dict[nodes.Term, Fragment]) -> Fragment:
    """The text of a node made of those of its arguments."""
    if node.op == "const":
        return constant(node.value)
    if node.op == "var":
        return node.value, ATOM
    return nodes.OPS[node.op].text(node, [texts[a] for a in node.args])  # type: ignore[no-any-return]


def show(term: nodes.Term, limit: int | None = None, texts: dict[nodes.Term, Fragment] | None = None) -> str:
    """The term as Python source; a part longer than `limit` characters is shown as `...`.

    Without a limit a shared part is written as often as it occurs, which may be for ever (see naming.py). `texts`
    remembers the parts for other terms with the same limit.
    """
    texts = {} if texts is None else texts
    for node in nodes.walk((term,), skip=texts.__contains__):
        shown = text_of(node, texts)
        if limit is not None and len(shown[0]) > limit:
            shown = "...", ATOM
        texts[node] = shown
    return texts[term][0]


nodes.PRINTER.append(show)
