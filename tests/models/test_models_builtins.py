"""Models of builtin functions and types agree with CPython: results, exceptions, messages, odd calls."""

# ruff: noqa: E501, C416, E741 - tables in rows, odd spellings on purpose

import collections
import functools
import heapq
import itertools
import math
import operator
from typing import Any

import pytest
from differential import agree, outcome, same
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime import models
from ramify.runtime.models import BUILTINS, LIBRARY
from ramify.runtime.recording import path
from ramify.runtime.terms import language as T
from ramify.runtime.terms import var
from ramify.runtime.values import core

many = settings(max_examples=40, derandomize=True, deadline=None, database=None)
B = BUILTINS


class Number(int):
    pass


class Items(list[Any]):
    pass


class Table(dict[str, int]):
    pass


class Text(str):
    __slots__ = ()


VALUES: list[Any] = [
    0, 1, -1, 7, 255, -256, 10**20, 2**61 - 1, 2**61, 1.5, -0.0, -2.5, math.nan, math.inf, 1e300, "", "a", "12", " -1_0 ", "0x1F", "1e3", "é", "Straße", "ab\tc", "it's", True, False,
    None, b"", b"a", b"12", b"\xff", [], [3, 1, 2], [1.5, 2], ["b", "a"], [[1, 2]], [(1, 2)], [("a", 1), ("a", 2)], (1, 2), (1,), {}, {1: 2}, {"k": [1]}, {1, 2}, [0.1] * 10,
]  # fmt: skip


@pytest.mark.parametrize("original", list(BUILTINS), ids=lambda b: b.__name__)
def test_one_argument(original: Any) -> None:
    if original in (range, type, id):
        return
    for value in VALUES:
        if (original is bytes or original is bytearray) and isinstance(value, int) and abs(value) > 1000:
            continue
        if isinstance(value, float) and math.isnan(value) and original in (hash, complex):
            continue  # compares by identity
        agree_with(original, value)


@pytest.mark.parametrize("original", list(BUILTINS), ids=lambda b: b.__name__)
def test_subclasses_of_users_are_left_to_the_original(original: Any) -> None:
    for value in (Number(3), Text("x"), Text("12"), [Number(1)], Items([1, 2]), Table(a=1)):
        expected, observed = outcome(original, [value]), outcome(BUILTINS[original], [value])
        assert type(expected[1]) is type(observed[1])
        assert repr(expected[1]) == repr(observed[1]) or "0x" in repr(expected[1])


def agree_with(original: Any, *values: Any) -> None:
    """The model on concolic values against the original on plain ones."""

    def run(*arguments: Any) -> Any:
        concolic = any(map(core.is_concolic, arguments))
        return (BUILTINS.get(original) or LIBRARY[original] if concolic else original)(*arguments)

    agree(run, *values)


@pytest.mark.parametrize("original", list(BUILTINS), ids=lambda b: b.__name__)
def test_odd_calls_are_refused_as_by_the_original(original: Any) -> None:
    model = BUILTINS[original]
    for args in ((), (1, 2, 3, 4), (object(),), ("a", "b", "c", "d")):
        for keywords in ({}, {"nonsense": 1}, {"base": 2}, {"key": None}, {"default": 3}, {"start": 2}, {"strict": True}):
            expected = outcome(lambda a=args, k=keywords: repr_of(original(*a, **k)), [])
            observed = outcome(lambda a=args, k=keywords: repr_of(model(*a, **k)), [])
            assert same(observed[1], expected[1]) or "0x" in str(observed), (original, args, keywords, observed, expected)


def repr_of(value: Any) -> Any:
    return [*value] if hasattr(value, "__next__") else repr(value)


TWO = [divmod, pow, round, min, max, isinstance, int, range, format, enumerate, sum]
PAIRS = [
    (7, 2), (-7, 2), (7, -2), (7, 0), (0, 0), (7.5, 2), (7, 2.5), (-7.5, 0.0), (2, -1), (0, -1), (0.0, -1), (-8, 1.5), (1.005, 2), (1234, -2), (2.5, 0), (math.nan, 1), (1e308, -308),
    (True, 2), (3, True), ("12", 10), ("ff", 16), ("0b1", 0), ("9", 8), ("z", 36), ("1", 1), (" 7", 10), (5, "x"), ("a", "b"), (1, 1.0), (math.inf, 2), (255, "x"), (3.14159, ".2f"), ("ab", ">5"), (10**20, 3), ([1], 5), (5, "zz"),
]  # fmt: skip


@pytest.mark.parametrize("original", TWO, ids=lambda b: b.__name__)
def test_two_arguments(original: Any) -> None:
    for a, b in PAIRS:
        agree_with(original, a, b)
        agree(lambda x, y=b: models.BUILTINS[original](x, y), a) if not isinstance(b, float) else None
        agree(lambda y, x=a: models.BUILTINS[original](x, y), b)


@many
@given(values=st.lists(st.one_of(st.integers(-3, 3), st.floats(-2, 2), st.booleans()), max_size=5))
def test_numbers_of_a_list(values: list[Any]) -> None:
    for original in (min, max, sum, sorted, any, all, len, list, tuple, set, frozenset, reversed):
        model = BUILTINS.get(original, original)
        agree(lambda l, m=model: m([e for e in l]), values)
        agree(lambda l, m=model: m(e for e in l) if m not in (BUILTINS[len], BUILTINS[reversed]) else None, values)
    agree(lambda l: BUILTINS[min](l, default=7), values)
    agree(lambda l: BUILTINS[max](l, key=lambda v: -v), values)
    agree(lambda l: list(BUILTINS[map](str, l)), values)
    agree(lambda l: [*BUILTINS[filter](None, l)], values)
    agree(lambda l: LIBRARY[collections.Counter](l), values)
    agree(lambda l: BUILTINS[dict]([(e, n) for n, e in enumerate(l)]), values)
    agree(lambda l: BUILTINS[repr](([*l], (1, *l), {e: 1 for e in l if e})), values)


@many
@given(words=st.lists(st.text("ab1 ", max_size=3), max_size=4), n=st.integers(-3, 3))
def test_texts_of_a_list(words: list[str], n: int) -> None:
    agree(lambda l: [*BUILTINS[map](BUILTINS[len], l)], words)
    agree(lambda l: BUILTINS[sorted](l, key=len), words)
    agree(lambda l: BUILTINS[sorted](l, key=str.upper, reverse=True), words)
    agree(lambda l: BUILTINS[max](l, key=len, default=""), words)
    agree(lambda l: [*BUILTINS[map](int, l)], words)
    agree(lambda l: [*BUILTINS[map](str.strip, l)], words)
    agree(lambda l: BUILTINS[set](l) == set(l), words)
    agree(lambda l, n: [*BUILTINS[enumerate](l, n)], words, n)
    agree(lambda l: BUILTINS[str](l), words)
    agree(lambda l: BUILTINS[dict](zip(l, itertools.count(), strict=False)), words)
    agree(lambda l: BUILTINS[dict](k=1, **{}), words)


def run_on(operation: Any, **inputs: Any) -> tuple[Any, path.Run]:
    run = path.Run(dict(inputs))
    with path.recording(run):
        result = operation(*(core.wrap(v, var(n, T.sort_of(v))) for n, v in inputs.items()))
    return result, run


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda x: B[abs](x), "abs(x)"),
        (lambda x: B[min](x, 3), "3 if x > 3 else x"),
        (lambda x: B[max](2, x), "x if x > 2 else 2"),
        (lambda x: B[hex](x), "format(x, '#x')"),
        (lambda x: B[bin](x), "format(x, '#b')"),
        (lambda x: B[format](x, "05d"), "format(x, '05d')"),
        (lambda x: B[str]([x]), "'[' + str(x) + ']'"),
        (lambda x: B[repr]((x,)), "'(' + str(x) + ',)'"),
        (lambda x: B[pow](x, 3, 7), "pow(x, 3, 7)"),
        (lambda x: B[divmod](x, 3)[1], "x % 3"),
        (lambda x: B[round](x, -1), "round(x, -1)"),
        (lambda x: B[sum]([x, 1, x]), "x + 1 + x"),
        (lambda x: B[sum]([x, 1.5]), "sum([x, 1.5])"),
        (lambda x: B[bool](x), "x != 0"),
        (lambda x: B[pow](2.0, x), "2.0 ** float(x)"),
        (lambda x: LIBRARY[math.gcd](x, 6), "gcd(gcd(0, x), 6)"),
        (lambda x: LIBRARY[math.exp](x), "exp(float(x))"),
    ],
)
def test_a_result_keeps_its_term_without_a_decision_of_its_own(operation: Any, text: str) -> None:
    result, run = run_on(operation, x=5)
    assert str(result.term) == text
    assert all("exp" in text or "**" in text for _ in run.decisions)
    assert not run.concretisations


def test_set_of_concolic_elements_decides_which_are_equal() -> None:
    result, run = run_on(lambda a, b: B[len](B[set]([a, b])), a=1, b=2)
    assert result == 2
    assert [str(d.term) for d in run.decisions] == ["a == b"]


def test_dict_of_concolic_keys_decides_which_are_equal() -> None:
    result, run = run_on(lambda a, b: B[len](B[dict]([(a, 1), (b, 2)])), a="x", b="x")
    assert result == 1
    assert [str(d.term) for d in run.decisions] == ["a == b"]


def test_a_copy_of_a_list_keeps_its_length_open() -> None:
    run = agree(lambda l: B[len](B[list](l)) >= 0, [1, 2])
    assert not run.decisions


def test_functions_handed_over_are_models_too() -> None:
    def total(words: Any) -> Any:
        return LIBRARY[functools.reduce](operator.add, B[map](LIBRARY[functools.partial](int, base=2), words))

    run = agree(lambda a, b: total([a, b]) == 5, "10", "11")
    assert any("int(a0, 2) + int(a1, 2)" in str(d.term) for d in run.decisions) or not run.concretisations
    agree(lambda a: [*LIBRARY[itertools.takewhile](str.isdigit, [a, "1", "x"])], "7")
    agree(lambda a: LIBRARY[heapq.nlargest](1, [a, "abc"], key=len), "zzzz")


def test_names_are_those_that_callers_use() -> None:
    assert models.len_ is B[len]
    assert models.isinstance_ is B[isinstance]
    assert models.ord_ is B[ord]
    assert models.chr_ is B[chr]
