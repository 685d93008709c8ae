"""What a measurement remembers, how runs merge, and what hits say about branches and statements."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from textwrap import dedent

import pytest

from ramify.cfg.hits import Count, FileCoverage, Measurement, source_digest, source_files
from ramify.cfg.table import BranchTable
from ramify.errors import InputError

SOURCE = dedent("""\
    def sign(n):
        if n > 0:
            return 1
        return -1

    def twice(n):
        return 2 * n

    squares = [n * n for n in (1, 2)]
    """)


def probes(source: str, *what: str) -> set[int]:
    """The probes of edges, given as "line outcome", and of the statements on a line, given as "line"."""
    table = BranchTable.of_source(source)
    found: set[int] = set()
    for words in what:
        line, _, outcome = words.partition(" ")
        if outcome:
            hits = {int(edge.id) for edge in table.edges if edge.line == int(line) and edge.outcome == outcome}
        else:
            hits = {statement.probe for statement in table.statements if statement.line == int(line)}
        assert hits, words
        found |= hits
    return found


def written(folder: Path, name: str, source: str) -> tuple[str, str]:
    path = folder / name
    path.write_text(source)
    return str(path), source_digest(source.encode())


# -- branches and statements ----------------------------------------------------------------------


def test_branches_and_statements_are_counted_separately() -> None:
    file = FileCoverage.of(
        "sign.py", SOURCE, probes(SOURCE, "1", "6", "9", "2", "2 true", "9 entered", "9 exhausted")
    )
    assert file.branches == Count(3, 4)
    # Reached: two definitions, the assignment, the `if` and its first return; not: `return -1`, `return 2 * n`.
    assert file.statements == Count(5, 7)


def test_each_function_has_its_own_numbers_and_the_module_body_too() -> None:
    file = FileCoverage.of("sign.py", SOURCE, probes(SOURCE, "2", "2 true"))
    assert [(f.scope.qualname, f.branches, f.statements) for f in file.functions] == [
        ("<module>", Count(0, 2), Count(0, 3)),
        ("sign", Count(1, 2), Count(2, 3)),
        ("twice", Count(0, 0), Count(0, 1)),
    ]


def test_a_function_none_of_whose_statements_was_reached_was_never_called() -> None:
    source = "def doc_only():\n    '''Nothing here runs.'''\n\ndef f():\n    pass\n"
    file = FileCoverage.of("f.py", source, probes(source, "1", "4"))
    assert [(f.scope.qualname, f.ran, f.never_called) for f in file.functions] == [
        ("<module>", True, False),
        ("doc_only", False, False),
        ("f", False, True),
    ]


def test_missing_branches_are_explained_in_words() -> None:
    file = FileCoverage.of("sign.py", SOURCE, probes(SOURCE, "2 true", "9 entered"))
    assert [edge.missing for edge in file.missing_edges] == [
        "line 9: `for n in (1, 2)` never ran to its end",
        "line 2: `if n > 0` never false",
    ]


def test_missing_lines_are_runs_that_blank_lines_and_comments_do_not_end() -> None:
    source = "a = f()\n\nb = f()\n# why\nc = f()\nd = f()\ne = f()\n"
    file = FileCoverage.of("runs.py", source, probes(source, "1", "6"))
    assert file.missing_lines == [(3, 5), (7, 7)]


def test_nothing_to_cover_is_covered() -> None:
    empty = FileCoverage.of("empty.py", "", ())
    assert (empty.branches, empty.branches.percent, empty.complete) == (Count(0, 0), 100.0, True)


# -- merging --------------------------------------------------------------------------------------


def test_runs_merge_by_union(tmp_path: Path) -> None:
    filename, digest = written(tmp_path, "sign.py", SOURCE)
    first, second = Measurement(), Measurement()
    first.add(filename, digest, probes(SOURCE, "2 true"))
    second.add(filename, digest, probes(SOURCE, "2 false"))
    first.merge(second)
    [file] = first.files()
    assert [edge.missing for edge in file.missing_edges if edge.line == 2] == []
    assert file.warning is None


def test_hits_of_two_versions_of_a_file_are_never_mixed(tmp_path: Path) -> None:
    """Probe 0 of one version is another branch in the other: only the version on disk counts."""
    filename, digest = written(tmp_path, "sign.py", SOURCE)
    measurement, older = Measurement(), Measurement()
    measurement.add(filename, digest, probes(SOURCE, "2 true"))
    older.add(filename, source_digest(b"an earlier version"), range(100))
    measurement.merge(older)
    [file] = measurement.files()
    assert file.branches.covered == 1
    assert file.warning == "other versions of it were measured too and are not counted"


def test_a_file_changed_since_it_was_measured_has_a_warning_and_no_numbers(tmp_path: Path) -> None:
    filename, digest = written(tmp_path, "sign.py", SOURCE)
    measurement = Measurement()
    measurement.add(filename, digest, {0})
    Path(filename).write_text(SOURCE + "\n")
    [file] = measurement.files()
    assert (file.filename, file.warning) == (filename, "changed since it was measured; measure it again")
    assert file.branches == Count(0, 0)
    assert not file.complete


def test_a_file_that_vanished_has_a_warning_and_does_not_hide_the_others(tmp_path: Path) -> None:
    measurement = Measurement()
    measurement.add(str(tmp_path / "gone.py"), "0", {0})
    measurement.add(*written(tmp_path, "sign.py", SOURCE), {0})
    gone, sign = measurement.files()
    assert gone.warning == "measured, but its source cannot be read now: No such file or directory"
    assert sign.branches.covered == 1


def test_a_file_that_could_not_be_measured_says_why(tmp_path: Path) -> None:
    filename, _ = written(tmp_path, "sign.py", SOURCE)
    measurement = Measurement()
    measurement.decline(filename, "too deep for the compiler")
    measurement.add_unimported([filename])
    assert [file.warning for file in measurement.files()] == ["not measured: too deep for the compiler"]


def test_files_nothing_of_which_ran_count_with_nothing_covered(tmp_path: Path) -> None:
    filename, digest = written(tmp_path, "sign.py", SOURCE)
    unused, _ = written(tmp_path, "unused.py", SOURCE)
    measurement = Measurement()
    measurement.add(filename, digest, {0})
    measurement.add_unimported([filename, unused, str(tmp_path / "never_there.py")])
    assert [(file.filename, file.branches) for file in measurement.files()] == [
        (filename, Count(1, 4)),
        (unused, Count(0, 4)),
    ]


def test_a_file_that_does_not_parse_is_a_warning(tmp_path: Path) -> None:
    filename, _ = written(tmp_path, "template.py", "def {{ name }}():\n")
    measurement = Measurement()
    measurement.add_unimported([filename])
    [file] = measurement.files()
    assert file.warning is not None
    assert file.warning.startswith("cannot be parsed: ")


def test_source_in_another_encoding_is_read_as_python_reads_it(tmp_path: Path) -> None:
    source = "# coding: latin-1\nif name == 'né':\n    pass\n".encode("latin-1")
    (tmp_path / "latin.py").write_bytes(source)
    measurement = Measurement()
    measurement.add(str(tmp_path / "latin.py"), source_digest(source), ())
    [file] = measurement.files()
    assert file.missing_edges[0].missing == "line 2: `if name == 'né'` never true"


# -- storage --------------------------------------------------------------------------------------


def test_a_measurement_survives_being_saved(tmp_path: Path) -> None:
    measurement = Measurement()
    measurement.add("a.py", "digest", {0, 7, 8, 1000})
    measurement.add("b.py", "digest", ())
    measurement.decline("c.so", "no source")
    measurement.save(tmp_path / "data.json")
    loaded = Measurement.load(tmp_path / "data.json")
    assert list(loaded) == ["a.py", "b.py", "c.so"]
    assert loaded.hits("a.py", "digest") == {0, 7, 8, 1000}
    assert loaded.hits("b.py", "digest") == frozenset()


def test_saving_replaces_the_file_whole_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text("old")
    Measurement().save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["data.json"]
    assert json.loads(path.read_text())["files"] == {}


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "data.json"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        Measurement().save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["data.json"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"format": "ramify measurement 1", "files": {"a": 1}}', "\x00"]
)
def test_a_file_that_is_no_measurement_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(content)
    with pytest.raises(InputError, match="not a measurement written by Ramify"):
        Measurement.load(path)


def test_a_measurement_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"format": "ramify measurement 9"}')
    with pytest.raises(InputError, match="another version of Ramify"):
        Measurement.load(path)


def test_a_missing_measurement_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the measurement .*No such file"):
        Measurement.load(tmp_path / "none.json")


def _save_one(directory: str, number: int) -> None:
    measurement = Measurement()
    measurement.add("shared.py", "digest", {number})
    measurement.save_in(directory)


def test_many_processes_save_into_one_directory(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_save_one, args=(str(tmp_path), number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    for number in range(3, 40):
        _save_one(str(tmp_path), number)
    assert Measurement.load_all(tmp_path).hits("shared.py", "digest") == set(range(40))


def test_what_a_killed_process_left_half_written_is_not_read(tmp_path: Path) -> None:
    _save_one(str(tmp_path), 1)
    (tmp_path / ".123-abc.json.x7").write_text('{"format": "ram')
    assert Measurement.load_all(tmp_path).hits("shared.py", "digest") == {1}


# -- source files ---------------------------------------------------------------------------------


def test_source_files_are_those_of_the_program_only(tmp_path: Path) -> None:
    for name in (
        "pkg/__init__.py",
        "pkg/sub/mod.py",
        "pkg/data.txt",
        "pkg/__pycache__/mod.py",
        "pkg/.git/hook.py",
        "pkg/env/lib/other.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "pkg/env/pyvenv.cfg").touch()
    found = [
        Path(filename).relative_to(tmp_path.resolve()).as_posix() for filename in source_files(tmp_path / "pkg")
    ]
    assert found == ["pkg/__init__.py", "pkg/sub/mod.py"]
    assert list(source_files(tmp_path / "pkg/sub/mod.py")) == [str((tmp_path / "pkg/sub/mod.py").resolve())]
