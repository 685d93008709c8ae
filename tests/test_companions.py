"""The modules beside a target are rewritten with it, and kept apart from everybody else's."""

from __future__ import annotations

import sys
from pathlib import Path

import ramify
from ramify.runtime.guided import GuidedExploration


def package(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_a_decision_in_a_module_beside_the_target_is_reversed(tmp_path: Path) -> None:
    package(
        tmp_path,
        beside_helper="KNOWN = {'alpha': 3}\n\ndef score(text):\n    return KNOWN[text] if text in KNOWN else 0\n",
        beside_target="from beside_helper import score\n\ndef f(text: str):\n"
        "    if score(text) == 3:\n        return 1\n    return 0\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'beside_target.py'}:f")
    assert {path.result for path in exploration} == {0, 1}
    assert "beside_helper" not in sys.modules


def test_a_module_of_the_same_package_may_import_the_target(tmp_path: Path) -> None:
    folder = tmp_path / "circlepkg"
    folder.mkdir()
    package(
        folder,
        __init__="from circlepkg.target import f\n",
        target="from circlepkg.other import limit\n\ndef f(x: int):\n    return 1 if x > limit() else 0\n",
        other="def limit():\n    return 41\n",
    )
    assert {path.result for path in ramify.explore(f"{folder / 'target.py'}:f")} == {0, 1}


def test_a_function_that_is_only_imported_is_explored_where_it_is_defined(tmp_path: Path) -> None:
    package(
        tmp_path,
        defining_module="def f(x: int):\n    if x == 77:\n        return 1\n    return 0\n",
        importing_module="from defining_module import f\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'importing_module.py'}:f")
    assert isinstance(exploration, GuidedExploration)
    assert {path.result for path in exploration} == {0, 1}
    assert exploration.goals.path.endswith("defining_module.py")


def test_what_cannot_be_rewritten_runs_as_it_is_and_is_named(tmp_path: Path) -> None:
    deep = " + ".join(["x"] * 900)
    file = tmp_path / "deep.py"
    file.write_text(f"def f(x: int):\n    return 1 if x > 3 else 0\n\ndef g(x):\n    return {deep}\n")
    exploration = ramify.explore(f"{file}:f")
    assert isinstance(exploration, GuidedExploration)
    assert {path.result for path in exploration} == {0, 1}
    named = exploration.left_plain or {}
    assert set(named) <= {"g"}
    assert all(named.values())
