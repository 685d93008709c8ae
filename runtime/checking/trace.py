"""Says in words which way a run went: `line 12: `total > price` was true`."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ramify.cfg.leaves import Span, span_of
from ramify.cfg.source_file import tree_of
from ramify.errors import InputError
from ramify.runtime.recording import Decision, DecisionSite, Phase
from ramify.runtime.terms import Term, show

MOST = 12  # lines shown; the middle of a long path says little
LONG = 70

LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("lt", "gt"),
    ast.Gt: ("lt", "gt"),
    ast.LtE: ("le", "ge"),
    ast.GtE: ("le", "ge"),
    ast.Eq: ("eq",),
    ast.NotEq: ("ne",),
}


def words(decisions: Sequence[Decision], file: str) -> list[str]:
    """The decisions of a program's own branches, repeated ones together."""
    sources: dict[str, str] = {}
    known: dict[tuple[DecisionSite, bool, Term], str] = {}  # a loop decides alike thousands of times
    lines: list[str] = []
    texts: dict[Term, Any] = {}  # decisions share what they were computed from
    for decision in decisions:
        site = decision.site
        if decision.phase is Phase.BODY and site.line:
            if site.file not in sources:
                sources[site.file] = "".join(linecache.getlines(site.file))
            key = site, decision.outcome, decision.term
            if key not in known:
                condition = show(decision.term, LONG, texts)
                known[key] = _line(decision, file, sources[site.file], condition)
            lines.append(known[key])
    told = _together(lines)
    if len(told) > MOST:
        half = MOST // 2
        told = [*told[:half], f"... {len(told) - 2 * half} more ...", *told[-half:]]
    return told


def _line(decision: Decision, file: str, source: str, condition: str) -> str:
    site = decision.site
    node, shown = _nodes(source, site.file).get(site.span, (None, None))
    text = _text(source, shown)
    outcome = "true" if decision.outcome else "false"
    where = f"line {site.line}" if site.file == file else f"{site.file}:{site.line}"
    if isinstance(node, LOOPS):
        return f"{where}: `{text}` had {'one more item' if decision.outcome else 'no more items'}"
    if isinstance(node, ast.Compare):
        return f"{where}: `{text if _agree(node, decision.term.op) else condition}` was {outcome}"
    if isinstance(node, (ast.Name, ast.Attribute)):
        return f"{where}: `{text}` was {outcome}"
    if text and text != condition:
        return f"{where}: in `{text}`, `{condition}` was {outcome}"
    return f"{where}: `{condition}` was {outcome}"


def _agree(node: ast.Compare, operation: str) -> bool:
    """Whether a comparison is the one that was decided: parts of a chain or of `a or b` may stand there too."""
    names = COMPARISONS.get(type(node.ops[0]), ())
    return len(node.ops) == 1 and operation in names


def _together(lines: list[str]) -> list[str]:
    told: list[tuple[str, int]] = []
    for line in lines:
        if told and told[-1][0] == line:
            told[-1] = (line, told[-1][1] + 1)
        else:
            told.append((line, 1))
    return [line if times == 1 else f"{line} ({times} times)" for line, times in told]


@lru_cache(maxsize=16)
def _nodes(source: str, path: str) -> dict[Span, tuple[ast.AST, ast.expr]]:
    """What stands at a place, and what is shown of it: of a statement, what it tests or goes through."""
    try:
        tree = tree_of(path, source)
    except InputError:
        return {}
    found: dict[Span, tuple[ast.AST, ast.expr]] = {}
    loops: dict[Span, tuple[ast.AST, ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, LOOPS):
            loops[span_of(node.iter)] = node, node.iter
            if isinstance(node, ast.stmt):
                loops[span_of(node)] = node, node.iter
        elif isinstance(node, (ast.If, ast.While, ast.Assert)):
            found[span_of(node)] = node.test, node.test
        elif isinstance(node, ast.expr):
            found[span_of(node)] = node, node
    return {**found, **loops}


def _text(source: str, node: ast.expr | None) -> str:
    # `ast` splits the whole source into lines for every segment: only what is shown is asked for.
    text = "" if node is None else " ".join((ast.get_source_segment(source, node) or "").split())
    return text if len(text) <= LONG else text[: LONG - 3] + "..."
