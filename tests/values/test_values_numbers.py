"""Concolic ints, floats and truth values behave as CPython's."""

# ruff: noqa: E501, E711, UP031 - tables in rows, odd spellings on purpose

import math
import operator
from typing import Any

import pytest
from differential import agree, agree_on_either_side
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime import models

INTS = st.one_of(
    st.integers(-12, 12),
    st.integers(),
    st.sampled_from([0, 1, -1, 2**63, -(2**64) + 1, 10**30]),
    st.integers(-70, 70),
)
FLOATS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.5, -2.5, math.nan, math.inf, -math.inf, 5e-324, 1.7e308, 1e16]),
    st.floats(-100, 100),
)
NUMBERS = st.one_of(INTS, FLOATS, st.booleans())
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge"]
BITS = ["and_", "or_", "xor"]
many = settings(max_examples=40, derandomize=True, deadline=None)


@pytest.mark.parametrize("name", BINARY)
@many
@given(a=NUMBERS, b=NUMBERS)
def test_binary(name: str, a: Any, b: Any) -> None:
    agree_on_either_side(getattr(operator, name), a, b)


@pytest.mark.parametrize("name", BITS)
@many
@given(a=st.one_of(INTS, st.booleans()), b=st.one_of(NUMBERS))
def test_bits(name: str, a: Any, b: Any) -> None:
    agree_on_either_side(getattr(operator, name), a, b)


@pytest.mark.parametrize("name", ["lshift", "rshift"])
@many
@given(a=INTS, b=st.integers(-5, 80))
def test_shifts(name: str, a: int, b: int) -> None:
    operation = getattr(operator, name)
    agree(operation, a, b)
    agree(lambda x, y: operation(y, x), b, a % 100, symbolic=1)


@many
@given(a=NUMBERS, b=NUMBERS)
def test_divmod(a: Any, b: Any) -> None:
    agree(divmod, a, b)
    agree(lambda x, y: divmod(y, x), a, b, symbolic=1)


@many
@given(
    a=st.one_of(st.integers(-9, 9), FLOATS, st.booleans()), b=st.one_of(st.integers(-9, 40), st.floats(-3, 3))
)
def test_power(a: Any, b: Any) -> None:
    agree(operator.pow, a, b)
    agree(lambda x, y: y**x, b, a, symbolic=1)


UNARY = [
    operator.neg, operator.pos, abs, operator.invert, bool, operator.not_, str, repr, round, math.floor, math.ceil, math.trunc,
    int, float, lambda x: hash(x) if x == x else 0, lambda x: x.bit_length(), lambda x: x.is_integer(), lambda x: x.real, lambda x: x.imag,
    lambda x: x.conjugate(), lambda x: f"{x}", lambda x: f"{x:5}", lambda x: format(x, ".2f"), lambda x: x.numerator,
    lambda x: x.as_integer_ratio(), lambda x: x.bit_count(), lambda x: round(x, 1), lambda x: round(x, -1),
    lambda x: x.hex(), lambda x: x.denominator, lambda x: isinstance(x, int), lambda x: isinstance(x, float),
    lambda x: f"%d {x}" % x, lambda x: "%s" % x, lambda x: {x: 1}[x], lambda x: [1, 2, 3][x], lambda x: x.nonsense,
    lambda x: x + "a", lambda x: x < "a", lambda x: x == "a", lambda x: x != None, lambda x: "ab" * x, lambda x: x & 1.5,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(UNARY)))
@many
@given(a=NUMBERS)
def test_unary(number: int, a: Any) -> None:
    if isinstance(a, int) and abs(a) > 10**6 and number == UNARY.index(UNARY[-2]):
        return
    agree(UNARY[number], a)


@pytest.mark.parametrize("name", ["int_", "float_", "bool_", "str_", "len_", "chr_"])
@many
@given(a=NUMBERS)
def test_models(name: str, a: Any) -> None:
    real = {"int_": int, "float_": float, "bool_": bool, "str_": str, "len_": len, "chr_": chr}[name]
    model = getattr(models, name)
    plain = type(a) in (int, float, bool)
    agree(lambda x: real(x) if type(x) in (int, float, bool) and plain else model(x), a)


LIBRARY = [math.floor, math.ceil, math.trunc, math.sqrt, math.fabs, math.isnan, math.isinf, math.isfinite]


@pytest.mark.parametrize("function", LIBRARY)
@many
@given(a=NUMBERS)
def test_library(function: Any, a: Any) -> None:
    agree(lambda x: function(x) if type(x) in (int, float, bool) else models.LIBRARY[function](x), a)


def test_the_classic_cases() -> None:
    for a, b in [(7, -2), (-7, 3), (-7, -3), (7, 0), (0, -5), (10**40, -7)]:
        for operation in (operator.floordiv, operator.mod, divmod, operator.truediv):
            agree(operation, a, b)


def test_three_argument_pow_is_concretised() -> None:
    run = agree(lambda x: pow(x, 3, 5), 7)
    assert [place.operation for place in run.concretisations] == ["pow() with a modulus"]


def test_a_symbolic_comparison_records_one_decision_with_its_line() -> None:
    def branch(x: int) -> int:
        return 1 if x > 3 else 0

    run = agree(branch, 5)
    assert [(str(d.term), d.outcome, d.site.function.split(".")[-1]) for d in run.decisions] == [
        ("a0 > 3", True, "branch")
    ]


def test_range_with_symbolic_bounds() -> None:
    for arguments in [(3,), (0,), (-2,), (1, 4), (5, 1, -2), (0, 10, 3), (1, 2, 0)]:
        agree(lambda *a: list(models.BUILTINS[range](*a)), *arguments)
        for probe in (0, 1, 4, 9, -1):
            agree(lambda p, *a: p in models.BUILTINS[range](*a), probe, *arguments)
            agree(lambda p, *a: models.BUILTINS[range](*a)[p], probe, *arguments)
            agree(lambda p, *a: models.BUILTINS[range](*a).index(p), probe, *arguments)
        agree(lambda *a: models.BUILTINS[range](*a) == range(3), *arguments)
        agree(lambda *a: models.len_(models.BUILTINS[range](*a)), *arguments)
        agree(lambda *a: bool(models.BUILTINS[range](*a)), *arguments)
