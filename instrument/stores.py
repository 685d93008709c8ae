"""Statements that store or delete: a concolic index, key or right operand must reach a model there too."""

from __future__ import annotations

import ast

from ramify.instrument.guards import Forms, call, changed, closed, guard, joined
from ramify.instrument.operands import BINARY, Expressions, Names, as_argument


class Stores:
    """Rewrites assignments and deletions of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions

    def statement(self, node: ast.Assign | ast.AugAssign | ast.Delete) -> ast.stmt:
        if isinstance(node, ast.Assign):
            return self.assign(node)
        return self.augmented(node) if isinstance(node, ast.AugAssign) else self.delete(node)

    def assign(self, node: ast.Assign) -> ast.stmt:
        value = self.expressions.forms(node.value)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript) and self.matters(target):
            return self.item(node, target, value)
        subscripts = [part for target in node.targets for part in _subscripts(target) if self.matters(part)]
        if not subscripts:
            return changed(node, value=closed(value, node.value))
        names = self.expressions.all_clean(part.slice for part in subscripts)
        if names and not names.keys().isdisjoint(_bound(node)):
            names = None  # `i, c[i] = ...` gives the name its value first
        slow = changed(node, value=value.slow, targets=[self.placed(target) for target in node.targets])
        if names is None:
            return slow
        return self.picked(changed(node, value=value.fast), slow, {**value.guards, **names}, True)

    def item(self, node: ast.Assign, target: ast.Subscript, value: Forms) -> ast.stmt:
        """`container[key] = value`; the value is evaluated first."""
        container, key = self.expressions.forms(target.value), self.expressions.key(target.slice)
        fast_target = changed(target, value=container.fast, slice=key.fast)
        names = self.expressions.clean(target.slice)
        args = value.slow, container.slow, as_argument(key.slow)
        slow = ast.copy_location(ast.Expr(call(target, "store", *args)), node)
        both = joined(value.fast, value.slow, value, container, key, guards=names or {}, keys=True)
        if names is None or not both.guarded:
            return slow
        return self.picked(changed(node, targets=[fast_target], value=value.fast), slow, both.guards, both.keys)

    def delete(self, node: ast.Delete) -> ast.stmt:
        subscripts = [part for target in node.targets for part in _subscripts(target) if self.matters(part)]
        if not subscripts:
            return node
        names = self.expressions.all_clean(part.slice for part in subscripts)
        slow = changed(node, targets=[self.placed(target) for target in node.targets])
        return slow if names is None else self.picked(node, slow, names, True)

    def matters(self, target: ast.Subscript) -> bool:
        whole = isinstance(target.slice, ast.Slice) and self.expressions.clean(target.slice) == {}
        return self.expressions.switches.operands and not whole

    def placed(self, target: ast.expr) -> ast.expr:
        """A target whose subscripts store into `at(container)`, which passes the key and value to a model."""
        match target:
            case ast.Subscript() if self.matters(target):
                container = call(target.value, "at", self.expressions.value(target.value))
                return changed(target, value=container, slice=self.expressions.key(target.slice).slow)
            case ast.Tuple() | ast.List():
                return changed(target, elts=[self.placed(part) for part in target.elts])
            case ast.Starred():
                return changed(target, value=self.placed(target.value))
        return target

    # -- augmented assignment -------------------------------------------------------------------

    def augmented(self, node: ast.AugAssign) -> ast.stmt:
        """Slow: `target = iadd(target, value)` where reading the target's parts twice is harmless."""
        value = self.expressions.forms(node.value)
        key = node.target.slice if isinstance(node.target, ast.Subscript) and self.matters(node.target) else None
        where = self.expressions.clean(key)
        names = self.hidden(node)
        if not self.repeatable(node.target):
            native = changed(node, value=closed(value, node.value))
            if key is None:
                return native
            slow = changed(native, target=self.placed(node.target))
            return slow if where is None else self.picked(native, slow, where, True)
        if names == {} and key is None:
            return changed(node, value=closed(value, node.value))
        slow = self.spelled_out(node, value.slow, key is not None)
        if where is None:
            return slow
        native = self.spelled_out(node, value.fast, False) if names is None else changed(node, value=value.fast)
        guards = {**value.guards, **(names or {}), **where}
        return self.picked(native, slow, guards, value.keys or key is not None)

    def repeatable(self, node: ast.expr) -> bool:
        """Whether a target is made of local names and constants, so that its parts may be evaluated twice."""
        match node:
            case ast.Name():
                return True
            case ast.Attribute(value=ast.Name(id=name)):
                return name in self.expressions.private
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name() | ast.Constant()):
                keys = {node.slice.id} if isinstance(node.slice, ast.Name) else set()
                return {name} | keys <= self.expressions.private
        return False

    def hidden(self, node: ast.AugAssign) -> Names | None:
        """The names that must be plain for the operator to need no model."""
        left: ast.expr = node.target
        if isinstance(left, ast.Name):
            left = ast.copy_location(ast.Name(left.id, ast.Load()), left)
        return self.expressions.hidden(node.op, left, node.value)

    def spelled_out(self, node: ast.AugAssign, value: ast.expr, keyed: bool) -> ast.stmt:
        """`target = iadd(target, value)`; `keyed`: the subscript itself through a model too."""
        target = node.target
        loaded: ast.expr = changed(target, ctx=ast.Load())
        if keyed and isinstance(target, ast.Subscript):
            loaded = call(target, "item", target.value, as_argument(target.slice))
        result = call(node, "i" + BINARY[type(node.op)], loaded, value)
        if keyed and isinstance(target, ast.Subscript):
            stored = call(target, "store", result, target.value, as_argument(target.slice))
            return ast.copy_location(ast.Expr(stored), node)
        return ast.copy_location(ast.Assign([target], result), node)

    def picked(self, fast: ast.stmt, slow: ast.stmt, names: Names, keys: bool) -> ast.stmt:
        if not names and not keys:
            return slow
        return ast.copy_location(ast.If(guard(names, keys, slow), [fast], [slow]), slow)


def _bound(node: ast.Assign) -> set[str]:
    return {
        part.id
        for target in node.targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _subscripts(target: ast.expr) -> list[ast.Subscript]:
    match target:
        case ast.Subscript():
            return [target]
        case ast.Tuple() | ast.List():
            return [found for part in target.elts for found in _subscripts(part)]
        case ast.Starred():
            return _subscripts(target.value)
    return []
