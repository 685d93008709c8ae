"""Marks in statements: at the head of every suite, and where a suite is left."""

from __future__ import annotations

import ast
from typing import Any

from ramify.cfg.branches import Site
from ramify.cfg.syntax import leaves_through_cleanup
from ramify.cfg.table import BranchTable
from ramify.instrument.coverage.conditions import Conditions
from ramify.instrument.names import Names
from ramify.instrument.positions import NOWHERE, beginning, start_of

Suite = list[ast.stmt]


class Suites(Conditions):
    """Rewrites the statements of one module."""

    def __init__(self, table: BranchTable, names: Names) -> None:
        super().__init__(table, names)
        self.in_class = False
        # The `try` bodies we are in, as their `completed` edges, and the loops among them, as None.
        self.leaving: list[int | None] = []

    def suite(self, body: Suite, *edges: int) -> Suite:
        """A rewritten suite that first marks `edges`."""
        new = [self.store(edge) for edge in edges]
        for node in body:
            probe = self.table.own_probe(node)
            if probe is not None:
                # Before the statement: it may not get further than its first instruction.
                new.append(self.store(probe, beginning(node)))
            rewritten: ast.stmt | Suite = self.visit(node)
            new += rewritten if isinstance(rewritten, list) else [rewritten]
        return new

    def visit_If(self, node: ast.If) -> ast.stmt:
        site = self.table.at(node)
        node.test = self.test(node.test)
        node.body = self.suite(node.body, *_edges(site, "true"))
        node.orelse = self.suite(node.orelse, *_edges(site, "false"))
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        site = self.table.at(node)
        node.test = self.test(node.test)
        return self.loop(node, _edges(site, "true"), _edges(site, "false"))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.stmt:
        site = self.table.at(node)
        node.iter = self.visit(node.iter)
        node.target = self.visit(node.target)
        return self.loop(node, _edges(site, "entered"), _edges(site, "exhausted"))

    visit_AsyncFor = visit_For

    def loop(self, node: ast.While | ast.For | ast.AsyncFor, entered: list[int], ended: list[int]) -> ast.stmt:
        # A `break` leaves the `try` bodies inside this loop, not those around it.
        self.leaving.append(None)
        node.body = self.suite(node.body, *entered)
        self.leaving.pop()
        node.orelse = self.suite(node.orelse, *ended)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        node.test = self.marked_test(node.test, self.table.at(node))
        if node.msg is not None:
            node.msg = self.visit(node.msg)
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        node.subject = self.visit(node.subject)
        cases: list[ast.match_case] = []
        missed: int | None = None
        for case in node.cases:
            site = self.table.at(case)
            assert site is not None
            if missed is not None:
                # Never taken: its guard only marks that the case before it was not taken.
                # A guard that is false: None is what `add` gives.
                cases.append(_wildcard(case.pattern, self.add(case.pattern, missed), [ast.Pass(**NOWHERE)]))
            if case.guard is not None:
                case.guard = self.marked_test(case.guard, self.table.at(case, 1))
            case.body = self.suite(case.body, site.edge("matched"))
            missed = site.edge("unmatched") if "unmatched" in site.outcomes else None
            cases.append(case)
        if missed is not None:
            cases.append(_wildcard(node.cases[-1].pattern, None, [self.store(missed)]))
        node.cases = cases
        return node

    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        completed = _edges(self.table.at(node), "completed")
        if completed and leaves_through_cleanup(node.body):
            # The cleanup may still raise: only what stands around it knows whether the body completes.
            guard = self.tool_attribute(node, "completions", completed.pop())
            node.body = [ast.With([ast.withitem(guard)], self.suite(node.body), **start_of(node))]
        else:
            self.leaving += completed
            node.body = self.suite(node.body)
            del self.leaving[len(self.leaving) - len(completed) :]
        passed: int | None = None
        for handler in node.handlers:
            handler_site = self.table.at(handler)
            assert handler_site is not None
            marks: list[int] = [handler_site.edge("caught")]
            if handler.type is not None:
                handler.type = self.visit(handler.type)
                if passed is not None:
                    # The class is evaluated when the clause is tried: exactly when the one before it has passed
                    # the exception on.
                    handler.type = self.then(self.add(handler.type, passed), handler.type)
            elif passed is not None:
                # A bare `except` has no class to evaluate, and takes all that comes.
                marks.insert(0, passed)
            handler.body = self.suite(handler.body, *marks)
            passed = handler_site.edge("passed") if "passed" in handler_site.outcomes else None
        node.orelse = self.suite(node.orelse, *completed)
        node.finalbody = self.suite(node.finalbody)
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self.visit(item.optional_vars)
        node.body = self.suite(node.body)
        site = self.table.at(node)
        if site is None:
            return node
        # Between entering the first item and the body, only binding a name is sure to succeed.
        simple = len(node.items) == 1 and isinstance(node.items[0].optional_vars, ast.Name | None)
        guards = "guards" if simple and not self.in_class else "strict_guards"
        first, last = node.items[0].context_expr, node.items[-1].context_expr
        outside = ast.withitem(self.tool_attribute(first, guards, site.edge("left")))
        guard = self.tool_attribute(last, guards, site.edge("left"))
        inside = ast.withitem(ast.Attribute(guard, "body", ast.Load(), **start_of(last)))
        if isinstance(node, ast.With):
            node.items = [outside, *node.items, inside]
            return node
        # An asynchronous `with` takes asynchronous items only.
        node.body = [ast.With([inside], node.body, **start_of(last))]
        return ast.With([outside], [node], **start_of(first))

    visit_AsyncWith = visit_With

    def visit_Return(self, node: ast.Return) -> Any:
        edges = [edge for edge in self.leaving if edge is not None]
        # Nothing can happen between the mark and the return.
        if node.value is None or isinstance(node.value, ast.Constant):
            return [*map(self.store, edges), node]
        node.value = self.visit(node.value)
        if edges:
            # The value may raise: the body is complete once it is there.
            node.value = self.after(node.value, edges)
        return node

    def visit_Break(self, node: ast.Break | ast.Continue) -> Any:
        edges: list[int] = []
        for edge in reversed(self.leaving):
            if edge is None:
                break
            edges.append(edge)
        return [*map(self.store, edges), node]

    visit_Continue = visit_Break

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_TypeAlias(self, node: ast.stmt) -> ast.stmt:
        return node


def _edges(site: Site | None, outcome: str) -> list[int]:
    return [] if site is None else [site.edge(outcome)]


def _wildcard(where: ast.AST, guard: ast.expr | None, body: Suite) -> ast.match_case:
    return ast.match_case(ast.MatchAs(None, None, **start_of(where)), guard, body)
