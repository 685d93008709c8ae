"""The values that code mentions: what it compares its inputs with is often among them."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

MAX_CONSTANT = 40  # characters of a text that is worth trying


def definition(tree: ast.Module, code: CodeType) -> ast.AST:
    """Where a function is written; nothing if that cannot be told."""
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == code.co_name
            and code.co_firstlineno in (node.lineno, *(d.lineno for d in node.decorator_list))
        ):
            return node
    return ast.Module([], [])


def constants(tree: ast.AST) -> list[Any]:
    """The values in a tree that are worth trying."""
    found: dict[Any, None] = {}
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and id(node) not in texts
            and type(node.value) in (int, float, str, bytes)
        ):
            found[node.value] = None
    return [value for value in found if not isinstance(value, (str, bytes)) or len(value) <= MAX_CONSTANT]
