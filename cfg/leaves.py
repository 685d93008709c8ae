"""The leaves of tests: the expressions whose truth is asked as a whole, known by their place."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ramify.cfg.syntax import MAX_OPERANDS

Span = tuple[int, int, int, int]
"""Line, column, end line and end column of an expression, as CPython counts them."""


class Leaf(NamedTuple):
    """A leaf of a test: where it stands, and in which file if that is not the target's."""

    span: Span
    file: str | None = None


def span_of(node: ast.expr | ast.pattern | ast.stmt) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def is_leaf(node: ast.expr, most: int = MAX_OPERANDS) -> bool:
    """Whether the truth of an expression is asked as a whole."""
    match node:
        case ast.UnaryOp(op=ast.Not()) | ast.IfExp() | ast.BoolOp():
            return False
        case ast.Compare():
            # A chain that is too long to be split is asked as a whole.
            return not 1 < len(node.ops) <= most
    return True
