"""One name, one thing: no class, type alias or module of the project shares its name with another."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from project import FOLDERS, ROOT, modules, top_level

NO_JOB = {"__init__", "__main__"}  # names that Python gives
STILL_DOUBLE = {"Place"}  # a leaf of a test, and a stretch of a line that people are shown


def declared(tree: ast.Module) -> Iterator[str]:
    """The classes and type aliases of a module. An alias is what is assigned to a name in capitals and small
    letters; constants and type variables have capitals only.
    """
    for node in top_level(tree.body):
        if isinstance(node, ast.ClassDef):
            yield node.name
            continue
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) or type(node).__name__ == "TypeAlias":
            targets = [getattr(node, "target", None) or node.name]  # type: ignore[union-attr]
        for target in targets:
            name = target.id.lstrip("_") if isinstance(target, ast.Name) else ""
            if name[:1].isupper() and name != name.upper():
                yield target.id  # type: ignore[attr-defined]


def doubled_classes(root: Path) -> dict[str, list[str]]:
    places = defaultdict(list)
    for path, tree in modules(root):
        for name in declared(tree):
            places[name].append(str(path.relative_to(root)))
    return {name: found for name, found in places.items() if len(found) > 1}


def doubled_modules(root: Path) -> dict[str, list[str]]:
    """Modules that share a name with another, or with a room or folder."""
    places = defaultdict(list)
    for path, _ in modules(root):
        stem = path.parent.name if path.stem == "__init__" else path.stem
        if stem not in NO_JOB:
            places[stem].append(str(path.relative_to(root)))
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_class_or_alias_is_declared_twice() -> None:
    doubled = doubled_classes(ROOT)
    assert {name: found for name, found in doubled.items() if name not in STILL_DOUBLE} == {}


def test_no_two_modules_and_no_module_and_room_share_a_name() -> None:
    assert doubled_modules(ROOT) == {}


def test_doubles_are_found_wherever_they_stand(tmp_path: Path) -> None:
    for name, text in {
        "app/__init__.py": "",
        "app/one.py": "class Run: ...\nEdge = tuple[int, int]\nLIMIT = 3\nclass Alone: ...\n",
        "cfg/two.py": "if LIMIT:\n    class Run: ...\ntry:\n    class _Log: ...\nexcept E:\n    class _Log: ...\n",
        "runtime/room/__init__.py": "",
        "runtime/room/one.py": "class Edge(NamedTuple): ...\nLIMIT = 4\n_F = TypeVar('_F')\n",
        "runtime/room/two/three.py": "Place: TypeAlias = int\n_F = TypeVar('_F')\nlower = 3\n",
        "instrument/room.py": "class Place: ...\nlower = 4\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert set(doubled_classes(tmp_path)) == {"Run", "Edge", "_Log", "Place"}
    assert set(doubled_modules(tmp_path)) == {"one", "room"}


def test_every_folder_has_modules() -> None:
    assert {path.relative_to(ROOT).parts[0] for path, _ in modules()} == set(FOLDERS)
