"""Reachability, distances, dominators, loops, complexity and dead code of small functions."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from ramify.cfg import queries
from ramify.cfg.build import ModuleGraphs
from ramify.cfg.graph import FlowGraph


def function(body: str) -> FlowGraph:
    [graph] = ModuleGraphs.of_source("def f():\n" + indent(dedent(body).strip("\n"), "    ")).named("f")
    return graph


def block_at(graph: FlowGraph, text: str) -> int:
    [index] = [block.index for block in graph.blocks if any(part.text == text for part in block.parts)]
    return index


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1", 1),
        ("pass", 1),
        ("if a: pass", 2),
        ("if a: return 1\nreturn 2", 2),
        ("if a and b: pass", 3),
        ("x = a or b or c", 3),
        ("x = a if b else c", 2),
        ("x = 1 < a < 3", 2),
        ("while a: pass", 2),
        ("while True: pass", 1),
        ("for x in y: pass", 2),
        ("for x in y:\n  if x: break\nelse:\n  z()", 3),
        ("assert a", 2),
        ("raise KeyError", 1),
        ("with a: b()", 1),
        ("try: a()\nexcept B: pass", 2),
        ("try: a()\nexcept B: pass\nexcept C: pass", 3),
        ("try: a()\nfinally: b()", 1),
        ("try:\n  if a: return 1\nfinally:\n  b()", 2),
        ("match a:\n  case 1: pass\n  case 2: pass\n  case _: pass", 3),
        ("if 0: pass", 1),
        ("return 1\nif a: pass", 1),
    ],
)
def test_complexity(body: str, expected: int) -> None:
    assert queries.complexity(function(body)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1\na()\nb()", [(3, 4, "it follows the return on line 2")]),
        ("raise KeyError\na()", [(3, 3, "it follows the raise on line 2")]),
        ("for x in y:\n  break\n  a()", [(4, 4, "it follows the break on line 3")]),
        ("for x in y:\n  continue\n  a()", [(4, 4, "it follows the continue on line 3")]),
        ("if False:\n  a()\n  b()\nc()", [(3, 4, "the condition on line 2 is always false")]),
        ("if True:\n  a()\nelse:\n  b()", [(5, 5, "the condition on line 2 is always true")]),
        ("while True:\n  a()\nb()", [(4, 4, "the loop on line 2 never ends")]),
        ("while 1:\n  if a: break\nb()", []),
        ("while 1:\n  if a: break\nelse:\n  b()", [(5, 5, "the condition on line 2 is always true")]),
        ("assert False\na()", [(3, 3, "the assertion on line 2 always fails")]),
        ("sys.exit()\na()", []),
        ("try:\n  return 1\nfinally:\n  a()\nb()", [(6, 6, "nothing leads to it")]),
        ("try:\n  return f()\nexcept KeyError:\n  pass\nb()", []),
        ("with a:\n  return f()\nb()", []),
        ("if a:\n  return 1\nelse:\n  raise B\nc()", [(6, 6, "nothing leads to it")]),
        ("return\nglobal x", []),
        ("return\nif a:\n  b()\nelse:\n  c()", [(3, 6, "it follows the return on line 2")]),
    ],
)
def test_dead_code(body: str, expected: list[tuple[int, int, str]]) -> None:
    found = queries.dead_code(function(body))
    assert [(dead.first_line, dead.last_line, dead.reason) for dead in found] == expected


def test_dead_branches_are_not_missing() -> None:
    graph = function("return 1\nif a: pass")
    assert queries.dead_branches(graph) == {0, 1}
    assert queries.missing(graph, ()) == []


def test_missing_edges_say_why() -> None:
    graph = function("if a:\n  b()\nfor x in y: pass")
    assert [edge.explanation for edge in queries.missing(graph, {0, 2})] == [
        "because the condition `a` on line 2 was never false",
        "because the loop `for x in y` on line 4 never ran out of items",
    ]


def test_distance_to_the_nearest_uncovered_edge() -> None:
    graph = function("a()\nif b:\n  if c:\n    d()\nelse:\n  e()\n")
    outer, inner, other = block_at(graph, "if b"), block_at(graph, "if c"), block_at(graph, "e()")
    far = queries.distances(graph, {0, 1, 2})
    assert (far[outer], far[inner]) == (1, 0)
    assert other not in far
    assert queries.branch_distances(graph, {0, 1, 2}) == {0: 1, 3: 0}
    assert queries.distances(graph, {0, 1, 2, 3}) == {}


def test_distance_respects_how_finally_was_entered() -> None:
    graph = function("try:\n  if a:\n    return 1\nfinally:\n  b()\nif c:\n  d()")
    far = queries.distances(graph, {0, 1})
    assert block_at(graph, "return 1") not in far
    assert far[block_at(graph, "if a")] == 2


def test_reachability_from_a_block() -> None:
    graph = function("if a:\n  b()\n  return\nc()")
    assert block_at(graph, "c()") not in queries.reachable(graph, block_at(graph, "b()"))
    assert block_at(graph, "c()") in queries.reachable(graph, block_at(graph, "if a"))


def test_dominators() -> None:
    graph = function("if a:\n  b()\nelse:\n  c()\nd()")
    test, left, last = (block_at(graph, text) for text in ("if a", "b()", "d()"))
    assert queries.dominators(graph)[last] == {0, test, last}
    assert queries.immediate_dominators(graph)[last] == test
    assert queries.immediate_dominators(graph)[left] == test


def test_dominators_agree_with_networkx() -> None:
    import networkx

    graph = function("while a:\n  if b or c:\n    continue\n  for x in y:\n    if x: break\n  else:\n    z()")
    expected = dict(networkx.immediate_dominators(graph.network, 0))
    expected.pop(0, None)
    assert queries.immediate_dominators(graph) == expected


def test_finally_dominates_what_only_it_leads_to() -> None:
    graph = function("try:\n  if a: return\n  b()\nfinally:\n  c()\nd()")
    # Behind the clause only the path through b() goes on.
    assert block_at(graph, "b()") in queries.dominators(graph)[block_at(graph, "d()")]


def test_loops() -> None:
    graph = function("while a:\n  b()\n  for x in y:\n    c()\n  else:\n    d()")
    outer, inner = queries.loops(graph)
    assert (outer.header, len(outer.back_edges)) == (block_at(graph, "while a"), 1)
    assert block_at(graph, "c()") in inner.blocks < outer.blocks
    assert block_at(graph, "d()") in outer.blocks - inner.blocks
    assert queries.loops(function("if a: b()")) == []
