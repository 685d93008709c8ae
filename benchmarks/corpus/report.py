"""The tables of a corpus run: every function, the totals of each half, and the branches nobody reached."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from corpus.measuring import Measurement
from corpus.table import HALVES, Entry

Get = Callable[[Entry, str], Measurement | None]
Modes = Sequence[str]
QUICK = 2.0
"""The seconds of the column `by 2 s`: functions that were complete by then."""


def report(entries: Sequence[Entry], modes: Modes, get: Get, markdown: bool) -> str:
    """The totals, the functions, and what went wrong."""
    parts = [grid(totals(entries, modes, get), markdown)]
    for half in HALVES:
        if any(e.half == half for e in entries):
            rows = functions([e for e in entries if e.half == half], modes, get)
            parts.append(f"{'### ' if markdown else ''}{half.capitalize()}\n\n{grid(rows, markdown)}")
    notes = [
        f"{entry.name}, {mode}: {m.note}"
        for entry in entries
        for mode in modes
        if (m := get(entry, mode)) is not None and m.note
    ]
    if notes and not markdown:
        parts.append("Notes\n\n" + "\n".join(notes))
    return "\n\n".join(parts)


def totals(entries: Sequence[Entry], modes: Modes, get: Get) -> list[list[str]]:
    """A row for each half and mode: branches covered, functions complete, inputs and seconds."""
    heads = "half,mode,functions,branches,covered,mean,complete,by 2 s,inputs,seconds"
    rows = [heads.split(",")]
    for half in (*HALVES, "all"):
        of_half = [e for e in entries if half in (e.half, "all")]
        for mode in modes:
            measured = [m for e in of_half if (m := _with_branches(e, mode, modes, get)) is not None]
            if measured:
                rows.append([half, mode, *_sums(measured)])
        together = _union(of_half, [m for m in modes if m != "hybrid"], get)
        if len(modes) > 1 and together:
            rows.append([half, "random and peer", *_sums(together)[:5], "", "", ""])
    return rows


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


def _union(entries: Iterable[Entry], modes: Modes, get: Get) -> list[Measurement]:
    """What the modes reach together, where all of them were measured."""
    found = []
    for entry in entries:
        present = [m for mode in modes if (m := _with_branches(entry, mode, modes, get)) is not None]
        if modes and len(present) == len(modes):
            covered = sorted(set().union(*(m.covered for m in present)))
            found.append(Measurement(present[0].branches, covered))
    return found


def functions(entries: Sequence[Entry], modes: Modes, get: Get) -> list[list[str]]:
    """A row for each function: branches, and for each mode those covered, the inputs and the seconds."""
    heads = ["function", "branches"]
    for mode in modes:
        heads += ["random"] if mode == "random" else [mode, "inputs", "settled", "seconds"]
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
        yield f"{entry.name} ({entry.half}), {mode}: {len(m.covered)} of {len(m.branches)}; {entry.types}"
        others = [x for other in ("random", "peer") if other != mode and (x := get(entry, other)) is not None]
        for source, to in m.missing:
            known = any((source, to) in other.covered for other in others)
            where = f"{to}: {_line(m.file, to)}" if to > 0 else "the end"
            yield f"  {source}: {_line(m.file, source)}  ->  {where}{'  (others reach it)' if known else ''}"


def _line(file: str, number: int) -> str:
    return linecache.getline(file, number).strip()


def grid(rows: Sequence[Sequence[str]], markdown: bool) -> str:
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )
