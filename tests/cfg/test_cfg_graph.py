"""The control-flow graph, told as the edges between the blocks of small functions."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from ramify.cfg.build import ModuleGraphs
from ramify.cfg.graph import Block, FlowGraph
from ramify.cfg.queries import reachable


def function(body: str) -> FlowGraph:
    [graph] = ModuleGraphs.of_source("def f():\n" + indent(dedent(body).strip("\n"), "    ")).named("f")
    return graph


def name(block: Block) -> str:
    """A block is called by its last statement or operand."""
    if block.kind == "raise":
        return block.label
    return block.parts[-1].text if block.parts else block.kind if block.kind != "code" else "-"


def edges(graph: FlowGraph, *, implicit: bool = False) -> list[str]:
    """The edges between reachable blocks, as "if a --true--> return 1"."""
    live = reachable(graph)
    return [
        f"{name(graph.blocks[edge.source])} --{edge.kind}--> {name(graph.blocks[edge.target])}"
        for edge in graph.edges
        if edge.source in live and edge.source != 0 and (implicit or not edge.implicit)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1\ny = 2", ["y = 2 --next--> exit"]),
        ("return 1", ["return 1 --return--> exit"]),
        ("if a:\n  b()", ["if a --true--> b()", "if a --false--> exit", "b() --next--> exit"]),
        ("if a: pass", ["if a --true--> pass", "if a --false--> exit", "pass --next--> exit"]),
        ("if 0:\n  b()\nc()", ["if 0 --next--> c()", "c() --next--> exit"]),
        (
            "if a and b:\n  c()",
            ["a --true--> b", "a --false--> -", "- --false--> exit", "b --true--> c()", "b --false--> -",
             "c() --next--> exit"],
        ),
        (
            "x = a or b",
            ["a --true--> x = a or b", "a --false--> b", "b --next--> x = a or b", "x = a or b --next--> exit"],
        ),
        (
            "return a if b else c",
            ["b --true--> a", "b --false--> c", "a --return--> exit", "c --return--> exit"],
        ),
        (
            "while a:\n  b()\nelse:\n  c()",
            ["while a --true--> b()", "while a --false--> c()", "b() --next--> while a", "c() --next--> exit"],
        ),
        (
            "while True:\n  if a:\n    break",
            ["if a --true--> break", "if a --false--> if a", "break --next--> exit"],
        ),
        (
            "for x in y:\n  if x:\n    continue\n  b()",
            ["for x in y --next--> for x in y", "for x in y --loop--> if x", "for x in y --exhausted--> exit",
             "if x --true--> continue", "if x --false--> b()", "continue --next--> for x in y",
             "b() --next--> for x in y"],
        ),
        ("assert a", ["assert a --true--> exit", "assert a --assertion--> AssertionError"]),
        ("raise KeyError(1)", ["raise KeyError(1) --exception--> KeyError"]),
        ("raise errors.Wrong from e", ["raise errors.Wrong from e --exception--> errors.Wrong"]),
        ("raise make()", ["raise make() --exception--> any exception"]),
        ("x = yield 1", ["x = yield 1 --yield--> x = yield 1", "x = yield 1 --next--> exit"]),
        (
            "match a:\n  case 1:\n    b()\n  case _:\n    c()",
            ["case 1 --case--> b()", "case 1 --case--> case _", "b() --next--> exit", "case _ --case--> c()",
             "c() --next--> exit"],
        ),
        (
            "match a:\n  case 1: pass\n  case 2: pass",
            ["case 1 --case--> pass", "case 1 --case--> case 2", "pass --next--> exit", "case 2 --case--> pass",
             "case 2 --case--> exit", "pass --next--> exit"],
        ),
        (
            "try:\n  return 1\nfinally:\n  a()\nb()",
            ["try --next--> return 1", "return 1 --return--> a()", "a() --return--> exit"],
        ),
        (
            "try:\n  raise KeyError\nexcept KeyError:\n  a()",
            ["try --next--> raise KeyError", "raise KeyError --exception--> except KeyError",
             "except KeyError --exception--> a()", "a() --next--> exit"],
        ),
    ],
)  # fmt: skip
def test_edges(body: str, expected: list[str]) -> None:
    assert edges(function(body)) == expected


def test_exceptions_of_calls_are_edges_inside_try() -> None:
    graph = function("a()\ntry:\n  b()\nexcept ValueError:\n  c()")
    assert [edge for edge in edges(graph, implicit=True) if "--exception-->" in edge] == [
        "b() --exception--> except ValueError",
        "except ValueError --exception--> c()",
        "except ValueError --exception--> any exception",
    ]


def test_bare_except_passes_nothing_on() -> None:
    assert [block.label for block in function("try:\n  b()\nexcept:\n  c()").exits] == ["exit"]


def test_exceptions_of_different_names_leave_by_their_own_exit() -> None:
    graph = function("try:\n  if a: raise KeyError\n  raise LookupError\nexcept KeyError:\n  raise\nc()")
    assert {block.label for block in graph.exits} == {"exit", "KeyError", "LookupError", "any exception"}
    passed_on = {edge.leave: graph.blocks[edge.target].label for edge in graph.edges if edge.leave}
    assert passed_on == {
        "raise LookupError": "LookupError",
        "raise any exception": "any exception",
    }


def test_finally_resumes_what_led_into_it() -> None:
    graph = function(
        """
        while a:
            try:
                if b: break
                if c: continue
                if d: return 1
            finally:
                e()
            f()
        g()
        """
    )
    [clause] = [block for block in graph.blocks if name(block) == "e()"]
    ways = {edge.leave: name(graph.blocks[edge.target]) for edge in graph.out_edges[clause.index]}
    assert ways == {
        "break": "g()",
        "continue": "while a",
        "return": "exit",
        "next": "f()",
        "raise any exception": "any exception",
    }
    assert {edge.enter for edge in graph.in_edges[clause.index]} == set(ways)


def test_jump_out_of_finally_forgets_the_exception() -> None:
    graph = function("while a:\n  try:\n    raise KeyError\n  finally:\n    break\nb()")
    live = reachable(graph)
    assert [name(graph.blocks[index]) for index in sorted(live)] == [
        "entry", "exit", "while a", "try", "raise KeyError", "break", "b()",
    ]  # fmt: skip


def test_with_may_suppress() -> None:
    graph = function("with a:\n  raise KeyError\nb()")
    assert name(graph.blocks[graph.by_branch[1].target]) == "b()"
    assert graph.by_branch[1].kind == "exception"
    assert [block.label for block in graph.exits] == ["exit", "KeyError"]


def test_except_star_tries_every_clause() -> None:
    graph = function("try:\n  a()\nexcept* KeyError:\n  b()\nexcept* OSError:\n  c()\nd()")
    found = edges(graph)
    assert "b() --next--> except* OSError" in found
    assert "except* KeyError --exception--> except* OSError" in found
    assert "- --next--> d()" in found


def test_parallel_edges_are_kept() -> None:
    graph = function("while a if b else c: pass")
    assert graph.network.number_of_edges() == len(graph.edges)
    assert graph.network.is_multigraph()
    twice = function("try:\n  if a: return\nfinally:\n  pass")
    assert twice.network.number_of_edges(*_pair(twice, "pass", "exit")) == 2


def _pair(graph: FlowGraph, source: str, target: str) -> tuple[int, int]:
    indices = {name(block): block.index for block in graph.blocks}
    return indices[source], indices[target]


def test_every_scope_has_a_graph() -> None:
    source = dedent(
        """
        class C:
            x = [lambda y: y for z in w]
        async def g():
            yield
        async def h():
            await (i for i in j)
            return {k for k in l}, {m: n for m in o}
        def p():
            yield from q
        """
    )
    assert [(graph.kind, graph.scope.qualname) for graph in ModuleGraphs.of_source(source)] == [
        ("module", "<module>"),
        ("class", "C"),
        ("list comprehension", "C.<listcomp>"),
        ("lambda", "C.<listcomp>.<locals>.<lambda>"),
        ("asynchronous generator", "g"),
        ("coroutine", "h"),
        ("generator expression", "h.<locals>.<genexpr>"),
        ("set comprehension", "h.<locals>.<setcomp>"),
        ("dict comprehension", "h.<locals>.<dictcomp>"),
        ("generator", "p"),
    ]


def test_comprehension_loops() -> None:
    graphs = ModuleGraphs.of_source("[x for y in z if y for x in y]")
    graph = graphs.of(1)
    assert edges(graph) == [
        "x --next--> for x in y",
        "for y in z --loop--> y",
        "for y in z --exhausted--> exit",
        "y --true--> y",
        "y --false--> for y in z",
        "for x in y --loop--> x",
        "for x in y --exhausted--> for y in z",
        "y --next--> for x in y",
    ]


def test_causes_are_sentences() -> None:
    graph = function("x = 1\nif total > price:\n  pass")
    true, false = graph.by_branch[0], graph.by_branch[1]
    assert true.cause == "the condition `total > price` on line 3 was true"
    assert false.never == "the condition `total > price` on line 3 was never false"
    assert false.explanation == "because the condition `total > price` on line 3 was never false"


def test_spans_have_lines_and_columns() -> None:
    graph = function("if (a or\n    b): c(é)")
    parts = [part for block in graph.blocks for part in block.parts]
    spans = {
        part.text: (part.span.line, part.span.column, part.span.end_line, part.span.end_column) for part in parts
    }
    assert spans["b"] == (3, 8, 3, 9)
    assert spans["c(é)"] == (3, 12, 3, 17)


def test_deep_expression() -> None:
    graph = function("x = (a and b) + " + " + ".join(["y"] * 900))
    assert len(graph.by_branch) == 2
    assert len(function("x = " + " and ".join(["y"] * 300)).blocks) > 300
