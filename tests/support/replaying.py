"""Explores a function of a snippet and repeats every path on the plain module, as anybody could without Ramify."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ramify
from ramify.runtime.search import Path as Explored


def plain_module(source: str) -> ModuleType:
    module = ModuleType("snippet")
    sys.modules["snippet"] = module  # dataclasses look their module up
    exec(compile(source, "<snippet>", "exec"), module.__dict__)
    return module


def replayed(source: str, target: str, path: Explored) -> Any:
    """The result, or the exception, of the call that a path shows."""
    names = plain_module(source).__dict__
    names.update({module: importlib.import_module(module) for module in path.imports})
    try:
        for statement in path.setup:
            exec(statement, names)
        called = eval(target, names)
        function = called.fget if isinstance(called, property) else getattr(called, "func", called)
        return eval(f"function({path.expression})", {**names, "function": function})
    except Exception as error:
        return type(error).__name__


def explored(tmp_path: Path, source: str, target: str = "f", **options: Any) -> list[Explored]:
    """All paths; each must do on the plain module what it is said to do."""
    return list(_replayed_paths(tmp_path, source, target, **options))


def _replayed_paths(tmp_path: Path, source: str, target: str, **options: Any) -> Iterator[Explored]:
    file = tmp_path / "snippet.py"
    file.write_text(source)
    settings = {"strategy": "generational", "max_runs": 120, **options}
    for path in ramify.explore(f"{file}:{target}", **settings):
        if path.outcome in ("returned", "raised", "diverged"):
            expected = path.result if path.exception is None else type(path.exception).__name__
            assert repr(replayed(source, target, path)) == repr(expected), (path.setup, path.call)
        yield path


AT_LEAST = 30
"""Paths that are replayed although the one that was looked for has been found."""


def found(tmp_path: Path, source: str, target: str = "f", **options: Any) -> Explored:
    """The first path that returns "found"."""
    paths: list[Explored] = []
    hit = None
    for path in _replayed_paths(tmp_path, source, target, **options):
        paths.append(path)
        hit = hit or (path if path.result == "found" else None)
        if hit is not None and len(paths) >= AT_LEAST:
            break
    assert hit is not None, [(path.setup, path.call, path.result, path.exception) for path in paths[:20]]
    return hit
