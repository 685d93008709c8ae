"""Writes a coverage.py data file, so that `coverage report`, `html`, `xml`, `lcov` and `json` show our hits.

coverage.py sees a program as arcs from line to line. This module follows the flow of control through the
source under coverage.py's own conventions and keeps the arcs that the hits prove: an arc out of a branch
is proved by the edge, any other by the statement it starts from. Only the documented `CoverageData` is used.

Conventions of coverage.py that are followed here: an arc to the end of a function, class or module goes to
the negative of its first line; a jump out of a `with` or `try ... finally` goes straight to where it ends
up; leaving a `with` normally is no jump at all; a statement without bytecode is not there.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType

from ramify.cfg.coverage import FileCoverage
from ramify.cfg.table import BranchTable, Site, deep_recursion, does_nothing, has_docstring
from ramify.errors import InputError

Arc = tuple[int, int]


def write_coverage_data(files: Iterable[FileCoverage], path: str | os.PathLike[str]) -> None:
    """Write (and replace) the data file; files without numbers, such as vanished ones, are left out."""
    try:
        from coverage import CoverageData
        from coverage.exceptions import CoverageException
    except ImportError:
        raise InputError(
            "writing a coverage.py data file needs coverage: pip install 'ramify[coverage]'"
        ) from None
    try:
        data = CoverageData(basename=os.fspath(path))
        data.erase()
        measured = {file.filename: executed_arcs(file) for file in files if file.table is not None}
        data.add_arcs(measured)
        # A file without a single arc is a measured file all the same.
        data.touch_files(measured)
        data.write()
    except (CoverageException, OSError) as error:
        raise InputError(f"cannot write the coverage data file {os.fspath(path)}: {error}") from error


def executed_arcs(file: FileCoverage) -> set[Arc]:
    """The arcs that the hits of a file prove; an executed line is the arc from the line to itself."""
    tree = ast.parse(file.source)
    flow = _Flow(BranchTable.of(tree, file.source), file.hits, _lines_with_code(file))
    with deep_recursion():
        flow.module(tree)
    jumps = {arc for arc in flow.arcs if arc[1] < 0 or arc[1] in flow.lines}
    return jumps | {(line, line) for line in flow.lines}


def _lines_with_code(file: FileCoverage) -> set[int]:
    """The lines for which the compiler emits code: it leaves out declarations and what can never run."""

    def walk(code: CodeType) -> Iterator[int]:
        yield from (line for _, _, line in code.co_lines() if line)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from walk(constant)

    return set(walk(compile(file.source, file.filename, "exec", dont_inherit=True)))


@dataclass(frozen=True)
class _Jumps:
    """Where the statements that jump lead to from here; None where coverage.py counts no arc."""

    returned: int | None = None
    raised: int | None = None
    continued: int | None = None
    broken: int | None = None


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class _Flow:
    """One walk over a module that collects the executed lines and the arcs taken between them."""

    def __init__(self, table: BranchTable, hits: frozenset[int], code: set[int]) -> None:
        self.table = table
        self.hits = hits
        self.code = code
        self.lines: set[int] = set()
        self.arcs: set[Arc] = set()

    def module(self, tree: ast.Module) -> None:
        self.suite(_without_docstring(tree.body), None, -1, _Jumps())

    def suite(self, body: list[ast.stmt], probe: int | None, after: int, jumps: _Jumps) -> None:
        """Statements in a row; `probe` stands before the first of them, `after` is where the last one leads."""
        present = [node for node in body if self.is_there(node)]
        following = [*(_entry(node) for node in present[1:]), after]
        for index, (node, next_line) in enumerate(zip(present, following, strict=False)):
            own = self.table.own_probe(node)
            if own is None and does_nothing(node) and index + 1 < len(present):
                # It has no probe but cannot fail: it was reached if the next statement was.
                own = self.table.own_probe(present[index + 1])
            # Without a probe of its own a statement shares that of the one before it.
            probe = probe if own is None else own
            self.statement(node, probe in self.hits, next_line, jumps)

    def is_there(self, node: ast.stmt) -> bool:
        return not isinstance(node, ast.Global | ast.Nonlocal) and any(line in self.code for line in _header(node))

    def first(self, body: list[ast.stmt], after: int) -> int:
        """The line where a suite begins, or `after` if nothing of it is there."""
        return next((_entry(node) for node in body if self.is_there(node)), after)

    def take(self, site: Site | None, outcome: str, line: int, target: int) -> None:
        if site is not None and site.edge(outcome) in self.hits:
            self.arcs.add((line, target))

    def statement(self, node: ast.stmt, reached: bool, after: int, jumps: _Jumps) -> None:
        line = node.lineno
        if reached:
            self.lines.add(line)
        match node:
            case ast.If():
                self.fork(node, "true", "false", line, after, after, jumps)
            case ast.While():
                inside = replace(jumps, continued=line, broken=after)
                self.fork(node, "true", "false", line, line, after, jumps, inside)
            case ast.For() | ast.AsyncFor():
                inside = replace(jumps, continued=line, broken=after)
                self.fork(node, "entered", "exhausted", line, line, after, jumps, inside)
            case ast.Match():
                self.match(node, after, jumps)
            case ast.Try() | ast.TryStar():
                self.try_(node, after, jumps)
            case ast.With() | ast.AsyncWith():
                self.suite(node.body, None, after, jumps)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.definition(node, reached, after)
            case _ if reached:
                target = _jump_target(node, after, jumps)
                if target is not None:
                    self.arcs.add((line, target))

    def fork(
        self,
        node: ast.If | ast.While | ast.For | ast.AsyncFor,
        yes: str,
        no: str,
        line: int,
        after_body: int,
        after: int,
        jumps: _Jumps,
        inside: _Jumps | None = None,
    ) -> None:
        site = self.table.at(node)
        self.take(site, yes, line, self.first(node.body, after_body))
        self.take(site, no, line, self.first(node.orelse, after))
        self.suite(node.body, site.edge(yes) if site else None, after_body, inside or jumps)
        self.suite(node.orelse, site.edge(no) if site else None, after, jumps)

    def match(self, node: ast.Match, after: int, jumps: _Jumps) -> None:
        starts = [case.pattern.lineno for case in node.cases]
        for case, line, next_line in zip(node.cases, starts, [*starts[1:], after], strict=True):
            site = self.table.at(case)
            assert site is not None
            if any(site.edge(outcome) in self.hits for outcome in site.outcomes):
                self.lines.add(line)
            self.take(site, "matched", line, self.first(case.body, after))
            if "unmatched" in site.outcomes:
                self.take(site, "unmatched", line, next_line)
            self.suite(case.body, site.edge("matched"), after, jumps)

    def try_(self, node: ast.Try | ast.TryStar, after: int, jumps: _Jumps) -> None:
        ending = self.first(node.finalbody, after)
        caught = node.handlers[0].lineno if node.handlers else None
        self.suite(node.body, None, self.first(node.orelse, ending), replace(jumps, raised=caught))
        # What is raised on the way to a `finally` is counted nowhere.
        behind = replace(jumps, raised=None) if node.finalbody else jumps
        passed = False
        for handler in node.handlers:
            site = self.table.at(handler)
            assert site is not None
            if passed or any(site.edge(outcome) in self.hits for outcome in site.outcomes):
                self.lines.add(handler.lineno)
            passed = "passed" in site.outcomes and site.edge("passed") in self.hits
            self.suite(handler.body, site.edge("caught"), ending, behind)
        self.suite(node.orelse, None, ending, behind)
        self.suite(node.finalbody, None, after, jumps)

    def definition(self, node: _Definition, reached: bool, after: int) -> None:
        if reached:
            self.lines.update(decorator.lineno for decorator in node.decorator_list)
            self.arcs.add((node.lineno, after))
        end = -_entry(node)
        jumps = _Jumps() if isinstance(node, ast.ClassDef) else _Jumps(end, end)
        self.suite(_without_docstring(node.body), None, end, jumps)


def _jump_target(node: ast.stmt, after: int, jumps: _Jumps) -> int | None:
    match node:
        case ast.Return():
            return jumps.returned
        case ast.Raise():
            return jumps.raised
        case ast.Continue():
            return jumps.continued
        case ast.Break():
            return jumps.broken
    return after


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return body[1:] if has_docstring(body) else body


def _entry(node: ast.stmt) -> int:
    """The line on which a statement begins to run: a decorated one begins with its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _header(node: ast.stmt) -> range:
    """The lines of a simple statement, or of a compound one before its body."""
    first = _entry(node)
    match node:
        case ast.Match(cases=[case, *_]):
            end = case.pattern.lineno
        case _ if body := getattr(node, "body", None):
            end = _entry(body[0])
        case _:
            return range(first, (node.end_lineno or first) + 1)
    return range(first, max(end, first + 1))
