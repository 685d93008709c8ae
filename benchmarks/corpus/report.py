"""The tables of a corpus run: the totals of each part, the ablations, every function, and what nobody reached."""

from __future__ import annotations

import csv
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from corpus.measuring import Measurement
from corpus.modes import ABLATIONS, MAIN
from corpus.table import PARTS, Entry

Get = Callable[[Entry, str], Measurement | None]
Modes = Sequence[str]
Table = Sequence[Sequence[str]]
COLUMNS = ("inputs", "settled", "seconds")
QUICK = 2.0
"""The seconds of the column `by 2 s`: functions that were complete by then."""


def tables(entries: Sequence[Entry], modes: Modes, get: Get) -> dict[str, Table]:
    """The totals, the ablations if there are any, and the functions of each part."""
    main = [mode for mode in modes if mode in MAIN]
    found = {"totals": totals(entries, main, get)}
    lost = ablations(entries, modes, get)
    if len(lost) > 1:
        found["ablations"] = lost
    for part in PARTS:
        if main and any(e.part == part for e in entries):
            found[part] = functions([e for e in entries if e.part == part], main, get)
    return found


def write(found: Mapping[str, Table], directory: Path) -> None:
    """One file for each table: what docs/benchmarks.md links to."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in found.items():
        with (directory / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def report(entries: Sequence[Entry], modes: Modes, get: Get) -> str:
    """The tables for a terminal, and what went wrong."""
    parts = [f"{name.capitalize()}\n\n{grid(rows)}" for name, rows in tables(entries, modes, get).items()]
    notes = [
        f"{entry.name}, {mode}: {m.note}"
        for entry in entries
        for mode in modes
        if (m := get(entry, mode)) is not None and m.note
    ]
    if notes:
        parts.append("Notes\n\n" + "\n".join(notes))
    return "\n\n".join(parts)


def _by_part(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    for part in (*PARTS, "all"):
        yield part, [e for e in entries if part in (e.part, "all")]


def totals(entries: Sequence[Entry], modes: Modes, get: Get) -> list[list[str]]:
    """A row for each part and mode: branches covered, functions complete, inputs and seconds."""
    heads = "part,mode,functions,branches,covered,mean,complete,by 2 s,inputs,seconds"
    rows = [heads.split(",")]
    for part, chosen in _by_part(entries):
        for mode in modes:
            measured = [m for e in chosen if (m := _with_branches(e, mode, modes, get)) is not None]
            if measured:
                rows.append([part, mode, *_sums(measured)])
        if together := _union(chosen, ("random", "peer"), modes, get):
            rows.append([part, "random and peer", *_sums(together)[:5], "", "", ""])
    return rows


def ablations(entries: Sequence[Entry], modes: Modes, get: Get) -> list[list[str]]:
    """A row for each part and ablation, over the functions of which the full hybrid was measured too: what is
    lost in points, and the branches that only one of the two reached. What only the lesser one reached tells how
    much is chance.
    """
    heads = "part,hybrid,functions,branches,covered,lost,complete,only in full,only without,seconds"
    rows = [heads.split(",")]
    asked = [mode for mode in modes if mode in ABLATIONS]
    for part, chosen in _by_part(entries):
        for mode in asked:
            pairs = [
                (full, less)
                for e in chosen
                if (full := _with_branches(e, "hybrid", modes, get)) is not None
                and (less := _with_branches(e, mode, modes, get)) is not None
            ]
            if pairs:
                rows.append([part, mode, *_losses(pairs)])
    return rows


def _losses(pairs: Sequence[tuple[Measurement, Measurement]]) -> list[str]:
    branches = sum(len(full.branches) for full, _ in pairs)
    full_covered, covered = (sum(len(pair[i].covered) for pair in pairs) for i in (0, 1))
    return [
        str(len(pairs)),
        str(branches),
        f"{covered / branches:.1%}",
        f"{100 * (full_covered - covered) / branches:.1f}",
        str(sum(less.complete for _, less in pairs)),
        str(sum(len(set(full.covered) - set(less.covered)) for full, less in pairs)),
        str(sum(len(set(less.covered) - set(full.covered)) for full, less in pairs)),
        f"{sum(less.seconds for _, less in pairs):.0f}",
    ]


def _with_branches(entry: Entry, mode: str, modes: Modes, get: Get) -> Measurement | None:
    """A measurement that failed altogether covers none of the branches that the other modes know of; it must not
    drop out of the totals.
    """
    made = get(entry, mode)
    if made is None or made.branches:
        return made
    known = [m.branches for other in modes if (m := get(entry, other)) is not None and m.branches]
    return replace(made, branches=known[0]) if known else None


def _sums(measured: Sequence[Measurement]) -> list[str]:
    branches, covered = sum(len(m.branches) for m in measured), sum(len(m.covered) for m in measured)
    mean = sum(len(m.covered) / len(m.branches) for m in measured) / len(measured)
    return [
        str(len(measured)),
        str(branches),
        f"{covered / branches:.1%}",
        f"{mean:.1%}",
        str(sum(m.complete for m in measured)),
        str(sum(m.complete and m.settled <= QUICK for m in measured)),
        str(sum(m.inputs for m in measured)),
        f"{sum(m.seconds for m in measured):.0f}",
    ]


def _union(entries: Iterable[Entry], united: Modes, modes: Modes, get: Get) -> list[Measurement]:
    """What some of the modes reach together, where all of them were measured."""
    found = []
    for entry in entries:
        present = [m for mode in united if (m := _with_branches(entry, mode, modes, get)) is not None]
        if len(present) == len(united):
            covered = sorted(set().union(*(m.covered for m in present)))
            found.append(Measurement(present[0].branches, covered))
    return found


def functions(entries: Sequence[Entry], modes: Modes, get: Get) -> list[list[str]]:
    """A row for each function: branches, and for each mode those covered, the inputs and the seconds."""
    heads = ["function", "branches"]
    for mode in modes:
        heads += [mode, *(f"{mode} {column}" for column in COLUMNS if mode != "random")]
    rows = [heads]
    for entry in entries:
        measured = [get(entry, mode) for mode in modes]
        row = [entry.name, str(max((len(m.branches) for m in measured if m is not None), default=0))]
        for mode, m in zip(modes, measured, strict=True):
            if m is None:
                row += ["-"] * (1 if mode == "random" else 4)
            elif mode == "random":
                row.append(str(len(m.covered)))
            else:
                row += [str(len(m.covered)), str(m.inputs), f"{m.settled:.1f}", f"{m.seconds:.1f}"]
        rows.append(row)
    return rows


def missing_lines(entries: Iterable[Entry], mode: str, get: Get) -> Iterator[str]:
    """The branches that a mode did not cover, each with its line: what the engine's author works from."""
    for entry in entries:
        m = get(entry, mode)
        if m is None or m.complete:
            continue
        yield f"{entry.name} ({entry.part}), {mode}: {len(m.covered)} of {len(m.branches)}; {entry.types}"
        others = [x for other in MAIN if other != mode and (x := get(entry, other)) is not None]
        for source, to in m.missing:
            known = any((source, to) in other.covered for other in others)
            where = f"{to}: {_line(m.file, to)}" if to > 0 else "the end"
            yield f"  {source}: {_line(m.file, source)}  ->  {where}{'  (others reach it)' if known else ''}"


def _line(file: str, number: int) -> str:
    return linecache.getline(file, number).strip()


def grid(rows: Table) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )
