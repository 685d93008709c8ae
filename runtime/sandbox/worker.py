"""A child process that holds one object and answers calls of its methods; when it dies, a new one is forked.

The parent keeps the search, the solver and everything found, and never runs code of the target.
"""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import Any, Self

from ramify.errors import InputError
from ramify.runtime.recording import Cut, Reason, Rejected, TermMismatch, Why
from ramify.runtime.sandbox import travel
from ramify.runtime.sandbox.channel import (
    ANSWER,
    BROKEN,
    CALL,
    FAILED,
    LOST,
    MEMORY,
    NOTE,
    RAISED,
    Channel,
    Closed,
    Silent,
)
from ramify.runtime.sandbox.policy import REFUSED, Policy, Refusal, in_units
from ramify.runtime.sandbox.starvation import Starvation
from ramify.runtime.sandbox.watch import held

GRACE = 1.0
"""Seconds beyond its limit before a child that does not answer is killed: its own timer comes first."""

NEGLIGIBLE = 0.05  # seconds that a child has waited for a processor

_SIGNALS = {
    "SIGSEGV": "segmentation fault",
    "SIGABRT": "aborted",
    "SIGBUS": "bus error",
    "SIGFPE": "floating-point exception",
    "SIGILL": "illegal instruction",
    "SIGXCPU": "out of CPU time",
}
_ENDS = {
    FAILED: "its process could not be set up",
    LOST: "closed its connection to ramify",
    BROKEN: "left its process in no state to go on",
}
_OUTSIDE = {"SIGKILL": "killed from outside", "SIGTERM": "terminated from outside", "SIGHUP": "hung up"}


class WorkerDied(Exception):
    """The child ended, or had to be ended, before it answered. `external`: perhaps the machine's doing, not the
    target's.
    """

    def __init__(self, why: Why, text: str, detail: str = "", external: bool = False) -> None:
        super().__init__(why, text, detail, external)
        self.reason = Reason(why, f"{text} ({detail})" if detail else text)
        self.external = external

    def final(self) -> WorkerDied:
        """The same end, held to be the target's doing."""
        return WorkerDied(self.reason.why, self.reason.text)

    def __str__(self) -> str:
        return self.reason.text


class Worker:
    """Calls methods of what `factory` makes, in a child process that is forked when it is first needed.

    `notes` are what the child told during the last call, also if it died.
    """

    def __init__(self, factory: Callable[[], Any], policy: Policy) -> None:
        if not hasattr(os, "fork"):
            raise InputError("targets run in a forked process, which this platform does not have; use WSL")
        self.policy = policy
        self.notes: list[Any] = []
        self.requests = 0  # how many there have been
        self._factory = factory
        self._child: _Child | None = None
        self.children = 0  # how many there were so far

    def call(
        self,
        method: str,
        *args: Any,
        seconds: float | None = None,
        silence: float | None = None,
        **kwargs: Any,
    ) -> Any:
        """The answer of a method; raises what it raised, or `WorkerDied`. Without an answer after `seconds`, or
        without a sign of life for so many seconds of `silence` (and a little), the child is killed.
        """
        self.notes = []
        self.requests += 1
        try:
            child = self._child or self._start()
            return self._exchange(child, pickle.dumps((method, args, kwargs)), seconds, silence)
        except InputError as error:
            raise self._with_refusal(error) from None

    @property
    def started(self) -> bool:
        """Whether there is a child that may have been called before."""
        return self._child is not None

    def close(self) -> None:
        """Ends the child. A later call starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start(self) -> _Child:
        with held():
            self._child = child = _Child(self._factory, self.policy)
            self.children += 1
            weakref.finalize(self, child.end)
        try:
            self._exchange(child, None, self.policy.import_seconds)
        except BaseException:
            self.close()
            raise
        return child

    def _with_refusal(self, error: InputError) -> InputError:
        """What went wrong at first, and what was refused just before if it does not say so itself."""
        refused = next((note for note in self.notes if isinstance(note, Refusal)), None)
        if refused is None or REFUSED in str(error):
            return error
        return InputError(f"{error}; before that, {refused}")

    def _exchange(
        self, child: _Child, request: bytes | None, seconds: float | None, silence: float | None = None
    ) -> Any:
        """Sends a request and waits for its answer. Unless one came, the child is of no more use."""
        answered = False
        until = None if seconds is None else monotonic() + seconds + GRACE
        try:
            if request is not None:
                child.channel.send(CALL, request)
            kind, content = self._answer(child, until, silence)
            answered = kind in (ANSWER, RAISED)
        except Silent:
            limit = min(limit for limit in (seconds, silence) if limit is not None)
            raise WorkerDied(Why.TIME, f"killed after {limit:.1f} s: no answer", external=True) from None
        except Closed:
            raise child.death() from None
        finally:
            if not answered:
                self.close()
        if kind == MEMORY:
            raise WorkerDied(Why.MEMORY, f"out of memory (limit {in_units(self.policy.memory)})")
        if kind == ANSWER:
            return travel.loads(content)
        error = travel.unpack_exception(travel.loads(content))
        if isinstance(error, (Exception, Cut, Rejected, TermMismatch)):
            raise error
        # SystemExit and its like are not meant for us.
        raise WorkerDied(Why.PROCESS, f"{type(error).__name__}: {error}")

    def _answer(self, child: _Child, until: float | None, silence: float | None) -> tuple[bytes, bytes]:
        child.starvation.begin()

        def longer() -> float:
            """What the machine has kept from the child."""
            kept = child.starvation.granted()
            return kept if kept > NEGLIGIBLE else 0.0

        while True:
            limits = [until, None if silence is None else monotonic() + silence + GRACE]
            kind, content = child.channel.receive(min((x for x in limits if x is not None), default=None), longer)
            if kind != NOTE:
                return kind, content
            self.notes.append(travel.loads(content))


class _Child:
    """A forked process and the parent's ends of its pipes."""

    def __init__(self, factory: Callable[[], Any], policy: Policy) -> None:
        from ramify.runtime.sandbox import child  # needs modules that only POSIX has

        with suppress(OSError):
            tempfile.gettempdir()  # it tries to write where it looks, which a child may not; the answer is kept
        requests, asking = os.pipe()
        answering, answers = os.pipe()
        lifeline, alive = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a progress line's thread: the child does not use its locks
            self.pid = os.fork()
        if self.pid == 0:
            child.main(factory, policy, requests, answers, lifeline)
        self._alive = alive
        self.starvation = Starvation(self.pid)
        self.channel = Channel(answering, asking)
        for descriptor in (requests, answers, lifeline):
            os.close(descriptor)
        self._status: int | None = None
        self._owner = os.getpid()

    def death(self) -> WorkerDied:
        """How the child ended, in words. Its pipe is closed, so it is ending or must be ended."""
        try:
            status = self._wait(monotonic() + GRACE)
        except ChildProcessError:  # somebody else waits for our children
            self._status = -1
            return WorkerDied(Why.PROCESS, "how it ended is not known")
        if status is None:
            return WorkerDied(Why.PROCESS, _ENDS[LOST])
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) in _ENDS:
            return WorkerDied(Why.PROCESS, _ENDS[os.WEXITSTATUS(status)])
        if os.WIFEXITED(status):
            return WorkerDied(Why.PROCESS, f"exited with status {os.WEXITSTATUS(status)} by os._exit")
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        if name in _OUTSIDE:
            return WorkerDied(Why.MACHINE, _OUTSIDE[name], "by the system if memory was short", external=True)
        return WorkerDied(Why.PROCESS, _SIGNALS.get(name, f"killed by {name}"))

    def _wait(self, until: float) -> int | None:
        while self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = status
            elif monotonic() > until:
                return None
            else:
                sleep(0.001)
        return self._status

    def end(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._alive < 0 or self._owner != os.getpid():
            return  # ended before, or inherited by another process
        with held():  # a descriptor closed twice may be somebody else's by then
            os.close(self._alive)
            self._alive = -1
            self.channel.close()
            if self._status is None:
                with suppress(ProcessLookupError, ChildProcessError):
                    os.kill(self.pid, signal.SIGKILL)
                    self._status = os.waitpid(self.pid, 0)[1]
