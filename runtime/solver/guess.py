"""Guesses before Z3 is asked: changes one input of the parent so that the goal becomes true, and evaluates
the query.

To make `x + 3 == len(s)` true, undo the operations on one side: x becomes `len(s) - 3`, or s gets that
length. A guess that satisfies all constraints is a model, and a readable one, since everything else keeps
the parent's value; a wrong guess costs microseconds.
"""

from __future__ import annotations

import heapq
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from ramify.runtime.solver.formats import int_texts, time_texts
from ramify.runtime.solver.inverses import MAX_LENGTH, MAX_REPEATED_STEPS, MAX_STEPS, Change, Present, undo
from ramify.runtime.solver.regexes import matching, not_matching
from ramify.runtime.solver.verdict import Link, Query, Sat, Stats, Unknown, Verdict
from ramify.runtime.terms import DOMAIN_ERRORS, STR, Assignment, Evaluator, Term, variables_of, walk

MAX_GUESSES = 40
MAX_REPAIRS = 300  # assignments tried when one change is not enough
MAX_ENTRIES = 2000  # of a table that are looked at for a value that would do
MAX_EVALUATED = 200_000  # nodes in all of them
MAX_GROWN = 10_000  # of texts and sequences, whatever their parents were
MAX_MENDED = 3  # broken constraints of one assignment that are looked at


class Guess:
    def __init__(self, next_link: Link, stats: Stats) -> None:
        self._next = next_link
        self._stats = stats

    def solve(self, query: Query) -> Verdict:
        values = query.parent
        for name, value in islice(changes(query.goal, Present(values)), MAX_GUESSES):
            evaluator = Evaluator({**values, name: value})
            if evaluator.all_hold(reversed(query.constraints)):
                self._stats.attempts["guess sat"] += 1
                names = variables_of(query.constraints)
                return Sat({n: value if n == name else values[n] for n in sorted(names) if n in values})
        verdict = self._next.solve(query)
        if isinstance(verdict, Unknown):
            repaired = repair(query.constraints, values)
            if repaired is not None:
                self._stats.attempts["repair sat"] += 1
                return Sat(repaired)
        return verdict


def repair(constraints: Sequence[Term], parent: Assignment) -> Assignment | None:
    """Several changes one after the other, each to mend a constraint that does not hold; the assignment with
    the fewest broken ones goes on. For what no encoding can say.
    """
    names = variables_of(constraints)
    start = {n: parent[n] for n in sorted(names) if n in parent}
    waiting: list[tuple[int, int, Assignment]] = [(len(constraints), 0, start)]
    seen = {_key(start)}
    tried, weight = 0, sum(1 for _ in walk(constraints))
    steps = MAX_REPEATED_STEPS
    while waiting and tried < MAX_REPAIRS and steps > 0:
        _, _, values = heapq.heappop(waiting)
        now = Present(values, min(steps, MAX_STEPS))
        for constraint in [c for c in reversed(constraints) if not now.holds(c)][:MAX_MENDED]:
            for name, value in islice(changes(constraint, now), MAX_GUESSES):
                changed = {**values, name: value}
                key = _key(changed)
                if key in seen:
                    continue
                if tried * weight > MAX_EVALUATED:
                    return None
                seen.add(key)
                tried += 1
                evaluator = Evaluator(changed)
                broken = sum(not evaluator.holds(c) for c in constraints)
                if not broken:
                    return changed
                heapq.heappush(waiting, (broken, tried, changed))
        steps -= now.taken
    return None


def _key(values: Assignment) -> tuple[Any, ...]:
    """Two assignments with the same key are the same."""
    return *values, pickle.dumps([*values.values()])  # unlike repr, for numbers of any length


def changes(goal: Term, now: Present) -> Iterator[Change]:
    """Changes of one input that should make the goal true."""
    try:
        for name, value in chain(satisfy(goal, now), _by_table(goal, now)):
            # Mending one constraint may double a text, and mending the next one double it again.
            if not hasattr(value, "__len__") or len(value) <= MAX_GROWN:
                yield name, value
    except DOMAIN_ERRORS:
        return  # part of the goal is undefined under the parent, or an inverse is: nothing to start from


def _by_table(goal: Term, now: Present) -> Iterator[Change]:
    """Keys under which a constant table has a value that makes the goal true."""
    for node in walk([goal]):
        if node.op == "table_get" and node.args[0].is_const and node.args[1].is_const:
            suits: dict[Any, bool] = {}
            pairs = zip(node.args[0].value, node.args[1].value, strict=True)
            for key, value in islice(pairs, MAX_ENTRIES):
                if value not in suits:
                    suits[value] = now.holds_if(goal, node, value)
                if suits[value]:
                    yield from undo(node.args[2], key, now)


def satisfy(goal: Term, now: Present) -> Iterator[Change]:
    op, args = goal.op, goal.args
    if not now.step():
        return
    if op == "var":
        yield goal.value, True
    elif op == "not":
        yield from refute(args[0], now)
    elif op == "and":
        broken = [a for a in args if not now.holds(a)]
        if len(broken) == 1:
            yield from satisfy(broken[0], now)
    elif op == "or":
        for arg in args:
            yield from satisfy(arg, now)
    elif op in BETTER:
        yield from satisfy_comparison(op, args, now)
    elif op in EXAMPLES:
        for wanted in EXAMPLES[op]:
            yield from undo(args[0], wanted, now)
        yield from _by_character(args[0], EXAMPLES[op][0], now)
    elif op == "is_int_text":
        for wanted in int_texts(now.value(args[0]), now.value(args[1])):
            yield from undo(args[0], wanted, now)
    elif op == "is_time_text":
        for wanted in time_texts(now.value(args[1])):
            yield from undo(args[0], wanted, now)
    elif op == "re_found":
        search, text, at = (now.value(a) for a in args)
        for wanted in matching(search, text, at):
            yield from undo(args[1], wanted, now)
    elif op == "seq_contains":
        for wanted in now.value(args[0]):
            yield from undo(args[1], wanted, now)
    elif op in ("contains", "starts_with", "ends_with"):
        s, part = now.value(args[0]), now.value(args[1])
        for wanted in (part, part + s if op == "starts_with" else s + part):
            yield from undo(args[0], wanted, now)


def refute(goal: Term, now: Present) -> Iterator[Change]:
    """Changes of one input that should make the condition false."""
    op, args = goal.op, goal.args
    if not now.step():
        return
    if op == "var":
        yield goal.value, False
    elif op == "or":
        holding = [a for a in args if now.holds(a)]
        if len(holding) == 1:
            yield from refute(holding[0], now)
        elif args[0].op == "eq":
            yield from _elsewhere([a.args for a in args if a.op == "eq"], now)
    elif op == "and":
        for arg in args:
            yield from refute(arg, now)
    elif op == "not":
        yield from satisfy(args[0], now)
    elif op in OPPOSITE:
        yield from satisfy_comparison(OPPOSITE[op], args, now)
    elif op == "seq_contains":
        values = now.value(args[0])
        for wanted in _unlike(values):
            yield from undo(args[1], wanted, now)
    elif op == "re_found":
        search, text, at = (now.value(a) for a in args)
        for wanted in not_matching(search, text, at):
            yield from undo(args[1], wanted, now)
    elif op in ("contains", "starts_with", "ends_with"):
        part = now.value(args[1])
        if part:
            text = now.value(args[0])
            for wanted in (text.replace(part, ""), "", text[1:] if op == "starts_with" else text[:-1]):
                yield from undo(args[0], wanted, now)
            for wanted in ("\x00", part + "a", "zz"):
                yield from undo(args[1], wanted, now)
    elif op.startswith("is_") and args[0].sort is STR:
        text = now.value(args[0])
        for wanted in ("", *(text + c for c in "! a0_é"), "!", "a", "A", "0"):
            yield from undo(args[0], wanted, now)
    elif op in ("is_nan", "is_inf"):
        for wanted in (1.0, 0.0, -1.0):
            yield from undo(args[0], wanted, now)


def _elsewhere(pairs: list[tuple[Term, ...]], now: Present) -> Iterator[Change]:
    """Values different from several at once."""
    taken = [now.value(b) for _, b in pairs]
    for wanted in _unlike(taken):
        yield from undo(pairs[0][0], wanted, now)


def _unlike(values: Any) -> list[Any]:
    """Values that are none of these."""
    if not values:
        return []
    if isinstance(values[0], str):
        return [w for w in ("", "zz", values[0] + "a", "\x00") if w not in values]
    if isinstance(values[0], (int, float)) and not isinstance(values[0], bool):
        return [w for w in (max(values) + 1, min(values) - 1) if w not in values]
    return []


OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def satisfy_comparison(op: str, args: tuple[Term, ...], now: Present) -> Iterator[Change]:
    a, b = args
    for wanted in BETTER[op](now.value(b)):
        yield from undo(a, wanted, now)
    for wanted in BETTER[MIRRORED[op]](now.value(a)):
        yield from undo(b, wanted, now)


def _by_character(term: Term, example: str, now: Present) -> Iterator[Change]:
    """A text of the same length, all of whose characters are like the example."""
    if term.sort is STR and isinstance(example, str) and example:
        length = len(now.value(term))
        if 1 < length <= MAX_LENGTH:
            yield from undo(term, (example * length)[:length], now)


def _next_to(step: int) -> Callable[[Any], list[Any]]:
    """The value just above or below."""

    def near(value: Any) -> list[Any]:
        if isinstance(value, str):
            return [value + "a"] if step > 0 else [""] if value else []
        if isinstance(value, float):
            return [value + step, value + step / 4, math.nextafter(value, step * math.inf)]
        return [value + step] if isinstance(value, int) else []

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
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "is_alnum": ("a", "1"),
    "is_alpha": ("a",),
    "is_ascii": ("", "a"),
    "is_decimal": ("0",),
    "is_decimal_text": ("0", "0.5"),
    "is_digit": ("0", "²"),
    "is_float_text": ("0.5", "-1.5", "1e3", "nan", "inf"),
    "is_identifier": ("a",),
    "is_lower": ("a",),
    "is_numeric": ("0", "½"),
    "is_printable": ("", "a"),
    "is_space": (" ",),
    "is_title": ("A", "Ab", "Ab Cd"),
    "is_upper": ("A",),
    "is_nan": (math.nan,),
    "is_inf": (math.inf, -math.inf),
}
