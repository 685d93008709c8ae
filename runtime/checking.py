"""Checks one function: explores it, confirms on plain values what breaks, and says what is known then.

The verdict never says more than was done: *verified within bounds* only when every path was explored and
nothing was lost on the way.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ramify.runtime import trace
from ramify.runtime.examiner import Examining
from ramify.runtime.exploration import EXHAUSTED, RUNS, TIME, Exploration, Path, Summary
from ramify.runtime.findings import Finding, Key
from ramify.runtime.guided import GuidedExploration
from ramify.runtime.nodes import Assignment
from ramify.runtime.program import RAISED, VIOLATED, Execution, Options
from ramify.runtime.shrinking import smallest

VIOLATED_, NOTHING, VERIFIED, UNCHECKED = "violated", "no violation found", "verified within bounds", "not checked"
PATIENCE = 2.0
"""Seconds without a further finding after which a function that is violated already is left."""
SHRINKING = 1.0


@dataclass(slots=True)
class Report:
    """What is known about one function."""

    target: str
    function: str
    verdict: str
    findings: list[Finding] = field(default_factory=list)
    unexplored: list[str] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    documented: list[str] = field(default_factory=list)
    paths: int = 0
    runs: int = 0
    seconds: float = 0.0


class Check:
    """The check of one function."""

    def __init__(self, target: str, exploration: Exploration, examiner: Examining) -> None:
        self.report = Report(target, target.rpartition(":")[2], NOTHING)
        self._exploration = exploration
        self._examiner = examiner
        self._found: dict[Key, Finding] = {}
        self._documented: dict[tuple[str, int], str] = {}
        self._unconfirmed: set[str] = set()
        self._started = time.perf_counter()

    def run(self) -> Report:
        """Explores until nothing is left, the budget is spent, or a violated function shows nothing new."""
        last = None
        try:
            for path in steps(self._exploration):
                if path is not None and self._judge(path):
                    last = time.perf_counter()
                if last is not None and time.perf_counter() - last > PATIENCE:
                    break
        except KeyboardInterrupt:
            pass
        try:
            self._conclude()
        finally:
            self._exploration.close()
            self._examiner.close()
        return self.report

    def _judge(self, path: Path) -> bool:
        """Whether a path shows something new that is wrong."""
        execution = path.execution
        if execution.outcome not in (RAISED, VIOLATED):
            return False
        outside = bool(getattr(execution, "outside", False))
        seen = self._examiner.examine(execution.arguments, outside)
        if seen.finding is not None:
            return self._report_finding(seen.finding, execution, outside)
        if seen.documented is not None:
            self._note(seen.documented, execution)
        elif seen.outcome not in (RAISED, execution.outcome):
            what = execution.reason or type(execution.exception).__name__
            self._unconfirmed.add(f"{what} was not seen again on plain values ({seen.outcome})")
        return False

    def _report_finding(self, found: Finding, execution: Execution, outside: bool) -> bool:
        if found.key in self._found:
            return False
        seconds = time.perf_counter() - self._started
        best = found

        def shows(assignment: Assignment) -> bool:
            nonlocal best
            again = self._examiner.examine(self._texts(assignment), outside, SHRINKING).finding
            if again is None or again.key != found.key:
                return False
            best = again
            return True

        assignment = smallest(dict(execution.assignment), shows, self._size, SHRINKING)
        best.seconds = seconds
        again: Execution = self._exploration.program.run(dict(assignment), seconds=SHRINKING)
        best.trace = trace.words(again.decisions, best.place.file)
        best.reproduce = self._examiner.shell(best)
        self._found[best.key] = best
        return True

    def _note(self, key: tuple[str, int], execution: Execution) -> None:
        """An exception that the program raises on purpose, with the smallest input that makes it do so."""
        if key in self._documented:
            return

        def shows(assignment: Assignment) -> bool:
            return self._examiner.examine(self._texts(assignment), False, SHRINKING).documented == key

        assignment = smallest(dict(execution.assignment), shows, self._size, SHRINKING / 5)
        call = ", ".join(f"{name}={value}" for name, value in self._texts(assignment).items())
        self._documented[key] = (
            f"line {key[1]} raises {key[0]} for {self.report.function}({call}): "
            "a `raise` of its own is documented behaviour"
        )

    def _texts(self, assignment: Assignment) -> dict[str, str]:
        texts: dict[str, str] = self._exploration.program.texts(dict(assignment))
        return texts

    def _size(self, assignment: Assignment) -> int:
        return sum(map(len, self._texts(assignment).values()))

    def _conclude(self) -> None:
        report, summary = self.report, self._exploration.summary
        about = self._examiner.about(isinstance(self._exploration, GuidedExploration))
        report.findings = sorted(self._found.values(), key=lambda f: (f.place.file, f.place.line, f.kind))
        report.paths, report.runs = summary.paths, summary.runs
        report.seconds = time.perf_counter() - self._started
        report.documented = list(self._documented.values())
        report.unexplored = [*unexplored(summary, self._exploration), *sorted(self._unconfirmed), *about.blind]
        report.unexplored += [f"not checked where it is called: {error}" for error in about.unreadable]
        if report.findings:
            report.verdict = VIOLATED_
        elif summary.stop == EXHAUSTED and summary.complete() and not report.unexplored:
            report.verdict = VERIFIED
            report.bounds = bounds(about.assume, about.objects)
        elif not report.unexplored:
            report.unexplored = ["not all paths were explored"]


def steps(exploration: Exploration) -> Iterator[Path | None]:
    """The paths of an exploration, with a None now and then when there is none yet."""
    if not isinstance(exploration, GuidedExploration):
        yield from exploration
        return
    exploration.resume()
    yield from exploration.steps()


def unexplored(summary: Summary, exploration: Exploration) -> list[str]:
    """What an exploration did not do, in words."""
    found: list[str] = []
    if summary.stop == TIME:
        found.append("the budget of time was spent before all paths were explored")
    elif summary.stop == RUNS:
        found.append("the budget of runs was spent before all paths were explored")
    for number, what in (
        (summary.unknown, "questions the solver could not answer"),
        (summary.cut, "runs were cut"),
        (summary.crashed, "runs ended the process"),
        (summary.pruned, "paths were too deep"),
        (summary.divergences, "runs did not go the way they were meant to"),
        (summary.dropped, "branches were given up"),
    ):
        if number:
            found.append(f"{number} {what}")
    for place, times in list(summary.concretisations.items())[:5]:
        found.append(f"line {place.line}: {place.operation} used one value only ({times} times)")
    if len(summary.concretisations) > 5:
        found.append(f"{len(summary.concretisations) - 5} more places where one value was used")
    if not summary.paths:
        found.append("no input was found that the preconditions allow")
    if isinstance(exploration, GuidedExploration):
        plain = exploration.program.left_plain()  # type: ignore[attr-defined]
        found += [f"{name} ran without instrumentation: {why}" for name, why in plain.items()]
    return found


def bounds(assume: Sequence[str], objects: bool) -> list[str]:
    """What *verified* is limited to."""
    told = ["inputs of the declared types", *(f"where {clause}" for clause in assume)]
    if objects:
        depth = Options().max_depth
        told.append(f"objects as their constructors make them, nested at most {depth} deep")
    return told
