"""The control flow of `try` and `with`: statements that have a say in how their bodies are left."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ramify.cfg.branches import Site
from ramify.cfg.drafting import causes
from ramify.cfg.drafting.draft import DraftBlock
from ramify.cfg.drafting.jumps import Region
from ramify.cfg.graph import ANY_EXCEPTION

if TYPE_CHECKING:
    from ramify.cfg.drafting.statements import StatementBuilder

_Try = ast.Try | ast.TryStar


class Guarded:
    """Builds one such statement at the current block of a statement builder."""

    def __init__(self, builder: StatementBuilder) -> None:
        self.builder = builder
        self.draft = builder.draft
        self.jumps = builder.jumps
        self.table = builder.table

    def try_(self, node: _Try) -> None:
        self.builder.head(node, "try")
        # With a `finally`, the rest of the statement is the body of a region that the clause ends.
        if not node.finalbody:
            self.without_finally(node)
            return
        # A `finally` clause sees every way out, exceptions or not.
        region = Region(catches=False)
        with self.jumps.region(region, node.lineno, "try statement"):
            self.without_finally(node)
        block, reasons = self.jumps.gather(region.jumps)
        self.builder.suite_in(block, node.finalbody)
        line = node.finalbody[0].lineno
        self.draft.current = self.jumps.scatter(self.draft.current, reasons, "finally clause", line)

    def without_finally(self, node: _Try) -> None:
        if not node.handlers:
            self.builder.suite(node.body)
            return
        region = Region(catches=True)
        with self.jumps.region(region, node.lineno, "try body"):
            self.builder.suite(node.body)
        # The body's own end, and every jump out of it that is no exception: both complete it.
        completed = self.passage(region, self.table.at(node), "completed", "try body", node.lineno)
        after = self.draft.block()
        if isinstance(node, ast.TryStar):
            self.star_handlers(node, region, after)
        else:
            self.handlers(node, region, after)
        self.builder.suite_in(completed, node.orelse)
        self.builder.join(after)
        self.draft.current = after

    def passage(self, region: Region, site: Site | None, outcome: str, what: str, line: int) -> DraftBlock:
        """Where a region is left without an exception: one edge for all reasons; the block for going on."""
        block, reasons = self.jumps.gather(region.jumps)
        passed = self.draft.block()
        if site is None:
            self.draft.edge(block, passed, "next", causes.finished(what, line))
        else:
            cause = causes.of_outcome(site, outcome)
            self.draft.edge(block, passed, "next", cause, line, site.edge(outcome))
        return self.jumps.scatter(passed, reasons, what, line)

    # -- handlers -------------------------------------------------------------------------------

    def handlers(self, node: ast.Try, region: Region, after: DraftBlock) -> None:
        outer = self.draft.depth
        block, reasons = self.jumps.gather(region.raised, "handler")
        inner = self.draft.depth
        for handler in node.handlers:
            self.draft.current = block
            site = self.clause(handler)
            tested, block = self.draft.current, self.draft.block()
            # Once caught, it no longer matters which exception it was.
            self.draft.depth = outer
            body = self.draft.block()
            self.builder.outcome(site, "caught", "exception", body)
            # The last typed clause has no such outcome: the exception then leaves the statement.
            if "passed" in site.outcomes:
                self.builder.outcome(site, "passed", "exception", block)
            elif handler.type is not None:
                self.jumps.raise_on(tested, reasons, node.handlers, "except clause", handler.lineno)
            self.handle(handler, body)
            self.builder.join(after)
            self.draft.depth = inner
        self.draft.depth = outer

    def star_handlers(self, node: ast.TryStar, region: Region, after: DraftBlock) -> None:
        """`except*` clauses: each takes its share of the group, and all are tried in turn."""
        outer = self.draft.depth
        block, reasons = self.jumps.gather(region.raised, "handler")
        for handler in node.handlers:
            self.draft.current = block
            site = self.clause(handler)
            body, tested = self.draft.block(), self.draft.current
            block = self.draft.block()
            self.builder.outcome(site, "caught", "exception", body)
            cause = causes.passed_on("except* clause", handler.lineno, ANY_EXCEPTION)
            # Whether the clause took its share or not, the next one is tried.
            self.draft.edge(tested, block, "exception", cause)
            self.handle(handler, body)
            self.builder.join(block)
        # What no clause took goes on as a group.
        self.jumps.raise_on(block, reasons, node.handlers, "try statement", node.lineno)
        cause = causes.finished("last except* clause", node.handlers[-1].lineno)
        self.draft.edge(block, after, "next", cause)
        self.draft.depth = outer

    def clause(self, handler: ast.ExceptHandler) -> Site:
        """The head of a clause, in the current block."""
        site = self.table.at(handler)
        assert site is not None
        text = site.text + (f" as {handler.name}" if handler.name else "")
        self.builder.head(handler, text, handler.type)
        if handler.type is not None:
            self.builder.evaluator.value(handler.type)
        return site

    def handle(self, handler: ast.ExceptHandler, body: DraftBlock) -> None:
        self.builder.handlers.append(handler)
        self.builder.suite_in(body, handler.body)
        self.builder.handlers.pop()

    # -- with -----------------------------------------------------------------------------------

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        last = node.items[-1]
        end = last.optional_vars or last.context_expr
        self.builder.head(node, self.builder.source.between(node, end), end)
        for item in node.items:
            self.builder.evaluator.value(item.context_expr)
            if item.optional_vars is not None:
                self.builder.evaluator.value(item.optional_vars)
        region = Region(catches=True)
        with self.jumps.region(region, node.lineno, "with block"):
            self.builder.suite(node.body)
        site = self.table.at(node)
        left = self.passage(region, site, "left", "with block", node.lineno)
        after, outer = self.draft.block(), self.draft.depth
        raised, reasons = self.jumps.gather(region.raised, "with")
        self.draft.depth = outer
        cause = causes.of_outcome(site, "suppressed") if site else causes.finished("with block", node.lineno)
        branch = site.edge("suppressed") if site else None
        self.draft.edge(raised, after, "exception", cause, node.lineno, branch, implicit=True)
        # Whether `__exit__` suppresses an exception is not to be seen here: both ways are possible.
        self.jumps.raise_on(raised, reasons, [], "with block", node.lineno)
        self.draft.edge(left, after, "next")
        self.draft.current = after
