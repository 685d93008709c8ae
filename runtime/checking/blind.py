"""Operations that an untouched program performs without asking its values, so that a decision may be missed.

Python hands `2.5 + x`, `table[x]` or `s in "abc"` to C code, which sees only the concrete value and leaves no
record. As long as a program is not rewritten, code with such operations is never called verified.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Iterable

from ramify.cfg.source_file import tree_of
from ramify.errors import InputError
from ramify.runtime.contracts import Contract

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
SEEN = {
    "len", "isinstance", "type", "range", "enumerate", "ord", "chr", "abs", "min", "max", "sorted", "sum", "any",
    "all", "list", "tuple", "zip", "reversed", "print", "divmod", "super", "bool", "iter", "next", "repr", "old",
    "new",
}  # fmt: skip
"""Builtins that ask their arguments through Python's protocols, or are modelled everywhere."""
SEEN |= {name for name in vars(builtins) if name.endswith(("Error", "Exception", "Exit", "Iteration"))}


def blind_spots(path: str, qualname: str, contract: Contract, rewritten: bool) -> list[str]:
    """The places in a target's module and contract where a decision may go unnoticed; the first few, in words.

    A rewritten program has none itself, but the clauses of its contract are evaluated as they stand.
    """
    try:
        tree = tree_of(path, "".join(linecache.getlines(path)))
    except InputError:
        return [f"{path} could not be read again"]
    places = _HidingPlaces(tree)
    for node in _reachable(tree, qualname) if not rewritten else ():
        places.look(node)
    for clause in contract.ensure:
        places.look(ast.parse(clause.text, mode="eval"), clause.names | {"returnv"}, clause.line)
    told = [f"line {line}: `{text}` may hide decisions" for line, text in sorted(places.found)]
    return told[:5] + ([f"{len(told) - 5} more operations that may hide decisions"] if len(told) > 5 else [])


def _reachable(tree: ast.Module, qualname: str) -> list[ast.AST]:
    """The target's own definition and those of its module that it names, directly or not."""
    definitions: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, Definition):
            definitions[node.name] = node
    todo = [qualname.partition(".")[0]]
    seen: dict[str, ast.AST] = {}
    while todo:
        name = todo.pop()
        if name in seen or name not in definitions:
            continue
        seen[name] = definitions[name]
        todo += [part.id for part in ast.walk(definitions[name]) if isinstance(part, ast.Name)]
    return list(seen.values())


class _HidingPlaces:
    """Gathers the operations whose outcome nobody records."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: set[tuple[int, str]] = set()
        self._seen = SEEN | {node.name for node in tree.body if isinstance(node, Definition)}

    def look(self, root: ast.AST, names: Iterable[str] = (), line: int | None = None) -> None:
        """Looks through a definition, or through a clause that stands at `line` and may use `names`."""
        parameters = {part.arg for part in ast.walk(root) if isinstance(part, ast.arg)} | set(names)
        outside = [*_annotations(root)]
        for node in ast.walk(root):
            if isinstance(node, ast.expr) and node not in outside and self._hides(node, parameters):
                text = ast.unparse(node)
                self.found.add((line or node.lineno, text if len(text) <= 40 else text[:37] + "..."))

    def _hides(self, node: ast.expr, parameters: set[str]) -> bool:
        if isinstance(node, ast.BinOp):
            return _is_opaque(node.left) or (isinstance(node.op, ast.Mod) and _is_text(node.left))
        if isinstance(node, ast.Compare):
            inside = [right for op, right in zip(node.ops, node.comparators, strict=True) if _is_membership(op)]
            return _is_opaque(node.left) or any(not _asks_all(right, parameters) for right in inside)
        if isinstance(node, ast.Subscript):
            return not (isinstance(node.slice, ast.Constant) or _is_parameter(node.value, parameters))
        if isinstance(node, ast.Call):
            return self._hides_call(node)
        return isinstance(node, ast.JoinedStr)

    def _hides_call(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Name):
            return node.func.id not in self._seen
        if isinstance(node.func, ast.Attribute):
            return isinstance(node.func.value, (ast.Constant, ast.JoinedStr))
        return True


def _annotations(root: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for node in ast.walk(root):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                found += ast.walk(part)
        found += [part for d in getattr(node, "decorator_list", ()) for part in ast.walk(d)]
    return found


def _is_opaque(node: ast.expr) -> bool:
    """A float, a truth value or a complex number on the left: Python asks it first."""
    return isinstance(node, ast.Constant) and isinstance(node.value, (float, bool, complex))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, (ast.Constant, ast.JoinedStr)) and not isinstance(getattr(node, "value", 0), int)


def _is_membership(op: ast.cmpop) -> bool:
    return isinstance(op, (ast.In, ast.NotIn))


def _asks_all(node: ast.expr, parameters: set[str]) -> bool:
    """A list or tuple compares its elements one by one; a set, dict or text does not."""
    return isinstance(node, (ast.List, ast.Tuple)) or _is_parameter(node, parameters)


def _is_parameter(node: ast.expr, parameters: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in parameters
