"""Expressions at the concolic level: operators, comparisons, subscripts, calls and texts that models can see.

Each method gives the two forms of an expression (`variants.py`). What Python dispatches to a concolic value by
itself stays as it is; `docs/instrumentation.md` shows every form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ramify.cfg.leaves import Span
from ramify.cfg.syntax import MAX_OPERANDS, is_constant_test
from ramify.instrument.concolic.calling import called
from ramify.instrument.concolic.decided import can_split, is_between, link_span, operand_span
from ramify.instrument.concolic.fstrings import text
from ramify.instrument.concolic.operators import COMPARE, binary, compare, negation, subscript
from ramify.instrument.concolic.plainness import Plainness
from ramify.instrument.concolic.variants import Forms, call, changed, closed, joined, only
from ramify.instrument.positions import TESTS_STAND_AT_OPERANDS, start_of


class Expressions:
    """Rewrites the expressions of one function."""

    def __init__(self, plain: Plainness, private: frozenset[str] = frozenset()) -> None:
        self.plain = plain
        self.private = private  # names that only the statements of this function can bind

    def value(self, node: ast.expr) -> ast.expr:
        """The expression where its value is wanted."""
        return closed(self.forms(node), node)

    def values(self, nodes: Iterable[ast.expr]) -> list[ast.expr]:
        return [self.value(node) for node in nodes]

    def test(self, node: ast.expr) -> ast.expr:
        """The expression where only its truth is wanted."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return changed(node, operand=self.test(node.operand))
            case ast.BoolOp():
                return changed(node, values=[self.test(value) for value in node.values])
            case ast.IfExp():
                test, body, orelse = map(self.test, (node.test, node.body, node.orelse))
                return changed(node, test=test, body=body, orelse=orelse)
            case ast.Compare() if can_split(node):
                links = [self.asked(link) for link in self.links(node)]
                # A chain that is only tested may be taken apart: each link then has a position of its own.
                return ast.copy_location(ast.BoolOp(ast.And(), links), node)
        return self.asked(node)

    def asked(self, node: ast.expr) -> ast.expr:
        """A leaf of a test, whose truth is to be asked at its own position."""
        forms = self.comparison(node, tested=True) if isinstance(node, ast.Compare) else self.forms(node)
        if not TESTS_STAND_AT_OPERANDS:
            forms = forms._replace(fast=_settled(forms.fast, node), slow=_settled(forms.slow, node))
        return closed(forms, node)

    def forms(self, node: ast.expr) -> Forms:
        match node:
            case ast.Constant() | ast.Name():
                return only(node)
            case ast.BinOp():
                return binary(node, self.forms(node.left), self.forms(node.right), self.plain)
            case ast.Compare():
                return self.comparison(node, tested=False)
            case ast.Subscript():
                return subscript(node, self.forms(node.value), self.key(node.slice), self.plain)
            case ast.Call():
                args = [self.forms(arg) for arg in node.args]
                values = [self.forms(keyword.value) for keyword in node.keywords]
                return called(node, self.forms(node.func), args, values, self.plain)
            case ast.UnaryOp(op=ast.Not()):
                return negation(node, self.forms(node.operand), self.plain)
            case ast.UnaryOp():
                inner = self.forms(node.operand)
                fast, slow = changed(node, operand=inner.fast), changed(node, operand=inner.slow)
                return joined(fast, slow, inner, guards={})
            case ast.Tuple() | ast.List():
                parts = [self.forms(part) for part in node.elts]
                whole, again = (
                    changed(node, elts=elts) for elts in ([p.fast for p in parts], [p.slow for p in parts])
                )
                return joined(whole, again, *parts, guards={})
            case ast.Set() | ast.Dict() if self.plain.switches.operands:
                return self.hashed(node)
            # `x.__class__ is int` must hold for a concolic int.
            case ast.Attribute(attr="__class__") if self.plain.switches.calls:
                return only(call(node, "kind", changed(node, value=self.value(node.value))), 5)
            case ast.Attribute() | ast.Starred():
                inner = self.forms(node.value)
                return joined(changed(node, value=inner.fast), changed(node, value=inner.slow), inner, guards={})
            case ast.BoolOp():
                return only(self.kept(node), 10 * len(node.values))
            case ast.IfExp():
                test, body, orelse = self.test(node.test), self.value(node.body), self.value(node.orelse)
                return only(changed(node, test=test, body=body, orelse=orelse), 20)
            case ast.JoinedStr():
                return text(node, self.value, self.plain)
            case ast.Lambda():
                self.lambda_(node)
                return only(node, 20)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return only(self.comprehension(node), 40)
        return self.other(node)

    def lambda_(self, node: ast.Lambda) -> None:
        """Rewrites the body of a lambda, whose arguments are its own; its defaults stay as they are."""
        # What is known of outer names does not hold for a lambda's own.
        own = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        inside = Expressions(self.plain.inside(own))
        node.body = inside.value(node.body)

    def other(self, node: ast.expr) -> Forms:
        """An expression that only passes values on."""
        parts: list[Forms] = []
        fields: dict[str, Any] = {}
        for name, field in ast.iter_fields(node):
            if isinstance(field, ast.expr) and not isinstance(getattr(field, "ctx", None), ast.Store):
                parts.append(forms := self.forms(field))
                fields[name] = closed(forms, field)
            elif isinstance(field, list) and field and isinstance(field[0], ast.expr | None):
                fields[name] = [item and self.value(item) for item in field]
        return only(changed(node, **fields), 1 + sum(2 * part.size for part in parts) + 5 * len(fields))

    # -- chains, `and` and `or` whose value is kept -----------------------------------------------

    def comparison(self, node: ast.Compare, tested: bool) -> Forms:
        if len(node.ops) > 1:
            return only(self.chain(node), 10 * len(node.ops))
        return compare(node, self.forms(node.left), self.forms(node.comparators[0]), self.plain, tested)

    def chain(self, node: ast.Compare) -> ast.expr:
        """A chain whose value is kept. If it cannot be split, it stays one: its operands are evaluated once."""
        if is_between(node):
            name = "_".join(COMPARE[type(op)] for op in node.ops)
            where: Any = ast.Constant(0)
            where = ast.copy_location(changed(where, value=link_span(node, 0)), node)
            return call(node, name, *self.values([node.left, *node.comparators]), where)
        if not can_split(node):
            return changed(node, left=self.value(node.left), comparators=self.values(node.comparators))
        *links, whole = self.values(self.links(node))
        for part in reversed(range(len(links))):
            whole = _at(ast.BoolOp(ast.And(), [links[part], whole]), link_span(node, part))
        return whole

    def links(self, node: ast.Compare) -> list[ast.expr]:
        """The links of a chain that may be split, as they were written."""
        lefts = [node.left, *node.comparators]
        return [
            _at(ast.Compare(left, [op], [right]), link_span(node, part))
            for part, (left, op, right) in enumerate(zip(lefts, node.ops, node.comparators, strict=False))
        ]

    def kept(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or` whose value is kept: nested, so that every test has a position of its own."""
        # Nesting one by one would be deeper than the compiler follows.
        if len(node.values) > MAX_OPERANDS:
            return changed(node, values=self.values(node.values))
        *operands, whole = self.values(node.values)
        for part in reversed(range(len(operands))):
            whole = _at(ast.BoolOp(node.op, [operands[part], whole]), operand_span(node, part))
        return whole

    # -- subscripts and displays ------------------------------------------------------------------

    def key(self, node: ast.expr) -> Forms:
        """The forms of what stands in the brackets."""
        if isinstance(node, ast.Slice):
            parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
            return only(changed(node, lower=parts[0], upper=parts[1], step=parts[2]), 10)
        return self.forms(node)

    def hashed(self, node: ast.Set | ast.Dict) -> Forms:
        """A display of a set or dict: which of its keys are equal is not for their hashes to say."""
        keys = node.elts if isinstance(node, ast.Set) else node.keys
        # `{**a, **b}` merges by hashes in C; afterwards is the only time to notice.
        if None in keys and len(keys) > 1:
            return only(call(node, "merged", self.other(node).fast), 5)
        if None in keys or all(isinstance(key, ast.Constant) for key in keys):
            return self.other(node)
        names = self.plain.all_clean(keys)
        if isinstance(node, ast.Set):
            parts = [self.forms(key) for key in node.elts]
            fast: ast.expr = changed(node, elts=[part.fast for part in parts])
            listed = ast.List([part.slow for part in parts], ast.Load())
        else:
            pairs = [
                (self.forms(key), self.forms(value))
                for key, value in zip(node.keys, node.values, strict=True)
                if key
            ]
            parts = [part for pair in pairs for part in pair]
            fast = changed(node, keys=[key.fast for key, _ in pairs], values=[value.fast for _, value in pairs])
            listed = ast.List(
                [ast.Tuple([k.slow, v.slow], ast.Load(), **start_of(k.slow)) for k, v in pairs], ast.Load()
            )
        name = "elements" if isinstance(node, ast.Set) else "entries"
        slow = call(node, name, ast.copy_location(listed, node))
        if names is None:
            return joined(slow, slow, *parts, guards={})
        return joined(fast, slow, *parts, guards=names)

    # -- comprehensions -------------------------------------------------------------------------

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.expr:
        bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inside = Expressions(self.plain.inside(bound))
        generators: list[ast.comprehension] = []
        for generator in node.generators:
            # The first iterable belongs to the scope around the comprehension.
            outer = inside if generators else self
            iterable = outer.value(generator.iter)
            ifs = [inside.test(condition) for condition in generator.ifs]
            generators.append(ast.comprehension(generator.target, iterable, ifs, generator.is_async))
        if isinstance(node, ast.DictComp):
            return changed(node, key=inside.value(node.key), value=inside.value(node.value), generators=generators)
        return changed(node, elt=inside.value(node.elt), generators=generators)


def _at(node: Any, where: Span) -> Any:
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where
    return node


def _settled(node: ast.expr, where: ast.expr) -> ast.expr:
    """`(not node) is False` where only comparisons are tested at their own position."""
    # A comparison tests at its own position on every version; for the rest one is put around it.
    if isinstance(node, ast.Compare | ast.Constant) or is_constant_test(node) is not None:
        return node
    negated = ast.copy_location(ast.UnaryOp(ast.Not(), node), where)
    false = ast.copy_location(ast.Constant(False), where)
    return ast.copy_location(ast.Compare(negated, [ast.Is()], [false]), where)
