"""Messages between a worker and its parent: a kind, a length and bytes, over a pair of pipes.

The functions used are bound here, before any target is imported: what a target does to `os` or `select` does
not reach them.
"""

from __future__ import annotations

import select
import struct
from collections.abc import Callable
from os import close, read, write
from threading import RLock
from time import monotonic

CALL, ANSWER, RAISED, NOTE, MEMORY = b"C", b"A", b"E", b"N", b"M"
"""Kinds of messages: a request; the value or the exception that answers it; what is told before the answer; that
there is no memory left to answer.
"""

FAILED, LOST, BROKEN = 198, 199, 197
"""Exit statuses of a child that could not do its work, and of one whose pipe is gone."""

_HEADER = struct.Struct("=cQ")
_CHUNK = 1 << 16


class Closed(Exception):
    """The other side is gone."""


class Silent(Exception):
    """No message came in time."""


class Channel:
    """One end of a connection."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self.outgoing = incoming, outgoing
        self._poll = select.poll()
        self._poll.register(incoming, select.POLLIN)
        self._buffer = bytearray()
        self._lock = RLock()  # a thread of the target may be refused something while an answer is sent

    def send(self, kind: bytes, content: bytes) -> None:
        """Sends one message; a small one is written in one piece."""
        with self._lock:
            try:
                rest = memoryview(_HEADER.pack(kind, len(content)) + content)
                while rest:
                    rest = rest[write(self.outgoing, rest) :]
            except OSError as error:
                raise Closed(str(error)) from error

    def receive(
        self, until: float | None = None, longer: Callable[[], float] = lambda: 0.0
    ) -> tuple[bytes, bytes]:
        """The next message, waited for until that time of `monotonic`; then `longer` may grant more seconds."""
        kind, length = _HEADER.unpack(self._take(_HEADER.size, until, longer))
        return kind, self._take(length, until, longer)

    def _take(self, size: int, until: float | None, longer: Callable[[], float]) -> bytes:
        buffer = self._buffer
        while len(buffer) < size:
            if until is not None and not self._poll.poll(max(until - monotonic(), 0) * 1000):
                granted = longer()
                if granted <= 0:
                    raise Silent
                until = monotonic() + granted
                continue
            try:
                more = read(self.incoming, max(_CHUNK, size - len(buffer)))
            except OSError as error:
                raise Closed(str(error)) from error
            if not more:
                raise Closed("end of file")
            buffer += more
        taken = bytes(buffer[:size])
        del buffer[:size]
        return taken

    def close(self) -> None:
        for descriptor in (self.incoming, self.outgoing):
            close(descriptor)
