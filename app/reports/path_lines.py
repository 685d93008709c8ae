"""Paths as lines of the jsonl format (docs/explore.md), with what they share written only once.

The paths of one exploration have most of their decisions in common, and writing a term costs more than deciding it
did.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ramify.reports.exploration_report import message_of, text_of
from ramify.runtime.terms import NamedParts, TreeLengths

if TYPE_CHECKING:
    from ramify.runtime.recording import Decision
    from ramify.runtime.search import Path

MOST_KEPT = 16_000_000
"""Characters of decisions that are kept; then all are forgotten, so that long explorations stay small."""


class PathLines:
    """Writes the paths of one exploration or several."""

    def __init__(self) -> None:
        self._decisions: dict[Decision, str] = {}
        self._conditions: dict[Any, str] = {}  # by term, and escaped for JSON
        self._sizes = TreeLengths()
        self._kept = 0

    def line(self, path: Path, function: str | None = None) -> str:
        """One object of the jsonl format; `function` is named where there are several."""
        if self._kept > MOST_KEPT:
            self._decisions.clear()
            self._conditions.clear()
            self._sizes.forget()
            self._kept = 0
        sizes = self._sizes
        told = [*map(self._decisions.get, path.decisions)]  # of small terms only
        large = None in told and not all(sizes.is_small(d.term) for d in path.decisions)
        opening, rest = json.dumps(_opening(path))[:-1], _closing(path)
        if large:
            decisions, condition = _with_names(path, rest)
        else:
            texts = zip(told, path.decisions, strict=True)
            decisions = ", ".join([text or self._decision(d) for text, d in texts])
            condition = self._path_condition(path)
        if function is not None:
            rest["function"] = function
        closing = json.dumps(rest)[1:]
        comma = "" if closing == "}" else ", "
        return f'{opening}, "decisions": [{decisions}], "path_condition": "{condition}"{comma}{closing}'

    def _decision(self, decision: Decision) -> str:
        text = self._decisions[decision] = _decided(decision, str(decision.term))
        self._kept += len(text)
        return text

    def _path_condition(self, path: Path) -> str:
        """The same text as `Path.path_condition`, escaped."""
        known = self._conditions
        texts = []
        for term in path.conditions:
            text = known.get(term)
            if text is None:
                text = known[term] = json.dumps(path.as_part(term))[1:-1]
                self._kept += len(text)
            texts.append(text)
        return " and ".join(texts) or "True"


def _decided(decision: Decision, condition: str) -> str:
    site = decision.site
    return json.dumps(
        {
            "file": site.file,
            "line": site.line,
            "outcome": decision.outcome,
            "condition": condition,
            "phase": decision.phase.value,
        }
    )


def _with_names(path: Path, closing: dict[str, Any]) -> tuple[str, str]:
    """The decisions and the condition of a path some of whose terms are large: their shared parts have names."""
    conditions = path.conditions
    told = NamedParts([*conditions, *(d.term for d in path.decisions)])
    named = {"where": told.where} if told.where else {}
    closing |= {**named, **({"left_out": told.left_out} if told.left_out else {})}
    decisions = ", ".join(_decided(d, told.text(d.term)) for d in path.decisions)
    return decisions, json.dumps(told.conjunction(conditions))[1:-1]


def _opening(path: Path) -> dict[str, Any]:
    """What stands before the decisions."""
    from ramify.runtime.programs import CRASHED, CUT

    error = path.exception
    return {
        "kind": "path",
        "call": path.call,
        "setup": path.setup,
        "imports": path.imports,
        "outside": list(path.outside),
        "outcome": path.outcome,
        "result": text_of(path.result) if error is None and path.outcome not in (CUT, CRASHED) else None,
        "exception": None if error is None else {"type": type(error).__name__, "message": message_of(error)},
        "output": path.output,
    }


def _closing(path: Path) -> dict[str, Any]:
    """What stands behind the path condition, if anything does."""
    record: dict[str, Any] = {}
    if path.execution.reason:
        record["reason"] = path.execution.reason.text
    if path.execution.refusals:
        record["refused"] = [
            {"kind": r.kind, "action": r.action, "file": r.file, "line": r.line} for r in path.execution.refusals
        ]
    return record
