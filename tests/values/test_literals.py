"""Literals where Python would not ask the concolic side: a term goes through, or its loss is on record.

Each row is a condition on inputs. Explored by the solver alone (no generated values, no local search), it must
come out both ways; where it does not, the search must not claim to have seen everything.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ramify

SOLVED = {
    # receivers
    '"hay stack".find(s) == 4': "s: str",
    '"abcabc".rfind(s) == 3': "s: str",
    '"hay stack".index(s) == 4': "s: str",
    '"banana".count(s) == 3': "s: str",
    '"banana".startswith(s) and len(s) == 3': "s: str",
    '"banana".replace(s, "") == "bnn"': "s: str",
    '"one::two".split(s) == ["one", "two"]': "s: str",
    '"xxabxx".strip(s) == "ab"': "s: str",
    '",".join([s, "b"]) == "qq,b"': "s: str",
    '",".join(parts) == "qq,b"': "parts: list[str]",
    '",".join(p for p in parts) == "qq,b"': "parts: list[str]",
    # memberships
    's in ("alpha", "bravo")': "s: str",
    's in {"alpha", "bravo"}': "s: str",
    's in ["alpha", "bravo"]': "s: str",
    's in {"alpha": 1}': "s: str",
    's in {"alpha": 1}.keys()': "s: str",
    's in "hay stack" and len(s) == 4': "s: str",
    's not in ("alpha", "bravo", "")': "s: str",
    'n in {"alpha": 4711}.values()': "n: int",
    "n in range(100, 1000, 7) and n > 900": "n: int",
    # subscripts
    "[5, 6, 7, 8][n] == 7": "n: int",
    '"abcdef"[n] == "e"': "n: int",
    '"abcdef"[n:] == "ef"': "n: int",
    "[[1, 2], [3, 4]][n][m] == 4": "n: int, m: int",
    '{"a": 1, "b": 2}[s] == 2': "s: str",
    '{"a": 1, "b": 2}.get(s, 5) == 2': "s: str",
    '{(17, 19): "x"}.get((n, m)) == "x"': "n: int, m: int",
    # formats
    '"%d-%s" % (n, s) == "12-ab"': "n: int, s: str",
    '"%(k)d!" % {"k": n} == "12!"': "n: int",
    '"%05d" % n == "00042"': "n: int",
    '"{}".format(n) == "4711"': "n: int",
    '"{a}!".format(a=n) == "4711!"': "n: int",
    '"{0}{0}".format(s) == "abab"': "s: str",
    'f"{n}:{s}" == "99:zz"': "n: int, s: str",
    'f"{n:>5}" == "   42"': "n: int",
    'f"{n=}" == "n=33"': "n: int",
    # bytes
    'b == b"\\x00\\xffq"': "b: bytes",
    'b"xyz".find(b) == 1': "b: bytes",
    'b"xyz".index(b) == 1': "b: bytes",
    'b"xyzx".count(b) == 2': "b: bytes",
    'b"banana".startswith(b) and len(b) == 3': "b: bytes",
    'b"banana".replace(b, b"") == b"bnn"': "b: bytes",
    'b"one::two".split(b) == [b"one", b"two"]': "b: bytes",
    'b"-".join([b, b]) == b"q-q"': "b: bytes",
    'b in (b"alpha", b"bravo")': "b: bytes",
    'b in b"hay stack" and len(b) == 4': "b: bytes",
    'b"a" + b == b"abc"': "b: bytes",
    # left operands
    "2.5 + n == 1003.5": "n: int",
    "1003.5 < n < 1005.5": "n: int",
    "True + n == 4711": "n: int",
    '"ab" * n == "ababab"': "n: int",
    "[1] + xs == [1, 99]": "xs: list[int]",
    "(1,) + (n,) == (1, 4711)": "n: int",
    "{n, 1} == {1, 4711}": "n: int",
}

LOST = {
    '"abc".translate({97: s}) == "zzbc"': "s: str",
    "{n: 2} == {4711: 2}": "n: int",
    "[{n: 2}] != [{4711: 2}]": "n: int",
    "(1, {n: 2}) in [(1, {4711: 2})]": "n: int",
    "{n: 1}.keys() == {4711}": "n: int",
    "({n: 1} | {4711: 2}) == {4711: 2}": "n: int",
    "len({**{n: 1}, **{4711: 2}}) == 1": "n: int",
    "n + 1j == 4711 + 1j": "n: int",
    "n == 4711 + 0j": "n: int",
    "x * 1j == 2j": "x: float",
    'b"%s!" % b == b"qq!"': "b: bytes",
}


def explored(folder: Path, condition: str, parameters: str) -> tuple[set[Any], Any]:
    file = folder / "subject.py"
    file.write_text(f"def f({parameters}):\n    if {condition}:\n        return True\n    return False\n")
    exploration = ramify.explore(f"{file}:f", strategy="generational", max_runs=40)
    return {path.result for path in exploration}, exploration.summary


@pytest.mark.parametrize("condition", SOLVED)
def test_both_outcomes_are_solved_for(condition: str, tmp_path: Path) -> None:
    results, summary = explored(tmp_path, condition, SOLVED[condition])
    assert {True, False} <= results
    assert summary.divergences == 0


@pytest.mark.parametrize("condition", LOST)
def test_what_is_lost_is_on_record(condition: str, tmp_path: Path) -> None:
    results, summary = explored(tmp_path, condition, LOST[condition])
    assert {True, False} <= results or (summary.concretisations and summary.stop == "incomplete")


def test_a_mapping_pattern_that_meets_a_concolic_key_is_on_record(tmp_path: Path) -> None:
    file = tmp_path / "subject.py"
    file.write_text(
        "def f(n: int):\n    match {n: 1}:\n        case {4711: 1}:\n            return 1\n    return 0\n"
    )
    exploration = ramify.explore(f"{file}:f", strategy="generational", max_runs=20)
    results = {path.result for path in exploration}
    assert results == {0, 1} or exploration.summary.stop == "incomplete"
