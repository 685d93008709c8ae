"""Writes the shell line that shows a finding with nothing but Python."""

from __future__ import annotations

import ast
import builtins
import os
import shlex
from collections.abc import Mapping

from ramify.runtime.clause import RESULT
from ramify.runtime.contract import Contract
from ramify.runtime.findings import Finding
from ramify.runtime.promises import INVARIANT, POSTCONDITION
from ramify.runtime.target import Target


def shell_line(target: Target, finding: Finding, contract: Contract, method: bool, stars: Mapping[str, str]) -> str:
    """`python -c "..."` for a finding; `stars` are the parameters that are called with `*` or by name only."""
    return f"python -c {shlex.quote('; '.join(_statements(target, finding, contract, method, stars)))}"


def _statements(
    target: Target, finding: Finding, contract: Contract, method: bool, stars: Mapping[str, str]
) -> list[str]:
    source = target.source
    arguments = finding.arguments
    stated = finding.kind == POSTCONDITION and any(c.text == finding.clause for c in contract.ensure)
    receiver = next(iter(arguments), "") if method else ""
    kept = finding.kind == INVARIANT and method
    texts = list(arguments.values())
    before: list[str] = []
    after: list[str] = []
    if stated:
        olds: list[str] = []
        clause = _States(olds, set(arguments)).written(finding.clause)
        before = [f"{name} = {text}" for name, text in arguments.items()]
        before += [f"new_{name} = {text}" for name, text in arguments.items() if text]
        before += [f"old_{number} = {text}" for number, text in enumerate(olds, 1)]
        arguments = {name: f"new_{name}" for name in arguments}
        texts += [clause, *olds]
        after = [f"print({RESULT})", f"assert {clause}"]
    elif kept:
        before = [f"{receiver} = {arguments[receiver]}"]
        arguments = {**arguments, receiver: receiver}
        after = [f"assert {receiver}.{finding.clause.rpartition('.')[2]} is not False"]
    call = _call(target.qualname, arguments, receiver, stars)
    names = _names(" , ".join(f"({text})" for text in [*texts, target.qualname.partition(".")[0]]))
    names -= {*finding.arguments, RESULT} | {f"old_{k}" for k in range(1, 10)}
    names -= {f"new_{name}" for name in finding.arguments}
    names -= set(vars(builtins))
    lines = []
    if source.folder is not None and os.path.realpath(source.folder) != os.getcwd():
        lines.append(f"import sys; sys.path.insert(0, {os.path.relpath(source.folder)!r})")
    lines.append(f"from {source.name} import {', '.join(sorted(names))}")
    return [*lines, *before, f"{RESULT} = {call}" if stated else call, *after]


def _call(qualname: str, arguments: Mapping[str, str], receiver: str, stars: Mapping[str, str]) -> str:
    parts = []
    for name, text in arguments.items():
        if name == receiver:
            continue
        star = stars.get(name, "=")
        parts.append(f"{name}={text}" if star == "=" else f"{star}{text}")
    if not receiver:
        return f"{qualname}({', '.join(parts)})"
    return f"{arguments[receiver]}.{qualname.rpartition('.')[2]}({', '.join(parts)})"


def _names(text: str) -> set[str]:
    tree = ast.parse(text, mode="eval")
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - bound


class _States(ast.NodeTransformer):
    """A clause in plain Python: `old(...)` and `new(...)` become variables."""

    def __init__(self, olds: list[str], arguments: set[str]) -> None:
        self._olds, self._arguments = olds, arguments

    def written(self, clause: str) -> str:
        return ast.unparse(self.visit(ast.parse(clause, mode="eval").body))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        word = node.func.id if isinstance(node.func, ast.Name) else ""
        if word not in ("old", "new") or len(node.args) != 1 or node.keywords:
            return self.generic_visit(node)
        if word == "new":
            return _Renamed(self._arguments).visit(node.args[0])
        self._olds.append(ast.unparse(node.args[0]))
        return ast.Name(f"old_{len(self._olds)}", ast.Load())


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"new_{node.id}", node.ctx) if node.id in self._names else node
