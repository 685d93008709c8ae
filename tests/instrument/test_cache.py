"""The bytecode cache: what is kept is complete, made from this very source, or not used at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ramify.instrument import bytecode_cache as cache
from ramify.instrument.coverage import instrument
from ramify.instrument.instrumented import Instrumented

SOURCE = b"def f(x):\n    return 1 if x else 2\nvalue = f(0)\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "mod.py"
    path.write_bytes(SOURCE)
    return path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that were really instrumented, not taken from the cache."""
    files: list[str] = []

    def counting(source: bytes, filename: str) -> Instrumented:
        files.append(filename)
        return instrument(source, filename)

    monkeypatch.setattr(cache, "instrument", counting)
    return files


def kept(module: Path) -> Path:
    path = cache.cache_path(str(module))
    assert path is not None
    return Path(path)


def test_the_second_time_nothing_is_instrumented(module: Path, made: list[str]) -> None:
    first = cache.instrumented(SOURCE, str(module))
    second = cache.instrumented(SOURCE, str(module))
    assert made == [str(module)]
    assert second == first
    assert second.code.co_filename == str(module)


def test_it_lies_beside_pythons_own_cache_under_another_name(module: Path) -> None:
    cache.instrumented(SOURCE, str(module))
    tag = sys.implementation.cache_tag
    assert kept(module) == module.parent / "__pycache__" / f"mod.{tag}-ramify-coverage.pyc"
    assert os.listdir(module.parent / "__pycache__") == [kept(module).name]


def test_it_moves_with_the_cache_prefix(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "elsewhere"))
    cache.instrumented(SOURCE, str(module))
    assert kept(module).is_relative_to(tmp_path / "elsewhere")
    assert kept(module).exists()
    assert not (module.parent / "__pycache__").exists()


def test_nothing_is_written_when_python_may_not_write_bytecode(
    module: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    cache.instrumented(SOURCE, str(module))
    assert not (module.parent / "__pycache__").exists()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    cache.instrumented(SOURCE, str(module))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    cache.instrumented(SOURCE, str(module))
    assert len(made) == 2, "what was written is still read"


def test_an_interpreter_without_cache_tag(module: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    assert cache.cache_path(str(module)) is None
    cache.instrumented(SOURCE, str(module))
    assert len(made) == 1


def test_other_source_is_another_entry(module: Path, made: list[str]) -> None:
    cache.instrumented(SOURCE, str(module))
    assert 333 in cache.instrumented(b"value = 333", str(module)).code.co_consts
    assert len(made) == 2
    assert len(os.listdir(kept(module).parent)) == 1, "the old entry is replaced"


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (cache, "_TOOL", "99.0 another tool"),
        (cache.importlib.util, "MAGIC_NUMBER", b"\0\0\r\n"),
    ],
)
def test_another_tool_or_interpreter_makes_its_own(
    module: Path, made: list[str], monkeypatch: pytest.MonkeyPatch, where: object, name: str, value: object
) -> None:
    cache.instrumented(SOURCE, str(module))
    monkeypatch.setattr(where, name, value)
    cache.instrumented(SOURCE, str(module))
    assert len(made) == 2


def test_the_same_source_under_another_name_is_another_entry(module: Path, made: list[str]) -> None:
    cache.instrumented(SOURCE, str(module))
    (module.parent / "link").symlink_to(".")
    other = str(module.parent / "link" / "mod.py")
    assert cache.instrumented(SOURCE, other).code.co_filename == other
    assert len(made) == 2


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_optimised_code_is_kept_apart(module: Path, option: str) -> None:
    module.write_text("'''Docs.'''\nassert False\nprint(__doc__, __debug__)")
    program = (
        "import sys, ramify\n"
        f"sys.path.insert(0, {str(module.parent)!r})\n"
        "with ramify.instrumented('mod'): import mod"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    outputs = [
        subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, env=environment)
        for options in ([], [option], [option], [])
    ]
    expected = "Docs. False\n" if option == "-O" else "None False\n"
    assert [output.stdout for output in outputs] == ["", expected, expected, ""]
    assert len(list((module.parent / "__pycache__").glob("*ramify*"))) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: content[:100] + bytes([content[100] ^ 1]) + content[101:],
        lambda content: b"\0" * len(content),
    ],
    ids=["empty", "cut in the head", "cut at the end", "longer", "one bit", "zeros"],
)
def test_a_damaged_file_is_ignored_and_replaced(module: Path, made: list[str], damage: object) -> None:
    cache.instrumented(SOURCE, str(module))
    kept(module).write_bytes(damage(kept(module).read_bytes()))  # type: ignore[operator]
    for _ in range(2):
        assert cache.instrumented(SOURCE, str(module)).probes > 0
    assert len(made) == 2


def test_a_place_that_cannot_be_written_is_no_error(module: Path, made: list[str]) -> None:
    (module.parent / "__pycache__").write_text("a file where the directory should be")
    for _ in range(2):
        assert cache.instrumented(SOURCE, str(module)).probes > 0
    assert len(made) == 2


def test_a_full_disk_leaves_nothing_behind(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert cache.instrumented(SOURCE, str(module)).probes > 0
    assert os.listdir(module.parent / "__pycache__") == []


def test_it_is_as_readable_as_the_source(module: Path) -> None:
    module.chmod(0o640)
    cache.instrumented(SOURCE, str(module))
    assert kept(module).stat().st_mode & 0o777 & ~0o640 == 0


def test_many_processes_at_once_always_see_a_whole_file(module: Path) -> None:
    program = (
        "import sys\n"
        "from ramify.instrument import bytecode_cache as cache\n"
        "source, name = open(sys.argv[1], 'rb').read(), sys.argv[1]\n"
        "expected = cache.instrument(source, name)\n"
        "path = cache.cache_path(name)\n"
        "for n in range(100):\n"
        "    found = cache.load(path, name, expected.digest)\n"
        "    assert found == expected or (found is None and n == 0), found\n"
        "    cache.store(path, name, expected)\n"
    )
    module.write_bytes(SOURCE * 50)
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(module)], stderr=subprocess.PIPE) for _ in range(4)
    ]
    assert [process.communicate()[1] for process in processes] == [b""] * 4
    assert [path.name for path in kept(module).parent.iterdir()] == [kept(module).name]


def test_every_module_that_makes_code_is_part_of_the_tools_identity() -> None:
    """What the coverage level imports decides what it makes; a missing module would let stale code live on."""
    program = (
        "import sys, ramify.instrument.coverage as level\n"
        "ours = [n for n, m in sys.modules.items() if n.startswith(('ramify.cfg.', 'ramify.instrument.'))"
        " and not hasattr(m, '__path__')]\n"
        "print(*sorted(ours))"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.split() == sorted(cache.MAKERS)
