"""Finds what the user points at: `file.py:func`, `pkg.mod:func`, `file.py:Class.method`, or a whole file or
module.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ramify.errors import InputError


@dataclass(frozen=True, slots=True)
class Source:
    """A module that can be executed any number of times."""

    name: str
    path: str
    code: CodeType
    package: str | None = None
    folder: str | None = None  # what the module expects on sys.path


@dataclass(frozen=True, slots=True)
class Target:
    """A function or method inside a source."""

    source: Source
    qualname: str

    def __str__(self) -> str:
        return f"{self.source.name}:{self.qualname}"

    def find(self, module: ModuleType) -> tuple[Callable[..., Any], type | None]:
        """The function in an executed module, and the class it needs an instance of."""
        owner: type | None = None
        found: Any = module
        for name in self.qualname.split("."):
            static = inspect.getattr_static(found, name, None)
            if static is None:
                raise InputError(f"{self.source.path}: no {self.qualname!r}; it has {_names(module)}")
            owner = found if isinstance(found, type) and isinstance(static, FunctionType) else None
            found = getattr(found, name)
        if not callable(found):
            raise InputError(
                f"{self.source.path}: {self.qualname!r} is a {type(found).__name__}, not a function"
            )
        return found, owner


def _names(module: ModuleType) -> str:
    names = [f.__qualname__ for f in functions_of(module)]
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else "no functions"


def functions_of(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that a module itself defines, in the order of the source."""
    found: list[FunctionType] = []
    for value in vars(module).values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            found.append(value)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            found += [
                v for n, v in vars(value).items() if isinstance(v, FunctionType) and not n.startswith("__")
            ]
    return iter(sorted(set(found), key=lambda f: (f.__code__.co_filename, f.__code__.co_firstlineno)))


def parse(text: str) -> tuple[Source, str | None]:
    """A target as the user writes it: the source, and the name inside it unless the whole module is meant."""
    head, separator, tail = text.rpartition(":")
    if not separator or (os.sep in tail and not head.endswith(".py")):
        head, tail = text, ""
    source = from_file(head) if head.endswith(".py") or os.sep in head else from_module(head)
    return source, tail or None


def from_file(name: str) -> Source:
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"{name}: no such file" if not path.is_dir() else f"{name} is a folder; give one file or module"
        )
    try:
        text = path.read_bytes()
        code = compile(text, str(path), "exec", dont_inherit=True, optimize=0)
    except SyntaxError as error:
        raise InputError(
            f"{name}:{error.lineno}: not Python that {sys.version.split()[0]} can read: {error.msg}"
        ) from None
    except (ValueError, OSError) as error:
        raise InputError(f"{name}: {error}") from None
    folder = path.resolve().parent
    parts: list[str] = []
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    package = ".".join(parts) or None
    return Source(".".join([*parts, path.stem]), str(path), code, package, str(folder))


def from_module(name: str) -> Source:
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise InputError(f"{name}: cannot be imported: {error}") from None
    if spec is None:
        hint = "; for a file, write its name with .py" if Path(f"{name}.py").is_file() else ""
        raise InputError(f"{name}: no module of that name{hint}")
    return from_spec(spec)


def from_spec(spec: Any) -> Source:
    loader = spec.loader
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        raise InputError(f"{spec.name}: has no Python code (built in, or an extension)")
    return Source(spec.name, spec.origin or spec.name, code, spec.parent or None)
