"""The coverage model: which probes of which files were hit, and what that says about branches and statements.

A `Measurement` is what a run leaves behind: for every file, and every version of its source, the probes
that were hit. It knows nothing else, so that it is small, merges by union and travels between processes.
`FileCoverage` puts it together with the branch table of the source: branches (edge coverage) and
statements (node coverage), counted separately, per function and per file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ramify.cfg.branches import Edge, Scope, Statement
from ramify.cfg.source_file import SourceFile
from ramify.cfg.table import BranchTable
from ramify.errors import InputError

# Changes with the meaning of probe numbers: a measurement of another version is refused, not misread.
FORMAT = "ramify measurement 1"


def source_digest(source: bytes) -> str:
    """What identifies the version of a file that was measured."""
    return hashlib.sha256(source).hexdigest()


class Measurement:
    """The probes hit in each version of each file.

    A file that was edited between two runs has two versions here. They are kept apart, because probe
    numbers of one mean nothing in the other; `files` uses the version that is on disk now and says so
    when others were left out.
    """

    def __init__(self) -> None:
        self._hits: dict[str, dict[str, set[int]]] = {}
        self._declined: dict[str, str] = {}

    def add(self, filename: str, digest: str, hits: Iterable[int]) -> None:
        """Record hits in one version of a file; a file without any hit is still a measured file."""
        # Probe numbers are given by the source alone, so those of two processes mean the same.
        self._hits.setdefault(filename, {}).setdefault(digest, set()).update(hits)

    def decline(self, filename: str, reason: str) -> None:
        """Record that a file ran but could not be measured; it has no numbers, and its report says why."""
        self._declined[filename] = reason

    def add_unimported(self, filenames: Iterable[str]) -> None:
        """Record files that belong to the measured program but of which nothing ran."""
        # The same file may have been imported through a symbolic link.
        known = {os.path.realpath(filename) for filename in self}
        for filename in filenames:
            if os.path.realpath(filename) not in known:
                try:
                    self.add(filename, source_digest(Path(filename).read_bytes()), ())
                except OSError:
                    continue  # listed a moment ago and gone or unreadable now: there is nothing to count

    def merge(self, other: Measurement) -> None:
        for filename, versions in other._hits.items():
            for digest, hits in versions.items():
                self.add(filename, digest, hits)
        self._declined |= other._declined

    def hits(self, filename: str, digest: str) -> frozenset[int]:
        return frozenset(self._hits.get(filename, {}).get(digest, ()))

    def __bool__(self) -> bool:
        return bool(self._hits or self._declined)

    def __iter__(self) -> Iterator[str]:
        """The names of all files, measured or declined."""
        return iter(sorted({*self._hits, *self._declined}))

    def files(self) -> list[FileCoverage]:
        """The coverage of every file, by reading its source again; sorted by name."""
        return [self._file(filename) for filename in self]

    def _file(self, filename: str) -> FileCoverage:
        if filename not in self._hits:
            return FileCoverage(filename, f"not measured: {self._declined[filename]}")
        versions = self._hits[filename]
        try:
            file = SourceFile(filename, Path(filename).read_bytes())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return FileCoverage(filename, f"measured, but its source cannot be read now: {reason}")
        # By digest, not by time: a file may be written again with the same content.
        hits = versions.get(file.digest)
        if hits is None:
            return FileCoverage(filename, "changed since it was measured; measure it again")
        try:
            _ = file.table
        except (InputError, RecursionError) as error:
            return FileCoverage(filename, f"cannot be parsed: {error}")
        warning = "other versions of it were measured too and are not counted" if len(versions) > 1 else None
        return FileCoverage(filename, warning, file, frozenset(hits))

    # -- storage --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; a reader sees the old one or the new one, never half of it."""
        files = {
            filename: {digest: _to_hex(hits) for digest, hits in sorted(versions.items())}
            for filename, versions in sorted(self._hits.items())
        }
        content = {"format": FORMAT, "files": files, "declined": self._declined}
        text = json.dumps(content, separators=(",", ":"))
        target = Path(path)
        try:
            # In the same directory, since a rename is atomic within one file system only.
            descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            try:
                with open(descriptor, "w", encoding="utf-8") as stream:
                    stream.write(text)
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as error:
            raise InputError(f"cannot write the measurement to {target}: {error.strerror}") from error

    def save_in(self, directory: str | os.PathLike[str]) -> Path:
        """Write a new file in a directory that many processes share; `load_all` reads them together."""
        path = Path(directory) / f"{os.getpid()}-{os.urandom(6).hex()}.json"
        self.save(path)
        return path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Measurement:
        measurement = cls()
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise InputError(f"{path}: written by another version of Ramify ({content['format']})")
            for filename, versions in content["files"].items():
                for digest, hits in versions.items():
                    measurement.add(filename, digest, _from_hex(hits))
            for filename, reason in content["declined"].items():
                measurement.decline(filename, reason)
        except OSError as error:
            raise InputError(f"cannot read the measurement {path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not a measurement written by Ramify") from error
        return measurement

    @classmethod
    def load_all(cls, directory: str | os.PathLike[str]) -> Measurement:
        """Everything `save_in` wrote there; what a process was still writing when it was killed is not seen."""
        measurement = cls()
        # Files that begin with a dot are still being written.
        for path in sorted(Path(directory).glob("[0-9]*.json")):
            measurement.merge(cls.load(path))
        return measurement


def _to_hex(hits: set[int]) -> str:
    """A set of small numbers as the hexadecimal digits of a number with those bits set."""
    # A list of numbers would be many times as long, and large runs have many files.
    bits = bytearray(max(hits, default=-1) // 8 + 1)
    for hit in hits:
        bits[hit >> 3] |= 1 << (hit & 7)
    return bits.hex()


def _from_hex(digits: str) -> set[int]:
    return {
        8 * index + bit for index, byte in enumerate(bytes.fromhex(digits)) for bit in range(8) if byte >> bit & 1
    }


@dataclass(frozen=True)
class Count:
    """How many of how many."""

    covered: int
    total: int

    @property
    def missing(self) -> int:
        return self.total - self.covered

    @property
    def percent(self) -> float:
        """Nothing to cover is covered."""
        return 100.0 * self.covered / self.total if self.total else 100.0

    def __add__(self, other: Count) -> Count:
        return Count(self.covered + other.covered, self.total + other.total)


@dataclass(frozen=True)
class FunctionCoverage:
    """The coverage of one function, method or module body, with the lambdas and comprehensions in it."""

    scope: Scope
    branches: Count
    statements: Count
    missing_edges: list[Edge]
    missing_statements: list[Statement]

    @property
    def ran(self) -> bool:
        return self.statements.covered > 0 or self.branches.covered > 0

    @property
    def never_called(self) -> bool:
        """Whether there was something to run that did not; a body of just a docstring leaves no trace."""
        return not self.ran and self.statements.total > 0


@dataclass(frozen=True)
class FileCoverage:
    """The coverage of one file; when `warning` is set without a file, why there are no numbers."""

    filename: str
    warning: str | None = None
    file: SourceFile | None = None
    hits: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of(cls, filename: str, source: str, hits: Iterable[int]) -> FileCoverage:
        return cls(filename, None, SourceFile(filename, source.encode()), frozenset(hits))

    @property
    def table(self) -> BranchTable | None:
        return None if self.file is None else self.file.table

    @cached_property
    def functions(self) -> list[FunctionCoverage]:
        """Every function in source order, the module body first, also those without a branch."""
        if self.table is None:
            return []
        statements: dict[int, list[Statement]] = {}
        for statement in self.table.statements:
            function = self.table.scopes[statement.scope].function
            statements.setdefault(function, []).append(statement)
        return [
            self._function(scope, edges, statements.get(scope.index, []))
            for scope, edges in self.table.functions()
        ]

    def _function(self, scope: Scope, edges: list[Edge], statements: list[Statement]) -> FunctionCoverage:
        missing_edges = [edge for edge in edges if edge.id not in self.hits]
        missing_statements = [statement for statement in statements if statement.probe not in self.hits]
        return FunctionCoverage(
            scope,
            Count(len(edges) - len(missing_edges), len(edges)),
            Count(len(statements) - len(missing_statements), len(statements)),
            missing_edges,
            missing_statements,
        )

    @cached_property
    def branches(self) -> Count:
        return total(function.branches for function in self.functions)

    @cached_property
    def statements(self) -> Count:
        return total(function.statements for function in self.functions)

    @property
    def complete(self) -> bool:
        """Every branch and every statement was reached."""
        return not self.branches.missing and not self.statements.missing and self.table is not None

    @property
    def missing_edges(self) -> list[Edge]:
        return [edge for function in self.functions for edge in function.missing_edges]

    @property
    def missing_lines(self) -> list[tuple[int, int]]:
        """First and last line of each run of statements that were not reached."""
        return self.lines_missing_in(self.functions)

    def lines_missing_in(self, functions: Iterable[FunctionCoverage]) -> list[tuple[int, int]]:
        missing = {statement.line for function in functions for statement in function.missing_statements}
        every = [] if self.table is None else self.table.statements
        return _line_ranges({statement.line for statement in every}, missing)


def total(counts: Iterable[Count]) -> Count:
    return sum(counts, Count(0, 0))


def _line_ranges(lines: Iterable[int], missing: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of missing lines; blank lines and comments between two of them do not end a run."""
    wanted = set(missing)
    ranges: list[tuple[int, int]] = []
    running = False
    for line in sorted(lines):
        if line not in wanted:
            running = False
        elif running:
            ranges[-1] = (ranges[-1][0], line)
        else:
            ranges.append((line, line))
            running = True
    return ranges


def source_files(root: Path) -> Iterator[str]:
    """The Python files that belong to a file, a package or a plain directory of scripts.

    Hidden directories, caches and nested virtual environments are no part of it.
    """
    if root.is_file():
        yield str(root.resolve())
        return
    for directory, names, files in os.walk(root.resolve()):
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".")
            and name != "__pycache__"
            # Every virtual environment has this file at its root.
            and not os.path.exists(os.path.join(directory, name, "pyvenv.cfg"))
        )
        yield from (os.path.join(directory, name) for name in sorted(files) if name.endswith(".py"))
