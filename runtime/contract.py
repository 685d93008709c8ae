"""Reads PEF's contracts from docstrings: `:types:`, `:assume:` and `:ensure:`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ramify.errors import InputError
from ramify.runtime import terms as T
from ramify.runtime.values.bool_ import SymBool, negated, sym_bool

FIELD = re.compile(r"^\s*:(\w+)(?:\s+\w+)*:(.*)$")
JOINED = "__ramify_join__"


@dataclass(frozen=True, slots=True)
class Clause:
    """One expression of a contract: its text and its code, in which `and`, `or` and `not` do not branch."""

    text: str
    code: CodeType

    def evaluate(self, scope: dict[str, Any], names: dict[str, Any]) -> Any:
        """The value in a function's global scope, with parameters and `returnv` as further names."""
        return eval(self.code, {**scope, **names, JOINED: join})


@dataclass(frozen=True, slots=True)
class Contract:
    """What a docstring says about a function."""

    types: dict[str, ast.expr] = field(default_factory=dict)
    assume: tuple[Clause, ...] = ()
    ensure: tuple[Clause, ...] = ()


def read(docstring: str | None, where: str) -> Contract:
    """The contract in a docstring; `where` names the function in error messages."""
    types: dict[str, ast.expr] = {}
    clauses: dict[str, list[Clause]] = {"assume": [], "ensure": []}
    for name, text in fields(docstring or ""):
        if name in ("types", "type"):
            types.update(types_of(text, where))
        elif name in ("assume", "ensure", "ensures"):
            clauses[name.removesuffix("s")].extend(_clauses(text, where))
    return Contract(types, tuple(clauses["assume"]), tuple(clauses["ensure"]))


def fields(docstring: str) -> list[tuple[str, str]]:
    """The fields `:name: text` of a docstring; a field goes on until a blank line or the next field."""
    found: list[tuple[str, str]] = []
    inside = False
    for line in docstring.splitlines():
        match = FIELD.match(line)
        if match is not None:
            found.append((match[1], match[2].strip()))
            inside = True
        elif not line.strip():
            inside = False
        elif inside:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def types_of(text: str, where: str) -> dict[str, ast.expr]:
    """The types of a text `name: type, name: type`."""
    tree = _parse("{" + text + "}", f"the :types: of {where}")
    if not isinstance(tree, ast.Dict):
        raise InputError(f"{where}: :types: wants `name: type, name: type`, not {text!r}")
    return {k.id: v for k, v in zip(tree.keys, tree.values, strict=True) if isinstance(k, ast.Name)}


def _clauses(text: str, where: str) -> list[Clause]:
    tree = _parse(f"({text},)", f"a clause of {where}")
    assert isinstance(tree, ast.Tuple)
    return [_clause(node) for node in tree.elts]


def _parse(text: str, what: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise InputError(f"{what} is no Python: {text!r} ({error.msg})") from None


def _clause(node: ast.expr) -> Clause:
    text = ast.unparse(node)
    tree = ast.fix_missing_locations(ast.Expression(_Joining().visit(node)))
    return Clause(text, compile(tree, "<contract>", "eval", dont_inherit=True))


class _Joining(ast.NodeTransformer):
    """Makes `and`, `or` and `not` keep their terms, so that a clause is one condition, not several paths."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        operands: list[ast.expr] = [ast.Lambda(empty, value) for value in node.values]
        kind = ast.Constant("and" if isinstance(node.op, ast.And) else "or")
        return ast.Call(ast.Name(JOINED, ast.Load()), [kind, *operands], [])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.Call(ast.Name(JOINED, ast.Load()), [ast.Constant("not"), node.operand], [])
        return node


def join(kind: str, *operands: Any) -> Any:
    """`and`, `or`, `not` of operands (the first two as functions, evaluated one after the other as Python
    does).
    """
    if kind == "not":
        return negated(operands[0])
    result: Any = None
    for evaluate in operands:
        value = evaluate()
        if type(result) is SymBool and type(value) in (SymBool, bool):
            result = _both(kind, result, value)
        else:
            result = value
        if type(result) is not SymBool and bool(result) == (kind == "or"):
            return result
        if type(result) is SymBool and kind == "and" and not result.value:
            return result  # Python would not evaluate the rest, which may be undefined
    return result


def _both(kind: str, a: SymBool, b: Any) -> Any:
    value, term = (b.value, b.term) if type(b) is SymBool else (b, T.const(b))
    if kind == "and":
        return sym_bool(a.value and value, T.and_(a.term, term))
    return sym_bool(a.value or value, T.or_(a.term, term))


Evaluate = Callable[[], Any]
