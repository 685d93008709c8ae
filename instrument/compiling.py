"""Compiling a rewritten module: without a word, and knowing what the compiler may refuse."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

# Rewriting deepens expressions; what the compiler can only just take plainly may then be too deep. Which of these
# it raises depends on the version, and on whether the parser, the symbol table or the compiler gives up first.
REFUSALS = (RecursionError, MemoryError, SyntaxError, ValueError)

# `warnings.filters` is one list for all threads; `catch_warnings` would also reset the registry of what was
# shown once.
_silence = threading.RLock()


@contextmanager
def without_warnings() -> Iterator[None]:
    """As `warnings.catch_warnings`, but for all threads in turn, and without forgetting what was shown once."""
    with _silence:
        filters = warnings.filters
        warnings.filters = [("ignore", None, Warning, None, 0)]
        try:
            yield
        finally:
            warnings.filters = filters
