"""The coverage level: a module's AST rewritten so that every edge and statement leaves a mark when it runs.

The rewriting introduces no names, no scopes and no temporaries. It evaluates nothing twice, constants and
local variables excepted, and tests the truth of nothing twice, one nested form on 3.11 excepted.
`docs/instrumentation.md` shows each form and what a program could still notice.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import decode_source
from typing import Any

from ramify.cfg.recursion import deep_recursion
from ramify.cfg.sites import Site
from ramify.cfg.syntax import MAX_OPERANDS, has_docstring, leaves_through_cleanup
from ramify.cfg.table import BranchTable
from ramify.instrument.instrumented import Instrumented, Spans
from ramify.instrument.names import Names
from ramify.instrument.private import private_names

Suite = list[ast.stmt]


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
        except (RecursionError, MemoryError, SyntaxError, ValueError) as error:
            # Rewriting deepens expressions; what the compiler can only just take plainly may then be too deep.
            return Instrumented(plain, plain, key, digest, 0, {}, declined=f"{type(error).__name__}: {error}")
    return Instrumented(code, plain, key, digest, table.probes, spans)


def rewrite(tree: ast.Module, table: BranchTable, names: Names) -> Spans:
    """Insert the probes into `tree`, in place; `table` must have been built from this very tree."""
    rewriter = Rewriter(table, names)
    with deep_recursion():
        rewriter.module(tree)
    return rewriter.spans


_silence = threading.RLock()


@contextmanager
def without_warnings() -> Iterator[None]:
    """As `warnings.catch_warnings`, but for all threads in turn, and without forgetting what was shown once."""
    with _silence:
        filters = warnings.filters
        warnings.filters = [("ignore", None, Warning, None, 0)]
        try:
            yield
        finally:
            warnings.filters = filters


def _iter_stands_at_iterable() -> bool:
    code = compile("[0\nfor _ in\nx]", "", "eval")
    lines = [at.positions.lineno for at in dis.get_instructions(code) if at.opname == "GET_ITER" and at.positions]
    return lines == [3]


# Where an error of iterating over a comprehension's iterable is reported: there, or at the comprehension.
ITER_STANDS_AT_ITERABLE = _iter_stands_at_iterable()


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


class Rewriter(ast.NodeTransformer):
    """Inserts the probes; other levels that also mark edges build on it."""

    def __init__(self, table: BranchTable, names: Names) -> None:
        self.table = table
        self.names = names
        self.in_class = False
        # The local variables that nothing but the code at hand can change.
        self.private: frozenset[str] = frozenset()
        # The `try` bodies we are in, as their `completed` edges, and the loops among them, as None.
        self.leaving: list[int | None] = []
        self.spans: Spans = {}

    # -- building blocks ------------------------------------------------------------------------

    def store(self, probe: int, where: ast.AST | None = None) -> ast.stmt:
        """A statement that leaves a mark, at the line of what ran before it unless `where` says otherwise."""
        place = start_of(where) if where else _NOWHERE
        return ast.Assign([self.cell(probe, place)], ast.Constant(1, **place), **place)

    def cell(self, probe: int, place: dict[str, Any]) -> ast.expr:
        hits = ast.Name(self.names.hits, ast.Load(), **place)
        return ast.Subscript(hits, ast.Constant(int(probe), **place), ast.Store(), **place)

    def add(self, where: ast.AST, probe: int) -> ast.expr:
        """An expression that leaves a mark; its value is None."""
        function = ast.Name(self.names.add, ast.Load(), **start_of(where))
        return ast.Call(function, [_number(where, probe)], [], **start_of(where))

    def then(self, mark: ast.expr, value: ast.expr) -> ast.expr:
        """`mark or value`: the mark first, then the value."""
        return ast.BoolOp(ast.Or(), [mark, value], **start_of(value))

    def yes(self, mark: ast.expr) -> ast.expr:
        """A mark whose value is True."""
        return ast.UnaryOp(ast.Not(), mark, **start_of(mark))

    def after(self, value: ast.expr, probes: list[int]) -> ast.expr:
        """`(value, add(probe))[0]`: the value first, then the marks."""
        place = start_of(value)
        pair = ast.Tuple([value, *(self.add(value, probe) for probe in probes)], ast.Load(), **place)
        return ast.Subscript(pair, _number(value, 0), ast.Load(), **place)

    def tool(self, where: ast.AST, name: str, *args: int | ast.expr) -> ast.expr:
        values = [_number(where, arg) if isinstance(arg, int) else arg for arg in args]
        return ast.Call(self.tool_attribute(where, name), values, [], **start_of(where))

    def tool_attribute(self, where: ast.AST, name: str, index: int | None = None) -> ast.expr:
        place = start_of(where)
        tools = ast.Name(self.names.tools, ast.Load(), **place)
        attribute = ast.Attribute(tools, name, ast.Load(), **place)
        if index is None:
            return attribute
        return ast.Subscript(attribute, _number(where, index), ast.Load(), **place)

    def declaration(self) -> ast.stmt:
        """Names of ours are looked up past the namespace of a class, which may be any kind of mapping."""
        return ast.Global(list(self.names), **_NOWHERE)

    # -- suites ---------------------------------------------------------------------------------

    def suite(self, body: Suite, *edges: int) -> Suite:
        """A rewritten suite that first marks `edges`."""
        new = [self.store(edge) for edge in edges]
        for node in body:
            probe = self.table.own_probe(node)
            if probe is not None:
                new.append(self.store(probe, beginning(node)))
            rewritten: ast.stmt | Suite = self.visit(node)
            new += rewritten if isinstance(rewritten, list) else [rewritten]
        return new

    def module(self, tree: ast.Module) -> None:
        head = int(has_docstring(tree.body))
        for index, node in enumerate(tree.body):
            if _is_future_import(node):
                head = index + 1
        new = self.suite(tree.body[head:])
        imports = tree.body[:head]
        probes = [probe for node in imports if (probe := self.table.own_probe(node)) is not None]
        tree.body = [*imports, self.declaration(), *(self.store(probe, imports[-1]) for probe in probes), *new]

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
                cases.append(_wildcard(case.pattern, self.add(case.pattern, missed), [ast.Pass(**_NOWHERE)]))
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
                    handler.type = self.then(self.add(handler.type, passed), handler.type)
            elif passed is not None:
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
        node.body = [ast.With([inside], node.body, **start_of(last))]
        return ast.With([outside], [node], **start_of(first))

    visit_AsyncWith = visit_With

    def visit_Return(self, node: ast.Return) -> Any:
        edges = [edge for edge in self.leaving if edge is not None]
        if node.value is None or isinstance(node.value, ast.Constant):
            return [*map(self.store, edges), node]
        node.value = self.visit(node.value)
        if edges:
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

    # -- scopes ---------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        self.visit_all(node.decorator_list)
        self.visit_defaults(node.args)
        outer = self.private, self.leaving, self.in_class
        self.private, self.leaving, self.in_class = private_names(node), [], False
        body = self.suite(node.body)
        self.private, self.leaving, self.in_class = outer
        self.mark_entry(node, body)
        node.body = body
        return node

    def mark_entry(self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: Suite) -> None:
        """Let the function's first probe count its entries, and the innermost decorator know its objects."""
        for index, statement in enumerate(node.body):
            probe = self.table.own_probe(statement)
            if probe is not None:
                place = start_of(beginning(statement))
                enter = ast.Name(self.names.enter, ast.Load(), **place)
                call = ast.Call(enter, [ast.Constant(probe, **place)], [], **place)
                body[index] = ast.Expr(call, **place)
                node.decorator_list.append(self.tool_attribute(node, "functions", probe))
                edges, statements = self.table.span(node)
                self.spans[probe] = edges.start, edges.stop, statements.start, statements.stop
                return

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.visit_defaults(node.args)
        outer, self.private = self.private, private_names(node)
        node.body = self.visit(node.body)
        probe = self.table.own_probe(node)
        if probe is not None:
            node.body = self.then(self.add(node.body, probe), node.body)
        self.private = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self.visit_all(node.decorator_list)
        self.visit_all(node.bases)
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        outer = self.private, self.leaving, self.in_class
        self.private, self.leaving, self.in_class = frozenset(), [], True
        node.body = self.suite(node.body)
        node.body.insert(int(has_docstring(node.body)), self.declaration())
        self.private, self.leaving, self.in_class = outer
        return node

    def visit_defaults(self, args: ast.arguments) -> None:
        self.visit_all(args.defaults)
        args.kw_defaults = [default and self.visit(default) for default in args.kw_defaults]

    def visit_all(self, nodes: list[ast.expr]) -> None:
        nodes[:] = [self.visit(node) for node in nodes]

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
                    new.append(self.once(generator, before, site))
            before = generator
            generator.target = self.visit(generator.target)
            conditions = [
                self.marked_test(condition, self.table.at(generator, part))
                for part, condition in enumerate(generator.ifs, 1)
            ]
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
            first.iter = self.followed_iterator(node, first.iter, site.edge("exhausted"))
            return expression
        return self.after(expression, [site.edge("exhausted")])  # it has a value, so its loop has ended

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def once(self, generator: ast.comprehension, before: ast.comprehension, site: Site) -> ast.comprehension:
        """A loop around an inner loop, of one round: being asked for a second one means the inner loop has ended.

        Its target is a mark that is already there: the loop before it has been entered.
        """
        entered = self.table.at(before)
        assert entered is not None
        end = self.tool_attribute(generator.iter, "ends", site.edge("exhausted"))
        one = self.tool_attribute(generator.iter, "one")
        target = self.cell(entered.edge("entered"), start_of(generator.iter))
        return ast.comprehension(target, self.tool(generator.iter, "chain", one, end), [], 0)

    def followed_iterator(self, node: ast.expr, iterable: ast.expr, exhausted: int) -> ast.expr:
        """`chain(given(iter(iterable)), end)`, whose calls of the program's code stand where CPython has them."""
        where = iterable if ITER_STANDS_AT_ITERABLE else node
        iterator = ast.copy_location(self.tool(where, "iter", _as_constant(iterable)), where)
        given, end = self.tool(iterable, "given", iterator), self.tool_attribute(iterable, "ends", exhausted)
        return ast.copy_location(self.tool(iterable, "chain", given, end), iterable)

    # -- tests: only the truth of the expression is wanted --------------------------------------

    def test(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.UnaryOp(op=ast.Not()):
                node.operand = self.test(node.operand)
                return node
            case ast.IfExp():
                return self.conditional(node, self.test)
            case ast.BoolOp() if len(node.values) <= MAX_OPERANDS:
                return self.operands_tested(node, 0)
            case ast.BoolOp():
                node.values = [self.test(value) for value in node.values]
                return node
            case ast.Compare() if (site := self.table.at(node)) is not None:
                if self.can_split(node):
                    return self.links_tested(node, 0)
                chain = self.followed(node, site)
                ended = [self.tool(node, "ended", site.first, self.last_link(node)) for _ in range(2)]
                return ast.IfExp(chain, self.yes(ended[0]), ended[1], **start_of(node))
        tested: ast.expr = self.visit(node)
        return tested

    def marked_test(self, node: ast.expr, site: Site | None) -> ast.expr:
        """A test that marks its own outcome, for places where no suite follows."""
        if site is None:
            return self.test(node)
        yes, no = self.yes(self.add(node, site.edge("true"))), self.add(node, site.edge("false"))
        return ast.copy_location(ast.IfExp(self.test(node), yes, no), node)

    def operands_tested(self, node: ast.BoolOp, part: int) -> ast.expr:
        operand = node.values[part]
        if part == len(node.values) - 1:
            return self.test(operand)
        rest = self.operands_tested(node, part + 1)
        site = self.table.at(node, part)
        if site is None:
            return ast.BoolOp(node.op, [operand, rest], **start_of(operand))
        true, false = site.edge("true"), site.edge("false")
        if isinstance(node.op, ast.And):
            on, stop = self.then(self.add(rest, true), rest), self.add(operand, false)
            return ast.IfExp(self.test(operand), on, stop, **start_of(operand))
        on, stop = self.then(self.add(rest, false), rest), self.yes(self.add(operand, true))
        return ast.IfExp(self.test(operand), stop, on, **start_of(operand))

    def links_tested(self, node: ast.Compare, part: int) -> ast.expr:
        link, site = self.link(node, part), self.table.at(node, part)
        if site is None:
            return link
        rest = self.then(self.add(node, site.edge("true")), self.links_tested(node, part + 1))
        return ast.IfExp(link, rest, self.add(node, site.edge("false")), **start_of(node))

    # -- values: the expression may be kept -----------------------------------------------------

    # What tests the truth of an operand keeps the place of the whole expression, where CPython has it.

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self.conditional(node, self.visit)

    def conditional(self, node: ast.IfExp, visit: Callable[[ast.expr], ast.expr]) -> ast.expr:
        site = self.table.at(node)
        node.test = self.test(node.test)
        node.body, node.orelse = visit(node.body), visit(node.orelse)
        if site is not None:
            node.body = self.then(self.add(node.body, site.edge("true")), node.body)
            node.orelse = self.then(self.add(node.orelse, site.edge("false")), node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if len(node.values) > MAX_OPERANDS:
            self.visit_all(node.values)
            return node
        return self.operands_kept(node, 0)

    def operands_kept(self, node: ast.BoolOp, part: int) -> ast.expr:
        operand = node.values[part]
        if part == len(node.values) - 1:
            last: ast.expr = self.visit(operand)
            return last
        site = self.table.at(node, part)
        rest = self.operands_kept(node, part + 1)
        if site is None:
            return ast.copy_location(ast.BoolOp(node.op, [operand, rest]), node)
        is_and = isinstance(node.op, ast.And)
        true, false = site.edge("true"), site.edge("false")
        on, stopped = (true, false) if is_and else (false, true)
        again = self.again(operand)
        if again is not None and operand.lineno == node.lineno:
            ast.copy_location(operand, node)  # an error of its truth is an error of the whole expression
            rest, stop = self.then(self.add(rest, on), rest), self.then(self.add(again, stopped), again)
            body, orelse = (rest, stop) if is_and else (stop, rest)
            return ast.copy_location(ast.IfExp(operand, body, orelse), node)
        return self.picked(node, node.op, self.visit(operand), on, stopped, rest)

    def picked(
        self, where: ast.expr, op: ast.boolop, first: ast.expr, on: int, stopped: int, rest: ast.expr
    ) -> ast.expr:
        """`pick(stopped, first and (add(on), add, rest))`."""
        marker = ast.Name(self.names.add, ast.Load(), **start_of(rest))
        wrapped = ast.Tuple([self.add(rest, on), marker, rest], ast.Load(), **start_of(rest))
        value = ast.copy_location(ast.BoolOp(op, [first, wrapped]), where)
        return self.tool(where, "pick", int(stopped), value)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        site = self.table.at(node)
        if site is None:
            node.left = self.visit(node.left)
            self.visit_all(node.comparators)
            return node
        if self.can_split(node):
            return self.links_kept(node, 0)
        chain = self.followed(node, site)
        return self.tool(node, "ended_with", site.first, self.last_link(node), chain)

    def links_kept(self, node: ast.Compare, part: int) -> ast.expr:
        link, site = self.link(node, part), self.table.at(node, part)
        if site is None:
            return link
        rest = self.links_kept(node, part + 1)
        return self.picked(node, ast.And(), link, site.edge("true"), site.edge("false"), rest)

    # -- chained comparisons --------------------------------------------------------------------

    def can_split(self, node: ast.Compare) -> bool:
        """Whether `a < b < c` may become `a < b and b < c`: no middle operand minds being evaluated twice."""
        return all(self.again(operand) is not None for operand in node.comparators[:-1])

    def link(self, node: ast.Compare, part: int) -> ast.expr:
        """One link of a chain that may be split."""
        left = self.again(node.comparators[part - 1]) if part else self.visit(node.left)
        assert left is not None
        compare = ast.Compare(left, [node.ops[part]], [self.visit(node.comparators[part])])
        return ast.copy_location(compare, node)

    def followed(self, node: ast.Compare, site: Site) -> ast.expr:
        """A chain whose operands tell how far it has come; an operand is evaluated if the link before it held."""
        left = self.visit(node.left)
        node.left = self.then(self.tool(left, "started", site.first), left)
        self.visit_all(node.comparators)
        node.comparators[1:] = [
            self.then(self.tool(operand, "went_on", site.first), operand) for operand in node.comparators[1:]
        ]
        return node

    def last_link(self, node: ast.Compare) -> int:
        site = self.table.at(node, len(node.ops) - 2)
        assert site is not None
        return site.first

    def again(self, node: ast.expr) -> ast.expr | None:
        """A second copy of an expression that may be evaluated twice, else None."""
        match node:
            case ast.Name() if node.id in self.private:
                return ast.copy_location(ast.Name(node.id, ast.Load()), node)
            case ast.Constant():
                return ast.copy_location(ast.Constant(node.value, node.kind), node)
        return None


# No position at all: the compiler gives such code the line of the code before it, or none, so that a
# probe never makes a line of its own. Not for calls: 3.13 may run code without a line twice if it calls.
_NOWHERE: dict[str, Any] = {"lineno": -1, "col_offset": -1, "end_lineno": -1, "end_col_offset": -1}


def start_of(where: ast.AST) -> dict[str, Any]:
    """The start of a node, as a position of no width: the compiler may give code to a node's last line too."""
    line, column = getattr(where, "lineno", 1), getattr(where, "col_offset", 0)
    return {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}


def beginning(node: ast.stmt) -> ast.AST:
    """Where a statement's code begins, so that a probe before it adds no line of its own.

    `if (` may stand on a line that has no code, and a decorated function begins with its decorators.
    """
    match node:
        case ast.If() | ast.While() | ast.Assert():
            return _leftmost(node.test)
        case ast.For() | ast.AsyncFor():
            return _leftmost(node.iter)
        case ast.With() | ast.AsyncWith():
            return _leftmost(node.items[0].context_expr)
        case ast.Match():
            return _leftmost(node.subject)
        case ast.Expr() | ast.Assign():
            return _leftmost(node.value)
        case ast.FunctionDef(decorator_list=[first, *_]) | ast.AsyncFunctionDef(decorator_list=[first, *_]):
            return first
        case ast.ClassDef(decorator_list=[first, *_]):
            return first
    return node


def _leftmost(node: ast.expr) -> ast.expr:
    """The part of an expression that is evaluated first; parentheses around the rest may begin lines before."""
    while True:
        match node:
            case ast.BoolOp():
                node = node.values[0]
            case ast.Compare() | ast.BinOp():
                node = node.left
            case ast.IfExp():
                node = node.test
            case ast.UnaryOp():
                node = node.operand
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case ast.Call():
                node = node.func
            case _:
                return node


def _number(where: ast.AST, value: int) -> ast.expr:
    return ast.Constant(int(value), **start_of(where))


def _as_constant(node: ast.expr) -> ast.expr:
    """The compiler makes a list display that is only iterated a constant tuple; wrapped, it no longer would."""
    if isinstance(node, ast.List) and all(isinstance(item, ast.Constant) for item in node.elts):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return node


def _edges(site: Site | None, outcome: str) -> list[int]:
    return [] if site is None else [site.edge(outcome)]


def _wildcard(where: ast.AST, guard: ast.expr | None, body: Suite) -> ast.match_case:
    return ast.match_case(ast.MatchAs(None, None, **start_of(where)), guard, body)
