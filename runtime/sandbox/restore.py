"""Puts back what a run may have left changed in the interpreter, so that the next one starts as the first did.

The module under test is executed anew elsewhere (`isolate.py`); this is about what all modules share.
"""

from __future__ import annotations

import builtins
import math
import os
import random
import resource
import signal
import sys
import threading
import time
from fcntl import F_DUPFD, fcntl
from types import ModuleType
from typing import Any

_SHARED: tuple[ModuleType, ...] = (builtins, math, os, random, signal, threading, time)
"""Modules that targets and their tests like to patch."""

_HIGH = 443  # a descriptor that hardly anybody closes by guessing numbers
_fstat, _dup2, _open, _devnull = os.fstat, os.dup2, os.open, os.devnull
_READ_AND_WRITE = os.O_RDWR
_chdir, _getcwd, _signal, _getsignal = os.chdir, os.getcwd, signal.signal, signal.getsignal
_settrace, _setprofile, _setrecursionlimit = sys.settrace, sys.setprofile, sys.setrecursionlimit


class State:
    """How the interpreter was when it was made."""

    def __init__(self, signals: bool) -> None:
        self._modules = [(vars(module), dict(vars(module))) for module in _SHARED]
        # Its plain dict: comparing the mapping itself would decode every variable.
        self._data: dict[Any, Any] = os.environ._data  # type: ignore[attr-defined]
        self._variables = dict(self._data)
        self._environment, self._environ = dict(os.environ), os.environ
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._high = _HIGH if limit == resource.RLIM_INFINITY else min(_HIGH, limit // 3)
        self._nowhere = fcntl(_open(_devnull, _READ_AND_WRITE), F_DUPFD, self._high)
        self._folder = _getcwd()
        self._limit = sys.getrecursionlimit()
        self._streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr", "excepthook",
                                                                 "displayhook", "unraisablehook")}  # fmt: skip
        # Handlers are looked at only where the target may change them.
        numbers = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}) if signals else []
        self._handlers = [(number, _getsignal(number)) for number in numbers]

    def restore(self) -> None:
        _settrace(None)
        _setprofile(None)
        for namespace, before in self._modules:
            if not _unchanged(namespace, before):
                namespace.clear()
                namespace.update(before)
        for name, stream in self._streams.items():
            setattr(sys, name, stream)
        _setrecursionlimit(self._limit)
        for descriptor in (0, 1, 2):
            try:
                _fstat(descriptor)
            except OSError:  # somebody closed it
                self._replace(descriptor)
        if self._data != self._variables:
            self._environ.clear()
            self._environ.update(self._environment)
        try:
            moved = _getcwd() != self._folder
        except OSError:  # the directory is gone
            moved = True
        if moved:
            _chdir(self._folder)
        for number, handler in self._handlers:
            if _getsignal(number) != handler:
                _signal(number, handler)

    def _replace(self, descriptor: int) -> None:
        try:
            _dup2(self._nowhere, descriptor)
        except OSError:  # that one was closed too
            self._nowhere = fcntl(_open(_devnull, _READ_AND_WRITE), F_DUPFD, self._high)
            _dup2(self._nowhere, descriptor)


def _unchanged(namespace: dict[str, Any], before: dict[str, Any]) -> bool:
    try:
        return namespace == before
    except Exception:  # an object of the target that cannot be compared
        return False
