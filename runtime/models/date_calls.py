"""Dates, times and decimal numbers: which arguments are valid is decided; C code goes on with concrete ones."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

from ramify.runtime.models.registry import LIBRARY, models_concolic
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dates import days_in_month
from ramify.runtime.values.index import as_index
from ramify.runtime.values.texts.text import SymStr, plain

DATE = ("year", "month", "day")
RANGES = {
    "year": (1, 9999),
    "month": (1, 12),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
    "microsecond": (0, 999_999),
}


def _lost(name: str, function: Callable[..., Any], args: Any, keywords: dict[str, Any]) -> Any:
    path.concretised(name)
    return function(*map(core.plain, args), **{k: core.plain(v) for k, v in keywords.items()})


def _fields(cls: type, names: tuple[str, ...]) -> None:
    """The constructor of a class whose fields have ranges."""

    def model(*args: Any, **keywords: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **keywords}
        numbers = {name: as_index(given[name]) for name in names if name in given}
        for name, found in numbers.items():
            # The original is called with whatever is wrong, so the message is Python's own.
            if name in RANGES and found is not None:
                low, high = RANGES[name]
                inside = T.and_(T.le(const(low), found[1]), T.le(found[1], const(high)))
                if not decide(inside, low <= found[0] <= high):
                    return cls(*map(core.plain, args), **{k: core.plain(v) for k, v in keywords.items()})
        year, month, day = (numbers.get(name) for name in DATE)
        if year is not None and month is not None and day is not None:
            # Whether a day exists depends on month and year, which are valid here.
            last = days_in_month(year[1], month[1])
            inside = T.and_(T.le(const(1), day[1]), T.le(day[1], last))
            decide(inside, 1 <= day[0] <= _length_of_month(year[0], month[0]))
        return _lost(f"datetime.{cls.__name__}", cls, args, keywords)

    models_concolic(cls, LIBRARY)(model)


def _length_of_month(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (28 + leap) if month == 2 else 30 if month in (4, 6, 9, 11) else 31


_fields(datetime.date, DATE)
_fields(datetime.time, ("hour", "minute", "second", "microsecond"))
_fields(datetime.datetime, (*DATE, "hour", "minute", "second", "microsecond"))


def _timedelta(*args: Any, **keywords: Any) -> Any:
    return _lost("datetime.timedelta", datetime.timedelta, args, keywords)


models_concolic(datetime.timedelta, LIBRARY)(_timedelta)


# Texts that are parsed: whether they have the format is decided


def _parser(name: str, function: Callable[..., Any], build: Callable[[Term], Term]) -> None:
    def model(text: Any, /) -> Any:
        if type(text) is SymStr:
            # Whether the text has the format is the branch that programs take; its fields are concrete
            # afterwards.
            decide(build(text.term), _accepted(function, plain(text)))
        return _lost(name, function, (text,), {})

    models_concolic(function, LIBRARY)(model)


def _accepted(function: Callable[..., Any], *args: Any) -> bool:
    try:
        function(*args)
    except (ValueError, ArithmeticError):
        return False
    return True


_parser("date.fromisoformat", datetime.date.fromisoformat, lambda s: T.is_time_text(s, const("date")))
_parser("time.fromisoformat", datetime.time.fromisoformat, lambda s: T.is_time_text(s, const("time")))
_parser("datetime.fromisoformat", datetime.datetime.fromisoformat, lambda s: T.is_time_text(s, const("datetime")))


def _strptime(text: Any, layout: Any, /) -> Any:
    if type(text) is SymStr and type(layout) is str:
        matches = T.is_time_text(text.term, const(layout))
        decide(matches, _accepted(datetime.datetime.strptime, plain(text), layout))
    return _lost("datetime.strptime", datetime.datetime.strptime, (text, layout), {})


models_concolic(datetime.datetime.strptime, LIBRARY)(_strptime)


def _decimal(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and not keywords and type(args[0]) is SymStr:
        decide(T.is_decimal_text(args[0].term), _accepted(decimal.Decimal, plain(args[0])))
    return _lost("decimal.Decimal", decimal.Decimal, args, keywords)


models_concolic(decimal.Decimal, LIBRARY)(_decimal)
