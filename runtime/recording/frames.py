"""Whose code a frame runs, and what the instruction does that it stands at.

Frames of the engine are never places of decisions; those of rewritten code are known by a mark in their builtins.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from opcode import opmap, opname
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

MARK = "__ramify_call__"  # stands in the builtins of rewritten modules

_F = TypeVar("_F", bound=Callable[..., Any])
_CACHE = opmap["CACHE"]
_TESTS = {"TO_BOOL", "UNARY_NOT", "COMPARE_OP", "CONTAINS_OP", "FOR_ITER"}
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Filled at import, by decorators. By id, since a code object's own hash goes through all its constants; the values
# keep the ids taken.
_boundaries: dict[int, CodeType] = {}
_keeping_texts: dict[int, CodeType] = {}


@cache
def is_own(filename: str) -> bool:
    """Whether a source file belongs to the engine (or is a model inside it), so that it is never a site."""
    return os.path.abspath(filename).startswith(_OWN + os.sep)


def boundary(function: _F) -> _F:
    """Marks the function of the engine that starts runs: what is decided with only the engine above has no
    site.
    """
    code: CodeType = function.__code__
    _boundaries[id(code)] = code
    return function


def is_boundary(code: CodeType) -> bool:
    """Whether a code object is that of such a function."""
    return id(code) in _boundaries


def keeps_texts(function: _F) -> _F:
    """Marks a function of the engine that asks concolic values for their texts and keeps the terms of these."""
    code: CodeType = function.__code__
    _keeping_texts[id(code)] = code
    return function


def loses_text(frame: FrameType) -> bool:
    """Whether a text that was made of an input for this frame becomes mere characters: C code or code that is not
    rewritten has asked for it, below code that is.
    """
    return id(frame.f_code) not in _keeping_texts and not _gets(frame) and _is_below_rewritten(frame)


def origin(error: BaseException) -> tuple[str, int] | None:
    """The file and line of the innermost frame outside the engine that an exception passed through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not is_own(filename):
            found = filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def raises(trace: TracebackType | None) -> bool:
    """Whether an exception that came from there was raised by a `raise` of rewritten code."""
    if trace is None or MARK not in trace.tb_frame.f_builtins:
        return False
    return _operation(trace.tb_frame.f_code, trace.tb_lasti) in ("RAISE_VARARGS", "RERAISE")


_ORDERLESS = {"sorted_", "min_", "max_", "sum_", "any_", "all_", "set_", "frozenset_", "update", "_extreme"}


def is_orderless(frame: FrameType | None) -> bool:
    """Whether the code that goes through a set is the engine's, and gives the same in any order."""
    while frame is not None and is_own(frame.f_code.co_filename):
        if not _ORDERLESS.isdisjoint(frame.f_code.co_qualname.split(".")):
            return True
        frame = frame.f_back
    return False


def is_test(code: CodeType, offset: int) -> bool:
    """Whether the instruction there asks for a truth value, or for one more item."""
    name = _operation(code, offset)
    return ("JUMP" in name and "_IF_" in name) or name in _TESTS


def is_not_in(code: CodeType, offset: int) -> bool:
    """Whether the instruction there is `not in`."""
    raw = code.co_code
    return 0 <= offset < len(raw) and opname[raw[offset]] == "CONTAINS_OP" and raw[offset + 1] == 1


def _operation(code: CodeType, offset: int) -> str:
    """The name of the instruction there."""
    raw = code.co_code
    if not 0 <= offset < len(raw):
        return ""
    while offset and raw[offset] == _CACHE:  # a generator that is run inline finds its caller behind FOR_ITER
        offset -= 2
    return opname[raw[offset]]


# Where rewritten code itself gets a text: parts of f-strings, and methods it calls. C code is called by a model.
_GETTING = {
    "FORMAT_VALUE", "CONVERT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CALL", "CALL_KW", "CALL_FUNCTION_EX",
}  # fmt: skip


def _gets(frame: FrameType) -> bool:
    """Whether a frame of rewritten code is given a text as it is."""
    code = frame.f_code
    rewritten = MARK in frame.f_builtins and not code.co_filename.startswith("<")  # as what dataclasses generate
    return rewritten and _operation(code, frame.f_lasti) in _GETTING


def _is_below_rewritten(frame: FrameType | None) -> bool:
    """Whether rewritten code runs, in this frame or further up."""
    while frame is not None and id(frame.f_code) not in _boundaries:
        if MARK in frame.f_builtins:
            return True
        frame = frame.f_back
    return False
