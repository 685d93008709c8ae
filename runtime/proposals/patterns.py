"""The regular expressions of a module: what matches them is worth trying as an input."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

MAX_PATTERNS = 200


def patterns(names: Mapping[str, Any], tree: ast.Module) -> list[re.Pattern[str]]:
    """The patterns that a module has compiled, in its globals, classes and tables, and those it hands to `re`."""
    found: dict[tuple[str, int], re.Pattern[str]] = {}
    for pattern in (*_compiled(list(names.values())), *_handed_over(tree)):
        if isinstance(pattern.pattern, bytes):
            # Bytes are inputs as texts of the same code points.
            pattern = re.compile(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII)
        found.setdefault((pattern.pattern, pattern.flags), pattern)
        if len(found) >= MAX_PATTERNS:
            break
    return list(found.values())


def _compiled(values: list[Any], depth: int = 0) -> Iterator[re.Pattern[Any]]:
    for value in values:
        kind = type(value)
        if kind is re.Pattern:
            yield value
        elif depth < 2 and kind in (list, tuple, dict) and len(value) <= MAX_PATTERNS:
            yield from _compiled(list(value.values() if kind is dict else value), depth + 1)
        elif depth == 0 and kind is type:
            # Depth 2: patterns that are attributes of a class, not what is in its tables.
            yield from _compiled(list(vars(value).values()), 2)


def _handed_over(tree: ast.Module) -> Iterator[re.Pattern[Any]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _of_re(node.func) and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, (str, bytes)):
                try:
                    yield re.compile(first.value)
                except (re.error, RecursionError, OverflowError):
                    continue


def _of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )
