"""Line-to-line arcs, compared with those of coverage.py."""

from __future__ import annotations

import ast
import importlib.util
import warnings
from pathlib import Path
from textwrap import dedent

import pytest

from ramify.cfg.arcs import arcs, branch_arcs, executed_arcs
from ramify.cfg.build import ModuleGraphs

LINE_BRANCHES = ("if", "while", "for", "case", "guard")


def all_arcs(source: str) -> set[tuple[int, int]]:
    return {(arc.start, arc.end) for graph in ModuleGraphs.of_source(source) for arc in arcs(graph)}


def test_outcomes_lead_from_line_to_line() -> None:
    source = dedent(
        """\
        def f(a):
            if a:
                return 1
            for x in a:
                if x: break
            else:
                g()
        """
    )
    [graph] = ModuleGraphs.of_source(source).named("f")
    assert branch_arcs(graph) == {0: (2, 3), 1: (2, 4), 2: (4, 5), 3: (4, 7), 5: (5, 4)}
    # The body of the `if` on line 5 is on the same line: its own step out is the arc.
    assert (5, -1) in all_arcs(source)


def test_decorated_definitions_and_exits() -> None:
    source = "@a\n@b\ndef f():\n    pass\nclass C:\n    x = 1\ny = 2\n"
    assert all_arcs(source) == {(-1, 1), (3, 5), (5, 7), (7, -1), (-1, 4), (4, -1), (-5, 6), (6, -5)}


def test_arcs_are_executed_when_their_probes_are_hit() -> None:
    source = "if a:\n    b()\n    c()\nd()\n"
    graphs = ModuleGraphs.of_source(source)
    by_line = {statement.line: statement.probe for statement in graphs.table.statements}
    hits = {0, by_line[1], by_line[3]}  # true, then c() raised
    assert executed_arcs(graphs, hits) == {(-1, 1), (1, 2), (2, 3), *lines(1, 2, 3)}
    assert executed_arcs(graphs, {1, by_line[1], by_line[4]}) == {(-1, 1), (1, 4), (4, -1), *lines(1, 4)}


def lines(*numbers: int) -> set[tuple[int, int]]:
    return {(number, number) for number in numbers}


def test_a_constant_is_executed_if_the_compiler_notes_its_line() -> None:
    source = "a()\nif b:\n    'text'\nc()\n"
    graphs = ModuleGraphs.of_source(source)
    hits = {0, *(statement.probe for statement in graphs.table.statements)}
    assert executed_arcs(graphs, hits) == {(-1, 1), (1, 2), (2, 4), (4, -1), *lines(1, 2, 4)}
    through = {(-1, 1), (1, 2), (2, 3), (3, 4), (4, -1)}
    assert executed_arcs(graphs, hits, {1, 2, 3, 4}) == through | lines(1, 2, 3, 4)


def test_a_clause_is_executed_if_an_outcome_proves_it() -> None:
    source = "try:\n    a()\nexcept B:\n    c()\nexcept D:\n    e()\nf()\n"
    graphs = ModuleGraphs.of_source(source)
    probes = {statement.line: statement.probe for statement in graphs.table.statements}
    passed = next(edge.id for edge in graphs.table.edges if edge.outcome == "passed")
    hits = {probes[1], probes[2]}
    assert executed_arcs(graphs, hits) == {(-1, 1), (1, 2), *lines(1, 2)}
    assert executed_arcs(graphs, {*hits, passed}) == {(-1, 1), (1, 2), (3, 5), *lines(1, 2, 3, 5)}


MODULES = [
    "argparse", "ast", "bdb", "bisect", "calendar", "configparser", "copy", "csv", "dataclasses", "difflib",
    "fractions", "functools", "heapq", "inspect", "json.decoder", "pathlib", "shlex", "statistics", "string",
    "textwrap", "tokenize", "typing",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_branches_are_those_of_coverage(name: str) -> None:
    """On line-to-line branches both agree, but for two kinds of difference.

    Behind a `finally` clause whose `try` never completes coverage.py sees no way on, and we the resumed
    exit; a body that is only a constant, such as `...`, is a line to coverage.py and no code to us.
    """
    parser_module = pytest.importorskip("coverage.parser")
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
        parser = parser_module.PythonParser(text=source)
        parser.parse_source()
    theirs = set(parser.arcs())
    exits = parser.exit_counts()
    constants = _constant_lines(tree)
    their_branches = {
        (start, end)
        for start, end in theirs
        if exits.get(start, 0) > 1 and start not in constants and abs(end) not in constants
    }

    graphs = ModuleGraphs(tree, source)
    ours, our_branches = set(), set()
    for graph in graphs:
        for arc in arcs(graph):
            ours.add((arc.start, arc.end))
            if arc.branch is not None and graphs.table.edges[arc.branch].site.kind in LINE_BRANCHES:
                our_branches.add((arc.start, arc.end))
    assert their_branches - ours == set()
    resumed = _ends_of_finally(tree)
    assert {arc for arc in our_branches - theirs if arc[0] not in resumed} == set()


def _constant_lines(tree: ast.Module) -> set[int]:
    return {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _ends_of_finally(tree: ast.Module) -> set[int]:
    return {
        node.finalbody[-1].lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Try | ast.TryStar) and node.finalbody
    }
