"""What `ramify check` prints: text for people, json, SARIF 2.1.0 for code hosts, annotations for GitHub."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ramify import __version__
from ramify.reports.growing import HERE, GrowingDocument
from ramify.reports.wording import counted
from ramify.runtime.checking import KINDS, NOTHING, UNCHECKED, VERIFIED, Finding, Report
from ramify.runtime.sandbox import asked_to_end

NOTES = 6  # shown of one function
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Writing(Protocol):
    """What is written of checks, piece by piece."""

    def __init__(self, write: Callable[..., None], reports: Sequence[Report]) -> None:
        """`reports` are those that are complete, and grow."""

    def finding(self, report: Report, finding: Finding) -> None:
        """A finding was confirmed; the report is not complete yet."""

    def report(self, report: Report) -> None:
        """A report is complete."""

    def close(self) -> None:
        """That was all, or all that an interrupt has left."""


class TextWriting:
    """For people: each finding, then the verdict in one line."""

    def __init__(self, write: Callable[..., None], reports: Sequence[Report]) -> None:
        self._write = write
        self._reports = reports

    def finding(self, report: Report, finding: Finding) -> None:
        self._write("\n".join([*_finding(report, finding), ""]))

    def report(self, report: Report) -> None:
        lines = [_verdict(report)]
        lines += [f"    not explored: {what}" for what in report.unexplored if report.verdict == NOTHING]
        lines += [f"    {what}" for what in report.unexplored if report.verdict == UNCHECKED]
        lines += [f"    bounds: {'; '.join(report.bounds)}"] if report.verdict == VERIFIED else []
        lines += [f"    note: {what}" for what in report.documented[:NOTES]]
        more = len(report.documented) - NOTES
        lines += [f"    {counted(more, 'more note')}, see --format json"] if more > 0 else []
        self._write("\n".join(lines))

    def close(self) -> None:
        self._write(closing(self._reports))


def closing(reports: Sequence[Report]) -> str:
    count = sum(len(report.findings) for report in reports)
    verdicts = [report.verdict for report in reports]
    parts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    return f"{counted(count, 'finding')} in {counted(len(reports), 'function')}: {', '.join(parts)}."


def _finding(report: Report, finding: Finding) -> list[str]:
    place = finding.place
    lines = [f"{shown_path(place.file)}:{place.line}: {finding.what}"]
    source = place.caret().splitlines()
    if source:
        margin = f"{place.line:>5} | "
        lines.append(margin + source[0])
        lines.append(" " * (len(margin) - 2) + "| " + source[1])
    lines.append(f"    input: {finding.arguments.of(report.function)}")
    lines.append(f"    why:   {finding.why}")
    heads = ["path: ", *["      "] * len(finding.trace)]
    lines += [f"    {head} {line}" for head, line in zip(heads, finding.trace, strict=False)]
    lines.append(f"    shell: {finding.reproduce}")
    return lines


def _verdict(report: Report) -> str:
    work = f"{counted(report.paths, 'path')}, {counted(report.runs, 'run')}, {report.seconds:.1f} s"
    return f"{report.function}: {report.verdict}" + ("" if report.verdict == UNCHECKED else f" ({work})")


def shown_path(path: str) -> str:
    """Relative to here where that is shorter to read."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


# -- for programs -----------------------------------------------------------------------------------


class JsonWriting:
    """One document with every function, each as soon as it is done."""

    def __init__(self, write: Callable[..., None], reports: Sequence[Report]) -> None:
        self._reports = reports
        self._document = GrowingDocument(partial(write, nl=False), self._frame)

    def _frame(self) -> dict[str, Any]:
        return {"version": 1, "functions": [HERE], "interrupted": _interrupted(self._reports)}

    def finding(self, report: Report, finding: Finding) -> None:
        pass  # it comes with its function

    def report(self, report: Report) -> None:
        self._document.add(_record(report))

    def close(self) -> None:
        self._document.close()


def _interrupted(reports: Sequence[Report]) -> bool:
    return asked_to_end() is not None or any(report.interrupted for report in reports)


def _record(report: Report) -> dict[str, Any]:
    return {
        "target": report.target,
        "function": report.function,
        "verdict": report.verdict,
        "findings": [_finding_record(report, finding) for finding in report.findings],
        "not_explored": report.unexplored,
        "bounds": report.bounds,
        "documented": report.documented,
        "paths": report.paths,
        "runs": report.runs,
        "seconds": round(report.seconds, 3),
    }


def _finding_record(report: Report, finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "kind": finding.kind,
        "message": finding.what,
        "why": finding.why,
        "file": shown_path(place.file),
        "line": place.line,
        "column": place.column + 1,
        "end_column": place.end_column + 1,
        "call": finding.arguments.of(report.function),
        "arguments": finding.arguments,
        "setup": finding.arguments.setup,
        "imports": finding.arguments.imports,
        "result": finding.result or None,
        "clause": finding.clause or None,
        "trace": finding.trace,
        "reproduce": finding.reproduce,
        "seconds": round(finding.seconds, 3),
    }


class SarifWriting:
    """SARIF 2.1.0, each result as soon as it is confirmed."""

    def __init__(self, write: Callable[..., None], reports: Sequence[Report]) -> None:
        self._reports = reports
        self._document = GrowingDocument(partial(write, nl=False), self._frame)

    def _frame(self) -> dict[str, Any]:
        rules = [
            {"id": kind, "name": kind.capitalize(), "shortDescription": {"text": f"Ramify found {description}."}}
            for kind, description in KINDS.items()
        ]
        driver = {"name": "ramify", "version": __version__, "rules": rules}
        run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [HERE]}
        if _interrupted(self._reports):
            run["invocations"] = [{"executionSuccessful": False, "exitCodeDescription": "interrupted"}]
        return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}

    def finding(self, report: Report, finding: Finding) -> None:
        self._document.add(_result(report, finding))

    def report(self, report: Report) -> None:
        pass  # its results are written

    def close(self) -> None:
        self._document.close()


def _result(report: Report, finding: Finding) -> dict[str, Any]:
    place = finding.place
    region: dict[str, int] = {"startLine": max(place.line, 1)}
    if place.end_column > place.column:
        region |= {"startColumn": place.column + 1, "endColumn": place.end_column + 1}
    message = _message(report, finding)
    location = {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}}
    return {
        "ruleId": finding.kind,
        "ruleIndex": list(KINDS).index(finding.kind),
        "level": "error",
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": {"ramify/v1": f"{finding.kind}:{report.function}:{finding.key.what}"},
    }


def _message(report: Report, finding: Finding) -> str:
    return "\n".join([finding.what, finding.arguments.of(report.function), finding.why, finding.reproduce])


def _uri(path: str) -> str:
    shown = shown_path(path)
    return Path(shown).as_uri() if os.path.isabs(shown) else Path(shown).as_posix().replace(" ", "%20")


class GithubWriting:
    """Workflow commands: https://docs.github.com/actions, one line each."""

    def __init__(self, write: Callable[..., None], reports: Sequence[Report]) -> None:
        self._write = write
        self._reports = reports

    def finding(self, report: Report, finding: Finding) -> None:
        place = finding.place
        where = f"file={_property(shown_path(place.file))},line={place.line},col={place.column + 1}"
        message = _message(report, finding)
        self._write(f"::error {where},title={_property(f'ramify: {finding.kind}')}::{_escaped(message)}")

    def report(self, report: Report) -> None:
        pass  # its findings are written

    def close(self) -> None:
        self._write(closing(self._reports))


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


FORMATS: dict[str, type[Writing]] = {
    "text": TextWriting,
    "json": JsonWriting,
    "sarif": SarifWriting,
    "github": GithubWriting,
}
