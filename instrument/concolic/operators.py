"""The two forms of an operator, a comparison and a subscript, from the forms of their operands.

What Python dispatches to a concolic value by itself stays as it is; the rest becomes a call in the form for
models.
"""

from __future__ import annotations

import ast
from typing import Any

from ramify.instrument.concolic.plainness import NamesRead, Plainness
from ramify.instrument.concolic.variants import Forms, call, changed, joined
from ramify.instrument.positions import start_of

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.In: "in", ast.NotIn: "not_in", ast.Is: "is", ast.IsNot: "is_not",
}  # fmt: skip


def binary(node: ast.BinOp, left: Forms, right: Forms, plain: Plainness) -> Forms:
    fast = changed(node, left=left.fast, right=right.fast)
    names = plain.hidden(node.op, node.left, node.right)
    if names == {}:
        return joined(fast, changed(node, left=left.slow, right=right.slow), left, right, guards={})
    name = BINARY[type(node.op)]
    if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple):
        # The compiler makes one text of a constant template and its tuple, which then has no line.
        place = start_of(node)
        right = right._replace(fast=changed(right.fast, **place), slow=changed(right.slow, **place))
    slow = call(node, name, left.slow, right.slow)
    if names is None:
        return joined(call(node, name, left.fast, right.fast), slow, left, right, guards={})
    return joined(fast, slow, left, right, guards=names)


def compare(node: ast.Compare, left: Forms, right: Forms, plain: Plainness, tested: bool) -> Forms:
    """One comparison; `tested` says that only its truth is wanted."""
    op, right_node = node.ops[0], node.comparators[0]
    fast: ast.expr = changed(node, left=left.fast, comparators=[right.fast])
    slow_right, keys = right.slow, False
    names: NamesRead | None = {}
    match op:
        case ast.In() | ast.NotIn() if plain.switches.booleans:
            # In a test a concolic container decides by itself, where its truth would be asked.
            # A display holds no concolic keys that a guard on `keyed` would have to know of.
            display = _is_display(right_node)
            names, keys = plain.clean(node.left) if tested or display else None, not display
            slow_right = _constant_display(right_node) or right.slow
            if names is None:
                fast_right = _constant_display(right_node) or right.fast
                fast = call(node, COMPARE[type(op)], left.fast, fast_right)
                return joined(
                    fast, call(node, COMPARE[type(op)], left.slow, slow_right), left, right, guards={}
                )
        case ast.Is() | ast.IsNot() if plain.switches.booleans and not _is_none(node.left, right_node):
            names = plain.all_clean([node.left, right_node])
        case ast.In() | ast.NotIn() | ast.Is() | ast.IsNot():
            return _natively(node, left, right)
        case _ if plain.reaches(node.left, right_node):
            return _natively(node, left, right)
        case _ if plain.is_length(right_node):
            fast, slow = (_against_length(node, *pair) for pair in zip(left[:2], right[:2], strict=True))
            return joined(fast, slow, left, right, guards={})
        case _:
            names = plain.clean(right_node)
    slow = call(node, COMPARE[type(op)], left.slow, slow_right)
    if names is None:
        return joined(call(node, COMPARE[type(op)], left.fast, right.fast), slow, left, right, guards={})
    return joined(fast, slow, left, right, guards=names, keys=keys)


def _against_length(node: ast.Compare, left: ast.expr, right: Any) -> ast.expr:
    """`left < len(value)` in one call instead of two: there is hardly a loop without it."""
    return call(node, f"{COMPARE[type(node.ops[0])]}_of", left, *right.args)


def _natively(node: ast.Compare, left: Forms, right: Forms) -> Forms:
    fast = changed(node, left=left.fast, comparators=[right.fast])
    return joined(fast, changed(node, left=left.slow, comparators=[right.slow]), left, right, guards={})


def negation(node: ast.UnaryOp, inner: Forms, plain: Plainness) -> Forms:
    fast: ast.expr = changed(node, operand=inner.fast)
    if not plain.switches.booleans:
        return joined(fast, changed(node, operand=inner.slow), inner, guards={})
    names = plain.clean(node.operand)
    if names is None:
        fast, names = call(node, "not", inner.fast), {}
    return joined(fast, call(node, "not", inner.slow), inner, guards=names)


def subscript(node: ast.Subscript, container: Forms, key: Forms, plain: Plainness) -> Forms:
    fast: ast.expr = changed(node, value=container.fast, slice=key.fast)
    native = changed(node, value=container.slow, slice=key.slow)
    whole = isinstance(node.slice, ast.Slice) and plain.clean(node.slice) == {}
    folded = isinstance(node.value, ast.Constant) and isinstance(node.slice, ast.Constant)
    # A slice with constant bounds needs no model; a subscript of two constants is computed by the compiler.
    if not plain.switches.operands or whole or folded:
        return joined(fast, native, container, key, guards={})
    slow = call(node, "item", container.slow, as_argument(key.slow))
    names = plain.clean(node.slice)
    if names is None:
        fast = call(node, "item", container.fast, as_argument(key.fast))
        return joined(fast, slow, container, key, guards={})
    return joined(fast, slow, container, key, guards=names, keys=not isinstance(node.slice, ast.Slice))


def as_argument(node: ast.expr) -> ast.expr:
    """What stands in brackets, as an argument: a slice is made by calling `slice`."""
    if isinstance(node, ast.Slice):
        none = ast.copy_location(ast.Constant(None), node)
        return call(node, "slice", *(part or none for part in (node.lower, node.upper, node.step)))
    if isinstance(node, ast.Tuple):
        return changed(node, elts=[as_argument(part) for part in node.elts])
    return node


def _is_display(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Constant)


def _constant_display(node: ast.expr) -> ast.expr | None:
    """A display of constants as the constant that the compiler makes of it behind `in`."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and all(isinstance(e, ast.Constant) for e in node.elts):
        values = tuple(e.value for e in node.elts if isinstance(e, ast.Constant))
        whole: Any = frozenset(values) if isinstance(node, ast.Set) else values
        return ast.copy_location(ast.Constant(whole), node)
    return None


def _is_none(*nodes: ast.expr) -> bool:
    """Whether an operand of `is` is a constant that no value of an input is."""
    return any(isinstance(n, ast.Constant) and n.value in (None, ...) for n in nodes)
