"""Coverage-guided exploration: a source snippet, the inputs that must come out, and a verdict for every edge."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import Any

import pytest

import ramify
from ramify.runtime.search import GuidedExploration

EXAMPLES = Path(__file__).parents[2] / "examples" / "pef.py"


def guided(tmp_path: Path, source: str, name: str = "f", **options: Any) -> GuidedExploration:
    file = tmp_path / "target.py"
    file.write_text(textwrap.dedent(source))
    exploration = ramify.explore(f"{file}:{name}", **options)
    assert isinstance(exploration, GuidedExploration)
    list(exploration)
    return exploration


def verdicts(exploration: GuidedExploration) -> dict[str, str]:
    """The verdicts other than covered, by what the edge is."""
    found = exploration.edge_verdicts()
    return {f"{v.edge.site.text}: {v.edge.outcome}": v.kind for v in found if v.kind != "covered"}


FEASIBLE = {
    "exact values behind arithmetic": """
        def f(a: int, b: int) -> int:
            if a * 3 + b * 5 == 1234 and a - b == 86:
                return 1
            return 0
        """,
    "a text format": """
        def f(s: str) -> int:
            if len(s) == 7 and s[3] == "-" and s[:3].isdigit() and s[4:] == "abc":
                return int(s[:3])
            return 0
        """,
    "the other side of a hash": """
        import zlib

        def f(s: str) -> int:
            if zlib.crc32(s.encode()) % 50 == 7:
                return 1
            return 0
        """,
    "a value found in a module": """
        NAMES = {"x" * 3 + "y": 1}

        def f(s: str) -> int:
            return NAMES[s] if s in NAMES else 0
        """,
    "a module that takes many steps to load": """
        TABLE = {n: n * n % 10007 for n in range(9000)}
        LAST = 0
        for n in TABLE:
            LAST = n

        def f(n: int) -> bool:
            return n == LAST and TABLE[n] > 0
        """,
    "what a large table holds": """
        NAMES = {f"key{n}": "Name" + "@" * (n == 577) + str(n) for n in range(900)}

        def f(s: str) -> int:
            name = NAMES.get(s.strip().lower())
            if name is None:
                return 0
            return 1 if "@" not in name else 2
        """,
    "forms of text that only C code knows": """
        import ast

        def f(s: str) -> int:
            try:
                value = ast.literal_eval(s)
            except Exception:
                return 0
            if isinstance(value, dict):
                return 1
            if isinstance(value, set):
                return 2
            return 3 if isinstance(value, list) else 4
        """,
    "a test that a change may lose": """
        import re

        def f(text: str) -> int:
            first, found = None, 0
            for blank in re.findall(r"(?m)(^[ ]*)(?:[^ ])", text):
                if first is None:
                    first = blank
                elif not blank.startswith(first):
                    for x, y in zip(first, blank):
                        found += 1
            return found
        """,
    "a float through a transcendental": """
        import math

        def f(x: float) -> int:
            if 0.3 < math.sin(x) < 0.31:
                return 1
            return 0
        """,
    "loops do not starve what follows": """
        def f(n: int, s: str) -> int:
            total = 0
            for i in range(n):
                if i % 3:
                    total += i
                else:
                    total -= 1
            if s == "after the loop":
                return total
            return 0
        """,
    "exceptions and their handlers": """
        def f(s: str, n: int) -> str:
            try:
                value = int(s)
                return "big" if value // n > 10 else "small"
            except ValueError:
                return "no number"
            except ZeroDivisionError:
                return "zero"
        """,
    "behind an endless loop": """
        def f(x: int) -> int:
            while True:
                x += 1
                if x == -5:
                    return 1
        """,
    "through a call": """
        def helper(n: int) -> int:
            if n > 1000:
                return 1
            return 0

        def f(n: int) -> int:
            if helper(n * 2):
                return 1
            return 0
        """,
}


@pytest.mark.parametrize("source", FEASIBLE.values(), ids=FEASIBLE)
def test_every_feasible_edge_is_covered(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = 90.0  # far more than it takes, since other tests run beside it
    monkeypatch.setattr("ramify.runtime.search.tactics.perseverance.PATIENT_SLOWLY", patience)
    exploration = guided(tmp_path, source, budget=patience)
    assert verdicts(exploration) == {}
    assert exploration.summary.stop == "covered"


def test_every_kept_input_takes_the_edges_it_is_credited_with(tmp_path: Path) -> None:
    exploration = guided(tmp_path, FEASIBLE["a text format"])
    for verdict in exploration.edge_verdicts():
        assert verdict.by is not None
        assert verdict.edge.id in verdict.by.hits


HONEST: list[tuple[str, str, dict[str, str]]] = [
    (
        "excluded by what came before",
        "def f(x: int) -> int:\n    if x > 10:\n        if x < 5:\n            return 1\n        return 2\n"
        "    return 3\n",
        {"if x < 5: true": "infeasible"},
    ),
    (
        "behind a return",
        "def f(x: int) -> int:\n    return x\n    if x:\n        return 1\n",
        {"if x: true": "dead", "if x: false": "dead"},
    ),
    (
        "too hard, though possible",
        "import hashlib\n\ndef f(s: str) -> int:\n"
        "    if hashlib.sha256(s.encode()).digest()[0:6] == b'ramify':\n        return 1\n    return 0\n",
        {"if hashlib.sha256(s.encode()).digest()[0:6] == b'ramify': true": "unsolved"},
    ),
    (
        "a constant of the module",
        "DEBUG = False\n\ndef f(x: int) -> int:\n    if DEBUG:\n        return 1\n    return 0\n",
        {"if DEBUG: true": "infeasible"},
    ),
    (
        "another machine",
        "import sys\n\ndef f(x: int) -> int:\n    if sys.platform == 'amiga':\n        return 1\n    return 0\n",
        {"if sys.platform == 'amiga': true": "unsolved"},
    ),
    (
        "another environment, asked by a function that is called",
        "from os import environ\n\ndef debugging() -> bool:\n    return 'DEBUG_THIS' in environ\n\n"
        "def f(x: int) -> int:\n    if debugging():\n        return 1\n"
        "    if x * 2 == 3:\n        return 2\n    return 0\n",
        {"if debugging(): true": "unsolved", "if x * 2 == 3: true": "infeasible"},
    ),
    (
        "a loop that hides an impossible value",
        "def f(n: int) -> int:\n    s = 0\n    for i in range(n):\n        s += 2\n"
        "    if s == 7:\n        return 1\n    return 0\n",
        {"if s == 7: true": "unsolved"},
    ),
    (
        "a type that nobody declared and no guess finds",
        "def f(x):\n    if x > 10 and x < 5:\n        return 1\n    return x == 'a' and x.read()\n",
        {
            "if x > 10 and x < 5: true": "infeasible",  # refuted for numbers, and says that these were guessed
            "x == 'a' and ...: true": "unsolved",
        },
    ),
    (
        "an exception of another kind",
        "def f(x: int) -> int:\n    try:\n        return x * 3\n    except ValueError:\n        return 1\n",
        {"except ValueError: caught": "infeasible"},
    ),
    (
        "an exception that depends on the size of numbers",
        "def f(x: int) -> float:\n    try:\n        return x / 3\n    except OverflowError:\n        return 1\n",
        {"except OverflowError: caught": "unsolved"},
    ),
    (
        "an exception that a name stands for",
        "ERRORS = (KeyError, OverflowError)\n\n"
        "def f(x: int) -> float:\n    try:\n        return x / 3\n    except ERRORS:\n        return 1\n",
        {"except ERRORS: caught": "unsolved"},
    ),
    (
        "a type that says little",
        "def f(x: object) -> int:\n    if type(x).__name__ == 'module':\n        return 1\n    return 0\n",
        {"if type(x).__name__ == 'module': true": "unsolved"},
    ),
    (
        "an abstract type that is more than lists",
        "from collections.abc import Iterable\n\ndef f(x: Iterable[int]) -> int:\n"
        "    if type(x).__name__ == 'array':\n        return 1\n    return 0 if len(list(x)) * 2 != 3 else 2\n",
        {
            "if type(x).__name__ == 'array': true": "unsolved",
            "... if len(list(x)) * 2 != 3 else ...: false": "infeasible",
        },
    ),
    (
        "a type that nobody declared, and no run gets there",
        "def f(x):\n    if x.read_all_of_it() > 3:\n        return 1\n    return 0\n",
        {"if x.read_all_of_it() > 3: true": "unsolved", "if x.read_all_of_it() > 3: false": "unsolved"},
    ),
]


ENDLESS = ("too hard, though possible", "a loop that hides an impossible value")  # as long as one lets them run


@pytest.mark.parametrize(("name", "source", "expected"), HONEST, ids=[row[0] for row in HONEST])
def test_verdicts_claim_no_more_than_is_known(
    tmp_path: Path, name: str, source: str, expected: dict[str, str]
) -> None:
    assert verdicts(guided(tmp_path, source, budget=60, max_runs=20 if name in ENDLESS else None)) == expected


STATE = """
    from dataclasses import dataclass

    class Stack:
        def __init__(self) -> None:
            self.items: list[int] = []

        def push(self, item: int) -> None:
            self.items.append(item)

        def top(self) -> int:
            if self.items:
                return self.items[-1]
            return 0

    @dataclass(frozen=True)
    class Point:
        x: int

        def side(self) -> int:
            if self.x * 2 == 7:
                return 1
            return 0
    """


def test_what_a_constructor_does_not_give_is_not_infeasible(tmp_path: Path) -> None:
    found = guided(tmp_path, STATE, "Stack.top")
    (verdict,) = [v for v in found.edge_verdicts() if v.kind != "covered"]
    assert (verdict.kind, "--calls 2" in verdict.reason) == ("unsolved", True)
    assert verdicts(guided(tmp_path, STATE, "Stack.top", calls=1)) == {}


def test_an_object_that_cannot_change_is_as_its_constructor_makes_it(tmp_path: Path) -> None:
    assert verdicts(guided(tmp_path, STATE, "Point.side")) == {"if self.x * 2 == 7: true": "infeasible"}


def test_what_was_not_reached_names_the_edge_before_it(tmp_path: Path) -> None:
    source = """
        import hashlib

        def f(s: str, x: int) -> int:
            if hashlib.md5(s.encode()).digest()[:4] == b"abcd":
                if x > 3:
                    return 2
                return 1
            return 0
        """
    exploration = guided(tmp_path, source, max_runs=10)
    reasons = {v.edge.site.text + ": " + v.edge.outcome: v.reason for v in exploration.edge_verdicts()}
    assert "not reached because line 5" in reasons["if x > 3: true"]


def test_what_was_not_reached_is_not_blamed_on_a_short_cut(tmp_path: Path) -> None:
    source = """
        import hashlib

        def f(s: str, x: int) -> int:
            if hashlib.md5(s.encode()).digest()[:4] == b"abcd":
                x = 0  # the shortest way to the last test
            elif x > 3:
                x += 1
                if x > 9:
                    x += 2
            if hashlib.md5(s.encode()).digest()[:4] == b"efgh":
                return 1 if x > 5 else 2
            return 0
        """
    exploration = guided(tmp_path, source, max_runs=10)
    reasons = {v.edge.site.text + ": " + v.edge.outcome: v.reason for v in exploration.edge_verdicts()}
    assert "not reached because line 11" in reasons["... if x > 5 else ...: true"]


def test_exceptions_are_looked_for_when_all_is_covered() -> None:
    def share(total: int, people: int) -> int:
        return total // people

    kinds = {type(p.exception).__name__ for p in ramify.explore(share)}
    assert kinds == {"NoneType", "ZeroDivisionError"}


def test_faulty_fact_is_found_wrong_at_40() -> None:
    violated = [p for p in ramify.explore(f"{EXAMPLES}:faulty_fact") if p.outcome == "violated"]
    assert [p.call for p in violated] == ["{'x': 40}"]


def test_postconditions_are_falsified_on_paths_that_keep_them() -> None:
    def double(x: int) -> int:
        """:ensure: returnv >= x"""
        return x * 2

    violated = [p for p in ramify.explore(double) if p.outcome == "violated"]
    assert len(violated) == 1
    assert eval(violated[0].call)["x"] < 0


IMPOSSIBLE = {  # in PEF's examples: each is proven
    "simple": {"if i: false": "infeasible"},
    "simple_bool": {"a and ...: true": "infeasible"},
    "funab": {"if a != a: true": "infeasible"},
}


def names_of_the_examples() -> list[str]:
    tree = ast.parse(EXAMPLES.read_text())
    functions = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    methods = [
        f"{c.name}.{n.name}"
        for c in tree.body
        if isinstance(c, ast.ClassDef)
        for n in c.body
        if isinstance(n, ast.FunctionDef) and n.name != "__init__"
    ]
    return [*functions, *methods]


@pytest.mark.parametrize("name", names_of_the_examples())
def test_every_feasible_branch_of_pefs_examples_is_covered(name: str) -> None:
    exploration = ramify.explore(f"{EXAMPLES}:{name}", budget=20)
    assert isinstance(exploration, GuidedExploration)
    list(exploration)
    assert verdicts(exploration) == IMPOSSIBLE.get(name, {})
