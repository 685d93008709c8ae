"""Writes a coverage.py data file, so that `coverage report`, `html`, `xml`, `lcov` and `json` show our hits.

coverage.py sees a program as arcs from line to line. `ramify.cfg.arcs` finds those that the hits prove, and
the compiler tells for which statements there is code at all. Only the documented `CoverageData` is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import CodeType

from ramify.cfg import arcs
from ramify.cfg.hits import FileCoverage
from ramify.cfg.source_file import SourceFile
from ramify.errors import InputError


def write_coverage_data(files: Iterable[FileCoverage], path: str | os.PathLike[str]) -> None:
    """Write (and replace) the data file; files without numbers, such as vanished ones, are left out."""
    try:
        from coverage import CoverageData
        from coverage.exceptions import CoverageException
    except ImportError:
        raise InputError(
            "writing a coverage.py data file needs coverage: pip install 'ramify[coverage]'"
        ) from None
    try:
        data = CoverageData(basename=os.fspath(path))
        data.erase()
        measured = {file.filename: executed_arcs(file) for file in files if file.table is not None}
        data.add_arcs(measured)
        # A file without a single arc is a measured file all the same.
        data.touch_files(measured)
        data.write()
    except (CoverageException, OSError) as error:
        raise InputError(f"cannot write the coverage data file {os.fspath(path)}: {error}") from error


def executed_arcs(file: FileCoverage) -> set[tuple[int, int]]:
    """The arcs that the hits of a file prove; an executed line is the arc from the line to itself."""
    assert file.file is not None
    return arcs.executed_arcs(file.file.graphs, file.hits, _lines_with_code(file.file))


def _lines_with_code(file: SourceFile) -> set[int]:
    """The lines for which the compiler emits code: it leaves out declarations and what can never run."""

    def walk(code: CodeType) -> Iterator[int]:
        yield from (line for _, _, line in code.co_lines() if line)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from walk(constant)

    return set(walk(compile(file.text, file.path, "exec", dont_inherit=True)))
