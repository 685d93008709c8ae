"""From a function object, or from a name that was only imported, to the module that can be executed anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any

from ramify.cfg.source_file import SourceFile, refresh, source_file
from ramify.errors import InputError
from ramify.runtime.worlds.fresh import unwrapped
from ramify.runtime.worlds.isolate import Sandbox
from ramify.runtime.worlds.target import Source, Target, from_spec


def located(function: Callable[..., Any] | Target) -> Target | FunctionType:
    """A function object as a target of its module, which can be executed anew, if that is possible."""
    if isinstance(function, Target):
        return function
    refresh()
    if not isinstance(function, FunctionType):
        raise InputError(f"{function!r} is not a Python function")
    module = sys.modules.get(function.__module__ or "")
    source = _source_of(module) if module is not None and "<locals>" not in function.__qualname__ else None
    if source is not None and module is not None and _reachable(module, function):
        return Target(source, function.__qualname__)
    return function


def _source_of(module: ModuleType) -> Source | None:
    spec = getattr(module, "__spec__", None)
    if spec is None or module.__name__ == "__main__":
        return None
    try:
        return from_spec(spec)
    except (InputError, ImportError, OSError):
        return None


def _reachable(module: ModuleType, function: FunctionType) -> bool:
    found: Any = module
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def at_home(target: Target) -> Target:
    """The target in the module that defines it: a module may only have imported it, a class only inherited it."""
    scopes = file_of(target).table.scopes
    if any(scope.qualname == target.qualname and scope.kind in ("function", "class") for scope in scopes):
        return target
    sandbox = Sandbox(target.source, {})
    with sandbox.running():
        function = unwrapped(target.find(sandbox.first())[0])
        module = sys.modules.get(function.__module__)
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.origin != function.__code__.co_filename:
            return target
        home = from_spec(spec)
    return Target(replace(home, folder=target.source.folder), function.__qualname__)


def file_of(target: Target | FunctionType) -> SourceFile:
    """The file that a target stands in."""
    name = target.source.path if isinstance(target, Target) else target.__code__.co_filename
    try:
        return source_file(name)
    except InputError as error:
        raise InputError(f"{error}; --mode peer needs none") from None
