"""The rules by which pick.py finds functions: typed plainly, and with no other effect than their result."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus.table import Entry

PLAIN = frozenset({"int", "float", "str", "bytes", "bool", "None"})
GENERIC = {"list": 1, "List": 1, "dict": 2, "Dict": 2}
OUTSIDE = frozenset({
    "open", "print", "input", "exec", "eval", "compile", "exit", "quit", "breakpoint", "globals", "locals", "vars",
    "__import__", "os", "sys", "io", "pathlib", "Path", "shutil", "tempfile", "glob", "stat", "fcntl", "mmap",
    "zipfile", "tarfile", "gzip", "socket", "ssl", "select", "selectors", "http", "urlopen", "request", "requests",
    "subprocess", "signal", "pty", "ctypes", "time", "datetime", "date", "calendar", "sleep", "random",
    "secrets", "uuid", "threading", "asyncio", "multiprocessing", "concurrent", "queue", "warnings", "warn",
    "logging", "logger", "_logger", "log", "LOG", "LOGGER", "console", "click", "getpass", "locale", "platform",
    "importlib", "pkgutil", "inspect", "gc", "traceback", "sqlite3", "webbrowser", "pickle", "marshal", "shelve",
})  # fmt: skip
"""Names that neither a body nor a module's own name may have, nor what is imported from modules of these names:
with them a call does more than compute, or not the same every time.
"""

REACHING = frozenset({
    "open", "urlopen", "read_text", "write_text", "read_bytes", "write_bytes", "now", "today", "sleep",
    "monotonic", "perf_counter", "random", "randint", "randrange", "getrandbits", "choice", "shuffle", "urandom",
})  # fmt: skip
"""Attributes that a body must not have, for the same reason."""

FORKS = (ast.If, ast.For, ast.While, ast.match_case, ast.Try, ast.With, ast.comprehension, ast.IfExp, ast.BoolOp)
"""What can make a branch; fewer than two of them do not make four."""

Function = ast.FunctionDef
Types = dict[str, str]


def candidates(module: str, file: Path, stubs: dict[str, Types] | None = None) -> Iterator[tuple[Entry, str]]:
    """The functions of a file that the rules let through, each with its body; stubs, if given, have the types."""
    if OUTSIDE.intersection(module.split(".")):
        return
    tree = parsed(file)
    for name, node in functions(tree).items():
        types = annotated(node) if stubs is None else stubs.get(name)
        if types and list(types) == parameters(node) and computes(node, tree):
            entry = Entry(module, name, ", ".join(f"{n}: {kind}" for n, kind in types.items()), fresh=True)
            yield entry, body(node)


def parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # a template, say
        return ast.Module([], [])


def body(node: Function) -> str:
    """What a function does, wherever it stands: some are copied from package to package."""
    return ast.dump(ast.Module(node.body, []))


def functions(tree: ast.Module) -> dict[str, Function]:
    """The functions that a module defines once, without a condition and without a decorator."""
    names = Counter(getattr(node, "name", None) for node in tree.body)
    found = [node for node in tree.body if isinstance(node, Function) and not node.decorator_list]
    return {node.name: node for node in found if names[node.name] == 1}


def parameters(node: Function) -> list[str]:
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def annotated(node: Function) -> Types | None:
    """The types of all parameters; None if one of them has none that is plain."""
    arguments = node.args
    if arguments.vararg or arguments.kwarg:
        return None
    found: Types = {}
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        kind = plain(argument.annotation)
        if kind is None:
            return None
        found[argument.arg] = kind
    return found


def plain(node: ast.expr | None) -> str | None:
    """An annotation as the corpus writes types; None if it is not made of plain ones."""
    match node:
        case ast.Constant(value=None):
            return "None"
        case ast.Constant(value=str() as text):
            try:
                return plain(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return None
        case ast.Name(id=name):
            return name if name in PLAIN else None
        case ast.BinOp(op=ast.BitOr()):
            return union([node.left, node.right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return generic(name, inside)
    return None


def generic(name: str, inside: list[ast.expr]) -> str | None:
    if name == "Optional":
        return union([*inside, ast.Constant(None)])
    if name == "Union":
        return union(inside)
    endless = len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is ...
    if name in ("tuple", "Tuple") and endless:
        inside = inside[:1]
    elif GENERIC.get(name) != len(inside) and name not in ("tuple", "Tuple"):
        return None
    parts = [plain(part) for part in inside]
    if None in parts or not parts:
        return None
    return f"{name.lower()}[{', '.join([*map(str, parts), *(['...'] if endless else [])])}]"


def union(nodes: Iterable[ast.expr]) -> str | None:
    parts = [plain(node) for node in nodes]
    if None in parts:
        return None
    return " | ".join(dict.fromkeys(kind for part in parts for kind in str(part).split(" | ")))


def computes(node: Function, tree: ast.Module) -> bool:
    """Whether a function only computes, as far as it and its helpers in the module tell, and may have branches."""
    inside = list(parts_of(node))
    shown = {id(part.value) for part in inside if isinstance(part, ast.Expr)}
    sent = any(isinstance(part, ast.Yield | ast.Await) and id(part) not in shown for part in inside)
    forks = sum(isinstance(part, FORKS) for part in inside)
    return forks >= 2 and not sent and not any(goes_outside(f, outside(tree)) for f in with_helpers(node, tree))


def parts_of(node: Function) -> Iterator[ast.AST]:
    return (part for statement in node.body for part in ast.walk(statement))


def with_helpers(node: Function, tree: ast.Module) -> list[Function]:
    """A function and those of its module that it names, and that those name."""
    tops = {top.name: top for top in tree.body if isinstance(top, Function)}
    found = {node.name: node}
    waiting = [node]
    while waiting:
        named = {part.id for part in parts_of(waiting.pop()) if isinstance(part, ast.Name)}
        new = {name: tops[name] for name in named & tops.keys() - found.keys()}
        found |= new
        waiting += new.values()
    return list(found.values())


def outside(tree: ast.Module) -> set[str]:
    """OUTSIDE, and what a module calls by other names."""
    found = set(OUTSIDE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = (getattr(node, "module", None) or "").split(".")
            for alias in node.names:
                if OUTSIDE.intersection([*origin, *alias.name.split(".")]):
                    found.add(alias.asname or alias.name)
    return found


def goes_outside(node: Function, names_outside: set[str]) -> bool:
    inside = list(parts_of(node))
    names = {part.id for part in inside if isinstance(part, ast.Name)}
    attributes = {part.attr for part in inside if isinstance(part, ast.Attribute)}
    imports = any(isinstance(part, ast.Import | ast.ImportFrom) for part in inside)
    return imports or bool(names & names_outside or attributes & REACHING)


def stubbed(stub: Path) -> dict[str, Types]:
    """The functions of a stub whose parameters all have plain types, by name."""
    names: Counter[str] = Counter()
    found: dict[str, Types] = {}
    for node in at_this_version(ast.parse(stub.read_bytes()).body):
        if isinstance(node, Function):
            names[node.name] += 1
            found[node.name] = annotated(node) or {}
    return {name: types for name, types in found.items() if names[name] == 1}


def at_this_version(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a stub that are for this Python and platform, its only conditions."""
    for node in body:
        if not isinstance(node, ast.If):
            yield node
            continue
        try:
            holds = eval(ast.unparse(node.test), {"sys": sys})
        except NameError:  # TYPE_CHECKING
            continue
        yield from at_this_version(node.body if holds else node.orelse)
