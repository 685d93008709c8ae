"""`ramify check`: what counts as a finding, what is shown of it, and what the verdict may claim."""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ramify.checks import check, functions
from ramify.commands.check_command import command
from ramify.runtime.checking import Report
from ramify.runtime.sandbox import Policy

sys.path.insert(0, str(Path(__file__).parents[1] / "bugs"))
from index import BUGS, Bug

VERIFIED, VIOLATED, NOTHING = "verified within bounds", "violated", "no violation found"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a module called subject into the current folder."""
    monkeypatch.chdir(tmp_path)

    def save(source: str) -> str:
        (tmp_path / "subject.py").write_text(dedent(source), encoding="utf-8")
        return "subject.py"

    return save


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def checked(path: str, function: str = "f", **options: Any) -> Report:
    return check(f"{path}:{function}", **{"budget": 5, **options})


# -- what is a bug and what is documented -----------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return [1, 2][x]", "IndexError"),
        ("return 1 // x", "ZeroDivisionError"),
        ("return {1: 2}[x]", "KeyError"),
        ("return (None if x == 5 else 'a').upper()", "AttributeError"),
        ("return 'a' + (1 if x == 5 else 'b')", "TypeError"),
        ("return f(x - 1) if x != 3 else 0", "RecursionError"),
        ("return chr(x).encode('ascii') if 0 <= x < 200 else b''", "UnicodeEncodeError"),
        ("return 2.0 ** x if 0 < x < 3000 else 0", "OverflowError"),
        ("assert x != 4711", "AssertionError"),
        ("raise AssertionError('never') if x == 4711 else ValueError", "AssertionError"),
        ("return int('z') if x == 9 else 0", "ValueError"),
        ("return next(iter([])) if x == 9 else 0", "StopIteration"),
        ("raise ValueError('bad argument')", None),
        ("return helper(x)", None),
        ("raise KeyError(x)", None),
        ("import sys; sys.exit(x)", None),
        ("return x", None),
    ],
)
def test_python_raises_bugs_and_the_program_raises_on_purpose(write: Any, body: str, found: str | None) -> None:
    path = write(f"def helper(x):\n    raise LookupError(x)\n\ndef f(x: int):\n    {body}\n")
    report = checked(path)
    assert {f.what.partition(":")[0] for f in report.findings} == ({found} if found else set())
    assert report.verdict == VIOLATED if found else report.verdict != VIOLATED


def test_what_a_library_raises_is_a_bug_of_who_calls_it(write: Any) -> None:
    path = write("import json\n\ndef f(x: int):\n    return json.loads('{' if x == 3 else '{}')\n")
    (finding,) = checked(path).findings
    assert (finding.place.line, finding.what.partition(":")[0]) == (4, "JSONDecodeError")
    assert "json.decoder raised it" in finding.why


def test_documented_exceptions_are_said(write: Any) -> None:
    path = write("def f(x: int):\n    if x < 0:\n        raise ValueError('negative')\n    return x\n")
    report = checked(path)
    assert report.verdict == VERIFIED
    (note,) = report.documented
    assert note.startswith("line 3 raises ValueError for f(x=-1)")


def test_allowed_exceptions(write: Any) -> None:
    path = write("def f(x: int):\n    return 1 // x\n")
    assert checked(path, allow=["ArithmeticError"]).verdict == VERIFIED
    assert run(f"{path}:f", "--allow-exception", "ZeroDivisionError").return_value == 0
    assert run(f"{path}:f").return_value == 1


# -- what is shown of a finding ---------------------------------------------------------------------

TILL = '''
    def change(paid: int, price: int) -> int:
        """:assume: paid >= 0, price >= 0"""
        if paid > price:
            return paid - price
        return price // (paid - price)
    '''


def test_a_finding_as_text(write: Any) -> None:
    text = run(f"{write(TILL)}:change").stdout.splitlines()
    assert text[:8] == [
        "subject.py:6: ZeroDivisionError: integer division or modulo by zero",
        "    6 | return price // (paid - price)",
        "      |        ^^^^^^^^^^^^^^^^^^^^^^^",
        "    input: change(paid=0, price=0)",
        "    why:   Python raised it; no `raise` of this module asked for it",
        "    path:  line 4: `paid > price` was false",
        "           line 6: in `price // (paid - price)`, `paid - price != 0` was false",
        '    shell: python -c "from subject import change; change(paid=0, price=0)"',
    ]
    assert text[-1] == "1 finding in 1 function: 1 violated."


def test_the_input_is_the_smallest_found(write: Any) -> None:
    path = write("def f(s: str, n: int, l: list[int]):\n    assert not (len(s) > 2 and n > 10 and sum(l) > 5)\n")
    (finding,) = checked(path).findings
    arguments = {name: eval(text) for name, text in finding.arguments.items()}
    assert (len(arguments["s"]), arguments["n"], sum(arguments["l"])) == (3, 11, 6)


SHELL = {
    "exception": "def f(x: int):\n    return 1 // (x - 3)\n",
    "assertion": "def f(s: str):\n    assert s != 'it\\'s \"$HOME\"'\n",
    "postcondition": 'def f(x: int):\n    """:ensure: returnv != 6"""\n    return x * 2\n',
    "final state": 'def f(l: list[int]):\n    """:ensure: new(l) == l, old(len(l)) == len(new(l))"""\n    l.append(1)\n',
    "invariant": "class C:\n    def __init__(self, n: int):\n        self.n = abs(n)\n\n    def repok(self):\n"
    "        return self.n >= 0\n\n    def f(self, k: int):\n        self.n -= k\n",
    "constructor": "class C:\n    def __init__(self, n: int):\n        self.n = n\n\n    def repok(self):\n"
    "        return self.n >= 0\n\n    def f(self):\n        return 1\n",
    "raises": 'def f(x: int):\n    """:raises: ValueError: x > 0"""\n    raise KeyError(x)\n',
    "star": "def f(a: int, /, *rest: int, key: int = 0):\n    assert not (a == 1 and len(rest) == 2 and key == 3)\n",
    "precondition": 'def g(n: int):\n    """:assume: n > 0"""\n    return n\n\n\ndef f(n: int):\n    return g(n)\n',
}


@pytest.mark.parametrize("kind", SHELL)
def test_the_shell_line_fails_without_ramify(write: Any, tmp_path: Path, kind: str) -> None:
    path = write(SHELL[kind])
    function = "C.f" if "class C" in SHELL[kind] else "f"
    (finding, *_) = checked(path, function).findings
    line = finding.reproduce.replace("python", sys.executable, 1)
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, (line, done.stderr)
    said = "precondition of g: n > 0" if kind == "precondition" else "Error"
    assert said in done.stderr, done.stderr
    assert "ModuleNotFoundError" not in done.stderr
    assert "ramify" not in line


def test_the_shell_line_works_from_another_folder(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("def f(x: int):\n    return 1 // x\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    (finding,) = checked("../subject.py").findings
    done = subprocess.run(
        finding.reproduce.replace("python", sys.executable, 1), shell=True, capture_output=True, text=True, check=False
    )
    assert "ZeroDivisionError" in done.stderr


# -- formats ----------------------------------------------------------------------------------------


def test_json(write: Any) -> None:
    (function,) = json.loads(run(f"{write(TILL)}:change", "--format", "json").stdout)["functions"]
    (finding,) = function["findings"]
    assert (function["verdict"], function["function"]) == (VIOLATED, "change")
    wanted = {"kind": "exception", "file": "subject.py", "line": 6, "column": 12, "arguments": {"paid": "0", "price": "0"}}
    assert wanted.items() <= finding.items()
    assert finding["reproduce"].startswith("python -c")


# The essential structure of https://docs.oasis-open.org/sarif/sarif/v2.1.0 as far as results go: for every object
# which keys it must have and which it may have, with their types.
SARIF: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "log": ({"version": "2.1.0", "runs": ["run"]}, {"$schema": str}),
    "run": ({"tool": "tool"}, {"results": ["result"], "columnKind": str}),
    "tool": ({"driver": "component"}, {}),
    "component": ({"name": str}, {"version": str, "rules": ["rule"], "informationUri": str}),
    "rule": ({"id": str}, {"name": str, "shortDescription": "text", "fullDescription": "text"}),
    "text": ({"text": str}, {"markdown": str}),
    "result": (
        {"message": "text"},
        {"ruleId": str, "ruleIndex": int, "level": str, "locations": ["location"], "partialFingerprints": dict},
    ),
    "location": ({}, {"physicalLocation": "physical"}),
    "physical": ({"artifactLocation": "artifact"}, {"region": "region"}),
    "artifact": ({"uri": str}, {}),
    "region": ({"startLine": int}, {"startColumn": int, "endColumn": int, "endLine": int}),
}


def conforms(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return isinstance(value, list) and all(conforms(item, kind[0]) for item in value)
    if isinstance(kind, type):
        return type(value) is kind
    if kind not in SARIF:
        return bool(value == kind)
    must, may = SARIF[kind]
    return must.keys() <= value.keys() <= {**must, **may}.keys() and all(
        conforms(value[key], {**must, **may}[key]) for key in value
    )


def test_sarif(write: Any) -> None:
    log = json.loads(run(write(TILL), "--format", "sarif").stdout)
    assert conforms(log, "log")
    (result,) = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "exception"
    assert result["level"] in ("none", "note", "warning", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "subject.py"
    assert place["region"] == {"startLine": 6, "startColumn": 12, "endColumn": 35}
    assert not conforms({**log, "version": "1.0"}, "log")
    assert not conforms({"version": "2.1.0", "runs": [{"results": []}]}, "log")


def test_github_annotations_are_one_line_each(write: Any) -> None:
    first, last = run(write(TILL), "--format", "github").stdout.splitlines()
    assert first.startswith("::error file=subject.py,line=6,col=12,title=ramify%3A exception::ZeroDivisionError")
    assert "%0Achange(paid=0, price=0)%0A" in first
    assert last == "1 finding in 1 function: 1 violated."


# -- verdicts ---------------------------------------------------------------------------------------

HOLDS = {
    "sum1": '''
        def f(a: int, b: int, c: int) -> int:
            """:ensure: returnv == a + b + c"""
            x = a + b
            y = b + c
            return x + y - b
        ''',
    "abs1": '''
        def f(x: int) -> int:
            """:ensure: returnv >= 0, returnv == x or returnv == -x"""
            return x if x >= 0 else -x
        ''',
    "min of three": '''
        def f(a: int, b: int, c: int) -> int:
            """:ensure: returnv <= a, returnv <= b, returnv <= c, returnv in (a, b, c)"""
            if a < b and a < c:
                return a
            return b if b < c else c
        ''',
    "clamp": '''
        def f(x: int, low: int, high: int) -> int:
            """
            :assume: low <= high
            :ensure: low <= returnv <= high, returnv == x or not low <= x <= high
            """
            return max(low, min(x, high))
        ''',
    "leap year": '''
        def f(year: int) -> bool:
            """:ensure: returnv == (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))"""
            if year % 400 == 0:
                return True
            if year % 100 == 0:
                return False
            return year % 4 == 0
        ''',
    "integer square root": '''
        def f(n: int) -> int:
            """
            :assume: 0 <= n, n <= 50
            :ensure: returnv * returnv <= n, n < (returnv + 1) * (returnv + 1)
            """
            root = 0
            while (root + 1) * (root + 1) <= n:
                root += 1
            return root
        ''',
    "quicksort of length 5": '''
        def f(l: list[int]) -> list[int]:
            """
            :assume: len(l) == 5
            :ensure: returnv == sorted(l)
            """
            return quicksort(l)

        def quicksort(l):
            if len(l) <= 1:
                return l
            pivot, rest = l[0], l[1:]
            return quicksort([x for x in rest if x < pivot]) + [pivot] + quicksort([x for x in rest if x >= pivot])
        ''',
}


@pytest.mark.parametrize("name", HOLDS)
def test_what_holds_is_verified_within_bounds(write: Any, name: str) -> None:
    report = checked(write(HOLDS[name]), budget=60)
    assert (report.verdict, report.unexplored) == (VERIFIED, [])
    assert report.bounds[0] == "inputs of the declared types"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(n: int):\n    while n > 0:\n        n -= 1\n", "the budget"),
        ("import zlib\n\ndef f(s: bytes):\n    assert zlib.crc32(s) != 0x12345678\n", "one value only"),
        ('def f(x: int):\n    """:assume: x > 0, x < 0"""\n    assert False\n', "no input was found"),
    ],
    ids=["budget", "concretised", "vacuous"],
)
def test_what_was_not_explored_is_said_and_nothing_is_claimed(write: Any, source: str, said: str) -> None:
    report = checked(write(source), budget=1)
    assert report.verdict == NOTHING
    assert any(said in what for what in report.unexplored), report.unexplored


def test_peer_mode_never_claims_what_it_may_not_have_seen(write: Any) -> None:
    path = write("TABLE = [1, 2, 3]\n\ndef f(i: int):\n    return TABLE[i % 3]\n")
    report = checked(path, mode="peer")
    assert report.verdict == NOTHING
    assert "line 4: `TABLE[i % 3]` may hide decisions" in report.unexplored
    assert checked(write("def f(x: int):\n    return 1 if x > 3 else 2\n"), mode="peer").verdict == VERIFIED


# -- targets and errors -----------------------------------------------------------------------------


def test_a_module_stands_for_its_public_functions_and_methods(write: Any) -> None:
    path = write(
        '''
        import os

        def one(): ...
        def _two(): ...

        class C:
            def __init__(self): ...
            def repok(self): return True
            def three(self): ...
            def _four(self): ...
            @staticmethod
            def five(): ...
        '''
    )
    methods = [f"{path}:C.__init__", f"{path}:C.three", f"{path}:C.five"]
    assert functions(path, Policy()) == [f"{path}:one", *methods]
    assert functions(f"{path}:C", Policy()) == methods


def test_the_other_functions_are_checked_when_one_cannot_be(write: Any) -> None:
    path = write('def f(x: int):\n    """:assume: nobody"""\n\ndef g(x: int):\n    return 1 // x\n')
    result = run(path)
    assert result.return_value == 1
    assert "f: not checked" in result.stdout
    assert "nothing is called 'nobody' there" in result.stderr


def test_the_same_place_is_reported_once(write: Any) -> None:
    path = write("def g(x: int):\n    return 1 // x\n\ndef f(x: int):\n    return g(x)\n")
    result = run(path)
    assert result.stdout.count("ZeroDivisionError: ") == 1
    assert "note: line 2: ZeroDivisionError, as shown for g: f(x=0)" in result.stdout
    assert result.stdout.endswith("1 finding in 2 functions: 2 violated.\n")


# -- the corpus -------------------------------------------------------------------------------------

def test_the_corpus_has_every_kind_of_slip() -> None:
    assert len(BUGS) >= 44
    assert {
        "off by one", "wrong operator", "missing None check", "wrong default", "mutable default", "aliasing",
        "float rounding", "unicode", "overflow of a bound", "wrong exception", "missing key", "empty input",
        "recursion", "contract of a callee", "wrong final state",
    } <= {bug.slip for bug in BUGS}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.function)
def test_a_seeded_bug_is_found_and_its_fixed_twin_is_left_alone(bug: Bug) -> None:
    # What ends a search is the number of runs: seconds say little on a busy machine.
    assert bug.kind in {finding.kind for finding in check(bug.target, budget=60, max_runs=60).findings}
    assert check(bug.twin, budget=60, max_runs=60).findings == []
