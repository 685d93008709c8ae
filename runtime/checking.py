"""Checks one function: explores it, confirms on plain values what breaks, and says what is known then.

The verdict never says more than was done: *verified within bounds* only when every path was explored and
nothing was lost on the way.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ramify.runtime import reproduce, trace
from ramify.runtime.blind import blind_spots
from ramify.runtime.exploration import EXHAUSTED, RUNS, TIME, Exploration, Path, Summary
from ramify.runtime.findings import Finding, Key, documented, finding
from ramify.runtime.guided import GuidedExploration
from ramify.runtime.nodes import Assignment
from ramify.runtime.program import RAISED, VIOLATED, Execution
from ramify.runtime.replay import Ending, Replay
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

    def __init__(self, target: str, exploration: Exploration, replay: Replay, allowed: Sequence[str] = ()) -> None:
        self.report = Report(target, replay.target.qualname, NOTHING)
        self._exploration = exploration
        self._replay = replay
        self._allowed = allowed
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
        finally:
            self._exploration.close()
        self._conclude()
        return self.report

    def _judge(self, path: Path) -> bool:
        """Whether a path shows something new that is wrong."""
        execution = path.execution
        if execution.outcome not in (RAISED, VIOLATED):
            return False
        ending = self._replay.run(execution.arguments)
        found = self._finding(ending, execution)
        if found is None:
            self._note(ending, execution)
            return False
        if found.key in self._found:
            return False
        self._found[found.key] = self._smallest(found, execution)
        return True

    def _finding(self, ending: Ending, execution: Execution) -> Finding | None:
        outside = bool(getattr(execution, "outside", False))
        return finding(ending, self._replay.target.source, self._replay.contract, self._allowed, outside)

    def _note(self, ending: Ending, execution: Execution) -> None:
        source = self._replay.target.source
        if documented(ending, source):
            key = ending.exception, ending.frames[-1].place.line
            if key not in self._documented:
                self._documented[key] = self._smallest_documented(key, execution)
        elif ending.outcome in ("returned", "cut", "rejected") and ending.outcome != execution.outcome:
            what = execution.reason or type(execution.exception).__name__
            self._unconfirmed.add(f"{what} was not seen again on plain values ({ending.outcome})")

    def _smallest_documented(self, key: tuple[str, int], execution: Execution) -> str:
        source, describe = self._replay.target.source, execution.describe

        def shows(assignment: Assignment) -> bool:
            again = self._replay.run(describe(assignment), SHRINKING)
            return documented(again, source) and (again.exception, again.frames[-1].place.line) == key

        assignment = smallest(dict(execution.assignment), shows, _size(execution), SHRINKING / 5)
        call = ", ".join(f"{name}={value}" for name, value in describe(assignment).items())
        return (
            f"line {key[1]} raises {key[0]} for {self.report.function}({call}): "
            "a `raise` of its own is documented behaviour"
        )

    def _smallest(self, found: Finding, execution: Execution) -> Finding:
        seconds = time.perf_counter() - self._started
        describe = execution.describe

        def shows(assignment: Assignment) -> bool:
            again = self._finding(self._replay.run(describe(assignment), SHRINKING), execution)
            return again is not None and again.key == found.key

        assignment = smallest(dict(execution.assignment), shows, _size(execution), SHRINKING)
        arguments = describe(assignment)
        shown = self._finding(self._replay.run(arguments), execution) or found
        shown.arguments = arguments
        shown.seconds = seconds
        again = (
            execution if assignment == execution.assignment and execution.decisions else self._again(assignment)
        )
        shown.trace = trace.words(again.decisions, shown.place.file)
        shown.reproduce = reproduce.shell_line(self._replay, shown, self._stars())
        return shown

    def _again(self, assignment: Assignment) -> Execution:
        execution: Execution = self._exploration.program.run(dict(assignment), seconds=SHRINKING)
        return execution

    def _stars(self) -> dict[str, str]:
        """How each parameter is written in a call: `*` for the rest, nothing for positional ones, `=` by name."""
        marks = {
            inspect.Parameter.VAR_POSITIONAL: "*",
            inspect.Parameter.VAR_KEYWORD: "**",
            inspect.Parameter.POSITIONAL_ONLY: "",
        }
        parameters = self._exploration.program.parameters
        rest = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
        ordinary = "" if rest else "="
        return {
            p.name: marks.get(p.kind, "=" if p.kind is inspect.Parameter.KEYWORD_ONLY else ordinary)
            for p in parameters
        }

    def _conclude(self) -> None:
        report, summary = self.report, self._exploration.summary
        report.findings = sorted(self._found.values(), key=lambda f: (f.place.file, f.place.line, f.kind))
        report.paths, report.runs = summary.paths, summary.runs
        report.seconds = time.perf_counter() - self._started
        report.documented = list(self._documented.values())
        report.unexplored = [*unexplored(summary, self._exploration), *sorted(self._unconfirmed)]
        report.unexplored += [
            f"not checked where it is called: {error}" for error in self._replay.unreadable.values()
        ]
        target, rewritten = self._replay.target, isinstance(self._exploration, GuidedExploration)
        report.unexplored += blind_spots(target.source.path, target.qualname, self._replay.contract, rewritten)
        if report.findings:
            report.verdict = VIOLATED_
        elif summary.stop == EXHAUSTED and summary.complete() and not report.unexplored:
            report.verdict = VERIFIED
            report.bounds = bounds(self._exploration)
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
    program = exploration.program
    found += [
        f"{name} ran without instrumentation: {why}" for name, why in getattr(program, "declined", {}).items()
    ]
    return found


def bounds(exploration: Exploration) -> list[str]:
    """What *verified* is limited to."""
    program = exploration.program
    told = ["inputs of the declared types"]
    told += [f"where {clause.text}" for clause in program.contract.assume]
    if "Instance(" in repr([p.shape for p in program.parameters]):
        told.append(f"objects as their constructors make them, nested at most {program.options.max_depth} deep")
    return told


def _size(execution: Execution) -> Callable[[Assignment], int]:
    return lambda assignment: sum(map(len, execution.describe(dict(assignment)).values()))
