"""Room for walks over deeply nested source."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES = 60_000
"""CPython compiles what is nested up to its limit of recursion (on 3.13 thousands of levels more), and a visitor
takes several frames for each level. Calls from Python to Python need no space on the stack of C.
"""


@contextmanager
def deep_trees() -> Iterator[None]:
    """In between, visitors may go as deep as the compiler did. No code of a target may run there."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
