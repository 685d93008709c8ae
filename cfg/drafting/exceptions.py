"""Which exception a `raise` names, and which handlers surely catch it.

Names are taken at their word: `ValueError` is the builtin. A name whose last part does not begin with a
capital letter may be anything, so what it raises is "any exception".
"""

from __future__ import annotations

import ast
import builtins

from ramify.cfg.graph import ANY_EXCEPTION


def class_name(node: ast.expr | None) -> str | None:
    """The dotted name of what looks like an exception class, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    # The convention of class names: `raise error` may raise anything.
    return ".".join(reversed(parts)) if parts[0].lstrip("_")[:1].isupper() else None


def raised_name(node: ast.Raise, handler: ast.ExceptHandler | None) -> str:
    """The exception a statement raises; `handler` is the clause it stands in."""
    raised = node.exc
    # `raise` and `raise error` in `except ValueError as error` raise the same.
    again = raised is None or (isinstance(raised, ast.Name) and handler is not None and raised.id == handler.name)
    if again:
        raised = handler.type if handler is not None else None
    elif isinstance(raised, ast.Call):
        raised = raised.func
    return class_name(raised) or ANY_EXCEPTION


def surely_catches(handler: ast.ExceptHandler, name: str) -> bool:
    """Whether a clause takes every exception of that name."""
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [caught for node in types if (caught := class_name(node)) is not None]
    if "BaseException" in names or (name != ANY_EXCEPTION and name in names):
        return True
    raised = getattr(builtins, name, None)
    for caught in names:
        # Only builtin classes have a known hierarchy; a module may of course bind their names anew.
        base = getattr(builtins, caught, None)
        if isinstance(raised, type) and isinstance(base, type) and issubclass(raised, base):
            return True
    return False
