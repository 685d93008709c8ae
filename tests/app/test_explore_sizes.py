"""`ramify explore` of programs whose terms and results grow: what is printed stays small and says what is cut."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ramify.commands.explore_command import command
from ramify.runtime.terms.printing import NAMES


def lines(tmp_path: Path, source: str, most: int = 2_000_000) -> list[dict[str, Any]]:
    file = tmp_path / "grown.py"
    file.write_text(source)
    result = CliRunner().invoke(command, [f"{file}:f", "--format", "jsonl", "--budget", "5"])
    assert result.exit_code == 0, result.output
    assert len(result.stdout) < most
    return [json.loads(line) for line in result.stdout.splitlines()]


LOOP = """
def f(x: int) -> int:
    y = x
    for i in range({times}):
        y = {step}
    if y > 1000:
        return 1
    return 0
"""
HALVES = """
def extremes(a: list[int]):
    if len(a) == 1:
        return a[0], a[0]
    first, second = a[:len(a) // 2], a[len(a) // 2:]
    low, high = extremes(first)
    other_low, other_high = extremes(second)
    return min(low, other_low), max(high, other_high)

def f(a: list[int]) -> str:
    low, high = extremes(a)
    return "wide" if low < high else "narrow"
"""


@pytest.mark.parametrize("step", ["max(y, x + i) + abs(y - i)", "y ^ (y << 1)", "y + x * i"])
def test_shared_parts_of_a_path_condition_are_printed_once(tmp_path: Path, step: str) -> None:
    records = lines(tmp_path, LOOP.format(times=30, step=step))
    paths = [record for record in records if record["kind"] == "path"]
    assert paths
    for path in paths:
        names = eval(path["call"])
        scope = {**NAMES, **names}
        for name, text in path.get("where", {}).items():
            scope[name] = eval(text, scope)
        assert eval(path["path_condition"], scope) is True
        assert "left_out" not in path
        for decision in path["decisions"]:
            assert eval(decision["condition"], scope) is decision["outcome"]


def test_a_list_that_is_halved(tmp_path: Path) -> None:
    records = lines(tmp_path, HALVES)
    assert sum(record["kind"] == "path" for record in records) >= 2


RESULTS = {
    "shared": ("a = [x]\n    for _ in range(60):\n        a = [a, a]\n    return a", "(cut here"),
    "deep": ("a = [x]\n    for _ in range(100_000):\n        a = [a]\n    return a", "(cut here"),
    "inside itself": ("a = [x]\n    a.append(a)\n    return a", "[0, [...]]"),
    "huge": ("return x + (1 << 20_000)", hex(1 << 20_000)),
    "huge inside": ("return [x + (1 << 20_000)]", f"[{hex(1 << 20_000)}]"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_any_size(tmp_path: Path, name: str) -> None:
    body, wanted = RESULTS[name]
    first = lines(tmp_path, f"def f(x: int):\n    {body}\n")[0]
    assert first["outcome"] == "returned"
    assert wanted in first["result"]


def test_arguments_of_exceptions_of_any_size(tmp_path: Path) -> None:
    body = RESULTS["shared"][0].replace("return a", "raise ValueError(a)")
    first = lines(tmp_path, f"def f(x: int):\n    {body}\n")[0]
    assert first["outcome"] == "raised"
    assert "(cut here" in first["exception"]["message"]


@pytest.mark.parametrize("test", ["1 << x == 1 << 20000", "x == 1 << 20000", "x > (1 << 20000) + 3"])
def test_integers_with_thousands_of_digits(tmp_path: Path, test: str) -> None:
    records = lines(tmp_path, f"def f(x: int) -> int:\n    if {test}:\n        return 1\n    return 0\n")
    calls = [eval(record["call"]) for record in records if record["kind"] == "path"]
    assert {eval(test, call) for call in calls if -1 < call["x"] < 10**6 or "<< x" not in test} == {True, False}


def test_nine_hundred_operators_and_branches(tmp_path: Path) -> None:
    added = " + ".join(["x"] * 900)
    records = lines(tmp_path, f"def f(x: int) -> int:\n    return 1 if {added} == 6300 else 0\n")
    assert {record["result"] for record in records if record["kind"] == "path"} == {"0", "1"}
    chain = "".join(f"    elif x == {i}:\n        return {i}\n" for i in range(900))
    source = f"def f(x: int) -> int:\n    if x == -1:\n        return -1\n{chain}    return 1000\n"
    records = lines(tmp_path, source, 30_000_000)
    if records[-1]["left_plain"]:  # 3.12 compiles the chain, but not with marks in it: so nothing is known of it
        assert {record["verdict"] for record in records if record["kind"] == "edge"} == {"unsolved"}
    else:
        assert len([record for record in records if record["kind"] == "path"]) > 2


def test_a_regular_expression_that_backtracks_for_ever(tmp_path: Path) -> None:
    found = "if len(s) > 40 and re.match(r'(a+)+b$', s):\n        return 1\n"
    body = f"{found}    return 2 if s.count('a') == 50 else 0"
    records = lines(tmp_path, f"import re\ndef f(s: str) -> int:\n    {body}\n")
    assert records[-1]["kind"] == "summary"
