"""Where in its file a line of a docstring stands."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ramify.cfg.source_file import tree_of
from ramify.errors import InputError

Defined = ast.FunctionDef | ast.AsyncFunctionDef


def lines_of(function: Any) -> Callable[[int], int] | None:
    """A function from a line of the docstring (from 0) to a line of the file; None if there is no file.

    A docstring with a line continuation or an escaped newline has other lines than the file; then its first
    line is given.
    """
    code = function.__code__
    # The file may have been edited since its lines were cached.
    linecache.checkcache(code.co_filename)
    source = tuple(linecache.getlines(code.co_filename, function.__globals__))
    start = _docstrings(source, code.co_filename).get((code.co_name, code.co_firstlineno))
    if start is None:
        return None
    shown = (function.__doc__ or "").splitlines()

    def line(offset: int) -> int:
        number = start + offset
        words = shown[offset].strip() if offset < len(shown) else ""
        fits = number <= len(source) and words in source[number - 1]
        return number if fits else start

    return line


@lru_cache(maxsize=16)
def _docstrings(source: tuple[str, ...], path: str) -> dict[tuple[str, int], int]:
    """The first line of every docstring, by the function's name and the line its code begins with."""
    try:
        tree = tree_of(path, "".join(source))
    except InputError:
        return {}
    found: dict[tuple[str, int], int] = {}
    for node in ast.walk(tree):
        if isinstance(node, Defined) and ast.get_docstring(node, clean=False) is not None:
            # A code object's first line is that of its first decorator.
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[node.name, first] = node.body[0].value.lineno  # type: ignore[attr-defined]
    return found
