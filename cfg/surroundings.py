"""What code asks of the machine it runs on: another day, another environment, and it may do something else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

# Erring on the long side only makes a claim weaker: what such code does is then unsolved instead of impossible.
MODULES = frozenset({
    "os", "sys", "platform", "time", "random", "secrets", "uuid", "socket", "locale", "getpass", "tempfile",
    "pathlib", "shutil", "glob", "subprocess", "threading", "multiprocessing", "sysconfig", "site", "gc",
    "resource", "pwd", "grp", "importlib", "warnings", "logging", "urllib.request", "http.client",
})  # fmt: skip
FUNCTIONS = frozenset({"open", "input", "__import__"})
MOMENTS = frozenset({"now", "utcnow", "today"})


def surroundings(tree: ast.Module, scopes: Iterable[ast.AST]) -> tuple[str, ...]:
    """The modules and functions that these scopes of a module use and whose answers are no matter of inputs."""
    imported = dict(_imported(tree))
    found: dict[str, None] = {}
    for scope in scopes:
        for node in ast.walk(scope):
            if isinstance(node, ast.Name) and node.id in imported:
                found[imported[node.id]] = None
            elif isinstance(node, ast.Name) and node.id in FUNCTIONS:
                found[node.id] = None
            # `datetime.now()`, whatever name the class has here.
            elif isinstance(node, ast.Attribute) and node.attr in MOMENTS:
                found[node.attr] = None
    return tuple(found)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that stand for such modules, or for something from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known = _known(alias.name)
                if known:
                    yield alias.asname or alias.name.partition(".")[0], known
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                known = _known(f"{node.module}.{alias.name}") or _known(node.module or "")
                if known:
                    yield alias.asname or alias.name, known


def _known(module: str) -> str:
    """The module of the list that a dotted name begins with."""
    parts = module.split(".")
    return next((name for n in range(1, len(parts) + 1) if (name := ".".join(parts[:n])) in MODULES), "")
