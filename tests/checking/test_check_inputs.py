"""`ramify check` on all that an input can be: prepared objects, globals, shared and omitted arguments, constructors;
and on runs that end their process.
"""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

from ramify.checks import check
from ramify.commands.check_command import command
from ramify.errors import InputError
from ramify.runtime.checking import Report
from ramify.runtime.sandbox import policy_of

VERIFIED, VIOLATED, NOTHING = "verified within bounds", "violated", "no violation found"


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Checks a function of a module called subject in the current folder."""
    monkeypatch.chdir(tmp_path)

    def run(source: str, function: str = "f", **options: Any) -> Report:
        (tmp_path / "subject.py").write_text(dedent(source), encoding="utf-8")
        return check(f"subject.py:{function}", **{"budget": 5, **options})

    return run


# -- processes that end, runs that do not ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("os._exit(3)", "exited with status 3 by os._exit"),
        ("os.abort()", "aborted"),
        ("ctypes.string_at(0)", "segmentation fault"),
    ],
)
def test_an_end_of_the_process_is_a_finding_at_its_line(checked: Any, statement: str, said: str) -> None:
    source = f"import ctypes, os\n\ndef f(n: int):\n    if n == 4711:\n        {statement}\n    return n\n"
    (finding,) = checked(source, policy=policy_of(["ctypes"])).findings
    assert (finding.kind, finding.place.line, dict(finding.arguments)) == ("crash", 5, {"n": "4711"})
    assert said in finding.what
    assert finding.trace == ["line 4: `n == 4711` was true"]
    done = subprocess.run(finding.reproduce.replace("python", sys.executable, 1), shell=True, capture_output=True, check=False)
    assert done.returncode != 0


def test_a_run_that_was_cut_is_told_with_its_input_and_keeps_from_verifying(checked: Any) -> None:
    report = checked("def f(n: int):\n    while n == 5:\n        pass\n    return n\n", budget=3)
    assert report.verdict == NOTHING
    assert any("f(n=5): was cut" in what for what in report.unexplored)


@pytest.mark.parametrize("large", ["bytearray(10**12)", "' ' * 10**30"])
def test_a_limit_of_memory_is_no_finding_and_nothing_is_claimed(checked: Any, large: str) -> None:
    report = checked(f"TEN = 10\n\ndef f(n: int):\n    return {large.replace('10*', 'TEN*')} if n == 5 else 0\n")
    assert (report.verdict, report.findings) == (NOTHING, [])
    assert any("f(n=5): needs more memory" in what for what in report.unexplored)


def test_what_depends_on_the_machine_is_a_note(checked: Any) -> None:
    report = checked("def f(n: int):\n    return open('nowhere/to/be/found') if n == 5 else 0\n")
    assert report.findings == []
    assert any("FileNotFoundError" in note and "f(n=5)" in note for note in report.documented)


# -- types that nobody declared -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def f(x):\n    return x.nowhere\n", "no type is declared for x"),
        ("from typing import Any\n\ndef f(x: Any):\n    return x.nowhere\n", "no type is declared for x"),
        ("from typing import Any\n\ndef f(x: dict[str, Any]):\n    return x['a'].nowhere if 'a' in x else 0\n", "no type is declared for x"),
        ("def f(x: int):\n    return x + 1 if not isinstance(x, str) else x + 1\n", "x outside the declared type"),
        ("def g():\n    pass\n\ndef f(**more: int):\n    return g(**more)\n", "no type is declared for more"),
        ("class C:\n    def __init__(self, n):\n        self.n = n\n\n    def f(self):\n        return self.n.nowhere\n", "no type is declared for self.n"),
        ("def f(x):\n    a, b = x\n    return a\n", "no type is declared for x"),
    ],
    ids=["none", "any", "any inside", "outside", "keywords", "of a constructor", "unpacking"],
)  # fmt: skip
def test_a_wrong_type_that_nobody_declared_right_is_a_note(checked: Any, source: str, why: str) -> None:
    report = checked(source, "C.f" if "class C" in source else "f")
    assert report.findings == []
    assert any(note.endswith(f"no finding: {why}") for note in report.documented), report.documented


def test_a_none_that_the_program_came_upon_itself_is_a_finding(checked: Any) -> None:
    (finding,) = checked("def f(x):\n    return {1: 'a'}.get(x).upper()\n").findings
    assert finding.what == "AttributeError: 'NoneType' object has no attribute 'upper'"


def test_other_exceptions_count_whatever_the_types(checked: Any) -> None:
    (finding,) = checked("def f(x):\n    return 1 // x\n").findings
    assert finding.what.startswith("ZeroDivisionError")


# -- constructors ---------------------------------------------------------------------------------------

CLASSES = """
    from dataclasses import dataclass

    class Ratio:
        def __init__(self, a: int, b: int = 3) -> None:
            self.value = a // (b - 3) if a else 0

    @dataclass
    class Letter:
        number: int
        text: str = ""

        def __post_init__(self) -> None:
            if self.number > 5:
                self.text = "abcdef"[self.number]

    @dataclass
    class Point:
        x: int

    class Kept:
        def __init__(self, n: int) -> None:
            self.n = n

        def repok(self) -> bool:
            return self.n != 7
    """


@pytest.mark.parametrize(
    ("cls", "call", "kind"),
    [
        ("Ratio", "Ratio(a=1)", "exception"),
        ("Letter", "Letter(number=6)", "exception"),
        ("Kept", "Kept(n=7)", "invariant"),
    ],
)
def test_a_constructor_is_a_target(checked: Any, cls: str, call: str, kind: str) -> None:
    (finding,) = checked(CLASSES, f"{cls}.__init__").findings
    assert (finding.arguments.of(f"{cls}.__init__"), finding.kind) == (call, kind)
    assert call in finding.reproduce


def test_a_constructor_that_nobody_wrote_is_refused_with_what_to_name(checked: Any) -> None:
    with pytest.raises(InputError, match=r"nobody wrote Point\.__init__; name a method, as in Point\.method"):
        checked(CLASSES, "Point.__init__")


# -- calls that need preparing --------------------------------------------------------------------------

PREPARED: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "calls": (
        "class C:\n    def __init__(self):\n        self.items = []\n\n    def push(self, n: int):\n"
        "        self.items.append(n)\n\n    def f(self):\n        assert len(self.items) != 2\n",
        "C.f", {"calls": 2}, "self = C(); self.push(n=0); self.push(n=0); C.f(self=self)",
    ),
    "global": ("LIMIT = 3\n\ndef f(n: int):\n    assert n != LIMIT + 39\n", "f", {"symbolic_globals": ["LIMIT"]}, ""),
    "changed global": (
        "LIMIT = 3\n\ndef f(n: int):\n    \"\"\":ensure: returnv <= LIMIT\"\"\"\n    return min(n, LIMIT + (LIMIT == 44))\n",
        "f", {"symbolic_globals": ["LIMIT"]}, "LIMIT = 44; f(n=45)",
    ),
    "class attribute": (
        "class Config:\n    rate = 3\n\ndef f(n: int):\n    return n // (Config.rate - 9)\n",
        "f", {"symbolic_globals": ["Config.rate"]}, "Config.rate = 9; f(n=0)",
    ),
    "shared": ("def f(a: list[int], b: list[int]):\n    assert a is not b\n", "f", {}, "a = []; f(a=a, b=a)"),
    "shared, final state": (
        "def f(a: list[int], b: list[int]):\n    \"\"\":ensure: new(a) == a + [1]\"\"\"\n    a.append(1)\n    b.append(2)\n",
        "f", {}, "a = []; f(a=a, b=a)",
    ),
    "omitted": ("def f(n: int = 3):\n    \"\"\":ensure: returnv > n\"\"\"\n    return n + (n != 3)\n", "f", {}, "f()"),
    "omitted, mutable": (
        "def f(n: int, l: list[int] = []):\n    \"\"\":ensure: len(new(l)) == len(l)\"\"\"\n    l.append(n)\n", "f", {}, "",
    ),
    "behind one that is left out": (
        "def f(a: int = 1, b: dict[str, int] | None = None, c: int = 0):\n    assert not (b is None and c == 5)\n",
        "f", {}, "f(c=5)",
    ),
    "date": ("import datetime\n\ndef f(d: datetime.date):\n    return 1 // (d.day - 29)\n", "f", {}, "f(d=datetime.date(1, 1, 29))"),
    "generator": ("def f(n: int):\n    yield 1\n    yield 1 // n\n", "f", {}, "f(n=0)"),
    "coroutine": ("async def f(n: int):\n    return 1 // n\n", "f", {}, "f(n=0)"),
    "property": (
        "class C:\n    def __init__(self, n: int):\n        self.n = n\n\n    @property\n    def f(self):\n        return 1 // self.n\n",
        "C.f", {}, "C.f(self=C(n=0))",
    ),
    "text": ("def f(s: str):\n    assert s != \"it's $HOME\"\n", "f", {}, "f(s=\"it's $HOME\")"),
}  # fmt: skip


@pytest.mark.parametrize("name", PREPARED)
def test_the_shell_line_prepares_the_call(checked: Any, tmp_path: Path, name: str) -> None:
    source, function, options, call = PREPARED[name]
    (finding, *_) = checked(source, function, **options).findings
    if call:
        assert finding.arguments.of(function) == call
    line = finding.reproduce.replace("python", sys.executable, 1)
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, (line, done.stderr)
    assert finding.what.partition(":")[0].partition(" ")[0] in done.stderr or "AssertionError" in done.stderr, done.stderr


def test_the_options_of_the_command_reach_the_inputs(checked: Any) -> None:
    source = PREPARED["calls"][0] + "\nLIMIT = 3\n\ndef g():\n    assert LIMIT != 8\n"
    checked(source, "g")
    runner = CliRunner()
    for arguments in (["subject.py:C.f", "--calls", "2"], ["subject.py:g", "--symbolic-global", "LIMIT"]):
        assert runner.invoke(command, arguments[:1], standalone_mode=False).return_value == 0
        assert runner.invoke(command, arguments, standalone_mode=False).return_value == 1


# -- bounds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signature", "bound"),
    [
        ("x: int", None),
        ("x", "types as guessed for x"),
        ("x: dict[str, int]", "at most 64 elements of a dict"),
        ("x: tuple[int, ...]", "at most 16 elements of a tuple"),
        ("x: D", "objects as their constructors make them, nested at most 3 deep"),
        ("x: list[D]", "objects as their constructors make them, nested at most 3 deep"),
        ("x: decimal.Decimal", "decimals with two digits behind the point, up to 10 trillion"),
        ("x: datetime.datetime", "times without a time zone"),
        ("x: range", "ranges with a step of 1, 2, -1"),
    ],
)
def test_verified_states_every_bound(checked: Any, signature: str, bound: str | None) -> None:
    source = f"import datetime, decimal\n\nclass D:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f({signature}):\n    return 0\n"
    report = checked(source)
    assert report.verdict == VERIFIED
    declared = [] if signature == "x" else ["inputs of the declared types"]
    assert report.bounds[: len(declared)] == declared
    assert (bound in report.bounds) if bound else report.bounds == declared


def test_calls_of_methods_are_a_bound(checked: Any) -> None:
    source = "class C:\n    def __init__(self):\n        self.n = 0\n\n    def f(self):\n        self.n += 1\n"
    assert "at most 2 methods called on an object before" in checked(source, "C.f", calls=2).bounds
