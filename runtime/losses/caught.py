"""Messages of exceptions as lost terms: C code writes concrete values into them.

A program that only catches them learns no more than that they were raised, which is decided. One that looks at the
exception itself may learn the rest: that is recorded as lost.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from ramify.runtime.recording import frames, path
from ramify.runtime.values import core

# What is said there are names, types, and what the path has decided.
_TELLING_NOTHING = (TypeError, AttributeError, NameError, ImportError, ArithmeticError, IndexError, RuntimeError,
                    AssertionError, StopIteration, StopAsyncIteration, GeneratorExit)  # fmt: skip
_DECIDED = ("not enough values to unpack", "too many values to unpack")


def caught(error: Any) -> None:
    """The program looks at an exception, and perhaps at those behind it."""
    seen: set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        # A `raise` of rewritten code wrote the message itself, where its terms were kept.
        if _tells(error) and not frames.raises(_last(error.__traceback__)):
            path.concretised(f"the message of {type(error).__name__}")
        # Whoever holds an exception reaches those before it.
        error = error.__cause__ or error.__context__


def looking() -> None:
    """The program asks for the exception that is being handled."""
    caught(sys.exc_info()[1])


def _last(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _tells(error: BaseException) -> bool:
    """Whether an exception that C code raised may carry something of a value."""
    if isinstance(error, _TELLING_NOTHING):
        return False
    return any(map(_is_value, error.args))


def _is_value(part: Any) -> bool:
    if type(part) in core.BUILTIN or part is None:
        return False
    if type(part) is not str:
        return True
    # Values in messages are quoted or are numbers.
    return not part.startswith(_DECIDED) and any(letter in "'\"" or letter.isdigit() for letter in part)
