"""How large the modules, classes and rooms of the project are, and which of them are larger than they may be.

    python benchmarks/sizes.py [CHECKOUT]

A module has at most 450 lines, or its docstring has a paragraph that begins with "Long because". A class has at
most 15 public methods, inherited ones included: a class made of parts is as large as all of them. Names that a
base outside the project prescribes are not the class's own choice and do not count: those of a builtin type that
it stands in for, and `visit_If` and its like of a visitor of syntax trees.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("app", "cfg", "instrument", "runtime")
LINES = 450
METHODS = 15
MODULES = 16
REASON = "Long because"
VISITORS = ("NodeVisitor", "NodeTransformer")


@dataclasses.dataclass(frozen=True)
class Module:
    """One file, and what its text says about its size."""

    path: str
    text: str

    @property
    def room(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @functools.cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def reason(self) -> str:
        """Why the module is long, if it says so: the paragraph of the docstring that begins with the words."""
        docstring = ast.get_docstring(self.tree) or ""
        return next((p for p in docstring.split("\n\n") if len(p) > len(REASON) + 1 and p.startswith(REASON)), "")


@dataclasses.dataclass
class Class:
    """One class statement: its public methods, and the names of its bases."""

    path: str
    name: str
    methods: set[str]
    bases: list[str]


def modules(checkout: Path) -> list[Module]:
    return [
        Module(file.relative_to(checkout).as_posix(), file.read_text())
        for folder in FOLDERS
        for file in sorted((checkout / folder).rglob("*.py"))
    ]


def long_modules(found: list[Module]) -> dict[str, int]:
    """The modules above the limit that do not say why, with their lines."""
    return {m.path: m.lines for m in found if m.lines > LINES and not m.reason}


def classes(found: list[Module]) -> list[Class]:
    return [_class(m.path, node) for m in found for node in _statements(m.tree) if isinstance(node, ast.ClassDef)]


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a tree, without its expressions, in which no class can stand."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.expr, ast.expr_context)):
            yield child
            yield from _statements(child)


def _class(path: str, node: ast.ClassDef) -> Class:
    names = {f.name for f in _functions(node) if not f.name.startswith("_")}
    return Class(path, node.name, names, [_last_name(base) for base in node.bases])


def _functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a class body, also those under an `if`, but nothing inside of methods and inner classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
        elif not isinstance(child, (ast.ClassDef, ast.expr)):
            yield from _functions(child)


def _last_name(base: ast.expr) -> str:
    """`visitor` of `ast.visitor`, `list` of `list[int]`."""
    if isinstance(base, ast.Subscript):
        return _last_name(base.value)
    return base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""


def public_methods(one: Class, every: list[Class]) -> set[str]:
    """The public methods of a class and of its bases, without those that a foreign base prescribes."""
    family = list(_family(one, every))
    foreign = {base for member in family for base in member.bases}
    prescribed = {name for base in foreign if hasattr(builtins, base) for name in dir(getattr(builtins, base))}
    if foreign & set(VISITORS):
        prescribed |= {f"visit_{name}" for name in dir(ast)}
    return {method for member in family for method in member.methods} - prescribed


def _family(one: Class, every: list[Class]) -> Iterator[Class]:
    """A class and its bases in the project. Of bases of one name, the one in the same module is meant."""
    yield one
    for base in one.bases:
        named = [c for c in every if c.name == base and c is not one]
        for parent in [c for c in named if c.path == one.path] or named[:1]:
            yield from _family(parent, every)


def large_classes(found: list[Module]) -> dict[str, int]:
    """The classes above the limit, with their public methods; not those that only inherit from one."""
    every = classes(found)
    counts = {id(c): len(public_methods(c, every)) for c in every}
    return {
        f"{c.path}:{c.name}": counts[id(c)]
        for c in every
        if counts[id(c)] > METHODS and not any(counts[id(p)] > METHODS for p in _family(c, every) if p is not c)
    }


@dataclasses.dataclass
class Room:
    """The modules of one folder, and how their lines divide."""

    name: str
    modules: int = 0
    lines: int = 0
    comments: int = 0
    docstrings: int = 0

    def add(self, module: Module) -> None:
        self.modules += not module.path.endswith("__init__.py")
        self.lines += sum(bool(line.strip()) for line in module.text.splitlines())
        self.comments += comment_lines(module.text)
        self.docstrings += docstring_lines(module.tree)


def comment_lines(text: str) -> int:
    """Lines with a comment for people; those for tools say nothing."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    directives = ("# noqa", "# type:", "# fmt:", "# pragma")
    return sum(t.type == tokenize.COMMENT and not t.string.startswith(directives) for t in tokens)


def docstring_lines(tree: ast.Module) -> int:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [n.body[0] for n in ast.walk(tree) if isinstance(n, documented) and ast.get_docstring(n)]
    return sum((text.end_lineno or text.lineno) - text.lineno + 1 for text in texts)


def rooms(found: list[Module]) -> list[Room]:
    by_name: dict[str, Room] = {}
    for module in found:
        by_name.setdefault(module.room, Room(module.room)).add(module)
    return list(by_name.values())


def report(found: list[Module]) -> Iterator[str]:
    yield "| room | modules | lines | comments | docstrings |\n|---|---|---|---|---|"
    every = rooms(found)
    counts = ("modules", "lines", "comments", "docstrings")
    whole = Room("all", *(sum(getattr(room, count) for room in every) for count in counts))
    for room in (*every, whole):
        shares = [f"{100 * part / max(room.lines, 1):.1f}%" for part in (room.comments, room.docstrings)]
        mark = " (many)" if room.modules > MODULES and room is not whole else ""
        yield f"| {room.name} | {room.modules}{mark} | {room.lines} | {' | '.join(shares)} |"
    yield f"\n| module above {LINES} lines | lines | reason |\n|---|---|---|"
    for module in sorted(found, key=lambda m: -m.lines):
        if module.lines > LINES:
            yield f"| {module.path} | {module.lines} | {' '.join(module.reason.split()) or 'none given'} |"
    yield f"\n| class above {METHODS} public methods | methods |\n|---|---|"
    for name, count in sorted(large_classes(found).items(), key=lambda item: -item[1]):
        yield f"| {name} | {count} |"


if __name__ == "__main__":
    for line in report(modules(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]))):
        print(line)
