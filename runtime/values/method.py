"""Defines the methods of a concolic class that have no model: they run on the concrete value, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.values import core


def concrete_methods(cls: type, builtin: type, *names: str) -> None:
    """Gives `cls` the builtin's methods of these names, recorded as concretisations. Names this Python lacks
    are skipped.
    """
    for name in names:
        if hasattr(builtin, name):
            setattr(cls, name, _concrete(name, getattr(builtin, name), f"{builtin.__name__}.{name}"))


def _concrete(name: str, function: Callable[..., Any], text: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        path.concretised(text)
        return function(core.plain(self), *map(core.plain, args), **{k: core.plain(v) for k, v in kwargs.items()})

    method.__name__ = name
    return method
