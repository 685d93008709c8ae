"""Checks one function: explores it, confirms on plain values what breaks, and says what is known then.

The verdict never says more than was done: *verified within bounds* only when every path was explored and
nothing was lost on the way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from ramify.runtime.checking import trace
from ramify.runtime.checking.examiner import Examining, Note
from ramify.runtime.checking.findings import Finding, Key
from ramify.runtime.checking.replay import SECONDS
from ramify.runtime.inputs import Written
from ramify.runtime.programs import CRASHED, CUT, RAISED, VIOLATED, Execution
from ramify.runtime.proposals import smallest
from ramify.runtime.recording import Concretisation, Why
from ramify.runtime.sandbox import Stopped, Watch
from ramify.runtime.search import Exploration, GuidedExploration, Path, Stop, Summary
from ramify.runtime.terms import Assignment

VIOLATED_, NOTHING, VERIFIED, UNCHECKED = "violated", "no violation found", "verified within bounds", "not checked"
PATIENCE = 2.0
"""Seconds without a further finding after which a function that is violated already is left."""
SHRINKING = 1.0
AT_ONCE = 0.05  # seconds, for what is made better afterwards


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
    interrupted: bool = False


class Check:
    """The check of one function."""

    def __init__(
        self,
        target: str,
        exploration: Exploration,
        examiner: Examining,
        calls: int = 0,
    ) -> None:
        self.report = Report(target, target.rpartition(":")[2], NOTHING)
        self._exploration = exploration
        self._examiner = examiner
        # Asked before the time runs: at the end a child may have to load the target again for it.
        self._about = examiner.about(isinstance(exploration, GuidedExploration), calls)
        self._found: dict[Key, Finding] = {}
        self._notes: dict[Note, str] = {}
        self._unconfirmed: dict[str, str] = {}  # by what happened: in words, with the first call
        self._started = time.perf_counter()

    def run(self) -> Report:
        """The whole check at once."""
        for _ in self.findings():
            pass
        return self.report

    def findings(self) -> Iterator[Finding]:
        """The findings, each as soon as it is confirmed; after the last one, `report` is complete.

        Explores until nothing is left, the budget is spent, or a violated function shows nothing new.
        """
        told: list[Finding] = []
        try:
            for found in Watch(self._exploration.limits.seconds).over(self._search()):
                told.append(found)
                yield found
            self._conclude()
            for found in self.report.findings:
                if found not in told:  # the time was up while it was made smaller
                    yield found
        finally:
            self._exploration.close()
            self._examiner.close()

    def _search(self) -> Generator[Finding, None, None]:
        self._started = time.perf_counter()
        last = None
        try:
            for path in steps(self._exploration):
                found = None if path is None else self._judge(path)
                if found is not None:
                    last = time.perf_counter()
                    yield found
                if last is not None and time.perf_counter() - last > PATIENCE:
                    break
        except (KeyboardInterrupt, Stopped, MemoryError) as end:
            self._exploration.stopped(end)
            self.report.interrupted = isinstance(end, KeyboardInterrupt)

    def _left(self, most: float) -> float:
        """So many seconds, if the budget has them."""
        limit = self._exploration.limits.seconds
        if limit is None:
            return most
        return min(most, max(limit - (time.perf_counter() - self._started), 0.05))

    def _judge(self, path: Path) -> Finding | None:
        """What a path shows that is wrong and new."""
        execution = path.execution
        if execution.outcome == CUT:
            self._doubt(CUT, execution, f"was cut: {execution.reason}")
        if execution.outcome not in (RAISED, VIOLATED, CRASHED):
            return None
        what = execution.reason.text or type(execution.exception).__name__
        if execution.reason.why is Why.TIME:  # killed by our limit, and it would be again
            self._doubt(Why.TIME, execution, what)
            return None
        seen = self._examiner.examine(execution.arguments, self._left(SECONDS))
        if seen.finding is not None:
            return self._report_finding(seen.finding, execution)
        if seen.note is not None:
            self._note(seen.note, execution)
        elif seen.reason.why is Why.MEMORY:
            self._doubt(Why.MEMORY, execution, "needs more memory than it may have (--memory)")
        elif execution.outcome == CRASHED:
            self._doubt(what, execution, what)
        elif seen.outcome not in (RAISED, execution.outcome):
            instead = seen.reason or seen.outcome
            self._doubt(what, execution, f"{what} was not seen again on plain values ({instead})")
        return None

    def _doubt(self, what: str, execution: Execution, words: str) -> None:
        """Something that is no finding and keeps us from saying *verified*."""
        self._unconfirmed.setdefault(what, f"{execution.arguments.of(self.report.function)}: {words}")

    def _report_finding(self, found: Finding, execution: Execution) -> Finding | None:
        key = found.key  # a crash gets another one with its line: the next one like it is not asked for that
        if key in self._found:
            return None
        seconds = found.seconds = time.perf_counter() - self._started
        # Noted before it is made smaller: by then the time may be up.
        self._complete(found, execution, AT_ONCE)
        self._found[key] = best = found

        def shows(assignment: Assignment) -> bool:
            nonlocal best
            again = self._examiner.examine(self._texts(assignment), self._left(SHRINKING)).finding
            if again is None or again.key != key:
                return False
            best = again
            return True

        assignment = smallest(dict(execution.assignment), shows, self._size, self._left(SHRINKING))
        best.seconds = seconds
        again: Execution = self._exploration.program.run(dict(assignment), seconds=self._left(SHRINKING))
        self._complete(best, again, SECONDS)
        self._found[key] = best
        return best

    def _complete(self, found: Finding, execution: Execution, seconds: float) -> None:
        found.trace = trace.words(execution.decisions, found.place.file)
        self._examiner.complete(found, self._left(seconds))

    def _note(self, note: Note, execution: Execution) -> None:
        """An exception that is no finding, with the smallest input that brings it about."""
        if note in self._notes:
            return

        def shows(assignment: Assignment) -> bool:
            return self._examiner.examine(self._texts(assignment), self._left(SHRINKING)).note == note

        assignment = smallest(dict(execution.assignment), shows, self._size, self._left(SHRINKING / 5))
        call = self._texts(assignment).of(self.report.function)
        self._notes[note] = f"line {note.line} raises {note.exception} for {call}: {note.why}"

    def _texts(self, assignment: Assignment) -> Written:
        return self._exploration.program.texts(dict(assignment))

    def _size(self, assignment: Assignment) -> int:
        written = self._texts(assignment)
        return sum(map(len, [*written.values(), *written.setup]))

    def _conclude(self) -> None:
        report, summary, about = self.report, self._exploration.summary, self._about
        report.findings = sorted(self._found.values(), key=lambda f: (f.place, f.kind))
        report.paths, report.runs = summary.paths, summary.runs
        report.seconds = time.perf_counter() - self._started
        report.documented = [*self._notes.values(), *self._exploration.program.notes]
        report.unexplored = [
            *(["it was interrupted before all paths were explored"] if report.interrupted else []),
            *unexplored(summary, self._exploration),
            *self._unconfirmed.values(),
            *about.blind,
        ]
        report.unexplored += [f"not checked where it is called: {error}" for error in about.unreadable]
        if report.findings:
            report.verdict = VIOLATED_
        elif summary.stop == Stop.EXHAUSTED and summary.complete() and not report.unexplored:
            report.verdict = VERIFIED
            report.bounds = bounds(about.assume, about.bounds)
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
    if summary.stop == Stop.MEMORY:
        found.append("the memory for the search was used up before all paths were explored")
    elif summary.stop == Stop.TIME:
        found.append("the budget of time was spent before all paths were explored")
    elif summary.stop == Stop.RUNS:
        found.append("the budget of runs was spent before all paths were explored")
    for number, one, more in (
        (summary.unknown, "question the solver could not answer", "questions the solver could not answer"),
        (summary.cut, "run was cut", "runs were cut"),
        (summary.crashed, "run ended its process", "runs ended their process"),
        (summary.pruned, "path was too deep", "paths were too deep"),
        (summary.divergences, "run took another path than it was built for", "runs took other paths than planned"),
        (summary.dropped, "branch was given up", "branches were given up"),
    ):
        if number:
            found.append(f"{number} {one if number == 1 else more}")
    for place, times in list(summary.concretisations.items())[:5]:
        often = "once" if times == 1 else f"{times} times"
        found.append(f"{_where(place, exploration)}: {place.operation} used one value only ({often})")
    if len(summary.concretisations) > 5:
        found.append(f"{len(summary.concretisations) - 5} more places where one value was used")
    if not summary.paths:
        found.append("no input was found that the preconditions and constructors allow")
    if isinstance(exploration, GuidedExploration):
        plain = exploration.left_plain or {}
        found += [f"{name} ran without instrumentation: {why}" for name, why in plain.items()]
    return found


def _where(place: Concretisation, exploration: Exploration) -> str:
    """The line of a lost value, with its file if that is not the target's."""
    if not place.line:
        return "an input"
    own = isinstance(exploration, GuidedExploration) and place.file != exploration.goals.path
    return f"{os.path.basename(place.file)}:{place.line}" if own else f"line {place.line}"


def bounds(assume: Sequence[str], limits: Sequence[str]) -> list[str]:
    """What *verified* is limited to: types first."""
    return [*limits[:1], *(f"where {clause}" for clause in assume), *limits[1:]]
