"""The parts of the local search: distances, changed and smaller values, and the budget of a run."""

from __future__ import annotations

import ast
import math
import random
import re
import textwrap
from copy import copy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.cfg.leaves import Leaf
from ramify.cfg.source_file import source_file
from ramify.runtime.programs import UNMEASURED, Ascent, HybridProgram, Knowledge, ending
from ramify.runtime.programs.ticks import TICK, Ticks
from ramify.runtime.proposals import Draws, distances, tabled
from ramify.runtime.proposals.draws import FORMATS
from ramify.runtime.proposals.mentioned import constants, definition
from ramify.runtime.proposals.patterns import patterns
from ramify.runtime.proposals.shrinking import plainer_values
from ramify.runtime.proposals.tables import PER_TABLE
from ramify.runtime.recording import Cut
from ramify.runtime.search import BURST, Goals
from ramify.runtime.search.nearness import Near
from ramify.runtime.solver.regexes import written
from ramify.runtime.terms import BOOL, FLOAT, INT, STR, seq_of
from ramify.runtime.worlds import Target, parse

VALUES = st.one_of(
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.booleans(),
    st.binary(max_size=4),
    st.lists(st.integers(), max_size=3),
)
WORDS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.sampled_from(sorted(WORDS)), VALUES, VALUES)
def test_a_distance_is_0_exactly_for_the_outcome_that_python_gives(word: str, left: Any, right: Any) -> None:
    found = distances(word, left, right)
    try:
        outcome = WORDS[word](left, right)
    except TypeError:
        return
    if found is not None:
        from_true, from_false = found
        assert (from_true == 0) is outcome
        assert (from_false == 0) is not outcome
        assert not math.isnan(from_true)


@pytest.mark.parametrize(
    ("nearer", "farther"),
    [(("eq", 9, 10), ("eq", 5, 10)), (("lt", 11, 10), ("lt", 50, 10)),
     (("eq", "abd", "abc"), ("eq", "xyz", "abc")),
     (("eq", "ab", "abc"), ("eq", "", "abc")), (("in", 8, [1, 9]), ("in", 5, [1, 9]))],
)  # fmt: skip
def test_nearer_is_smaller(nearer: Any, farther: Any) -> None:
    near, far = distances(*nearer), distances(*farther)
    assert near is not None
    assert far is not None
    assert near[0] < far[0]


def test_changes_keep_the_type_and_depend_on_the_seed_alone() -> None:
    for value in (5, 2.5, "abc", [1, 2, 3], ["a"]):
        made, again = ([draws.changed(copy(value)) for _ in range(200)] for draws in (Draws(3), Draws(3)))
        assert repr(made) == repr(again)
        assert {type(item) for item in made} == {type(value)}
        assert len({repr(item) for item in made}) > 1


def test_no_format_is_left_out_of_the_cheap_runs() -> None:
    draws, drawn = Draws(0), set()
    for number in range(1, 1 + BURST):
        draws.restart(number)
        drawn.add(draws.fresh("s", STR))
    assert drawn >= set(FORMATS)


PATTERNS = (
    r"(\d+)-(?P<word>[a-z]+|X{2,3})", r"(^[ \t]*)(?:[^ \t\n])", r"(a|b)\1+", r"[^,;]*,?", r"(?:ab)?(c|$)",
    r"\s\S\w\W\D",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_written_for_a_pattern_match_it_and_differ(pattern: str) -> None:
    compiled, source = re.compile(pattern), random.Random(0)
    texts = [written(compiled, source) for _ in range(50)]
    assert all(map(compiled.match, texts))
    assert len(set(texts)) > 2


def test_the_patterns_of_a_module_are_found_wherever_they_stand() -> None:
    source = """
import re
WORD = re.compile("w+")
class Parser:
    digits = re.compile(b"[0-9]")
TABLE = {"x": [re.compile("x")]}
def f(s):
    return re.match(r"inline", s) or re.search(s, "y")
"""
    names: dict[str, Any] = {}
    exec(source, names)
    found = {pattern.pattern for pattern in patterns(names, ast.parse(source))}
    assert found == {"w+", "[0-9]", "x", "inline"}


def test_a_search_starts_from_every_input_that_is_as_near_as_the_nearest() -> None:
    near = Near()
    for value, distance in ((1, 5.0), (2, 3.0), (3, 3.0), (4, 4.0)):
        near.note({"x": value}, distance)
    assert [near.start()["x"] for _ in range(4)] in ([2, 3, 2, 3], [3, 2, 3, 2])
    assert near.rounds == 4
    near.note({"x": 9}, 1.0)
    assert (near.start(), near.rounds, near.seed) == ({"x": 9}, 1, 5)


def test_fresh_values_have_the_sort_asked_for() -> None:
    draws = Draws(1, constants=["alpha", 41])
    assert {type(draws.fresh("n", INT)) for _ in range(50)} == {int}
    words = [draws.fresh("words", seq_of(STR)) for _ in range(300)]
    assert all(isinstance(word, str) for sample in words for word in sample)
    assert any("alpha" in word for sample in words for word in sample)
    assert 41 in {draws.fresh("n", INT) for _ in range(300)}


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.one_of(VALUES, st.sampled_from([10**400, -(10**400), math.nan, "\ud800"])), max_size=4))
def test_whatever_a_program_compares_with_values_can_be_drawn_and_changed(constants: list[Any]) -> None:
    draws = Draws(1, constants)
    for sort in (INT, FLOAT, BOOL, STR, seq_of(FLOAT)):
        for _ in range(30):
            value = draws.fresh("x", sort)
            assert type(draws.changed(value, "x")) is type(value)


def test_a_long_text_is_made_small_wherever_its_needless_parts_stand() -> None:
    def shows(text: str) -> bool:
        return text.count("a") == 1 and text.endswith("z")

    value = "0123456789" * 4 + "a" + "-" * 50 + "z"
    while smaller := next((text for text in plainer_values(value) if shows(text)), None):
        value = smaller
    assert value == "az"


def test_what_is_shown_is_made_small_within_few_runs(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text("def f(s: str):\n    if s.count('a') == 1 and s.endswith('z'):\n        return 1\n")
    program = HybridProgram(Target(*parse(f"{file}:f")))
    found = program.measure({"s": "0123456789" * 4 + "a" + "-" * 50 + "z"})
    smaller = program.shrink(found.assignment, ending(found), found.hits)
    assert smaller is not None
    assert smaller.assignment == {"s": "az"}


@settings(derandomize=True, max_examples=200, deadline=None)
@given(VALUES)
def test_smaller_values_come_to_an_end(value: Any) -> None:
    for _ in range(2000):
        smaller = next((p for p in plainer_values(value) if repr(p) != repr(value)), None)
        if smaller is None:
            return
        assert type(smaller) is type(value)
        value = smaller
    raise AssertionError("never plain enough")


def test_a_spent_budget_cuts_at_every_further_tick_until_it_is_renewed() -> None:
    ticks = Ticks()
    namespace = ticks.builtins({})
    ticks.start(3)
    for _ in range(3):
        namespace[TICK]()
    for _ in range(2):
        with pytest.raises(Cut, match="more than 3 steps"):
            namespace[TICK]()
    ticks.start(1)
    namespace[TICK]()


def test_what_the_target_itself_mentions_is_drawn_as_often_as_all_that_its_module_does() -> None:
    draws = Draws(0, [f"word{n}" for n in range(100)])
    draws.emphasise(["=", ";"])
    assert draws.texts.count("=") == draws.texts.count(";") == 50
    own = ast.parse("A = 'module'\ndef g(): return 'other'\n@print\ndef f(s):\n    'words'\n    return s == 'own'")
    (code,) = [c for c in compile(own, "m", "exec").co_consts if getattr(c, "co_name", "") == "f"]
    assert constants(definition(own, code)) == ["own"]


def test_a_form_may_get_a_word_of_the_program_in_place_of_one_of_its_own() -> None:
    draws = Draws(1, ["keywords"])
    drawn = {draws.text() for _ in range(12_000)}
    assert {"keywords: b", "a: keywords"} <= drawn
    changed = {draws.changed("name = value, 3") for _ in range(3000)}
    assert {"keywords = value, 3", "name = keywords, 3", "name = value, keywords"} <= changed


def test_the_target_s_own_characters_are_drawn_as_often_as_all_others() -> None:
    draws = Draws(0, range(0x300, 0x330))
    draws.emphasise([0x200D])
    assert draws.characters.count("\u200d") >= 48


def test_values_are_taken_from_the_tables_that_a_target_uses_wherever_they_are_defined() -> None:
    data = ModuleType("data")
    data.ranges = (("Greek", (0x370, 0x3FF)), ("Hebrew", (0x590, 0x5FF)))  # type: ignore[attr-defined]
    data.other = ["unused"]  # type: ignore[attr-defined]
    scope = {"data": data, "CODES": {"spam": 1.5}, "WORDS": frozenset({"b", "a"}), "NUMBERS": list(range(10_000))}
    source = "def g(): return data.ranges, NUMBERS\ndef f(x): return x in CODES or x in WORDS or g()"
    exec(source, scope)
    found = tabled(scope["f"])
    numbers = [value for value in found if value in range(10_000) and value not in (0x370, 0x3FF, 0x590, 0x5FF)]
    assert set(found) - set(numbers) == {"spam", 1.5, "a", "b", "Greek", "Hebrew", 0x370, 0x3FF, 0x590, 0x5FF}
    assert PER_TABLE / 2 < len(numbers) <= PER_TABLE
    assert tabled(len) == []


def test_the_values_of_tables_in_other_modules_are_among_the_draws(tmp_path: Path) -> None:
    (tmp_path / "colour_data.py").write_text("COLOURS = {'heliotrope': 0x2764}\n")
    (tmp_path / "colour_names.py").write_text(
        "from colour_data import COLOURS\n\ndef f(name: str):\n    return COLOURS.get(name)\n"
    )
    draws = HybridProgram(Target(*parse(f"{tmp_path / 'colour_names.py'}:f"))).draws
    assert "heliotrope" in draws.texts
    assert "\u2764" in draws.characters


def test_where_nothing_is_compared_a_search_stays_with_inputs_that_come_to_the_decision(tmp_path: Path) -> None:
    source = textwrap.dedent("""
        def f(text: str) -> int:
            if not text.startswith("key="):
                return 0
            found = 1
            for part in text.split("=")[2:]:
                found += 1
            return found
    """)
    file = tmp_path / "parts.py"
    file.write_text(source)
    goals = Goals(source_file(str(file)), "f")
    program = HybridProgram(Target(*parse(f"{file}:f")))
    outside, inside = program.measure({"text": "a"}), program.measure({"text": "key="})
    goals.cover(outside.hits | inside.hits)
    assert list(goals.unmeasured(outside.hits)) == []
    ((loop, outcome),) = goals.unmeasured(inside.hits)
    reached = goals.taken(loop, not outcome)
    ascent = Ascent(inside.assignment, Leaf(loop), outcome, 500, 0, reached)
    climb = program.climb(ascent, Knowledge(goals.covered))
    assert climb.distance == UNMEASURED
    assert climb.best["text"].startswith("key=")
    assert any(goals.taken(loop, outcome) <= execution.hits for execution in climb.found)
