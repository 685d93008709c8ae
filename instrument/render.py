"""Trees as source for people to read: astor where what it prints means the same tree, else `ast.unparse`."""

from __future__ import annotations

import ast
import warnings

from ramify.cfg.table import BranchTable
from ramify.instrument import concolic
from ramify.instrument.coverage import rewrite
from ramify.instrument.names import Names

# The names recorders have in text; in compiled code they also carry the key of their file.
SHOWN_NAMES = Names("__ramify__", "__ramify_add__", "__ramify_enter__", "__ramify_tools__")


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def instrumented_source(source: str, qualname: str | None = None, level: str = "coverage") -> str:
    """The source of a module, or of all functions and classes of one name in it, as it is at a level."""
    tree = ast.parse(source)
    table = BranchTable.of(tree, source)
    chosen: list[ast.AST] = [tree]
    if qualname is not None:
        chosen = [node for node in _definitions(tree) if table.scope_of(node).qualname == qualname]
    if level == "concolic":
        concolic.rewrite(tree)
    else:
        rewrite(tree, table, SHOWN_NAMES)
    return "\n".join(map(to_source, chosen))


def scope_names(source: str) -> list[str]:
    """The qualified names of a module's functions and classes, each once, in the order of the source."""
    tree = ast.parse(source)
    table = BranchTable.of(tree, source)
    return list(dict.fromkeys(table.scope_of(node).qualname for node in _definitions(tree)))


def _definitions(tree: ast.Module) -> list[_Definition]:
    return [node for node in ast.walk(tree) if isinstance(node, _Definition)]


def to_source(tree: ast.AST) -> str:
    """Source text that parses to this very tree."""
    printed = _astor(tree)
    wanted = ast.dump(tree if isinstance(tree, ast.Module) else ast.Module([tree], []))  # type: ignore[list-item]
    try:
        # Printed and parsed again: what people are shown must be what runs.
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

            # Unwrapped: astor breaks long lines inside calls, where they are harder to read.
            text: str = astor.to_source(tree, pretty_source="".join)
        except Exception:
            return None
    return text
