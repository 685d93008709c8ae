"""Places in source files: where a call or an exception stands, as people are shown it."""

from __future__ import annotations

import dis
import linecache
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

from ramify.runtime.recording.frames import is_own
from ramify.runtime.recording.sites import position_in

RAISE = dis.opmap["RAISE_VARARGS"]


class Place(NamedTuple):
    """A stretch of one line; columns count characters from 0."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    function: str = ""

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).rstrip("\n")

    def caret(self) -> str:
        """Two lines: the source and what is meant in it."""
        text = self.source
        if not text.strip():
            return ""
        indent = len(text) - len(text.lstrip())
        start = max(self.column, indent)
        end = self.end_column if self.end_column > start else len(text)
        return f"{text[indent:]}\n{' ' * (start - indent)}{'^' * max(min(end, len(text)) - start, 1)}"


def position(code: CodeType, offset: int) -> Place:
    """The place of an instruction."""
    line, end_line, column, end = position_in(code, offset)
    if line is None:
        return Place(code.co_filename, code.co_firstlineno, function=code.co_qualname)
    text = linecache.getline(code.co_filename, line)
    start = _characters(text, column or 0)
    stop = _characters(text, end or 0) if end_line == line else len(text.rstrip())
    return Place(code.co_filename, line, start, stop, code.co_qualname)


def _characters(line: str, count: int) -> int:
    """Python counts columns in bytes."""
    return count if line.isascii() else len(line.encode()[:count].decode(errors="ignore"))


def of_frame(frame: FrameType | None) -> Place | None:
    """Where the nearest frame outside the engine stands."""
    while frame is not None:
        if not is_own(frame.f_code.co_filename):
            return position(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None


class Frame(NamedTuple):
    """One frame that an exception passed through."""

    place: Place
    module: str
    raised: bool  # whether a `raise` statement stands there


def frames(trace: TracebackType | None) -> list[Frame]:
    """The frames of a traceback that are not the engine's, outermost first; a deep recursion only in part."""
    found: list[Frame] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_own(code.co_filename):
            explicit = code.co_code[trace.tb_lasti] == RAISE
            module = trace.tb_frame.f_globals.get("__name__", "")
            if len(found) < 40 or trace.tb_next is None:
                found.append(Frame(position(code, trace.tb_lasti), module, explicit))
        trace = trace.tb_next
    return found
