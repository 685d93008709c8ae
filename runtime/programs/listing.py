"""What a user means by a class or a whole module: its functions and methods, found in a child process."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any

from ramify.errors import InputError
from ramify.runtime.contracts import INVARIANTS
from ramify.runtime.sandbox import Policy, Worker, WorkerDied
from ramify.runtime.worlds import Sandbox, Source, written
from ramify.runtime.worlds import function_names as names_in


def public_functions(source: Source, name: str | None, policy: Policy) -> list[str] | None:
    """The public functions of a module, or the methods of the class of that name; None if the name is a function's
    or nobody's.
    """
    found: list[str] | None = _listed(source, policy, "public", name)
    return found


def function_names(source: Source, policy: Policy) -> list[str]:
    """The functions and methods that a module defines."""
    found: list[str] = _listed(source, policy, "defined")
    return found


def _listed(source: Source, policy: Policy, method: str, *args: Any) -> Any:
    with Worker(lambda: _ListedModule(source), policy) as worker:
        try:
            return worker.call(method, *args, seconds=policy.import_seconds)
        except WorkerDied as death:
            raise InputError(f"{source.path}: importing it: {death}") from None


@dataclass(frozen=True, slots=True)
class _ListedModule:
    """The child's side."""

    source: Source

    def defined(self) -> list[str]:
        return names_in(Sandbox(self.source, {}).first())

    def public(self, name: str | None) -> list[str] | None:
        module = Sandbox(self.source, {}).first()
        if name is None:
            return list(_public(module))
        found: Any = module
        for part in name.split("."):
            found = inspect.getattr_static(found, part, None)
        return list(_methods(found, name)) if isinstance(found, type) else None


def _public(module: ModuleType) -> Iterator[str]:
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if (function := written(value)) is not None and function.__module__ == module.__name__:
            yield name
        elif isinstance(value, type) and any(base.__module__ == module.__name__ for base in value.__mro__):
            yield from _methods(value, name)


def _methods(cls: type, name: str) -> Iterator[str]:
    """The constructor and the public methods that a class defines itself; what states its invariant is no
    target.
    """
    if _constructs(cls):
        yield f"{name}.__init__"
    for method, value in vars(cls).items():
        inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if written(inner) is not None and not method.startswith("_") and method not in INVARIANTS:
            yield f"{name}.{method}"


def _constructs(cls: type) -> bool:
    """Whether the class has a constructor that somebody wrote, or a part of one that a dataclass wrote."""
    written = vars(cls).get("__init__")
    if not isinstance(written, FunctionType) or issubclass(cls, Enum):
        return False
    generated = inspect.unwrap(written).__code__.co_filename.startswith("<")
    return "__post_init__" in vars(cls) or not generated
