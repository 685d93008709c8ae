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
from collections.abc import Iterator
from dataclasses import dataclass, field

from ramify.cfg.branches import Edge, Scope, Site, Statement
from ramify.cfg.numbering import Numbering
from ramify.cfg.recursion import deep_recursion


@dataclass(slots=True)
class BranchTable:
    """All sites, edges, scopes and statements of one module."""

    edges: list[Edge] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    probes: int = 0
    # By node, not by position: nodes of a rewritten tree keep their identity while their positions are copied
    # around.
    _site_by_node: dict[tuple[ast.AST, int], Site] = field(default_factory=dict, repr=False)
    _scope_by_node: dict[ast.AST, Scope] = field(default_factory=dict, repr=False)
    _probe_by_node: dict[ast.AST, int] = field(default_factory=dict, repr=False)
    _statement_by_node: dict[ast.AST, Statement] = field(default_factory=dict, repr=False)
    _proof_by_node: dict[ast.AST, int] = field(default_factory=dict, repr=False)
    _span_by_node: dict[ast.AST, tuple[range, range]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, tree: ast.Module, source: str) -> BranchTable:
        """The table of a parsed module; `source` gives the texts people read."""
        found = Numbering(source)
        with deep_recursion():
            found.module(tree)
        return cls(
            found.edges, found.sites, found.scopes, found.statements, found.probes,
            found.site_at, found.scope_at, found.probe_at, found.statement_at, found.proof_at, found.span_at,
        )  # fmt: skip

    @classmethod
    def of_source(cls, source: str) -> BranchTable:
        return cls.of(ast.parse(source), source)

    def at(self, node: ast.AST, part: int = 0) -> Site | None:
        """The site at a node of the tree the table was built from.

        `part` is the operand of a `BoolOp`, the link of a `Compare`; for a `comprehension` 0 is the loop
        and 1, 2, ... its conditions; for a `match_case` 0 is the pattern and 1 the guard.
        """
        return self._site_by_node.get((node, part))

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
