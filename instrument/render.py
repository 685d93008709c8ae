"""Trees as source for people to read: astor where what it prints means the same tree, else `ast.unparse`."""

from __future__ import annotations

import ast
import warnings

from ramify.cfg.table import BranchTable
from ramify.instrument.coverage import rewrite
from ramify.instrument.names import Names

# The names recorders have in text; in compiled code they also carry the key of their file.
SHOWN_NAMES = Names("__ramify__", "__ramify_add__", "__ramify_enter__", "__ramify_tools__")


def instrumented_source(source: str, qualname: str | None = None) -> str:
    """The source of a module, or of one function or class in it, with its coverage probes."""
    tree = ast.parse(source)
    table = BranchTable.of(tree, source)
    chosen: ast.AST = tree
    if qualname is not None:
        chosen = next(
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and table.scope_of(node).qualname == qualname
        )
    rewrite(tree, table, SHOWN_NAMES)
    return to_source(chosen)


def to_source(tree: ast.AST) -> str:
    """Source text that parses to this very tree."""
    printed = _astor(tree)
    wanted = ast.dump(tree if isinstance(tree, ast.Module) else ast.Module([tree], []))  # type: ignore[list-item]
    try:
        faithful = printed is not None and ast.dump(ast.parse(printed)) == wanted
    except SyntaxError:
        faithful = False
    return printed if printed is not None and faithful else ast.unparse(tree) + "\n"


def _astor(tree: ast.AST) -> str | None:
    """What astor prints; it does not know every node of today's Python and stumbles in many ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import astor

            text: str = astor.to_source(tree)
        except Exception:
            return None
    return text
