"""Keeps the modules Ramify imports for itself out of the measured program's sight.

A script that stands beside its own `token.py` or `json.py` must import that one, also when Ramify has long
imported the standard library's; and `sys.modules` should hold what the program has imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import BuiltinImporter, ExtensionFileLoader
from types import ModuleType

# `warnings.catch_warnings` looks its own module up by name.
_IN_SIGHT = {"warnings"}

# For the life of the process, as `sys.modules` itself.
_hidden: list[ModuleType] = []


def hide_imports(before: set[str]) -> None:
    """Forget which Python modules were imported since `before`; for those who use them they live on."""
    for name in set(sys.modules) - before - _IN_SIGHT:
        loader = getattr(getattr(sys.modules[name], "__spec__", None), "loader", None)
        # Modules in C may not bear to be initialised twice.
        if loader is not BuiltinImporter and not isinstance(loader, ExtensionFileLoader):
            _hidden.append(sys.modules.pop(name))
