"""Peer mode against the published table of PEF: paths, depth and pruned paths of its 33 example functions,
depth limit 10.
"""

# ruff: noqa: E501 - tables in rows, odd spellings on purpose

from pathlib import Path
from typing import Any

import pytest

import ramify

EXAMPLES = Path(__file__).parents[2] / "examples" / "pef.py"

PUBLISHED = {
    "simple": (2, 1, 0),
    "simple_bool": (1, 0, 0),
    "fun": (2, 1, 0),
    "funab": (2, 1, 0),
    "funfor": (11, 10, 1),
    "funlist_in": (7, 4, 0),
    "funlist_iter": (11, 10, 1),
    "funlist_slice": (103, 9, 0),
    "assert_not_divisible": (19, 10, 2),
    "divisible": (21, 10, 2),
    "Test.test_Test": (4, 2, 0),
    "test_mock_Test": (4, 2, 0),
    "test_gt": (2, 1, 0),
    "test_kw_args": (2, 1, 0),
    "simple_test": (2, 1, 0),
    "example00": (36, 10, 6),
    "example01": (118, 10, 38),
    "example02": (3, 2, 0),
    "multitypes": (4, 0, 0),
    "test_strings1": (20, 10, 2),
    "print_species": (11, 10, 1),
    "sum_lista": (20, 10, 0),
    "BinaryTree.insertLeft": (64, 10, 0),
    "sum_fac": (11, 10, 1),
    "sum_fac2": (11, 10, 1),
    "test_sum_fac": (11, 10, 1),
    "fact_spec": (11, 10, 1),
    "faulty_fact": (11, 10, 1),
    "suma_con_bug": (4, 2, 0),
    "f_l_j": (4, 2, 0),
    "sum1": (1, 0, 0),
    "power": (11, 10, 1),
    "abs1": (2, 1, 0),
}

# Rows that differ, each with the reason. Everything else must be exactly as published.
DIFFERENT: dict[str, tuple[tuple[int, int, int], str]] = {
    "simple": (
        (1, 0, 0),
        "i > 0 is assumed, so `if i` has one side only; PEF counted the impossible one too.",
    ),
    "simple_bool": (
        (2, 0, 0),
        "An input of type bool is a real one, decided when it is built: no proxy passes for a bool in `is True` or in C code.",
    ),
    "example02": (
        (2, 1, 0),
        "Floor division is one term here; PEF branched on the sign of the divisor to define it.",
    ),
    "divisible": (
        (20, 10, 2),
        "The first `x > y` repeats the assumption and is forced, so 2 * 9 + 2 paths fit under 10 free branches. The wrapper "
        "assert_not_divisible, which spends one free branch on `x > y`, agrees with PEF exactly; the published text does not say "
        "how the function reaches one path more.",
    ),
    "funlist_slice": (
        (2, 1, 0),
        "A slice is one sequence term, so only a zero step is a decision (ValueError); PEF's proxy branched on the "
        "sign and the bound of each of the three numbers.",
    ),
    "test_strings1": (
        (19, 6, 0),
        "Texts are compared as a whole, by one decision each; PEF compared character by character, which is what it pruned.",
    ),
    "example01": (
        (56, 10, 11),
        "The queue's class is not published. Ours keeps one list, whose length is the only symbolic part; whether it holds "
        "elements is returned as a condition and not branched on.",
    ),
    "sum_lista": (
        (4, 0, 0),
        "Following `next` is a choice between alternatives of the input's type, not a branch of the program; lists have at "
        "most 3 nodes (the stated bound on nested objects).",
    ),
    "BinaryTree.insertLeft": (
        (25, 0, 0),
        "The same: one path for every tree that the bound of 3 nested objects allows; the method has no branch on an int.",
    ),
}


def explored(name: str) -> Any:
    exploration = ramify.explore(f"{EXAMPLES}:{name}", mode="peer")
    paths = list(exploration)
    return exploration.summary, paths


@pytest.mark.parametrize("name", PUBLISHED)
def test_row(name: str) -> None:
    summary, _ = explored(name)
    expected = DIFFERENT[name][0] if name in DIFFERENT else PUBLISHED[name]
    assert (summary.paths, summary.depth, summary.pruned) == expected
    assert summary.divergences == 0
    assert summary.solver.queries["unknown"] == 0


def test_rows_that_differ_are_really_different() -> None:
    assert all(PUBLISHED[name] != row for name, (row, _) in DIFFERENT.items())


def test_pruned_paths_are_never_called_exhausted() -> None:
    summary, paths = explored("power")
    assert summary.stop == "incomplete"
    assert [p.outcome for p in paths].count("cut") == 1


def test_true_side_first() -> None:
    _, paths = explored("funlist_iter")
    assert paths[0].outcome == "cut"
    assert [eval(p.call)["l"] for p in paths[1:]] == [[0] * n for n in range(9, -1, -1)]


def test_suma_con_bug_as_in_the_paper() -> None:
    _, paths = explored("suma_con_bug")
    seen = [(p.output != "", type(p.exception).__name__) for p in paths]
    assert seen == [(True, "ValueError"), (True, "NoneType"), (False, "ValueError"), (False, "NoneType")]
    for path in paths:
        arguments = eval(path.call)
        assert path.result in (None, arguments["a"] + arguments["b"])


def test_faulty_fact_hides_its_bug_below_the_depth_limit_as_in_pef() -> None:
    _, paths = explored("faulty_fact")
    assert all(p.outcome != "violated" for p in paths)


def test_generational_search_finds_the_bug_of_faulty_fact() -> None:
    exploration = ramify.explore(f"{EXAMPLES}:faulty_fact", strategy="generational", max_runs=60)
    violated = [p for p in exploration if p.outcome == "violated"]
    assert [p.call for p in violated] == ["{'x': 40}"]


def test_postconditions_that_hold_are_not_violated_on_any_path() -> None:
    for name in ("sum1", "abs1"):
        summary, paths = explored(name)
        assert summary.stop == "exhausted"
        assert {p.outcome for p in paths} == {"returned"}
