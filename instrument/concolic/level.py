"""The concolic level: a module's AST rewritten so that models see what Python would not dispatch to a value.

It has no probes: its job is decisions and terms. Only code inside functions is rewritten, since nothing else
meets an input. Every loop and function begins with a tick, so that a run can be cut; and every truth test has
a position from which its branches are known. `docs/instrumentation.md` shows each form.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ramify.cfg.recursion import deep_recursion
from ramify.cfg.syntax import does_nothing, has_docstring
from ramify.instrument.compiling import REFUSALS, without_warnings
from ramify.instrument.concolic.callees import Callees
from ramify.instrument.concolic.kinds import Kinds
from ramify.instrument.concolic.operands import Expressions
from ramify.instrument.concolic.plainness import Plainness
from ramify.instrument.concolic.stores import Stores
from ramify.instrument.concolic.switches import ALL, Switches
from ramify.instrument.concolic.variants import call, changed
from ramify.instrument.positions import beginning, start_of
from ramify.instrument.private import private_names

_Suite = list[ast.stmt]
_Def = ast.FunctionDef | ast.AsyncFunctionDef

MODULE = "<module>"

# Methods whose results C code reads: where it asks for one, the term ends.
ANSWERS = frozenset({
    "__str__", "__repr__", "__format__",
    "__bool__", "__len__", "__length_hint__", "__int__", "__index__", "__float__", "__complex__", "__hash__",
    "__bytes__", "__fspath__",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Concolic:
    """A module ready to run on concolic values.

    `declined`: functions, by qualified name, that run as they were written, each with the reason.
    """

    code: CodeType
    declined: dict[str, str] = field(default_factory=dict)


def instrument(source: bytes, filename: str, switches: Switches = ALL) -> Concolic:
    """Compile a module at the concolic level; errors and warnings are those of compiling it plainly."""
    plain = compile(source, filename, "exec", dont_inherit=True)
    with without_warnings():  # the plain compilation has shown them
        try:
            tree = ast.parse(source, filename)
        except REFUSALS as error:
            return Concolic(plain, {MODULE: _reason(error)})
        try:
            return Concolic(_compiled(tree, filename, switches, frozenset()))
        except REFUSALS:
            return _without_the_worst(source, filename, switches, plain)


def rewrite(tree: ast.Module, switches: Switches = ALL, skipped: frozenset[str] = frozenset()) -> None:
    """Rewrite a module in place, except the functions whose qualified names are `skipped`."""
    with deep_recursion():
        _Rewriter(tree, switches, skipped).module(tree)


def _compiled(tree: ast.Module, filename: str, switches: Switches, skipped: frozenset[str]) -> CodeType:
    rewrite(tree, switches, skipped)
    return compile(tree, filename, "exec", dont_inherit=True)


def _without_the_worst(source: bytes, filename: str, switches: Switches, plain: CodeType) -> Concolic:
    """Rewriting deepens expressions; a function the compiler cannot take then stays as it was written."""
    # One function after the other, all others plain: slow, but only for modules of which some expression is too
    # deep.
    names = [name for name, _ in _functions(ast.parse(source))]
    declined: dict[str, str] = {}
    for name in names:
        try:
            others = frozenset(names) - {name}
            _compiled(ast.parse(source), filename, switches, others)
        except REFUSALS as error:
            declined[name] = _reason(error)
    try:
        return Concolic(_compiled(ast.parse(source), filename, switches, frozenset(declined)), declined)
    except REFUSALS as error:
        return Concolic(plain, {MODULE: _reason(error)})


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Def]]:
    """The functions of a module, each with its qualified name."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield prefix + node.name, node
                yield from _functions(node, f"{prefix}{node.name}.<locals>.")
            case ast.ClassDef():
                yield from _functions(node, f"{prefix}{node.name}.")
            case _:
                yield from _functions(node, prefix)


class _Rewriter:
    def __init__(self, tree: ast.Module, switches: Switches, skipped: frozenset[str]) -> None:
        self.switches = switches
        self.callees = Callees(tree)
        self.skipped = {node for name, node in _functions(tree) if name in skipped}
        # Of the function we are in; None outside.
        self.expressions: Expressions | None = None
        self.in_class = False
        self.answer: str | None = None  # the special method we are in

    # -- outside of functions: only what is defined there ---------------------------------------

    def module(self, tree: ast.Module) -> None:
        self.outside(tree.body)

    def outside(self, body: _Suite) -> None:
        for node in body:
            self.defined_in(node)

    def defined_in(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
                return
            case ast.Lambda():
                self.bare().lambda_(node)
                return
            case ast.AnnAssign():
                if node.value is not None:
                    self.defined_in(node.value)
                return
            case ast.ClassDef():
                outer, self.in_class = self.in_class, True
                self.parts_of(node)
                self.in_class = outer
                return
            case ast.For() | ast.AsyncFor() | ast.While() if not self.in_class:
                # The namespace of a class may be any mapping, and would be asked for the name.
                # Loops outside of functions run during import, where a budget must be able to end them too.
                node.body = [*tick(node.body), *node.body]
        if type(node).__name__ != "TypeAlias":
            self.parts_of(node)

    def parts_of(self, node: ast.AST) -> None:
        for name, child in ast.iter_fields(node):
            # Evaluated lazily, from 3.12 on.
            if name == "type_params":
                continue
            for part in child if isinstance(child, list) else [child]:
                if isinstance(part, ast.AST):
                    self.defined_in(part)

    def bare(self) -> Expressions:
        return Expressions(Plainness(self.switches, self.callees, Kinds(None, self.callees.bound)))

    # -- functions ------------------------------------------------------------------------------

    def function(self, node: _Def) -> None:
        for outer in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.defined_in(outer)
        before = self.expressions, self.in_class, self.answer
        # A function of that name outside of a class is an ordinary one.
        self.answer = node.name if self.in_class and node.name in ANSWERS else None
        self.in_class = False
        if node in self.skipped:
            self.expressions = None
            self.outside(node.body)
        else:
            kinds = Kinds(node, self.callees.bound)
            rebound = _rebound(node)
            # A walrus may store between two reads of the same expression.
            private = private_names(node) - rebound
            self.expressions = Expressions(Plainness(self.switches, self.callees, kinds, rebound), private)
            # Their targets are stored into like any other: an item, an attribute.
            for inner in _comprehensions(node):
                inner.target = Stores(self.bare()).placed(inner.target)
            head = int(has_docstring(node.body))
            body = node.body[head:]
            noticed = _noticed(_exception_of(node), body) if before[1] else []
            node.body = [*node.body[:head], *tick(body), *noticed, *self.suite(body)]
        self.expressions, self.in_class, self.answer = before

    def suite(self, body: _Suite) -> _Suite:
        return [new for node in body for new in self.statement(node)]

    def statement(self, node: ast.stmt) -> _Suite:
        assert self.expressions is not None
        value, test = self.expressions.value, self.expressions.test
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
            case ast.ClassDef():
                # A class body is no function: its names live in a namespace that may be any mapping.
                before, self.expressions = self.expressions, None
                self.defined_in(node)
                self.expressions = before
            case ast.If():
                node.test, node.body, node.orelse = test(node.test), self.suite(node.body), self.suite(node.orelse)
            case ast.While():
                node.test = test(node.test)
                self.loop(node)
            case ast.For() | ast.AsyncFor():
                node.iter, node.target = value(node.iter), Stores(self.expressions).placed(node.target)
                self.loop(node)
            case ast.Assert():
                node.test = test(node.test)
                node.msg = node.msg and value(node.msg)
            case ast.Match():
                self.match(node)
            case ast.Try() | ast.TryStar():
                node.body = self.suite(node.body)
                for handler in node.handlers:
                    handler.type = handler.type and value(handler.type)
                    handler.body = [*_noticed(handler.name, handler.body), *self.suite(handler.body)]
                node.orelse, node.finalbody = self.suite(node.orelse), self.suite(node.finalbody)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    item.context_expr = value(item.context_expr)
                    if item.optional_vars is not None:
                        item.optional_vars = Stores(self.expressions).placed(item.optional_vars)
                node.body = self.suite(node.body)
            case ast.Assign() | ast.AugAssign() | ast.Delete():
                return [Stores(self.expressions).statement(node)]
            case ast.AnnAssign():
                if node.value is not None:
                    node.value, target = value(node.value), Stores(self.expressions).placed(node.target)
                    node.target = target  # type: ignore[assignment]
            case ast.Return() | ast.Expr() | ast.Raise():
                for name, child in ast.iter_fields(node):
                    if isinstance(child, ast.expr):
                        setattr(node, name, value(child))
                if isinstance(node, ast.Return) and node.value is not None and self.answer is not None:
                    name_ = ast.copy_location(_constant(self.answer), node.value)
                    node.value = call(node.value, "answered", name_, node.value)
        return [node]

    def loop(self, node: ast.While | ast.For | ast.AsyncFor) -> None:
        node.body = [*tick(node.body), *self.suite(node.body)]
        node.orelse = self.suite(node.orelse)

    def match(self, node: ast.Match) -> None:
        assert self.expressions is not None
        subject = self.expressions.value(node.subject)
        questions = [q for case in node.cases for q in _questions(case.pattern)]
        if questions and self.switches.booleans:
            asked = tuple(dict.fromkeys(question for _, question in questions))
            depth = max(depth for depth, _ in questions)
            lengths, levels = (ast.copy_location(_constant(part), node.subject) for part in (asked, depth))
            # C code of the interpreter asks a subject for its length and compares `True` by identity; neither
            # can be rewritten in a pattern.
            subject = call(node.subject, "subject", subject, lengths, levels)
        node.subject = subject
        for case in node.cases:
            case.guard = case.guard and self.expressions.test(case.guard)
            case.body = self.suite(case.body)


def tick(body: _Suite) -> _Suite:
    """The statement with which a body begins; none before a body that does nothing."""
    for node in body:
        only_annotates = isinstance(node, ast.AnnAssign) and node.value is None
        if not does_nothing(node) and not only_annotates:
            where = beginning(node)
            return [ast.Expr(changed(call(where, "tick"), **start_of(where)), **start_of(where))]
    return []


def _noticed(name: str | None, body: _Suite) -> _Suite:
    """The call that says that a program looks at an exception it has a name for, if it does."""
    if name is None or not body or not any(map(_Looks(name).in_, body)):
        return []
    # A declaration has no line of its own in the code.
    first = next((s for s in body if not isinstance(s, ast.Global | ast.Nonlocal)), body[0])
    asked = call(first, "caught", ast.Name(name, ast.Load(), **start_of(first)))
    return [ast.Expr(asked, **start_of(first))]


class _Looks:
    """Whether code reads a name other than to name the cause of an exception, or to raise it again."""

    def __init__(self, name: str) -> None:
        self.name = name

    def in_(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id == self.name and isinstance(node.ctx, ast.Load)
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, ast.Raise):
            # Raising it again, or naming it as the cause, tells the program nothing of its message.
            parts = [part for part in (node.exc, node.cause) if not isinstance(part, ast.Name | None)]
        return any(map(self.in_, parts))


def _exception_of(function: _Def) -> str | None:
    """The parameter by which the end of a `with` block is told of an exception."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    return parameters[2].arg if function.name in ("__exit__", "__aexit__") and len(parameters) > 2 else None


def _constant(value: Any) -> ast.expr:
    return ast.Constant(value)


def _questions(pattern: ast.pattern, depth: int = 0) -> Iterator[tuple[int, tuple[int, bool] | bool]]:
    """What a pattern asks of a subject, or of what is inside it, that C code answers: how deep inside, and a
    length (and whether exactly that) or a bool.
    """
    match pattern:
        case ast.MatchSequence():
            stars = sum(isinstance(part, ast.MatchStar) for part in pattern.patterns)
            yield depth, (len(pattern.patterns) - stars, not stars)
        case ast.MatchMapping():
            yield depth, (len(pattern.keys), False)
        case ast.MatchSingleton(value=bool()):
            yield depth, True
    inner = depth + isinstance(pattern, ast.MatchSequence | ast.MatchMapping | ast.MatchClass)
    for part in ast.iter_child_nodes(pattern):
        if isinstance(part, ast.pattern):
            yield from _questions(part, inner)


def _comprehensions(function: _Def) -> Iterator[ast.comprehension]:
    """The loops of comprehensions of a function itself, not of functions inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.comprehension):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            todo += ast.iter_child_nodes(node)


def _rebound(function: _Def) -> frozenset[str]:
    """The names that expressions of a function bind."""
    named: list[Any] = [node.target for node in ast.walk(function) if isinstance(node, ast.NamedExpr)]
    return frozenset(target.id for target in named)
