"""The coverage level: a module's AST rewritten so that every edge and statement leaves a mark when it runs.

The rewriting introduces no names, no scopes and no temporaries, tests the truth of nothing twice and
evaluates nothing twice (names and constants excepted), so the program cannot tell that it is measured.
`docs/instrumentation.md` shows each form.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from importlib.util import decode_source
from typing import Any, TypeVar

from ramify.cfg.table import MAX_OPERANDS, BranchTable, Site, deep_recursion, does_nothing, is_irrefutable
from ramify.instrument.instrumented import Instrumented, Spans
from ramify.instrument.names import Names

_Suite = list[ast.stmt]
_Node = TypeVar("_Node", bound=ast.AST)


def instrument(source: bytes, filename: str) -> Instrumented:
    """Compile a module with coverage probes; errors and warnings are those of compiling it plainly."""
    plain = compile(source, filename, "exec", dont_inherit=True)
    digest = hashlib.sha256(source).hexdigest()
    key = hashlib.sha256(f"{filename}\0{digest}".encode(errors="surrogateescape")).hexdigest()[:12]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the plain compilation has shown them
        try:
            tree = ast.parse(source, filename)
            table = BranchTable.of(tree, decode_source(source))
            spans = rewrite(tree, table, Names.of(key))
            code = compile(tree, filename, "exec", dont_inherit=True)
        except (RecursionError, MemoryError, SyntaxError) as error:
            # Rewriting deepens expressions; what the compiler can only just take plainly may then be too deep.
            return Instrumented(plain, plain, key, digest, 0, {}, declined=f"{type(error).__name__}: {error}")
    return Instrumented(code, plain, key, digest, table.probes, spans)


def rewrite(tree: ast.Module, table: BranchTable, names: Names) -> Spans:
    """Insert the probes into `tree`, in place; `table` must have been built from this very tree.

    Returns the spans of its functions, as `Instrumented` has them.
    """
    rewriter = _Rewriter(table, names)
    with deep_recursion():
        rewriter.module(tree)
    return rewriter.spans


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


class _Rewriter(ast.NodeTransformer):
    def __init__(self, table: BranchTable, names: Names) -> None:
        self.table = table
        self.names = names
        # A class body may have its own kind of namespace, where even reading a name can do something.
        self.in_class = False
        # The `try` bodies we are in, as their `completed` edges, and the loops among them, as None.
        self.leaving: list[int | None] = []
        self.spans: Spans = {}

    # -- building blocks ------------------------------------------------------------------------

    def store(self, where: ast.AST, probe: int) -> ast.stmt:
        place = _place(where)
        hits = ast.Name(self.names.hits, ast.Load(), **place)
        cell = ast.Subscript(hits, ast.Constant(int(probe), **place), ast.Store(), **place)
        return ast.Assign([cell], ast.Constant(1, **place), **place)

    def add(self, where: ast.AST, probe: int) -> ast.expr:
        """An expression that leaves a mark; its value is None."""
        place = _place(where)
        function = ast.Name(self.names.add, ast.Load(), **place)
        return ast.Call(function, [ast.Constant(int(probe), **place)], [], **place)

    def then(self, probe: int, value: ast.expr) -> ast.expr:
        """`add(probe) or value`: the mark first, then the value."""
        return ast.BoolOp(ast.Or(), [self.add(value, probe), value], **_place(value))

    def yes(self, where: ast.AST, probe: int) -> ast.expr:
        """A mark whose value is True."""
        return ast.UnaryOp(ast.Not(), self.add(where, probe), **_place(where))

    def after(self, value: ast.expr, probes: list[int]) -> ast.expr:
        """`(value, add(probe))[0]`: the value first, then the marks."""
        place = _place(value)
        pair = ast.Tuple([value, *(self.add(value, probe) for probe in probes)], ast.Load(), **place)
        return ast.Subscript(pair, ast.Constant(0, **place), ast.Load(), **place)

    def tool(self, where: ast.AST, name: str, *args: ast.expr) -> ast.expr:
        return ast.Call(self.tool_attribute(where, name), list(args), [], **_place(where))

    def tool_attribute(self, where: ast.AST, name: str, index: int | None = None) -> ast.expr:
        place = _place(where)
        tools = ast.Name(self.names.tools, ast.Load(), **place)
        attribute = ast.Attribute(tools, name, ast.Load(), **place)
        if index is None:
            return attribute
        return ast.Subscript(attribute, ast.Constant(int(index), **place), ast.Load(), **place)

    # -- suites ---------------------------------------------------------------------------------

    def suite(self, body: _Suite, where: ast.AST, *edges: int) -> _Suite:
        """A rewritten suite that first marks `edges`; an empty one stands where `where` stands."""
        working = [node for node in body if not does_nothing(node)]
        place = _first(working[0]) if working else where
        new = [self.store(place, edge) for edge in edges]
        for node in body:
            probe = self.table.own_probe(node)
            if probe is not None:
                new.append(self.store(_first(node), probe))
            rewritten: ast.stmt | _Suite = self.visit(node)
            new += rewritten if isinstance(rewritten, list) else [rewritten]
        return new

    def module(self, tree: ast.Module) -> None:
        head = 0
        for index, node in enumerate(tree.body):
            if _is_future_import(node):
                head = index + 1
        new = self.suite(tree.body[head:], tree)
        imports = tree.body[:head]
        probes = [probe for node in imports if (probe := self.table.own_probe(node)) is not None]
        tree.body = [*imports, *(self.store(imports[-1], probe) for probe in probes), *new]

    def visit_If(self, node: ast.If) -> ast.stmt:
        site = self.table.at(node)
        place = _first(node)
        node.test = self.test(node.test)
        node.body = self.suite(node.body, place, *_edges(site, "true"))
        node.orelse = self.suite(node.orelse, place, *_edges(site, "false"))
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        site = self.table.at(node)
        place = _first(node)
        node.test = self.test(node.test)
        return self.loop(node, place, _edges(site, "true"), _edges(site, "false"))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.stmt:
        site = self.table.at(node)
        place = _first(node)
        node.iter = self.visit(node.iter)
        node.target = self.visit(node.target)
        return self.loop(node, place, _edges(site, "entered"), _edges(site, "exhausted"))

    visit_AsyncFor = visit_For

    def loop(self, node: Any, ends: ast.AST, entered: list[int], ended: list[int]) -> ast.stmt:
        self.leaving.append(None)
        node.body = self.suite(node.body, node, *entered)
        self.leaving.pop()
        node.orelse = self.suite(node.orelse, ends, *ended)
        statement: ast.stmt = node
        return statement

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
                cases.append(_wildcard(case, self.add(case.pattern, missed), [_pass(case.pattern)]))
            if case.guard is not None:
                case.guard = self.marked_test(case.guard, self.table.at(case, 1))
            case.body = self.suite(case.body, case.pattern, site.edge("matched"))
            missed = site.edge("unmatched") if "unmatched" in site.outcomes else None
            cases.append(case)
        last = node.cases[-1]
        if missed is not None:
            assert not is_irrefutable(last)
            cases.append(_wildcard(last, None, [self.store(last.pattern, missed)]))
        node.cases = cases
        return node

    def visit_Try(self, node: ast.Try | ast.TryStar) -> ast.stmt:
        site = self.table.at(node)
        completed = _edges(site, "completed")
        self.leaving += completed
        node.body = self.suite(node.body, node)
        if completed:
            self.leaving.pop()
        passed: int | None = None
        for handler in node.handlers:
            handler_site = self.table.at(handler)
            assert handler_site is not None
            marks: list[int] = [handler_site.edge("caught")]
            if handler.type is not None:
                handler.type = self.visit(handler.type)
                if passed is not None:
                    handler.type = self.then(passed, handler.type)
            elif passed is not None:
                marks.insert(0, passed)
            handler.body = self.suite(handler.body, handler, *marks)
            passed = handler_site.edge("passed") if "passed" in handler_site.outcomes else None
        if node.handlers:
            node.orelse = self.suite(node.orelse, node, *completed)
        node.finalbody = self.suite(node.finalbody, node)
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars = self.visit(item.optional_vars)
        node.body = self.suite(node.body, node)
        site = self.table.at(node)
        if site is None:
            return node
        first, last = node.items[0].context_expr, node.items[-1].context_expr
        outside = ast.withitem(self.tool_attribute(first, "guards", site.edge("left")))
        guard = self.tool_attribute(last, "guards", site.edge("left"))
        inside = ast.withitem(ast.Attribute(guard, "body", ast.Load(), **_place(last)))
        if isinstance(node, ast.With):
            node.items = [outside, *node.items, inside]
            return node
        node.body = [ast.With([inside], node.body, **_place(last))]
        return ast.With([outside], [node], **_place(first))

    def visit_Return(self, node: ast.Return) -> Any:
        edges = [edge for edge in self.leaving if edge is not None]
        if node.value is None or isinstance(node.value, ast.Constant):
            return [*(self.store(node, edge) for edge in edges), node]
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
        return [*(self.store(node, edge) for edge in edges), node]

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
        outer = self.in_class, self.leaving
        self.in_class, self.leaving = False, []
        body = self.suite(node.body, node)
        self.in_class, self.leaving = outer
        self.mark_entry(node, body)
        node.body = body
        return node

    def mark_entry(self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: _Suite) -> None:
        """Let the function's first probe count its entries, and the innermost decorator know its objects."""
        for index, statement in enumerate(node.body):
            probe = self.table.own_probe(statement)
            if probe is not None:
                where = _first(statement)
                enter = ast.Call(
                    ast.Name(self.names.enter, ast.Load(), **_place(where)),
                    [ast.Constant(probe, **_place(where))],
                    [],
                    **_place(where),
                )
                body[index] = ast.Expr(enter, **_place(where))
                node.decorator_list.append(self.tool_attribute(node, "functions", probe))
                edges, statements = self.table.span(node)
                self.spans[probe] = edges.start, edges.stop, statements.start, statements.stop
                return

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.visit_defaults(node.args)
        outer, self.in_class = self.in_class, False
        node.body = self.visit(node.body)
        probe = self.table.own_probe(node)
        if probe is not None:
            node.body = self.then(probe, node.body)
        self.in_class = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self.visit_all(node.decorator_list)
        self.visit_all(node.bases)
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        outer = self.in_class, self.leaving
        self.in_class, self.leaving = True, []
        node.body = self.suite(node.body, node)
        self.in_class, self.leaving = outer
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
        outer, self.in_class = self.in_class, False
        ended: list[int] = []
        for index, generator in enumerate(generators):
            site = self.table.at(generator)
            assert site is not None
            if index:
                generator.iter = self.visit(generator.iter)
            generator.target = self.visit(generator.target)
            conditions = [
                self.marked_test(condition, self.table.at(generator, part))
                for part, condition in enumerate(generator.ifs, 1)
            ]
            generator.ifs = [self.yes(generator.target, site.edge("entered")), *conditions]
            if generator.is_async:
                continue
            if index == 0 and not isinstance(node, ast.GeneratorExp):
                ended.append(site.edge("exhausted"))  # when the comprehension has a value, its loop has ended
            else:
                iterator = self.tool(generator.iter, "iter", _as_constant(generator.iter))
                end = self.tool_attribute(generator.iter, "ends", site.edge("exhausted"))
                generator.iter = self.tool(generator.iter, "chain", iterator, end)
        if isinstance(node, ast.DictComp):
            node.key = self.visit(node.key)
            node.value = self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self.in_class = outer
        expression: ast.expr = node
        return self.after(expression, ended) if ended else expression

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

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
            case ast.Compare() if self.table.at(node) is not None:
                return self.links_tested(node, node.left, 0)
        tested: ast.expr = self.visit(node)
        return tested

    def marked_test(self, node: ast.expr, site: Site | None) -> ast.expr:
        """A test that marks its own outcome, for places where no suite follows."""
        if site is None:
            return self.test(node)
        yes, no = self.yes(node, site.edge("true")), self.add(node, site.edge("false"))
        return ast.IfExp(self.test(node), yes, no, **_place(node))

    def operands_tested(self, node: ast.BoolOp, part: int) -> ast.expr:
        operand = node.values[part]
        if part == len(node.values) - 1:
            return self.test(operand)
        rest = self.operands_tested(node, part + 1)
        site = self.table.at(node, part)
        if site is None:
            return ast.BoolOp(node.op, [operand, rest], **_place(operand))
        true, false = site.edge("true"), site.edge("false")
        if isinstance(node.op, ast.And):
            return ast.IfExp(
                self.test(operand), self.then(true, rest), self.add(operand, false), **_place(operand)
            )
        return ast.IfExp(self.test(operand), self.yes(operand, true), self.then(false, rest), **_place(operand))

    def links_tested(self, node: ast.Compare, left: ast.expr, part: int) -> ast.expr:
        site = self.table.at(node, part)
        link, rest_left, held = self.link(node, left, part)
        if site is None:
            return link
        rest = self.links_tested(node, rest_left, part + 1)
        stop = self.add(link, site.edge("false"))
        if held:
            stop = ast.BoolOp(ast.Or(), [stop, self.held(link, "drop", site)], **_place(link))
        return ast.IfExp(link, self.then(site.edge("true"), rest), stop, **_place(node))

    # -- values: the expression may be kept -----------------------------------------------------

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self.conditional(node, self.visit)

    def conditional(self, node: ast.IfExp, visit: Any) -> ast.expr:
        site = self.table.at(node)
        node.test = self.test(node.test)
        node.body, node.orelse = visit(node.body), visit(node.orelse)
        if site is not None:
            node.body = self.then(site.edge("true"), node.body)
            node.orelse = self.then(site.edge("false"), node.orelse)
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
        if site is None:
            return ast.BoolOp(node.op, [operand, self.operands_kept(node, part + 1)], **_place(operand))
        is_and = isinstance(node.op, ast.And)
        true, false = site.edge("true"), site.edge("false")
        on, stopped = (true, false) if is_and else (false, true)
        again = self.again(operand)
        if again is not None:
            rest, stop = self.then(on, self.operands_kept(node, part + 1)), self.then(stopped, again)
            body, orelse = (rest, stop) if is_and else (stop, rest)
            return ast.IfExp(operand, body, orelse, **_place(operand))
        operand = self.visit(operand)
        kept = self.kept(node.op, operand, on, self.operands_kept(node, part + 1))
        return self.tool(operand, "pick", ast.Constant(int(stopped), **_place(operand)), kept)

    def kept(self, op: ast.boolop, first: ast.expr, on: int, rest: ast.expr) -> ast.expr:
        place = _place(first)
        marker = ast.Name(self.names.add, ast.Load(), **place)
        wrapped = ast.Tuple([self.add(first, on), marker, rest], ast.Load(), **place)
        return ast.BoolOp(op, [first, wrapped], **place)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if self.table.at(node) is None:
            node.left = self.visit(node.left)
            self.visit_all(node.comparators)
            return node
        return self.links_kept(node, node.left, 0)

    def links_kept(self, node: ast.Compare, left: ast.expr, part: int) -> ast.expr:
        site = self.table.at(node, part)
        link, rest_left, held = self.link(node, left, part)
        if site is None:
            return link
        kept = self.kept(ast.And(), link, site.edge("true"), self.links_kept(node, rest_left, part + 1))
        stopped = ast.Constant(int(site.edge("false")), **_place(link))
        if held:
            number = ast.Constant(site.index, **_place(link))
            return self.tool(node, "pick_held", number, stopped, kept)
        return self.tool(node, "pick", stopped, kept)

    def link(self, node: ast.Compare, left: ast.expr, part: int) -> tuple[ast.Compare, ast.expr, bool]:
        """One link of a chain, the left operand of the next link, and whether that one is held in between."""
        right = node.comparators[part]
        # The left operand of every link but the first is already rewritten: it is the one held before.
        left = self.visit(left) if part == 0 else left
        again = self.again(right)
        site = self.table.at(node, part)
        held = site is not None and again is None
        right = self.visit(right)
        if held:
            assert site is not None
            right, again = self.held(right, "hold", site, right), self.held(right, "take", site)
        link = ast.copy_location(ast.Compare(left, [node.ops[part]], [right]), node)
        return link, again or right, held

    def held(self, where: ast.AST, action: str, site: Site, *args: ast.expr) -> ast.expr:
        return self.tool(where, action, ast.Constant(site.index, **_place(where)), *args)

    def again(self, node: ast.expr) -> ast.expr | None:
        """A second copy of an expression that may be evaluated twice, else None."""
        match node:
            case ast.Name() if not self.in_class:
                return ast.Name(node.id, ast.Load(), **_place(node))
            case ast.Constant():
                return ast.Constant(node.value, node.kind, **_place(node))
        return None


def _place(where: ast.AST) -> dict[str, Any]:
    """The start of a node, as a position of no width: the compiler may give code to a node's last line too."""
    line, column = getattr(where, "lineno", 1), getattr(where, "col_offset", 0)
    return {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}


def _first(node: ast.stmt) -> ast.AST:
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


def _as_constant(node: ast.expr) -> ast.expr:
    """The compiler makes a list display that is only iterated a constant tuple; wrapped, it no longer would."""
    if isinstance(node, ast.List) and all(isinstance(item, ast.Constant) for item in node.elts):
        return ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return node


def _edges(site: Site | None, outcome: str) -> list[int]:
    return [] if site is None else [site.edge(outcome)]


def _pass(where: ast.AST) -> ast.stmt:
    return ast.Pass(**_place(where))


def _wildcard(case: ast.match_case, guard: ast.expr | None, body: _Suite) -> ast.match_case:
    return ast.match_case(ast.MatchAs(None, None, **_place(case.pattern)), guard, body)
