"""The measuring level: the coverage level with a budget, and with how near each test came to its other outcome.

Exploration runs every input once at this level, on plain values. It says which edges the input takes; it ends
what would run for ever, since every round of a loop and every call is a tick of the budget; and where a test
compares two values it tells the values, so that a search can come closer to the outcome not yet seen.
"""

from __future__ import annotations

import ast
import hashlib
from importlib.util import decode_source
from typing import Any

from ramify.cfg.leaves import Span, is_leaf, span_of
from ramify.cfg.recursion import deep_recursion
from ramify.cfg.syntax import MAX_OPERANDS
from ramify.cfg.table import BranchTable
from ramify.instrument.compiling import REFUSALS, without_warnings
from ramify.instrument.coverage import Rewriter
from ramify.instrument.instrumented import Instrumented
from ramify.instrument.names import Names
from ramify.instrument.positions import beginning, start_of

TICK, COMPARE, TRUTH = "__ramify_tick__", "__ramify_compare__", "__ramify_truth__"

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
"""The comparisons that tell their operands."""

# Fixed names: every measured module has builtins of its own, so files need no keys.
NAMES = Names("__ramify_hits__", "__ramify_add__", "__ramify_enter__", "__ramify_tools__")


def instrument(source: bytes, filename: str) -> Instrumented:
    """Compile a module at the measuring level; the names are looked up in the module's own builtins."""
    plain = compile(source, filename, "exec", dont_inherit=True, optimize=0)
    digest = hashlib.sha256(source).hexdigest()
    with without_warnings():
        try:
            tree = ast.parse(source, filename)
            table = BranchTable.of(tree, decode_source(source))
            rewriter = _Measuring(table, NAMES)
            with deep_recursion():
                rewriter.module(tree)
            code = compile(tree, filename, "exec", dont_inherit=True, optimize=0)
        except REFUSALS as error:
            return Instrumented(plain, plain, "", digest, 0, {}, declined=f"{type(error).__name__}: {error}")
    return Instrumented(code, plain, "", digest, table.probes, rewriter.spans)


class _Measuring(Rewriter):
    """Adds ticks to loops, and lets the leaves of tests tell what they compare."""

    def declaration(self) -> ast.stmt:
        declared = super().declaration()
        assert isinstance(declared, ast.Global)
        # A class's namespace may be any mapping and must not be asked for these.
        declared.names += [TICK, COMPARE, TRUTH]
        return declared

    def loop(self, node: ast.While | ast.For | ast.AsyncFor, entered: list[int], ended: list[int]) -> ast.stmt:
        place = start_of(beginning(node.body[0]))
        made = super().loop(node, entered, ended)
        # In front of the mark of the edge: a loop that is cut has not gone round once more.
        node.body.insert(0, ast.Expr(_call(TICK, [], place), **place))
        return made

    def test(self, node: ast.expr) -> ast.expr:
        # What is not a leaf consists of leaves, which tell for themselves.
        if not is_leaf(node, MAX_OPERANDS):
            return super().test(node)
        span = span_of(node)
        tested = super().test(node)
        match tested:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
                word = ast.Constant(OPERATORS[type(op)], **start_of(node))
                call = _call(COMPARE, [_constant(span, node), word, left, right], start_of(node))
            # The compiler decides such a test.
            case ast.Constant():
                return tested
            case _:
                call = _call(TRUTH, [_constant(span, node), tested], start_of(node))
        return ast.copy_location(call, node)


def _constant(span: Span, where: ast.AST) -> ast.expr:
    return ast.Constant(span, **start_of(where))  # type: ignore[arg-type]  # a tuple is a constant too


def _call(name: str, arguments: list[ast.expr], place: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load(), **place), arguments, [], **place)
