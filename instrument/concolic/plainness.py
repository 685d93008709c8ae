"""What must be plain for an operation to need no model: the names that a guard asks about."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ramify.instrument.concolic.callees import Callees
from ramify.instrument.concolic.kinds import Kinds
from ramify.instrument.concolic.switches import Switches

NamesRead = dict[str, ast.Name]


class Plainness:
    """What is known of the operands of one function."""

    def __init__(
        self, switches: Switches, callees: Callees, kinds: Kinds, rebound: frozenset[str] = frozenset()
    ) -> None:
        self.switches = switches
        self.callees = callees
        self.kinds = kinds
        self.rebound = rebound  # names that expressions bind: a guard in front may come too early

    def inside(self, names: set[str]) -> Plainness:
        """The same for an inner scope that binds these names itself."""
        return Plainness(self.switches, self.callees, self.kinds.without(names), self.rebound - names)

    def clean(self, node: ast.expr | None) -> NamesRead | None:
        """The names that must be plain for an expression to be plain; None if that cannot be said."""
        match node:
            case None | ast.Constant():
                return {}
            case ast.Name():
                # A guard is evaluated before the expression; a walrus inside may bind the name to something
                # else after that.
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
        # An int on the left lets Python ask a SymInt, a subclass, first; a text has no number slot but that of
        # `%`, see `hidden`.
        return self.kinds.of(left) in ("int", "str") or self.kinds.of(right) in ("float", "str")

    def hidden(self, op: ast.operator, left: ast.expr, right: ast.expr) -> NamesRead | None:
        """The names that must be plain for an operator to need no model; none if it never needs one."""
        # `%` on a text formats, on an int divides: only what may be a text needs the model.
        kind = self.kinds.of(left)
        if isinstance(op, ast.Mod) and kind in (None, "str"):
            return self.clean(right) if self.switches.formats else {}
        if isinstance(op, ast.Mult) and kind == "str":
            return self.clean(right) if self.switches.operands else {}  # C code repeats texts
        return {} if self.reaches(left, right) else self.clean(right)

    def is_length(self, node: ast.expr) -> bool:
        """Whether an operand is `len(...)` of one value."""
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.expr() as arg], keywords=[]):
                return "len" not in self.callees.bound and not isinstance(arg, ast.Starred)
        return False
