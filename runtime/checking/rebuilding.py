"""From written arguments back to values in an executed module, and the call with them, as anybody would do it."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ramify.runtime.inputs import EMPTY, KEYWORD, KEYWORDS, POSITIONAL, POSITIONAL_ONLY, REST, Written
from ramify.runtime.worlds import copied


def rebuilt(written: Written, module: ModuleType, installing: bool = True) -> dict[str, Any]:
    """The arguments by parameter. `installing` sets the module's globals that are inputs."""
    names = dict(vars(module))
    for name in written.imports:
        importlib.import_module(name)
        top = name.partition(".")[0]
        names[top] = sys.modules[top]
    for statement in written.setup:
        exec(statement, names)
        for name in written.globals if installing else ():
            setattr(module, name, names[name])  # constructors below see it
    return {name: eval(text, names) for name, text in written.items()}


def with_defaults(function: Callable[..., Any], values: Mapping[str, Any], fresh: bool = False) -> dict[str, Any]:
    """The arguments with those that are left out, as a contract may name them; `fresh`: copies of the defaults."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(inspect.unwrap(function)).parameters.items():
        if name in values:
            found[name] = values[name]
        elif parameter.kind in (REST, KEYWORDS):
            found[name] = () if parameter.kind is REST else {}
        elif parameter.default is not EMPTY:
            found[name] = copied(parameter.default) if fresh else parameter.default
    return {**found, **values}


def called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """What a function returns, be it a coroutine or a generator. Behind an argument that is left out, others are
    passed by name.
    """
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    skipped = False
    for name, parameter in inspect.signature(inspect.unwrap(function)).parameters.items():
        if name not in values:
            skipped = skipped or parameter.kind in (POSITIONAL_ONLY, POSITIONAL)
        elif parameter.kind is REST:
            positional.extend(values[name])
        elif parameter.kind is KEYWORDS:
            keywords.update(values[name])
        elif parameter.kind is KEYWORD or skipped:
            keywords[name] = values[name]
        else:
            positional.append(values[name])
    return function(*positional, **keywords)
