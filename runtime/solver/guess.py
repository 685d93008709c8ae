"""Guesses before Z3 is asked: changes one input of the parent so that the goal becomes true, and evaluates
the query.

To make `x + 3 == len(s)` true, undo the operations on one side: x becomes `len(s) - 3`, or s gets that
length. A guess that satisfies all constraints is a model, and a readable one, since everything else keeps
the parent's value; a wrong guess costs microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ramify.runtime.evaluate import Evaluator
from ramify.runtime.nodes import BOOL, FLOAT, INT, STR, Sort, Term
from ramify.runtime.solver.verdict import Link, Query, Sat, Stats, Verdict

Change = tuple[str, Any]  # an input and its new value

MAX_GUESSES = 8
MAX_LENGTH = 200  # of texts and sequences made longer by a guess


class Guess:
    def __init__(self, next_link: Link, stats: Stats) -> None:
        self._next = next_link
        self._stats = stats

    def solve(self, query: Query) -> Verdict:
        values = query.parent
        for name, value in islice(changes(query.goal, Evaluator(values)), MAX_GUESSES):
            evaluator = Evaluator({**values, name: value})
            if all(evaluator.holds(c) for c in reversed(query.constraints)):
                self._stats.attempts["guess sat"] += 1
                names = frozenset[str]().union(*(c.variables for c in query.constraints))
                return Sat({n: value if n == name else values[n] for n in sorted(names) if n in values})
        return self._next.solve(query)


def changes(goal: Term, now: Evaluator) -> Iterator[Change]:
    """Changes of one input that should make the goal true."""
    try:
        yield from satisfy(goal, now)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return  # part of the goal is undefined under the parent, or an inverse is: nothing to start from


def satisfy(goal: Term, now: Evaluator) -> Iterator[Change]:
    op, args = goal.op, goal.args
    if op == "var":
        yield goal.value, True
    elif op == "not":
        if args[0].op == "var":
            yield args[0].value, False
    elif op == "and":
        broken = [a for a in args if not now.holds(a)]
        if len(broken) == 1:
            yield from satisfy(broken[0], now)
    elif op == "or":
        for arg in args:
            yield from satisfy(arg, now)
    elif op in BETTER:
        a, b = args
        for wanted in BETTER[op](now.value(b)):
            yield from undo(a, wanted, now)
        for wanted in BETTER[MIRRORED[op]](now.value(a)):
            yield from undo(b, wanted, now)
    elif op in EXAMPLES:
        yield from undo(args[0], EXAMPLES[op], now)
    elif op == "seq_contains":
        for wanted in now.value(args[0]):
            yield from undo(args[1], wanted, now)
    elif op in ("contains", "starts_with", "ends_with"):
        s, part = now.value(args[0]), now.value(args[1])
        for wanted in (part, part + s if op == "starts_with" else s + part):
            yield from undo(args[0], wanted, now)


def _next_to(step: int) -> Callable[[Any], list[Any]]:
    """The value just above or below."""

    def near(value: Any) -> list[Any]:
        if isinstance(value, str):
            return [value + "a"] if step > 0 else [""] if value else []
        return [value + step] if isinstance(value, (int, float)) else []

    return near


def _other(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1]
    return [value + "a", ""] if isinstance(value, str) else []


BETTER: dict[str, Callable[[Any], list[Any]]] = {
    "eq": lambda value: [value],
    "ne": _other,
    "lt": _next_to(-1),
    "le": lambda value: [value],
    "gt": _next_to(1),
    "ge": lambda value: [value],
}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
EXAMPLES: dict[str, Any] = {
    "is_alnum": "a",
    "is_alpha": "a",
    "is_decimal": "0",
    "is_digit": "0",
    "is_identifier": "a",
    "is_lower": "a",
    "is_numeric": "0",
    "is_space": " ",
    "is_title": "A",
    "is_upper": "A",
    "is_int_text": "0",
    "is_float_text": "0.5",
    "is_nan": math.nan,
    "is_inf": math.inf,
}


def undo(term: Term, wanted: Any, now: Evaluator) -> Iterator[Change]:
    """Changes of one input after which the term should have the wanted value, other inputs being as they
    are.
    """
    while True:
        op, args = term.op, term.args
        if op == "var":
            if fits(wanted, term.sort):
                yield term.value, as_lists(wanted)
            return
        if op in TWO_SIDED:
            a, b = args
            for side, other, inverse in ((a, b, TWO_SIDED[op][0]), (b, a, TWO_SIDED[op][1])):
                if not side.is_const:
                    for value in inverse(wanted, now.value(other)):
                        yield from undo(side, value, now)
            return
        step = ONE_SIDED.get(op)
        if step is None:
            return
        following = step(wanted, [now.value(a) for a in args])
        if following is not None and op == "len" and args[0].sort.element is not None:
            following = 0, _filled(following[1], now.value(args[0]), args[0].sort.element)
        if following is None:
            return
        term, wanted = args[following[0]], following[1]


def _filled(wanted: tuple[Any, ...], value: tuple[Any, ...], element: Sort) -> tuple[Any, ...]:
    """The lengthened sequence with new elements of the right sort."""
    blank: Any = () if element.element is not None else {BOOL: False, INT: 0, FLOAT: 0.0, STR: ""}[element]
    return wanted[: len(value)] + (blank,) * (len(wanted) - len(value))


def as_lists(value: Any) -> Any:
    """Sequences as they stand in assignments."""
    return [as_lists(v) for v in value] if isinstance(value, tuple) else value


def fits(value: Any, sort: Sort) -> bool:
    if sort.element is not None:
        element = sort.element
        return isinstance(value, tuple) and all(fits(v, element) for v in value)
    return type(value) is {BOOL: bool, INT: int, FLOAT: float, STR: str}[sort]


Inverse = Callable[[Any, Any], list[Any]]


def _unless_split(wanted: Any, first: Any) -> list[Any]:
    """What must follow `first` to give the wanted text or sequence."""
    return [wanted[len(first) :]] if wanted[: len(first)] == first else []


def _unless_joined(wanted: Any, last: Any) -> list[Any]:
    cut = len(wanted) - len(last)
    return [wanted[:cut]] if cut >= 0 and wanted[cut:] == last else []


def _factor(wanted: Any, other: Any) -> list[Any]:
    if not other:
        return []
    if isinstance(wanted, int) and isinstance(other, int):
        return [wanted // other] if wanted % other == 0 else []
    return [wanted / other]


# How to get one operand from the result and the other operand: first the left one, then the right one.
TWO_SIDED: dict[str, tuple[Inverse, Inverse]] = {
    "add": (lambda w, b: [w - b], lambda w, a: [w - a]),
    "sub": (lambda w, b: [w + b], lambda w, a: [a - w]),
    "mul": (_factor, _factor),
    "xor_bits": (lambda w, b: [w ^ b], lambda w, a: [w ^ a]),
    "concat": (_unless_joined, _unless_split),
}


def _resized(wanted: int, args: list[Any]) -> tuple[int, Any] | None:
    value = args[0]
    if not 0 <= wanted <= MAX_LENGTH:
        return None
    if len(value) >= wanted:
        return 0, value[:wanted]
    if isinstance(value, str):
        return 0, value + "a" * (wanted - len(value))
    if not value:
        return (0, (0,) * wanted)
    return 0, value + (type(value[0])(),) * (wanted - len(value))


def _replaced(wanted: Any, args: list[Any]) -> tuple[int, Any] | None:
    """One element of a text or sequence changed."""
    value, at = args
    at += len(value) if at < 0 else 0
    middle = wanted if isinstance(value, str) else (wanted,)
    return (0, value[:at] + middle + value[at + 1 :]) if len(middle) == 1 else None


def _same_remainder(wanted: Any, args: list[Any]) -> tuple[int, Any] | None:
    value, divisor = args
    return 0, value - value % divisor + wanted


def _letters(wanted: Any, args: list[Any]) -> tuple[int, Any]:
    return 0, wanted


# How to get one operand (its place, its value) from the result, the others staying as they are.
ONE_SIDED: dict[str, Callable[[Any, list[Any]], tuple[int, Any] | None]] = {
    "neg": lambda w, args: (0, -w),
    "invert": lambda w, args: (0, ~w),
    "abs": lambda w, args: (0, w) if w >= 0 else None,
    "floordiv": lambda w, args: (0, w * args[1]),
    "truediv": lambda w, args: (0, type(args[0])(w * args[1])),
    "mod": _same_remainder,
    "lshift": lambda w, args: (0, w >> args[1]),
    "rshift": lambda w, args: (0, w << args[1]) if args[1] < 64 else None,
    "to_float": lambda w, args: (0, int(w)) if math.isfinite(w) else None,
    "to_int": lambda w, args: (0, float(w)),
    "floor": lambda w, args: (0, float(w)),
    "ceil": lambda w, args: (0, float(w)),
    "round": lambda w, args: (0, float(w)),
    "sqrt": lambda w, args: (0, w * w),
    "bool_to_int": lambda w, args: (0, bool(w)),
    "ite": lambda w, args: (1 if args[0] else 2, w),
    "len": _resized,
    "char_at": _replaced,
    "select": _replaced,
    "table_get": lambda w, args: (2, args[0][args[1].index(w)]) if w in args[1] else None,
    "ord": lambda w, args: (0, chr(w)) if 0 <= w <= 0x10FFFF else None,
    "chr": lambda w, args: (0, ord(w)) if len(w) == 1 else None,
    "lower": _letters,
    "upper": _letters,
    "title": _letters,
    "capitalize": _letters,
    "swapcase": lambda w, args: (0, w.swapcase()),
    "strip": _letters,
    "lstrip": _letters,
    "rstrip": _letters,
    "strip_chars": _letters,
    "int_to_str": lambda w, args: (0, int(w)) if w.lstrip("-").isdecimal() else None,
    "str_to_int": lambda w, args: (0, str(w)) if args[1] == 10 else None,
    "str_to_float": lambda w, args: (0, repr(w)),
}
