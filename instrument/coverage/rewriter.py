"""The coverage level: a module's AST rewritten so that every edge and statement leaves a mark when it runs.

The rewriting introduces no names, no scopes and no temporaries. It evaluates nothing twice, constants and
local variables excepted, and tests the truth of nothing twice, one nested form on 3.11 excepted.
`docs/instrumentation.md` shows each form and what a program could still notice.
"""

from __future__ import annotations

import ast
import hashlib
from importlib.util import decode_source
from typing import Any

from ramify.cfg.branches import Site
from ramify.cfg.recursion import deep_recursion
from ramify.cfg.syntax import has_docstring
from ramify.cfg.table import BranchTable
from ramify.instrument.compiling import REFUSALS, without_warnings
from ramify.instrument.coverage.suites import Suite, Suites
from ramify.instrument.instrumented import Instrumented, Spans
from ramify.instrument.names import Names
from ramify.instrument.positions import ITER_STANDS_AT_ITERABLE, beginning, start_of
from ramify.instrument.private import private_names


def instrument(source: bytes, filename: str) -> Instrumented:
    """Compile a module with coverage probes; errors and warnings are those of compiling it plainly."""
    plain = compile(source, filename, "exec", dont_inherit=True)
    digest = hashlib.sha256(source).hexdigest()
    key = hashlib.sha256(f"{filename}\0{digest}".encode(errors="surrogateescape")).hexdigest()[:12]
    with without_warnings():  # the plain compilation has shown them
        try:
            tree = ast.parse(source, filename)
            table = BranchTable.of(tree, decode_source(source))
            spans = rewrite(tree, table, Names.of(key))
            code = compile(tree, filename, "exec", dont_inherit=True)
        except REFUSALS as error:
            return Instrumented(plain, plain, key, digest, 0, {}, declined=f"{type(error).__name__}: {error}")
    return Instrumented(code, plain, key, digest, table.probes, spans)


def rewrite(tree: ast.Module, table: BranchTable, names: Names) -> Spans:
    """Insert the probes into `tree`, in place; `table` must have been built from this very tree."""
    rewriter = Rewriter(table, names)
    with deep_recursion():
        rewriter.module(tree)
    return rewriter.spans


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


class Rewriter(Suites):
    """Inserts the probes; other levels that also mark edges build on it."""

    def __init__(self, table: BranchTable, names: Names) -> None:
        super().__init__(table, names)
        self.spans: Spans = {}

    def module(self, tree: ast.Module) -> None:
        # Docstring and `__future__` imports must come first in a module.
        head = int(has_docstring(tree.body))
        for index, node in enumerate(tree.body):
            if _is_future_import(node):
                head = index + 1
        new = self.suite(tree.body[head:])
        imports = tree.body[:head]
        probes = [probe for node in imports if (probe := self.table.own_probe(node)) is not None]
        tree.body = [*imports, self.declaration(), *(self.store(probe, imports[-1]) for probe in probes), *new]

    # -- scopes ---------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        self._visit_all(node.decorator_list)
        self._visit_defaults(node.args)
        outer = self.private, self.leaving, self.in_class
        self.private, self.leaving, self.in_class = private_names(node), [], False
        body = self.suite(node.body)
        self.private, self.leaving, self.in_class = outer
        self._mark_entry(node, body)
        node.body = body
        return node

    def _mark_entry(self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: Suite) -> None:
        """Let the function's first probe count its entries, and the innermost decorator know its objects."""
        for index, statement in enumerate(node.body):
            probe = self.table.own_probe(statement)
            if probe is not None:
                place = start_of(beginning(statement))
                enter = ast.Name(self.names.enter, ast.Load(), **place)
                call = ast.Call(enter, [ast.Constant(probe, **place)], [], **place)
                body[index] = ast.Expr(call, **place)
                # The innermost decorator gets the function itself, before others wrap it.
                node.decorator_list.append(self.tool_attribute(node, "functions", probe))
                edges, statements = self.table.span(node)
                self.spans[probe] = edges.start, edges.stop, statements.start, statements.stop
                return

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self._visit_defaults(node.args)
        outer, self.private = self.private, private_names(node)
        node.body = self.visit(node.body)
        probe = self.table.own_probe(node)
        if probe is not None:
            node.body = self.then(self.add(node.body, probe), node.body)
        self.private = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self._visit_all(node.decorator_list)
        self._visit_all(node.bases)
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        outer = self.private, self.leaving, self.in_class
        self.private, self.leaving, self.in_class = frozenset(), [], True
        node.body = self.suite(node.body)
        node.body.insert(int(has_docstring(node.body)), self.declaration())
        self.private, self.leaving, self.in_class = outer
        return node

    def _visit_defaults(self, args: ast.arguments) -> None:
        self._visit_all(args.defaults)
        args.kw_defaults = [default and self.visit(default) for default in args.kw_defaults]

    def visit_ListComp(self, node: Any) -> ast.expr:
        generators: list[ast.comprehension] = node.generators
        first = generators[0]
        first.iter = self.visit(first.iter)
        outer, self.private = self.private, private_names(node)
        new: list[ast.comprehension] = []
        before = first
        for generator in generators:
            site = self.table.at(generator)
            assert site is not None
            if generator is not first:
                generator.iter = self.visit(generator.iter)
                if not generator.is_async:
                    new.append(self._once(generator, before, site))
            before = generator
            generator.target = self.visit(generator.target)
            conditions = [
                self.marked_test(condition, self.table.at(generator, part))
                for part, condition in enumerate(generator.ifs, 1)
            ]
            # A condition that always holds, asked once for every item: the loop was entered.
            generator.ifs = [self.yes(self.add(generator.target, site.edge("entered"))), *conditions]
            new.append(generator)
        node.generators = new
        if isinstance(node, ast.DictComp):
            node.key = self.visit(node.key)
            node.value = self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self.private = outer
        expression: ast.expr = node
        if first.is_async:
            return expression
        site = self.table.at(first)
        assert site is not None
        if isinstance(node, ast.GeneratorExp):
            first.iter = self._followed_iterator(node, first.iter, site.edge("exhausted"))
            return expression
        return self.after(expression, [site.edge("exhausted")])  # it has a value, so its loop has ended

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def _once(self, generator: ast.comprehension, before: ast.comprehension, site: Site) -> ast.comprehension:
        """A loop around an inner loop, of one round: being asked for a second one means the inner loop has ended.

        Its target is a mark that is already there: the loop before it has been entered.
        """
        entered = self.table.at(before)
        assert entered is not None
        end = self.tool_attribute(generator.iter, "ends", site.edge("exhausted"))
        one = self.tool_attribute(generator.iter, "one")
        target = self.cell(entered.edge("entered"), start_of(generator.iter))
        return ast.comprehension(target, self.tool(generator.iter, "chain", one, end), [], 0)

    def _followed_iterator(self, node: ast.expr, iterable: ast.expr, exhausted: int) -> ast.expr:
        """`chain(given(iter(iterable)), end)`, whose calls of the program's code stand where CPython has them."""
        where = iterable if ITER_STANDS_AT_ITERABLE else node
        iterator = ast.copy_location(self.tool(where, "iter", _as_constant(iterable)), where)
        given, end = self.tool(iterable, "given", iterator), self.tool_attribute(iterable, "ends", exhausted)
        return ast.copy_location(self.tool(iterable, "chain", given, end), iterable)


def _as_constant(node: ast.expr) -> ast.expr:
    """The compiler makes a list display that is only iterated a constant tuple; wrapped, it no longer would."""
    if isinstance(node, ast.List) and all(isinstance(item, ast.Constant) for item in node.elts):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return node
