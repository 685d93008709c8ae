"""The walk that gives out the numbers of a branch table: to every outcome an id, to every statement a probe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ramify.cfg.branches import BranchId, Edge, Scope, ScopeKind, Site, SiteKind, Statement
from ramify.cfg.source import SourceText
from ramify.cfg.syntax import (
    MAX_BLOCKS,
    MAX_OPERANDS,
    Comprehension,
    does_nothing,
    is_constant_test,
    is_irrefutable,
    max_blocks,
)


class Numbering:
    """Walks a module once, in source order, and collects what its branch table holds."""

    def __init__(self, source: str) -> None:
        self.edges: list[Edge] = []
        self.sites: list[Site] = []
        self.scopes: list[Scope] = []
        self.statements: list[Statement] = []
        self.probes = 0
        self.site_at: dict[tuple[ast.AST, int], Site] = {}
        self.scope_at: dict[ast.AST, Scope] = {}
        self.probe_at: dict[ast.AST, int] = {}
        self.statement_at: dict[ast.AST, Statement] = {}
        self.proof_at: dict[ast.AST, int] = {}
        self.span_at: dict[ast.AST, tuple[range, range]] = {}
        self.source = SourceText(source)
        self.text = self.source.text
        self.scope: Scope
        # Measuring a `with` nests two more blocks around it; in a function that would then have too many, none
        # is a site.
        self.guard_withs = True
        # Statements in source order. The number says whose probe each has: an edge's, -1 for one of its own,
        # below that the statement whose probe it shares. They get their final numbers behind the edges, once
        # all edges are known.
        self.statement_probes: list[tuple[ast.AST, int, Scope, int]] = []
        self.spans: list[tuple[ast.AST, range, range]] = []
        self.suites: list[tuple[list[ast.stmt], int | None]] = []

    # -- scopes ---------------------------------------------------------------------------------

    def module(self, tree: ast.Module) -> None:
        self._open(tree, "module", "<module>", 1, self.source.last_line)
        # CPython compiles no more than 20 statically nested blocks in one code object.
        self.guard_withs = max_blocks(tree.body) <= MAX_BLOCKS
        self._suite(tree.body, None)
        self._number_statements()

    def _open(self, node: ast.AST, kind: ScopeKind, name: str, line: int, end_line: int) -> Scope:
        parent = self.scope if self.scopes else None
        index = len(self.scopes)
        # As CPython's `__qualname__`: a module's names stand alone, a function's locals say so.
        if parent is None or parent.kind == "module":
            qualname = name
        else:
            locals_part = "" if parent.kind == "class" else "<locals>."
            qualname = f"{parent.qualname}.{locals_part}{name}"
        # Class bodies, lambdas and comprehensions count with the function they stand in.
        reported = parent is None or kind == "function"
        function = index if reported or parent is None else parent.function
        scope = Scope(index, kind, qualname, line, end_line, parent.index if parent else None, function)
        self.scopes.append(scope)
        self.scope_at[node] = scope
        self.scope = scope
        return scope

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._expressions(node.decorator_list)
        self._defaults(node.args)
        outer, outer_guards = self.scope, self.guard_withs
        self._open(node, "function", node.name, node.lineno, node.end_lineno or node.lineno)
        self.guard_withs = max_blocks(node.body) <= MAX_BLOCKS
        first_edge, first_statement = len(self.edges), len(self.statement_probes)
        self._suite(node.body, None)
        self.spans.append(
            (node, range(first_edge, len(self.edges)), range(first_statement, len(self.statement_probes)))
        )
        self.scope, self.guard_withs = outer, outer_guards

    def _defaults(self, args: ast.arguments) -> None:
        self._expressions(args.defaults)
        self._expressions([default for default in args.kw_defaults if default is not None])

    def _class_(self, node: ast.ClassDef) -> None:
        self._expressions(node.decorator_list)
        self._expressions(node.bases)
        self._expressions([keyword.value for keyword in node.keywords])
        outer, outer_guards = self.scope, self.guard_withs
        self._open(node, "class", node.name, node.lineno, node.end_lineno or node.lineno)
        self.guard_withs = max_blocks(node.body) <= MAX_BLOCKS
        self._suite(node.body, None)
        self.scope, self.guard_withs = outer, outer_guards

    # -- statements -----------------------------------------------------------------------------

    def _suite(self, body: list[ast.stmt], behind: int | None) -> None:
        """A list of statements; `behind` is the edge whose probe stands right before the first one."""
        # Kept until the statements have their numbers.
        self.suites.append((body, behind))
        probe = behind
        for node in body:
            if not does_nothing(node) and not self._only_annotates(node):
                self.statement_probes.append((node, -1 if probe is None else probe, self.scope, node.lineno))
                if probe is None:
                    probe = -2 - (len(self.statement_probes) - 1)  # shares the probe of that statement
            self._statement(node)
            # Behind a statement that may raise, only a probe can say that control got here.
            if not self._cannot_fail(node):
                probe = None

    def _cannot_fail(self, node: ast.stmt) -> bool:
        match node:
            case ast.Pass():
                return True
            # Storing a constant under a name runs no code of the program, except in a class, whose namespace
            # may be any mapping (`__prepare__`).
            case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
                # The namespace of a class may refuse.
                return self.scope.kind != "class"
        return does_nothing(node)

    def _only_annotates(self, node: ast.stmt) -> bool:
        """`x: int` in a function, whose annotation is not even evaluated."""
        # In a module or class the annotation is evaluated, or at least stored.
        bare = isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name)
        return bare and self.scope.kind == "function"

    def _number_statements(self) -> None:
        """Give the statements' own probes their numbers, now that all edges have theirs."""
        self.probes = len(self.edges)
        numbers: list[int] = []
        before = [self.probes]  # how many probes there were when each statement was numbered
        for node, mark, scope, line in self.statement_probes:
            if mark == -1:
                number = self.probes
                self.probe_at[node] = number
                self.probes += 1
            elif mark <= -2:
                number = numbers[-2 - mark]
            else:
                number = mark
            numbers.append(number)
            end = getattr(node, "end_lineno", None) or line
            statement = Statement(line, end, scope.index, number)
            self.statements.append(statement)
            self.statement_at[node] = statement
            before.append(self.probes)
        for node, edges, statements in self.spans:
            own = range(before[statements.start], before[statements.stop])
            self.span_at[node] = edges, own
        for body, behind in self.suites:
            self._prove(body, behind)
            # What does nothing cannot fail: it was reached if the next statement was.
            self._prove(body[::-1], None)

    def _prove(self, body: list[ast.stmt], proof: int | None) -> None:
        """Let the statements that have no probe share that of the one before in this order."""
        for node in body:
            if (statement := self.statement_at.get(node)) is not None:
                proof = statement.probe
            # A declaration is no statement that runs; it takes effect when the function is compiled.
            if proof is not None and not isinstance(node, ast.Global | ast.Nonlocal):
                self.proof_at[node] = proof

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node)
            case ast.ClassDef():
                self._class_(node)
            case ast.If():
                site = self._test_site(node, "if", f"if {self.text(node.test)}", node.test)
                self._expression(node.test)
                self._suite(node.body, site.edge("true") if site else None)
                self._suite(node.orelse, site.edge("false") if site else None)
            case ast.While():
                site = self._test_site(node, "while", f"while {self.text(node.test)}", node.test)
                self._expression(node.test)
                self._suite(node.body, site.edge("true") if site else None)
                self._suite(node.orelse, site.edge("false") if site else None)
            case ast.For() | ast.AsyncFor():
                word = "async for" if isinstance(node, ast.AsyncFor) else "for"
                text = f"{word} {self.text(node.target)} in {self.text(node.iter)}"
                loop = self._site(node, "for", text, ("entered", "exhausted"), node)
                self._expressions([node.iter, node.target])
                self._suite(node.body, loop.edge("entered"))
                self._suite(node.orelse, loop.edge("exhausted"))
            case ast.Assert():
                self._test_site(node, "assert", f"assert {self.text(node.test)}", node.test)
                self._expressions([node.test, node.msg] if node.msg else [node.test])
            case ast.Match():
                self._match(node)
            case ast.Try() | ast.TryStar():
                self._try_(node)
            case ast.With() | ast.AsyncWith():
                self._with_(node)
            case ast.AnnAssign():
                self._expressions([node.target, node.value] if node.value else [node.target])
            case ast.stmt():
                # By name: the class exists from 3.12 on. Its value is evaluated lazily, if ever.
                if type(node).__name__ != "TypeAlias":
                    self._expressions(ast.iter_child_nodes(node))

    def _match(self, node: ast.Match) -> None:
        self._expression(node.subject)
        for index, case in enumerate(node.cases):
            last = index == len(node.cases) - 1
            # CPython allows an irrefutable pattern only in the last case.
            outcomes = ("matched",) if last and is_irrefutable(case) else ("matched", "unmatched")
            site = self._site(case, "case", f"case {self.text(case.pattern)}", outcomes, case.pattern)
            if case.guard is not None:
                self._test_site(case, "guard", f"if {self.text(case.guard)}", case.guard, part=1)
                self._expression(case.guard)
            self._suite(case.body, site.edge("matched"))

    def _try_(self, node: ast.Try | ast.TryStar) -> None:
        star = isinstance(node, ast.TryStar)
        if node.handlers:
            # A `try` without handlers decides nothing by itself.
            self._site(node, "try", "try", ("completed",), node)
        self._suite(node.body, None)
        for index, handler in enumerate(node.handlers):
            last = index == len(node.handlers) - 1
            text = "except*" if star else "except"
            if handler.type is not None:
                text += f" {self.text(handler.type)}"
            # `except*` clauses are all tried in turn, so reaching the next one says nothing of this one.
            outcomes = ("caught",) if last or star else ("caught", "passed")
            site = self._site(handler, "handler", text, outcomes, handler)
            if handler.type is not None:
                self._expression(handler.type)
            self._suite(handler.body, site.edge("caught"))
        self._suite(node.orelse, None)
        self._suite(node.finalbody, None)

    def _with_(self, node: ast.With | ast.AsyncWith) -> None:
        word = "async with" if isinstance(node, ast.AsyncWith) else "with"
        if self.guard_withs:
            text = ", ".join(self.text(item.context_expr) for item in node.items)
            self._site(node, "with", f"{word} {text}", ("left", "suppressed"), node)
        for item in node.items:
            self._expression(item.context_expr)
            if item.optional_vars is not None:
                self._expression(item.optional_vars)
        self._suite(node.body, None)

    # -- expressions ----------------------------------------------------------------------------

    def _expressions(self, nodes: Iterator[ast.AST] | list[ast.expr]) -> None:
        for node in nodes:
            self._expression(node)

    def _expression(self, node: ast.AST) -> None:
        match node:
            case ast.IfExp():
                self._test_site(node, "conditional", f"... if {self.text(node.test)} else ...", node.test)
            case ast.BoolOp() if len(node.values) <= MAX_OPERANDS:
                word = "and" if isinstance(node.op, ast.And) else "or"
                # The last operand gives the expression its value; where that is tested, the test is another
                # site.
                for part, operand in enumerate(node.values[:-1]):
                    if is_constant_test(operand) is not None:
                        continue
                    text = f"{self.text(operand)} {word} ..."
                    self._site(node, "operand", text, ("true", "false"), operand, part)
            case ast.Compare() if 1 < len(node.ops) <= MAX_OPERANDS:
                left = node.left
                for part, right in enumerate(node.comparators[:-1]):
                    text = self.source.between(left, right)
                    self._site(node, "link", f"{text} ...", ("true", "false"), left, part)
                    left = right
            case ast.Lambda():
                self._defaults(node.args)
                outer = self.scope
                self._open(node, "lambda", "<lambda>", node.lineno, node.end_lineno or node.lineno)
                # The body of a lambda counts as a statement: it may never be called.
                self.statement_probes.append((node, -1, self.scope, node.body.lineno))
                self._expression(node.body)
                self.scope = outer
                return
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node)
                return
        self._expressions(ast.iter_child_nodes(node))

    def _comprehension(self, node: Comprehension) -> None:
        names = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}
        outer = self.scope
        # The first iterable is evaluated by the scope around the comprehension.
        self._expression(node.generators[0].iter)
        self._open(
            node, "comprehension", names.get(type(node), "<genexpr>"), node.lineno, node.end_lineno or node.lineno
        )
        for index, generator in enumerate(node.generators):
            word = "async for" if generator.is_async else "for"
            text = f"{word} {self.text(generator.target)} in {self.text(generator.iter)}"
            # An asynchronous iterator that ends raises StopAsyncIteration inside the interpreter; no rewritten
            # form sees that.
            outcomes = ("entered",) if generator.is_async else ("entered", "exhausted")
            self._site(generator, "comprehension", text, outcomes, generator.target)
            if index:
                self._expression(generator.iter)
            self._expression(generator.target)
            for part, condition in enumerate(generator.ifs, 1):
                self._test_site(generator, "filter", f"if {self.text(condition)}", condition, part)
                self._expression(condition)
        if isinstance(node, ast.DictComp):
            self._expressions([node.key, node.value])
        else:
            self._expression(node.elt)
        self.scope = outer

    # -- sites and texts ------------------------------------------------------------------------

    def _test_site(self, node: ast.AST, kind: SiteKind, text: str, test: ast.expr, part: int = 0) -> Site | None:
        if is_constant_test(test) is not None:
            return None
        # A statement stands at its keyword; an expression, condition or guard stands at its test.
        # So that sites on one line are told apart by their columns.
        where: ast.AST = node if isinstance(node, ast.stmt) else test
        return self._site(node, kind, text, ("true", "false"), where, part)

    def _site(
        self, node: ast.AST, kind: SiteKind, text: str, outcomes: tuple[str, ...], where: ast.AST, part: int = 0
    ) -> Site:
        first = BranchId(len(self.edges))
        line, column = getattr(where, "lineno", 1), getattr(where, "col_offset", 0)
        site = Site(len(self.sites), kind, text, line, column, self.scope.index, outcomes, first)
        self.sites.append(site)
        self.site_at[node, part] = site
        self.edges += [Edge(BranchId(first + i), site, outcome) for i, outcome in enumerate(outcomes)]
        return site
