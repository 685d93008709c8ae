"""Whatever changes belongs to an object with an owner: modules keep no state, but for the listed exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from project import ROOT, modules, top_level

REGISTRY = "filled at import"
ALLOWED = {
    "cfg/recursion.py: deep_recursion": "Python's limit of recursion is one for all threads",
    "cfg/source_file.py: _files": "a file is one object in the whole process, and in its children",
    "instrument/bytecode_cache.py: _serial": "names of files, one after the other",
    "instrument/process.py: _serial": "names of files, one after the other",
    "instrument/hidden.py: _hidden": "belongs to sys.modules, of which a process has one",
    "instrument/probes.py: _active": "belongs to the builtins, of which a process has one",
    "runtime/contracts/contract.py: _known": "remembers what was read; the code it is read from lives as long",
    "runtime/losses/foreign.py: _READS": REGISTRY,
    "runtime/models/registry.py: BUILTINS": REGISTRY,
    "runtime/models/registry.py: COMPLETE": REGISTRY,
    "runtime/models/registry.py: LIBRARY": REGISTRY,
    "runtime/models/registry.py: METHODS": REGISTRY,
    "runtime/models/registry.py: _dispatcher": REGISTRY,
    "runtime/recording/frames.py: _boundaries": REGISTRY,
    "runtime/recording/frames.py: _keeping_texts": REGISTRY,
    "runtime/recording/path.py: journal": "nothing leads from a concolic value to its run",
    "runtime/recording/sites.py: known": "sites of all runs are compared by identity",
    "runtime/rewritten/dispatch.py: _direct": "speed: every call asks it",
    "runtime/rewritten/operations.py: NAMESPACE": REGISTRY,
    "runtime/sandbox/child.py: _here": "a process is one child",
    "runtime/sandbox/watch.py: _process": "a process has one alarm and one handler of each signal",
    "runtime/sandbox/travel.py: _known": "remembers what classes are the engine's; those never go",
    "runtime/solver/lowered/vectors.py: HANDLERS": REGISTRY,
    "runtime/terms/nodes.py: OPS": REGISTRY,
    "runtime/terms/nodes.py: PRINTER": REGISTRY,
    "runtime/terms/nodes.py: _numbers": "belongs to the table of terms",
    "runtime/terms/nodes.py: _table": "speed: equal terms are one object in the whole process",
    "runtime/values/core.py: BUILTIN": REGISTRY,
    "runtime/values/core.py: FACTORIES": REGISTRY,
    "runtime/values/core.py: MAKERS": REGISTRY,
    "runtime/values/core.py: PLAIN": REGISTRY,
    "runtime/values/core.py: TERM_OF": REGISTRY,
    "runtime/values/dates.py: FACTORIES": REGISTRY,
    "runtime/worlds/isolate.py: _clock": "a process has one alarm",
}

CHANGING = {
    "append", "appendleft", "add", "update", "pop", "popitem", "clear", "setdefault", "extend", "insert", "remove",
    "discard", "intersection_update", "difference_update", "symmetric_difference_update",
}  # fmt: skip
CONTAINERS = {"dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"}
WEAK = {"WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "count"}


def bound(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names a module assigns at its top level, with what."""
    for node in top_level(tree.body):
        if isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def changed(tree: ast.Module) -> set[str]:
    """The names whose objects functions of a module change by a method or a store: `name`, or `module.name`."""
    found: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            own = {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}
            parts = list(ast.walk(function))
            own |= {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
            for target in filter(None, map(changed_by, parts)):
                match target:
                    case ast.Name(name) if name not in own:
                        found.add(name)
                    case ast.Attribute(ast.Name(module), name) if module not in own:
                        found.add(f"{module}.{name}")
    return found


def changed_by(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Attribute(value=target, attr=method) if method in CHANGING:
            return target
        case ast.Attribute(value=target, ctx=ast.Store() | ast.Del()):
            return target
        case ast.Subscript(value=target, ctx=ast.Store() | ast.Del()):
            return target
    return None


def classes_with_state(trees: list[ast.Module]) -> set[str]:
    """The project's classes whose methods store into `self` after it was made."""
    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            decorators = " ".join(map(ast.unparse, node.decorator_list))
            if "frozen=True" in decorators:
                continue
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name != "__init__"]
            fields = "dataclass" in decorators
            stores = any(
                isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load)
                for method in methods
                for part in ast.walk(method)
            )
            if fields or stores:
                found.add(node.name)
    return found


def state(root: Path) -> dict[str, str]:
    """The module-level names that hold what changes, and the `global` statements, by where they stand."""
    trees = list(modules(root))
    everywhere = set().union(*(changed(tree) for _, tree in trees)) if trees else set()
    stateful = classes_with_state([tree for _, tree in trees])
    found: dict[str, str] = {}
    for path, tree in trees:
        where = path.relative_to(root).as_posix()
        here = changed(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                found.update((f"{where}: {name}", "global") for name in node.names)
        for name, value in bound(tree):
            while isinstance(value, ast.Attribute):
                value = value.value
            made = value.func if isinstance(value, ast.Call) else None
            maker = made.id if isinstance(made, ast.Name) else made.attr if isinstance(made, ast.Attribute) else ""
            empty = isinstance(value, (ast.Dict, ast.List)) and not ast.unparse(value).strip("{}[]")
            display = isinstance(value, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp))
            if (
                empty
                or maker in stateful | WEAK
                or (maker in CONTAINERS and not (isinstance(value, ast.Call) and value.args))
                or ((display or maker in CONTAINERS) and (name in here or f"{path.stem}.{name}" in everywhere))
            ):
                found[f"{where}: {name}"] = "state"
    return found


def test_modules_keep_no_state_but_what_is_listed() -> None:
    found = state(ROOT)
    assert {place for place in found if place not in ALLOWED} == set()
    assert {place for place in ALLOWED if place not in found} == set(), "listed, but gone"
    assert "global" not in found.values()


def test_state_is_found_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "one.py").write_text(
        "empty = {}\n"
        "full = [1]\n"
        "table = {'a': 1}\n"
        "elsewhere = {1}\n"
        "seen: set[int] = set()\n"
        "numbers = itertools.count()\n"
        "number = 0\n"
        "counter = Counter()\n"
        "owner = Owner()\n"
        "record = Record()\n"
        "fixed = Fixed()\n"
        "raised = Owner().raised\n"
        "class Owner:\n    def raised(self): self.x = 1\n"
        "@dataclass\nclass Record:\n    x: int = 0\n"
        "@dataclass(frozen=True)\nclass Fixed:\n    x: int = 0\n"
        "def f():\n    global number\n    number += 1\n    full.append(2)\n    table = {}\n    table['b'] = 2\n"
    )
    (tmp_path / "app" / "two.py").write_text("def f():\n    one.elsewhere.add(2)\n")
    found = {place.partition(": ")[2]: how for place, how in state(tmp_path).items()}
    assert found.pop("number") == "global"
    assert set(found) == {
        "empty", "full", "elsewhere", "seen", "numbers", "counter", "owner", "record", "raised",
    }  # fmt: skip
