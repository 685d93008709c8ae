"""Runs on concolic values: they record decisions and where terms were lost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ramify.runtime.contracts import ContractWrappers
from ramify.runtime.programs.execution import Execution
from ramify.runtime.programs.performance import Performance, Surroundings
from ramify.runtime.programs.subject import Subject
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.recording import Run, frames, path
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import World, isolate


class ConcolicRunner:
    """Runs a subject in a world, with a budget of ticks for those whose code counts them."""

    def __init__(
        self,
        subject: Subject,
        world: World,
        ticks: Ticks | None = None,
        steps: int = 0,
        announce: Callable[[Assignment], None] | None = None,
    ) -> None:
        self._subject = subject
        self._world = world
        self._ticks = ticks
        self._steps = steps
        self._announce = announce
        self._surroundings = Surroundings()

    @frames.boundary
    def run(self, assignment: Assignment, limit: int | None, seconds: float | None) -> Execution:
        """One run; the assignment is completed with defaults."""
        options = self._subject.options
        execution = Execution(assignment)
        run = Run(assignment, options.max_decisions if limit is None else limit)
        with self._world.running(), isolate.captured(options.output) as buffer:
            performance = self._prepared(execution, buffer, ContractWrappers(), options.guarded)
            with path.recording(run), self._world.entered():
                performance.whole(run, seconds, self._announce)
        if self._ticks is not None:
            execution.ticks = self._ticks.counted
        execution.decisions, execution.facts = run.decisions, run.facts
        execution.concretisations = run.concretisations
        execution.describe = self._subject.texts
        return execution

    def call_once(self, run: Run, seconds: float | None) -> tuple[Execution, Any, dict[str, Any]]:
        """One call as part of a larger run: how it ended, its result, and its arguments afterwards. Only the
        preconditions of its contract count.
        """
        execution = Execution(run.assignment)
        with self._world.running(), isolate.captured(self._subject.options.output) as buffer:
            performance = self._prepared(execution, buffer, ContractWrappers(), False)
            with path.recording(run):
                result, arguments = performance.part(run, seconds)
        return execution, result, arguments

    def _prepared(
        self, execution: Execution, buffer: isolate.Output, guards: ContractWrappers, guarded: bool
    ) -> Performance:
        """The world of one run, before any of the run itself. Loading a module is no part of the run that needs
        it, so it counts no steps.
        """
        ticks = self._ticks
        if ticks is not None:
            ticks.start(sys.maxsize)
        function, _, resolve = self._world.fresh(guards.install if guarded else None)
        if ticks is not None:
            ticks.start(self._steps)
        isolate.seed_random(self._subject.options.seed)
        make = self._subject.maker(execution.assignment, resolve)
        # Modules of this world that others have under the same names: those of the run at hand are wanted.
        surroundings = self._surroundings if self._world.alone() else Surroundings()
        return Performance(self._subject, function, make, execution, buffer, guards, surroundings)
