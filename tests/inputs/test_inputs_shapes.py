"""The property that all shapes share: the plain value is what the text evaluates to, and what is left of the
concolic value without its terms.
"""

# ruff: noqa: E501, UP007, UP045 - tables in rows, old spellings on purpose

import collections
import collections.abc as abc
import datetime
import decimal
import enum
import fractions
import importlib
import math
import pathlib
import random
import re
import typing
from dataclasses import dataclass, field
from typing import Any

import pytest

from ramify.runtime.inputs import Maker
from ramify.runtime.inputs.annotations import Context, shape_of
from ramify.runtime.proposals import Draws
from ramify.runtime.recording import Rejected, Run, path
from ramify.runtime.terms import argument
from ramify.runtime.values import core
from ramify.runtime.values.range_ import SymRange

T = typing.TypeVar("T")
Word = typing.TypeVar("Word", str, bytes)
Small = typing.TypeVar("Small", bound=bool)
UserId = typing.NewType("UserId", int)


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Permission(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Movie(typing.TypedDict):
    name: str
    year: typing.NotRequired[int]


class Point(typing.NamedTuple):
    x: int
    y: float = 0.5


@dataclass
class Item:
    name: str
    price: decimal.Decimal
    tags: set[str] = field(default_factory=set)
    parent: "Item | None" = None


class Stack(typing.Generic[T]):
    def __init__(self, items: list[T], *more: T, limit: int = 5) -> None:
        if limit < 0:
            raise ValueError(limit)
        self.items, self.more, self.limit = items, more, limit

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Interval:
    """As annotated-types has it."""

    gt: Any = None
    ge: Any = None
    lt: Any = None
    le: Any = None


@dataclass(frozen=True)
class MultipleOf:
    multiple_of: int


@dataclass(frozen=True)
class Len:
    min_length: int = 0
    max_length: int | None = None


ANNOTATIONS: list[Any] = [
    int, bool, float, str, bytes, bytearray, complex, None, typing.Any, object, int | None, int | str | None,
    typing.Optional[float], typing.Union[int, str], typing.Literal["a", 3, None, Colour.RED], list[int], list, list[str],
    list[list[float]], list[bool], list[int | None], list[Item], set[int], set, set[str], frozenset[int], frozenset,
    dict[str, int], dict, dict[int, list[int]], dict[Colour, str], dict[str, Item], tuple[int, str], tuple[int, ...], tuple,
    tuple[()], tuple[list[int], dict[str, float]], abc.Sequence[int], abc.Mapping[str, float], abc.MutableMapping[int, int],
    abc.Iterable[str], abc.Collection[int], abc.Sized, abc.Hashable, abc.Container[int], abc.Reversible[int],
    abc.Iterator[int], abc.Generator[int, None, None], abc.KeysView[str], abc.ValuesView[int], abc.ItemsView[str, int],
    collections.deque[int], collections.defaultdict[str, int], collections.defaultdict[str, list[int]],
    collections.OrderedDict[str, int], collections.Counter[str], T, Word, Small, UserId, typing.Annotated[int, Interval(gt=2, le=9)],
    typing.Annotated[int, MultipleOf(7), Interval(ge=10)], typing.Annotated[float, Interval(gt=0.5)],
    typing.Annotated[str, Len(2, 4)], typing.Annotated[list[int], Len(1)], list[typing.Annotated[int, Interval(ge=0)]],
    Movie, Point, Item, Stack[str], Stack, Colour, Permission, Level, datetime.date, datetime.time, datetime.datetime,
    datetime.timedelta, decimal.Decimal, fractions.Fraction, pathlib.Path, pathlib.PurePosixPath, range, slice,
    re.Pattern[str], re.Pattern[bytes], type[Item], type[int], typing.TextIO, typing.IO[bytes], ValueError, typing.LiteralString,
    list[tuple[int, str]], dict[tuple[int, int], str], "list[int] | None",
]  # fmt: skip


def alike(a: Any, b: Any) -> bool:
    """Equality that goes into iterators, files and objects, tells 1 from True, and finds nan equal to itself."""
    if isinstance(a, SymRange):
        a = range(core.plain(a.start), core.plain(a.stop), a.step)
    a, b = core.plain(a), core.plain(b)
    if isinstance(a, (abc.Iterator, abc.MappingView)) and not hasattr(a, "read"):
        return alike(list(a), list(b))
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if isinstance(a, complex):
        return repr(a) == repr(b)
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(alike, list(a), list(b)))
    if isinstance(a, dict):
        return alike(list(a.items()), list(b.items()))
    if isinstance(a, (set, frozenset)):
        return len(a) == len(b) and {*map(repr, map(core.strip, a))} == {*map(repr, map(core.strip, b))}
    if hasattr(a, "getvalue"):
        return bool(a.getvalue() == b.getvalue())
    if isinstance(a, BaseException):
        return alike(a.args, b.args)
    if hasattr(a, "__dict__") and not isinstance(a, (type, enum.Enum)):
        return alike(vars(a), vars(b))
    return bool(a == b)


def evaluated(text: str, make: Maker) -> Any:
    names = {**globals(), **{name: importlib.import_module(name) for name in make.imports}}
    for statement in make.setup:
        exec(statement, names)
    return eval(text, names)


@pytest.mark.parametrize("annotation", ANNOTATIONS, ids=str)
@pytest.mark.parametrize("arrays", [True, False], ids=["arrays", "cells"])
def test_plain_value_text_and_concolic_value_are_one(annotation: Any, arrays: bool) -> None:
    shape = shape_of(annotation, Context("x", {**globals(), **vars(typing)}))
    draws = Draws(1)
    built = 0
    for seed in range(40):
        draws.random = random.Random(seed)
        assignment: dict[str, Any] = {}

        def maker(plain: bool, draw: Any = None, assignment: Any = assignment) -> Maker:
            return Maker(assignment, arrays=arrays, plain=plain, draw=draw, home=__name__)

        try:
            plain = shape.build(argument("x"), maker(True, draws.fresh if seed else None), 0)
        except Rejected:
            continue
        built += 1
        writing = maker(False)
        value = evaluated(shape.text(argument("x"), writing, 0), writing)
        assert alike(value, plain), (value, plain)
        complete = dict(assignment)
        run = Run(assignment)
        with path.recording(run):
            concolic = shape.build(argument("x"), maker(False), 0)
        assert assignment == complete or any(isinstance(v, float) and math.isnan(v) for v in complete.values())
        again = shape.build(argument("x"), maker(True), 0)
        with path.paused():
            assert alike(concolic, again), (concolic, again)
        for fact in run.facts:
            assert run.evaluator.value(fact) is True, fact
    assert built


def test_a_plain_build_records_nothing() -> None:
    for annotation in ANNOTATIONS:
        shape = shape_of(annotation, Context("x", {**globals(), **vars(typing)}))
        run = Run({})
        with path.recording(run):
            try:
                shape.build(argument("x"), Maker(run.assignment, plain=True), 0)
            except Rejected:
                continue
        assert (run.decisions, run.facts, run.concretisations) == ([], [], {}), annotation
