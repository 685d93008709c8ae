"""Which names of a scope no other code can change, so that reading one twice is as good as once."""

from __future__ import annotations

import ast

from ramify.cfg.syntax import Comprehension

_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def private_names(
    scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | Comprehension,
) -> frozenset[str]:
    """The names a function or comprehension binds for itself and no scope inside it mentions."""
    bound: set[str] = set()
    shared: set[str] = set()
    todo: list[ast.AST] = []
    match scope:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            bound |= _parameters(scope.args)
            todo += scope.body
        case ast.Lambda():
            bound |= _parameters(scope.args)
            todo.append(scope.body)
        case _:
            for generator in scope.generators:
                bound |= {node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)}
            todo += ast.iter_child_nodes(scope)
    while todo:
        node = todo.pop()
        match node:
            # In a comprehension only its targets are its own: a walrus binds in the function around it.
            case ast.Name(ctx=ast.Store()) if not isinstance(scope, Comprehension):
                bound.add(node.id)
            case ast.Global() | ast.Nonlocal():
                shared.update(node.names)
            case _ if isinstance(node, _SCOPES):
                for inner in ast.walk(node):
                    # An inner scope may bind it with `nonlocal`, or read it late; either way the name lives in
                    # a cell.
                    if isinstance(inner, ast.Name):
                        shared.add(inner.id)
                    elif isinstance(inner, ast.Nonlocal):
                        shared.update(inner.names)
            case _:
                todo += ast.iter_child_nodes(node)
    return frozenset(bound - shared)


def _parameters(args: ast.arguments) -> set[str]:
    extra = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return {arg.arg for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]}
