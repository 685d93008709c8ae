"""Expressions at the concolic level: operators, comparisons, subscripts, calls and texts that models can see.

Each method gives the two forms of an expression (`guards.py`). What Python dispatches to a concolic value by
itself stays as it is; `docs/instrumentation.md` shows every form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ramify.cfg.leaves import Span
from ramify.cfg.table import MAX_OPERANDS, is_constant_test
from ramify.instrument.callees import KEYED, Callees
from ramify.instrument.decided import TESTS_STAND_AT_OPERANDS, can_split, is_between, link_span, operand_span
from ramify.instrument.kinds import Kinds
from ramify.instrument.switches import Switches
from ramify.instrument.variants import Forms, call, changed, closed, joined, only, start

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.In: "in", ast.NotIn: "not_in", ast.Is: "is", ast.IsNot: "is_not",
}  # fmt: skip

NamesRead = dict[str, ast.Name]


class Expressions:
    """Rewrites the expressions of one function."""

    def __init__(
        self,
        switches: Switches,
        callees: Callees,
        kinds: Kinds,
        rebound: frozenset[str] = frozenset(),
        private: frozenset[str] = frozenset(),
    ) -> None:
        self.switches = switches
        self.callees = callees
        self.kinds = kinds
        self.rebound = rebound  # names that expressions bind: a guard in front may come too early
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
                return ast.copy_location(ast.BoolOp(ast.And(), links), node)
        return self.asked(node)

    def asked(self, node: ast.expr) -> ast.expr:
        """A leaf of a test, whose truth is to be asked at its own position."""
        forms = self.compare(node, tested=True) if isinstance(node, ast.Compare) else self.forms(node)
        if not TESTS_STAND_AT_OPERANDS:
            forms = forms._replace(fast=_settled(forms.fast, node), slow=_settled(forms.slow, node))
        return closed(forms, node)

    def forms(self, node: ast.expr) -> Forms:
        match node:
            case ast.Constant() | ast.Name():
                return only(node)
            case ast.BinOp():
                return self.binary(node)
            case ast.Compare():
                return self.compare(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Call():
                return self.call(node)
            case ast.UnaryOp(op=ast.Not()):
                return self.negation(node)
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
            case ast.Set() | ast.Dict() if self.switches.operands:
                return self.hashed(node)
            case ast.Attribute(attr="__class__") if self.switches.calls:
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
                return self.text(node)
            case ast.Lambda():
                self.lambda_(node)
                return only(node, 20)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return only(self.comprehension(node), 40)
        return self.other(node)

    def lambda_(self, node: ast.Lambda) -> None:
        """Rewrites the body of a lambda, whose arguments are its own; its defaults stay as they are."""
        own = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        inside = Expressions(self.switches, self.callees, self.kinds.without(own), self.rebound - own)
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

    # -- what a guard must know -----------------------------------------------------------------

    def clean(self, node: ast.expr | None) -> NamesRead | None:
        """The names that must be plain for an expression to be plain; None if that cannot be said."""
        match node:
            case None | ast.Constant():
                return {}
            case ast.Name():
                return None if node.id in self.rebound else {node.id: node}
            case ast.UnaryOp():
                return self.clean(node.operand)
            case ast.BinOp():
                return self.all_clean([node.left, node.right])
            case ast.Tuple():
                return self.all_clean(node.elts)
            case ast.Slice():
                return self.all_clean([node.lower, node.upper, node.step])
        return None

    def all_clean(self, nodes: Iterable[ast.expr | None]) -> NamesRead | None:
        names: NamesRead = {}
        for node in nodes:
            found = self.clean(node)
            if found is None:
                return None
            names |= found
        return names

    def reaches(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether Python asks a concolic right operand by itself: ints and texts do, floats and lists do not."""
        if isinstance(right, ast.Constant) or not self.switches.operands:
            return True
        return self.kinds.of(left) in ("int", "str") or self.kinds.of(right) in ("float", "str")

    def hidden(self, op: ast.operator, left: ast.expr, right: ast.expr) -> NamesRead | None:
        """The names that must be plain for an operator to need no model; none if it never needs one."""
        kind = self.kinds.of(left)
        if isinstance(op, ast.Mod) and kind in (None, "str"):
            return self.clean(right) if self.switches.formats else {}
        if isinstance(op, ast.Mult) and kind == "str":
            return self.clean(right) if self.switches.operands else {}  # C code repeats texts
        return {} if self.reaches(left, right) else self.clean(right)

    # -- operators ------------------------------------------------------------------------------

    def binary(self, node: ast.BinOp) -> Forms:
        left, right = self.forms(node.left), self.forms(node.right)
        fast = changed(node, left=left.fast, right=right.fast)
        names = self.hidden(node.op, node.left, node.right)
        if names == {}:
            return joined(fast, changed(node, left=left.slow, right=right.slow), left, right, guards={})
        name = BINARY[type(node.op)]
        if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Tuple):
            # The compiler makes one text of a constant template and its tuple, which then has no line.
            place = start(node)
            right = right._replace(fast=changed(right.fast, **place), slow=changed(right.slow, **place))
        slow = call(node, name, left.slow, right.slow)
        if names is None:
            return joined(call(node, name, left.fast, right.fast), slow, left, right, guards={})
        return joined(fast, slow, left, right, guards=names)

    def compare(self, node: ast.Compare, tested: bool = False) -> Forms:
        if len(node.ops) > 1:
            return only(self.chain(node), 10 * len(node.ops))
        op, right_node = node.ops[0], node.comparators[0]
        left, right = self.forms(node.left), self.forms(right_node)
        fast: ast.expr = changed(node, left=left.fast, comparators=[right.fast])
        slow_right, keys = right.slow, False
        names: NamesRead | None = {}
        match op:
            case ast.In() | ast.NotIn() if self.switches.booleans:
                # In a test a concolic container decides by itself, where its truth would be asked.
                display = _is_display(right_node)
                names, keys = self.clean(node.left) if tested or display else None, not display
                slow_right = _constant_display(right_node) or right.slow
                if names is None:
                    fast_right = _constant_display(right_node) or right.fast
                    fast = call(node, COMPARE[type(op)], left.fast, fast_right)
                    return joined(
                        fast, call(node, COMPARE[type(op)], left.slow, slow_right), left, right, guards={}
                    )
            case ast.Is() | ast.IsNot() if self.switches.booleans and not _is_none(node.left, right_node):
                names = self.all_clean([node.left, right_node])
            case ast.In() | ast.NotIn() | ast.Is() | ast.IsNot():
                return self.natively(node, left, right)
            case _ if self.reaches(node.left, right_node):
                return self.natively(node, left, right)
            case _ if self.is_length(right_node):
                fast, slow = (self.against_length(node, *pair) for pair in zip(left[:2], right[:2], strict=True))
                return joined(fast, slow, left, right, guards={})
            case _:
                names = self.clean(right_node)
        slow = call(node, COMPARE[type(op)], left.slow, slow_right)
        if names is None:
            return joined(call(node, COMPARE[type(op)], left.fast, right.fast), slow, left, right, guards={})
        return joined(fast, slow, left, right, guards=names, keys=keys)

    def is_length(self, node: ast.expr) -> bool:
        """Whether an operand is `len(...)` of one value."""
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.expr() as arg], keywords=[]):
                return "len" not in self.callees.bound and not isinstance(arg, ast.Starred)
        return False

    def against_length(self, node: ast.Compare, left: ast.expr, right: Any) -> ast.expr:
        """`left < len(value)` in one call instead of two: there is hardly a loop without it."""
        return call(node, f"{COMPARE[type(node.ops[0])]}_of", left, *right.args)

    def natively(self, node: ast.Compare, left: Forms, right: Forms) -> Forms:
        fast = changed(node, left=left.fast, comparators=[right.fast])
        return joined(fast, changed(node, left=left.slow, comparators=[right.slow]), left, right, guards={})

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
        if len(node.values) > MAX_OPERANDS:
            return changed(node, values=self.values(node.values))
        *operands, whole = self.values(node.values)
        for part in reversed(range(len(operands))):
            whole = _at(ast.BoolOp(node.op, [operands[part], whole]), operand_span(node, part))
        return whole

    def negation(self, node: ast.UnaryOp) -> Forms:
        inner = self.forms(node.operand)
        fast: ast.expr = changed(node, operand=inner.fast)
        if not self.switches.booleans:
            return joined(fast, changed(node, operand=inner.slow), inner, guards={})
        names = self.clean(node.operand)
        if names is None:
            fast, names = call(node, "not", inner.fast), {}
        return joined(fast, call(node, "not", inner.slow), inner, guards=names)

    # -- subscripts -----------------------------------------------------------------------------

    def subscript(self, node: ast.Subscript) -> Forms:
        container = self.forms(node.value)
        key = self.key(node.slice)
        fast: ast.expr = changed(node, value=container.fast, slice=key.fast)
        plain = changed(node, value=container.slow, slice=key.slow)
        whole = isinstance(node.slice, ast.Slice) and self.clean(node.slice) == {}
        folded = isinstance(node.value, ast.Constant) and isinstance(node.slice, ast.Constant)
        if not self.switches.operands or whole or folded:
            return joined(fast, plain, container, key, guards={})
        slow = call(node, "item", container.slow, as_argument(key.slow))
        names = self.clean(node.slice)
        if names is None:
            fast = call(node, "item", container.fast, as_argument(key.fast))
            return joined(fast, slow, container, key, guards={})
        return joined(fast, slow, container, key, guards=names, keys=not isinstance(node.slice, ast.Slice))

    def key(self, node: ast.expr) -> Forms:
        """The forms of what stands in the brackets."""
        if isinstance(node, ast.Slice):
            parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
            return only(changed(node, lower=parts[0], upper=parts[1], step=parts[2]), 10)
        return self.forms(node)

    def hashed(self, node: ast.Set | ast.Dict) -> Forms:
        """A display of a set or dict: which of its keys are equal is not for their hashes to say."""
        keys = node.elts if isinstance(node, ast.Set) else node.keys
        if None in keys and len(keys) > 1:
            return only(call(node, "merged", self.other(node).fast), 5)
        if None in keys or all(isinstance(key, ast.Constant) for key in keys):
            return self.other(node)
        names = self.all_clean(keys)
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
                [ast.Tuple([k.slow, v.slow], ast.Load(), **start(k.slow)) for k, v in pairs], ast.Load()
            )
        name = "elements" if isinstance(node, ast.Set) else "entries"
        slow = call(node, name, ast.copy_location(listed, node))
        if names is None:
            return joined(slow, slow, *parts, guards={})
        return joined(fast, slow, *parts, guards=names)

    # -- calls ----------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Forms:
        how = self.callees.how(node) if self.switches.calls else None
        function = self.forms(node.func)
        args = [self.forms(arg) for arg in node.args]
        values = [self.forms(keyword.value) for keyword in node.keywords]
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
        if self.is_length(node):
            # The model has the signature of `len`, for which Python would build a tuple and a dict.
            asked, asked_slowly = (call(node, "len", form.func, *form.args) for form in (fast, slow))
            return joined(asked, asked_slowly, *parts, guards={})
        if how is None:
            return joined(fast, slow, *parts, guards={})
        if how == "code":
            return only(self.dispatched(slow, how), 1 + sum(part.size for part in parts))
        names = self.all_clean([*node.args, *(k.value for k in node.keywords)])
        if names is None or any(k.arg is None for k in node.keywords):
            return joined(self.dispatched(fast, how), self.dispatched(slow, how), *parts, guards={})
        keys = how == "method" and isinstance(node.func, ast.Attribute) and node.func.attr in KEYED
        if not names and not keys:
            return joined(fast, slow, *parts, guards={})
        return joined(fast, self.dispatched(slow, how), *parts, guards=names, keys=keys)

    def dispatched(self, node: ast.Call, how: str) -> ast.expr:
        if how == "library":
            # The callee is chosen first and called from here: Python code may look at its caller's frame.
            return changed(node, func=call(node.func, "pick", node.func))
        if how == "code":
            # Called from here, whose names the code sees.
            return changed(node, func=call(node.func, "code", node.func))
        dispatcher = call(node, "call", node.func, *node.args)
        return changed(dispatcher, keywords=node.keywords)

    # -- texts ----------------------------------------------------------------------------------

    def text(self, node: ast.JoinedStr) -> Forms:
        values: list[ast.expr] = []
        asked: list[ast.expr] = []  # for models
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                spec = self.specification(part.format_spec)
                part = changed(part, value=self.value(part.value), format_spec=spec)
                asked.append(part if self.kinds.of(part.value) else _shown(part))
            else:
                asked.append(part)
            values.append(part)
        fast = changed(node, values=values)
        shown = [v for v in node.values if isinstance(v, ast.FormattedValue)]
        if not self.switches.formats or not shown:
            return only(fast, 5 * len(values))
        parts: list[ast.expr] = [v if isinstance(v, ast.Constant) else changed(node, values=[v]) for v in asked]
        slow: ast.expr = changed(node, values=asked)
        if len(values) > 1:
            slow = call(node, "joined", ast.copy_location(ast.Tuple(parts, ast.Load()), node))
        names = self.all_clean(v.value for v in shown)
        if names is None or any(v.format_spec is not None and _is_dynamic(v.format_spec) for v in shown):
            return only(slow, 5 * len(values))
        return joined(fast, slow, *(only(v, 5) for v in values), guards=names)

    def specification(self, spec: ast.expr | None) -> ast.expr | None:
        """A format specification; the values in it are read by C code."""
        if not isinstance(spec, ast.JoinedStr) or not _is_dynamic(spec):
            return spec
        parts: list[ast.expr] = []
        for part in spec.values:
            if isinstance(part, ast.FormattedValue):
                part = changed(part, value=call(part.value, "told", self.value(part.value)))
            parts.append(part)
        return changed(spec, values=parts)

    # -- comprehensions -------------------------------------------------------------------------

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.expr:
        bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inside = Expressions(self.switches, self.callees, self.kinds.without(bound), self.rebound)
        generators: list[ast.comprehension] = []
        for generator in node.generators:
            outer = inside if generators else self
            iterable = outer.value(generator.iter)
            ifs = [inside.test(condition) for condition in generator.ifs]
            generators.append(ast.comprehension(generator.target, iterable, ifs, generator.is_async))
        if isinstance(node, ast.DictComp):
            return changed(node, key=inside.value(node.key), value=inside.value(node.value), generators=generators)
        return changed(node, elt=inside.value(node.elt), generators=generators)


def _shown(part: ast.FormattedValue) -> ast.FormattedValue:
    """A part of an f-string, with what C code would show of objects and containers left to a model."""
    details = [ast.Constant(part.conversion, **start(part)), ast.Constant(part.format_spec is None, **start(part))]
    return changed(part, value=call(part.value, "shown", part.value, *details), conversion=-1)


def _at(node: Any, where: Span) -> Any:
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where
    return node


def _settled(node: ast.expr, where: ast.expr) -> ast.expr:
    """`(not node) is False` where only comparisons are tested at their own position."""
    if isinstance(node, ast.Compare | ast.Constant) or is_constant_test(node) is not None:
        return node
    negated = ast.copy_location(ast.UnaryOp(ast.Not(), node), where)
    false = ast.copy_location(ast.Constant(False), where)
    return ast.copy_location(ast.Compare(negated, [ast.Is()], [false]), where)


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


def _is_dynamic(spec: ast.expr) -> bool:
    return any(isinstance(part, ast.FormattedValue) for part in ast.walk(spec))
