"""The coverage report: a table per file and function, then what is missing, in words; or the same as JSON.

The report is made once, as rows and lines, and shown two ways: aligned text where nobody looks at
colours, and rich's table on a terminal. The words are the same.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import IO, Any

from ramify import __version__
from ramify.cfg.branches import Site
from ramify.cfg.hits import Count, FileCoverage, FunctionCoverage, total
from ramify.reports.wording import counted

JSON_FORMAT = "ramify coverage 1"

_HEADINGS = ("", "branches", "", "statements", "")
_TITLE = "Missing branches"
_WIDTH = 100


# -- words ----------------------------------------------------------------------------------------


def percent_text(count: Count) -> str:
    """Rounded down, so that only everything is 100 %."""
    tenths = 1000 * count.covered // count.total if count.total else 1000
    return f"{tenths / 10:.1f}%"


def shown_name(filename: str) -> str:
    """The file as a person here would name it: as seen from the current directory, else as imported."""
    folders = [os.getcwd(), *sorted((entry for entry in sys.path if os.path.isabs(entry)), key=len, reverse=True)]
    for folder in folders:
        prefix = os.path.join(folder, "")
        if filename.startswith(prefix):
            return filename[len(prefix) :]
    return filename


def missing_in_words(file: FileCoverage, function: FunctionCoverage) -> list[str]:
    """What did not happen in a function, most of it one line per missing branch.

    A place that was not even reached has nothing to say about its outcomes: such places are named
    once, and a row of them together, because the branch to take is the one before them.
    """
    words: list[str] = []
    unreached: list[Site] = []
    for site, edges in _by_site(function):
        if len(edges) == len(site.outcomes) and (len(edges) > 1 or not _statement_ran(file, site)):
            unreached.append(site)
            continue
        words += _unreached_in_words(unreached)
        unreached = []
        words += [edge.missing for edge in edges]
    return words + _unreached_in_words(unreached)


def _by_site(function: FunctionCoverage) -> Iterator[tuple[Site, list[Any]]]:
    sites: dict[int, list[Any]] = {}
    for edge in function.missing_edges:
        sites.setdefault(edge.site.index, []).append(edge)
    for edges in sorted(sites.values(), key=lambda edges: (edges[0].line, edges[0].column)):
        yield edges[0].site, edges


def _statement_ran(file: FileCoverage, site: Site) -> bool:
    """Whether the innermost statement around a site was reached."""
    assert file.table is not None
    around = [s for s in file.table.statements if s.line <= site.line <= s.end_line]
    if not around:
        return True
    # Of two statements on one line the later one is the inner one.
    innermost = min(reversed(around), key=lambda s: s.end_line - s.line)
    return innermost.probe in file.hits


def _unreached_in_words(sites: list[Site]) -> list[str]:
    match sites:
        case []:
            return []
        case [site]:
            return [f"line {site.line}: `{site.text}` never reached"]
    first, last = sites[0].line, max(site.line for site in sites)
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    branches = sum(len(site.outcomes) for site in sites)
    return [f"{where}: `{sites[0].text}` and what follows never reached ({branches} branches)"]


def _range_texts(ranges: Iterable[tuple[int, int]]) -> list[str]:
    return [str(first) if first == last else f"{first}-{last}" for first, last in ranges]


# -- the report as rows and lines -----------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """A line of the table; `level` is 0 for a file, 1 for a function, -1 for the total."""

    level: int
    name: str
    branches: Count
    statements: Count

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        indent = "  " * max(self.level, 0)
        b, s = self.branches, self.statements
        return (
            indent + self.name,
            f"{b.covered}/{b.total}",
            percent_text(b) if b.total else "-",
            f"{s.covered}/{s.total}",
            percent_text(s) if s.total else "-",
        )


def _rows(files: Sequence[FileCoverage]) -> list[_Row]:
    rows: list[_Row] = []
    for file in files:
        if file.table is None:
            continue
        rows.append(_Row(0, shown_name(file.filename), file.branches, file.statements))
        if not file.complete and file.statements.covered:
            rows += _function_rows(file.functions)
    listed = [row for row in rows if row.level == 0]
    name = f"total of {counted(len(listed), 'file')}"
    rows.append(_Row(-1, name, total(r.branches for r in listed), total(r.statements for r in listed)))
    return rows


def _function_rows(functions: list[FunctionCoverage]) -> Iterator[_Row]:
    """Functions that ran and miss something each have a row; the others are counted together."""
    complete: list[FunctionCoverage] = []
    for function in functions:
        if function.ran and (function.branches.missing or function.statements.missing):
            yield _Row(1, function.scope.qualname, function.branches, function.statements)
        elif function.ran:
            complete.append(function)
    yield from _group_row(complete, "complete")
    yield from _group_row([function for function in functions if function.never_called], "never called")


def _group_row(functions: list[FunctionCoverage], word: str) -> Iterator[_Row]:
    if functions:
        single = len(functions) == 1
        name = f"{functions[0].scope.qualname}, {word}" if single else f"{len(functions)} functions {word}"
        yield _Row(1, name, total(f.branches for f in functions), total(f.statements for f in functions))


def _missing_lines(file: FileCoverage, limit: int | None) -> list[str]:
    """The lines under a file's name in the second part, indented."""
    if not file.statements.covered:
        return ["  never imported"]
    lines: list[str] = []
    for function in file.functions:
        if function.ran and function.missing_edges:
            lines += [
                f"  {function.scope.qualname}",
                *(f"    {word}" for word in missing_in_words(file, function)),
            ]
    if limit is not None and len(lines) > limit:
        lines = [*lines[:limit], f"    ... and {counted(len(lines) - limit, 'more line')}"]
    uncalled = [function.scope for function in file.functions if function.never_called]
    # The getter, setter and deleter of a property share a name.
    shared = Counter(function.scope.qualname for function in file.functions)
    names = [f"{s.qualname} (line {s.line})" if shared[s.qualname] > 1 else s.qualname for s in uncalled]
    lines += _list_lines("functions never called", names)
    elsewhere = file.lines_missing_in(function for function in file.functions if function.ran)
    return lines + _list_lines("lines never reached", _range_texts(elsewhere))


def _list_lines(title: str, items: list[str]) -> list[str]:
    """A list in as few lines as it needs, none if it is empty."""
    if not items:
        return []
    indent = " " * 4
    # Only the spaces between items may become line ends.
    joined = ", ".join(item.replace(" ", "\xa0") for item in items)
    wrapped = textwrap.wrap(
        f"{title}: {joined}", _WIDTH, initial_indent=indent[2:], subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace("\xa0", " ") for line in wrapped]


def _second_part(files: Sequence[FileCoverage], show_missing: bool, limit: int | None) -> list[str]:
    lines: list[str] = []
    for file in files if show_missing else ():
        if file.table is not None and not file.complete:
            lines += [shown_name(file.filename), *_missing_lines(file, limit)]
    if lines:
        lines = ["", _TITLE, "", *lines]
    warnings = [f"warning: {shown_name(file.filename)}: {file.warning}" for file in files if file.warning]
    return [*lines, "", *warnings] if warnings else lines


# -- showing it -----------------------------------------------------------------------------------


def render_text(files: Iterable[FileCoverage], *, show_missing: bool = True, limit: int | None = None) -> str:
    """The report as aligned text; `limit` is the most lines of missing branches shown for one file."""
    shown = list(files)
    rows = _rows(shown)
    table = [_HEADINGS, *(row.cells for row in rows)]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(_HEADINGS))]
    # A heading stands over both its columns, count and percentage.
    lines = [
        f"{cells[0]:<{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))
        for cells in table
    ]
    lines.insert(len(lines) - 1, "-" * len(lines[-1]))
    lines += _second_part(shown, show_missing, limit)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def print_report(
    files: Iterable[FileCoverage], stream: IO[str], *, show_missing: bool = True, limit: int | None = None
) -> None:
    """The report on a stream: with colours on a terminal, as `render_text` anywhere else."""
    render = render_coloured if stream.isatty() else render_text
    stream.write(render(files, show_missing=show_missing, limit=limit))


def render_coloured(files: Iterable[FileCoverage], *, show_missing: bool = True, limit: int | None = None) -> str:
    """The report for a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = list(files)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="right" if column else "left", no_wrap=bool(column), overflow="fold")
    for row in _rows(shown):
        if row.level == -1:
            table.add_section()
        cells = [Text(cell) for cell in row.cells]
        cells[2].stylize(_colour(row.branches))
        cells[4].stylize(_colour(row.statements))
        table.add_row(*cells, style="dim" if row.level == 1 and not row.branches.missing else None)
    # Written to a buffer: rich takes the width from the environment or the terminal itself.
    console = Console(file=StringIO(), force_terminal=True, highlight=False)
    with console.capture() as capture:
        console.print(table)
        for line in _second_part(shown, show_missing, limit):
            style = "bold" if line and not line.startswith(" ") else ""
            console.print(Text(line, style="yellow" if line.startswith("warning:") else style), soft_wrap=True)
    return capture.get()


def _colour(count: Count) -> str:
    if not count.missing:
        return "green"
    return "yellow" if count.percent >= 80 else "red"


# -- JSON -----------------------------------------------------------------------------------------


def render_json(files: Iterable[FileCoverage]) -> str:
    """The whole report as JSON; `docs/coverage.md` describes the keys."""
    shown = list(files)
    content = {
        "format": JSON_FORMAT,
        "ramify": __version__,
        "total": {
            "files": len(shown),
            "branches": _count_json(total(file.branches for file in shown)),
            "statements": _count_json(total(file.statements for file in shown)),
        },
        "files": [_file_json(file) for file in shown],
    }
    return json.dumps(content, indent=1) + "\n"


def _count_json(count: Count) -> dict[str, Any]:
    return {"covered": count.covered, "total": count.total, "percent": round(count.percent, 2)}


def _file_json(file: FileCoverage) -> dict[str, Any]:
    return {
        "file": file.filename,
        "warning": file.warning,
        "branches": _count_json(file.branches),
        "statements": _count_json(file.statements),
        "missing_lines": [list(lines) for lines in file.missing_lines],
        "functions": [_function_json(function) for function in file.functions],
    }


def _function_json(function: FunctionCoverage) -> dict[str, Any]:
    scope = function.scope
    return {
        "name": scope.qualname,
        "line": scope.line,
        "end_line": scope.end_line,
        "ran": function.ran,
        "branches": _count_json(function.branches),
        "statements": _count_json(function.statements),
        "missing": [
            {
                "id": edge.id,
                "line": edge.line,
                "column": edge.column,
                "kind": edge.site.kind,
                "text": edge.site.text,
                "outcome": edge.outcome,
                "words": edge.missing,
            }
            for edge in function.missing_edges
        ],
    }


# -- the threshold --------------------------------------------------------------------------------


def below_threshold(files: Iterable[FileCoverage], minimum: float) -> str | None:
    """Why the branch coverage of all files together is not enough, or None if it is."""
    count = total(file.branches for file in files)
    if count.percent >= minimum:
        return None
    return f"branch coverage {percent_text(count)} is below the required {minimum:g}%"
