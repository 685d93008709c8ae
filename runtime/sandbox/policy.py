"""What a target may do in its child process, and how much of the machine it may use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ramify.errors import InputError

KINDS: dict[str, str] = {
    "write": "create, change, move or delete files",
    "subprocess": "start processes",
    "network": "use sockets",
    "ctypes": "call C libraries through ctypes",
    "signal": "send signals or change how they are handled",
    "system": "change limits of the process, the system log or the registry",
    "gc": "look at every object through the garbage collector",
}
"""What is refused unless it is allowed."""

MIB = 1024 * 1024

REFUSED = "refused by ramify"
"""What every exception says that the target gets for trying."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What is allowed and the limits of a child. `memory` counts what the target needs beyond the engine."""

    allow: frozenset[str] = frozenset()
    memory: int = 2048 * MIB
    seconds: float = 10.0  # of one run
    import_seconds: float = 60.0
    output: int = MIB  # bytes that one run may print

    def __post_init__(self) -> None:
        unknown = sorted(self.allow - KINDS.keys())
        if unknown:
            raise InputError(f"nothing called {unknown[0]!r} can be allowed; there is {', '.join(KINDS)}")


def policy_of(
    allow: Iterable[str] = (), memory: int | None = None, seconds: float | None = None
) -> Policy:
    """The policy a user asks for: memory in MiB, seconds of one run."""
    standard = Policy()
    return Policy(
        frozenset(allow),
        standard.memory if memory is None else memory * MIB,
        standard.seconds if seconds is None else seconds,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something a target tried to do and was not allowed to."""

    kind: str  # one of KINDS
    action: str  # in words: "write /tmp/x"
    file: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line} tried to {self.action}: refused (allow with --allow {self.kind})"


def in_units(size: int) -> str:
    """A number of bytes for people."""
    for unit, name in ((1024 * MIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"
