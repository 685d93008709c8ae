"""Makes an input that shows something smaller, as long as it still shows it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime.nodes import Assignment

TRIES = 400
SECONDS = 1.0

Shows = Callable[[Assignment], bool]


def shrink(assignment: Assignment, shows: Shows, tries: int = TRIES, seconds: float = SECONDS) -> Assignment:
    """The smallest assignment found for which `shows` is still true; it is true for the given one."""
    best = dict(assignment)
    end = time.perf_counter() + seconds
    progress = True
    while progress:
        progress = False
        for name in list(best):
            for value in smaller(best[name], name.startswith("choice(")):
                if tries <= 0 or time.perf_counter() > end:
                    return best
                tries -= 1
                candidate = {**best, name: value}
                if distinct(candidate) and shows(candidate):
                    best, progress = candidate, True
                    break
    return best


def distinct(assignment: Assignment) -> bool:
    """Whether keys of dicts and elements of sets differ, as far as they are used."""
    groups: dict[str, list[Any]] = {}
    for name, value in assignment.items():
        if name.startswith("list(") and ")[" in name:
            owner, _, index = name[5:].rpartition(")[")
            length = assignment.get(f"len({owner})", 0)
            number = index.rstrip("]")
            if number.isdigit() and isinstance(length, int) and int(number) < length and "." not in index:
                groups.setdefault(owner, []).append(value)
    return all(len(set(map(repr, values))) == len(values) for values in groups.values())


def smaller(value: Any, choice: bool = False) -> Iterator[Any]:
    """Simpler values of the same type, the simplest first."""
    if isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, int):
        yield from range(value) if choice else _smaller_int(value)
    elif isinstance(value, float):
        yield from _smaller_float(value)
    elif isinstance(value, str):
        yield from _smaller_text(value)
    elif isinstance(value, (list, tuple)):
        yield from _smaller_list(list(value))


def _smaller_int(value: int) -> Iterator[int]:
    seen = {value}
    size = abs(value)
    sign = 1 if value > 0 else -1
    near = [0, 1, -1, size, 2, 3, 10]
    cuts = [sign * (size - (size >> k)) for k in range(1, size.bit_length() + 1)]
    for number in [*near, sign * (size // 2), *cuts, value - sign]:
        if number not in seen and (abs(number), number < 0) < (size, value < 0):
            seen.add(number)
            yield number


def _smaller_float(value: float) -> Iterator[float]:
    if math.isnan(value):
        return
    candidates = [0.0, 1.0, -1.0, 0.5, abs(value)]
    if math.isfinite(value):
        candidates += [float(int(value)), round(value, 1), round(value, 3), value / 2]
    seen = {repr(value)}
    for number in candidates:
        if repr(number) not in seen and _weight(number) < _weight(value):
            seen.add(repr(number))
            yield number


def _weight(value: float) -> tuple[int, float, bool]:
    return len(repr(abs(value))), abs(value), value < 0


def _smaller_text(value: str) -> Iterator[str]:
    length = len(value)
    if length:
        yield ""
    for size in sorted({length // 2, 1}, reverse=True):
        if size:
            for start in range(0, length, size):
                yield value[:start] + value[start + size :]
    for k, character in enumerate(value[:20]):
        for simple in "a0 ":
            if _plainness(simple) < _plainness(character):
                yield value[:k] + simple + value[k + 1 :]


def _plainness(character: str) -> tuple[int, int]:
    order = "a0 bcdefghijklmnopqrstuvwxyz123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    place = order.find(character)
    return (0, place) if place >= 0 else (1, ord(character))


def _smaller_list(value: list[Any]) -> Iterator[list[Any]]:
    if value:
        yield []
    if len(value) > 3:
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
    for k in range(min(len(value), 20)):
        yield value[:k] + value[k + 1 :]
    for k, item in enumerate(value[:20]):
        for simple in smaller(item):
            yield [*value[:k], simple, *value[k + 1 :]]
