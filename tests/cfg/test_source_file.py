"""A source file is read and parsed once per process, and one that changes meanwhile is refused."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ramify
from ramify.cfg.source_file import refresh, source_file, tree_of
from ramify.errors import InputError
from ramify.runtime.programs import HybridProgram
from ramify.runtime.sandbox import policy_of
from ramify.runtime.worlds import Target, at_home, parse

SOURCE = '''\
LIMIT = 10


def f(x: int) -> int:
    """Halves.

    >>> f(4)
    2

    :ensure: returnv <= x or x < 0
    """
    return x // 2 if x > LIMIT else len(str(x))
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "counted_module.py"
    file.write_text(SOURCE)
    return file


@pytest.mark.parametrize(
    "work",
    [
        lambda name, policy: list(ramify.explore(name, budget=1.0, policy=policy)),
        lambda name, policy: ramify.check(name, budget=1.0, policy=policy),
    ],
    ids=["explore", "check"],
)
def test_a_process_parses_a_file_once_and_once_more_for_each_level_that_changes_the_tree(
    work: Callable[[str, Any], Any], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = file.with_suffix(".log")
    original = ast.parse

    def counting(source: Any, *args: Any, **options: Any) -> Any:
        text = source if isinstance(source, str) else bytes(source).decode() if isinstance(source, bytes) else ""
        if text.strip() == SOURCE.strip():
            with log.open("a") as out:
                out.write(f"{os.getpid()}\n")
        return original(source, *args, **options)

    monkeypatch.setattr(ast, "parse", counting)
    work(f"{file}:f", policy_of(["write"]))
    assert Counter(log.read_text().split()) == {str(os.getpid()): 3}  # shared, and for two levels


def test_everybody_gets_the_same_object_and_what_hangs_on_it_is_made_once(file: Path) -> None:
    found = source_file(str(file))
    assert source_file(str(file)) is found
    assert tree_of(str(file), SOURCE) is found.tree
    assert found.graphs.table is found.table
    assert found.tree is found.tree
    assert (found.text, found.content) == (SOURCE, SOURCE.encode())
    assert ast.dump(tree_of(str(file), "y = 1\n")) == ast.dump(ast.parse("y = 1\n"))


def test_rewriting_leaves_the_shared_tree_as_it_is(file: Path) -> None:
    target = Target(*parse(f"{file}:f"))  # type: ignore[arg-type]
    before = ast.dump(source_file(str(file)).tree, include_attributes=True)
    HybridProgram(target).measure({"x": 3})
    assert ast.dump(source_file(str(file)).tree, include_attributes=True) == before


def changed(path: Path) -> Any:
    return pytest.raises(InputError, match=rf"{path.name}: has changed since it was read: start again")


def test_a_file_that_changes_between_its_first_and_its_second_use_is_refused(file: Path) -> None:
    target = Target(*parse(f"{file}:f"))  # type: ignore[arg-type]
    file.write_text("\n" + SOURCE)
    with changed(file):
        HybridProgram(target)


def test_a_new_child_does_not_go_on_with_another_version(file: Path) -> None:
    exploration: Any = ramify.explore(f"{file}:f")
    assert exploration.program.measure({"x": 3}).result == 1
    exploration.program.close()
    file.write_text("\n" + SOURCE)
    with changed(file):
        exploration.program.measure({"x": 3})
    exploration.program.close()


def test_a_file_that_only_the_child_has_read_must_be_the_same_here(file: Path, tmp_path: Path) -> None:
    importer = tmp_path / "importing_counted.py"
    importer.write_text("from counted_module import f\n")
    where = HybridProgram(Target(*parse(f"{importer}:f"))).whereabouts()  # type: ignore[arg-type]
    assert (where.path, where.name) == (str(file), "f")
    assert where.file().digest == where.digest
    file.write_text("\n" + SOURCE)
    refresh()
    with changed(file):
        where.file()


def test_a_new_piece_of_work_is_about_the_file_as_it_is_now(file: Path) -> None:
    old = at_home(Target(*parse(f"{file}:f")))  # type: ignore[arg-type]
    assert HybridProgram(old).measure({"x": 3}).result == 1
    file.write_text(SOURCE.replace("len(str(x))", "77"))
    new = Target(*parse(f"{file}:f"))  # type: ignore[arg-type]
    assert HybridProgram(new).measure({"x": 3}).result == 77
    assert {path.result for path in ramify.explore(f"{file}:f", budget=1.0)} >= {77}


def test_a_file_that_is_gone_or_no_text_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.py: its source cannot be read \(No such file"):
        source_file(str(tmp_path / "nowhere.py"))
    file = tmp_path / "bytes.py"
    file.write_bytes(b"x = '\xff'\n")
    with pytest.raises(InputError, match=r"bytes\.py: cannot be decoded"):
        _ = source_file(str(file)).tree
