"""Two forms of an expression: the original, and one in which models see every operation; a guard picks one.

The guard asks whether the values that matter are of plain types. The original form is right for any values, so
a guard can only decide whether terms are kept, never what the program does.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, TypeVar

from ramify.instrument.positions import start_of

_Node = TypeVar("_Node", bound=ast.AST)

MAX_SIZE = 150
"""Nodes of an expression beyond which it is not kept in two forms, but only in the one for models."""


class Forms(NamedTuple):
    """An expression as it was (`fast`) and for models (`slow`): the same object if they do not differ.

    `guards` are the names whose values must be plain for the fast form; `keys` says that no plain dict or set
    may hold concolic keys.
    """

    fast: ast.expr
    slow: ast.expr
    guards: dict[str, ast.Name]
    keys: bool = False
    size: int = 1

    @property
    def guarded(self) -> bool:
        return bool(self.guards) or self.keys


def only(node: ast.expr, size: int = 1) -> Forms:
    """An expression that has one form."""
    return Forms(node, node, {}, False, size)


def joined(
    fast: ast.expr, slow: ast.expr, *parts: Forms, guards: dict[str, ast.Name], keys: bool = False
) -> Forms:
    """The forms of an expression made of parts, with what it adds to their guards."""
    size = 1 + sum(part.size for part in parts)
    # One guard in front of the whole expression instead of one for every operator in it.
    names = {name: node for part in parts for name, node in part.guards.items()} | guards
    # Two forms double the code, and nested ones double it again at every level.
    if size > MAX_SIZE:
        return only(slow, size)
    keyed = keys or any(part.keys for part in parts)
    if not names and not keyed:
        return only(fast, size)  # nothing here can be concolic, or both forms are the one for models
    return Forms(fast, slow, names, keyed, size)


def closed(forms: Forms, where: ast.expr) -> ast.expr:
    """One expression that picks the form at run time."""
    if not forms.guarded:
        return forms.slow
    return ast.copy_location(ast.IfExp(guard(forms.guards, forms.keys, where), forms.fast, forms.slow), where)


def guard(names: dict[str, ast.Name], keys: bool, where: ast.AST) -> ast.expr:
    """The test that picks the fast form."""
    tests: list[ast.expr] = []
    for name, node in names.items():
        kind = call(node, "type", ast.copy_location(ast.Name(name, ast.Load()), node))
        tests.append(ast.copy_location(ast.Compare(kind, [ast.In()], [tool(node, "plain")]), node))
    if keys:
        # `keyed` is the dict of containers with concolic keys: empty, and therefore false, in most runs.
        tests.append(ast.UnaryOp(ast.Not(), tool(where, "keyed"), **start_of(where)))
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests, **start_of(tests[0]))


def tool(where: ast.AST, name: str) -> ast.expr:
    """A name of ours; it ends in underscores, so that no class mangles it."""
    return ast.Name(f"__ramify_{name}__", ast.Load(), **start_of(where))


def call(where: ast.AST, name: str, *args: ast.expr) -> ast.expr:
    """A call of ours, at the position of what it stands for."""
    return ast.copy_location(ast.Call(tool(where, name), list(args), []), where)


def changed(node: _Node, **fields: Any) -> _Node:
    """A copy of a node with other fields."""
    made: _Node = type(node)(**{**vars(node), **fields})
    return made
