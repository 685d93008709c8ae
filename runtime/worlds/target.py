"""Finds what the user points at: `file.py:func`, `pkg.mod:func`, `file.py:Class.method`, or a whole file or
module.
"""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ramify import targets
from ramify.cfg.source_file import changed, refresh, source_file
from ramify.errors import InputError
from ramify.targets import find_module, matching_names, resolve

_Cached = type(cache(len))  # written in C


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
            # Without running a property or a descriptor of the user's.
            own = found.__dict__.get(name) if type(found) is ModuleType else None  # costs less, every run
            static = inspect.getattr_static(found, name, None) if own is None else own
            if static is None:
                raise self._unknown(module)
            method = static.fget if isinstance(static, property) else getattr(static, "func", static)
            method = method if isinstance(static, (property, cached_property)) else static
            # Only a plain function needs an instance; class methods and static methods are bound already.
            owner = found if isinstance(found, type) and written(method) is not None else None
            found = method if method is not static else getattr(found, name)
        if not isinstance(found, (FunctionType, MethodType)) and not hasattr(found, "__wrapped__"):
            raise InputError(f"{self.source.path}: {self._instead(found)}")
        return found, owner

    def _instead(self, found: Any) -> str:
        """What the name stands for, if for no function that could be run."""
        if isinstance(found, type):
            methods = [function.__qualname__ for function in _methods(found, found.__qualname__)]
            hint = f"name a method of it, as in {' or '.join(methods[:3])}" if methods else "it has no methods"
            return f"{self.qualname!r} is a class, not a function; {hint}"
        if isinstance(found, ModuleType):
            return f"{self.qualname!r} is a module, not a function; write {found.__name__}:function"
        if callable(found):
            return f"{self.qualname!r} is an object of type {type(found).__name__}, not a Python function"
        return f"{self.qualname!r} is of type {type(found).__name__}, not a function"

    def _unknown(self, module: ModuleType) -> InputError:
        try:
            matching_names(self.qualname, function_names(module))
        except InputError as error:
            return InputError(f"{self.source.path}: {error}")
        return InputError(f"{self.source.path}: no {self.qualname!r} there")


def written(value: Any) -> FunctionType | None:
    """The function that somebody wrote: the value itself, or what `functools.cache` made it of."""
    if isinstance(value, _Cached):
        value = inspect.unwrap(value)
    return value if isinstance(value, FunctionType) else None


def function_names(module: ModuleType) -> list[str]:
    """The functions and methods that a module itself defines, in the order of the source."""
    found: dict[FunctionType, str] = {}
    for name, value in vars(module).items():
        function = written(value)
        if function is not None and function.__module__ == module.__name__:
            # A lambda, and what a decorator made, are known by the name they were given.
            found.setdefault(function, name if "<" in function.__qualname__ else function.__qualname__)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            methods = _methods(value, value.__qualname__)
            # Those of a named tuple are written in `collections`.
            own = (m for m in methods if getattr(inspect.unwrap(m), "__globals__", None) is vars(module))
            found |= {method: method.__qualname__ for method in own}
    in_order = sorted(found, key=lambda f: (f.__code__.co_filename, f.__code__.co_firstlineno))
    return [found[function] for function in in_order]


def _methods(cls: type, name: str) -> Iterator[FunctionType]:
    """The methods of all kinds and the properties that a class defines, and those of classes inside it."""
    for key, value in vars(cls).items():
        # Special methods are called by Python itself, with arguments of its own choice.
        if key.startswith("__"):
            continue
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        function = written(value.func if isinstance(value, cached_property) else function)
        if function is not None and function.__qualname__ == f"{name}.{key}":
            yield function
        elif isinstance(value, type) and value.__qualname__ == f"{name}.{key}":
            yield from _methods(value, value.__qualname__)


def parse(text: str) -> tuple[Source, str | None]:
    """A target as the user writes it: the source, and the name inside it unless the whole module is meant."""
    refresh()
    found = resolve(text, _tree_of)
    place = text if found.qualname is None else text[: -len(found.qualname) - 1]
    # Asserts are branches of the target, also when the tool itself runs under -O.
    code = compile(found.source, found.path, "exec", dont_inherit=True, optimize=0)
    if found.path == place:
        name, package, folder = _place_of(Path(place))
        return Source(name, place, code, package, folder), found.qualname
    is_package = find_module(place).submodule_search_locations is not None
    package = place if is_package else place.rpartition(".")[0]
    return Source(place, found.path, code, package or None, _folder_of_module(place)), found.qualname


def _tree_of(source: str, path: str) -> ast.Module:
    """The tree of a text that was just read; what is read again at once must be the same."""
    try:
        file = source_file(path)
    except InputError:  # a module in a zip file, say
        return targets.parse(source, path)
    if file.text != source:
        raise changed(path)
    return file.tree


def _place_of(path: Path) -> tuple[str, str | None, str]:
    """The module name of a file, its package, and the folder that its imports start from."""
    folder = path.resolve().parent
    parts: list[str] = []
    # Upwards to the top package, so that relative imports work.
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join([*parts, path.stem]), ".".join(parts) or None, str(folder)


def _folder_of_module(name: str) -> str | None:
    """The current folder if the module was found there: `ramify` is a script, so Python would not look there."""
    top = find_module(name.partition(".")[0])
    places = [*(top.submodule_search_locations or ()), top.origin or ""]
    here = os.getcwd()
    return here if os.path.dirname(places[0]) == here else None


def from_spec(spec: Any) -> Source:
    loader = spec.loader
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        raise InputError(f"{spec.name}: has no Python code (built in, or an extension)")
    return Source(spec.name, spec.origin or spec.name, code, spec.parent or None)
