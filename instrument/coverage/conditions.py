"""Marks in expressions that branch: `and`, `or`, chained comparisons and conditional expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ramify.cfg.branches import Site
from ramify.cfg.syntax import MAX_OPERANDS
from ramify.cfg.table import BranchTable
from ramify.instrument.coverage.marks import MarkMaker
from ramify.instrument.names import Names
from ramify.instrument.positions import start_of


class Conditions(MarkMaker, ast.NodeTransformer):
    """Rewrites the expressions of one module; where only the truth is wanted, the forms are simpler."""

    def __init__(self, table: BranchTable, names: Names) -> None:
        super().__init__(names)
        self.table = table
        # The local variables that nothing but the code at hand can change.
        self.private: frozenset[str] = frozenset()

    # -- tests: only the truth of the expression is wanted --------------------------------------

    def test(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.UnaryOp(op=ast.Not()):
                node.operand = self.test(node.operand)
                return node
            case ast.IfExp():
                return self._conditional(node, self.test)
            case ast.BoolOp() if len(node.values) <= MAX_OPERANDS:
                return self._operands_tested(node, 0)
            case ast.BoolOp():
                node.values = [self.test(value) for value in node.values]
                return node
            case ast.Compare() if (site := self.table.at(node)) is not None:
                if self._can_split(node):
                    return self._links_tested(node, 0)
                chain = self._followed(node, site)
                ended = [self.tool(node, "ended", site.first, self._last_link(node)) for _ in range(2)]
                return ast.IfExp(chain, self.yes(ended[0]), ended[1], **start_of(node))
        tested: ast.expr = self.visit(node)
        return tested

    def marked_test(self, node: ast.expr, site: Site | None) -> ast.expr:
        """A test that marks its own outcome, for places where no suite follows."""
        if site is None:
            return self.test(node)
        # The mark is the value: True for the way on, None, which is false, for the other.
        yes, no = self.yes(self.add(node, site.edge("true"))), self.add(node, site.edge("false"))
        return ast.copy_location(ast.IfExp(self.test(node), yes, no), node)

    def _operands_tested(self, node: ast.BoolOp, part: int) -> ast.expr:
        operand = node.values[part]
        if part == len(node.values) - 1:
            return self.test(operand)
        rest = self._operands_tested(node, part + 1)
        site = self.table.at(node, part)
        if site is None:
            return ast.BoolOp(node.op, [operand, rest], **start_of(operand))
        true, false = site.edge("true"), site.edge("false")
        if isinstance(node.op, ast.And):
            on, stop = self.then(self.add(rest, true), rest), self.add(operand, false)
            return ast.IfExp(self.test(operand), on, stop, **start_of(operand))
        on, stop = self.then(self.add(rest, false), rest), self.yes(self.add(operand, true))
        return ast.IfExp(self.test(operand), stop, on, **start_of(operand))

    def _links_tested(self, node: ast.Compare, part: int) -> ast.expr:
        link, site = self._link(node, part), self.table.at(node, part)
        if site is None:
            return link
        rest = self.then(self.add(node, site.edge("true")), self._links_tested(node, part + 1))
        return ast.IfExp(link, rest, self.add(node, site.edge("false")), **start_of(node))

    # -- values: the expression may be kept -----------------------------------------------------

    # What tests the truth of an operand keeps the place of the whole expression, where CPython has it.

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self._conditional(node, self.visit)

    def _conditional(self, node: ast.IfExp, visit: Callable[[ast.expr], ast.expr]) -> ast.expr:
        site = self.table.at(node)
        node.test = self.test(node.test)
        node.body, node.orelse = visit(node.body), visit(node.orelse)
        if site is not None:
            node.body = self.then(self.add(node.body, site.edge("true")), node.body)
            node.orelse = self.then(self.add(node.orelse, site.edge("false")), node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if len(node.values) > MAX_OPERANDS:
            self._visit_all(node.values)
            return node
        return self._operands_kept(node, 0)

    def _operands_kept(self, node: ast.BoolOp, part: int) -> ast.expr:
        operand = node.values[part]
        if part == len(node.values) - 1:
            last: ast.expr = self.visit(operand)
            return last
        site = self.table.at(node, part)
        rest = self._operands_kept(node, part + 1)
        if site is None:
            return ast.copy_location(ast.BoolOp(node.op, [operand, rest]), node)
        is_and = isinstance(node.op, ast.And)
        true, false = site.edge("true"), site.edge("false")
        on, stopped = (true, false) if is_and else (false, true)
        again = self._again(operand)
        # A name or constant may simply be read again, unless that would report an error of its truth on another
        # line.
        if again is not None and operand.lineno == node.lineno:
            ast.copy_location(operand, node)  # an error of its truth is an error of the whole expression
            rest, stop = self.then(self.add(rest, on), rest), self.then(self.add(again, stopped), again)
            body, orelse = (rest, stop) if is_and else (stop, rest)
            return ast.copy_location(ast.IfExp(operand, body, orelse), node)
        return self._picked(node, node.op, self.visit(operand), on, stopped, rest)

    def _picked(
        self, where: ast.expr, op: ast.boolop, first: ast.expr, on: int, stopped: int, rest: ast.expr
    ) -> ast.expr:
        """`pick(stopped, first and (add(on), add, rest))`."""
        marker = ast.Name(self.names.add, ast.Load(), **start_of(rest))
        # The marker makes the tuple recognisable: no program has the `add` method of our set.
        wrapped = ast.Tuple([self.add(rest, on), marker, rest], ast.Load(), **start_of(rest))
        value = ast.copy_location(ast.BoolOp(op, [first, wrapped]), where)
        return self.tool(where, "pick", int(stopped), value)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        site = self.table.at(node)
        if site is None:
            node.left = self.visit(node.left)
            self._visit_all(node.comparators)
            return node
        if self._can_split(node):
            return self._links_kept(node, 0)
        chain = self._followed(node, site)
        return self.tool(node, "ended_with", site.first, self._last_link(node), chain)

    def _links_kept(self, node: ast.Compare, part: int) -> ast.expr:
        link, site = self._link(node, part), self.table.at(node, part)
        if site is None:
            return link
        rest = self._links_kept(node, part + 1)
        return self._picked(node, ast.And(), link, site.edge("true"), site.edge("false"), rest)

    # -- chained comparisons --------------------------------------------------------------------

    def _can_split(self, node: ast.Compare) -> bool:
        """Whether `a < b < c` may become `a < b and b < c`: no middle operand minds being evaluated twice."""
        return all(self._again(operand) is not None for operand in node.comparators[:-1])

    def _link(self, node: ast.Compare, part: int) -> ast.expr:
        """One link of a chain that may be split."""
        left = self._again(node.comparators[part - 1]) if part else self.visit(node.left)
        assert left is not None
        compare = ast.Compare(left, [node.ops[part]], [self.visit(node.comparators[part])])
        return ast.copy_location(compare, node)

    def _followed(self, node: ast.Compare, site: Site) -> ast.expr:
        """A chain whose operands tell how far it has come; an operand is evaluated if the link before it held."""
        left = self.visit(node.left)
        # Notes the chain as begun, in this frame; a call between may evaluate the same chain in another one.
        node.left = self.then(self.tool(left, "started", site.first), left)
        self._visit_all(node.comparators)
        node.comparators[1:] = [
            self.then(self.tool(operand, "went_on", site.first), operand) for operand in node.comparators[1:]
        ]
        return node

    def _last_link(self, node: ast.Compare) -> int:
        site = self.table.at(node, len(node.ops) - 2)
        assert site is not None
        return site.first

    def _again(self, node: ast.expr) -> ast.expr | None:
        """A second copy of an expression that may be evaluated twice, else None."""
        match node:
            case ast.Name() if node.id in self.private:
                return ast.copy_location(ast.Name(node.id, ast.Load()), node)
            case ast.Constant():
                return ast.copy_location(ast.Constant(node.value, node.kind), node)
        return None

    def _visit_all(self, nodes: list[ast.expr]) -> None:
        nodes[:] = [self.visit(node) for node in nodes]
