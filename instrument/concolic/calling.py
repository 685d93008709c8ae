"""The two forms of a call: as it was written, and dispatched to a model."""

from __future__ import annotations

import ast

from ramify.instrument.concolic.callees import KEYED
from ramify.instrument.concolic.plainness import Plainness
from ramify.instrument.concolic.variants import Forms, call, changed, joined, only


def called(node: ast.Call, function: Forms, args: list[Forms], values: list[Forms], plain: Plainness) -> Forms:
    """A call; `values` are those of its keywords."""
    how = plain.callees.how(node) if plain.switches.calls else None
    fast, slow = (
        changed(
            node, func=f, args=a, keywords=[changed(k, value=v) for k, v in zip(node.keywords, w, strict=True)]
        )
        for f, a, w in (
            (function.fast, [a.fast for a in args], [v.fast for v in values]),
            (function.slow, [a.slow for a in args], [v.slow for v in values]),
        )
    )
    parts = [function, *args, *values]
    if plain.is_length(node):
        # The model has the signature of `len`, for which Python would build a tuple and a dict.
        asked, asked_slowly = (call(node, "len", form.func, *form.args) for form in (fast, slow))
        return joined(asked, asked_slowly, *parts, guards={})
    if how is None:
        return joined(fast, slow, *parts, guards={})
    if how == "code":
        return only(_dispatched(slow, how), 1 + sum(part.size for part in parts))
    names = plain.all_clean([*node.args, *(k.value for k in node.keywords)])
    # `**keywords` may bring anything.
    if names is None or any(k.arg is None for k in node.keywords):
        return joined(_dispatched(fast, how), _dispatched(slow, how), *parts, guards={})
    # Methods that look up a key: even a plain argument may meet concolic keys in the receiver.
    keys = how == "method" and isinstance(node.func, ast.Attribute) and node.func.attr in KEYED
    if not names and not keys:
        return joined(fast, slow, *parts, guards={})
    return joined(fast, _dispatched(slow, how), *parts, guards=names, keys=keys)


def _dispatched(node: ast.Call, how: str) -> ast.expr:
    if how == "library":
        # The callee is chosen first and called from here: Python code may look at its caller's frame.
        return changed(node, func=call(node.func, "pick", node.func))
    if how == "code":
        # Called from here, whose names the code sees.
        return changed(node, func=call(node.func, "code", node.func))
    dispatcher = call(node, "call", node.func, *node.args)
    return changed(dispatcher, keywords=node.keywords)
