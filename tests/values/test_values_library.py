"""Dates, durations, Decimal, Fraction and complex against CPython: same result, same exception, and every term right
(the suite checks it after every operation).
"""

# ruff: noqa: E501 - tables in rows

import datetime
import operator
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from ramify.runtime.inputs import Maker
from ramify.runtime.inputs.shapes.library import MOMENTS, DecimalNumber, FractionNumber
from ramify.runtime.inputs.shapes.scalars import Complex
from ramify.runtime.recording import Run, path
from ramify.runtime.terms import Evaluator, argument
from ramify.runtime.values import core

DATES = [(1, 1, 1), (2000, 2, 29), (1900, 3, 1), (2024, 12, 31), (9999, 12, 31), (1999, 11, 30), (4, 2, 29)]
TIMES = [(0, 0, 0, 0), (23, 59, 59, 999_999), (12, 30, 0, 1)]
DELTAS = [(0, 0, 0), (-1, 86_399, 999_999), (5, 1, 0), (0, 3600, 7), (-30, 0, 0)]
UNITS = [0, 1, -1, 100, 12345, -99, 250]
RATIOS = [(0, 1), (1, 2), (-3, 4), (7, 1), (22, 7)]
COMPLEXES = [(0.0, 0.0), (-0.0, 1.5), (3.0, -2.0), (float("nan"), 1.0), (float("inf"), -1.0), (0.1, 0.2)]


def fields(name: str, kind: Any, values: Any) -> dict[str, Any]:
    return {f"{name}.{field}": value for (field, *_), value in zip(MOMENTS[kind].fields, values, strict=True)}


def moments(kind: Any, rows: Any) -> list[tuple[Any, Callable[[str], dict[str, Any]]]]:
    return [(MOMENTS[kind], lambda name, row=row: fields(name, kind, row)) for row in rows]  # type: ignore[misc]


INPUTS: dict[str, list[tuple[Any, Callable[[str], dict[str, Any]]]]] = {
    "date": moments(datetime.date, DATES),
    "time": moments(datetime.time, TIMES),
    "datetime": moments(datetime.datetime, [d + t for d in DATES for t in TIMES[:2]]),
    "timedelta": moments(timedelta, DELTAS),
    "decimal": [(DecimalNumber(), lambda name, u=u: {f"{name}.scaleb(2)": u}) for u in UNITS],  # type: ignore[misc]
    "fraction": [
        (FractionNumber(), lambda name, r=r: {f"{name}.numerator": r[0], f"{name}.denominator": r[1]})  # type: ignore[misc]
        for r in RATIOS
    ],
    "complex": [
        (Complex(), lambda name, c=c: {f"{name}.real": c[0], f"{name}.imag": c[1]})  # type: ignore[misc]
        for c in COMPLEXES
    ],
}
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
OTHERS: dict[str, list[Any]] = {
    "date": [datetime.date(2000, 3, 1), datetime.datetime(2000, 3, 1), timedelta(3), 5, None],
    "time": [datetime.time(12, 30), datetime.time(12, tzinfo=datetime.UTC), 5],
    "datetime": [datetime.datetime(2000, 3, 1, 5), datetime.date(2000, 3, 1), timedelta(3, 5), 5],
    "timedelta": [timedelta(1), timedelta(-1, 5, 7), 3, -2, 0.5, datetime.date(2000, 1, 1), 0],
    "decimal": [Decimal("1.5"), Decimal("-0.001"), Decimal("NaN"), Decimal("Infinity"), 3, 0, 2.5, float("nan"), "1", Fraction(1, 2)],
    "fraction": [Fraction(1, 3), Fraction(7), 3, 0, -2, 0.5, float("inf"), float("nan"), "x", 1j],
    "complex": [1j, 2, 0, True, -0.0, 2.5, complex(1, -0.0), "x", None, 10**400],
}  # fmt: skip
METHODS: dict[str, list[Callable[[Any], Any]]] = {
    "date": [lambda d: (d.year, d.month, d.day), lambda d: d.weekday(), lambda d: d.isoweekday(), lambda d: d.toordinal(),
             lambda d: d.isoformat(), lambda d: d.replace(day=1), lambda d: d.isocalendar(), str, repr, hash, lambda d: f"{d:%Y}",
             lambda d: d.strftime("%d.%m.%Y"), lambda d: d.timetuple()[:3], lambda d: isinstance(d, datetime.date)],
    "time": [lambda t: (t.hour, t.minute, t.second, t.microsecond, t.tzinfo), str, repr, hash, bool, lambda t: t.isoformat(),
             lambda t: t.replace(hour=3)],
    "datetime": [lambda d: (d.year, d.month, d.day, d.hour, d.minute, d.second, d.microsecond, d.tzinfo), lambda d: d.date(),
                 lambda d: d.time(), lambda d: d.weekday(), lambda d: d.toordinal(), str, repr, hash, lambda d: d.isoformat(),
                 lambda d: d.replace(year=5), lambda d: d.strftime("%H:%M")],
    "timedelta": [lambda d: (d.days, d.seconds, d.microseconds), lambda d: d.total_seconds(), bool, str, repr, hash, abs,
                  operator.neg, operator.pos],
    "decimal": [bool, str, repr, hash, abs, operator.neg, int, float, round, lambda d: round(d, 1), lambda d: d.quantize(Decimal("1")),
                lambda d: d.as_tuple(), lambda d: d.is_zero(), lambda d: d.normalize(), lambda d: d.sqrt(), lambda d: f"{d:.1f}"],
    "fraction": [bool, str, repr, hash, abs, operator.neg, int, float, round, lambda f: f.numerator, lambda f: f.denominator,
                 lambda f: f.limit_denominator(3), lambda f: f.__floor__(), lambda f: f**2],
    "complex": [bool, str, repr, abs, operator.neg, operator.pos, lambda c: (c.real, c.imag), lambda c: c.conjugate(), complex,
                lambda c: c**2, lambda c: f"{c:.1f}", float],
}  # fmt: skip


def outcome(operation: Callable[[Maker], Any], make: Maker) -> Any:
    try:
        result = core.strip(operation(make))
    except Exception as error:
        return type(error), str(error)
    return type(result), repr(result)


def both(kind: str, operation: Callable[[Maker], Any]) -> None:
    """The operation on the plain and on the concolic value comes out alike, and the decisions and facts hold."""
    for shape, values in INPUTS[kind]:
        assignment = {**values("a"), **values("b")}
        expected = outcome(operation, Maker(assignment, plain=True))
        run = Run(assignment)
        with path.recording(run):
            result = outcome(operation, Maker(assignment))
        assert result == expected, shape.text(argument("a"), Maker(assignment), 0)
        evaluator = Evaluator(assignment)
        for decision in run.decisions:
            assert evaluator.value(decision.term) is decision.outcome


@pytest.mark.parametrize("kind", INPUTS)
def test_methods(kind: str) -> None:
    shape = INPUTS[kind][0][0]
    for method in METHODS[kind]:
        both(kind, lambda make, method=method: method(shape.build(argument("a"), make, 0)))  # type: ignore[misc]


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("operation", COMPARISONS + ARITHMETIC, ids=lambda f: f.__name__)
def test_operators(kind: str, operation: Callable[[Any, Any], Any]) -> None:
    shape = INPUTS[kind][0][0]
    for other in OTHERS[kind]:
        both(kind, lambda make, other=other: operation(shape.build(argument("a"), make, 0), other))  # type: ignore[misc]
        both(kind, lambda make, other=other: operation(other, shape.build(argument("a"), make, 0)))  # type: ignore[misc]
    both(kind, lambda make: operation(shape.build(argument("a"), make, 0), shape.build(argument("b"), make, 0)))


def test_sums_that_need_more_digits_than_a_decimal_has_are_concrete() -> None:
    assignment = {"a.scaleb(2)": 10**15}
    run = Run(assignment)
    with path.recording(run):
        value = DecimalNumber().build(argument("a"), Maker(assignment), 0)
        product = value * value * value
    assert type(product) is Decimal
    assert product == Decimal("1E+39")
    assert run.concretisations
