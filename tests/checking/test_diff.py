"""`ramify diff`: where two versions differ in result, exception or what they do to their arguments."""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ramify.commands.diff_command import command
from ramify.diffing import Diff, diff
from ramify.errors import InputError

DIFFERENT, NOTHING, EQUIVALENT = "different", "no difference found", "equivalent within bounds"


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    def run(old: str, new: str, function: str = "f", **options: Any) -> Diff:
        for name, source in (("before", old), ("after", new)):
            (tmp_path / f"{name}.py").write_text(dedent(source), encoding="utf-8")
        return diff(f"{tmp_path}/before.py:{function}", f"{tmp_path}/after.py:{function}", **{"budget": 4, **options})

    return run


def shown(result: Diff) -> list[tuple[dict[str, str], str, str]]:
    return [(d.arguments, d.old, d.new) for d in result.differences]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "def f(x: int): return x - 1 if x > 10 else x",
            "def f(x: int): return x - 1 if x >= 10 else x",
            ({"x": "10"}, "returns 10", "returns 9"),
        ),
        ("def f(x: int): return x * 3", "def f(x: int): return x * 3 if x != 5678 else 0", ({"x": "5678"}, "returns 17034", "returns 0")),
        (
            "def f(x: int):\n    if x == 7: raise ValueError('a')\n    return 0",
            "def f(x: int):\n    if x == 7: raise KeyError('b')\n    return 0",
            ({"x": "7"}, "raises ValueError: a", "raises KeyError: 'b'"),
        ),
        ("def f(x: int): return 0", "def f(x: int): return 1 // x and 0", ({"x": "0"}, "returns 0", "raises ZeroDivisionError: ")),
        ("def f(l: list[int]): l.sort()", "def f(l: list[int]): sorted(l)", ({"l": "[0, -1]"}, "leaves l = [-1, 0]", "leaves l = [0, -1]")),
        ("def f(x: int): return True", "def f(x: int): return 1", ({"x": "0"}, "returns True", "returns 1")),
        ("def f(s: str): return s.strip()", "def f(s: str): return s.lstrip()", ({"s": "' '"}, None, None)),
        ("def f(x: int): print(x)", "def f(x: int): print(x if x != 9 else 8)", ({"x": "9"}, "prints '9\\n'", "prints '8\\n'")),
        ("def f(x: int, n: int = 3): return n", "def f(x: int, n: int = 4): return n", ({"x": "0"}, "returns 3", "returns 4")),
        (
            "import os\ndef f(x: int): return os._exit(3) if x == 5 else 0",
            "def f(x: int): return 0",
            ({"x": "5"}, "ends the process: exited with status 3", "returns 0"),
        ),
        (
            "def f(a: list[int], b: list[int]): a.append(1); return len(b)",
            "def f(a: list[int], b: list[int]): n = len(b); a.append(1); return n",
            ({"a": "a", "b": "a"}, "returns 1", "returns 0"),
        ),
        (
            "import datetime\ndef f(d: datetime.date): return d.month",
            "import datetime\ndef f(d: datetime.date): return d.month if d.day != 31 else 0",
            ({"d": "datetime.date(1, 1, 31)"}, "returns 1", "returns 0"),
        ),
        ("def f(x: int): return {'a': [x]}", "def f(x: int): return {'a': [x if x != 9 else 8]}", ({"x": "9"}, "returns {'a': [9]}", "returns {'a': [8]}")),
    ],
)  # fmt: skip
def test_a_difference_is_shown_with_the_smallest_input(compared: Any, old: str, new: str, found: Any) -> None:
    result = compared(old, new)
    assert result.verdict == DIFFERENT
    arguments, before, after = shown(result)[0]
    if found[1] is not None:
        assert arguments == found[0]
        assert before.startswith(found[1])
        assert after.startswith(found[2])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f(a: int, b: int): return a if a > b else b", "def f(a: int, b: int): return max(b, a)"),
        ("def f(x: int): return x + x", "def f(x: int): return 2 * x"),
        ("def f(x: int):\n    if x < 0: raise ValueError('old words')\n    return x", "def f(x: int):\n    if not x >= 0: raise ValueError('new words')\n    return x"),
        ("def f(x: int): return x", "def f(x: int, extra: int = 0): return x + extra"),
        ('def f(x: int):\n    """:assume: x > 0"""\n    return x', 'def f(x: int):\n    return abs(x)'),
    ],
    ids=["max", "twice", "messages", "a parameter with a default", "precondition"],
)  # fmt: skip
def test_what_is_the_same_is_equivalent_within_bounds(compared: Any, old: str, new: str) -> None:
    result = compared(old, new)
    assert (result.verdict, result.unexplored) == (EQUIVALENT, [])
    assert result.bounds[0] == "inputs of the declared types"


def test_what_is_printed_has_no_term_so_nothing_is_claimed(compared: Any) -> None:
    result = compared("def f(x: int): print(x % 1000)", "def f(x: int): print(x % 1001)")
    assert result.verdict != EQUIVALENT


def test_a_version_that_cannot_end_is_left_behind(compared: Any) -> None:
    old = "def f(x: int):\n    while x == 3: pass\n    return x"
    assert compared(old, "def f(x: int): return x", budget=2).verdict == NOTHING


def test_nothing_is_claimed_when_not_all_was_explored(compared: Any) -> None:
    loop = "def f(n: int):\n    s = 0\n    for i in range(n):\n        s += i\n    return s"
    result = compared(loop, "def f(n: int): return n * (n - 1) // 2 if n > 0 else 0", budget=1)
    assert result.verdict == NOTHING
    assert result.unexplored


CLASSES = """
    from dataclasses import dataclass
    from enum import Enum

    class Colour(Enum):
        RED = 1
        GREEN = 2

    @dataclass
    class Point:
        x: int
        y: int

    def f(point: Point, colour: Colour) -> Point:
        point.x += {step}
        return Point(point.y, point.x) if colour is Colour.RED else point
    """


def test_objects_are_compared_by_what_is_in_them(compared: Any) -> None:
    assert compared(CLASSES.format(step=1), CLASSES.format(step=1)).verdict == EQUIVALENT
    assert compared(CLASSES.format(step=1), CLASSES.format(step=2)).verdict == DIFFERENT


def test_peer_mode(compared: Any) -> None:
    result = compared("def f(x: int): return x > 3", "def f(x: int): return x >= 3", mode="peer")
    assert shown(result) == [({"x": "3"}, "returns False", "returns True")]


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("def f(y: int): return y", "has no parameter 'x'"),
        ("def f(x: int, y: int): return x", "has a parameter 'y' without a default"),
    ],
)
def test_versions_that_cannot_be_compared(compared: Any, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compared("def f(x: int): return x", new)


# -- revisions --------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits; in the second both the function and the module beside it have changed."""
    monkeypatch.chdir(tmp_path)

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "rates.py").write_text("FACTOR = 2\n")
    (tmp_path / "shop" / "prices.py").write_text("from rates import FACTOR\n\n\ndef price(n: int): return n * FACTOR\n")
    git("add", ".")
    git("commit", "-qm", "one")
    (tmp_path / "shop" / "rates.py").write_text("FACTOR = 3\n")
    git("commit", "-qam", "two")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_a_revision_is_compared_with_the_files(repository: Path) -> None:
    result = run("shop/prices.py:price", "--rev", "HEAD~1")
    assert (result.return_value, result.stdout.splitlines()[:3]) == (
        1,
        ["price(n=1)", "    old returns 2", "    new returns 3"],
    )
    assert run("shop/prices.py:price", "--rev", "HEAD").return_value == 0


def test_two_revisions(repository: Path) -> None:
    (repository / "shop" / "prices.py").write_text("gone = True\n\n\ndef price(n: int): return 0\n")
    result = run("shop/prices.py:price", "--rev", "HEAD~1", "--rev", "HEAD", "--format", "json")
    record = json.loads(result.stdout)
    assert record["verdict"] == DIFFERENT
    (found,) = record["differences"]
    assert found == {
        "call": "price(n=1)", "arguments": {"n": "1"}, "setup": [], "imports": [],
        "old": "returns 2", "new": "returns 3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shop/prices.py:price", "--rev", "nowhere"], "no revision 'nowhere'"),
        (["shop/prices.py:price"], "diff wants OLD and NEW"),
        (["shop/prices.py", "shop/prices.py"], "name a function in it"),
        (["shop/new.py:price", "--rev", "HEAD"], "shop/new.py is not there at HEAD"),
    ],
)
def test_bad_input_is_one_line(repository: Path, arguments: list[str], message: str) -> None:
    (repository / "shop" / "new.py").write_text("def price(n: int): return 0\n")
    result = run(*arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
