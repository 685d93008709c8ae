"""Sets of code points that Python's `str` predicates accept, as ranges computed from Python itself."""

from __future__ import annotations

import sys
from bisect import bisect_right
from functools import cache

Range = tuple[int, int]

SMALL = {"isascii"}  # nothing beyond ASCII to consider


@cache
def ranges(name: str, end: int = sys.maxunicode + 1) -> tuple[Range, ...]:
    """The inclusive ranges of code points below `end` whose one-character text passes `str.<name>`."""
    test = getattr(str, name)
    found: list[Range] = []
    start = -1
    for code in range(end):
        if test(chr(code)):
            if start < 0:
                start = code
        elif start >= 0:
            found.append((start, code - 1))
            start = -1
    if start >= 0:
        found.append((start, end - 1))
    return tuple(found)


def member(name: str, code: int) -> bool:
    return bool(getattr(str, name)(chr(code)))


@cache
def cased(end: int = 128) -> tuple[Range, ...]:
    """Code points that have a case."""
    both = sorted(ranges("islower", end) + ranges("isupper", end))
    return tuple(both)


def contains(found: tuple[Range, ...], code: int) -> bool:
    """Whether a code point lies in one of the sorted ranges."""
    place = bisect_right(found, (code, sys.maxunicode)) - 1
    return place >= 0 and found[place][1] >= code
