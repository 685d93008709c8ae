"""A higher recursion limit for walks over syntax trees as deep as the compiler takes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _RecursionLimit:
    """The interpreter's limit, which all threads share: the last one out puts it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0  # that are inside `raised`
        self._usual = 0

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Let pure-Python walks follow expressions as deep as the compiler takes; they need no C stack."""
        with self._lock:
            limit = sys.getrecursionlimit()
            if self._threads == 0:
                self._usual = limit
            self._threads += 1
            # From 3.11 on, calls between Python functions use no C stack, so that a high limit is safe here.
            sys.setrecursionlimit(max(limit, 50_000))
        try:
            yield
        finally:
            with self._lock:
                self._threads -= 1
                if self._threads == 0:
                    sys.setrecursionlimit(self._usual)


deep_recursion = _RecursionLimit().raised
