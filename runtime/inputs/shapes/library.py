"""Inputs of types from the standard library: dates and times, exact numbers, paths, ranges, slices, patterns."""

from __future__ import annotations

import calendar
import datetime
import decimal
import fractions
import io
import math
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker
from ramify.runtime.inputs.shapes.scalars import Bytes, Scalar
from ramify.runtime.recording import path
from ramify.runtime.terms import INT, STR, InputName, const, var
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, dates
from ramify.runtime.values.numeric import exact
from ramify.runtime.values.range_ import SymRange

LIMIT = 10**9
FRACTION_DIGITS = 2

DatePart = tuple[str, int, int, int]
DATE: tuple[DatePart, ...] = (("year", 1, 9999, 2000), ("month", 1, 12, 1), ("day", 1, 31, 1))
TIME: tuple[DatePart, ...] = (
    ("hour", 0, 23, 0), ("minute", 0, 59, 0), ("second", 0, 59, 0), ("microsecond", 0, 999_999, 0),
)  # fmt: skip
DELTA: tuple[DatePart, ...] = (
    ("days", -LIMIT + 1, LIMIT - 1, 0), ("seconds", 0, 86_399, 0), ("microseconds", 0, 999_999, 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, time, datetime or timedelta: one variable for each field, with its range."""

    kind: type
    fields: tuple[DatePart, ...]
    make: Callable[..., Any]
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        plain = self._values(name, make)
        if make.plain:
            return self.kind(*plain.values())
        parts = {
            field: Scalar(INT, default, low, high).build(name.part(field), make, level)
            for field, low, high, default in self.fields
        }
        if "day" in parts:
            month, year = var(name.part("month"), INT), var(name.part("year"), INT)
            # Every input is a day that exists: a fact, not a decision.
            make.fact(T.le(var(name.part("day"), INT), dates.days_in_month(year, month)))
        return self.make(*parts.values())

    def text(self, name: InputName, make: Maker, level: int) -> str:
        values = list(self._values(name, make).values())
        # Trailing zeros are left out, but a date needs all of its three fields.
        least = 3 if "day" in {field for field, *_ in self.fields} else 0
        while len(values) > least and values[-1] == 0:
            values.pop()
        return f"{make.module('datetime')}.{self.kind.__name__}({', '.join(map(str, values))})"

    def _values(self, name: InputName, make: Maker) -> dict[str, int]:
        values = {
            field: Scalar(INT, default, low, high).value(name.part(field), make)
            for field, low, high, default in self.fields
        }
        if "day" in values:
            # What a solver gives without that fact in mind is moved to the end of the month.
            last = calendar.monthrange(values["year"], values["month"])[1]
            values["day"] = make.assignment[name.part("day")] = min(values["day"], last)
        return values


MOMENTS: dict[type, Moment] = {
    datetime.date: Moment(datetime.date, DATE, dates.sym_date),
    datetime.time: Moment(datetime.time, TIME, dates.sym_time),
    datetime.datetime: Moment(datetime.datetime, DATE + TIME, dates.sym_datetime),
    datetime.timedelta: Moment(datetime.timedelta, DELTA, dates.sym_timedelta),
}


@dataclass(frozen=True, slots=True)
class DecimalNumber:
    """A Decimal with two digits behind the point: one integer variable, in hundredths."""

    kind: type = decimal.Decimal
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        units = self._units().build(name.part(f"scaleb({FRACTION_DIGITS})"), make, level)
        value = decimal.Decimal(core.plain(units)).scaleb(-FRACTION_DIGITS)
        return value if make.plain else exact.sym_decimal(value, core.term_of(units), FRACTION_DIGITS)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        units = self._units().value(name.part(f"scaleb({FRACTION_DIGITS})"), make)
        return f"{make.module('decimal')}.Decimal({str(decimal.Decimal(units).scaleb(-FRACTION_DIGITS))!r})"

    def _units(self) -> Scalar:
        return Scalar(INT, 0, -(10**15), 10**15)


@dataclass(frozen=True, slots=True)
class FractionNumber:
    """A Fraction: numerator and denominator, which are reduced (a model with a common factor is changed)."""

    kind: type = fractions.Fraction
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value = self._value(name, make)
        if make.plain:
            return value
        denominator = var(name.part("denominator"), INT)
        make.fact(T.le(const(1), denominator))
        return exact.sym_fraction(value, var(name.part("numerator"), INT), denominator)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        value = self._value(name, make)
        return f"{make.module('fractions')}.Fraction({value.numerator}, {value.denominator})"

    def _value(self, name: InputName, make: Maker) -> fractions.Fraction:
        top = Scalar(INT, 0).value(name.part("numerator"), make)
        bottom = Scalar(INT, 1, 1).value(name.part("denominator"), make)
        # A Fraction is always reduced; the assignment must say the same numbers.
        common = math.gcd(top, bottom)
        top = make.assignment[name.part("numerator")] = top // common
        bottom = make.assignment[name.part("denominator")] = bottom // common
        return fractions.Fraction(top, bottom)


@dataclass(frozen=True, slots=True)
class PathText:
    """A path: the text is a variable, but a path object keeps only its concrete value."""

    kind: type = pathlib.Path
    decides: bool = False

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        value = self._value(name, make)
        if not make.plain:
            make.fact(T.le(T.length(var(name, STR)), const(make.max_size)))
            path.concretised(f"{self.kind.__name__}()")
        return self.kind(value)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return f"{make.module('pathlib')}.{self.kind.__name__}({self._value(name, make)!r})"

    def _value(self, name: InputName, make: Maker) -> str:
        value: str = Scalar(STR, "a.txt").value(name, make)
        make.size(name, len(value))
        return value


@dataclass(frozen=True, slots=True)
class RangeOf:
    """A range of symbolic bounds and a step of one of a few values."""

    kind: type = range
    decides: bool = True
    # A symbolic step would multiply two unknowns in every element.
    steps: tuple[int, ...] = (1, 2, -1)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        step = self.steps[make.pick(name.part("step").choice, len(self.steps))]
        start, stop = (Scalar(INT, 0, -LIMIT, LIMIT).build(name.part(p), make, level) for p in ("start", "stop"))
        if make.plain:
            return range(start, stop, step)
        first, last = ((core.plain(part), core.term_of(part) or const(0)) for part in (start, stop))
        return SymRange(first, last, step)

    def text(self, name: InputName, make: Maker, level: int) -> str:
        step = self.steps[make.picked(name.part("step").choice, len(self.steps))]
        start, stop = (Scalar(INT, 0, -LIMIT, LIMIT).text(name.part(p), make, level) for p in ("start", "stop"))
        return f"range({start}, {stop})" if step == 1 else f"range({start}, {stop}, {step})"


@dataclass(frozen=True, slots=True)
class SliceOf:
    """A slice whose parts are integers or None."""

    kind: type = slice
    decides: bool = True

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        return slice(*(self._part(name.part(p), make, level) for p in ("start", "stop", "step")))

    def text(self, name: InputName, make: Maker, level: int) -> str:
        parts = []
        for part in ("start", "stop", "step"):
            given = make.picked(name.part(part).choice, 2)
            parts.append(Scalar(INT, 1).text(name.part(part), make, level) if given else "None")
        return f"slice({', '.join(parts)})"

    def _part(self, name: InputName, make: Maker, level: int) -> Any:
        return Scalar(INT, 1).build(name, make, level) if make.pick(name.choice, 2) else None


@dataclass(frozen=True, slots=True)
class PatternOf:
    """A compiled regular expression, one of a few that differ in what they match."""

    texts: tuple[Any, ...] = ("a", "", r"\d+", "[a-z]+", "(a)(b)?", "^$")
    kind: type = re.Pattern
    decides: bool = True

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        return re.compile(self.texts[make.pick(name.choice, len(self.texts))])

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return f"{make.module('re')}.compile({self.texts[make.picked(name.choice, len(self.texts))]!r})"


@dataclass(frozen=True, slots=True)
class FileOf:
    """A file in memory: its content is a variable, but what is read from it is concrete."""

    content: Scalar | Bytes
    decides: bool = False

    @property
    def kind(self) -> type:
        return io.StringIO if isinstance(self.content, Scalar) else io.BytesIO

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        content = self.content.build(name, make, level)
        if not make.plain:
            path.concretised(f"{self.kind.__name__}()")
        return self.kind(core.plain(content))

    def text(self, name: InputName, make: Maker, level: int) -> str:
        return f"{make.module('io')}.{self.kind.__name__}({self.content.text(name, make, level)})"
