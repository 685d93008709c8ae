"""Smaller inputs: assignments with one value replaced by a plainer one, the plainest first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime.terms import Assignment, InputKind, InputName, kind_of

MAX_ALTERNATIVES = 8  # of a union
MAX_PLACES = 12  # in a long text or list at which something plainer is tried


def smaller(assignment: Assignment) -> Iterator[Assignment]:
    """The assignment with one value made smaller, for each value and each way."""
    for name, value in assignment.items():
        for plainer in plainer_values(value):
            yield {**assignment, name: plainer}


def plainer_values(value: Any) -> Iterator[Any]:
    """Values of the same type that are easier to read; none for the plainest."""
    kind = type(value)
    if kind is int:
        yield from _ints(value)
    elif kind is float:
        yield from _floats(value)
    elif kind is str:
        yield from _texts(value)
    elif kind in (list, tuple):
        yield from _lists(list(value))


def _ints(value: int) -> Iterator[int]:
    if value == 0:
        return
    yield 0
    if abs(value) > 1:
        yield 1 if value > 0 else -1
    if value < 0:
        yield -value
    if abs(value) == 3:
        yield 2 if value > 0 else -2
    if abs(value) > 3:
        # Towards zero: `//` would round negative numbers away from it. Beyond 2**53 floats are too coarse.
        yield int(value / 2) if abs(value) < 2**53 else value // 2
        if abs(value) > 20:
            # Round numbers are easier to read.
            yield value // 10 * 10 if value % 10 else value // 10
        yield value - (1 if value > 0 else -1)


def _floats(value: float) -> Iterator[float]:
    if value == 0 and math.copysign(1, value) > 0:
        return
    yield 0.0
    if value != value or math.isinf(value):
        return
    yield from (float(n) for n in _ints(round(value)) if abs(n) < abs(value))
    if value != round(value):
        yield float(round(value))
        yield round(value, 1)


def _texts(value: str) -> Iterator[str]:
    if not value:
        return
    yield ""
    for start, end in _pieces(len(value)):
        yield value[:start] + value[end:]
    for place in range(min(len(value), MAX_PLACES)):
        character = value[place]
        plain = "0" if character.isdigit() else "a" if character.isalpha() else " "
        if character != plain and not (character.isascii() and character.isprintable()):
            yield value[:place] + plain + value[place + 1 :]


def _lists(value: list[Any]) -> Iterator[list[Any]]:
    if not value:
        return
    yield []
    for start, end in _pieces(len(value)):
        yield value[:start] + value[end:]
    for place in range(min(len(value), MAX_PLACES)):
        for plainer in plainer_values(value[place]):
            yield [*value[:place], plainer, *value[place + 1 :]]


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    """What can be left out of a sequence: halves first, then quarters, down to single items."""
    width = size // 2
    while width:
        yield from ((start, start + width) for start in range(0, size, width))
        width //= 2


def smallest(
    assignment: Assignment,
    shows: Callable[[Assignment], bool],
    size: Callable[[Assignment], int],
    seconds: float,
) -> Assignment:
    """The plainest assignment found for which `shows` still holds; it holds for the given one. `size` is how long
    an assignment is when it is written down.
    """
    best, end = assignment, time.perf_counter() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in _candidates(best, size):
            if time.perf_counter() > end:
                return best
            if _distinct(candidate) and shows(candidate):
                # Begun anew from the smaller one: what was too much before may be possible now.
                best, progress = candidate, True
                break
    return best


def _candidates(assignment: Assignment, size: Callable[[Assignment], int]) -> Iterator[Assignment]:
    """Other alternatives of unions first, where they are shorter: they do away with whole objects. Then defaults:
    they need not be written.
    """
    length = size(assignment)
    choices = [name for name in assignment if kind_of(name) is InputKind.CHOICE]
    for name in choices:
        others = ({**assignment, name: number} for number in range(MAX_ALTERNATIVES) if number != assignment[name])
        yield from (other for other in others if size(other) < length)
    values = {name: value for name, value in assignment.items() if name not in choices}
    for name in values:
        usual = {other: value for other, value in assignment.items() if other != name}
        if size(usual) < length:
            yield usual
    for plainer in smaller(values):
        candidate = {**assignment, **plainer}
        if size(candidate) <= length:
            yield candidate


def _distinct(assignment: Assignment) -> bool:
    """Whether keys of dicts and elements of sets differ, as far as they are used."""
    for name, length in assignment.items():
        owner = name.owner if isinstance(name, InputName) and name.kind is InputKind.LENGTH else None
        if owner is not None and isinstance(length, int):
            keys = [assignment.get(owner.key(number)) for number in range(min(length, 50))]
            given = [repr(key) for key in keys if key is not None]
            if len(set(given)) != len(given):
                return False
    return True
