"""The control flow of statements: each method continues the current block of the draft."""

from __future__ import annotations

import ast

from ramify.cfg.branches import Site
from ramify.cfg.drafting import causes
from ramify.cfg.drafting.draft import DraftBlock
from ramify.cfg.drafting.exceptions import raised_name
from ramify.cfg.drafting.expressions import ExpressionDraft, branches, in_order
from ramify.cfg.drafting.jumps import BREAK, CONTINUE, RAISE, RETURN, Jump
from ramify.cfg.drafting.protected import Guarded
from ramify.cfg.graph import EdgeKind, Extent, Part, PartRole
from ramify.cfg.syntax import does_nothing, takes_all

_For = ast.For | ast.AsyncFor

# The head of these is a keyword: `try`, or `except` without a class.
_KEYWORD_ONLY = ast.Try | ast.TryStar | ast.ExceptHandler


class StatementBuilder:
    """Builds the bodies of modules, classes, functions and lambdas."""

    def __init__(self, evaluator: ExpressionDraft) -> None:
        self.evaluator = evaluator
        self.draft = evaluator.draft
        self.jumps = evaluator.jumps
        self.table = evaluator.table
        self.source = evaluator.source
        # The clauses around the current statement: a bare `raise` raises what the innermost one caught.
        self.handlers: list[ast.ExceptHandler] = []

    def scope_body(self, body: list[ast.stmt]) -> None:
        self.suite(body)
        self.draft.edge(
            self.draft.current,
            self.draft.exit,
            "next",
            causes.Cause("the end of the body was reached", "the end of the body was never reached"),
        )

    def lambda_body(self, node: ast.Lambda) -> None:
        statement = self.table.statement_of(node)
        probe = None if statement is None else statement.probe
        body = node.body
        span = Extent(body.lineno, body.col_offset, body.end_lineno or 0, body.end_col_offset or 0)
        part = Part("statement", self.source.text(body), span, body.lineno, body.lineno, probe)
        self.evaluator.statement = part
        self.evaluator.add(part)
        self.evaluator.value(body)
        self.leave("lambda", RETURN, "return", node.lineno)

    # -- helpers --------------------------------------------------------------------------------

    def suite(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def suite_in(self, block: DraftBlock, body: list[ast.stmt]) -> None:
        self.draft.current = block
        self.suite(body)

    def head(self, node: ast.stmt | ast.ExceptHandler, text: str, last: ast.AST | None = None) -> Part:
        """Add the part of a statement that the current block runs: all of it, or its head up to `last`."""
        statement = self.table.statement_of(node)
        entry = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        span = Extent(entry, node.col_offset, node.lineno, node.col_offset + len(text))
        if last is not None or not isinstance(node, _KEYWORD_ONLY):
            end_line, end_column = _end(last or node)
            span = Extent(entry, node.col_offset, end_line, end_column)
        if statement is not None:
            part = Part("statement", text, span, entry, node.lineno, statement.probe)
        else:
            role: PartRole = "clause" if isinstance(node, ast.ExceptHandler) else "declaration"
            part = Part(role, text, span, entry, node.lineno, self.table.proof_of(node))
        self.evaluator.statement = part
        self.draft.current.parts.append(part)
        if not _cannot_fail(node):
            self.jumps.may_raise(self.draft.current, node.lineno)
        return part

    def leave(self, what: str, reason: str, kind: EdgeKind, line: int) -> None:
        """Jump away; what follows in the suite is dead."""
        self.jumps.go(Jump(self.draft.current, reason, kind, causes.executed(what, line), line))
        self.draft.current = self.draft.block(why_dead=f"it follows the {what} on line {line}")

    def join(self, target: DraftBlock) -> None:
        self.draft.edge(self.draft.current, target, "next")

    # -- statements -----------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If():
                self._if_(node)
            case ast.While():
                self._while_(node)
            case ast.For() | ast.AsyncFor():
                self._for_(node)
            case ast.Match():
                self._match_(node)
            case ast.Try() | ast.TryStar():
                Guarded(self).try_(node)
            case ast.With() | ast.AsyncWith():
                Guarded(self).with_(node)
            case ast.Assert():
                self._assertion(node)
            case ast.Return():
                self._simple(node)
                self.leave("return", RETURN, "return", node.lineno)
            case ast.Raise():
                self._simple(node)
                # A bare `raise` raises what the innermost clause caught.
                name = raised_name(node, self.handlers[-1] if self.handlers else None)
                self.leave("raise", RAISE + name, "exception", node.lineno)
            case ast.Break():
                self._simple(node)
                self.leave("break", BREAK, "next", node.lineno)
            case ast.Continue():
                self._simple(node)
                self.leave("continue", CONTINUE, "next", node.lineno)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                word = "def" if isinstance(node, ast.FunctionDef) else "async def"
                self._simple(node, f"{word} {node.name}")
            case ast.ClassDef():
                self._simple(node, f"class {node.name}")
            case _:
                self._simple(node)

    def _simple(self, node: ast.stmt, text: str | None = None) -> None:
        """A statement that only evaluates expressions, though these may branch."""
        self.head(node, text or self.source.text(node))
        begun = self.draft.current
        self.evaluator.values(in_order(node))
        value = getattr(node, "value", None)
        done = isinstance(node, ast.Expr | ast.Return) and value is not None and branches(value)
        # The statement's own work (a store, a call) happens after its operands, in another block than it began
        # in.
        if self.draft.current is not begun and not done:
            self.evaluator.rest()

    def _if_(self, node: ast.If) -> None:
        self.head(node, self.source.between(node, node.test), node.test)
        body, orelse, after = self.draft.block(), self.draft.block(), self.draft.block()
        self.evaluator.branch(node.test, self.table.at(node), body, orelse)
        self.suite_in(body, node.body)
        self.join(after)
        self.suite_in(orelse, node.orelse)
        self.join(after)
        self.draft.current = after

    def _while_(self, node: ast.While) -> None:
        head, body, orelse, after = (self.draft.block() for _ in range(4))
        self.join(head)
        self.draft.current = head
        self.head(node, self.source.between(node, node.test), node.test)
        self.evaluator.branch(node.test, self.table.at(node), body, orelse)
        self._loop_body(node, head, body, orelse, after)

    def _for_(self, node: _For) -> None:
        text = self.source.between(node, node.iter)
        self.head(node, text, node.iter)
        # The iterable is evaluated once, in front of the loop.
        self.evaluator.value(node.iter)
        head, body, orelse, after = (self.draft.block() for _ in range(4))
        self.join(head)
        self.draft.current = head
        self.evaluator.rest()
        site = self.table.at(node)
        assert site is not None
        self.outcome(site, "entered", "loop", body)
        self.outcome(site, "exhausted", "exhausted", orelse)
        self.draft.current = body
        # Storing an item may run code (`for self.x in ...`), in every round.
        self.evaluator.value(node.target)
        self._loop_body(node, head, self.draft.current, orelse, after)

    def _loop_body(
        self, node: ast.While | _For, head: DraftBlock, body: DraftBlock, orelse: DraftBlock, after: DraftBlock
    ) -> None:
        with self.jumps.loop(head, after):
            self.suite_in(body, node.body)
            self.draft.edge(self.draft.current, head, "next", causes.finished("body of the loop", node.lineno))
        self.suite_in(orelse, node.orelse)
        self.join(after)
        # Only said if nothing leads there in the end, a `break` for one.
        after.why_dead = f"the loop on line {node.lineno} never ends"
        self.draft.current = after

    def outcome(self, site: Site, outcome: str, kind: EdgeKind, target: DraftBlock) -> None:
        """One edge of the current block that is an outcome of a site."""
        cause = causes.of_outcome(site, outcome)
        self.draft.edge(self.draft.current, target, kind, cause, 0, site.edge(outcome))

    def _assertion(self, node: ast.Assert) -> None:
        self.head(node, self.source.text(node))
        passed, failed = self.draft.block(), self.draft.block(node.lineno)
        self.evaluator.branch(node.test, self.table.at(node), passed, failed, "assertion")
        self.draft.current = failed
        if node.msg is not None and node.msg in self.evaluator.flowing:
            self.evaluator.operand(node.msg)
            self.evaluator.value(node.msg)
        cause = causes.Cause(
            f"the assertion on line {node.lineno} failed", f"the assertion on line {node.lineno} never failed"
        )
        self.jumps.go(Jump(self.draft.current, RAISE + "AssertionError", "assertion", cause, node.lineno))
        # `assert False` is the usual way to mark a place as unreachable.
        passed.why_dead = f"the assertion on line {node.lineno} always fails"
        self.draft.current = passed

    def _match_(self, node: ast.Match) -> None:
        self.head(node, self.source.between(node, node.subject), node.subject)
        self.evaluator.value(node.subject)
        after = self.draft.block()
        for case in node.cases:
            unmatched = self._case(case)
            self.join(after)
            self.draft.current = unmatched
        self.join(after)
        self.draft.current = after

    def _case(self, case: ast.match_case) -> DraftBlock:
        """One case; the current block is then the end of its body, the one returned where it does not match.

        A case is matched when its pattern fits and its guard holds.
        """
        pattern, site = case.pattern, self.table.at(case)
        assert site is not None
        block = self.draft.block(pattern.lineno)
        self.join(block)
        self.draft.current = block
        span = Extent(pattern.lineno, pattern.col_offset, pattern.end_lineno, pattern.end_col_offset)
        line = self._case_line(pattern)
        part = Part("clause", f"case {self.source.text(pattern)}", span, line, line, None)
        self.evaluator.statement = part
        self.evaluator.add(part)
        body, unmatched = self.draft.block(), self.draft.block()
        if case.guard is None:
            self.outcome(site, "matched", "case", body)
        else:
            # Pattern and guard are sites of their own, `matched` is the outcome of both together.
            fits, met, failed = self.draft.block(line), self.draft.block(line), self.draft.block(line)
            thing = f"the pattern `{self.source.text(pattern)}` on line {line}"
            fit = causes.Cause(f"{thing} fitted", f"{thing} never fitted")
            misfit = causes.Cause(f"{thing} did not fit", f"{thing} always fitted")
            self.draft.edge(block, fits, "case", fit, line)
            if not takes_all(pattern):
                self.draft.edge(block, failed, "case", misfit, line)
            self.draft.current = fits
            self.evaluator.operand(case.guard)
            self.evaluator.branch(case.guard, self.table.at(case, 1), met, failed)
            self.draft.current = met
            self.outcome(site, "matched", "case", body)
            self.draft.current = failed
        if "unmatched" in site.outcomes:
            self.outcome(site, "unmatched", "case", unmatched)
        self.suite_in(body, case.body)
        return unmatched

    def _case_line(self, pattern: ast.pattern) -> int:
        """The line of the keyword: a parenthesised pattern may begin below it."""
        line = pattern.lineno
        # The AST has no position for a `case`, only for its pattern.
        while line > 1 and self.source.lines[line - 1].split("(")[0].split(None, 1)[:1] != ["case"]:
            line -= 1
            if pattern.lineno - line > 20:
                return pattern.lineno
        return line


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0


def _cannot_fail(node: ast.AST) -> bool:
    """Whether no exception can come from the head of a statement."""
    match node:
        case ast.Pass() | ast.Break() | ast.Continue() | ast.Try() | ast.TryStar():
            return True
        case ast.Raise() | ast.ExceptHandler():
            # What they raise or pass on is an edge of its own.
            return True
        case ast.Return(value=None | ast.Constant()) | ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case ast.While() | ast.If():
            return isinstance(node.test, ast.Constant)
    return isinstance(node, ast.stmt) and does_nothing(node)
