"""What an exploration tells: paths, verdicts of edges and a summary, as text and as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.reports.wording import counted

if TYPE_CHECKING:
    from ramify.runtime.search import EdgeVerdict, Exploration, Path, Summary

MOST_CHARACTERS, MOST_LINES = 1000, 20
"""How much of a result, and of what a run printed, the text format shows."""


def edge_record(verdict: EdgeVerdict) -> dict[str, Any]:
    """The verdict of an edge as one object of the jsonl format."""
    edge = verdict.edge
    by = verdict.by
    return {
        "kind": "edge",
        "id": int(edge.id),
        "line": edge.line,
        "column": edge.column,
        "branch": edge.site.text,
        "outcome": edge.outcome,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "input": None if by is None else call_of(by.arguments),
    }


def call_of(arguments: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in arguments.items()) + "}"


def summary_record(exploration: Exploration) -> dict[str, Any]:
    from ramify.runtime.search import GuidedExploration

    summary = exploration.summary
    stats = summary.solver
    record = {
        "kind": "summary",
        "paths": summary.paths,
        "runs": summary.runs,
        "cut": summary.cut,
        "crashed": summary.crashed,
        "pruned": summary.pruned,
        "rejected": summary.rejected,
        "depth": summary.depth,
        "divergences": summary.divergences,
        "concretisations": sum(summary.concretisations.values()),
        "concretised": [
            {"file": place.file, "line": place.line, "operation": place.operation, "times": times}
            for place, times in summary.concretisations.items()
        ],
        "queries": {verdict: stats.queries[verdict] for verdict in ("sat", "unsat", "unknown")},
        "cache_hits": dict(stats.cache_hits),
        "solver_seconds": round(stats.seconds, 6),
        "seconds": round(summary.seconds, 6),
        "stop": summary.stop,
    }
    if isinstance(exploration, GuidedExploration):
        goals, fallback = exploration.goals, exploration.fallback
        record |= {
            "branches": len(goals.edges),
            "covered": len(goals.own & goals.covered),
            "cheap_runs": fallback.cheap_runs,
            "cheap_covered": fallback.cheap_covered,
            "searches": fallback.searches,
            "search_runs": fallback.runs,
            "search_covered": fallback.covered,
            "left_plain": exploration.left_plain or {},
        }
    return record


def path_text(name: str, path: Path) -> str:
    """A path in PEF's shape: the call and its result, then what it printed, then its exception."""
    from ramify.runtime.programs import CRASHED, CUT, VIOLATED
    from ramify.runtime.search import DIVERGED

    call = f"{name}({path.expression})"
    if path.execution.outcome == CUT:
        lines = [f"{call} -> cut: {path.execution.reason}"]
    elif path.execution.outcome == CRASHED:
        lines = [f"{call} crashes: {path.execution.reason}"]
    elif path.exception is not None:
        lines = [f"{call} raises {type(path.exception).__name__}: {_short(message_of(path.exception))}"]
    else:
        lines = [f"{call} -> {_short(text_of(path.result))}"]
    if path.execution.outcome == VIOLATED:
        lines.append(f"    violates: {path.execution.reason}")
    lines += [f"    after: {statement}" for statement in path.setup]
    if path.outside:
        lines.append(f"    outside the declared type: {', '.join(path.outside)}")
    if path.outcome == DIVERGED:
        lines.append("    diverged from the path it was meant for")
    lines += [f"    {refusal}" for refusal in dict.fromkeys(path.execution.refusals)]
    lines += [f"    | {line}" for line in _some(path.output.splitlines())]
    return "\n".join(lines)


def _short(text: str) -> str:
    """A text that a terminal can show; the jsonl format has it in full."""
    more = len(text) - MOST_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CHARACTERS]}... ({more:,} more characters)"


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_LINES
    return [*map(_short, lines[:MOST_LINES]), *([f"... ({more:,} more lines)"] if more > 0 else [])]


def summary_text(exploration: Exploration) -> str:
    from ramify.runtime.search import GuidedExploration

    if isinstance(exploration, GuidedExploration):
        return _guided_text(exploration)
    summary = exploration.summary
    parts = [f"{counted(summary.paths, 'path')} explored", f"depth {summary.depth}", *_counts(summary)]
    return f"{', '.join(parts)}; {summary.stop} after {summary.seconds:.2f} s."


def _counts(summary: Summary) -> list[str]:
    queries = summary.solver.queries
    parts = [
        counted(summary.runs, "run"),
        f"{queries['sat']} sat, {queries['unsat']} unsat, {queries['unknown']} unknown",
    ]
    for number, what in (
        (summary.pruned, "pruned"),
        (summary.cut - summary.pruned if summary.cut > summary.pruned else 0, "cut"),
        (summary.crashed, "crashed"),
        (summary.divergences, "diverged"),
    ):
        if number:
            parts.append(f"{number} {what}")
    places = len(summary.concretisations)
    return [*parts, counted(places, "concretised place")] if places else parts


def _guided_text(exploration: Any) -> str:
    """The edges that are not covered, each with its verdict, then the numbers."""
    from ramify.runtime.search import COVERED, ranked

    summary, goals, fallback = exploration.summary, exploration.goals, exploration.fallback
    verdicts = exploration.edge_verdicts()
    lines = [verdict.text for verdict in verdicts if verdict.kind != COVERED]
    blocking = ranked(verdicts)
    if blocking:
        lines.append("values that lost their terms, and how many branches that blocks:")
        lines += [f"  line {place.line}: {place.operation}, {count}" for place, count in blocking]
    lines += [f"{name} ran as it is written: {reason}" for name, reason in (exploration.left_plain or {}).items()]
    covered = len(goals.own & goals.covered)
    edges = counted(len(goals.edges), "branch", "branches")
    parts = [f"{covered} of {edges} covered by {counted(summary.paths, 'input')}", *_counts(summary)]
    if fallback.searches:
        found = f"{counted(fallback.runs, 'run')}, {counted(fallback.covered, 'branch', 'branches')}"
        parts.append(f"{counted(fallback.searches, 'local search', 'local searches')} ({found})")
    lines.append(f"{', '.join(parts)}; {summary.stop} after {summary.seconds:.2f} s.")
    return "\n".join(lines)


def text_of(value: Any) -> str:
    from ramify.runtime.terms import spelled

    try:
        return spelled(value)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"


def message_of(error: BaseException) -> str:
    from ramify.runtime.terms import message

    try:
        return message(error)
    except Exception:
        return f"<{type(error).__name__} without text>"
