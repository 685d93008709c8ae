"""The branch table: every place of a module that can branch, and an id for each of its outcomes.

The table is computed from the AST alone. The control-flow graph and the instrumenter both look their
ids up here by AST node, so they cannot disagree. Ids are small integers given in traversal order:
the same source has the same ids on every run and every supported Python version.

What is a site, and what is not:

- a test that is a constant (`while True`, `if 0`) has one possible outcome and is no site;
- of `a and b and c` the operands `a` and `b` are sites; `c` only gives the expression its value;
- of `a < b < c` the link `a < b` is a site; `b < c` only gives the expression its value;
- the last typed `except` clause has no *passed over* outcome: the exception then leaves the statement;
- a loop of an asynchronous comprehension has no *exhausted* outcome;
- annotations and type parameters are not looked into: whether they run at all depends on the version.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NewType

from ramify.cfg.source import SourceText

BranchId = NewType("BranchId", int)
"""The index of an outcome in `BranchTable.edges`."""

SiteKind = Literal[
    "if", "conditional", "operand", "link", "while", "for", "comprehension", "filter",
    "assert", "case", "guard", "try", "handler", "with",
]  # fmt: skip

ScopeKind = Literal["module", "class", "function", "lambda", "comprehension"]

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

# An expression with more operands than this is one site, not many: the rewritten form nests once per
# operand, and the compiler's own recursion has a limit.
MAX_OPERANDS = 64

# CPython refuses more nested blocks than this in one function, and measuring a `with` takes two.
MAX_BLOCKS = 20

_MISSING = {
    "true": "never true",
    "false": "never false",
    "entered": "never entered",
    "exhausted": "never ran to its end",
    "matched": "never matched",
    "unmatched": "never failed to match",
    "caught": "never caught anything",
    "passed": "never passed an exception on to the next clause",
    "completed": "never completed without an exception",
    "left": "never left normally",
    "suppressed": "never suppressed an exception",
}
_HIT = {
    "true": "true",
    "false": "false",
    "entered": "entered",
    "exhausted": "ran to its end",
    "matched": "matched",
    "unmatched": "did not match",
    "caught": "caught an exception",
    "passed": "passed the exception on",
    "completed": "completed without an exception",
    "left": "left normally",
    "suppressed": "suppressed an exception",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """A module, class, function, lambda or comprehension; `function` is where reports count its branches."""

    index: int
    kind: ScopeKind
    qualname: str
    line: int
    end_line: int
    parent: int | None
    function: int


@dataclass(frozen=True, slots=True)
class Site:
    """A place that can branch, with one edge id per outcome, in the order of `outcomes`."""

    index: int
    kind: SiteKind
    text: str
    line: int
    column: int
    scope: int
    outcomes: tuple[str, ...]
    first: BranchId

    def edge(self, outcome: str) -> BranchId:
        """The id of one outcome; asking for an outcome the site does not have is a KeyError."""
        try:
            return BranchId(self.first + self.outcomes.index(outcome))
        except ValueError:
            raise KeyError(f"{self.kind} at line {self.line} has no outcome {outcome!r}") from None


@dataclass(frozen=True, slots=True)
class Edge:
    """One outcome of a site."""

    id: BranchId
    site: Site
    outcome: str

    @property
    def line(self) -> int:
        return self.site.line

    @property
    def column(self) -> int:
        return self.site.column

    @property
    def label(self) -> str:
        """What happens here, as in ``line 12: `if total > price` false``."""
        return f"line {self.line}: `{self.site.text}` {_HIT[self.outcome]}"

    @property
    def missing(self) -> str:
        """What has not happened here, as in ``line 12: `if total > price` never false``."""
        return f"line {self.line}: `{self.site.text}` {_MISSING[self.outcome]}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that does something, and the probe whose hit proves that it was reached.

    Probes are numbered after the edges. A statement right behind an edge's probe, or behind a statement
    that cannot fail, shares that probe.
    """

    line: int
    end_line: int
    scope: int
    probe: int


@dataclass(slots=True)
class BranchTable:
    """All sites, edges, scopes and statements of one module."""

    edges: list[Edge] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    probes: int = 0
    _by_node: dict[tuple[ast.AST, int], Site] = field(default_factory=dict, repr=False)
    _scope_by_node: dict[ast.AST, Scope] = field(default_factory=dict, repr=False)
    _probe_by_node: dict[ast.AST, int] = field(default_factory=dict, repr=False)
    _statement_by_node: dict[ast.AST, Statement] = field(default_factory=dict, repr=False)
    _proof_by_node: dict[ast.AST, int] = field(default_factory=dict, repr=False)
    _span_by_node: dict[ast.AST, tuple[range, range]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, tree: ast.Module, source: str) -> BranchTable:
        """The table of a parsed module; `source` gives the texts people read."""
        table = cls()
        with deep_recursion():
            _Builder(table, source).module(tree)
        return table

    @classmethod
    def of_source(cls, source: str) -> BranchTable:
        return cls.of(ast.parse(source), source)

    def at(self, node: ast.AST, part: int = 0) -> Site | None:
        """The site at a node of the tree the table was built from.

        `part` is the operand of a `BoolOp`, the link of a `Compare`; for a `comprehension` 0 is the loop
        and 1, 2, ... its conditions; for a `match_case` 0 is the pattern and 1 the guard.
        """
        return self._by_node.get((node, part))

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope a module, class, function, lambda or comprehension node opens."""
        return self._scope_by_node[node]

    def own_probe(self, node: ast.AST) -> int | None:
        """The probe that stands before this statement or lambda body, if it has one of its own."""
        return self._probe_by_node.get(node)

    def statement_of(self, node: ast.AST) -> Statement | None:
        """The statement of a node that does something; None for docstrings and declarations."""
        return self._statement_by_node.get(node)

    def proof_of(self, node: ast.AST) -> int | None:
        """The probe whose hit proves that a statement was reached, also one that does nothing but `global`."""
        return self._proof_by_node.get(node)

    def scope_nodes(self) -> Iterator[tuple[ast.AST, Scope]]:
        """Every node that opens a scope, in the order of `scopes`."""
        return iter(self._scope_by_node.items())

    def span(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[range, range]:
        """The edges and the statements' own probes inside a function, nested scopes included."""
        return self._span_by_node[node]

    def functions(self) -> Iterator[tuple[Scope, list[Edge]]]:
        """The scopes that reports list (module, functions, methods), each with its branches."""
        edges: dict[int, list[Edge]] = {}
        for edge in self.edges:
            edges.setdefault(self.scopes[edge.site.scope].function, []).append(edge)
        for scope in self.scopes:
            if scope.function == scope.index:
                yield scope, edges.get(scope.index, [])


class _RecursionLimit:
    """The interpreter's limit, which all threads share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0  # that are inside `raised`
        self._usual = 0

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Let pure-Python walks follow expressions as deep as the compiler takes; they need no C stack."""
        with self._lock:
            limit = sys.getrecursionlimit()
            if self._threads == 0:
                self._usual = limit
            self._threads += 1
            sys.setrecursionlimit(max(limit, 50_000))
        try:
            yield
        finally:
            with self._lock:
                self._threads -= 1
                if self._threads == 0:
                    sys.setrecursionlimit(self._usual)


deep_recursion = _RecursionLimit().raised


def is_constant_test(node: ast.expr) -> bool | None:
    """The value of a test the compiler decides by itself, else None."""
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.Name(id="__debug__"):
            return True
        case ast.UnaryOp(op=ast.Not()):
            inner = is_constant_test(node.operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            stops = isinstance(node.op, ast.Or)
            for value in map(is_constant_test, node.values):
                if value is None or value is stops:
                    return value
            return not stops
    return None


def takes_all(pattern: ast.pattern) -> bool:
    """Whether a pattern fits every subject."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return takes_all(inner)
        case ast.MatchOr():
            return takes_all(pattern.patterns[-1])
    return False


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether a case takes every subject: a bare name or wildcard, without a guard."""
    return case.guard is None and takes_all(case.pattern)


def does_nothing(node: ast.stmt) -> bool:
    """Whether the compiler emits no code for a statement, so that no line of it can be executed."""
    match node:
        case ast.Global() | ast.Nonlocal() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Delete(targets=[ast.Tuple(elts=[]) | ast.List(elts=[])]):
            return True
    return False


def leaves_through_cleanup(body: list[ast.stmt]) -> bool:
    """Whether a jump out of this suite first runs a `finally` or the exit of a `with` that stands in it."""

    def leaves(node: ast.AST, in_loop: bool, in_cleanup: bool) -> bool:
        match node:
            case ast.Return():
                return in_cleanup
            case ast.Break() | ast.Continue():
                return in_cleanup and not in_loop
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.expr():
                return False
            case ast.For() | ast.AsyncFor() | ast.While():
                return any(leaves(inner, True, in_cleanup) for inner in node.body) or any(
                    leaves(inner, in_loop, in_cleanup) for inner in node.orelse
                )
            case ast.With() | ast.AsyncWith():
                in_cleanup = True
            case ast.Try() | ast.TryStar():
                in_cleanup = in_cleanup or bool(node.finalbody)
        return any(leaves(inner, in_loop, in_cleanup) for inner in ast.iter_child_nodes(node))

    return any(leaves(node, False, False) for node in body)


def has_docstring(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            return True
    return False


class _Builder:
    """Walks a module once, in source order, and fills the table."""

    def __init__(self, table: BranchTable, source: str) -> None:
        self.table = table
        self.source = SourceText(source)
        self.text = self.source.text
        self.scope: Scope
        self.guard_withs = True
        self.statement_probes: list[tuple[ast.AST, int, Scope, int]] = []
        self.spans: list[tuple[ast.AST, range, range]] = []
        self.suites: list[tuple[list[ast.stmt], int | None]] = []

    # -- scopes ---------------------------------------------------------------------------------

    def module(self, tree: ast.Module) -> None:
        self.open(tree, "module", "<module>", 1, self.source.last_line)
        self.guard_withs = _max_blocks(tree.body) <= MAX_BLOCKS
        self.suite(tree.body, None)
        self.number_statements()

    def open(self, node: ast.AST, kind: ScopeKind, name: str, line: int, end_line: int) -> Scope:
        parent = self.scope if self.table.scopes else None
        index = len(self.table.scopes)
        if parent is None or parent.kind == "module":
            qualname = name
        else:
            locals_part = "" if parent.kind == "class" else "<locals>."
            qualname = f"{parent.qualname}.{locals_part}{name}"
        # Class bodies, lambdas and comprehensions count with the function they stand in.
        reported = parent is None or kind == "function"
        function = index if reported or parent is None else parent.function
        scope = Scope(index, kind, qualname, line, end_line, parent.index if parent else None, function)
        self.table.scopes.append(scope)
        self.table._scope_by_node[node] = scope
        self.scope = scope
        return scope

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.expressions(node.decorator_list)
        self.defaults(node.args)
        outer, outer_guards = self.scope, self.guard_withs
        self.open(node, "function", node.name, node.lineno, node.end_lineno or node.lineno)
        self.guard_withs = _max_blocks(node.body) <= MAX_BLOCKS
        first_edge, first_statement = len(self.table.edges), len(self.statement_probes)
        self.suite(node.body, None)
        self.spans.append(
            (node, range(first_edge, len(self.table.edges)), range(first_statement, len(self.statement_probes)))
        )
        self.scope, self.guard_withs = outer, outer_guards

    def defaults(self, args: ast.arguments) -> None:
        self.expressions(args.defaults)
        self.expressions([default for default in args.kw_defaults if default is not None])

    def class_(self, node: ast.ClassDef) -> None:
        self.expressions(node.decorator_list)
        self.expressions(node.bases)
        self.expressions([keyword.value for keyword in node.keywords])
        outer, outer_guards = self.scope, self.guard_withs
        self.open(node, "class", node.name, node.lineno, node.end_lineno or node.lineno)
        self.guard_withs = _max_blocks(node.body) <= MAX_BLOCKS
        self.suite(node.body, None)
        self.scope, self.guard_withs = outer, outer_guards

    # -- statements -----------------------------------------------------------------------------

    def suite(self, body: list[ast.stmt], behind: int | None) -> None:
        """A list of statements; `behind` is the edge whose probe stands right before the first one."""
        self.suites.append((body, behind))
        probe = behind
        for node in body:
            if not does_nothing(node) and not self.only_annotates(node):
                self.statement_probes.append((node, -1 if probe is None else probe, self.scope, node.lineno))
                if probe is None:
                    probe = -2 - (len(self.statement_probes) - 1)  # shares the probe of that statement
            self.statement(node)
            if not self.cannot_fail(node):
                probe = None

    def cannot_fail(self, node: ast.stmt) -> bool:
        match node:
            case ast.Pass():
                return True
            case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
                # The namespace of a class may refuse.
                return self.scope.kind != "class"
        return does_nothing(node)

    def only_annotates(self, node: ast.stmt) -> bool:
        """`x: int` in a function, whose annotation is not even evaluated."""
        bare = isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name)
        return bare and self.scope.kind == "function"

    def number_statements(self) -> None:
        """Give the statements' own probes their numbers, now that all edges have theirs."""
        table = self.table
        table.probes = len(table.edges)
        numbers: list[int] = []
        before = [table.probes]  # how many probes there were when each statement was numbered
        for node, mark, scope, line in self.statement_probes:
            if mark == -1:
                number = table.probes
                table._probe_by_node[node] = number
                table.probes += 1
            elif mark <= -2:
                number = numbers[-2 - mark]
            else:
                number = mark
            numbers.append(number)
            end = getattr(node, "end_lineno", None) or line
            statement = Statement(line, end, scope.index, number)
            table.statements.append(statement)
            table._statement_by_node[node] = statement
            before.append(table.probes)
        for node, edges, statements in self.spans:
            own = range(before[statements.start], before[statements.stop])
            table._span_by_node[node] = edges, own
        for body, behind in self.suites:
            self.prove(body, behind)
            # What does nothing cannot fail: it was reached if the next statement was.
            self.prove(body[::-1], None)

    def prove(self, body: list[ast.stmt], proof: int | None) -> None:
        """Let the statements that have no probe share that of the one before in this order."""
        for node in body:
            if (statement := self.table._statement_by_node.get(node)) is not None:
                proof = statement.probe
            if proof is not None and not isinstance(node, ast.Global | ast.Nonlocal):
                self.table._proof_by_node[node] = proof

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef():
                self.class_(node)
            case ast.If():
                site = self.test_site(node, "if", f"if {self.text(node.test)}", node.test)
                self.expression(node.test)
                self.suite(node.body, site.edge("true") if site else None)
                self.suite(node.orelse, site.edge("false") if site else None)
            case ast.While():
                site = self.test_site(node, "while", f"while {self.text(node.test)}", node.test)
                self.expression(node.test)
                self.suite(node.body, site.edge("true") if site else None)
                self.suite(node.orelse, site.edge("false") if site else None)
            case ast.For() | ast.AsyncFor():
                word = "async for" if isinstance(node, ast.AsyncFor) else "for"
                text = f"{word} {self.text(node.target)} in {self.text(node.iter)}"
                loop = self.site(node, "for", text, ("entered", "exhausted"), node)
                self.expressions([node.iter, node.target])
                self.suite(node.body, loop.edge("entered"))
                self.suite(node.orelse, loop.edge("exhausted"))
            case ast.Assert():
                self.test_site(node, "assert", f"assert {self.text(node.test)}", node.test)
                self.expressions([node.test, node.msg] if node.msg else [node.test])
            case ast.Match():
                self.match(node)
            case ast.Try() | ast.TryStar():
                self.try_(node)
            case ast.With() | ast.AsyncWith():
                self.with_(node)
            case ast.AnnAssign():
                self.expressions([node.target, node.value] if node.value else [node.target])
            case ast.stmt():
                if type(node).__name__ != "TypeAlias":
                    self.expressions(ast.iter_child_nodes(node))

    def match(self, node: ast.Match) -> None:
        self.expression(node.subject)
        for index, case in enumerate(node.cases):
            last = index == len(node.cases) - 1
            outcomes = ("matched",) if last and is_irrefutable(case) else ("matched", "unmatched")
            site = self.site(case, "case", f"case {self.text(case.pattern)}", outcomes, case.pattern)
            if case.guard is not None:
                self.test_site(case, "guard", f"if {self.text(case.guard)}", case.guard, part=1)
                self.expression(case.guard)
            self.suite(case.body, site.edge("matched"))

    def try_(self, node: ast.Try | ast.TryStar) -> None:
        star = isinstance(node, ast.TryStar)
        if node.handlers:
            self.site(node, "try", "try", ("completed",), node)
        self.suite(node.body, None)
        for index, handler in enumerate(node.handlers):
            last = index == len(node.handlers) - 1
            text = "except*" if star else "except"
            if handler.type is not None:
                text += f" {self.text(handler.type)}"
            # `except*` clauses are all tried in turn, so reaching the next one says nothing of this one.
            outcomes = ("caught",) if last or star else ("caught", "passed")
            site = self.site(handler, "handler", text, outcomes, handler)
            if handler.type is not None:
                self.expression(handler.type)
            self.suite(handler.body, site.edge("caught"))
        self.suite(node.orelse, None)
        self.suite(node.finalbody, None)

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        word = "async with" if isinstance(node, ast.AsyncWith) else "with"
        if self.guard_withs:
            text = ", ".join(self.text(item.context_expr) for item in node.items)
            self.site(node, "with", f"{word} {text}", ("left", "suppressed"), node)
        for item in node.items:
            self.expression(item.context_expr)
            if item.optional_vars is not None:
                self.expression(item.optional_vars)
        self.suite(node.body, None)

    # -- expressions ----------------------------------------------------------------------------

    def expressions(self, nodes: Iterator[ast.AST] | list[ast.expr]) -> None:
        for node in nodes:
            self.expression(node)

    def expression(self, node: ast.AST) -> None:
        match node:
            case ast.IfExp():
                self.test_site(node, "conditional", f"... if {self.text(node.test)} else ...", node.test)
            case ast.BoolOp() if len(node.values) <= MAX_OPERANDS:
                word = "and" if isinstance(node.op, ast.And) else "or"
                for part, operand in enumerate(node.values[:-1]):
                    if is_constant_test(operand) is not None:
                        continue
                    text = f"{self.text(operand)} {word} ..."
                    self.site(node, "operand", text, ("true", "false"), operand, part)
            case ast.Compare() if 1 < len(node.ops) <= MAX_OPERANDS:
                left = node.left
                for part, right in enumerate(node.comparators[:-1]):
                    text = self.source.between(left, right)
                    self.site(node, "link", f"{text} ...", ("true", "false"), left, part)
                    left = right
            case ast.Lambda():
                self.defaults(node.args)
                outer = self.scope
                self.open(node, "lambda", "<lambda>", node.lineno, node.end_lineno or node.lineno)
                self.statement_probes.append((node, -1, self.scope, node.body.lineno))
                self.expression(node.body)
                self.scope = outer
                return
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.comprehension(node)
                return
        self.expressions(ast.iter_child_nodes(node))

    def comprehension(self, node: Comprehension) -> None:
        names = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}
        outer = self.scope
        # The first iterable is evaluated by the scope around the comprehension.
        self.expression(node.generators[0].iter)
        self.open(
            node, "comprehension", names.get(type(node), "<genexpr>"), node.lineno, node.end_lineno or node.lineno
        )
        for index, generator in enumerate(node.generators):
            word = "async for" if generator.is_async else "for"
            text = f"{word} {self.text(generator.target)} in {self.text(generator.iter)}"
            outcomes = ("entered",) if generator.is_async else ("entered", "exhausted")
            self.site(generator, "comprehension", text, outcomes, generator.target)
            if index:
                self.expression(generator.iter)
            self.expression(generator.target)
            for part, condition in enumerate(generator.ifs, 1):
                self.test_site(generator, "filter", f"if {self.text(condition)}", condition, part)
                self.expression(condition)
        if isinstance(node, ast.DictComp):
            self.expressions([node.key, node.value])
        else:
            self.expression(node.elt)
        self.scope = outer

    # -- sites and texts ------------------------------------------------------------------------

    def test_site(self, node: ast.AST, kind: SiteKind, text: str, test: ast.expr, part: int = 0) -> Site | None:
        if is_constant_test(test) is not None:
            return None
        # A statement stands at its keyword; an expression, condition or guard stands at its test.
        where: ast.AST = node if isinstance(node, ast.stmt) else test
        return self.site(node, kind, text, ("true", "false"), where, part)

    def site(
        self, node: ast.AST, kind: SiteKind, text: str, outcomes: tuple[str, ...], where: ast.AST, part: int = 0
    ) -> Site:
        table = self.table
        first = BranchId(len(table.edges))
        line, column = getattr(where, "lineno", 1), getattr(where, "col_offset", 0)
        site = Site(len(table.sites), kind, text, line, column, self.scope.index, outcomes, first)
        table.sites.append(site)
        table._by_node[node, part] = site
        table.edges += [Edge(BranchId(first + i), site, outcome) for i, outcome in enumerate(outcomes)]
        return site


def _max_blocks(body: list[ast.stmt]) -> int:
    """How many blocks nest in a function once every `with` is measured."""

    def depth(node: ast.stmt) -> int:
        match node:
            case ast.With() | ast.AsyncWith():
                return len(node.items) + 2 + _max_blocks(node.body)
            case ast.For() | ast.AsyncFor() | ast.While():
                return 1 + max(_max_blocks(node.body), _max_blocks(node.orelse))
            case ast.Try() | ast.TryStar():
                handlers = max((_max_blocks(handler.body) for handler in node.handlers), default=0)
                guarded = bool(node.handlers) and leaves_through_cleanup(node.body)
                inner = max(_max_blocks(node.body) + guarded, handlers + 1, _max_blocks(node.orelse))
                return 2 + max(inner, _max_blocks(node.finalbody))
            case ast.If():
                return max(_max_blocks(node.body), _max_blocks(node.orelse))
            case ast.Match():
                return max(_max_blocks(case.body) for case in node.cases)
        return 0

    return max((depth(node) for node in body), default=0)
