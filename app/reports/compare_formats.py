"""What `ramify compare` prints: text and Markdown for people, records for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.cfg.branches import Edge
from ramify.runtime.peer import HYBRID, PEER, Column, Comparison

ROWS: list[tuple[str, Callable[[Column, Comparison], str]]] = [
    ("paths", lambda column, _: str(column.paths)),
    ("branches", lambda column, whole: f"{len(column.covered)}/{len(whole.edges)}"),
    ("coverage", lambda column, whole: _percent(len(column.covered), len(whole.edges))),
    ("runs", lambda column, _: str(column.runs)),
    ("queries", lambda column, _: str(column.queries)),
    ("cut paths", lambda column, _: str(column.cut)),
    ("concretised places", lambda column, _: str(column.concretisations)),
    ("seconds", lambda column, _: f"{column.seconds:.2f}"),
    ("stopped by", lambda column, _: column.stop),
]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def words(comparison: Comparison) -> list[str]:
    """Which branches only one of the two reached, and what made the difference."""
    lines = []
    for one, other in ((HYBRID, PEER), (PEER, HYBRID)):
        edges = comparison.only(one, other)
        if edges:
            lines.append(f"only {one} reached:")
            lines += [f"  {edge.label}{_thanks_to(comparison, edge, one)}" for edge in edges]
    if not lines:
        lines.append("both reached the same branches")
    never = [
        edge for edge in comparison.edges if all(edge.id not in c.covered for c in comparison.columns.values())
    ]
    if never:
        lines.append("neither reached:")
        lines += [f"  {edge.label}" for edge in never]
    for name, column in comparison.columns.items():
        if column.unmeasured:
            lines.append(f"{column.unmeasured} inputs of {name} not measured: the time was up")
    for name, column in comparison.without.items():
        lost = len(comparison.columns[HYBRID].covered - column.covered)
        lines.append(f"without {name}: {len(column.covered)}/{len(comparison.edges)} branches, {lost} lost")
    return lines


def _thanks_to(comparison: Comparison, edge: Edge, one: str) -> str:
    if one != HYBRID or not comparison.without:
        return ""
    needed = comparison.needs(edge)
    return f" (thanks to {' and '.join(needed)})" if needed else " (also without any one of the parts)"


def as_text(comparison: Comparison) -> str:
    columns = list(comparison.columns.values())
    width = max(len(name) for name, _ in ROWS)
    lines = [comparison.target, " " * width + "".join(f"{column.name:>12}" for column in columns)]
    for name, cell in ROWS:
        lines.append(f"{name:<{width}}" + "".join(f"{cell(column, comparison):>12}" for column in columns))
    return "\n".join([*lines, *words(comparison)])


def as_markdown(comparison: Comparison) -> str:
    columns = list(comparison.columns.values())
    lines = [f"### {comparison.target}", "", "| | " + " | ".join(c.name for c in columns) + " |"]
    lines.append("|---|" + "---|" * len(columns))
    for name, cell in ROWS:
        lines.append(f"| {name} | " + " | ".join(cell(column, comparison) for column in columns) + " |")
    return "\n".join([*lines, "", *map(_item, words(comparison)), ""])


def _item(line: str) -> str:
    """A line of a list, or of the list inside it."""
    return f"  - {line.strip()}" if line.startswith(" ") else f"- {line}"


def as_record(comparison: Comparison) -> dict[str, Any]:
    def column_record(column: Column) -> dict[str, Any]:
        return {
            "paths": column.paths,
            "covered": sorted(column.covered),
            "runs": column.runs,
            "queries": column.queries,
            "cut": column.cut,
            "concretisations": column.concretisations,
            "seconds": round(column.seconds, 3),
            "stop": column.stop,
            "unmeasured": column.unmeasured,
        }

    return {
        "target": comparison.target,
        "branches": [{"id": int(e.id), "line": e.line, "text": e.label} for e in comparison.edges],
        "modes": {name: column_record(column) for name, column in comparison.columns.items()},
        "without": {name: column_record(column) for name, column in comparison.without.items()},
        "only": {
            HYBRID: [int(e.id) for e in comparison.only(HYBRID, PEER)],
            PEER: [int(e.id) for e in comparison.only(PEER, HYBRID)],
        },
        "needs": {
            int(edge.id): needed
            for edge in comparison.edges
            if edge.id in comparison.columns[HYBRID].covered and (needed := comparison.needs(edge))
        },
    }


def totals(comparisons: list[Comparison]) -> str:
    """The sum over all targets, in one line."""
    branches = sum(len(c.edges) for c in comparisons)
    parts = []
    for name in (PEER, HYBRID):
        covered = sum(len(c.columns[name].covered) for c in comparisons)
        parts.append(f"{name} {covered}/{branches} ({_percent(covered, branches)})")
    return f"{len(comparisons)} targets: {', '.join(parts)}"
