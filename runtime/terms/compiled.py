"""Turns a condition that is evaluated again and again into a Python function, which is much faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.runtime.terms.nodes import OPS, Assignment, Term

WORTH_IT = 6  # evaluations after which a condition is compiled
MAX_PARTS = 80  # nodes, shared ones counted as often as they occur
MAX_DEPTH = 40  # CPython's parser and our recursion stay far from their limits

# Operations with a syntax of their own and no guard against huge results; the others are called.
INLINE = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "floordiv": "({} // {})",
    "mod": "({} % {})",
    "truediv": "({} / {})",
    "neg": "(-{})",
    "eq": "({} == {})",
    "ne": "({} != {})",
    "lt": "({} < {})",
    "le": "({} <= {})",
    "gt": "({} > {})",
    "ge": "({} >= {})",
    "not": "(not {})",
    "ite": "({1} if {0} else {2})",
    "len": "len({})",
    "select": "{}[{}]",
    "char_at": "{}[{}]",
    "substr": "{}[{}:{}]",
    "seq_slice": "{}[{}:{}]",
    "contains": "({1} in {0})",
}


class Compiled:
    """A function from plain input values to the condition's value, and the variables it reads."""

    __slots__ = ("function", "inputs", "names")

    def __init__(self, function: Callable[[Assignment], Any], inputs: tuple[Term, ...]) -> None:
        self.function = function
        self.inputs = inputs
        self.names = frozenset(node.value for node in inputs)


class _TooLarge(Exception):
    pass


def compiled(term: Term) -> Compiled | None:
    """The term as a function that raises where the term is undefined, or None when it is too large."""
    names: dict[str, Any] = {"__builtins__": {}, "len": len}
    inputs: dict[Term, None] = {}
    parts = 0

    def write(node: Term, depth: int) -> str:
        nonlocal parts
        parts += 1
        if parts > MAX_PARTS or depth > MAX_DEPTH:
            raise _TooLarge
        if node.op == "var":
            inputs[node] = None
            return f"a[{node.value!r}]"
        if node.op == "const":
            name = f"c{node.uid}"
            names[name] = node.value
            return name
        args = [write(arg, depth + 1) for arg in node.args]
        if node.op in ("and", "or"):
            return f"({f' {node.op} '.join(args)})"
        if node.op in INLINE:
            return INLINE[node.op].format(*args)
        names[f"f_{node.op}"] = OPS[node.op].evaluate
        return f"f_{node.op}({', '.join(args)})"

    try:
        text = write(term, 0)
    except _TooLarge:
        return None
    function: Callable[[Assignment], Any] = eval(f"lambda a: {text}", names)
    return Compiled(function, tuple(inputs))
