"""The decisions of a run say which branches it takes, and they are those that the coverage level hits."""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import itertools
from typing import Any

import pytest
from concolic_level import Level

NUMBERS = list(itertools.product((-1, 0, 1, 3, 7), repeat=2))
TEXTS = [("", "a"), ("a", "b"), ("ab", "ab"), ("abc", "c"), ("x1", "")]
LISTS = [([], 1), ([1], 1), ([3, 1], 3), ([1, 2, 3], 0), ([5, 5, 5], 5)]

# A function of two inputs, the inputs it is run on, and branches that no decision tells of.
SAMPLES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "if": ("def f(a, b):\n    if a < b:\n        return 1\n    elif a:\n        return 2\n    return 3", NUMBERS),
    "and": ("def f(a, b):\n    if a > 0 and b > 0 and a != b:\n        return 1\n    return 2", NUMBERS),
    "or": ("def f(a, b):\n    if a > 2 or b > 2 or not a:\n        return 1\n    return 2", NUMBERS),
    "mixed": ("def f(a, b):\n    if (a > 2 or b > 2) and not (a < b and b < 5):\n        return 1\n    return 2", NUMBERS),
    "not": ("def f(a, b):\n    if not a:\n        return 1\n    if not not b:\n        return 2\n    return 3", NUMBERS),
    "value and": ("def f(a, b):\n    return a > 0 and b > 0 and a", NUMBERS),
    "value or": ("def f(a, b):\n    x = a > 0 or b > 1 or b\n    return x", NUMBERS),
    "value mixed": ("def f(a, b):\n    return a > 0 and b > 0 or a < b or (b or a)", NUMBERS),
    "value over lines": ("def f(a, b):\n    return (a > 0\n        and b > 0\n        and (a\n             or b))", NUMBERS),
    "chain": ("def f(a, b):\n    if 0 < a < b < 7:\n        return 1\n    return 2", NUMBERS),
    "value chain": ("def f(a, b):\n    return 0 <= a <= b != 3", NUMBERS),
    "chain of calls": ("def f(a, b):\n    if 0 < abs(a) < b:\n        return 1\n    return 2", NUMBERS),
    "conditional": ("def f(a, b):\n    return (1 if a > b else 2) if a else 3", NUMBERS),
    "test conditional": ("def f(a, b):\n    if (a > 1 if b else a < 1):\n        return 1\n    return 2", NUMBERS),
    "while": ("def f(a, b):\n    n = 0\n    while n < a and n != b:\n        n += 1\n    return n", NUMBERS),
    "for range": ("def f(a, b):\n    t = 0\n    for n in range(a):\n        t += n\n    else:\n        t += 9\n    return t", NUMBERS),
    "for list": ("def f(a, b):\n    t = 0\n    for n in a:\n        if n == b:\n            break\n        t += n\n    return t", LISTS),
    "for text": ("def f(a, b):\n    for c in a:\n        if c == b:\n            return c\n    return ''", TEXTS),
    "assert": ("def f(a, b):\n    assert a < b, 'no'\n    return a", NUMBERS),
    "list comprehension": ("def f(a, b):\n    return [n for n in a if n > b]", LISTS),
    "set comprehension": ("def f(a, b):\n    return len({n + 1 for n in a if n == b if n})", LISTS),
    "generator": ("def f(a, b):\n    return sum(n for n in a if n < b)", LISTS),
    "any": ("def f(a, b):\n    return any(n == b for n in a)", LISTS),
    "in text": ("def f(a, b):\n    if b in a:\n        return 1\n    return 2", TEXTS),
    "not in text": ("def f(a, b):\n    if b not in a:\n        return 1\n    return 2", TEXTS),
    "not in list": ("def f(a, b):\n    while b not in a:\n        a.append(b)\n    return 1 if b not in a else 2", LISTS),
    "in tuple": ("def f(a, b):\n    if a in (1, 3) or b not in {0, 7}:\n        return 1\n    return 2", NUMBERS),
    "in list": ("def f(a, b):\n    return 1 if b in a else 2", LISTS),
    "match values": (
        "def f(a, b):\n    match a:\n        case 1:\n            return 1\n        case 0 | 3:\n            return 2\n"
        "        case _ if b > a:\n            return 3\n    return 4", NUMBERS),
    "match guard": (
        "def f(a, b):\n    match a:\n        case 1 if b > 1:\n            return 1\n        case n if n > b:\n"
        "            return 2\n        case _:\n            return 3", NUMBERS),
    "match text": ("def f(a, b):\n    match a:\n        case 'a' | 'ab':\n            return 1\n        case _:\n"
                   "            return 2", TEXTS),
    "walrus": ("def f(a, b):\n    if (c := a + b) > 3:\n        return c\n    return -c", NUMBERS),
    "lambda": ("def f(a, b):\n    g = lambda x: 1 if x > b else 2\n    return g(a)", NUMBERS),
    "flag": ("def f(a, b):\n    ok = a > b\n    if ok is True:\n        return 1\n    return 2", NUMBERS),
    "subscript": ("def f(a, b):\n    if 0 <= a < 3 and [4, 5, 6][a] > 4:\n        return 1\n    return 2", NUMBERS),
    "truth of an element": ("def f(a, b):\n    t = [0, 1, 2, 0]\n    if t[a]:\n        return 1\n    return 2", NUMBERS),
    "attribute": ("def f(a, b):\n    class C:\n        pass\n    c = C()\n    c.x = a\n    if c.x < b:\n        return 1\n"
                  "    return 2", NUMBERS),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_decisions_know_their_branches(name: str) -> None:
    source, inputs = SAMPLES[name]
    level = Level(source)
    known: set[str] = set()
    possible: set[str] = set()
    for arguments in inputs:
        taken = level.taken(level.run(*arguments))
        hit = level.hit(*arguments)
        assert taken <= hit, f"{arguments}: decided but not taken: {taken - hit}"
        known |= taken
        possible |= hit
    assert known == possible


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_lost(name: str) -> None:
    source, inputs = SAMPLES[name]
    level = Level(source)
    for arguments in inputs[:8]:
        assert {c.operation for c in level.run(*arguments).concretisations} <= {"hash()"}
