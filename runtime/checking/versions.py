"""Two versions of a function as one program: both run on the same inputs, and what they do must be the same.

Their decisions follow each other in one path, so a flip of either is a flip of both, and the solver is asked
for an input on which the results differ.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

from ramify.errors import InputError
from ramify.runtime.checking.blind import blind_spots
from ramify.runtime.checking.rebuilding import called, rebuilt
from ramify.runtime.checking.replay import shown, text_of
from ramify.runtime.checking.sameness import Sameness
from ramify.runtime.contracts import Contract, ContractWrappers
from ramify.runtime.inputs import ShapedParameter, Written, bounds_of
from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import (
    CUT,
    REJECTED,
    VIOLATED,
    Execution,
    Facts,
    Host,
    HybridProgram,
    Options,
    Program,
    RemoteProgram,
    Subject,
    finished,
)
from ramify.runtime.recording import Concretisation, Cut, Reason, Rejected, Run, Why, frames, path
from ramify.runtime.sandbox import MIB, Policy, Worker, WorkerDied
from ramify.runtime.terms import Assignment
from ramify.runtime.values import core
from ramify.runtime.worlds import Target, isolate


@dataclass(slots=True)
class Side:
    """What one version did: its result, the exception it raised, its arguments afterwards, and what it printed."""

    result: Any
    exception: BaseException | None
    arguments: dict[str, Any]
    output: str

    @property
    def deed(self) -> Deed:
        if self.exception is not None:
            kind, message = f"raises {type(self.exception).__name__}", text_of(self.exception)
            return Deed(kind, f"{kind}: {message}" if message else kind)
        return Deed("returns", f"returns {shown(core.strip(self.result))}")


class Deed(NamedTuple):
    """Something that a version does: what kind of thing, and in words with what."""

    kind: str
    text: str


Deeds = tuple[Deed, Deed]
"""What the old version does and the new one does not do, and the other way round."""


def difference(old: Side, new: Side, sameness: Sameness) -> Deeds | None:
    """What the two did, if that is not the same: how they ended, what became of an argument, what they printed."""
    if (old.exception is None) != (new.exception is None):
        return old.deed, new.deed
    if old.exception is not None and new.exception is not None:
        if type(old.exception).__qualname__ != type(new.exception).__qualname__:
            return old.deed, new.deed
    elif not sameness.same(old.result, new.result):
        return old.deed, new.deed
    for name, value in old.arguments.items():
        if not sameness.same(value, new.arguments[name]):
            left = [shown(core.strip(side.arguments[name])) for side in (old, new)]
            return Deed("leaves", f"leaves {name} = {left[0]}"), Deed("leaves", f"leaves {name} = {left[1]}")
    if old.output == new.output:
        return None
    return Deed("prints", f"prints {old.output!r}"), Deed("prints", f"prints {new.output!r}")


class Apart:
    """Keeps the modules of one version's folder out of the other version's sight."""

    def __init__(self, target: Target, alone: bool) -> None:
        self._folder = target.source.folder if alone else None
        self._modules: dict[str, ModuleType] = {}

    @classmethod
    def both(cls, targets: Sequence[Target]) -> list[Apart]:
        alone = targets[0].source.folder != targets[1].source.folder
        return [cls(target, alone) for target in targets]

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


@dataclass(frozen=True, slots=True)
class Known:
    """What must be known of two versions to say how much was explored."""

    assume: list[str]
    bounds: list[str]
    unseen: list[str]  # functions left plain, operations that may hide decisions


class Versions:
    """The product of two programs, with the interface of one."""

    def __init__(
        self, targets: Sequence[Target], mode: str, options: Options, types: Mapping[str, Any] | None = None
    ) -> None:
        self._targets, self._apart = targets, Apart.both(targets)
        programs: list[Program | HybridProgram] = []
        for target, apart in zip(targets, self._apart, strict=True):
            with apart.present():
                if mode == "peer":
                    programs.append(Program(target, NAMESPACE, options, types))
                else:
                    programs.append(HybridProgram(target, options, types, everything=True))
        old, new = programs
        new.subject.parameters = matching(old.subject, new.subject)
        self.sides = (old, new)

    def known(self) -> Known:
        """What limits a verdict about these versions."""
        old = self.sides[0]
        unseen: list[str] = []
        for target, program in zip(self._targets, self.sides, strict=True):
            if isinstance(program, HybridProgram):
                unseen += [f"{n} ran without instrumentation: {why}" for n, why in program.left_plain().items()]
            else:
                unseen += blind_spots(target.source.path, target.qualname, program.subject.contract, False)
        subject = old.subject
        return Known([c.text for c in subject.contract.assume], bounds_of(subject.parameters), unseen)

    def facts(self) -> Facts:
        """What the old version is: its inputs are tried on both."""
        subject = self.sides[0].subject
        return Facts.of(subject.name, subject.parameters, Contract(assume=subject.contract.assume), subject.notes)

    def texts(self, assignment: Assignment) -> Written:
        return self.sides[0].texts(assignment)

    @frames.boundary
    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs both versions, one after the other, as one path."""
        execution = Execution(assignment)
        execution.describe = self.texts
        run = Run(assignment, self.sides[0].subject.options.max_decisions if limit is None else limit)
        try:
            old, new = (
                self._side(program, apart, run, seconds)
                for program, apart in zip(self.sides, self._apart, strict=True)
            )
            if self.texts(assignment) != self.sides[1].texts(assignment):
                raise Rejected("the two versions understand this input differently")
            guards = ContractWrappers()
            with path.recording(run), guards.checking():
                found = difference(old, new, Sameness(execution.promises.append))
            if old.output or new.output:  # it has no terms: it is compared on the inputs of this run only
                line = self.sides[0].subject.code.co_firstlineno
                lost = Concretisation(self._targets[0].source.path, line, "printing")
                run.concretisations[lost] = run.concretisations.get(lost, 0) + 1
            if found is not None:
                execution.end(VIOLATED, Reason(Why.VERSIONS, f"old {found[0].text}, new {found[1].text}"))
        except Cut as cut:
            execution.end(CUT, cut.reason)
        except Rejected as rejected:
            execution.end(REJECTED, rejected.reason)
        execution.decisions, execution.facts = run.decisions, run.facts
        execution.concretisations = run.concretisations
        return execution

    def _side(self, program: Program | HybridProgram, apart: Apart, run: Run, seconds: float | None) -> Side:
        with apart.present():
            execution, result, arguments = program.call_once(run, seconds)
        return Side(result, execution.exception, arguments, execution.output)


class VersionsHost(Host):
    """The child's side of two versions."""

    def __init__(self, versions: Versions) -> None:
        super().__init__(versions)
        self._versions = versions

    def known(self) -> Known:
        return self._versions.known()


class RemoteVersions(RemoteProgram):
    """Two versions as one program in a worker."""

    def __init__(
        self,
        targets: Sequence[Target],
        mode: str,
        options: Options,
        types: Mapping[str, Any] | None,
        policy: Policy,
        label: str,
    ) -> None:
        super().__init__(lambda: Versions(targets, mode, options, types), policy, label, VersionsHost)

    def known(self) -> Known:
        """What limits a verdict about these versions."""
        found: Known = self.ask("known")
        return found


def matching(old: Subject, new: Subject) -> list[ShapedParameter]:
    """The new version's parameters that the old one has too; others must have defaults. Where the defaults of the
    two differ, leaving the argument out is tried in both.
    """
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
    changed = {p.name for p in old.parameters if not _same_default(p, found[p.name])}
    old.parameters[:] = [replace(p, omissible=True) if p.name in changed else p for p in old.parameters]
    return [replace(found[name], omissible=True) if name in changed else found[name] for name in names]


def _same_default(old: ShapedParameter, new: ShapedParameter) -> bool:
    empty = inspect.Parameter.empty
    if old.default is empty or new.default is empty:
        return True  # it cannot be left out in both
    return Sameness().same(old.default, new.default)


class Plain:
    """Both versions on plain values: what is reported is what this shows."""

    def __init__(self, targets: Sequence[Target], seed: int = 0) -> None:
        self._targets, self._apart, self._seed = targets, Apart.both(targets), seed
        self._sandboxes = [isolate.Sandbox(target.source, {}) for target in targets]
        for apart, sandbox in zip(self._apart, self._sandboxes, strict=True):
            with apart.present():
                sandbox.first()

    def difference(self, arguments: Written, seconds: float) -> Deeds | None:
        """What the two did, if it is not the same; None as well if one of them cannot be run on this."""
        try:
            sides = [self._side(number, arguments, seconds) for number in (0, 1)]
        except (Cut, Rejected):
            return None
        return difference(sides[0], sides[1], Sameness())

    def deed(self, number: int, arguments: Written, seconds: float) -> Deed:
        """What one of them did."""
        return self._side(number, arguments, seconds).deed

    def _side(self, number: int, written: Written, seconds: float) -> Side:
        sandbox, target = self._sandboxes[number], self._targets[number]
        with self._apart[number].present(), sandbox.running(), isolate.captured(MIB) as buffer, path.paused():
            module = sandbox.fresh()
            function, _ = target.find(module)
            isolate.seed_random(self._seed)
            arguments = _built(written, module)
            buffer.clear()
            with isolate.deadline(seconds):
                try:
                    return Side(finished(called(function, arguments)), None, arguments, buffer.text())
                except (Exception, SystemExit, GeneratorExit) as error:
                    return Side(None, error.with_traceback(None), arguments, buffer.text())


def _built(written: Written, module: ModuleType) -> dict[str, Any]:
    try:
        return rebuilt(written, module)
    except (Exception, SystemExit) as error:  # constructors of the target: what they refuse is no input
        raise Rejected(f"the arguments cannot be built: {type(error).__name__}") from error


class RemotePlain:
    """The same in a child process, which a version may end: that is something it does, too."""

    def __init__(self, targets: Sequence[Target], policy: Policy, seed: int = 0) -> None:
        self._worker = Worker(lambda: Plain(targets, seed), policy)
        self._policy = policy

    def difference(self, arguments: Written, seconds: float = 5.0) -> Deeds | None:
        within = min(seconds, self._policy.seconds)
        try:
            found: Deeds | None = self._worker.call(
                "difference", arguments, within, seconds=2 * within
            )
        except WorkerDied:
            old, new = (self._deed(number, arguments, within) for number in (0, 1))
            return None if old is None or new is None or old == new else (old, new)
        return found

    def _deed(self, number: int, arguments: Written, seconds: float) -> Deed | None:
        try:
            found: Deed = self._worker.call("deed", number, arguments, seconds, seconds=seconds)
        except WorkerDied as death:
            return None if death.external else Deed("ends", f"ends the process: {death}")
        except (Cut, Rejected):
            return None
        return found

    def close(self) -> None:
        self._worker.close()
