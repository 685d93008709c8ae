"""From the AST of a module to the control-flow graphs of its scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ramify.cfg.branches import Scope
from ramify.cfg.drafting.comprehensions import build_comprehension
from ramify.cfg.drafting.draft import Draft
from ramify.cfg.drafting.expressions import ExpressionDraft, branching_nodes
from ramify.cfg.drafting.jumps import Jumps
from ramify.cfg.drafting.statements import StatementBuilder
from ramify.cfg.graph import FlowGraph
from ramify.cfg.recursion import deep_recursion
from ramify.cfg.source import SourceText
from ramify.cfg.table import BranchTable

_COMPREHENSION_KINDS = {
    ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension",
    ast.DictComp: "dict comprehension",
    ast.GeneratorExp: "generator expression",
}
_OPENS_SCOPE = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


class ModuleGraphs:
    """The graphs of all scopes of a module, each built when first asked for."""

    def __init__(self, tree: ast.Module, source: str, table: BranchTable | None = None) -> None:
        self.table = BranchTable.of(tree, source) if table is None else table
        self.source = SourceText(source)
        self._nodes = [node for node, _ in self.table.scope_nodes()]
        # Found once for the module: most expressions branch nowhere and are not walked again.
        self._flowing = branching_nodes(tree)
        self._graphs: dict[int, FlowGraph] = {}

    @classmethod
    def of_source(cls, source: str) -> ModuleGraphs:
        return cls(ast.parse(source), source)

    def __iter__(self) -> Iterator[FlowGraph]:
        """One graph per scope, in the order of the branch table."""
        return (self.of(scope) for scope in self.table.scopes)

    def __len__(self) -> int:
        return len(self.table.scopes)

    def of(self, scope: Scope | int) -> FlowGraph:
        index = scope if isinstance(scope, int) else scope.index
        # Most questions concern one function; graphs of the others are never built.
        if index not in self._graphs:
            self._graphs[index] = self._build(index)
        return self._graphs[index]

    def named(self, qualname: str) -> list[FlowGraph]:
        """The graphs of that qualified name: several if the source defines it several times."""
        return [self.of(scope) for scope in self.table.scopes if scope.qualname == qualname]

    def _build(self, index: int) -> FlowGraph:
        node, scope = self._nodes[index], self.table.scopes[index]
        draft = Draft()
        jumps = Jumps(draft)
        evaluator = ExpressionDraft(draft, jumps, self.table, self.source, self._flowing)
        with deep_recursion():
            match node:
                case ast.Lambda():
                    StatementBuilder(evaluator).lambda_body(node)
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    build_comprehension(evaluator, node)
                case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    StatementBuilder(evaluator).scope_body(node.body)
        return draft.freeze(scope, _kind(node), _first_line(node))


def _kind(node: ast.AST) -> str:
    match node:
        case ast.Module():
            return "module"
        case ast.ClassDef():
            return "class"
        case ast.Lambda():
            return "generator lambda" if _yields([node.body]) else "lambda"
        case ast.FunctionDef():
            return "generator" if _yields(node.body) else "function"
        case ast.AsyncFunctionDef():
            return "asynchronous generator" if _yields(node.body) else "coroutine"
    return _COMPREHENSION_KINDS[type(node)]


def _yields(body: list[ast.stmt] | list[ast.expr]) -> bool:
    """Whether the scope these nodes make up, without the scopes inside it, contains a yield."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, _OPENS_SCOPE):
            todo += ast.iter_child_nodes(node)
    return False


def _first_line(node: ast.AST) -> int:
    match node:
        case ast.Module():
            return 1
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.decorator_list[0].lineno if node.decorator_list else node.lineno
    line: int = getattr(node, "lineno", 1)
    return line
