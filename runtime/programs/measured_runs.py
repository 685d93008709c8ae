"""Runs on plain values: they say what an input does, which edges it takes and how near its tests came."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ramify.cfg.leaves import Leaf, Span
from ramify.runtime.contracts import ContractWrappers
from ramify.runtime.programs.execution import CUT, Execution
from ramify.runtime.programs.levels import HybridWorlds
from ramify.runtime.programs.performance import Performance
from ramify.runtime.programs.subject import Subject
from ramify.runtime.recording import Run, path
from ramify.runtime.terms import Assignment, Sort
from ramify.runtime.worlds import isolate

MEASURED_STEPS = 1_500_000  # less after runs that were cut: the next one will hardly end either
FEWEST_STEPS = 100_000
SECONDS_PER_RUN = 2.0
NOTING = 20  # ticks that telling how near a test came is worth

Drawing = Callable[[str, Sort, Any], Any]
"""The value of a variable that has none yet, from its name, its sort and its default."""


class Attendant:
    """Who looks after runs: nobody needs to, where they are made in the process that asked for them."""

    @property
    def renews(self) -> bool:
        """Whether modules are to be renewed between runs here; else somebody asks for it."""
        return True

    def announce(self, assignment: Assignment) -> None:
        """A run on these inputs begins."""

    def restore(self) -> None:
        """Puts back what the run before has changed in the interpreter."""

    def spoiled(self) -> bool:
        """Whether a run has left something behind that the next one might notice."""
        return False


class MeasuredRunner:
    """Runs a subject in its measured world."""

    def __init__(self, subject: Subject, worlds: HybridWorlds, attendant: Attendant) -> None:
        self._subject = subject
        self._worlds = worlds
        self._attendant = attendant
        self._patience = MEASURED_STEPS

    @property
    def compared(self) -> dict[Leaf, tuple[Any, Any]]:
        """What the last run compared and found different, or did not find inside."""
        return self._worlds.recorder.compared

    def spoiled(self) -> bool:
        """Whether a run has left something behind that the next one might notice."""
        return self._attendant.spoiled()

    def patiently(
        self, assignment: Assignment, wanted: frozenset[Span], seconds: float | None, draw: Drawing
    ) -> Execution:
        """A run that may take long, unless others have been cut before it."""
        execution = self.run(assignment, wanted, seconds, draw, self._patience)
        if execution.outcome == CUT:
            self._patience = max(FEWEST_STEPS, self._patience // 4)
        return execution

    def run(
        self,
        assignment: Assignment,
        wanted: frozenset[Span],
        seconds: float | None,
        draw: Drawing,
        steps: int,
    ) -> Execution:
        """One run of at most that many steps; `draw` gives the values that the assignment lacks."""
        subject, worlds = self._subject, self._worlds
        options, recorder, ticks = subject.options, worlds.recorder, worlds.ticks
        execution = Execution(assignment)
        self._attendant.restore()
        if self._attendant.renews:
            worlds.renew()
        with worlds.measured.running(), isolate.captured(options.output) as buffer:
            guards = ContractWrappers()
            ticks.start(sys.maxsize)  # loading a module is no part of the run that needs it
            function, _, resolve = worlds.measured.fresh(guards.install if options.guarded else None)
            ticks.start(steps)
            isolate.seed_random(options.seed)
            make = subject.maker(assignment, resolve, draw, plain=True)
            recorder.start(wanted)
            performance = Performance(subject, function, make, execution, buffer, guards)
            limit = SECONDS_PER_RUN if seconds is None else min(seconds, SECONDS_PER_RUN)
            with path.paused(), worlds.measured.entered():
                performance.whole(Run(assignment), limit, self._attendant.announce)
        execution.ticks = ticks.counted + NOTING * len(recorder.near)
        execution.hits, execution.near, execution.seen = recorder.taken(), recorder.near, tuple(recorder.seen)
        execution.describe = subject.texts
        return execution
