"""One expression of a contract: compiled so that it is one condition, with `old(...)` and `new(...)`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.terms import language as T
from ramify.runtime.values.numeric.bool_ import SymBool, negated, sym_bool

JOINED = "__ramify_join__"
OLD = "__ramify_old__"
NEW = "__ramify_new_"
RESULT = "returnv"

Olds = list[Any]  # values of the `old(...)` of a clause, taken before the call


@dataclass(frozen=True, slots=True)
class Raised:
    """An `old(...)` that could not be evaluated: it counts where the clause uses it."""

    error: Exception


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One expression: its text, where it stands, and its code, in which `and`, `or` and `not` do not branch."""

    text: str
    code: CodeType
    line: int = 0  # in the file, or in the docstring if the file is not known
    olds: tuple[CodeType, ...] = ()
    names: frozenset[str] = frozenset()  # what it reads from its surroundings
    finals: frozenset[str] = frozenset()  # the arguments whose final value it asks for

    def before(self, scope: dict[str, Any], names: dict[str, Any]) -> Olds:
        """The values of its `old(...)` parts, in the state before the call."""
        found: Olds = []
        for code in self.olds:
            try:
                found.append(eval(code, {**scope, **names, JOINED: join}))
            except Exception as error:
                # The clause may never come to use it, as in `x is None or old(x.size) < n`.
                found.append(Raised(error))
        return found

    def evaluate(self, scope: dict[str, Any], names: dict[str, Any], olds: Olds | None = None) -> Any:
        """The value in a function's global scope, with parameters and `returnv` as further names."""

        def old(number: int) -> Any:
            value = (olds or [])[number]
            if type(value) is Raised:
                raise value.error
            return value

        return eval(self.code, {**scope, **names, JOINED: join, OLD: old})


def final_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as a clause knows them inside `new(...)`."""
    return {NEW + name: value for name, value in arguments.items()}


def compile_clause(node: ast.expr, line: int = 0, own: Collection[str] = ()) -> Clause:
    """The clause of an expression. `own` are names of the function: if it has its own `old` or `new`, those are
    meant.
    """
    text = ast.unparse(node)
    states = _States({"old", "new"} - set(own))
    plain = states.visit(node)
    names = _free_names(plain, {OLD})
    code = _compile(_Joining().visit(plain))
    olds = tuple(_compile(_Joining().visit(part)) for part in states.olds)
    for part in states.olds:
        names |= _free_names(part, {OLD})
    finals = {name.removeprefix(NEW) for name in names if name.startswith(NEW)}
    return Clause(
        text,
        code,
        line,
        olds,
        frozenset(name for name in names if not name.startswith(NEW) and name != JOINED),
        frozenset(finals),
    )


def _compile(node: ast.expr) -> CodeType:
    tree = ast.fix_missing_locations(ast.Expression(node))
    return compile(tree, "<contract>", "eval", dont_inherit=True)


def _free_names(node: ast.AST, but: set[str]) -> set[str]:
    """The names read in an expression and not bound in it."""
    read: set[str] = set()
    bound: set[str] = set(but)
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        elif isinstance(part, ast.arg):
            bound.add(part.arg)
    return read - bound


class _States(ast.NodeTransformer):
    """Takes `old(expr)` out of a clause, and lets the names inside `new(expr)` mean the final values."""

    def __init__(self, words: set[str]) -> None:
        self.words = words
        self.olds: list[ast.expr] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        word = node.func.id if isinstance(node.func, ast.Name) else ""
        if word not in self.words or len(node.args) != 1 or node.keywords:
            return self.generic_visit(node)
        if word == "new":
            final: ast.AST = _Final().visit(node.args[0])
            return final
        self.olds.append(node.args[0])
        return ast.Call(ast.Name(OLD, ast.Load()), [ast.Constant(len(self.olds) - 1)], [])


class _Final(ast.NodeTransformer):
    """Renames what may be arguments; names of builtins stay."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        # A clause's own loop variables are renamed in both places, and so keep their meaning.
        return node if hasattr(builtins, node.id) else ast.Name(NEW + node.id, node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(NEW + node.arg)


class _Joining(ast.NodeTransformer):
    """Makes `and`, `or`, `not` and chains keep their terms, so that a clause is one condition, not several
    paths.
    """

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return _joined("and" if isinstance(node.op, ast.And) else "or", node.values)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        middle = node.comparators[:-1]
        if not middle or not all(isinstance(part, (ast.Name, ast.Constant)) for part in middle):
            return node
        sides = zip([node.left, *middle], node.ops, node.comparators, strict=True)
        return _joined("and", [ast.Compare(a, [op], [b]) for a, op, b in sides])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.Call(ast.Name(JOINED, ast.Load()), [ast.Constant("not"), node.operand], [])
        return node


def _joined(kind: str, values: list[ast.expr]) -> ast.expr:
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    # Functions, so that `join` evaluates an operand only where Python would.
    operands: list[ast.expr] = [ast.Lambda(empty, value) for value in values]
    return ast.Call(ast.Name(JOINED, ast.Load()), [ast.Constant(kind), *operands], [])


def join(kind: str, *operands: Any) -> Any:
    """`and`, `or`, `not` of operands (the first two as functions, evaluated one after the other as Python
    does).
    """
    if kind == "not":
        return negated(operands[0])
    result: Any = None
    for evaluate in operands:
        if type(result) is not SymBool:
            result = evaluate()
            if type(result) is not SymBool and bool(result) == (kind == "or"):
                return result
            continue
        # The concrete value stops here, but another input may go on: the operand's term is part of the
        # condition.
        value = _rest(evaluate) if result.value == (kind == "or") else evaluate()
        # Only truth values join in one term; any other operand is decided in its turn.
        if type(value) in (SymBool, bool):
            result = _both(kind, result, value)
        elif bool(result) == (kind == "or"):
            return result.value
        else:
            result = value
    return result


def _rest(evaluate: Callable[[], Any]) -> Any:
    """An operand that Python would not evaluate any more. Where it is undefined or branches, it has no value
    here: the operand before it is decided instead.
    """
    run = path.active()
    taken = len(run.decisions) if run is not None else 0
    try:
        value = evaluate()
    except Exception:
        value = None
    if run is None or len(run.decisions) == taken:
        return value
    # It branched, so one condition cannot say it; what it decided is taken back.
    del run.decisions[taken:]
    return None


def _both(kind: str, a: SymBool, b: Any) -> Any:
    value, term = (b.value, b.term) if type(b) is SymBool else (b, T.const(b))
    if kind == "and":
        return sym_bool(a.value and value, T.and_(a.term, term))
    return sym_bool(a.value or value, T.or_(a.term, term))
