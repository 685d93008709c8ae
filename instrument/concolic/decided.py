"""Which branches a decision takes: from the position of a truth test to the edges of the branch table.

CPython gives the instruction that tests an operand the position of that operand, except where the value is
kept: there all operands of `a and b and c`, and all links of `a < b < c`, have the position of the whole. The
concolic level gives those tests positions of their own, on the same first line; `operand_span` and `link_span`
say which, for the rewriter and for this module alike.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from ramify.cfg.branches import Site
from ramify.cfg.leaves import Span
from ramify.cfg.recursion import deep_recursion
from ramify.cfg.source_file import SourceFile
from ramify.cfg.syntax import MAX_OPERANDS, is_irrefutable
from ramify.cfg.table import BranchTable
from ramify.instrument.positions import ITER_STANDS_AT_ITERABLE

Edges = dict[Span, tuple[frozenset[int], frozenset[int]]]


_Ids = frozenset[int]
_NONE: _Ids = frozenset()


def span(node: ast.AST) -> Span:
    return (
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        getattr(node, "end_lineno", 0) or 0,
        getattr(node, "end_col_offset", 0) or 0,
    )


def operand_span(node: ast.BoolOp, part: int) -> Span:
    """Where the truth of an operand is tested when the value of the whole is kept."""
    # The last test of the whole is the whole: CPython leaves it at that position.
    if part == len(node.values) - 2:
        return span(node)
    following = node.values[part + 1]
    return node.lineno, node.col_offset, following.lineno, following.col_offset


def link_span(node: ast.Compare, part: int) -> Span:
    """Where a link of a chain that is split is compared and tested."""
    if part == len(node.ops) - 1:
        return span(node)
    right = node.comparators[part]
    return node.lineno, node.col_offset, right.end_lineno or right.lineno, right.end_col_offset or 0


def can_split(node: ast.Compare) -> bool:
    """Whether `a < b < c` may become `a < b and b < c`: the operands in the middle only read a name."""
    middle = node.comparators[:-1]
    return (
        bool(middle)
        and len(node.ops) <= MAX_OPERANDS
        and all(isinstance(m, ast.Name | ast.Constant) for m in middle)
    )


def is_between(node: ast.Compare) -> bool:
    """Whether `a < f() < c` can be one call with all three: the last operand may be evaluated in any case."""
    usual = all(isinstance(op, ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
    last = node.comparators[-1]
    return len(node.ops) == 2 and usual and isinstance(last, ast.Name | ast.Constant) and not can_split(node)


def decided_edges(tree: ast.Module, table: BranchTable) -> Edges:
    """For every position of a truth test the edges that are taken when it is true, and when it is false."""
    walker = _Walker(table)
    walker.visit(tree)
    return walker.edges


@lru_cache(maxsize=16)
def decided_in(file: SourceFile) -> Edges:
    """The same of a file; nobody may change it."""
    with deep_recursion():
        return decided_edges(file.tree, file.table)


def _of(site: Site | None, outcome: str) -> _Ids:
    return _NONE if site is None or outcome not in site.outcomes else frozenset((site.edge(outcome),))


class _Walker(ast.NodeVisitor):
    def __init__(self, table: BranchTable) -> None:
        self.table = table
        self.edges: Edges = {}

    def add(self, where: Span, true: _Ids, false: _Ids) -> None:
        if true or false:
            # Two tests may have one position; both may then have been decided.
            known = self.edges.get(where, (_NONE, _NONE))
            self.edges[where] = known[0] | true, known[1] | false

    def visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    # -- statements -----------------------------------------------------------------------------

    def visit_If(self, node: ast.If | ast.While) -> None:
        site = self.table.at(node)
        self.test(node.test, _of(site, "true"), _of(site, "false"))
        self.visit_all([*node.body, *node.orelse])

    visit_While = visit_If

    def visit_Assert(self, node: ast.Assert) -> None:
        site = self.table.at(node)
        self.test(node.test, _of(site, "true"), _of(site, "false"))
        if node.msg is not None:
            self.visit(node.msg)

    def visit_For(self, node: ast.For) -> None:
        site = self.table.at(node)
        where = span(node.iter) if ITER_STANDS_AT_ITERABLE else span(node)
        self.add(where, _of(site, "entered"), _of(site, "exhausted"))
        self.visit_all([node.iter, *node.body, *node.orelse])

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case, following in zip(node.cases, [*node.cases[1:], None], strict=True):
            site = self.table.at(case)
            unmatched = _of(site, "unmatched")
            if following is not None and is_irrefutable(following):
                # A wildcard behind it takes whatever did not match.
                unmatched |= _of(self.table.at(following), "matched")
            matched = _of(site, "matched") if case.guard is None else _NONE
            if not is_irrefutable(case):
                self.pattern(case.pattern, matched, unmatched)
            if case.guard is not None:
                guard = self.table.at(case, 1)
                self.test(case.guard, _of(guard, "true") | _of(site, "matched"), _of(guard, "false") | unmatched)
            self.visit_all(case.body)

    def pattern(self, pattern: ast.pattern, true: _Ids, false: _Ids) -> None:
        """A pattern whose fitting leads to `true`; of several parts none is sure to be the one that decides."""
        # CPython gives the tests of a pattern the position of the pattern or of a part of it.
        self.add(span(pattern), true, false)
        match pattern:
            case ast.MatchOr():
                for alternative in pattern.patterns[:-1]:
                    self.pattern(alternative, true, _NONE)
                self.pattern(pattern.patterns[-1], true, false)
            case ast.MatchAs(pattern=ast.pattern() as inner):
                self.pattern(inner, true, false)
            case ast.MatchSequence() | ast.MatchMapping():
                for part in pattern.patterns:
                    self.pattern(part, _NONE, false)
            case ast.MatchClass():
                for part in [*pattern.patterns, *pattern.kwd_patterns]:
                    self.pattern(part, _NONE, false)

    # -- expressions ----------------------------------------------------------------------------

    def visit_IfExp(self, node: ast.IfExp) -> None:
        site = self.table.at(node)
        self.test(node.test, _of(site, "true"), _of(site, "false"))
        self.visit_all([node.body, node.orelse])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.kept(node, _NONE, _NONE)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.chain(node, _NONE, _NONE)
        self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        for generator in node.generators:
            site = self.table.at(generator)
            where = span(generator.iter) if ITER_STANDS_AT_ITERABLE else span(node)
            self.add(where, _of(site, "entered"), _of(site, "exhausted"))
            self.visit(generator.iter)
            for part, condition in enumerate(generator.ifs, 1):
                filters = self.table.at(generator, part)
                self.test(condition, _of(filters, "true"), _of(filters, "false"))
        self.visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def kept(self, node: ast.BoolOp, true: _Ids, false: _Ids) -> None:
        """`and` and `or` whose value is kept; `true` and `false` are what the truth of that value implies."""
        for part, operand in enumerate(node.values):
            on_true, on_false = self.beyond(node, part, true, false)
            if part < len(node.values) - 1:
                self.add(operand_span(node, part), on_true, on_false)
            if isinstance(operand, ast.BoolOp):
                self.kept(operand, on_true, on_false)
            else:
                self.visit(operand)

    def test(self, node: ast.expr, true: _Ids, false: _Ids) -> None:
        """An expression of which only the truth is wanted."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                self.test(node.operand, false, true)
            case ast.BoolOp():
                for part, operand in enumerate(node.values):
                    self.test(operand, *self.beyond(node, part, true, false))
            case ast.IfExp():
                site = self.table.at(node)
                self.test(node.test, _of(site, "true"), _of(site, "false"))
                self.test(node.body, true, false)
                self.test(node.orelse, true, false)
            case ast.Compare(ops=[_, _, *_]):
                self.chain(node, true, false)
                self.generic_visit(node)
            case _:
                self.add(span(node), true, false)
                self.visit(node)

    def beyond(self, node: ast.BoolOp, part: int, true: _Ids, false: _Ids) -> tuple[_Ids, _Ids]:
        """What an operand decides: its own edges, and those of the whole where it has the last word."""
        if part == len(node.values) - 1:
            return true, false
        site = self.table.at(node, part)
        if isinstance(node.op, ast.And):
            return _of(site, "true"), _of(site, "false") | false
        return _of(site, "true") | true, _of(site, "false")

    def chain(self, node: ast.Compare, true: _Ids, false: _Ids) -> None:
        last = len(node.ops) - 1
        if last and not (can_split(node) or is_between(node)):
            # All links are tested at one place: only what holds whichever of them it is.
            self.add(span(node), _of(self.table.at(node), "true"), false)
            return
        for part in range(last):
            site = self.table.at(node, part)
            self.add(link_span(node, part), _of(site, "true"), _of(site, "false") | false)
        if last:
            self.add(span(node), true, false)

    # -- not looked into ------------------------------------------------------------------------

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit_all([node.target, node.value] if node.value else [node.target])

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.visit_all([*node.decorator_list, node.args, *node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_arg(self, node: ast.arg) -> None:
        pass

    def visit_TypeAlias(self, node: ast.AST) -> None:
        pass
