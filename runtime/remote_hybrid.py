"""The hybrid's program in a worker: measured runs, bursts and local searches go on in the child.

The child tells every input before it runs on it, so that one which ends the process is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ramify.cfg.leaves import Place, Span
from ramify.runtime.child import tell
from ramify.runtime.hybrid import Climb, HybridProgram
from ramify.runtime.nodes import Assignment
from ramify.runtime.parcel import Parcel, always
from ramify.runtime.policy import Policy, Refusal
from ramify.runtime.program import CRASHED, Execution
from ramify.runtime.remote import Host, RemoteProgram
from ramify.runtime.worker import WorkerDied

GRACE = 1.0  # seconds beyond those that a burst or search was given


@dataclass(frozen=True, slots=True)
class Trying:
    """The input of the run that begins now."""

    assignment: Assignment


# -- in the child -----------------------------------------------------------------------------------


@dataclass(slots=True)
class HybridHost(Host):
    """The child's side: the executions of a hybrid program, packed."""

    program: HybridProgram = field(kw_only=False)

    def __post_init__(self) -> None:
        self.program.announce = lambda assignment: tell(Trying(assignment))

    def measure(self, assignment: Assignment, wanted: frozenset[Span], seconds: float | None) -> Parcel:
        return self._packed(self.program.measure(assignment, wanted, seconds))

    def burst(
        self, seeds: range, covered: Iterable[int], wanted: frozenset[Span], seconds: float
    ) -> list[Parcel]:
        return [self._packed(e) for e in self.program.burst(seeds, covered, wanted, seconds)]

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Parcel | None:
        found = self.program.shrink(assignment, end, edges)
        return None if found is None else self._packed(found)

    def climb(self, *args: Any) -> tuple[Climb, list[Parcel]]:
        climb = self.program.climb(*args)
        found, climb.found = [self._packed(e) for e in climb.found], []
        return climb, found

    def _packed(self, execution: Execution) -> Parcel:
        texts: dict[str, str] = {} if execution.outcome == "rejected" else self.program.texts(execution.assignment)
        return self._sender.parcel(execution, texts)


# -- in the parent ----------------------------------------------------------------------------------


class RemoteHybrid(RemoteProgram):
    """A hybrid program in a worker. A run that ends its process is an execution with the outcome *crashed*."""

    def __init__(self, factory: Callable[[], HybridProgram], policy: Policy, label: str = "the target") -> None:
        super().__init__(factory, policy, label, HybridHost)

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        """Runs on plain values in the child."""
        try:
            parcel = self._worker.call("measure", assignment, wanted, seconds, seconds=self._limit(seconds))
        except WorkerDied as death:
            return self._crash(assignment, death)
        return self._received(parcel, self._refusals())

    def burst(
        self, seeds: range, covered: Iterable[int], wanted: frozenset[Span], seconds: float
    ) -> list[Execution]:
        """Cheap runs in the child. If one of them ends it, the others go on in a new one."""
        found: list[Execution] = []
        while True:
            try:
                parcels = self._worker.call(
                    "burst", seeds, set(covered), wanted, seconds, seconds=seconds + self._policy.seconds
                )
            except WorkerDied as death:
                tried = self._tried()
                refused = self._refused()
                found += [self._crash(tried[-1], death)] if tried else []
                found += [self.measure(assignment) for assignment in refused]
                seeds = seeds[len(tried) :]
                if not tried or not seeds:
                    return found
                continue
            refused = self._refused()
            found += [self._received(parcel, []) for parcel in parcels]
            return found + [self.measure(assignment) for assignment in refused]

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Execution | None:
        try:
            parcel = self._worker.call("shrink", assignment, end, edges, seconds=self._policy.seconds)
        except WorkerDied:
            return None
        return None if parcel is None else self._received(parcel, [])

    def climb(
        self,
        start: Assignment,
        place: Place,
        outcome: bool,
        tries: int,
        covered: Iterable[int],
        seconds: float,
        seed: int = 0,
    ) -> Climb:
        try:
            climb, parcels = self._worker.call(
                "climb", start, place, outcome, tries, set(covered), seconds, seed,
                seconds=seconds + self._policy.seconds,
            )  # fmt: skip
        except WorkerDied as death:
            tried = self._tried()
            crashed = [self._crash(tried[-1], death)] if tried else []
            return Climb(len(tried), crashed, start)
        refused = self._refused()
        climb.found = [self._received(parcel, []) for parcel in parcels]
        climb.found += [self.measure(assignment) for assignment in refused]
        return climb

    def _received(self, parcel: Parcel, refusals: list[Refusal]) -> Execution:
        execution = self._receiver.execution(parcel)
        execution.refusals = refusals
        if parcel.spoiled:
            self._worker.close()
        return execution

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
        execution = Execution(assignment, outcome=CRASHED, reason=str(death))
        execution.refusals = self._refusals()
        execution.assignment, texts = self._described(assignment)
        execution.describe = always(texts)
        return execution
