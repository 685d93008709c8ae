"""A higher recursion limit for walks over syntax trees as deep as the compiler takes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The limit belongs to the interpreter, not to a thread: the last one out puts it back.
_recursion_lock = threading.Lock()
_usual_limits: list[int] = []  # one for every thread that is inside `deep_recursion`, the first one counts


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let pure-Python walks follow expressions as deep as the compiler takes; they need no C stack."""
    with _recursion_lock:
        limit = sys.getrecursionlimit()
        _usual_limits.append(_usual_limits[0] if _usual_limits else limit)
        # From 3.11 on, calls between Python functions use no C stack, so that a high limit is safe for such
        # walks.
        sys.setrecursionlimit(max(limit, 50_000))
    try:
        yield
    finally:
        with _recursion_lock:
            limit = _usual_limits.pop()
            if not _usual_limits:
                sys.setrecursionlimit(limit)
