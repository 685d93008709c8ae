"""A program that runs in a worker: `Program` to those who use it, and its runs survive whatever the target does.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ramify.errors import InputError, RamifyError
from ramify.runtime.inputs import NOTHING_WRITTEN, Written
from ramify.runtime.programs.parcel import Parcel, Receiver, Sender, Step, always
from ramify.runtime.programs.program import CRASHED, REJECTED, Execution, Program
from ramify.runtime.recording import Cut, Rejected, path
from ramify.runtime.sandbox import Policy, Refusal, Worker, WorkerDied
from ramify.runtime.sandbox.child import tell
from ramify.runtime.terms import Assignment, collect, table_size
from ramify.runtime.worlds import Source, isolate
from ramify.runtime.worlds import function_names as names_in

AGAIN = 2.0  # seconds for repeating a run that crashed: long enough to see its decisions
LARGE_TABLE = 300_000  # terms of a child, before those of earlier runs are forgotten
_threads = _thread._count


# -- in the child -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Facts:
    """What a program is, for those who cannot see it."""

    name: str
    parameters: list[Parameter]
    assume: list[str]
    ensure: list[str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by name and kind."""

    name: str
    kind: Any


class _Log(list[Any]):
    """Decisions or facts that are told as they come: the last ones before a crash matter most."""

    def __init__(self, sender: Sender, kind: str) -> None:
        super().__init__()
        self._sender, self._kind = sender, kind

    def append(self, entry: Any) -> None:
        super().append(entry)
        tell(self._sender.step(self._kind, len(self), entry))

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        tell(Step(self._kind, len(self)))


@dataclass(slots=True)
class Host:
    """The child's side of a remote program: the program itself and how its runs are sent."""

    program: Program
    _sender: Sender = field(default_factory=Sender)
    _runs: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)

    def facts(self) -> Facts:
        program = self.program
        return Facts(
            program.name,
            [Parameter(p.name, p.kind) for p in program.parameters],
            [clause.text for clause in program.contract.assume],
            [clause.text for clause in program.contract.ensure],
            program.notes,
        )

    def run(self, assignment: Assignment, limit: int | None, seconds: float | None, told: bool) -> Parcel:
        """One run; `told` sends each decision as it is taken."""
        threads, alarms = _threads(), isolate.alarms()
        if told:
            with path.logging_to(lambda kind: _Log(self._sender, kind)):
                execution = self.program.run(assignment, limit, seconds)
            self._sender.forget()  # a parcel counts from the start
        else:
            execution = self.program.run(assignment, limit, seconds)
        texts = NOTHING_WRITTEN if execution.outcome == REJECTED else self.program.texts(execution.assignment)
        parcel = self._sender.parcel(execution, texts)
        # A timer's exception skips `finally` blocks; a thread goes on deciding in the next run.
        parcel.spoiled = isolate.alarms() > alarms or _threads() > threads
        self._runs += 1
        if self._runs % 256 == 0 and table_size() > LARGE_TABLE:
            self._sender.forget()
            collect()
        return parcel

    def described(self, assignment: Assignment) -> tuple[Assignment, Written]:
        """The assignment completed with defaults, and the arguments it stands for."""
        texts = self.program.texts(assignment)
        return assignment, texts


# -- in the parent ----------------------------------------------------------------------------------


class RemoteProgram:
    """A program in a worker. A run that ends its process is an execution like others: outcome *crashed*.

    Methods of `Program` that are not defined here are forwarded.
    """

    def __init__(
        self,
        factory: Callable[[], Any],
        policy: Policy,
        label: str = "the target",
        host: Callable[[Any], Host] | None = None,
    ) -> None:
        make_host = Host if host is None else host
        self._worker = Worker(lambda: make_host(factory()), policy)
        self._known_refusals: set[tuple[str, str, int]] = set()
        self._receiver = Receiver()
        self._policy = policy
        try:
            facts: Facts = self._worker.call("facts", seconds=policy.seconds)
        except WorkerDied as death:
            raise InputError(f"{label}: importing it: {death}") from None
        self.name, self.parameters = facts.name, facts.parameters
        self.assume, self.ensure, self.notes = facts.assume, facts.ensure, facts.notes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def forward(*args: Any, **kwargs: Any) -> Any:
            return self._worker.request(name, args, kwargs, self._limit(kwargs.get("seconds")))

        return forward

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs on these inputs in the child. Whatever happens there is an outcome."""
        within = self._limit(seconds)
        try:
            return self._run(assignment, limit, within, False)
        except WorkerDied as death:
            refusals = self._refusals()
            execution = self._again(assignment, limit, within, death)
            execution.refusals = execution.refusals or refusals
            return execution

    def texts(self, assignment: Assignment) -> Written:
        """The initial arguments as Python expressions."""
        found: Written = self._worker.call("texts", assignment, seconds=self._policy.seconds)
        return found

    def close(self) -> None:
        """Ends the child process; another run starts a new one."""
        self._worker.close()

    def _limit(self, seconds: float | None) -> float:
        return self._policy.seconds if seconds is None else min(seconds, self._policy.seconds)

    def _refusals(self) -> list[Refusal]:
        # A run that raised was repeated on plain values, so the same refusal may come twice.
        return list(dict.fromkeys(note for note in self._worker.notes if isinstance(note, Refusal)))

    def _run(self, assignment: Assignment, limit: int | None, seconds: float, told: bool) -> Execution:
        try:
            parcel: Parcel = self._worker.call("run", assignment, limit, seconds, told, seconds=seconds)
        except (RamifyError, WorkerDied):
            raise
        except (Exception, Cut, Rejected) as error:
            self._worker.close()
            raise WorkerDied(f"outside the function: {type(error).__name__}: {error}") from None
        execution = self._receiver.execution(parcel)
        execution.refusals = self._refusals()
        if parcel.spoiled:
            self._worker.close()
        return execution

    def _again(
        self, assignment: Assignment, limit: int | None, seconds: float, death: WorkerDied
    ) -> Execution:
        """The run once more, its decisions told as they are taken: so the path to the crash is known."""
        try:
            execution = self._run(dict(assignment), limit, min(seconds, AGAIN), True)
            if death.external:
                return execution  # it was the machine: busy, or short of memory
        except WorkerDied:
            execution = Execution(assignment)
            execution.refusals = self._refusals()
            self._receiver.replay([note for note in self._worker.notes if isinstance(note, Step)], execution)
        execution.outcome, execution.reason = CRASHED, str(death)
        execution.result = execution.exception = None
        execution.assignment, texts = self._described(assignment)
        execution.describe = always(texts)
        return execution

    def _described(self, assignment: Assignment) -> tuple[Assignment, Written]:
        try:
            found: tuple[Assignment, Written] = self._worker.call(
                "described", assignment, seconds=self._policy.seconds
            )
        except WorkerDied:  # even importing the target now fails: the crash is reported without its arguments
            return assignment, NOTHING_WRITTEN
        return found


@dataclass(frozen=True, slots=True)
class _Listing:
    """The child's side of `function_names`."""

    source: Source

    def names(self) -> list[str]:
        return names_in(isolate.Sandbox(self.source, {}).first())


def function_names(source: Source, policy: Policy) -> list[str]:
    """The functions and methods that a module defines; it is executed in a child process."""
    with Worker(lambda: _Listing(source), policy) as worker:
        try:
            names: list[str] = worker.call("names", seconds=policy.import_seconds)
        except WorkerDied as death:
            raise InputError(f"{source.path}: importing it: {death}") from None
    return names
