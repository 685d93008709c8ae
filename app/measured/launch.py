"""Starts a measured program in a process of its own, waits for it, and collects what its processes have hit.

Running the program is Python's job, not ours: the child is `python SCRIPT ARGS` or `python -m MODULE ARGS`,
and Python itself makes `__main__`, handles signals and decides the exit status. The environment makes every
Python process below it start with `instrument/startup/sitecustomize.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ramify.cfg.hits import Measurement
from ramify.errors import InputError
from ramify.instrument import process
from ramify.instrument.selection import Selection

STARTUP = os.path.join(os.path.dirname(process.__file__), "startup")

# How long processes that outlive the program may take to end and leave their hits.
_GRACE_SECONDS = 3.0

# How often processes that were told to end are woken, see `ramify.instrument.process`.
_NUDGE_SECONDS = 0.1

# Sent to us, these are meant for the program.
_FORWARDED = {
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
}  # fmt: skip


@dataclass
class MeasuredRun:
    """What a measured program left behind; a negative `status` is the signal that ended it."""

    status: int
    measurement: Measurement = field(default_factory=Measurement)
    declined: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def launch(arguments: Sequence[str], selection: Selection, directory: str) -> MeasuredRun:
    """Run `python *arguments`, measuring the selected modules; `directory` is empty and ours."""
    command = [sys.executable, *interpreter_options(), *arguments]
    Path(directory, process.SELECTION).write_text(json.dumps(selection.to_json()), encoding="ascii")
    run = MeasuredRun(_wait_for(command, directory))
    running = _stragglers(directory)
    _collect(run, directory, running)
    return run


def interpreter_options() -> list[str]:
    """The options this interpreter was started with, for the program's to have the same."""
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise InputError("programs are measured through PYTHONPATH and site: run Ramify without -E, -I and -S")
    options = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv)]
    return options[:-1] if options[-1:] == ["-m"] else options


def _environment(directory: str) -> dict[str, str]:
    environment = dict(os.environ)
    path = environment.get("PYTHONPATH")
    entries = [entry for entry in path.split(os.pathsep) if entry != STARTUP] if path else []
    environment["PYTHONPATH"] = os.pathsep.join([STARTUP, *entries])
    environment["RAMIFY_RUN"] = directory
    return environment


# -- the process ----------------------------------------------------------------------------------


def _wait_for(command: list[str], directory: str) -> int:
    """Run a command to its end, as transparently to signals as a shell's `exec` would."""
    waited_for = {signal.SIGCHLD, *_FORWARDED}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    try:
        # All inheritable descriptors are handed on; Python ignores two signals that programs do not expect so.
        child = os.posix_spawn(
            command[0],
            command,
            _environment(directory),
            setsigmask=before,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        while True:
            received = signal.sigtimedwait(waited_for, _NUDGE_SECONDS)
            if received is None:
                _nudge(directory)
            elif received.si_signo == signal.SIGCHLD:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    return os.waitstatus_to_exitcode(status)
            elif received.si_pid:
                # Those of the terminal come from no process, and have reached the program already.
                os.kill(child, received.si_signo)
                Path(directory, f"nudge-{child}").touch()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _nudge(directory: str) -> None:
    """Wake the processes that were told to end and have not ended."""
    asked = {int(path.name.partition("-")[2]) for path in Path(directory).glob("nudge-*")}
    for pid in asked.intersection(_marked(directory)):
        with contextlib.suppress(OSError):
            os.kill(pid, process.NUDGE)


def end_like(status: int) -> int:
    """End as the program ended: by the same signal, else with its status."""
    if status < 0:
        sys.stdout.flush()
        sys.stderr.flush()
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status if status >= 0 else 128 - status


# -- what the processes left ----------------------------------------------------------------------


def _stragglers(directory: str) -> list[int]:
    """Wait a moment for processes that outlive the program; those that go on running are returned."""
    deadline = time.monotonic() + _GRACE_SECONDS
    while True:
        running = [pid for pid in _marked(directory) if _is_running(pid)]
        if not running or time.monotonic() > deadline:
            return running
        _nudge(directory)
        time.sleep(0.01)


def _marked(directory: str) -> list[int]:
    return [int(path.name.partition("-")[2]) for path in Path(directory).glob("alive-*")]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        # A process whose parent has not yet asked for its status is over all the same.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return True


def _collect(run: MeasuredRun, directory: str, running: list[int]) -> None:
    for path in sorted(Path(directory).glob("hits-*.json")):
        content = json.loads(path.read_text(encoding="ascii"))
        for filename, digest, hits in content["files"]:
            run.measurement.add(filename, digest, hits)
        run.declined.update(content["declined"])
    lost = len(_marked(directory)) - len(running)
    if lost > 0:
        run.notes.append(f"{_processes(lost)} ended without leaving what it covered (killed, or crashed)")
    if running:
        run.notes.append(f"{_processes(len(running))} still running; what it covers is not counted")
    for path in sorted(Path(directory).glob("unmeasured-*")):
        run.notes.append(f"a child process was not measured: {path.read_text(encoding='utf-8')}")


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes, each"
