"""What docstrings show and comparisons say about inputs: examples, values read back, transplants, characters."""

from __future__ import annotations

import ast
import random
import textwrap
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ramify
from ramify.cfg.leaves import Leaf
from ramify.runtime.inputs import Maker, Unreadable, read
from ramify.runtime.inputs import parameters as inputs
from ramify.runtime.programs import HybridProgram, Knowledge
from ramify.runtime.proposals import Mending, assignments, transplanted
from ramify.runtime.proposals.characters import kinds
from ramify.runtime.proposals.examples import UNKNOWN, Shown, examples
from ramify.runtime.proposals.transplants import MENDS
from ramify.runtime.search import BURST
from ramify.runtime.terms import argument
from ramify.runtime.worlds import Target, parse

MODULE = '''
    """Numbers.

    >>> from numbers import f
    >>> f("12-3")
    'twelve'
    >>> x.f(x, 1.5, n=[1, 2])
    """

    def f(s, *rest, n=None):
        """One.

        >>> table = [[1, 2],
        ...          [3, 4]]
        >>> print(f(table, range(3)))
        >>> f(unknown())
        >>> g("other")
          >>> not python at all (
        """
'''


def test_examples_are_the_calls_of_a_function_with_their_literal_arguments() -> None:
    found = examples(ast.parse(textwrap.dedent(MODULE)), "f")
    assert found.calls == [
        Shown(("12-3",), {}),
        Shown((UNKNOWN, 1.5), {"n": [1, 2]}),
        Shown(([[1, 2], [3, 4]], [0, 1, 2]), {}),
    ]
    assert {"12-3", "twelve", 1.5, "other"} <= set(found.literals)


def test_a_docstring_that_doctest_refuses_shows_nothing() -> None:
    assert examples(ast.parse('def f(s):\n    """>>>f(1)"""'), "f").calls == []


def f(
    i: int, t: str, x: float, b: bytes, flag: bool, some: list[int] | None, nested: list[list[float]],
    pair: tuple[int, str], table: dict[str, list[int]], names: set[str], rows: tuple[int, ...] = (),
) -> None:  # fmt: skip
    """A parameter of every readable kind."""


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": st.integers(),
    "t": st.text(),
    "x": st.floats(allow_nan=False),
    "b": st.binary(),
    "flag": st.booleans(),
    "some": st.none() | st.lists(st.integers(), max_size=5),
    "nested": st.lists(st.lists(st.floats(allow_nan=False), max_size=3), max_size=3),
    "pair": st.tuples(st.integers(), st.text()),
    "table": st.dictionaries(st.text(), st.lists(st.integers(), max_size=3), max_size=3),
    "names": st.sets(st.text(), max_size=4),
    "rows": st.lists(st.integers(), max_size=4).map(tuple),
}


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.fixed_dictionaries(VALUES))
def test_what_is_read_is_built_again(values: dict[str, Any]) -> None:
    for parameter in inputs.parameters(f):
        value = values[parameter.name]
        assert parameter.shape is not None
        found = read(parameter.shape, argument(parameter.name), value, Maker({}))
        built = parameter.shape.build(argument(parameter.name), Maker(found, plain=True), 0)
        assert built == value
        assert type(built) is type(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("i", "1"), ("i", True), ("t", b""), ("x", "1"), ("b", "x"), ("flag", 1), ("some", ["a"]), ("pair", (1,)),
     ("nested", [1]), ("table", {1: [2]}), ("names", ["a"]), ("rows", [1]), ("t", "x" * 10**6)],
)  # fmt: skip
def test_what_no_shape_builds_is_not_read(name: str, value: Any) -> None:
    shape = next(p.shape for p in inputs.parameters(f) if p.name == name)
    assert shape is not None
    with pytest.raises(Unreadable):
        read(shape, argument(name), value, Maker({}))


def test_a_call_gives_the_inputs_that_can_be_read_and_leaves_out_the_others() -> None:
    def g(text: str, number: float, size: int = 3) -> None: ...

    calls = [Shown(("a", 2), {}), Shown((UNKNOWN, "no"), {"size": 5})]
    assert list(assignments(calls, inputs.parameters(g), Maker({}))) == [
        {"text": "a", "number": 2.0, "size": 3},
        {"size": 5},
    ]


@pytest.mark.parametrize(
    ("value", "left", "right", "expected"),
    [
        ("ES12-XY", "JY", "XY", "ES12-JY"),
        ("abc 7", 42, 7, "abc 42"),
        ("key=es", "ES", "FR", "key=fr"),
        ([1, 5, 2], 5, 9, [1, 9, 2]),
        ([3, 1, 2], [3, 1], [1, 3], [1, 3, 2]),
        ("see cat", "cat", {"dog": 1}, "see dog"),
        ("{1,x}", "x", "nN", "{1,N}"),
    ],
)
def test_one_side_of_a_comparison_takes_the_place_of_the_other(
    value: Any, left: Any, right: Any, expected: Any
) -> None:
    assert {"x": expected} in list(transplanted({"x": value}, left, right))


def test_no_place_no_transplant() -> None:
    assert list(transplanted({"x": "abc", "y": 3, "z": True}, "q", "r")) == []


def test_every_comparison_that_failed_is_mended_in_turn_the_last_one_first() -> None:
    first, nowhere, last = (Leaf((line, 0, line, 5)) for line in (1, 2, 3))
    compared: dict[Leaf, tuple[Any, Any]] = {first: ("a", "b"), nowhere: ("x", "y"), last: ("7", "8")}
    mending = Mending(random.Random(0))
    made = [mending.mended({"s": "a-7"}, compared) for _ in range(2 * MENDS + 1)]
    assert made == [{"s": "a-8"}, {"s": "b-7"}] * MENDS + [None]


def test_a_generated_form_that_fails_at_one_word_gets_the_word_it_was_compared_with(tmp_path: Path) -> None:
    file = tmp_path / "links.py"
    file.write_text(textwrap.dedent("""
        from urllib.parse import urlsplit

        def link(text: str) -> str:
            parts = urlsplit(text)
            if parts.scheme != chr(113) + "xq" + str(3):
                return "other"
            if parts.username is None:
                return "nobody"
            return "somebody"
    """))
    program = HybridProgram(Target(*parse(f"{file}:link")))
    drawn = program.burst(range(1, BURST + 1), Knowledge(), frozenset())
    assert {execution.result for execution in drawn.found} == {"other", "nobody", "somebody"}


def test_characters_of_every_category_and_direction_are_among_the_kinds() -> None:
    assert {"Mn", "Mc", "Nd", "No", "Lo", "Lm", "Cf", "Zs", "Sc"} <= set(map(unicodedata.category, kinds()))
    assert {"R", "AL", "AN", "EN", "NSM", "BN", "ET", ""} <= set(map(unicodedata.bidirectional, kinds()))
    assert 9 in set(map(unicodedata.combining, kinds()))


REACHED = {
    "an example of a docstring": '''
        import hashlib

        def f(s: str) -> int:
            """Opens.

            >>> f("open sesame")
            1
            """
            return 1 if hashlib.sha256(s.encode()).hexdigest().startswith("41ef4bb0b23661e66301") else 0
        ''',
    "check digits behind a hash": """
        import zlib

        def digits(s: str) -> str:
            return f"{zlib.crc32(s.encode()) % 10000:04}"

        def f(s: str) -> int:
            if len(s) < 8:
                return 0
            return 1 if s[-4:] == digits(s[:-4]) else 2
        """,
    "check digits of what else is asked for": """
        import zlib

        def digits(s: str) -> str:
            return f"{zlib.crc32(s.encode()) % 10000:04}"

        def f(s: str) -> int:
            if len(s) < 8 or s[-4:] != digits(s[:-4]):
                return 0
            return 1 if zlib.adler32(s[:-4].encode()) % 3 == 1 else 2
        """,
    "a key of a large table": """
        import zlib

        TABLE = {f"k{zlib.crc32(bytes([k]))}": k for k in range(200)}

        def f(s: str) -> int:
            parts = s.split(":")
            if len(parts) != 2:
                return 0
            return 1 if parts[1] in TABLE else 2
        """,
    "a character of a rare kind": """
        import unicodedata

        def f(s: str) -> int:
            return 1 if any(unicodedata.bidirectional(c) == "NSM" for c in s) else 0
        """,
    "a text of a length beyond any usual": """
        def f(s: str) -> int:
            return 1 if len(s) > 1024 else 0
        """,
}


@pytest.mark.parametrize("source", REACHED.values(), ids=REACHED)
def test_what_is_behind_code_without_terms_is_reached(tmp_path: Path, source: str) -> None:
    file = tmp_path / "target.py"
    file.write_text(textwrap.dedent(source))
    exploration = ramify.explore(f"{file}:f")
    list(exploration)
    assert exploration.summary.stop == "covered"
