"""Dates, times and durations whose fields are concolic: reading fields, comparing and subtracting keep terms."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import reduce
from types import MethodDescriptorType, WrapperDescriptorType
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.method import concrete_methods
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import sym_int

# In microseconds, the smallest unit of the module.
DAY = 86_400_000_000
SECOND = 1_000_000
BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
COMPARISONS = {"__eq__": T.eq, "__ne__": T.ne, "__lt__": T.lt, "__le__": T.le, "__gt__": T.gt, "__ge__": T.ge}


def leap(year: Term) -> Term:
    def divides(number: int) -> Term:
        return T.eq(T.mod(year, const(number)), const(0))

    return T.and_(divides(4), T.or_(T.not_(divides(100)), divides(400)))


def days_in_month(year: Term, month: Term) -> Term:
    """How many days a month has."""
    short = T.or_(*(T.eq(month, const(m)) for m in (4, 6, 9, 11)))
    february = T.ite(leap(year), const(29), const(28))
    return T.ite(T.eq(month, const(2)), february, T.ite(short, const(30), const(31)))


def ordinal(year: Term, month: Term, day: Term) -> Term:
    """The day's number, 1 for the first day of the year 1."""
    past = T.sub(year, const(1))
    days = T.mul(past, const(365))
    for number, sign in ((4, 1), (100, -1), (400, 1)):
        days = T.add(days, T.mul(T.floordiv(past, const(number)), const(sign)))
    before = const(BEFORE_MONTH[0])
    for number in range(2, 13):
        before = T.ite(T.ge(month, const(number)), const(BEFORE_MONTH[number - 1]), before)
    extra = T.ite(T.and_(T.gt(month, const(2)), leap(year)), const(1), const(0))
    return reduce(T.add, (days, before, extra, day))


def mixed(*digits: tuple[Term, int]) -> Term:
    """A number from fields, each with the number of values it can have: ordered as the fields are."""
    total = const(0)
    for term, size in digits:
        total = T.add(T.mul(total, const(size)), term)
    return total


# The types are immutable, so the fields can be kept beside the concrete value; C code goes on reading that.
class _Moment:
    """What the four types share: fields, comparisons by one number, and nothing else."""

    fields: dict[str, Any]
    builtin: Any

    def key(self) -> Term:
        """One number by which values of the type are ordered."""
        raise NotImplementedError

    def terms(self) -> tuple[Term, ...]:
        return tuple(term for value in self.fields.values() if (term := core.term_of(value)) is not None)

    def __hash__(self) -> int:
        path.hashed()
        return hash(core.plain(self))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return FACTORIES[self.builtin], tuple(self.fields.values())


class SymDate(_Moment, datetime.date):
    """A concolic date."""

    builtin = datetime.date

    def key(self) -> Term:
        year, month, day = self.terms()
        # The size of the first digit does not matter: nothing stands in front of it.
        return mixed((year, 1), (month, 13), (day, 32))

    def toordinal(self) -> int:
        number: int = sym_int(core.plain(self).toordinal(), ordinal(*self.terms()))
        return number

    def weekday(self) -> int:
        # Day 1, the first of January of the year 1, was a Monday, which is 0.
        return (self.toordinal() + 6) % 7

    def isoweekday(self) -> int:
        return self.weekday() + 1

    def __sub__(self, other: Any) -> Any:
        # A datetime is a date to `isinstance`, but Python subtracts no datetime from a date.
        if isinstance(other, datetime.date) and not isinstance(other, datetime.datetime):
            return sym_timedelta(self.toordinal() - other.toordinal(), 0, 0)
        return _concrete(self, "__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, datetime.date) and not isinstance(other, datetime.datetime):
            return sym_timedelta(other.toordinal() - self.toordinal(), 0, 0)
        return _concrete(self, "__rsub__", other)


class SymTime(_Moment, datetime.time):
    """A concolic time of day without a zone."""

    builtin = datetime.time

    def key(self) -> Term:
        hour, minute, second, microsecond = self.terms()
        return mixed((hour, 1), (minute, 60), (second, 60), (microsecond, SECOND))


class SymDatetime(_Moment, datetime.datetime):
    """A concolic date and time without a zone."""

    builtin = datetime.datetime

    def key(self) -> Term:
        year, month, day, hour, minute, second, microsecond = self.terms()
        days = mixed((year, 1), (month, 13), (day, 32))
        return mixed((days, 1), (hour, 24), (minute, 60), (second, 60), (microsecond, SECOND))

    def date(self) -> Any:
        return sym_date(*list(self.fields.values())[:3])

    def time(self) -> Any:
        return sym_time(*list(self.fields.values())[3:])

    def toordinal(self) -> int:
        number: int = sym_int(core.plain(self).toordinal(), ordinal(*self.terms()[:3]))
        return number

    def weekday(self) -> int:
        return (self.toordinal() + 6) % 7

    def isoweekday(self) -> int:
        return self.weekday() + 1

    def instant(self) -> Term:
        """Microseconds since the year 1."""
        hour, minute, second, microsecond = self.terms()[3:]
        days = ordinal(*self.terms()[:3])
        return mixed((days, 1), (hour, 24), (minute, 60), (second, 60), (microsecond, SECOND))

    def __sub__(self, other: Any) -> Any:
        # A zone may move either side by hours that only its own code knows.
        if isinstance(other, datetime.datetime) and other.tzinfo is None:
            return _duration(core.plain(self) - core.plain(other), T.sub(self.instant(), instant_of(other)))
        return _concrete(self, "__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, datetime.datetime) and other.tzinfo is None:
            return _duration(core.plain(other) - core.plain(self), T.sub(instant_of(other), self.instant()))
        return _concrete(self, "__rsub__", other)


def instant_of(value: datetime.datetime) -> Term:
    if isinstance(value, SymDatetime):
        return value.instant()
    since = value - datetime.datetime(1, 1, 1)
    return const((since.days + 1) * DAY + since.seconds * SECOND + since.microseconds)


class SymTimedelta(_Moment, datetime.timedelta):
    """A concolic duration."""

    builtin = datetime.timedelta

    def key(self) -> Term:
        days, seconds, microseconds = self.terms()
        return mixed((days, 1), (seconds, 86_400), (microseconds, SECOND))

    def total_seconds(self) -> float:
        seconds: float = core.wrap(core.plain(self).total_seconds(), T.truediv(self.key(), const(SECOND)))
        return seconds

    def __bool__(self) -> bool:
        return decide(T.ne(self.key(), const(0)), bool(core.plain(self)))

    def __neg__(self) -> Any:
        return _duration(-core.plain(self), T.neg(self.key()))

    def __abs__(self) -> Any:
        return _duration(abs(core.plain(self)), T.abs_(self.key()))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, datetime.timedelta):
            return _duration(core.plain(self) + core.plain(other), T.add(self.key(), length_of(other)))
        return _concrete(self, "__add__", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, datetime.timedelta):
            return _duration(core.plain(self) - core.plain(other), T.sub(self.key(), length_of(other)))
        return _concrete(self, "__sub__", other)

    def __mul__(self, other: Any) -> Any:
        term = core.term_of(other)
        if term is not None and term.sort is T.INT:
            return _duration(core.plain(self) * core.plain(other), T.mul(self.key(), term))
        return _concrete(self, "__mul__", other)

    __rmul__ = __mul__


def length_of(value: datetime.timedelta) -> Term:
    if isinstance(value, SymTimedelta):
        return value.key()
    return const((value.days * 86_400 + value.seconds) * SECOND + value.microseconds)


def _duration(value: datetime.timedelta, total: Term) -> Any:
    """The duration of that many microseconds."""
    # Python normalises to 0 <= seconds < 86400 and lets the days be negative, which is what floor division
    # gives.
    rest = T.mod(total, const(DAY))
    return sym_timedelta(
        sym_int(value.days, T.floordiv(total, const(DAY))),
        sym_int(value.seconds, T.floordiv(rest, const(SECOND))),
        sym_int(value.microseconds, T.mod(rest, const(SECOND))),
    )


def _concrete(value: Any, name: str, other: Any) -> Any:
    path.concretised(f"{value.builtin.__name__}.{name}")
    return getattr(value.builtin, name)(core.plain(value), core.plain(other))


def _factory(cls: type, builtin: Any, *fields: str) -> Callable[..., Any]:
    """Registers a type and gives the function that makes one from its fields."""

    def make(*values: Any) -> Any:
        made: Any = builtin.__new__(cls, *map(core.plain, values))
        made.fields = dict(zip(fields, values, strict=True))
        return made

    def plain(value: Any) -> Any:
        return builtin(*(core.plain(v) for v in value.fields.values()))

    for field in fields:
        setattr(cls, field, _property(field))
    for name, term in COMPARISONS.items():
        setattr(cls, name, _comparison(cls, builtin, name, term))
    handled = {*vars(cls), *vars(_Moment), "__new__", "__init__", "__getattribute__", "__class__", "__reduce__"}
    # Every method that C code defines: what is not modelled must at least say that it lost the term.
    methods = [n for n, v in vars(builtin).items() if isinstance(v, (MethodDescriptorType, WrapperDescriptorType))]
    concrete_methods(cls, builtin, *(n for n in methods if n not in handled))
    core.PLAIN[cls] = plain
    core.stands_for(cls, builtin)
    FACTORIES[builtin] = make
    return make


def _property(field: str) -> property:
    return property(lambda self: self.fields[field])


def _comparison(cls: type, builtin: Any, name: str, build: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    def compare(self: Any, other: Any) -> Any:
        plain = core.plain(other)
        if isinstance(plain, builtin) and type(plain) is not builtin:
            return NotImplemented  # as for a date and a datetime, whose class decides
        value = getattr(builtin, name)(core.plain(self), plain)
        if value is NotImplemented or type(plain) is not builtin or getattr(plain, "tzinfo", None) is not None:
            return value
        theirs: Any = other if type(other) is cls else _known(other)
        return sym_bool(value, build(self.key(), theirs.key()))

    return compare


def _known(value: Any) -> Any:
    """A plain value as one whose fields are constants."""
    # So that `key` is written once, for both sides of a comparison.
    return FACTORIES[type(value)](*(getattr(value, field) for field in FIELDS[type(value)]))


FACTORIES: dict[type, Callable[..., Any]] = {}
DATE, TIME = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")
FIELDS: dict[type, tuple[str, ...]] = {
    datetime.date: DATE,
    datetime.time: TIME,
    datetime.datetime: DATE + TIME,
    datetime.timedelta: ("days", "seconds", "microseconds"),
}
sym_date = _factory(SymDate, datetime.date, *FIELDS[datetime.date])
sym_time = _factory(SymTime, datetime.time, *FIELDS[datetime.time])
sym_datetime = _factory(SymDatetime, datetime.datetime, *FIELDS[datetime.datetime])
sym_timedelta = _factory(SymTimedelta, datetime.timedelta, *FIELDS[datetime.timedelta])
