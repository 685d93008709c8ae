"""The places where decisions are taken. Each is one object per process, so that sites compare by identity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from ramify.runtime.recording.frames import is_boundary, is_not_in, is_own, is_test


@dataclass(frozen=True, slots=True, eq=False)
class DecisionSite:
    """A place in the source that can branch. One object per place and process."""

    file: str
    function: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0
    test: bool = False  # the instruction there asks for a truth value, or for one more item
    negated: bool = False  # the instruction is `not in`: the container is asked for the opposite

    @property
    def span(self) -> tuple[int, int, int, int]:
        """The position as `Concolic.edges` has it."""
        return self.line, self.column, self.end_line, self.end_column

    def __str__(self) -> str:
        return f"{self.function}:{self.line}"

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, tuple(getattr(self, name) for name in self.__slots__)


NOWHERE = DecisionSite("", "", 0, 0)
Position = tuple[int | None, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class _SameCode:
    """A code object as itself: comparing two for equality takes as long as they are."""

    code: CodeType

    def __hash__(self) -> int:
        return id(self.code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameCode) and other.code is self.code


@lru_cache(maxsize=100)
def _positions(code: _SameCode) -> list[Position]:
    return list(code.code.co_positions())


def position_in(code: CodeType, offset: int) -> Position:
    """First and last line, first and last column of an instruction."""
    # Python decodes its table from the start for every question; a long function has thousands of sites.
    positions = _positions(_SameCode(code))
    number = offset // 2
    return positions[number] if 0 <= number < len(positions) else (None, None, None, None)


class Sites:
    """The sites that are known."""

    __slots__ = ("_by_choice", "_by_place", "_codes", "_elsewhere", "by_offset")

    def __init__(self) -> None:
        self.by_offset: dict[tuple[int, int], DecisionSite] = {}  # by id of the code object and instruction
        self._by_place: dict[tuple[int, int, int, int, int, bool], DecisionSite] = {}
        self._by_choice: dict[tuple[str, int], DecisionSite] = {}
        self._elsewhere: dict[tuple[Any, ...], DecisionSite] = {}  # found in other processes, by their fields
        self._codes: list[CodeType] = []  # keeps the code objects alive whose ids are keys

    def of(self, frame: FrameType | None) -> DecisionSite:
        """The place where the nearest frame outside the engine stands."""
        while frame is not None:
            code = frame.f_code
            key = (id(code), frame.f_lasti)
            site = self.by_offset.get(key)
            if site is not None:
                return site
            if is_boundary(code):
                return NOWHERE
            if not is_own(code.co_filename):
                site = self.by_offset[key] = self._place(code, frame.f_lasti)
                return site
            frame = frame.f_back
        return NOWHERE

    def _place(self, code: CodeType, offset: int) -> DecisionSite:
        """The site of an instruction. Specialised bytecode moves offsets about, so the position in the source
        identifies it.
        """
        line, end_line, column, end = position_in(code, offset)
        test = is_test(code, offset)
        key = (id(code), line or 0, column or 0, end_line or 0, end or 0, test)
        site = self._by_place.get(key)
        if site is None:
            first = line or code.co_firstlineno
            site = self._by_place[key] = DecisionSite(
                code.co_filename, code.co_qualname, first, column or 0, end_line or 0, end or 0, test,
                is_not_in(code, offset),
            )  # fmt: skip
            self._codes.append(code)
        return site

    def at(self, frame: FrameType, span: tuple[int, int, int, int]) -> DecisionSite:
        """The site of a truth test that a function of the engine makes for code at another position."""
        code = frame.f_code
        line, column, end_line, end_column = span
        key = (id(code), line, column, end_line, end_column, True)
        site = self._by_place.get(key)
        if site is None:
            site = self._by_place[key] = DecisionSite(code.co_filename, code.co_qualname, *span, True)
            self._codes.append(code)
        return site

    def of_choice(self, name: str, number: int) -> DecisionSite:
        """The site of a choice that is made while an input is built: which input, and which of its
        alternatives.
        """
        site = self._by_choice.get((name, number))
        if site is None:
            site = self._by_choice[name, number] = DecisionSite("", name, 0, number)
        return site

    def of_fields(self, fields: tuple[Any, ...]) -> DecisionSite:
        """The one object in this process for a site that was found in another."""
        site = self._elsewhere.get(fields)
        if site is None:
            site = self._elsewhere[fields] = DecisionSite(*fields) if any(fields) else NOWHERE
        return site


# One catalogue for the whole process: decisions of different runs, and of programs that share code, must find the
# same object, and `__bool__` of a concolic value is passed nothing that could lead to an owner.
known = Sites()


def interned(*fields: Any) -> DecisionSite:
    """The one object in this process for a site that was pickled."""
    return known.of_fields(fields)
