"""Positions in the source for code that was never written, and where CPython puts those of code that was."""

from __future__ import annotations

import ast
import dis
from typing import Any


def _iter_stands_at_iterable() -> bool:
    # Asked of the compiler itself rather than of the version: the position has moved between releases.
    code = compile("[0\nfor _ in\nx]", "", "eval")
    lines = [at.positions.lineno for at in dis.get_instructions(code) if at.opname == "GET_ITER" and at.positions]
    return lines == [3]


# Where an error of iterating over a comprehension's iterable is reported: there, or at the comprehension.
ITER_STANDS_AT_ITERABLE = _iter_stands_at_iterable()


def _tests_stand_at_operands() -> bool:
    # Likewise for the instruction that tests a truth value.
    code = compile("if (\na.b):\n pass", "", "exec")
    tests = [at.positions.lineno for at in dis.get_instructions(code) if "_IF_" in at.opname and at.positions]
    return tests == [2]


# Where the truth of a name, call or attribute is tested: there, or at the statement or the comparison before.
TESTS_STAND_AT_OPERANDS = _tests_stand_at_operands()

# No position at all: the compiler gives such code the line of the code before it, or none, so that a
# probe never makes a line of its own. Not for calls: 3.13 may run code without a line twice if it calls.
NOWHERE: dict[str, Any] = {"lineno": -1, "col_offset": -1, "end_lineno": -1, "end_col_offset": -1}


def start_of(where: ast.AST) -> dict[str, Any]:
    """The start of a node, as a position of no width: the compiler may give code to a node's last line too."""
    line, column = getattr(where, "lineno", 1), getattr(where, "col_offset", 0)
    return {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}


def beginning(node: ast.stmt) -> ast.AST:
    """Where a statement's code begins, so that a probe before it adds no line of its own.

    `if (` may stand on a line that has no code, and a decorated function begins with its decorators.
    """
    match node:
        case ast.If() | ast.While() | ast.Assert():
            return _leftmost(node.test)
        case ast.For() | ast.AsyncFor():
            return _leftmost(node.iter)
        case ast.With() | ast.AsyncWith():
            return _leftmost(node.items[0].context_expr)
        case ast.Match():
            return _leftmost(node.subject)
        case ast.Expr() | ast.Assign():
            return _leftmost(node.value)
        case ast.FunctionDef(decorator_list=[first, *_]) | ast.AsyncFunctionDef(decorator_list=[first, *_]):
            return first
        case ast.ClassDef(decorator_list=[first, *_]):
            return first
    return node


def _leftmost(node: ast.expr) -> ast.expr:
    """The part of an expression that is evaluated first; parentheses around the rest may begin lines before."""
    while True:
        match node:
            case ast.BoolOp():
                node = node.values[0]
            case ast.Compare() | ast.BinOp():
                node = node.left
            case ast.IfExp():
                node = node.test
            case ast.UnaryOp():
                node = node.operand
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case ast.Call():
                node = node.func
            case _:
                return node
