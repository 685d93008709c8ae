"""Who may import whom: the contracts of pyproject.toml hold, and each of them fails when it is broken."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS: dict[str, Path] = {package: ROOT / folder for package, folder in SETUPTOOLS["package-dir"].items()}
PACKAGES, ROOMS, CYCLES = (contract["name"] for contract in PROJECT["tool"]["importlinter"]["contracts"])


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the project as the wheel has it: dotted name and file."""
    for package, folder in FOLDERS.items():
        for file in sorted(folder.rglob("*.py")):
            name = ".".join((package, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")
            # A folder without __init__.py is data: `instrument/startup` is never imported as part of the package.
            if (file.parent / "__init__.py").exists():
                yield name, file


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which `ramify` is one folder, as in the wheel: editable installs hide the folders."""
    directory = tmp_path_factory.mktemp("layers")
    for name, file in modules():
        parts = name.split(".")
        target = directory.joinpath(*parts) / "__init__.py"
        if file.name != "__init__.py":
            target = directory.joinpath(*parts[:-1]) / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return directory


@pytest.fixture
def tree(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built / "ramify", tmp_path / "ramify")
    return tmp_path


def broken(tree: Path) -> set[str]:
    """The contracts that import-linter finds broken."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    # Wide enough that no name is wrapped.
    done = subprocess.run(
        command, cwd=tree, capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "200"}
    )
    found = {name for name in (PACKAGES, ROOMS, CYCLES) if f"{name} BROKEN" in done.stdout}
    kept = {name for name in (PACKAGES, ROOMS, CYCLES) if f"{name} KEPT" in done.stdout}
    assert found | kept == {PACKAGES, ROOMS, CYCLES}, done.stdout + done.stderr
    assert done.returncode == bool(found), done.stdout + done.stderr
    return found


def test_the_contracts_are_kept(tree: Path) -> None:
    assert broken(tree) == set()



def circle(room: str) -> dict[str, str]:
    package = "ramify." + room.replace("/", ".")
    return {
        f"{room}/planted_a": f"from {package} import planted_b",
        f"{room}/planted_b": f"def f():\n    import {package}.planted_a",
    }


FAULTS = {
    "a room imports one above it": ({"runtime/terms/planted": "import ramify.runtime.search"}, ROOMS),
    "inside a function": ({"runtime/terms/planted": "def f():\n    from ramify.runtime import search"}, ROOMS),
    "rooms side by side": ({"runtime/models/planted": "from ramify.runtime.contracts import clause"}, ROOMS),
    "a room nobody listed": ({"runtime/attic/__init__": "", "runtime/attic/planted": ""}, ROOMS),
    "a module in no room": ({"runtime/planted": ""}, ROOMS),
    "a package nobody listed": ({"attic/__init__": ""}, PACKAGES),
    "a module in no package": ({"planted": ""}, PACKAGES),
    "the engine imports a command": ({"runtime/peer/planted": "import ramify.commands.options"}, PACKAGES),
    "graphs import instrumentation": ({"cfg/planted": "from ramify.instrument import probes"}, PACKAGES),
    "reports import commands": ({"reports/planted": "import ramify.commands"}, PACKAGES),
    **{
        f"a circle in {room}": (circle(room), CYCLES)
        for room in ("runtime/terms", "runtime/inputs/shapes", "cfg", "instrument", "commands")
    },
}


@pytest.mark.parametrize(("files", "contract"), FAULTS.values(), ids=FAULTS.keys())
def test_a_wrong_import_breaks_its_contract(tree: Path, files: dict[str, str], contract: str) -> None:
    for name, text in files.items():
        file = tree / "ramify" / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert contract in broken(tree)


def test_a_circle_between_rooms_breaks_both_contracts(tree: Path) -> None:
    (tree / "ramify/runtime/terms/planted.py").write_text("import ramify.runtime.values.core")
    assert broken(tree) == {ROOMS, CYCLES}


def test_what_only_type_checkers_read_breaks_nothing(tree: Path) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ramify.runtime.search\n"
    (tree / "ramify/runtime/terms/planted.py").write_text(text)
    assert broken(tree) == set()


def interfaces(name: str, text: str, names: set[str]) -> list[str]:
    """What a module imports from a package it stands in, which imports it: a circle that the contracts do not see,
    since they compare siblings. Modules of that package are siblings.
    """
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and name.startswith(f"{node.module}.")
        for alias in node.names
        if f"{node.module}.{alias.name}" not in names
    ]


def test_no_module_imports_from_the_interface_of_its_own_room() -> None:
    names = {name for name, _ in modules()}
    found = {one for name, file in modules() for one in interfaces(name, file.read_text(), names)}
    # The outermost package imports its modules when they are asked for.
    assert found == {"ramify.__version__"}


def test_an_import_from_the_own_room_is_seen() -> None:
    names = {name for name, _ in modules()}
    text = "def f():\n    from ramify.runtime.terms import evaluation, language, nodes, Term"
    assert interfaces("ramify.runtime.terms.planted", text, {*names, "ramify.runtime.terms.evaluation"}) == [
        "ramify.runtime.terms.Term"
    ]
    assert interfaces("ramify.runtime.values.planted", text, names) == []


def test_the_wheel_has_every_package() -> None:
    assert {name for name, file in modules() if file.name == "__init__.py"} == set(SETUPTOOLS["packages"])
