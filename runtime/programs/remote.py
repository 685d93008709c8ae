"""A program that runs in a worker: `Program` to those who use it, and its runs survive whatever the target does.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from typing import Any, Protocol

from ramify.errors import InputError, RamifyError
from ramify.runtime.inputs import NOTHING_WRITTEN, Written
from ramify.runtime.programs.execution import CRASHED, REJECTED, Execution
from ramify.runtime.programs.parcel import Parcel, Receiver, Sender, Step, always
from ramify.runtime.programs.subject import Facts
from ramify.runtime.recording import Cut, Rejected, Why, path
from ramify.runtime.sandbox import Policy, Refusal, Worker, WorkerDied
from ramify.runtime.sandbox.child import tell
from ramify.runtime.terms import Assignment, collect, table_size
from ramify.runtime.worlds import isolate

AGAIN = 2.0  # seconds for repeating a run that crashed: long enough to see its decisions
LARGE_TABLE = 300_000  # terms of a child, before those of earlier runs are forgotten
threads = _thread._count  # bound before the target, which may replace it


# -- in the child -----------------------------------------------------------------------------------


class Hosted(Protocol):
    """What a host needs of the program that it serves."""

    def facts(self) -> Facts: ...

    def run(
        self, assignment: Assignment, limit: int | None = None, seconds: float | None = None
    ) -> Execution: ...

    def texts(self, assignment: Assignment) -> Written: ...


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


class Host:
    """The child's side of a remote program: the program itself and how its runs are sent."""

    def __init__(self, program: Hosted) -> None:
        self._program = program
        self._sender = Sender()
        self._runs = 0

    def facts(self) -> Facts:
        return self._program.facts()

    def run(self, assignment: Assignment, limit: int | None, seconds: float | None, told: bool) -> Parcel:
        """One run; `told` sends each decision as it is taken."""
        before, alarms = threads(), isolate.alarms()
        if told:
            with path.logging_to(lambda kind: _Log(self._sender, kind)):
                execution = self._program.run(assignment, limit, seconds)
            self._sender.forget()  # a parcel counts from the start
        else:
            execution = self._program.run(assignment, limit, seconds)
        # A timer's exception skips `finally` blocks; a thread goes on deciding in the next run.
        parcel = self.packed(execution, isolate.alarms() > alarms or threads() > before)
        self._runs += 1
        if self._runs % 256 == 0 and table_size() > LARGE_TABLE:
            self._sender.forget()
            collect()
        return parcel

    def packed(self, execution: Execution, spoiled: bool) -> Parcel:
        """An execution on its way; `spoiled`: the last one of this child."""
        texts = NOTHING_WRITTEN if execution.outcome == REJECTED else self._program.texts(execution.assignment)
        parcel = self._sender.parcel(execution, texts)
        parcel.spoiled = spoiled
        return parcel

    def texts(self, assignment: Assignment) -> Written:
        return self._program.texts(assignment)

    def described(self, assignment: Assignment) -> tuple[Assignment, Written]:
        """The assignment completed with defaults, and the arguments it stands for."""
        texts = self._program.texts(assignment)
        return assignment, texts


# -- in the parent ----------------------------------------------------------------------------------


class HostedRuns:
    """Runs of a host in a worker, and what becomes of them when they end their process."""

    def __init__(self, make_host: Callable[[], Host], policy: Policy, label: str) -> None:
        self.worker = Worker(make_host, policy)
        self.settled = -1  # the request whose answer said that no module waits to be rewritten
        self._receiver = Receiver()
        self._policy = policy
        try:
            self.facts: Facts = self.worker.call("facts", seconds=policy.seconds)
        except WorkerDied as death:
            raise InputError(f"{label}: importing it: {death}") from None

    def ask(self, method: str, *args: Any) -> Any:
        """The answer of one of the host's methods that runs nothing for long."""
        return self.worker.call(method, *args, seconds=self._policy.seconds)

    def limit(self, seconds: float | None) -> float:
        return self._policy.seconds if seconds is None else min(seconds, self._policy.seconds)

    def refusals(self) -> list[Refusal]:
        # A run that raised was repeated on plain values, so the same refusal may come twice.
        return list(dict.fromkeys(note for note in self.worker.notes if isinstance(note, Refusal)))

    def run(self, assignment: Assignment, limit: int | None, seconds: float, told: bool = False) -> Execution:
        """One run on concolic values, or `WorkerDied`."""
        try:
            parcel: Parcel = self.worker.call("run", assignment, limit, seconds, told, seconds=seconds)
        except (RamifyError, WorkerDied):
            raise
        except (Exception, Cut, Rejected) as error:
            self.worker.close()
            text = f"outside the function: {type(error).__name__}: {error}"
            raise WorkerDied(Why.PROCESS, text) from None
        execution = self.received(parcel)
        execution.refusals = self.refusals()
        if not parcel.late:
            self.settled = self.worker.requests
        self.discard(parcel.spoiled)
        return execution

    def again(self, assignment: Assignment, limit: int | None, seconds: float, death: WorkerDied) -> Execution:
        """The run once more, its decisions told as they are taken: so the path to the crash is known."""
        try:
            execution = self.run(dict(assignment), limit, min(seconds, AGAIN), True)
            if death.external:
                return execution  # it was the machine: busy, or short of memory
        except WorkerDied:
            execution = Execution(assignment)
            execution.refusals = self.refusals()
            self._receiver.replay([note for note in self.worker.notes if isinstance(note, Step)], execution)
        self.crashed(execution, assignment, death)
        return execution

    def crashed(self, execution: Execution, assignment: Assignment, death: WorkerDied) -> None:
        """Makes an execution one that has ended its process."""
        execution.end(CRASHED, death.reason)
        execution.result = execution.exception = None
        execution.assignment, texts = self._described(assignment)
        execution.describe = always(texts)

    def received(self, parcel: Parcel) -> Execution:
        return self._receiver.execution(parcel)

    def discard(self, spoiled: bool) -> None:
        """Ends a child in which a run has left something behind."""
        if spoiled:
            self.worker.close()

    def _described(self, assignment: Assignment) -> tuple[Assignment, Written]:
        try:
            found: tuple[Assignment, Written] = self.ask("described", assignment)
        except WorkerDied:  # even importing the target now fails: the crash is reported without its arguments
            return assignment, NOTHING_WRITTEN
        return found


class RemoteProgram:
    """A program in a worker. A run that ends its process is an execution like others: outcome *crashed*."""

    def __init__(
        self,
        factory: Callable[[], Any],
        policy: Policy,
        label: str = "the target",
        host: Callable[[Any], Host] = Host,
    ) -> None:
        self._runs = HostedRuns(lambda: host(factory()), policy, label)
        facts = self._runs.facts
        self.name, self.parameters, self.notes = facts.name, facts.parameters, facts.notes
        self.assume, self.ensure = facts.assume, facts.ensure

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs on these inputs in the child. Whatever happens there is an outcome."""
        runs, within = self._runs, self._runs.limit(seconds)
        try:
            return runs.run(assignment, limit, within)
        except WorkerDied as death:
            refusals = runs.refusals()
            execution = runs.again(assignment, limit, within, death)
            execution.refusals = execution.refusals or refusals
            return execution

    def texts(self, assignment: Assignment) -> Written:
        """The initial arguments as Python expressions."""
        found: Written = self._runs.ask("texts", assignment)
        return found

    def ask(self, method: str, *args: Any) -> Any:
        """What a method of the host answers."""
        return self._runs.ask(method, *args)

    def close(self) -> None:
        """Ends the child process; another run starts a new one."""
        self._runs.worker.close()
