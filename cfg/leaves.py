"""The leaves of tests: the expressions whose truth decides a branch, and the edges that each truth takes.

The test of `if a and not b` has two leaves. When `a` is false, the operand's `false` edge and that of the `if`
are taken; when `b` is true, that of the `if` alone. A decision of a run is known by the place of its leaf, so
this is how a decision finds its edges.
"""

from __future__ import annotations

import ast

from ramify.cfg.table import MAX_OPERANDS, BranchTable, Site, is_constant_test

Span = tuple[int, int, int, int]
"""Line, column, end line and end column of an expression, as CPython counts them."""

Taken = tuple[frozenset[int], frozenset[int]]
"""The edges taken when a leaf is true, and when it is false."""

_NONE: frozenset[int] = frozenset()


def span_of(node: ast.expr | ast.pattern | ast.stmt) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def is_leaf(node: ast.expr, most: int = MAX_OPERANDS) -> bool:
    """Whether the truth of an expression is asked as a whole."""
    match node:
        case ast.UnaryOp(op=ast.Not()) | ast.IfExp() | ast.BoolOp():
            return False
        case ast.Compare():
            return not 1 < len(node.ops) <= most
    return True


def leaves(tree: ast.Module, table: BranchTable) -> dict[Span, Taken]:
    """The leaves of all tests of a module; `table` must have been built from this very tree."""
    found: dict[Span, Taken] = {}
    collector = _Collector(table, found)
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                collector.of_site(node.test, table.at(node))
            case ast.For() | ast.AsyncFor():
                collector.loop(table.at(node), node.iter, node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() if len(node.generators) == 1:
                collector.loop(table.at(node.generators[0]), node)
            case ast.comprehension():
                collector.loop(table.at(node), node.iter)
                for part, condition in enumerate(node.ifs, 1):
                    collector.of_site(condition, table.at(node, part))
            case ast.match_case():
                site = table.at(node)
                if site is not None:
                    collector.pattern(node, site)
                if node.guard is not None:
                    collector.of_site(node.guard, table.at(node, 1))
    for node in ast.walk(tree):
        # Operands whose value is kept are leaves too, unless a test around them has claimed them already.
        if isinstance(node, ast.BoolOp | ast.Compare):
            collector.test(node, _NONE, _NONE, claimed=False)
    return found


class _Collector:
    def __init__(self, table: BranchTable, found: dict[Span, Taken]) -> None:
        self.table = table
        self.found = found

    def of_site(self, test: ast.expr, site: Site | None) -> None:
        if site is not None:
            self.test(test, frozenset({site.edge("true")}), frozenset({site.edge("false")}))

    def loop(self, site: Site | None, *places: ast.expr | ast.stmt) -> None:
        """Whether there is one more round is asked at the iterable or at the whole loop, as the version has it."""
        if site is not None:
            ended = {site.edge("exhausted")} if "exhausted" in site.outcomes else set()
            for place in places:
                self.add(place, frozenset({site.edge("entered")}), frozenset(ended))

    def pattern(self, case: ast.match_case, site: Site) -> None:
        """Every part of a pattern that is compared: one that fails is the whole pattern failing."""
        matched = frozenset({site.edge("matched")})
        unmatched = frozenset({site.edge("unmatched")}) if "unmatched" in site.outcomes else _NONE
        for node in ast.walk(case.pattern):
            if isinstance(node, ast.pattern):
                self.add(node, matched, unmatched)
            if isinstance(node, ast.MatchValue):
                self.add(node.value, matched, unmatched)

    def test(self, node: ast.expr, true: frozenset[int], false: frozenset[int], claimed: bool = True) -> None:
        match node:
            case ast.UnaryOp(op=ast.Not()):
                self.test(node.operand, false, true, claimed)
            case ast.IfExp():
                self.test(node.body, true, false, claimed)
                self.test(node.orelse, true, false, claimed)
            case ast.BoolOp() if len(node.values) <= MAX_OPERANDS:
                self.operands(node, true, false, claimed)
            case ast.Compare() if 1 < len(node.ops) <= MAX_OPERANDS:
                self.links(node, true, false, claimed)
            case _:
                if claimed and is_constant_test(node) is None:
                    self.add(node, true, false)

    def operands(self, node: ast.BoolOp, true: frozenset[int], false: frozenset[int], claimed: bool) -> None:
        for part, operand in enumerate(node.values[:-1]):
            site = self.table.at(node, part)
            if site is None:
                continue
            yes, no = frozenset({site.edge("true")}), frozenset({site.edge("false")})
            if isinstance(node.op, ast.And):
                no |= false
            else:
                yes |= true
            self.test(operand, yes, no, True)
        self.test(node.values[-1], true, false, claimed)

    def links(self, node: ast.Compare, true: frozenset[int], false: frozenset[int], claimed: bool) -> None:
        """Every link of a chain is tested at the place of the whole chain; the edges of the first link count."""
        site = self.table.at(node)
        if site is not None:
            self.add(node, frozenset({site.edge("true")}) | true, frozenset({site.edge("false")}) | false)

    def add(self, node: ast.expr | ast.pattern | ast.stmt, true: frozenset[int], false: frozenset[int]) -> None:
        self.found.setdefault(span_of(node), (true, false))
