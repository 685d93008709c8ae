"""Ramify: which inputs reach every branch of this code, and which of them break it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ramify.checks import check
    from ramify.diffing import diff
    from ramify.exploring import explore
    from ramify.instrument.hook import Hook, install, instrumented
    from ramify.runtime.sandbox import Policy

__version__ = "0.1.0"

__all__ = ["Hook", "Policy", "__version__", "check", "diff", "explore", "install", "instrumented"]

# Where each public name is defined; it is imported when it is first used, so that `import ramify` is light.
_HOMES = {
    "Hook": "ramify.instrument.hook",
    "Policy": "ramify.runtime.sandbox.policy",
    "check": "ramify.checks",
    "diff": "ramify.diffing",
    "explore": "ramify.exploring",
    "install": "ramify.instrument.hook",
    "instrumented": "ramify.instrument.hook",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
