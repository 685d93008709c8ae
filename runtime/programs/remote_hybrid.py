"""The hybrid's program in a worker: measured runs, bursts and local searches go on in the child.

The child tells every input before it runs on it, so that one which ends the process is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

from ramify.cfg.leaves import Span
from ramify.runtime.inputs import Doubts, Written
from ramify.runtime.programs.execution import CUT, Execution
from ramify.runtime.programs.hybrid import RELOADS, HybridProgram
from ramify.runtime.programs.knowledge import Ascent, Burst, Climb, Knowledge
from ramify.runtime.programs.measured_runs import SECONDS_PER_RUN, Attendant
from ramify.runtime.programs.parcel import Parcel
from ramify.runtime.programs.remote import AGAIN, Host, HostedRuns, threads
from ramify.runtime.programs.subject import Whereabouts
from ramify.runtime.proposals import Lessons
from ramify.runtime.recording import Why
from ramify.runtime.sandbox import CLOSING, Policy, Refusal, WorkerDied
from ramify.runtime.sandbox.child import restore, tell
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import isolate

MAX_DEATHS = 2  # of children in one burst: a new one costs more than many runs
MAX_SPOILED = 12  # children that go on after that, since a run has left something behind in the one before

Factory = Callable[[Attendant], HybridProgram]


@dataclass(frozen=True, slots=True)
class Trying:
    """The input of the run that begins now."""

    assignment: Assignment


# -- in the child -----------------------------------------------------------------------------------


class ChildAttendant(Attendant):
    """Looks after the runs of a child, once its program is made: nobody asked for what ran until then."""

    def __init__(self) -> None:
        self._begun = False
        self.alone = False  # the run is a request of its own: the parent knows its input
        self._threads = self._alarms = 0

    def begin(self) -> None:
        self._begun = True
        self._threads, self._alarms = threads(), isolate.alarms()

    @property
    def renews(self) -> bool:
        return not self._begun  # from then on the parent asks for it

    def announce(self, assignment: Assignment) -> None:
        if self._begun and not self.alone:
            tell(Trying(assignment))

    def restore(self) -> None:
        if self._begun:
            restore()

    def spoiled(self) -> bool:
        return self._begun and (threads() > self._threads or isolate.alarms() > self._alarms)


class HybridHost(Host):
    """The child's side: the executions of a hybrid program, packed."""

    def __init__(self, factory: Factory) -> None:
        self._attendant = ChildAttendant()
        self._hybrid = factory(self._attendant)
        super().__init__(self._hybrid)
        self._attendant.begin()

    def renew(self) -> bool:
        return self._hybrid.renew()

    def teach(self, lessons: Lessons) -> None:
        """What was learned in an earlier child."""
        self._hybrid.draws.teach(lessons)

    def run(self, assignment: Assignment, limit: int | None, seconds: float | None, told: bool) -> Parcel:
        self._attendant.alone = True
        try:
            parcel = super().run(assignment, limit, seconds, told)
        finally:
            self._attendant.alone = False
        parcel.late = self._hybrid.late()
        return parcel

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span], seconds: float | None
    ) -> tuple[Parcel, Lessons]:
        return self._packed(self._hybrid.measure(assignment, wanted, seconds)), self._hybrid.draws.news()

    def burst(
        self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None
    ) -> tuple[Burst, list[Parcel], bool, Lessons]:
        burst = self._hybrid.burst(seeds, known, wanted, seconds)
        found, burst.found = [self._packed(execution) for execution in burst.found], []
        # A run that found nothing may be the one that left something behind.
        return burst, found, self._attendant.spoiled(), self._hybrid.draws.news()

    def shrink(
        self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]
    ) -> tuple[Parcel | None, bool]:
        found = self._hybrid.shrink(assignment, end, edges)
        return None if found is None else self._packed(found), self._attendant.spoiled()

    def climb(
        self, ascent: Ascent, known: Knowledge, seconds: float | None
    ) -> tuple[Climb, list[Parcel], bool, Lessons]:
        climb = self._hybrid.climb(ascent, known, seconds)
        found, climb.found = [self._packed(e) for e in climb.found], []
        return climb, found, self._attendant.spoiled(), self._hybrid.draws.news()

    def left_plain(self) -> dict[str, str]:
        return self._hybrid.left_plain()

    def bounds(self) -> list[str]:
        return self._hybrid.bounds()

    def doubts(self) -> Doubts:
        return self._hybrid.doubts()

    def whereabouts(self) -> Whereabouts:
        return self._hybrid.whereabouts()

    def _packed(self, execution: Execution) -> Parcel:
        return self.packed(execution, self._attendant.spoiled())


# -- in the parent ----------------------------------------------------------------------------------


class RemoteHybrid:
    """A hybrid program in a worker. A run that ends its process is an execution with the outcome *crashed*."""

    def __init__(self, factory: Factory, policy: Policy, label: str = "the target") -> None:
        self._runs = HostedRuns(lambda: HybridHost(factory), policy, label)
        self._worker = self._runs.worker
        self._policy = policy
        self._known_refusals: set[tuple[str, str, int]] = set()
        self.name, self.notes = self._runs.facts.name, self._runs.facts.notes
        self.setup = self._runs.facts.setup
        self.lessons = Lessons()  # what the children have learned: each new one is told
        self._taught = self._worker.children
        self._left_plain: dict[str, str] = self._ask_left_plain({})

    # -- what it is --------------------------------------------------------------------------------

    def texts(self, assignment: Assignment) -> Written:
        """The initial arguments as Python expressions."""
        found: Written = self._runs.ask("texts", assignment)
        return found

    def left_plain(self) -> dict[str, str]:
        """The functions that run without instrumentation, and why; as told last, if there is no child to ask: a
        new one would load the target only for that.
        """
        if self._worker.started:
            self._left_plain = self._ask_left_plain(self._left_plain)
        return self._left_plain

    def _ask_left_plain(self, known: dict[str, str]) -> dict[str, str]:
        try:
            found: dict[str, str] = self._worker.call("left_plain", seconds=CLOSING)
        except WorkerDied:
            return known
        return found

    def bounds(self) -> list[str]:
        """What the inputs are limited to, in words."""
        found: list[str] = self._runs.ask("bounds")
        return found

    def doubts(self) -> Doubts:
        """What the inputs leave out although anybody may pass it."""
        found: Doubts = self._runs.ask("doubts")
        return found

    def whereabouts(self) -> Whereabouts:
        """Where the target is written."""
        found: Whereabouts = self._runs.ask("whereabouts")
        return found

    def close(self) -> None:
        """Ends the child process; another run starts a new one."""
        self._worker.close()

    # -- runs --------------------------------------------------------------------------------------

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs on concolic values in the child. One that does not end is not tried again: it would not either."""
        within = self._runs.limit(seconds)
        try:
            for _ in range(RELOADS):
                self._renew()
                execution = self._runs.run(assignment, limit, within)
                if not self._renew():
                    break
            return execution
        except WorkerDied as death:
            if not death.external:
                return self._runs.again(assignment, limit, within, death)
            return Execution(assignment, outcome=CUT, reason=death.reason)

    def _renew(self) -> bool:
        """Has the child rewrite what its runs have entered: a request of its own, as it takes as long as an import
        and is no part of any run. Whether there was anything to rewrite.
        """
        if self._worker.requests == self._runs.settled:
            return False
        try:
            renewed = self._worker.started and bool(
                self._worker.call("renew", seconds=self._policy.import_seconds)
            )
        except WorkerDied:
            return False
        if renewed:
            self._left_plain = self._ask_left_plain(self._left_plain)
        return renewed

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        """Runs on plain values in the child."""
        try:
            self._renew()
            limit = min(self._runs.limit(seconds), SECONDS_PER_RUN)
            parcel, news = self._worker.call("measure", assignment, wanted, limit, seconds=limit)
            self.lessons.add(news)
        except WorkerDied as death:
            return self._crash(assignment, death)
        return self._received(parcel, self._runs.refusals())

    def burst(
        self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None = None
    ) -> Burst:
        """Cheap runs in the child. If one of them ends or spoils it, the others go on in a new one."""
        whole, deaths, spoils = Burst(), 0, 0
        until = inf if seconds is None else perf_counter() + seconds
        while seeds and deaths < MAX_DEATHS and spoils < MAX_SPOILED:
            left = None if seconds is None else until - perf_counter()
            if left is not None and left <= 0:
                break
            try:
                self._teach()
                request = seeds, self._needed(known), wanted, left
                part, parcels, spoiled, news = self._worker.call(
                    "burst", *request, seconds=left, silence=self._silence()
                )
            except WorkerDied as death:
                tried = self._tried()
                refused = self._refused()
                whole.runs += len(tried)
                whole.found += [self._crash(tried[-1], death)] if tried else []
                whole.found += [self.measure(assignment) for assignment in refused]
                seeds = seeds[len(tried) :]
                deaths = MAX_DEATHS if death.external or not tried else deaths + 1
                continue
            self.lessons.add(news)
            whole.runs += part.runs
            whole.ticks += part.ticks
            found = self._all_received(parcels, spoiled)
            whole.found += found
            seeds = seeds[part.seeds :]
            spoils += 1
            # A run that does not end takes longer than all others, and the next one may be like it.
            if not spoiled or any(execution.reason.why is Why.TIME for execution in found):
                break
        return whole

    def _teach(self) -> None:
        """Has the child rewrite what runs have entered, and tells a new one what earlier ones have learned."""
        self._renew()
        if self._taught != self._worker.children or not self._worker.started:
            self._worker.call("teach", self.lessons, seconds=self._policy.import_seconds)
            self._taught = self._worker.children

    def _needed(self, known: Knowledge) -> Knowledge:
        """What a child must know for one request: its lessons it has."""
        return Knowledge(known.covered, known.endings, run_seconds=self._silence())

    def _silence(self) -> float:
        """How long a child may work on one run of many before it is killed."""
        return min(SECONDS_PER_RUN, self._policy.seconds)

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Execution | None:
        """The same in smaller; None if there is none, or if looking for it ended the child."""
        try:
            self._renew()
            parcel, spoiled = self._worker.call("shrink", assignment, end, edges, seconds=self._policy.seconds)
        except WorkerDied:
            return None
        self._runs.discard(spoiled)
        return None if parcel is None else self._received(parcel, [])

    def climb(self, ascent: Ascent, known: Knowledge, seconds: float | None = None) -> Climb:
        """Changes an input step by step, in the child, towards an outcome of a test."""
        climb: Climb
        try:
            self._teach()
            request = ascent, self._needed(known), seconds
            climb, parcels, spoiled, news = self._worker.call(
                "climb", *request, seconds=seconds, silence=self._silence()
            )
        except WorkerDied as death:
            tried = self._tried()
            crashed = [self._crash(tried[-1], death)] if tried else []
            return Climb(len(tried), found=crashed, best=ascent.start)
        self.lessons.add(news)
        climb.found = self._all_received(parcels, spoiled)
        return climb

    # -- what came of them -------------------------------------------------------------------------

    def _received(self, parcel: Parcel, refusals: list[Refusal]) -> Execution:
        execution = self._runs.received(parcel)
        execution.refusals = refusals
        self._runs.discard(parcel.spoiled)
        return execution

    def _all_received(self, parcels: list[Parcel], spoiled: bool) -> list[Execution]:
        """What several runs of one request found; those that are not among it but were refused something new are
        repeated.
        """
        found = [self._runs.received(parcel) for parcel in parcels]
        by_input = self._refusals_by_input()
        for execution in found:
            execution.refusals = next((r for tried, r in by_input if tried == execution.assignment), [])
        told = [execution.assignment for execution in found if execution.refusals]
        refused = [assignment for assignment in self._refused() if assignment not in told]
        self._runs.discard(spoiled or any(parcel.spoiled for parcel in parcels))
        return found + [self.measure(assignment) for assignment in refused]

    def _refusals_by_input(self) -> list[tuple[Assignment, list[Refusal]]]:
        found: list[tuple[Assignment, list[Refusal]]] = []
        for note in self._worker.notes:
            if isinstance(note, Trying):
                found.append((note.assignment, []))
            elif isinstance(note, Refusal) and found and note not in found[-1][1]:
                found[-1][1].append(note)
        return [(tried, refusals) for tried, refusals in found if refusals]

    def _tried(self) -> list[Assignment]:
        return [note.assignment for note in self._worker.notes if isinstance(note, Trying)]

    def _refused(self) -> list[Assignment]:
        """The inputs of the last request that first ran into each refusal."""
        found: dict[tuple[str, str, int], Assignment] = {}
        trying: Assignment = {}
        for note in self._worker.notes:
            if isinstance(note, Trying):
                trying = note.assignment
            elif isinstance(note, Refusal):
                place = note.kind, note.file, note.line
                if place not in self._known_refusals:
                    self._known_refusals.add(place)
                    found[place] = trying
        return list(found.values())

    def _crash(self, assignment: Assignment, death: WorkerDied) -> Execution:
        notes = self._worker.notes
        last = max((n for n, note in enumerate(notes) if isinstance(note, Trying)), default=0)
        refusals = list(dict.fromkeys(note for note in notes[last:] if isinstance(note, Refusal)))
        if death.external:  # killed: nobody will run it again, so what it decides is asked for now
            execution = self._runs.again(assignment, None, AGAIN, death.final())
            execution.refusals = refusals
            return execution
        execution = Execution(assignment, refusals=refusals)
        self._runs.crashed(execution, assignment, death)
        return execution

