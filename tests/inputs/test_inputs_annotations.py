"""Every kind of annotation: a function with a branch that only the right value reaches, found and replayed."""

# ruff: noqa: E501 - tables in rows

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from replaying import explored, found

import ramify
from ramify.commands.explore_command import command
from ramify.errors import InputError

HEADER = """
import collections, datetime, decimal, enum, fractions, io, pathlib, re, typing
from collections.abc import *
from dataclasses import dataclass
from typing import *
T = TypeVar("T")
Word = TypeVar("Word", int, str)
Number = TypeVar("Number", bound=float)
UserId = NewType("UserId", int)
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
class Permission(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4
class Movie(TypedDict):
    name: str
    year: NotRequired[int]
class Point(NamedTuple):
    x: int
    y: str = "q"
@dataclass(frozen=True)
class Interval:
    gt: object = None
    ge: object = None
    lt: object = None
    le: object = None
@dataclass(frozen=True)
class Len:
    min_length: int = 0
    max_length: int | None = None
@dataclass(frozen=True)
class MultipleOf:
    multiple_of: int
class Base: ...
class Derived(Base): ...
"""

# The parameters, and the condition under which the function returns "found".
REACHED = [
    ("x: int", "x == 1234567"),
    ("x: bool", "x is True"),
    ("x: float", "x == 2.75"),
    ("x: str", "x == 'naïve'"),
    ("x: bytes", "x == b'ab\\xff'"),
    ("x: complex", "x.real > 3 and x.imag < -2"),
    ("x: complex", "x * 2 + 1 == 7 - 4j"),
    ("x: None", "x is None"),
    ("x: Any", "x == 'abc'"),
    ("x: object", "isinstance(x, list) and len(x) == 2"),
    ("x: Optional[int]", "x is None"),
    ("x: Union[int, str]", "x == 'ab'"),
    ("x: int | list[str]", "x == ['ab']"),
    ("x: Literal['a', 3]", "x == 3"),
    ("x: list", "x == [3, 4]"),
    ("x: list[float]", "x == [0.5]"),
    ("x: list[list[int]]", "x == [[1], [2, 3]]"),
    ("x: list[bool]", "x == [True, False]"),
    ("x: list[int | None]", "len(x) == 2 and x[1] is None and x[0] == 5"),
    ("x: set[str]", "'w' in x"),
    ("x: frozenset[int]", "len(x) == 2"),
    ("x: dict[str, int]", "x.get('k') == 4"),
    ("x: dict", "'k' in x"),
    ("x: dict[str, list[int]]", "x.get('k') == [1, 2]"),
    ("x: tuple[int, str]", "x == (5, 'q')"),
    ("x: tuple[int, ...]", "len(x) == 3 and x[2] == 5"),
    ("x: tuple", "len(x) == 1"),
    ("x: tuple[()]", "x == ()"),
    ("x: Sequence[str]", "len(x) == 1 and x[0] == 'q'"),
    ("x: Mapping[str, int]", "x.get('k') == 4"),
    ("x: Iterable[int]", "sum(x) == 12"),
    ("x: Iterator[int]", "next(x, 0) == 9 and next(x, 0) == 4"),
    ("x: Generator[int, None, None]", "sum(x) == 12"),
    ("x: Collection[int]", "len(x) == 2"),
    ("x: Sized", "len(x) == 2"),
    ("x: Hashable", "x == 'ab'"),
    ("x: KeysView[str]", "len(list(x)) == 2"),
    ("x: collections.deque[int]", "len(x) == 2 and x[0] == 9"),
    ("x: collections.defaultdict[str, int]", "len(x) == 1 and list(x.values()) == [7]"),
    ("x: collections.OrderedDict[str, int]", "list(x.values()) == [3, 4]"),
    ("x: collections.Counter[str]", "sum(x.values()) == 12"),
    ("x: list[T]", "len(x) == 2"),
    ("x: Word, y: Word", "x + y == 'ab'"),
    ("x: Number", "x == 2.5"),
    ("x: UserId", "x == 77"),
    ("x: Movie", "x['name'] == 'Alien' and x.get('year') == 1979"),
    ("x: Movie", "'year' not in x"),
    ("x: Point", "x.x == 5 and x.y == 'z'"),
    ("x: Colour", "x is Colour.BLUE"),
    ("x: Permission", "x == Permission.READ | Permission.RUN"),
    ("x: dict[Colour, int]", "x.get(Colour.BLUE) == 4"),
    ("x: datetime.date", "x.month == 2 and x.day == 29"),
    ("x: datetime.date", "x.weekday() == 4 and x.day == 13"),
    ("x: datetime.date, y: datetime.date", "(x - y).days == 1000"),
    ("x: datetime.time", "x > datetime.time(12, 30) and x.second == 59"),
    ("x: datetime.datetime", "x > datetime.datetime(2030, 1, 1, 12) and x.hour == 3"),
    ("x: datetime.timedelta", "x.total_seconds() > 3600 and x.days == 0"),
    ("x: decimal.Decimal", "x * 2 + 1 == decimal.Decimal('8.50')"),
    ("x: fractions.Fraction", "x == fractions.Fraction(3, 4)"),
    ("x: pathlib.Path", "x.suffix == '.txt'"),
    ("x: range", "len(x) == 3 and x[0] == 5"),
    ("x: slice", "x.start == 3 and x.stop is None"),
    ("x: re.Pattern[str]", "x.pattern == '^$'"),
    ("x: io.StringIO", "x.read() == ''"),
    ("x: Callable[[int], int]", "x(3) == 7 and x(4) == 8"),
    ("x: Callable[..., str]", "x('a') == 'b'"),
    ("x: Callable[[int], int], n: int", "n != 3 and x(n) == 7 and x(3) == 8"),
    ("x: Callable[[list[int]], int]", "x([1]) == 7 and x([2]) == 8"),
    ("x: Callable[..., int]", "x(1, scale=2) == 7 and x(1, scale=3) == 8"),
    ("x: Callable[[object], int]", "x(object()) == 7 and x(object()) == 8"),
    ("x: type[Base]", "x is Derived"),
    ("x: type", "x is str"),
    ("x: 'list[int] | None'", "x is not None and x == [5]"),
    ("x: Annotated[int, Interval(gt=7, le=9), MultipleOf(3)]", "x == 9"),
    ("x: Annotated[float, Interval(gt=2.5)]", "x > 1000"),
    ("x: Annotated[str, Len(2, 4)]", "x[1] == 'q'"),
    ("x: Annotated[list[int], Len(2)]", "x[1] == 7"),
    ("x: list[Annotated[int, Interval(ge=3)]]", "x and x[0] == 4"),
    ("*x: int", "len(x) == 2 and x[1] == 5"),
    ("**x: str", "x.get('mode') == 'q'"),
    ("**x: int", "len(x) == 1"),
    ("x: int, /, y: int, *, z: int", "x == 1 and y == 2 and z == 3"),
]


@pytest.mark.parametrize(("parameters", "condition"), REACHED)
def test_the_right_value_is_found(tmp_path: Path, parameters: str, condition: str) -> None:
    found(tmp_path, f"{HEADER}\ndef f({parameters}):\n    return 'found' if {condition} else 0\n")


# What bounds exclude is never an input: the function returns "found" only for what its annotation forbids.
EXCLUDED = [
    ("x: Annotated[int, Interval(gt=7)]", "x <= 7"),
    ("x: Annotated[int, MultipleOf(3)]", "x % 3 == 1"),
    ("x: Annotated[float, Interval(ge=0.5, lt=2.0)]", "x < 0.5 or x >= 2.0"),
    ("x: Annotated[str, Len(2, 4)]", "len(x) < 2 or len(x) > 4"),
    ("x: Annotated[dict[str, int], Len(0, 1)]", "len(x) > 1"),
    ("x: list[Annotated[int, Interval(ge=3)]]", "x and x[0] < 3"),
]


@pytest.mark.parametrize(("parameters", "condition"), EXCLUDED)
def test_bounds_are_kept(tmp_path: Path, parameters: str, condition: str) -> None:
    source = f"{HEADER}\ndef f({parameters}):\n    return 'found' if {condition} else 'fine'\n"
    assert {path.result for path in explored(tmp_path, source, max_runs=30)} == {"fine"}


def test_bounds_of_the_package(tmp_path: Path) -> None:
    pytest.importorskip("annotated_types")
    source = (
        "from typing import Annotated\nfrom annotated_types import Ge, Interval, Len, MinLen, Predicate\n"
        "def f(a: Annotated[int, Ge(3)], b: Annotated[int, Interval(gt=1, lt=4)], c: Annotated[str, Len(2, 3)],\n"
        "      d: Annotated[list[int], MinLen(1)], e: Annotated[str, Predicate(str.islower)]):\n"
        "    return 'found' if a >= 3 and 1 < b < 4 and 2 <= len(c) <= 3 and d and e == e.lower() else 'wrong'\n"
    )
    assert {path.result for path in explored(tmp_path, source, max_runs=60)} == {"found"}


MODERN = """
type Pair[A] = tuple[A, A]
class Box[T]:
    def __init__(self, value: T):
        self.value = value
def f[N: int](x: N, y: Pair[str], z: Box[str]):
    return "found" if x == 5 and y == ("a", "b") and z.value == "c" else 0
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax came with 3.12")
def test_type_parameters_and_aliases(tmp_path: Path) -> None:
    assert "Box(value='c')" in found(tmp_path, MODERN).call


CHECKING = """
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from fractions import Fraction
    from nowhere_at_all import Thing
def f(x: Fraction):
    return "found" if x == 5 else 0
def g(x: Thing):
    return "found" if x.startswith("q") else 0
"""


def test_names_for_type_checkers_are_imported_if_they_can_be(tmp_path: Path) -> None:
    assert "Fraction(5, 1)" in found(tmp_path, CHECKING).call
    found(tmp_path, CHECKING, "g")
    result = CliRunner().invoke(command, [f"{tmp_path / 'snippet.py'}:g", "--max-runs", "5"])
    assert "parameter 'x' of g: the annotation 'Thing' cannot be resolved at run time" in result.stderr


UNSUPPORTED = [
    ("x: memoryview", "parameter 'x' of f: inputs of type memoryview are not supported"),
    ("x: Awaitable[int]", "parameter 'x' of f: inputs of type .*Awaitable.* are not supported"),
    ("x: list[memoryview]", "parameter 'x' of f"),
    ("x: Annotated[int, Interval(gt=7, lt=8)]", "parameter 'x' of f: its bounds leave no value"),
]


@pytest.mark.parametrize(("parameters", "words"), UNSUPPORTED)
def test_what_is_not_supported_is_named_with_what_to_do(tmp_path: Path, parameters: str, words: str) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(f"{HEADER}\ndef f({parameters}):\n    return 1\n")
    with pytest.raises(InputError, match=words) as raised:
        ramify.explore(f"{file}:f")
    assert "--types" in str(raised.value)


def test_an_unsupported_parameter_with_a_default_is_left_out_and_said(tmp_path: Path) -> None:
    source = "def f(x: int, view: memoryview = None):\n    return 'found' if x == 5 else 0\n"
    assert found(tmp_path, source).call == "{'x': 5}"
    result = CliRunner().invoke(command, [f"{tmp_path / 'snippet.py'}:f", "--max-runs", "5"])
    assert "It is always left out" in result.stderr


def results(paths: list[Any]) -> set[Any]:
    return {path.result for path in paths}


def test_defaults_are_also_left_out(tmp_path: Path) -> None:
    source = (
        "def f(x: int = 5, seen: list[int] = [7]):\n    seen.append(x)\n    if len(seen) == 1:\n        return 'given'\n"
        "    return 'default' if x == 5 else 'other'\n"
    )
    calls = {(path.call, path.result) for path in explored(tmp_path, source, max_runs=40)}
    assert ("{}", "default") in calls
    assert ("{'seen': []}", "given") in calls
    assert any("'x'" in call and "'seen'" not in call and result == "other" for call, result in calls)


def test_arguments_may_be_one_object(tmp_path: Path) -> None:
    source = "def f(a: list[int], b: list[int]):\n    a.append(1)\n    return 'found' if len(b) == 1 and a is b else 0\n"
    path = found(tmp_path, source)
    assert (path.setup, path.call) == (["a = []"], "{'a': a, 'b': a}")
    objects = (
        "class A:\n    def __init__(self, n: int):\n        self.n = n\n"
        "def f(a: A, b: A):\n    a.n += 1\n    return 'found' if b.n == 6 and a.n == b.n and a is b else 0\n"
    )
    assert found(tmp_path, objects).setup == ["a = A(n=5)"]
    numbers = "def f(a: int, b: int):\n    return 0\n"
    assert [path.setup for path in explored(tmp_path, numbers)] == [[]]


GLOBALS = '''
LIMIT = 10
class Config:
    rate: float = 1.0
def f(x: int):
    return "found" if LIMIT == 77 and x > LIMIT and Config.rate == 2.5 else 0
def g(x: int):
    """:types: LIMIT: int"""
    return "found" if LIMIT < 0 else 0
'''


def test_globals_and_class_attributes_as_inputs(tmp_path: Path) -> None:
    assert results(explored(tmp_path, GLOBALS)) == {0}
    path = found(tmp_path, GLOBALS, symbolic_globals=["LIMIT", "Config.rate"])
    assert path.setup == ["LIMIT = 77", "Config.rate = 2.5"]
    assert found(tmp_path, GLOBALS, "g").setup[0].startswith("LIMIT = -")
    with pytest.raises(InputError, match="NOTHING: the module of f has no such name"):
        ramify.explore(f"{tmp_path / 'snippet.py'}:f", symbolic_globals=["NOTHING"])


OUTSIDE = [
    ("x: int", "isinstance(x, str)", "x=''"),
    ("x: int", "isinstance(x, str | bytes) and len(x) == 0", "x=''"),
    ("x: str", "x is None", "x=None"),
    ("x: list[int]", "isinstance(x, (dict, set)) and not x", "x={}"),
]


@pytest.mark.parametrize(("parameters", "condition", "call"), OUTSIDE)
def test_types_that_the_body_tests_for_are_tried_and_marked(
    tmp_path: Path, parameters: str, condition: str, call: str
) -> None:
    path = found(tmp_path, f"def f({parameters}):\n    return 'found' if {condition} else 0\n")
    assert (path.expression, path.outside) == (call, ("x",))


def test_asking_for_the_type_is_such_a_test(tmp_path: Path) -> None:
    source = "def f(x: int):\n    return 'found' if type(x) is list else 0\n"
    path = found(tmp_path, source, mode="peer")
    assert (path.expression, path.outside) == ("x=[]", ("x",))


def test_a_class_pattern_is_such_a_test(tmp_path: Path) -> None:
    source = (
        "class A:\n    def __init__(self, n: int):\n        self.n = n\n"
        "def f(x: int):\n    match x:\n        case A(n=5):\n            return 'found'\n    return 0\n"
    )
    path = found(tmp_path, source)
    assert (path.expression, path.outside) == ("x=A(n=5)", ("x",))


def test_a_subtype_that_is_tested_for_is_not_outside(tmp_path: Path) -> None:
    source = "def f(x: int):\n    return 'found' if isinstance(x, bool) else 0\n"
    assert found(tmp_path, source).outside == ()


def test_containers_stay_within_their_bounds(tmp_path: Path) -> None:
    for kind, bound in (("dict[str, int]", 64), ("set[int]", 64), ("list[bool]", 16), ("tuple[int, ...]", 16)):
        source = f"def f(x: {kind}):\n    return 'large' if len(x) > {bound} else 'small'\n"
        assert results(explored(tmp_path, source, max_runs=200)) == {"small"}
        source = f"def f(x: {kind}):\n    return 'found' if len(x) == {bound} else 'small'\n"
        found(tmp_path, source, max_runs=200)
