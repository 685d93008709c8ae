"""Which calls the concolic level dispatches: of builtin types, of methods that builtin types have, of imports."""

from __future__ import annotations

import ast
import re
from typing import Literal

How = Literal["type", "method", "library", "code"]

TYPES = frozenset({
    "int", "str", "float", "bool", "range", "enumerate", "type", "list", "tuple", "set", "dict", "frozenset",
    "bytes", "bytearray", "zip", "map", "filter", "reversed", "complex", "memoryview", "slice",
    "compile", "open", "print", "hasattr", "setattr",
})  # fmt: skip

# Methods that take their arguments as they are: there is nothing for a model to see.
_INDIFFERENT = {"append", "extend", "sort", "copy", "clear"}
# Types whose methods of those names copy a concrete value.
# `append` of these reads a number; a module that mentions neither cannot have made one by name.
_COPYING = {"bytearray", "array"}
_RECEIVERS: tuple[type, ...] = (
    str,
    bytes,
    bytearray,
    list,
    tuple,
    dict,
    set,
    frozenset,
    int,
    float,
    range,
    re.Pattern,
)
METHODS = (
    frozenset(
        name
        for kind in _RECEIVERS
        for name in dir(kind)
        if not name.startswith("_") and callable(getattr(kind, name))
    )
    - _INDIFFERENT
)
# Methods of dict and set that look a key up: they also matter when only the container holds concolic keys.
KEYED = frozenset(name for kind in (dict, set) for name in dir(kind) if not name.startswith("_")) & METHODS


class Callees:
    """What the module says about the names it calls."""

    def __init__(self, tree: ast.Module) -> None:
        self.imported: set[str] = set()
        defined: set[str] = set()
        variables: set[str] = set()
        derived: set[str] = set()
        copying = False
        for node in ast.walk(tree):
            match node:
                case ast.alias():
                    self.imported.add((node.asname or node.name).split(".")[0])
                    copying |= node.name in _COPYING
                case ast.Name(ctx=ast.Store() | ast.Del()):
                    variables.add(node.id)
                case ast.Name(id=name) if name in _COPYING:
                    copying = True
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    defined.add(node.name)
                case ast.ClassDef():
                    (derived if node.bases else defined).add(node.name)
                case ast.arg():
                    variables.add(node.arg)
                case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                    variables.add(node.name or "")
        self.bound = frozenset(defined | derived | variables | self.imported)
        self.defined = frozenset(defined)
        # A variable may hold any callable, `match = PATTERN.match` for one; a class may make its instances as its
        # base does.
        self.foreign = self.imported | (variables - defined) | derived
        self.indifferent = frozenset() if copying else frozenset(_INDIFFERENT)

    def how(self, node: ast.Call) -> How | None:
        """How a call is dispatched; None for calls that stay as they are."""
        # Without arguments there is nothing for a model, and a method of a concolic receiver is its own.
        if not node.args and not node.keywords:
            return None
        match node.func:
            case ast.Name(id=name):
                # What `library` calls is looked at when it runs: it may be C code, a class, or rewritten after
                # all.
                if name in self.foreign:
                    return "library"
                if name in ("eval", "exec") and name not in self.bound:
                    return "code"
                return "type" if name in TYPES and name not in self.bound else None
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name not in self.imported:
                # A method of the class itself is rewritten code.
                if name in ("self", "cls") and attr in self.defined:
                    return None
                return self.method(attr)
            case ast.Attribute(value=ast.Name()):
                return "library"
            case ast.Attribute(attr=attr):
                return self.method(attr)
            case ast.Lambda():
                return None
        return "library"

    def method(self, name: str) -> How | None:
        """How the method of an unknown object is dispatched."""
        if name in self.indifferent:
            return None
        return "method" if name in METHODS and name not in self.bound else "library"
