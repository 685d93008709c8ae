"""What a worker's child process does: cut itself off from the world, build what it serves, answer requests.

Functions that work after the target was imported are bound before it is: a target may replace them.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fcntl import F_DUPFD, F_GETFL, F_SETFL, F_SETOWN, fcntl
from itertools import pairwise
from typing import Any, NoReturn

from ramify.runtime.recording import frames
from ramify.runtime.sandbox import travel
from ramify.runtime.sandbox.channel import ANSWER, BROKEN, FAILED, LOST, MEMORY, NOTE, RAISED, Channel, Closed
from ramify.runtime.sandbox.guard import Guard
from ramify.runtime.sandbox.policy import Policy
from ramify.runtime.sandbox.restore import State

_HIGH = 500  # descriptors from here on are ours: nobody closes them by guessing small numbers

_COLLECTING = gc.get_threshold()  # a parent may look for garbage less often; a target does not notice
_exit = os._exit
_MemoryError = MemoryError


@dataclass(slots=True)
class _Here:
    """What this process is as a worker's child; in any other process there is neither."""

    channel: Channel | None = None
    state: State | None = None


_here = _Here()  # one: whoever tells the parent something runs deep inside what is served


def tell(note: Any) -> None:
    """Lets the parent know of something before the answer: it is known even if this process dies."""
    if _here.channel is not None:
        _here.channel.send(NOTE, travel.dumps(note))


def restore() -> None:
    """Puts back what a run changed in the interpreter, between two runs of one request."""
    if _here.state is not None:
        _here.state.restore()


def main(factory: Callable[[], Any], policy: Policy, requests: int, answers: int, lifeline: int) -> NoReturn:
    """The life of the child; it never returns to the parent's code."""
    status = FAILED
    try:
        requests, answers, lifeline = _keep_only(requests, answers, lifeline)
        _die_with_parent(lifeline)
        _calm_signals()
        _plain_streams()
        _limit(policy)
        _here.channel = channel = Channel(requests, answers)
        gc.set_threshold(*_COLLECTING)
        gc.freeze()  # what came from the parent is never collected here, so its pages stay shared
        guard = Guard(policy, tell)
        guard.install()
        _here.state = state = State("signal" in policy.allow)
        status = BROKEN  # from here on code of the target runs, and may take from under us what we stand on
        _serve(factory, channel, guard, state)
    except Closed:
        status = LOST
    finally:
        _exit(status)


@frames.boundary
def _serve(factory: Callable[[], Any], channel: Channel, guard: Guard, state: State) -> None:
    try:
        served = factory()
    except BaseException as error:
        _refuse(channel, error)
        return
    channel.send(ANSWER, travel.dumps(None))
    while True:
        _, request = channel.receive()
        method, args, kwargs = travel.loads(request)
        guard.start()
        state.restore()
        try:
            channel.send(ANSWER, travel.dumps(getattr(served, method)(*args, **kwargs)))
        except Closed:
            raise
        except BaseException as error:
            _refuse(channel, error)


def _refuse(channel: Channel, error: BaseException) -> None:
    """Answers with an exception. Where memory has run out, with as little as possible."""
    if isinstance(error, _MemoryError):
        channel.send(MEMORY, b"")
    else:
        channel.send(RAISED, travel.dumps(travel.pack_exception(error)))


# -- before the target is imported ------------------------------------------------------------------


def _keep_only(*descriptors: int) -> list[int]:
    """Closes every descriptor that came from the parent but these, which get large numbers; the standard ones
    lead nowhere.
    """
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    base = min(_HIGH, limit // 2) if limit != resource.RLIM_INFINITY else _HIGH
    kept = [fcntl(descriptor, F_DUPFD, base) for descriptor in descriptors]
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    edges = [2, *sorted(kept), 1 << 16 if limit == resource.RLIM_INFINITY else limit]
    for low, high in pairwise(edges):
        os.closerange(low + 1, high)
    return kept


def _die_with_parent(lifeline: int) -> None:
    """The kernel ends this process, even in the middle of C code, when the parent's end of the pipe closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl(lifeline, F_SETOWN, os.getpid())
    fcntl(lifeline, F_SETFL, fcntl(lifeline, F_GETFL) | os.O_ASYNC)


def _calm_signals() -> None:
    """No handler of the parent's is left; Ctrl-C is for the parent to decide about."""
    faulthandler.disable()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.set_wakeup_fd(-1)
    ignored = {signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT}
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        wanted = signal.SIG_IGN if number in ignored else signal.SIG_DFL
        if signal.getsignal(number) != wanted:
            signal.signal(number, wanted)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _plain_streams() -> None:
    sys.settrace(None)
    sys.setprofile(None)
    sys.dont_write_bytecode = True
    sys.stdin = sys.__stdin__ = open(os.devnull, encoding="utf-8")  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    warnings.resetwarnings()
    warnings.simplefilter("ignore")


def _limit(policy: Policy) -> None:
    """Limits that the kernel keeps."""
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_AS: _address_space() + policy.memory}
    if "write" not in policy.allow:
        limits[resource.RLIMIT_FSIZE] = 0  # what writes without telling Python fails too
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):  # macOS does not limit address space
            continue


def _address_space() -> int:
    """What this process has mapped already: its size says nothing about the target."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
