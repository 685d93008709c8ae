"""Concolic values in code that knows nothing of them: C functions, the standard library, copies, pickles, patterns."""

# ruff: noqa: E501, E711, UP031 - tables in rows, odd spellings on purpose

import bisect
import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import json
import math
import operator
import pickle
import re
import statistics
import string
import struct
import textwrap
from typing import Any

import pytest
from differential import agree


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@functools.singledispatch
def describe(value: Any) -> str:
    return "other"


@describe.register
def _(value: int) -> str:
    return "int"


@describe.register
def _(value: str) -> str:
    return "str"


def matched(value: Any) -> Any:
    match value:
        case True:
            return "true"
        case 3 | 4:
            return "three or four"
        case int(n) if n > 10:
            return "large"
        case [a, b, *rest]:
            return a, b, rest
        case {"key": found}:
            return found
        case str():
            return "text"
    return "none of these"


VALUES: list[Any] = [
    0,
    1,
    3,
    4,
    -7,
    255,
    10**20,
    1.5,
    -0.0,
    "",
    "abc",
    "key=3",
    "12",
    "Straße",
    [],
    [3, 1, 2],
    ["b", "a"],
    {},
    {1: 2},
    {"key": 5},
    {1, 2},
    b"ab",
    True,
    False,
]

FOREIGN = [
    copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), json.dumps, lambda x: json.dumps({"k": [x]}), repr, str, describe, matched,
    lambda x: [x, x].count(x), lambda x: {x: 1}, lambda x: {x, x}, lambda x: (x,) < (x,), lambda x: x is x, lambda x: x in [x],
    lambda x: [1, 2, 3][x], lambda x: "abcdef"[x], lambda x: (10, 20)[:x], lambda x: [0] * x if x != 10**20 else 0, lambda x: bytes(x) if x != 10**20 else 0, lambda x: bytes([x]),
    lambda x: struct.pack(">q", x), hex, bin, chr, ord, lambda x: f"{x!r:>12}", lambda x: f"{x:>12}", lambda x: f"{x:08.3f}", lambda x: "%5s|%r" % (x, x), lambda x: "%d" % x,
    lambda x: f"{x:x}", math.sqrt, math.floor, math.log, lambda x: math.gcd(x, 6), math.factorial if False else math.isqrt, decimal.Decimal, fractions.Fraction,
    lambda x: datetime.timedelta(days=x), lambda x: datetime.date(2000, 1, x), lambda x: Point(x) == Point(x), lambda x: dataclasses.asdict(Point(x)), lambda x: str(Point(x)), Color,
    lambda x: re.findall(r"\w", x), lambda x: re.sub("a", "b", x), lambda x: re.match(x, "abc") is None, textwrap.wrap, lambda x: string.Template("$v").substitute(v=x), lambda x: x.encode(),
    lambda x: x.translate({97: "z"}), lambda x: int(x), lambda x: float(x), lambda x: complex(x), lambda x: list(x), tuple, set, frozenset, dict, lambda x: sorted(x), sum, max,
    collections.Counter, lambda x: collections.deque(x, 2), lambda x: list(itertools.chain(x, x)), lambda x: list(itertools.accumulate(x)), lambda x: list(zip(*[iter(x)] * 2, strict=False)), lambda x: functools.reduce(operator.add, x),
    lambda x: heapq.nsmallest(2, x), lambda x: bisect.bisect(list(x), 2), statistics.mean, lambda x: ",".join(x), lambda x: max(x, key=len), lambda x: dict.fromkeys(x), lambda x: {**x}, lambda x: [*x], len,
    lambda x: type(x).__name__, lambda x: x.__class__.__name__, lambda x: isinstance(x, (int, str)), lambda x: callable(x), lambda x: bool(x), lambda x: not x, lambda x: x and 1, lambda x: x or 2, lambda x: 1 if x else 2,
    lambda x: x == None, lambda x: x != [], lambda x: getattr(x, "nope", 7), lambda x: hash(x) == hash(x), lambda x: print(x), lambda x: all([x, 1]), lambda x: any([x]), lambda x: divmod(x, 3), lambda x: pow(x, 2, 7), lambda x: round(x, 1),
    lambda x: x[0], lambda x: x[-1], lambda x: x[1:], lambda x: x["key"], lambda x: x + x, lambda x: x * 2, lambda x: x * [0], lambda x: x * 1.5, lambda x: x % 3, lambda x: x // 0, lambda x: -x, lambda x: x < x, lambda x: x(), lambda x: x.append(1), lambda x: operator.index(x),
]  # fmt: skip


NO_BOOL = {FOREIGN.index(matched), FOREIGN.index(json.dumps), FOREIGN.index(json.dumps) + 1, *range(37, 40)}


@pytest.mark.parametrize("number", range(len(FOREIGN)))
def test_foreign_code(number: int) -> None:
    for value in VALUES:
        if type(value) is bool and number in NO_BOOL:
            continue  # a truth value is no real bool until it is asked for: see docs/values.md
        agree(FOREIGN[number], value)
