"""The session of a command that takes its time: an interrupt ends it with what was found; its status says so."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import click

from ramify.runtime.sandbox import asked_to_end, signals
from ramify.runtime.search import Summary


class Session:
    """While it is open, Ctrl-C and a request to terminate end the search that goes on; what is being written is
    written to its end.
    """

    def __init__(self) -> None:
        self._interrupted = False
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(signals())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._number = asked_to_end() or signal.SIGINT
        self._interrupted |= isinstance(error, KeyboardInterrupt) or asked_to_end() is not None
        self._stack.close()
        return isinstance(error, KeyboardInterrupt)

    @property
    def over(self) -> bool:
        """Whether nothing more is to be begun."""
        return self._interrupted or asked_to_end() is not None

    def interrupt(self) -> None:
        """Takes note of an interrupt that a search has met."""
        self._interrupted = True

    def status(self, otherwise: int, more: str = "") -> int:
        """The exit status, said in words as well if it is that of a signal."""
        if not self._interrupted:
            return otherwise
        click.echo(f"ramify: interrupted{more}", err=True)
        return 128 + self._number


def fix_hash_seed() -> None:
    """Starts the command again with a fixed hash seed: the order of a set of texts must not depend on the
    process.
    """
    if "PYTHONHASHSEED" not in os.environ and os.path.basename(sys.argv[0]) in ("ramify", "ramify.exe"):
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


class Progress:
    """A line on the terminal that says how far the exploration is; nothing at all in a pipe."""

    def __init__(self, name: str) -> None:
        self._status: Any = None
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status(name)
        self._name = name

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, summary: Summary) -> None:
        if self._status is not None:
            self._status.update(f"{self._name}: {summary.paths} paths, {summary.runs} runs")
