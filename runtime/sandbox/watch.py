"""A watch over work in this process: it ends when its time is up, when it takes too much memory, or on a signal.

The engine looks at its clock between its steps, which is the normal way to end. One step may take long all the
same: a term of a million parts, a question to the solver, a child that does not answer. So a timer looks too, and
raises `Stopped` in the middle of whatever goes on. Only work is disturbed like that, never what is done with
what it yields: what was found is written to its end.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from types import FrameType
from typing import Any, TypeVar

from ramify.runtime.sandbox.policy import MIB

TIME, MEMORY, INTERRUPTED = "time", "memory", "interrupted"

MOST_MEMORY = 1024 * MIB
"""What a command's own process may take, its children not counted."""

ENOUGH_MEMORY = 700 * MIB
"""What work may add before it is ended: what a single step needs on top must fit too."""

SLACK = 0.2
"""Seconds beyond the budget before the timer ends what goes on: the engine's own clock comes first."""

CLOSING = 0.3
"""Seconds for a question whose answer is only wanted to put together what is known."""

_TICK = 0.05
_OWN = {__file__, contextlib.__file__}
T = TypeVar("T")


class Stopped(BaseException):
    """The work ends here. Nothing that handles errors may take it for one, hence no `Exception`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Interrupted(KeyboardInterrupt):
    """A signal asked for the end; `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@dataclass(slots=True)
class _Watched:
    """What there is one of in a process: its alarm, its handlers of signals."""

    watch: Watch | None = None
    held: int = 0
    asked: int | None = None  # the signal that asked for the end
    interrupts: list[Callable[[], None]] = field(default_factory=list)  # of the calls into C code that go on


_process = _Watched()


class Watch:
    """Time and memory for some work. Its clock starts with the work."""

    def __init__(self, seconds: float | None, enough: int = ENOUGH_MEMORY, slack: float = SLACK) -> None:
        self._seconds = None if seconds is None else seconds + slack
        self._enough = enough
        self._before = 0  # what the process took when the work began: that is not ours
        self._end: float | None = None
        self.closing = False

    def over(self, work: Generator[T, None, None]) -> Iterator[T]:
        """What the work yields. Between its steps nothing is disturbed."""
        with held(), self._armed():
            while True:
                try:
                    end = self._due()
                    with _let_through():
                        step = next(work) if end is None else work.throw(end)
                except StopIteration:
                    return
                yield step

    @contextmanager
    def _armed(self) -> Iterator[None]:
        self._before = resident()
        if self._seconds is not None:
            self._end = monotonic() + self._seconds
        usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if not usable or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
            yield  # another thread, or somebody else's timer: the engine's own clock has to do
            return
        _process.watch, hook, sys.unraisablehook = self, sys.unraisablehook, _unraisable
        with _woken():
            try:
                signal.signal(signal.SIGALRM, _ring)
                signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
                yield
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                _process.watch, sys.unraisablehook = None, hook

    def _due(self) -> BaseException | None:
        """What the work must be ended with now, if it must: a signal may have come between two steps."""
        if self.closing:
            return None
        if _process.asked is not None:
            return Interrupted(_process.asked)
        return Stopped(TIME) if self.late() else None  # of its memory the timer takes care: asking costs a step

    def stop(self) -> Stopped | None:
        """Whether the work must end; so it is said again and again, until somebody says that it is closing."""
        if self.closing:
            return None
        if self.late():
            return Stopped(TIME)
        return Stopped(MEMORY) if resident() - self._before > self._enough else None

    def late(self) -> bool:
        return self._end is not None and monotonic() >= self._end

    def close(self) -> None:
        """The end was noticed: what is left is to put together what is known, for which nobody is stopped."""
        self.closing = True


def closing() -> None:
    """To be called by who catches `Stopped` or an interrupt and goes on to put together what is known."""
    if _process.watch is not None:
        _process.watch.close()


def _ring(number: int, frame: FrameType | None) -> None:
    if _process.watch is not None and _disturbable(frame) and (stop := _process.watch.stop()) is not None:
        raise stop


def _disturbable(frame: FrameType | None) -> bool:
    """Whether an exception may be raised where a signal has come: not between a step's end and its delivery."""
    return not _process.held and frame is not None and frame.f_code.co_filename not in _OWN


def _unraisable(problem: Any) -> None:
    """What was raised inside a destructor or a callback of C code is raised again, at the next tick or step."""
    if not isinstance(problem.exc_value, Stopped | KeyboardInterrupt):
        sys.__unraisablehook__(problem)


# -- signals ----------------------------------------------------------------------------------------


@contextmanager
def signals() -> Iterator[None]:
    """Ctrl-C and a request to terminate raise `Interrupted` in work, and wait for the end of what is held."""
    before = {number: signal.signal(number, _asked) for number in (signal.SIGINT, signal.SIGTERM)}
    hook, sys.unraisablehook = sys.unraisablehook, _unraisable  # it may come inside a destructor
    _process.asked = None
    try:
        yield
    finally:
        _process.asked = None
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _asked(number: int, frame: FrameType | None) -> None:
    again, _process.asked = _process.asked is not None, number
    if again or _disturbable(frame):  # whoever asks twice does not want to wait
        raise Interrupted(number)


def asked_to_end() -> int | None:
    """The number of the signal that asked for the end, if one did."""
    return _process.asked


@contextmanager
def held() -> Iterator[None]:
    """Nothing in here is disturbed: no timer ends it, and a signal waits."""
    _process.held += 1
    try:
        yield
    finally:
        _process.held -= 1


@contextmanager
def _let_through() -> Iterator[None]:
    """The work inside of what is held."""
    before, _process.held = _process.held, 0
    try:
        yield
    finally:
        _process.held = before


# -- calls into C code ------------------------------------------------------------------------------


@contextmanager
def _woken() -> Iterator[None]:
    """Python's handlers wait until a call into C code returns. A thread hears of every signal at once, through a
    pipe, and ends those calls that can be ended.
    """
    before = signal.set_wakeup_fd(-1)
    if before != -1:  # an event loop's
        signal.set_wakeup_fd(before)
        yield
        return
    hear, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    thread = threading.Thread(target=_listen, args=(hear,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        os.close(wake)
        thread.join()


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """A long call into C code, which another thread may interrupt."""
    _process.interrupts.append(interrupt)
    try:
        yield
    finally:
        _process.interrupts.pop()


def _listen(descriptor: int) -> None:
    while heard := os.read(descriptor, 64):
        watch = _process.watch
        ends = {signal.SIGINT, signal.SIGTERM}.intersection(heard)
        if watch is not None and not _process.held and (ends or watch.late()):
            for interrupt in list(_process.interrupts):
                interrupt()
    os.close(descriptor)


def resident() -> int:
    """The memory this process takes now, in bytes; 0 where nobody tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except OSError:
        return 0
