"""Says in words which way a run went: `line 12: `total > price` was true`."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from functools import lru_cache

from ramify.runtime.path import Decision, Phase
from ramify.runtime.show import show

MOST = 12  # lines shown; the middle of a long path says little
LONG = 70

Position = tuple[int, int]


def words(decisions: Sequence[Decision], file: str) -> list[str]:
    """The decisions of a program's own branches, repeated ones together."""
    lines: list[str] = []
    for decision in decisions:
        if decision.phase is Phase.BODY and decision.site.line:
            lines.append(_line(decision, file))
    told = _together(lines)
    if len(told) > MOST:
        half = MOST // 2
        told = [*told[:half], f"... {len(told) - 2 * half} more ...", *told[-half:]]
    return told


def _line(decision: Decision, file: str) -> str:
    site = decision.site
    source = "".join(linecache.getlines(site.file))
    text, tested = _expressions(source).get((site.line, site.column), ("", False))
    condition = show(decision.term, LONG)
    outcome = "true" if decision.outcome else "false"
    where = f"line {site.line}" if site.file == file else f"{site.file}:{site.line}"
    if text and tested:
        return f"{where}: `{text}` was {outcome}"
    if text and text != condition:
        return f"{where}: in `{text}`, `{condition}` was {outcome}"
    return f"{where}: `{condition}` was {outcome}"


def _together(lines: list[str]) -> list[str]:
    told: list[tuple[str, int]] = []
    for line in lines:
        if told and told[-1][0] == line:
            told[-1] = (line, told[-1][1] + 1)
        else:
            told.append((line, 1))
    return [line if times == 1 else f"{line} ({times} times)" for line, times in told]


@lru_cache(maxsize=16)
def _expressions(source: str) -> dict[Position, tuple[str, bool]]:
    """The text of the expression that begins at a place, and whether it is a test by itself.

    Of several that begin there the largest is meant, but not `a and b`: its operands are tested one by one.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[Position, ast.expr] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or isinstance(node, (ast.BoolOp, ast.IfExp, ast.Tuple)):
            continue
        position = node.lineno, node.col_offset
        other = found.get(position)
        if other is None or _end(node) > _end(other):
            found[position] = node
    texts = {}
    for position, node in found.items():
        text = " ".join((ast.get_source_segment(source, node) or "").split())
        texts[position] = (text if len(text) <= LONG else text[: LONG - 3] + "...", _is_test(node))
    return texts


def _is_test(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1
    return isinstance(node, (ast.Name, ast.Attribute)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _end(node: ast.expr) -> Position:
    return node.end_lineno or 0, node.end_col_offset or 0
