"""One process of a measured run: it measures, and leaves what it has hit in the run's directory when it ends.

Every process of a run is alike, whether `ramify run` started it, `subprocess`, `multiprocessing` or `os.fork`.
Each leaves two kinds of file in the directory:

- `alive-PID` from its start until its hits are saved: one that stays behind belongs to a process that was
  killed, and tells the report so;
- `hits-PID-*.json` with the probes it hit and the modules it declined, complete or not there.

A process can end in many ways. Its hits are saved by an exit handler, before `os._exit` and `os.exec*`, and
when a signal is about to end it. What nobody can catch (SIGKILL, a crash) loses the hits of that process.

A signal handler in Python runs only between two instructions: a process that enters a blocking call in the
very moment of the signal would sleep on, where without us it would be dead. `multiprocessing` sends its workers
SIGTERM in just such moments. So whoever sends such a signal leaves `nudge-PID`, and the launcher, which watches
over the run, wakes that process with a signal that has no effect but to interrupt the call.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import json
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from ramify.instrument import probes
from ramify.instrument.hook import Hook
from ramify.instrument.script import ScriptFinder
from ramify.instrument.selection import Selection

SELECTION = "selection.json"

# Means nothing to a program that does not wait for urgent data on a socket, and is ignored by default.
NUDGE = signal.SIGURG

# Signals whose default action ends the process at once, and that are sent to end programs in good order.
_ENDING = [signal.SIGTERM, signal.SIGHUP]

_serial = itertools.count()


class _Process:
    """What this process leaves behind."""

    def __init__(self, directory: str, hook: Hook) -> None:
        self.directory = directory
        self.hook = hook
        self.begin()

    def begin(self) -> None:
        """Note that a process runs here; a forked child begins anew, with the hits of its parent so far."""
        pid = os.getpid()
        self.mark = os.path.join(self.directory, f"alive-{pid}")
        self.hits = os.path.join(self.directory, f"hits-{pid}-{os.urandom(4).hex()}.json")
        with contextlib.suppress(OSError):
            os.close(os.open(self.mark, os.O_CREAT | os.O_WRONLY, 0o600))

    def save(self) -> None:
        """Leave the hits; doing so again replaces them.

        A signal may interrupt this anywhere and save again; other threads may still be importing. So nothing
        here is shared between two calls, and nothing is imported, not even a codec. A failure is told by the
        mark that stays.
        """
        temporary = f"{self.hits}.{next(_serial)}"
        with contextlib.suppress(OSError, RuntimeError):
            files = [[name, digest, sorted(hits)] for (name, digest), hits in probes.measured().items()]
            content = json.dumps({"files": files, "declined": self.hook.declined.copy()})
            descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY, 0o600)
            with open(descriptor, "wb") as stream:
                stream.write(content.encode())
            # The mark goes last: hits without it are complete.
            os.replace(temporary, self.hits)
            os.unlink(self.mark)


def start(directory: str) -> None:
    """Measure this process for the run whose directory this is."""
    with open(os.path.join(directory, SELECTION), encoding="utf-8") as stream:
        selection = Selection.from_json(json.load(stream))
    hook = Hook(selection).install()
    sys.path_hooks.append(functools.partial(ScriptFinder, hook))
    process = _Process(directory, hook)
    atexit.register(process.save)
    # A forked child has hits of its own to save, under its own number.
    os.register_at_fork(after_in_child=process.begin)
    # The ways to end a process without exit handlers; `multiprocessing` ends its children by the first.
    for name in ("_exit", "execv", "execve"):
        setattr(os, name, _saving_first(getattr(os, name), process.save))
    os.kill = _asking_for_a_nudge(os.kill, directory)
    for number in _ENDING:
        # Python's own children of `nohup` and the like ignore such signals and go on doing so.
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, functools.partial(_end_by_signal, process))
    if signal.getsignal(NUDGE) == signal.SIG_DFL:
        signal.signal(NUDGE, _wake_up)


def _saving_first(function: Callable[..., Any], save: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def saving_first(*args: Any, **kwargs: Any) -> Any:
        try:
            save()
        finally:
            return function(*args, **kwargs)  # noqa: B012 -- above all, what was called must happen

    return saving_first


def _asking_for_a_nudge(kill: Callable[[int, int], None], directory: str) -> Callable[[int, int], None]:
    @functools.wraps(kill)
    def asking_for_a_nudge(pid: int, number: int, /) -> None:
        kill(pid, number)
        if number in _ENDING and os.path.exists(os.path.join(directory, f"alive-{pid}")):
            with contextlib.suppress(OSError):
                os.close(os.open(os.path.join(directory, f"nudge-{pid}"), os.O_CREAT | os.O_WRONLY, 0o600))

    return asking_for_a_nudge


def _wake_up(number: int, frame: FrameType | None) -> None:
    """Nothing; being called at all has ended a blocking call and let other handlers run."""


def _end_by_signal(process: _Process, number: int, frame: FrameType | None) -> NoReturn:
    """Do what the signal would have done, with the hits saved."""
    try:
        process.save()
    finally:
        signal.signal(number, signal.SIG_DFL)
        # Sent again with the default action, so that the parent sees a process that died of the signal.
        os.kill(os.getpid(), number)
    raise AssertionError("the default action of this signal ends the process")
