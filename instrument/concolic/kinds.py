"""Expressions of a function that are surely ints, floats or texts, so that an operator needs no guard.

An `int` may be a concolic one; the point is that it is no float, bool or list. What is inferred only saves
guards: where it is wrong (a builtin replaced from outside) a term is lost, never a result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

Kind = Literal["int", "float", "str"]

_ROUND = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
    ast.LShift,
    ast.RShift,
)
_REAL = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
# What these return is an int or a text of ours or Python's: the kinds speak of both.
_CALLS: dict[str, Kind] = {"len": "int", "ord": "int", "int": "int", "float": "float", "str": "str", "chr": "str"}
_MAX_DEPTH = 8  # of operators: what is deeper counts as unknown
_UNKNOWN = ast.Constant(None)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Kinds:
    """What is known of the names of one function; `bound` are the names the module binds itself."""

    def __init__(self, function: Function | None, bound: frozenset[str]) -> None:
        self._bound = bound
        self._names: dict[Kind, set[str]] = {"int": set(), "float": set(), "str": set()}
        if function is not None:
            bindings = list(_bindings(function))
            for kind in self._names:
                self._settle(kind, bindings)

    def without(self, names: set[str]) -> Kinds:
        """The same for an inner scope that binds these names itself."""
        inner = Kinds(None, self._bound)
        inner._names = {kind: known - names for kind, known in self._names.items()}
        return inner

    def of(self, node: ast.expr) -> Kind | None:
        for kind in self._names:
            if self.surely(kind, node):
                return kind
        return None

    def _settle(self, kind: Kind, bindings: list[tuple[str, ast.expr]]) -> None:
        """All names at first, then without those of which some binding is not surely of this kind."""
        names = self._names[kind]
        names.update(name for name, _ in bindings)
        # A name that is no int may make others none, until nothing changes.
        while wrong := {name for name, value in bindings if name in names and not self.surely(kind, value)}:
            names -= wrong

    def surely(self, kind: Kind, node: ast.expr, depth: int = 0) -> bool:
        if depth > _MAX_DEPTH:
            return False
        match node:
            case ast.Constant():
                return type(node.value).__name__ == kind
            case ast.Name():
                return node.id in self._names[kind]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                return kind != "str" and self.surely(kind, node.operand, depth + 1)
            case ast.IfExp():
                return self.surely(kind, node.body, depth + 1) and self.surely(kind, node.orelse, depth + 1)
            case ast.JoinedStr():
                return kind == "str"
            case ast.Call(func=ast.Name(id=name)):
                # A module that binds `len` itself means its own.
                return _CALLS.get(name) == kind and name not in self._bound
            case ast.BinOp():
                return self._operation(kind, node, depth + 1)
        return False

    def _operation(self, kind: Kind, node: ast.BinOp, depth: int) -> bool:
        left, right = self.surely(kind, node.left, depth), self.surely(kind, node.right, depth)
        if kind == "int":
            return isinstance(node.op, _ROUND) and left and right
        either = left or right
        if kind == "float":
            # Not always a float, but never an int or a list.
            # `x / y` of two ints is a float; of a float and anything, no int. A class of the user's may answer
            # anything, but is no concolic value.
            return isinstance(node.op, ast.Div) or (isinstance(node.op, _REAL) and either)
        return isinstance(node.op, ast.Add) and either


def _bindings(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Every binding of a name in a function, with what it is bound to."""
    args = function.args
    for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
        if arg is not None:
            yield arg.arg, _UNKNOWN
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        match node:
            case ast.Assign():
                for target in node.targets:
                    yield from _assigned(target, node.value)
                todo.append(node.value)
            case ast.AugAssign(target=ast.Name(id=name)):
                # `x += y` binds what `x + y` gives.
                yield name, ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
                todo.append(node.value)
            case ast.AnnAssign(target=ast.Name(id=name)):
                if node.value is not None:
                    yield name, node.value
                    todo.append(node.value)
            case ast.For():
                yield from _assigned(node.target, _item_of(node.iter))
                todo += [node.iter, *node.body, *node.orelse]
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, _UNKNOWN
            case ast.Global() | ast.Nonlocal():
                for name in node.names:
                    yield name, _UNKNOWN
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                if node.name:
                    yield node.name, _UNKNOWN
                todo += ast.iter_child_nodes(node)
            case ast.MatchMapping():
                if node.rest:
                    yield node.rest, _UNKNOWN
                todo += ast.iter_child_nodes(node)
            case ast.alias():
                yield (node.asname or node.name).split(".")[0], _UNKNOWN
            case _ if isinstance(node, _SCOPES):
                if not isinstance(node, ast.Lambda):
                    yield node.name, _UNKNOWN
                # A scope inside may bind the name through `nonlocal`.
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Nonlocal):
                        for name in inner.names:
                            yield name, _UNKNOWN
            case _:
                todo += ast.iter_child_nodes(node)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(), _:
            yield target.id, value
        case ((ast.Tuple() | ast.List()), (ast.Tuple() | ast.List())) if len(target.elts) == len(
            value.elts
        ) and not any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts]):
            for part, item in zip(target.elts, value.elts, strict=True):
                yield from _assigned(part, item)
        case _:
            for node in ast.walk(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id, _UNKNOWN


def _item_of(iterable: ast.expr) -> ast.expr:
    """An expression of the same kind as the items of an iterable."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=[_, *_]):
            return ast.Call(ast.Name("len", ast.Load()), [], [])
        case ast.Call(func=ast.Name(id="enumerate"), args=[_]):
            return ast.Tuple([ast.Call(ast.Name("len", ast.Load()), [], []), _UNKNOWN], ast.Load())
    return _UNKNOWN
