"""Writes the shell line that shows a finding with nothing but Python."""

from __future__ import annotations

import ast
import builtins
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from ramify.runtime.checking.findings import Finding
from ramify.runtime.checking.replay import Replay
from ramify.runtime.contracts import INVARIANT, POSTCONDITION, PRECONDITION, RESULT, Clause
from ramify.runtime.inputs import Arguments, ShapedParameter, literal
from ramify.runtime.worlds import Target

CONSTRUCTOR = "__init__"
WRITTEN = (int, float, str, bytes, bool, type(None))


def shell_line(replay: Replay, finding: Finding, parameters: Sequence[ShapedParameter]) -> str:
    """`python -c "..."` for a finding."""
    code = "; ".join(_Script(replay, finding, parameters).statements())
    readable = not set(code) & set('"$`\\!')
    return f'python -c "{code}"' if readable else f"python -c {shlex.quote(code)}"


@dataclass(slots=True)
class _Script:
    """The statements that show one finding."""

    replay: Replay
    finding: Finding
    parameters: Sequence[ShapedParameter]
    texts: dict[str, str] = field(init=False)
    receiver: str = field(init=False)  # the parameter that a method is called on
    imports: list[str] = field(init=False)

    def __post_init__(self) -> None:
        written = self.finding.arguments
        self.texts = dict(written)
        self.receiver = self.parameters[0].name if self.replay.owner is not None else ""
        self.imports = list(written.imports)

    def statements(self) -> list[str]:
        finding, module = self.finding, self.replay.target.source.name
        before = list(finding.arguments.setup)
        for name in finding.arguments.globals:
            before = [f"{module}.{line}" if line.startswith(f"{name} =") else line for line in before]
        if finding.arguments.globals:
            self.imports.append(module)
        after: list[str] = []
        result = ""
        stated = next((c for c in self.replay.contract.ensure if c.text == finding.clause), None)
        if stated is not None and finding.kind == POSTCONDITION:
            more, after = self._states(stated, bool(before))
            before += more
            result = f"{RESULT} = "
        elif finding.kind == INVARIANT and self.receiver:
            before.append(f"{self.receiver} = {self._constructed()}")
            self.texts[self.receiver] = self.receiver
            if "()" in finding.clause:
                after = [f"assert {self.receiver}.{finding.clause.rpartition('.')[2]} is not False"]
        elif finding.kind == PRECONDITION:
            before += self._guarded()
        call = self._call()
        if self.replay.lazy:
            call = f"{self.replay.lazy}({call})"
            self.imports += ["asyncio"] if "." in self.replay.lazy else []
        lines = [*before, *([result + call] if call != self.receiver else []), *after]
        return [*_imports(self.replay.target, lines, self.imports), *lines]

    def _call(self) -> str:
        qualname, receiver = self.replay.target.qualname, self.receiver
        rest = {name: text for name, text in self.texts.items() if name != receiver}
        written = Arguments(self.parameters).written(rest)
        owner, _, name = qualname.rpartition(".")
        if not receiver:
            return f"{qualname}({written})"
        if name == CONSTRUCTOR and self.finding.kind != POSTCONDITION:
            return self.texts[receiver] if self.texts[receiver] == receiver else f"{owner}({written})"
        return f"{self.texts[receiver]}.{name}" + ("" if self.replay.is_property else f"({written})")

    def _constructed(self) -> str:
        """The object that a method is called on, or that a constructor makes."""
        constructor = self.replay.target.qualname.endswith(f".{CONSTRUCTOR}")
        return self._call() if constructor else self.texts[self.receiver]

    def _states(self, stated: Clause, prepared: bool) -> tuple[list[str], list[str]]:
        """What a postcondition needs to know from before the call, and the assertion behind it."""
        olds: list[str] = []
        module = self.replay.target.source.name
        names = {p.name for p in self.parameters}
        clause = _PlainClause(olds, names, self.replay.data - names, module).written(stated.text)
        if f"{module}." in clause or any(f"{module}." in text for text in olds):
            self.imports.append(module)
        before: list[str] = []
        if prepared:  # objects that are used twice must not be built twice
            before += [f"new_{name} = {text}" for name, text in self.texts.items()]
            self.imports += ["copy"] if stated.names & self.texts.keys() else []
            before += [f"{name} = copy.deepcopy(new_{name})" for name in self.texts if name in stated.names]
            self.texts |= {name: f"new_{name}" for name in self.texts}
        else:
            before += [f"{name} = {text}" for name, text in self.texts.items() if name in stated.names]
            before += [f"new_{name} = {self.texts[name]}" for name in self.texts if name in stated.finals]
            self.texts |= {name: f"new_{name}" for name in self.texts if name in stated.finals}
        for parameter in self.parameters:
            if parameter.name not in self.texts:
                before += self._default(parameter, stated)
        before += [f"old_{number} = {text}" for number, text in enumerate(olds, 1)]
        return before, [f"print({RESULT})", f"assert {clause}"]

    def _default(self, parameter: ShapedParameter, stated: Clause) -> list[str]:
        """An argument that is left out, as the clause names it."""
        name, lines = parameter.name, []
        value = f"inspect.signature({self.replay.target.qualname}).parameters[{name!r}].default"
        if name in stated.finals:
            lines.append(f"new_{name} = {value}")
        if name in stated.names:
            plain = type(parameter.default) in WRITTEN
            lines.append(f"{name} = {literal(parameter.default) if plain else f'copy.deepcopy({value})'}")
            self.imports += [] if plain else ["copy"]
        self.imports += ["inspect"] if any(value in line for line in lines) else []
        return lines

    def _guarded(self) -> list[str]:
        """The called function, put in place of itself with its precondition in front."""
        finding, source = self.finding, self.replay.target.source
        found = self.replay.guarding(finding.whose, finding.clause)
        if found is None:
            return []  # a decorator checks it by itself
        where = f"{source.name}.{finding.whose}"
        message = f"precondition of {finding.whose}: {finding.clause}"
        guarded = f"lambda {found[0]}: called({found[1]}) if {finding.clause} else exit({message!r})"
        self.imports.append(source.name)
        return [f"called = {where}", f"{where} = {guarded}"]


def _imports(target: Target, lines: list[str], imported: list[str]) -> list[str]:
    """The modules that the statements need, what they need from the target's, and the folder it lies in."""
    tree = ast.parse("\n".join(lines))
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {name.partition(".")[0] for name in imported}
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    names = sorted(read - bound - set(vars(builtins)))
    source = target.source
    found = []
    if source.folder is not None and os.path.realpath(source.folder) != os.getcwd():
        found = ["import sys", f"sys.path.insert(0, {os.path.relpath(source.folder)!r})"]
    found += [f"import {', '.join(dict.fromkeys(imported))}"] if imported else []
    return [*found, f"from {source.name} import {', '.join(names)}"] if names else found


class _PlainClause(ast.NodeTransformer):
    """A clause in plain Python: `old(...)` and `new(...)` become variables, data of the module is read there."""

    def __init__(self, olds: list[str], arguments: set[str], data: set[str], module: str) -> None:
        self._olds, self._arguments, self._data, self._module = olds, arguments, data, module

    def written(self, clause: str) -> str:
        return ast.unparse(self.visit(ast.parse(clause, mode="eval").body))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        word = node.func.id if isinstance(node.func, ast.Name) else ""
        if word not in ("old", "new") or len(node.args) != 1 or node.keywords:
            return self.generic_visit(node)
        if word == "new":
            renamed: ast.AST = _Renamed(self._arguments).visit(node.args[0])
            return renamed
        self._olds.append(ast.unparse(self.visit(node.args[0])))
        return ast.Name(f"old_{len(self._olds)}", ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(f"{self._module}.{node.id}", mode="eval").body if node.id in self._data else node


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"new_{node.id}", node.ctx) if node.id in self._names else node
