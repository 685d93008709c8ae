"""Two versions of a function as one program: both run on the same inputs, and what they do must be the same.

Their decisions follow each other in one path, so a flip of either is a flip of both, and the solver is asked
for an input on which the results differ.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ramify.errors import InputError
from ramify.runtime import isolate, path
from ramify.runtime.contract import Contract
from ramify.runtime.guards import Guards
from ramify.runtime.inputs import Parameter
from ramify.runtime.nodes import Assignment
from ramify.runtime.path import Cut, Rejected, Run
from ramify.runtime.policy import MIB
from ramify.runtime.program import CUT, REJECTED, VIOLATED, Execution, Options, Program
from ramify.runtime.replay import called, shown, text_of
from ramify.runtime.sameness import Sameness
from ramify.runtime.target import Target
from ramify.runtime.values import core


@dataclass(slots=True)
class Side:
    """What one version did: its result, the exception it raised, and its arguments afterwards."""

    result: Any
    exception: BaseException | None
    arguments: dict[str, Any]

    @property
    def text(self) -> str:
        if self.exception is not None:
            message = text_of(self.exception)
            return f"raises {type(self.exception).__name__}" + (f": {message}" if message else "")
        return f"returns {shown(core.strip(self.result))}"


def difference(old: Side, new: Side, sameness: Sameness) -> tuple[str, str] | None:
    """What the two did, if that is not the same: how they ended, or what became of an argument."""
    if (old.exception is None) != (new.exception is None):
        return old.text, new.text
    if old.exception is not None and new.exception is not None:
        if type(old.exception).__qualname__ != type(new.exception).__qualname__:
            return old.text, new.text
    elif not sameness.same(old.result, new.result):
        return old.text, new.text
    for name, value in old.arguments.items():
        if not sameness.same(value, new.arguments[name]):
            texts = [f"leaves {name} = {shown(core.strip(side.arguments[name]))}" for side in (old, new)]
            return texts[0], texts[1]
    return None


class Apart:
    """Keeps the modules of one version's folder out of the other version's sight."""

    def __init__(self, target: Target, alone: bool) -> None:
        self._folder = target.source.folder if alone else None
        self._modules: dict[str, ModuleType] = {}

    @contextmanager
    def present(self) -> Iterator[None]:
        if self._folder is None:
            yield
            return
        before = dict(sys.modules)
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            for name in [name for name in sys.modules if name not in before]:
                file = getattr(sys.modules[name], "__file__", None) or ""
                if file.startswith(self._folder):
                    self._modules[name] = sys.modules.pop(name)


class Versions:
    """The product of two programs, with the interface of one."""

    def __init__(self, old: Program, new: Program, apart: Sequence[Apart]) -> None:
        self.name = old.name
        self.options: Options = old.options
        self.contract = Contract(assume=old.contract.assume)
        self.parameters: list[Parameter] = old.parameters
        new.parameters = matching(old, new)
        self.sides = (old, new)
        self._apart = apart

    def close(self) -> None:
        """Nothing is left behind by runs in this process."""

    def texts(self, assignment: Assignment) -> dict[str, str]:
        return self.sides[0].texts(assignment)

    @path.boundary
    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs both versions, one after the other, as one path."""
        execution = Execution(assignment)
        execution.describe = self.texts
        run = Run(assignment, self.options.max_decisions if limit is None else limit)
        try:
            old, new = (
                self._side(program, apart, run, seconds)
                for program, apart in zip(self.sides, self._apart, strict=True)
            )
            if self.texts(assignment) != self.sides[1].texts(assignment):
                raise Rejected("the two versions understand this input differently")
            guards = Guards()
            with path.recording(run), guards.checking():
                found = difference(old, new, Sameness(execution.promises.append))
            if found is not None:
                execution.outcome, execution.reason = VIOLATED, f"old {found[0]}, new {found[1]}"
        except Cut as cut:
            execution.outcome, execution.reason = CUT, str(cut)
        except Rejected as rejected:
            execution.outcome, execution.reason = REJECTED, str(rejected)
        execution.decisions, execution.facts = run.decisions, run.facts
        execution.concretisations = run.concretisations
        return execution

    def _side(self, program: Program, apart: Apart, run: Run, seconds: float | None) -> Side:
        with apart.present():
            execution, result, arguments = program.call_once(run, seconds)
        return Side(result, execution.exception, arguments)


def matching(old: Program, new: Program) -> list[Parameter]:
    """The new version's parameters that the old one has too; others must have defaults."""
    names = [p.name for p in old.parameters]
    missing = [name for name in names if name not in {p.name for p in new.parameters}]
    if missing:
        raise InputError(f"{new.name}: the new version has no parameter {missing[0]!r}; the old one has")
    extra = [p for p in new.parameters if p.name not in names]
    for parameter in extra:
        if parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) and (
            parameter.name not in new.defaults
        ):
            raise InputError(
                f"{new.name}: the new version has a parameter {parameter.name!r} without a default; "
                "the old one has not"
            )
    found = {p.name: p for p in new.parameters}
    return [found[name] for name in names]


class Plain:
    """Both versions on plain values: what is reported is what this shows."""

    def __init__(self, targets: Sequence[Target], apart: Sequence[Apart], seed: int = 0) -> None:
        self._targets, self._apart, self._seed = targets, apart, seed
        self._sandboxes = [isolate.Sandbox(target.source, {}) for target in targets]

    def difference(self, arguments: Mapping[str, str], seconds: float = 5.0) -> tuple[str, str] | None:
        """What the two did, if it is not the same; None as well if one of them cannot be run on this."""
        try:
            sides = [self._side(number, arguments, seconds) for number in (0, 1)]
        except (Cut, Exception):
            return None
        return difference(sides[0], sides[1], Sameness())

    def _side(self, number: int, texts: Mapping[str, str], seconds: float) -> Side:
        sandbox, target = self._sandboxes[number], self._targets[number]
        with self._apart[number].present(), sandbox.running(), isolate.captured(MIB), path.paused():
            module = sandbox.fresh()
            function, _ = target.find(module)
            isolate.seed_random(self._seed)
            arguments = {name: eval(text, dict(vars(module))) for name, text in texts.items()}
            with isolate.deadline(seconds):
                try:
                    return Side(called(function, arguments), None, arguments)
                except (Exception, SystemExit, GeneratorExit) as error:
                    return Side(None, error.with_traceback(None), arguments)
