"""Concolic texts behave as CPython's."""

# ruff: noqa: E501 - tables in rows, odd spellings on purpose

import operator
from typing import Any

import pytest
from differential import agree, agree_on_either_side
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime import models
from ramify.runtime.values.formatting import format_, percent

ALPHABET = "ab,= \t\n\r1-+_Aßéİ²٣\U0001f600\x85x"
TEXTS = st.text(ALPHABET, max_size=7)
PARTS = st.text("ab,= 1", max_size=2)
INDEX = st.one_of(st.integers(-9, 9), st.just(10**20))
BOUND = st.one_of(st.none(), st.integers(-9, 9))
many = settings(max_examples=40, derandomize=True, deadline=None)


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "add", "contains", "mod"])
@many
@given(a=TEXTS, b=TEXTS)
def test_two_texts(name: str, a: str, b: str) -> None:
    agree_on_either_side(getattr(operator, name), a, b)


@many
@given(s=TEXTS, i=INDEX)
def test_index(s: str, i: int) -> None:
    agree(operator.getitem, s, i)
    agree(operator.getitem, s, i, symbolic=1)
    agree(lambda s, i: s[i], s, "x", symbolic=1)


@many
@given(s=TEXTS, low=BOUND, high=BOUND, step=st.one_of(st.none(), st.sampled_from([1, -1, 2, -3, 0])))
def test_slice(s: str, low: Any, high: Any, step: Any) -> None:
    agree(lambda s, a, b, c: s[a:b:c], s, low, high, step)
    agree(lambda s, a, b: s[a:b], s, low, high, symbolic=1)


@many
@given(s=TEXTS)
def test_iteration(s: str) -> None:
    agree(list, s)
    agree(lambda s: [c.isdigit() for c in s], s)
    agree(lambda s: (bool(s), models.len_(s), hash(s), str(s), repr(s), f"{s}|{s:>9}"), s)


ZERO = [
    "lower", "upper", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip", "split", "rsplit",
    "splitlines", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
    "isprintable", "isspace", "istitle", "isupper", "expandtabs", "encode", "format", "nonsense",
]  # fmt: skip


@pytest.mark.parametrize("name", ZERO)
@many
@given(s=TEXTS)
def test_methods_without_arguments(name: str, s: str) -> None:
    agree(lambda s: getattr(s, name)(), s)


ONE = [
    "split", "rsplit", "partition", "rpartition", "startswith", "endswith", "find", "rfind", "index", "rindex", "count",
    "strip", "lstrip", "rstrip", "removeprefix", "removesuffix",
]  # fmt: skip


@pytest.mark.parametrize("name", ONE)
@many
@given(s=TEXTS, part=PARTS)
def test_methods_with_a_text(name: str, s: str, part: str) -> None:
    agree(lambda s, p: getattr(s, name)(p), s, part)
    agree(lambda s, p: getattr(s, name)(p), s, part, symbolic=1)
    agree(lambda s, p: getattr(s, name)(p), s, 5, symbolic=1)


@pytest.mark.parametrize("name", ["startswith", "endswith", "find", "rfind", "index", "rindex", "count"])
@many
@given(s=TEXTS, part=PARTS, low=BOUND, high=BOUND)
def test_searching_in_a_range(name: str, s: str, part: str, low: Any, high: Any) -> None:
    agree(lambda s, p, a, b: getattr(s, name)(p, a, b), s, part, low, high)
    agree(lambda s, p, a: getattr(s, name)(p, a), s, part, low)


@many
@given(s=TEXTS, old=PARTS, new=TEXTS, times=st.integers(-1, 2), keep=st.booleans())
def test_replacing_and_splitting(s: str, old: str, new: str, times: int, keep: bool) -> None:
    agree(lambda s, o, n: s.replace(o, n), s, old, new)
    agree(lambda s, o, n, t: s.replace(o, n, t), s, old, new, times)
    agree(lambda s, o, t: s.split(o, t), s, old, times, symbolic=2)
    agree(lambda s, o, t: s.rsplit(o, t), s, old, times, symbolic=2)
    agree(lambda s, t: s.split(None, t), s, times, symbolic=1)
    agree(lambda s, t: s.split(maxsplit=t), s, times, symbolic=1)
    agree(lambda s, k: s.splitlines(k), s, keep)
    agree(lambda s, o: s.startswith((o, "b")), s, old)
    agree(lambda s: s.endswith(()), s)


@many
@given(s=TEXTS, width=st.integers(-2, 12), fill=st.text("ab", max_size=2))
def test_padding(s: str, width: int, fill: str) -> None:
    for name in ("ljust", "rjust", "center"):
        agree(lambda s, w, n=name: getattr(s, n)(w), s, width)
        agree(lambda s, w, f, n=name: getattr(s, n)(w, f), s, width, fill)
    agree(lambda s, w: s.zfill(w), s, width)
    agree(lambda s, w: s * w, s, width)
    agree(lambda s, w: w * s, s, width)


@many
@given(s=TEXTS, parts=st.lists(TEXTS, max_size=3))
def test_join(s: str, parts: list[str]) -> None:
    agree(lambda s, p: s.join(p), s, parts)
    agree(lambda s: s.join(["a", s, "b"]), s)
    agree(lambda s: s.join([1]), s)


@many
@given(s=st.one_of(st.text("0123456789 +-_.e٣", max_size=5), TEXTS), base=st.sampled_from([10, 16, 2, 0]))
def test_numerals(s: str, base: int) -> None:
    agree(lambda s, b: models.int_(s, b), s, base, symbolic=1)
    agree(models.int_, s)
    agree(models.float_, s)
    agree(lambda s: [models.ord_(c) for c in s], s)
    agree(models.ord_, s)


@many
@given(s=TEXTS, n=st.integers(), b=st.booleans())
def test_formatting(s: str, n: int, b: bool) -> None:
    for template in ("%s", "<%s>%%", "%d-%s", "%s", "%5s", "no"):
        agree(lambda s, t=template: percent(t, s), s)
        agree(lambda s, t=template: t % s, s)
        agree(lambda n, s, t=template: percent(t, (n, s)), n, s)
    agree(lambda n, s, b: percent("%s %d %s", (b, n, s)), n, s, b)
    for template in ("{}", "{} {}", "{1}-{0}", "{0:>4}", "{{}}", "{!r}"):
        agree(lambda s, n, t=template: format_(t, s, n), s, n)
    agree(lambda s: format_("{name}", name=s), s)


def test_a_text_input_keeps_its_term_through_a_chain_of_operations() -> None:
    def parse(s: str) -> bool:
        key, _, value = s.partition("=")
        return key.strip().lower() == "key" and value == "1"

    run = agree(parse, " Key=1")
    assert "lower" in str(run.decisions[-1].term) or "==" in str(run.decisions[-1].term)
    assert not run.concretisations


BYTES = st.one_of(
    st.binary(max_size=5), st.text("ab, A1\t\xe9\xb2", max_size=6).map(lambda s: s.encode("latin-1"))
)
BYTES_OPERATIONS = [
    operator.eq, operator.ne, operator.lt, operator.ge, operator.add, operator.contains, lambda b, p: b.find(p), lambda b, p: b.rfind(p),
    lambda b, p: b.index(p), lambda b, p: b.count(p), lambda b, p: b.startswith(p), lambda b, p: b.endswith(p), lambda b, p: b.split(p),
    lambda b, p: b.rsplit(p, 1), lambda b, p: b.partition(p), lambda b, p: b.replace(p, b"xy"), lambda b, p: b.strip(p),
    lambda b, p: b.removeprefix(p), lambda b, p: p + b, lambda b, p: b == "a", lambda b, p: b + "a", lambda b, p: b.find("a"),
    lambda b, p: list(b), lambda b, p: b[0], lambda b, p: b[-1], lambda b, p: b[1:], lambda b, p: b[9], lambda b, p: b["x"],
    lambda b, p: bool(b), lambda b, p: models.len_(b), lambda b, p: b * 2, lambda b, p: 97 in b, lambda b, p: 300 in b,
    lambda b, p: b.lower(), lambda b, p: b.upper(), lambda b, p: b.isdigit(), lambda b, p: b.isalpha(), lambda b, p: b.isspace(),
    lambda b, p: b.strip(), lambda b, p: b.split(), lambda b, p: b.decode(), lambda b, p: b.decode("ascii"), lambda b, p: b.hex(), lambda b, p: b.hex("-"), lambda b, p: b.hex(sep=":", bytes_per_sep=2), lambda b, p: b.hex(b.hex()),
    lambda b, p: b.startswith((p, b"a")), lambda b, p: b.endswith((b"z", p), 1), lambda b, p: b.endswith(()), lambda b, p: b.startswith((p, "x")),
    lambda b, p: b.find((p,)),
    lambda b, p: b.decode("latin-1"), lambda b, p: repr(b), lambda b, p: sum(b), lambda b, p: b.title(), lambda b, p: hash(b),
    lambda b, p: b.splitlines(), lambda b, p: b.zfill(4), lambda b, p: p.join([b, b]), lambda b, p: bytearray(b"q") + b, lambda b, p: b.nonsense,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BYTES_OPERATIONS)))
@many
@given(value=BYTES, part=st.binary(max_size=2))
def test_bytes(number: int, value: bytes, part: bytes) -> None:
    agree(BYTES_OPERATIONS[number], value, part)
    agree(BYTES_OPERATIONS[number], value, part, symbolic=1)


def test_bytes_as_inputs() -> None:
    def magic(data: bytes) -> str:
        if data[:2] == b"PK" and len(data) > 4 and data[4] == 0x41:
            return "found"
        return "other"

    import ramify

    found = [p for p in ramify.explore(magic) if p.result == "found"]
    assert eval(found[0].call)["data"][4] == 0x41
