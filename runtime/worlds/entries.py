"""Modules as they were written, but for a mark at the start of every function that tells when it is entered.

Marking a module takes a fraction of the time that rewriting it does, and most modules of a package are only
imported: those that no run enters need no more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType
from typing import Any

ENTERED = "__ramify_entered__"
"""The name of the function that a mark calls; it returns None."""

_INNER = ("body", "orelse", "finalbody", "handlers", "cases")


@lru_cache(maxsize=512)  # both worlds of a target load the same modules
def marked(source: bytes, filename: str) -> CodeType:
    """The code of a module with its marks."""
    tree = ast.parse(source, filename)
    # A list: marking changes the tree that is walked.
    for node in list(ast.walk(tree) if b"lambda" in source else _statements(tree)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # A position that the function has anyway: the mark adds no line.
            place = _place(node.body[0])
            # Behind the docstring, which must stay the first statement.
            first = ast.get_docstring(node, clean=False) is not None
            node.body.insert(first, ast.Expr(_mark(place), **place))
        elif isinstance(node, ast.Lambda):
            place = _place(node.body)
            node.body = ast.BoolOp(ast.Or(), [_mark(place), node.body], **place)
    return compile(tree, filename, "exec", dont_inherit=True)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, and what holds statements; expressions are left out: they are most of a tree."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in _INNER:
            waiting += getattr(node, name, ())


def _place(node: ast.AST) -> dict[str, Any]:
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def _mark(place: dict[str, Any]) -> ast.expr:
    return ast.Call(ast.Name(ENTERED, ast.Load(), **place), [], [], **place)


class Entries:
    """The files that runs have entered, shared by the worlds of a program: each world wants them at its level.

    With `everything`, it wants all files so from the start.
    """

    def __init__(self, everything: bool = False) -> None:
        self.files: set[str] = set()
        self._everything = everything
        self._refused: set[str] = set()
        self._running = False  # modules call functions while they are imported; only runs count

    def wants(self, filename: str) -> bool:
        return self._everything or filename in self.files

    def enter(self, filename: str) -> None:
        """A mark was met."""
        if self._running and filename not in self._refused:
            self.files.add(filename)

    def refuse(self, files: Iterable[str]) -> None:
        """Leaves files as they are for good."""
        self._refused.update(files)
        self.files -= self._refused

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Around a run."""
        self._running = True
        try:
            yield
        finally:
            self._running = False
