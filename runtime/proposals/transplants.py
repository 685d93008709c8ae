"""Inputs in which one side of a comparison was put in place of the other, or what a container holds in place of
what was not found in it.

What is compared is often a piece of the input with what that piece should have been: a check digit with the
computed one, a key with a stored one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from ramify.cfg.leaves import Leaf
from ramify.runtime.terms import MAX_DECIMAL_BITS, Assignment

MAX_MADE = 24
MAX_ITEMS = 8  # of a container

MENDS = 12  # inputs made for one comparison

_CONTAINERS = (list, tuple, set, frozenset, dict)


def transplanted(assignment: Assignment, left: Any, right: Any) -> Iterator[Assignment]:
    """The assignment with the one value replaced by the other wherever it occurs, a place at a time."""
    return islice(_transplanted(assignment, left, right), MAX_MADE)


class Mending:
    """Makes what was compared and found different alike, so that a generated input gets past the test: its form
    may be right but for one word. Every comparison gets its turn, but no more than some.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._turns: Counter[Leaf] = Counter()

    def mended(self, assignment: Assignment, compared: dict[Leaf, tuple[Any, Any]]) -> Assignment | None:
        """The input with a piece of it replaced by what it was compared with; None if there is nothing to do."""
        waiting = [leaf for leaf in reversed(compared) if self._turns[leaf] < MENDS]
        # The comparison that had the fewest turns first; among equals the latest one of the run.
        for leaf in sorted(waiting, key=self._turns.__getitem__):
            made = list(transplanted(assignment, *compared[leaf]))
            if made:
                self._turns[leaf] += 1
                return self._random.choice(made)
        return None


def _transplanted(assignment: Assignment, left: Any, right: Any) -> Iterator[Assignment]:
    pairs = [(right, left), (left, right)]
    if type(right) in _CONTAINERS and type(left) is not type(right):
        pairs = [(left, item) for item in islice(right, MAX_ITEMS)]
    elif type(left) is type(right) and type(right) in (str, bytes) and 0 < len(left) < len(right):
        # It may have been looked for inside: `base in "xX"`.
        pieces = (right[start : start + len(left)] for start in range(len(right) - len(left) + 1))
        pairs += [(left, piece) for piece in islice(dict.fromkeys(pieces), MAX_ITEMS)]
    for old, new in pairs:
        for name, value in assignment.items():
            for changed in _replaced(value, old, new):
                yield {**assignment, name: changed}


def _replaced(value: Any, old: Any, new: Any) -> Iterator[Any]:
    if type(value) is str:
        yield from _in_text(value, _as_text(old), _as_text(new))
    elif type(value) in (list, tuple):
        for place, item in enumerate(value):
            for changed in _replaced(item, old, new):
                yield [*value[:place], changed, *value[place + 1 :]]
        # A part of a list, as of a text.
        if type(old) is type(new) is list and len(old) > 0:
            for place in range(len(value) - len(old) + 1):
                if list(value[place : place + len(old)]) == old:
                    yield [*value[:place], *new, *value[place + len(old) :]]
    elif type(value) in (int, float) and type(value) is type(old) is type(new) and value == old:
        yield new


def _in_text(value: str, old: str | None, new: str | None) -> Iterator[str]:
    if not old or new is None or old == new:
        return
    for written, other in dict.fromkeys(((old, new), (old.lower(), new.lower()), (old.upper(), new.upper()))):
        place = value.rfind(written)  # what checks the rest stands at the end, mostly
        while place >= 0:
            yield value[:place] + other + value[place + len(written) :]
            place = value.rfind(written, 0, place + len(written) - 1)


def _as_text(value: Any) -> str | None:
    if type(value) is bytes:
        return value.decode("latin-1")
    if type(value) is int:
        return str(value) if value.bit_length() <= MAX_DECIMAL_BITS else None
    return value if type(value) is str else None
