"""The branch table: which places can branch, and what their outcomes are called."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from ramify.cfg.table import BranchTable

DATA = Path(__file__).parents[1] / "data"


def labels(source: str) -> list[str]:
    """What the table says of a snippet, without the lines: "`if a` true"."""
    table = BranchTable.of_source(dedent(source))
    return [edge.label.split(": ", 1)[1] for edge in table.edges]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a: pass", ["`if a` true", "`if a` false"]),
        ("if a:\n  pass\nelif b:\n  pass", ["`if a` true", "`if a` false", "`if b` true", "`if b` false"]),
        ("if 0: pass", []),
        ("if not None: pass", []),
        ("if __debug__: pass", []),
        ("while a: pass", ["`while a` true", "`while a` false"]),
        ("while 1: pass", []),
        ("for x in y: pass", ["`for x in y` entered", "`for x in y` ran to its end"]),
        ("x = a if b else c", ["`... if b else ...` true", "`... if b else ...` false"]),
        ("a and b", ["`a and ...` true", "`a and ...` false"]),
        ("a or b or c", ["`a or ...` true", "`a or ...` false", "`b or ...` true", "`b or ...` false"]),
        ("True and a", []),
        ("a < b", []),
        ("a < b < c", ["`a < b ...` true", "`a < b ...` false"]),
        (
            "(a + b) < (c) < d",
            ["`(a + b) < (c) ...` true", "`(a + b) < (c) ...` false"],
        ),
        ('x == "(" < y', ['`x == "(" ...` true', '`x == "(" ...` false']),
        ("assert a, b", ["`assert a` true", "`assert a` false"]),
        ("assert True", []),
        (
            "[x for x in y if x]",
            ["`for x in y` entered", "`for x in y` ran to its end", "`if x` true", "`if x` false"],
        ),
        (
            "match a:\n  case 1: pass\n  case _: pass",
            ["`case 1` matched", "`case 1` did not match", "`case _` matched"],
        ),
        (
            "match a:\n  case 1 if b: pass",
            ["`case 1` matched", "`case 1` did not match", "`if b` true", "`if b` false"],
        ),
        (
            "try: f()\nexcept A: pass\nexcept B: pass",
            [
                "`try` completed without an exception",
                "`except A` caught an exception",
                "`except A` passed the exception on",
                "`except B` caught an exception",
            ],
        ),
        ("try: f()\nfinally: g()", []),
        (
            "try: f()\nexcept* A: pass",
            ["`try` completed without an exception", "`except* A` caught an exception"],
        ),
        ("with a as b: pass", ["`with a` left normally", "`with a` suppressed an exception"]),
        ("def f(x: a or b = c or d) -> e or f: pass", ["`c or ...` true", "`c or ...` false"]),
        ("x: a or b = 1", []),
    ],
)
def test_outcomes(source: str, expected: list[str]) -> None:
    assert labels(source) == expected


def test_missing_says_what_has_not_happened() -> None:
    [true, false] = BranchTable.of_source("\n\nif total > price: pass\n").edges
    assert true.missing == "line 3: `if total > price` never true"
    assert false.missing == "line 3: `if total > price` never false"


def test_positions_are_exact() -> None:
    table = BranchTable.of_source("x = (é and\n     b and c)\n")
    assert [(edge.line, edge.column) for edge in table.edges] == [(1, 5), (1, 5), (2, 5), (2, 5)]


def test_scopes_have_the_names_python_gives_them() -> None:
    table = BranchTable.of_source("class A:\n  def f(self):\n    return [lambda: 0 for x in y]\n")
    assert [scope.qualname for scope in table.scopes] == [
        "<module>",
        "A",
        "A.f",
        "A.f.<locals>.<listcomp>",
        "A.f.<locals>.<listcomp>.<locals>.<lambda>",
    ]


@pytest.mark.parametrize(("source", "last"), [("", 1), ("x", 1), ("x\n", 1), ("x\n\n", 2), ("x\r\ny\r\n", 2)])
def test_module_ends_on_its_last_line(source: str, last: int) -> None:
    assert BranchTable.of_source(source).scopes[0].end_line == last


def test_statement_shares_the_probe_before_it() -> None:
    table = BranchTable.of_source("if a:\n    x = 1\n    y = f()\n    z = 2\n")
    by_line = {statement.line: statement.probe for statement in table.statements}
    assert by_line[2] == by_line[3] == 0  # the probe of `if a` true
    assert by_line[1] != by_line[4] >= len(table.edges)


def test_sites_are_found_by_node() -> None:
    source = "if a and b: pass\n"
    tree = ast.parse(source)
    table = BranchTable.of(tree, source)
    node = tree.body[0]
    assert isinstance(node, ast.If)
    site, operand = table.at(node), table.at(node.test, 0)
    assert site is not None
    assert operand is not None
    assert (site.edge("true"), site.edge("false"), operand.edge("true")) == (0, 1, 2)
    assert table.at(node.test, 1) is None
    with pytest.raises(KeyError, match="no outcome 'caught'"):
        site.edge("caught")


def test_deep_expression() -> None:
    chain = "(a and b) + " + " + ".join(["x"] * 900)
    assert len(BranchTable.of_source(chain).edges) == 2


def listing() -> str:
    source = (DATA / "corpus.py").read_text("utf-8")
    table = BranchTable.of_source(source)
    lines = [
        f"{edge.id:3} {edge.line}:{edge.column} {table.scopes[edge.site.scope].qualname} | {edge.label}"
        for edge in table.edges
    ]
    return "\n".join(lines) + "\n"


def test_ids_are_the_same_on_every_python() -> None:
    """RAMIFY_UPDATE_GOLDEN=1 writes the file anew."""
    golden = DATA / "branch_ids.txt"
    if os.environ.get("RAMIFY_UPDATE_GOLDEN"):
        golden.write_text(listing(), "utf-8")
    assert listing() == golden.read_text("utf-8")


def test_table_does_not_load_networkx() -> None:
    code = "import sys, ramify, ramify.cfg.table, ramify.cfg.build; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
