"""The project's own source: its modules, and what stands at the top level of each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("app", "cfg", "instrument", "runtime")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def modules(root: Path = ROOT, folders: Iterable[str] = FOLDERS) -> Iterator[tuple[Path, ast.Module]]:
    """Every module below the folders, with its tree."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path, _parsed(path)


def top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements a module runs when it is imported, those inside `if`, `try` and `with` too."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try, ast.With)):
                yield from top_level(getattr(node, part, ()))
        for handler in getattr(node, "handlers", ()):
            yield from top_level(handler.body)
