"""A target that is run on concolic values, each time as if it were the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter as _clock  # bound before the target, which may replace it
from types import FunctionType
from typing import Any

from ramify.runtime.contracts import ContractWrappers
from ramify.runtime.inputs import Written
from ramify.runtime.programs.concolic_runs import ConcolicRunner
from ramify.runtime.programs.execution import Execution, Options
from ramify.runtime.programs.performance import Performance
from ramify.runtime.programs.subject import Facts, Subject
from ramify.runtime.recording import Concretisation, Cut, Rejected, Run
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import FunctionWorld, ModuleWorld, Target, World, isolate, located, unwrapped

TRIAL_SECONDS = 0.5
"""How long a run may take that only finds out which types a function gets on with."""


class Program:
    """A target whose code is used as it is; what it raises on concolic values must come on plain ones too."""

    def __init__(
        self,
        target: Target | FunctionType,
        builtin_models: Mapping[str, Any],
        options: Options = Options(),  # noqa: B008 - frozen
        types: Mapping[str, Any] | None = None,
    ) -> None:
        self._world: World
        if isinstance(target, Target):
            self._world = ModuleWorld(target, builtin_models)
        else:
            self._world = FunctionWorld(target, builtin_models)
        with self._world.running():
            self.subject = Subject(self._world.fresh(), home_of(target), options, types)
        self.name, self.notes = self.subject.name, self.subject.notes
        self._runner = ConcolicRunner(self.subject, self._world)
        self.subject.discover(lambda assignment: self.run(assignment, seconds=TRIAL_SECONDS))

    def run(
        self, assignment: Assignment, limit: int | None = None, seconds: float | None = None
    ) -> Execution:
        """Runs on these inputs, completing the assignment with defaults.

        At most `limit` decisions are taken, and a run that takes longer than `seconds` is cut.
        """
        started = _clock()
        execution = self._runner.run(assignment, limit, seconds)
        if execution.exception is not None:
            # The time left, but enough to see an ordinary exception again.
            self._confirm(execution, None if seconds is None else max(seconds - (_clock() - started), 0.1))
        return execution

    def call_once(self, run: Run, seconds: float | None) -> tuple[Execution, Any, dict[str, Any]]:
        """One call as part of a larger run: how it ended, its result, and its arguments afterwards."""
        return self._runner.call_once(run, seconds)

    def texts(self, assignment: Assignment, qualified: bool = False) -> Written:
        """The initial arguments as Python expressions."""
        return self.subject.texts(assignment, qualified)

    def facts(self) -> Facts:
        return self.subject.facts()

    def close(self) -> None:
        """Nothing is left behind by runs in this process."""

    def _confirm(self, execution: Execution, seconds: float | None) -> None:
        """Repeat a run that raised, on plain values: an exception counts only if the program really raises it.

        C code that insists on a real bool refuses the result of a comparison with an input.
        """
        options, subject = self.subject.options, self.subject
        plain = Execution(execution.assignment)
        with self._world.running(), isolate.captured(options.output) as buffer:
            function, _, resolve = self._world.fresh()
            isolate.seed_random(options.seed)
            make = subject.maker(execution.assignment, resolve, plain=True)
            performance = Performance(subject, function, make, plain, buffer, ContractWrappers())
            try:
                if not performance.again(type(execution.exception), seconds):
                    return
            except (Cut, Rejected):  # inputs that cannot be built plainly, or an endless run: as it was
                return
        execution.end(plain.outcome, plain.reason)
        execution.result, execution.exception = plain.result, plain.exception
        execution.output, execution.broken = plain.output, plain.broken
        code = unwrapped(function).__code__
        lost = Concretisation(code.co_filename, code.co_firstlineno, "a truth value given to C code")
        execution.concretisations[lost] = execution.concretisations.get(lost, 0) + 1


def home_of(target: Target | FunctionType) -> str:
    """The name of the module that a target stands in."""
    return target.source.name if isinstance(target, Target) else target.__module__ or ""


def program_of(
    function: Callable[..., Any] | Target,
    builtin_models: Mapping[str, Any],
    options: Options = Options(),  # noqa: B008 - frozen
    types: Mapping[str, Any] | None = None,
) -> Program:
    """The program of a target or a function object."""
    return Program(located(function), builtin_models, options, types)
