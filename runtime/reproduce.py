"""Writes the shell line that shows a finding with nothing but Python."""

from __future__ import annotations

import ast
import builtins
import os
import shlex
from collections.abc import Mapping

from ramify.runtime.clause import RESULT
from ramify.runtime.findings import Finding
from ramify.runtime.promises import INVARIANT, POSTCONDITION, PRECONDITION
from ramify.runtime.replay import Replay
from ramify.runtime.target import Target


def shell_line(replay: Replay, finding: Finding, stars: Mapping[str, str]) -> str:
    """`python -c "..."` for a finding; `stars` are the parameters that are called with `*` or by name only."""
    code = "; ".join(_statements(replay, finding, stars))
    readable = not set(code) & set('"$`\\!')
    return f'python -c "{code}"' if readable else f"python -c {shlex.quote(code)}"


def _statements(replay: Replay, finding: Finding, stars: Mapping[str, str]) -> list[str]:
    target, contract = replay.target, replay.contract
    arguments = dict(finding.arguments)
    receiver = next(iter(arguments), "") if replay.owner is not None else ""
    stated = next((c for c in contract.ensure if c.text == finding.clause), None)
    before: list[str] = []
    after: list[str] = []
    olds: list[str] = []
    result = ""
    if stated is not None and finding.kind == POSTCONDITION:
        clause = _States(olds, set(arguments)).written(finding.clause)
        before = [f"{name} = {text}" for name, text in arguments.items() if name in stated.names]
        before += [f"new_{name} = {arguments[name]}" for name in arguments if name in stated.finals]
        before += [f"old_{number} = {text}" for number, text in enumerate(olds, 1)]
        arguments |= {name: f"new_{name}" for name in stated.finals}
        after = [f"print({RESULT})", f"assert {clause}"]
        result = f"{RESULT} = "
    elif finding.kind == INVARIANT and receiver:
        before = [f"{receiver} = {arguments[receiver]}"]
        arguments[receiver] = receiver
        if "()" in finding.clause:
            after = [f"assert {receiver}.{finding.clause.rpartition('.')[2]} is not False"]
    elif finding.kind == PRECONDITION:
        before = _guarded(replay, finding)
    lines = [*before, result + _call(target.qualname, arguments, receiver, stars), *after]
    return [*_imports(target, lines), *lines]


def _guarded(replay: Replay, finding: Finding) -> list[str]:
    """The called function, put in place of itself with its precondition in front."""
    found = replay.guarding(finding.whose, finding.clause)
    if found is None:
        return []  # a decorator checks it by itself
    where = f"{replay.target.source.name}.{finding.whose}"
    message = f"precondition of {finding.whose}: {finding.clause}"
    guarded = f"lambda {found[0]}: called({found[1]}) if {finding.clause} else exit({message!r})"
    return [f"import {replay.target.source.name}", f"called = {where}", f"{where} = {guarded}"]


def _imports(target: Target, lines: list[str]) -> list[str]:
    """What the statements need from the target's module, and the folder it lies in."""
    tree = ast.parse("\n".join(lines))
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    imported = [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    bound |= {name.partition(".")[0] for name in imported}
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    names = sorted(read - bound - set(vars(builtins)))
    source = target.source
    found = []
    if source.folder is not None and os.path.realpath(source.folder) != os.getcwd():
        found = ["import sys", f"sys.path.insert(0, {os.path.relpath(source.folder)!r})"]
    return [*found, f"from {source.name} import {', '.join(names)}"] if names else found


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
            renamed: ast.AST = _Renamed(self._arguments).visit(node.args[0])
            return renamed
        self._olds.append(ast.unparse(node.args[0]))
        return ast.Name(f"old_{len(self._olds)}", ast.Load())


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"new_{node.id}", node.ctx) if node.id in self._names else node
