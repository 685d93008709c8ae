"""Methods of plain receivers with concolic arguments agree with CPython, and so do functions of modules."""

# ruff: noqa: E501 - tables in rows

import binascii
import copy
import datetime
import decimal
import math
import operator
import struct
from typing import Any

import pytest
from differential import agree, lifted, outcome, same
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.models import LIBRARY, METHODS
from ramify.runtime.recording import path
from ramify.runtime.values import core

many = settings(max_examples=25, derandomize=True, deadline=None, database=None)


def methods_agree(receiver: Any, name: str, *arguments: Any, **keywords: Any) -> path.Run:
    """The model with concolic arguments against the method itself: result, exception, what becomes of the receiver."""
    plain_receiver, concrete_receiver = copy.deepcopy(receiver), copy.deepcopy(receiver)
    expected = outcome(getattr(plain_receiver, name), list(arguments))
    assignment: dict[str, Any] = {}
    run = path.Run(assignment)
    with path.recording(run):
        values = [lifted_inside(f"a{n}", a, assignment) for n, a in enumerate(arguments)]
        kind, value = outcome(METHODS[type(receiver), name], [concrete_receiver, *values])
    observed = core.strip(value) if kind == "returned" else value
    assert kind == expected[0], (name, receiver, arguments, value, expected)
    assert same(observed, expected[1]), (name, receiver, arguments, observed, expected[1])
    assert same(core.strip(concrete_receiver), plain_receiver), (name, receiver, arguments)
    return run


def lifted_inside(name: str, value: Any, assignment: dict[str, Any]) -> Any:
    """The value as an input; a list or tuple as a plain one of inputs."""
    if type(value) in (list, tuple):
        return type(value)(lifted(f"{name}.{n}", v, assignment) for n, v in enumerate(value))
    return lifted(name, value, assignment)


TEXT_CALLS: dict[str, list[tuple[Any, ...]]] = {
    **{
        name: [("a",), ("",), ("b", 1), ("b", -2), ("b", 0, 2), ("", 3, 2), ("", 9), ("b", -9, -1), (1,), ("a", "b"), ("ba", None, 3)]
        for name in ("find", "index", "rfind", "rindex", "count", "startswith", "endswith")
    },
    "replace": [("a", "x"), ("", "-"), ("b", "", 1), ("a", "aa", 2), ("a", "b", 0), (1, 2), ("a",)],
    "split": [(",",), ("",), (None,), ("a", 1), (1,), ("b", -1)],
    "rsplit": [(",",), ("",), ("a", 1), (1,)],
    "partition": [(",",), ("",), (1,)],
    "rpartition": [(",",), ("",), (1,)],
    "join": [(["x", "y"],), ([],), (["x", 1],), ("ab",), (("q",),), (1,)],
    "strip": [("ab",), ("",), (None,), (1,)],
    "lstrip": [("ab",)],
    "rstrip": [("ab",)],
    "removeprefix": [("a",), ("zz",), (1,)],
    "removesuffix": [("a",), ("zz",)],
    "center": [(9,), (9, "*"), (-1,), ("x",), (9, "**")],
    "ljust": [(9,), (9, "*")],
    "rjust": [(9,), (9, "*")],
    "zfill": [(9,), (0,), ("x",)],
    "expandtabs": [(4,), (0,), ("x",)],
    "format": [(1, "a"), ("x",), (1.5, 2)],
    "translate": [({97: "z"},), (None,)],
    "format_map": [({"k": "v"},), (1,)],
}


@pytest.mark.parametrize("name", TEXT_CALLS)
def test_methods_of_texts(name: str) -> None:
    receivers = ("", "abcab", "a,b", "-5", "\ta", "{} {}", "{0!r:>5}", "{k}", "%d", "{0:05.1f}")
    for receiver in receivers:
        for arguments in TEXT_CALLS[name]:
            methods_agree(receiver, name, *arguments)


@pytest.mark.parametrize("name", sorted({n for k, n in METHODS if k is bytes}))
def test_methods_of_bytes(name: str) -> None:
    def encoded(value: Any) -> Any:
        if isinstance(value, str):
            return value.encode()
        return type(value)(map(encoded, value)) if isinstance(value, (list, tuple)) else value

    for receiver in (b"", b"abcab", b"a,b", b"-5"):
        for arguments in TEXT_CALLS[name]:
            methods_agree(receiver, name, *(encoded(a) for a in arguments))
        methods_agree(receiver, name, 97)


def test_methods_taken_from_the_class() -> None:
    for name in ("upper", "strip", "isdigit", "split", "title", "encode", "casefold", "splitlines"):
        function = getattr(str, name)
        for value in ("ab c", "", "1", "ß", 3):
            agree(lambda s, f=function: LIBRARY[f](s) if core.is_concolic(s) else f(s), value)


LIST_CALLS: dict[str, list[tuple[Any, ...]]] = {
    "pop": [(0,), (-1,), (5,), (-9,), ("x",), (1,)],
    "insert": [(0, 9), (1, 9), (-1, 9), (50, 9), (-50, 9), ("x", 9), (2, 9)],
    "index": [(1,), (2, 1), (2, -1), (9,), (1, 0, 1)],
}


@pytest.mark.parametrize("name", LIST_CALLS)
def test_methods_of_lists(name: str) -> None:
    for receiver in ([], [1], [3, 1, 2], [[1], [2], [3]], [1, "a", None]):
        for arguments in LIST_CALLS[name]:
            methods_agree(receiver, name, *arguments)


DICT_CALLS: dict[str, list[tuple[Any, ...]]] = {
    "get": [("a",), ("z",), ("z", 5), (1,), ([1],), ()],
    "pop": [("a",), ("z",), ("z", 5), (1,), ([1],)],
    "setdefault": [("a",), ("z",), ("z", 5), (1, 2)],
    "update": [([("a", 9), ("z", 8)],), ([1],), (1,), ({"a": 3},)],
    "__contains__": [("a",), ("z",), (1,), ([1],)],
    "fromkeys": [(["a", "b", "a"],), (["a"], 1), (1,)],
}


@pytest.mark.parametrize("name", DICT_CALLS)
def test_methods_of_dicts(name: str) -> None:
    for receiver in ({}, {"a": 1, "b": 2}, {"a": [1], 1: None}, {n: str(n) for n in range(20)}):
        for arguments in DICT_CALLS[name]:
            methods_agree(receiver, name, *arguments)


@pytest.mark.parametrize("name", sorted({n for k, n in METHODS if k in (set, frozenset)}))
def test_methods_of_sets(name: str) -> None:
    for receiver in (set(), {1, 2}, {"a", "b"}, frozenset({1, 2}), {1, "a", (1, 2)}):
        if (type(receiver), name) not in METHODS:
            continue
        for arguments in ((1,), ("a",), ([1, 2],), ([2, 3, 3],), (["a", "c"],), ([],), ({1, 5},), ([1], [2])):
            methods_agree(receiver, name, *arguments)


FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.7, 709.0, 710.0, 711.0, 1e-300, 1e300, math.inf, -math.inf, math.nan, 1024.0]
INTS = [0, 1, -1, 2, 7, 12, 301, 10**30, True]
MATH = [f for f in LIBRARY if getattr(f, "__module__", "") == "math" and f not in (math.fsum,)]


@pytest.mark.parametrize("function", MATH, ids=lambda f: f.__name__)
def test_functions_of_math(function: Any) -> None:
    def call(*arguments: Any) -> Any:
        return (LIBRARY[function] if any(map(core.is_concolic, arguments)) else function)(*arguments)

    for value in (*FLOATS, *INTS, "x", None):
        if function is math.factorial and isinstance(value, int) and value > 1000:
            continue
        agree(call, value)
        for other in (0.0, 1.5, -2.0, math.inf, math.nan, 0, 3, -2, "x"):
            if function in (math.comb, math.perm) and isinstance(value, int) and value > 1000:
                continue
            agree(call, value, other)
            agree(call, value, other, symbolic=1)


@many
@given(a=st.floats(), b=st.floats(), r=st.sampled_from([0.0, 1e-9, 0.1]))
def test_isclose(a: float, b: float, r: float) -> None:
    agree(lambda a, b: LIBRARY[math.isclose](a, b, rel_tol=r, abs_tol=r), a, b)


def test_dates_decide_what_is_valid() -> None:
    for year in (0, 1, 1900, 2000, 2023, 2024, 9999, 10000):
        for month, day in ((2, 28), (2, 29), (2, 30), (4, 31), (12, 31), (13, 1), (0, 1), (1, 0)):
            for cls in (datetime.date, datetime.datetime):
                run = agree(lambda y, m, d, c=cls: plain_or_model(c, y, m, d), year, month, day)
                assert run.decisions
    agree(lambda h, m: plain_or_model(datetime.time, h, m), 24, 0)
    agree(lambda h, m: plain_or_model(datetime.time, h, minute=m), 23, 59)
    agree(lambda d: plain_or_model(datetime.timedelta, days=d), 3)


def plain_or_model(original: Any, *args: Any, **keywords: Any) -> Any:
    concolic = any(map(core.is_concolic, (*args, *keywords.values())))
    return (LIBRARY[original] if concolic else original)(*args, **keywords)


@pytest.mark.parametrize("text", ["2024-02-29", "2023-02-29", "", "12:30", "2024-02-29T12:30:00", "1.5", "nan", "x", "1e5"])
def test_texts_that_are_parsed(text: str) -> None:
    for original in (datetime.date.fromisoformat, datetime.time.fromisoformat, datetime.datetime.fromisoformat):
        agree(lambda s, o=original: plain_or_model(o, s), text)
    agree(lambda s: plain_or_model(datetime.datetime.strptime, s, "%Y-%m-%d"), text)
    agree(lambda s: str(plain_or_model(decimal.Decimal, s)), text)


def test_integers_and_bytes() -> None:
    for value in (0, 1, 255, 256, -1, -128, -129, 65535, 2**31, 10**12):
        for size in (0, 1, 2, 4, 8):
            for order in ("big", "little", "middle"):
                for signed in (False, True):
                    agree(lambda x, s=size, o=order, g=signed: x.to_bytes(s, o, signed=g), value)
    for data in (b"", b"\x00", b"\xff\x01", b"abcd"):
        for order in ("big", "little"):
            for signed in (False, True):
                agree(lambda b, o=order, g=signed: plain_or_model(int.from_bytes, b, o, signed=g), data)
    run = agree(lambda x: plain_or_model(int.from_bytes, x.to_bytes(4, "big"), "big") == 7, 5)
    assert not run.concretisations


def test_operators_as_functions() -> None:
    agree(lambda s: bool(LIBRARY[operator.contains]("abc", s)), "b")
    agree(lambda i: plain_or_model(operator.getitem, [1, 2, 3], i), 1)
    agree(lambda k: plain_or_model(operator.getitem, {"a": 1}, k), "z")
    agree(lambda x: bool(plain_or_model(operator.not_, x)), 0)
    agree(lambda x: plain_or_model(operator.index, x), 3)
    agree(lambda x: plain_or_model(operator.index, x), 3.5)


FORMATS = ["<H", ">H", "!I", "=i", "<q", ">Q", "b", "B", "<hB", "@bi", "@bq0l", "3s", "<2sH", "0s", "c", "2c", "?", "<3B", "x", "2xB", "<f", ">d", "<e", "5p", "n", "P", "< h 2b", "z", "", "<n", "3"]


@pytest.mark.parametrize("form", FORMATS)
@many
@given(data=st.binary(max_size=20), offset=st.integers(-5, 9))
def test_records_of_binary_data(form: str, data: bytes, offset: int) -> None:
    plain = [data]
    try:
        size = struct.calcsize(form)
        plain += [data.ljust(size, b"\xfe")[:size], b"\x80" * size]
    except struct.error:
        pass
    for value in plain:
        agree(lambda b: plain_or_model(struct.unpack, form, b), value)
        agree(lambda b: plain_or_model(struct.unpack_from, form, b, offset), value)
        agree(lambda b: plain_or_model(struct.unpack_from, form.encode(), buffer=b), value)
        if len(plain) > 1:
            compiled = struct.Struct(form)
            agree(lambda b, c=compiled: METHODS[struct.Struct, "unpack"](c, b), value)
            agree(lambda b, c=compiled: METHODS[struct.Struct, "unpack_from"](c, b, offset), value)


@many
@given(st.binary(max_size=6))
def test_digits_of_bytes(data: bytes) -> None:
    for function in (binascii.hexlify, binascii.b2a_hex):
        agree(lambda b, f=function: plain_or_model(f, b), data)
        agree(lambda b, f=function: plain_or_model(f, b, "-"), data)
        agree(lambda b, f=function: plain_or_model(f, b, sep=":", bytes_per_sep=2), data)
    agree(lambda n: plain_or_model(binascii.hexlify, n), 5)


def test_digits_of_many_bytes_are_recorded_as_lost() -> None:
    assert agree(lambda b: b.hex(), bytes(range(100))).concretisations
    assert agree(lambda b: plain_or_model(binascii.hexlify, b), bytes(range(100))).concretisations


def test_calls_of_records_that_python_refuses() -> None:
    agree(lambda b: plain_or_model(struct.unpack, "<H", buffer=b), b"ab")
    agree(lambda b: plain_or_model(struct.unpack, "<H", b, b), b"ab")
    agree(lambda b: plain_or_model(struct.unpack, 5, b), b"ab")
    agree(lambda b: plain_or_model(struct.unpack, b), b"ab")
    agree(lambda b: plain_or_model(struct.unpack_from, "<H", b, "x"), b"ab")
    agree(lambda form: plain_or_model(struct.unpack, form, b"ab"), "<H")
    agree(lambda n: plain_or_model(struct.unpack, "<H", n), 5)
