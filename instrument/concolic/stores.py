"""Statements that store or delete: a concolic index, key, operand or attribute must reach a model there too."""

from __future__ import annotations

import ast
from typing import Any

from ramify.instrument.concolic.operands import Expressions
from ramify.instrument.concolic.operators import BINARY, as_argument
from ramify.instrument.concolic.plainness import NamesRead
from ramify.instrument.concolic.variants import Forms, call, changed, closed, guard, joined, tool


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
        places = [part for target in node.targets for part in _places(target)]
        subscripts = [part for part in places if isinstance(part, ast.Subscript) and self.matters(part)]
        if not places:
            return changed(node, value=closed(value, node.value))
        names = self.expressions.plain.all_clean(part.slice for part in subscripts)
        if names and not names.keys().isdisjoint(_bound(node)):
            names = None  # `i, c[i] = ...` gives the name its value first
        slow = changed(node, value=value.slow, targets=[self.placed(target) for target in node.targets])
        if names is None or not all(_is_simple(part.value) for part in places):
            return changed(slow, value=closed(value, node.value))
        guards = {**value.guards, **names}
        kept = self.is_plain(node.value, guards)
        targets = node.targets if kept else [self.placed(target, False) for target in node.targets]
        if not subscripts and not (kept and guards):
            return changed(node, value=closed(value, node.value), targets=targets)
        fast = changed(node, value=value.fast, targets=targets)
        return self.picked(fast, slow, guards, bool(subscripts) or value.keys)

    def is_plain(self, value: ast.expr, guards: NamesRead) -> bool:
        """Whether a value is surely plain where the guards hold."""
        names = self.expressions.plain.clean(value)
        return names is not None and names.keys() <= guards.keys()

    def item(self, node: ast.Assign, target: ast.Subscript, value: Forms) -> ast.stmt:
        """`container[key] = value`; the value is evaluated first."""
        container, key = self.expressions.forms(target.value), self.expressions.key(target.slice)
        names = self.expressions.plain.clean(target.slice)
        args = value.slow, container.slow, as_argument(key.slow)
        # A call, so that the model gets value, container and key in the order in which Python evaluates them.
        slow = ast.copy_location(ast.Expr(call(target, "store", *args)), node)
        both = joined(value.fast, value.slow, value, container, key, guards=names or {}, keys=True)
        if names is None or not both.guarded:
            return slow
        kept = self.is_plain(node.value, both.guards)
        holder = container.fast if kept else self.known(target.value, container.fast, "into", "holding")
        fast_target = changed(target, value=holder, slice=key.fast)
        return self.picked(changed(node, targets=[fast_target], value=value.fast), slow, both.guards, both.keys)

    def delete(self, node: ast.Delete) -> ast.stmt:
        places = [part for target in node.targets for part in _places(target)]
        subscripts = [part for part in places if isinstance(part, ast.Subscript) and self.matters(part)]
        simple = all(_is_simple(part.value) for part in places)
        if not subscripts and simple:
            return node
        names = self.expressions.plain.all_clean(part.slice for part in subscripts)
        slow = changed(node, targets=[self.placed(target) for target in node.targets])
        return slow if names is None or not simple else self.picked(node, slow, names, True)

    def matters(self, target: ast.Subscript) -> bool:
        whole = isinstance(target.slice, ast.Slice) and self.expressions.plain.clean(target.slice) == {}
        return self.expressions.plain.switches.operands and not whole

    def placed(self, target: ast.expr, keys: bool = True) -> ast.expr:
        """A target whose subscripts store into `at(container)`, which passes the key and value to a model, and
        its attributes into `onto(receiver)`, which notes what C code takes. `keys`: whether keys may be concolic.
        """
        match target:
            case ast.Subscript() if self.matters(target) and keys:
                container = call(target.value, "at", self.expressions.value(target.value))
                return changed(target, value=container, slice=self.expressions.key(target.slice).slow)
            case ast.Subscript():
                container = self.known(target.value, self.expressions.value(target.value), "into", "holding")
                return changed(target, value=container)
            case ast.Attribute():
                receiver = self.known(target.value, self.expressions.value(target.value), "onto", "keeping")
                return changed(target, value=receiver)
            case ast.Tuple() | ast.List():
                return changed(target, elts=[self.placed(part, keys) for part in target.elts])
            case ast.Starred():
                return changed(target, value=self.placed(target.value, keys))
        return target

    def known(self, node: ast.expr, value: ast.expr, ask: str, known: str) -> ast.expr:
        """What is stored into: the object itself, if its class is known to keep what it is given."""
        if not self.expressions.plain.switches.operands:
            return value
        asked = call(node, ask, value)
        if not isinstance(node, ast.Name):
            return asked
        # Asked inline: most stores go into lists, dicts and objects of classes that are known by then.
        test = ast.Compare(call(node, "type", node), [ast.In()], [tool(node, known)])
        return ast.copy_location(ast.IfExp(ast.copy_location(test, node), node, asked), node)

    # -- augmented assignment -------------------------------------------------------------------

    def augmented(self, node: ast.AugAssign) -> ast.stmt:
        """Slow: `target = iadd(target, value)` where reading the target's parts twice is harmless."""
        value = self.expressions.forms(node.value)
        key = node.target.slice if isinstance(node.target, ast.Subscript) and self.matters(node.target) else None
        where = self.expressions.plain.clean(key)
        names = self.hidden(node)
        if names == {} and key is None:
            return changed(node, value=closed(value, node.value), target=self.telling(node, {}))
        slow = self.spelled_out(node, value, key is not None)
        if where is None or not _is_simple(getattr(node.target, "value", node.target)):
            return slow
        guards = {**value.guards, **(names or {}), **where}
        native: ast.stmt = changed(node, value=value.fast, target=self.telling(node, guards))
        if names is None:
            native = self.spelled_out(node, value._replace(slow=value.fast), False)
        return self.picked(native, slow, guards, value.keys or key is not None)

    def telling(self, node: ast.AugAssign, guards: NamesRead) -> Any:
        """The target of an augmented assignment, which tells what C code takes unless the value is plain."""
        target = node.target
        if isinstance(target, ast.Name) or (self.is_plain(node.value, guards) and _is_simple(target.value)):
            return target
        return self.placed(target, False)

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

    def hidden(self, node: ast.AugAssign) -> NamesRead | None:
        """The names that must be plain for the operator to need no model."""
        left: ast.expr = node.target
        if isinstance(left, ast.Name):
            left = ast.copy_location(ast.Name(left.id, ast.Load()), left)
        return self.expressions.plain.hidden(node.op, left, node.value)

    def spelled_out(self, node: ast.AugAssign, value: Forms, keyed: bool) -> ast.stmt:
        """`target = iadd(target, value)`, or `within(container)[key] += value` if the target's parts must be
        evaluated once; `keyed`: the subscript itself through a model too.
        """
        target = node.target
        if not isinstance(target, ast.Name) and not self.repeatable(target):
            container = call(target.value, "within", self.expressions.value(target.value))
            placed: Any = self.placed(target)
            return changed(node, target=changed(placed, value=container), value=closed(value, node.value))
        loaded: ast.expr = changed(target, ctx=ast.Load())
        if keyed and isinstance(target, ast.Subscript):
            loaded = call(target, "item", target.value, as_argument(target.slice))
        result = call(node, "i" + BINARY[type(node.op)], loaded, value.slow)
        if keyed and isinstance(target, ast.Subscript):
            stored = call(target, "store", result, target.value, as_argument(target.slice))
            return ast.copy_location(ast.Expr(stored), node)
        return ast.copy_location(ast.Assign([self.placed(target, False)], result), node)

    def picked(self, fast: ast.stmt, slow: ast.stmt, names: NamesRead, keys: bool) -> ast.stmt:
        # Nothing to ask at run time: the form for models is the only one.
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


def _places(target: ast.expr) -> list[ast.Subscript | ast.Attribute]:
    """The items and attributes that a target stores into."""
    match target:
        case ast.Subscript() | ast.Attribute():
            return [target]
        case ast.Tuple() | ast.List():
            return [found for part in target.elts for found in _places(part)]
        case ast.Starred():
            return _places(target.value)
    return []


def _is_simple(node: ast.expr) -> bool:
    """Whether an expression is a name, or an attribute of one: no model has anything to see there."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
