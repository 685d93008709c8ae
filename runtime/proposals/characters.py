"""One character of every kind that the Unicode database tells apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from functools import lru_cache
from itertools import chain

VIRAMA = 9  # the combining class of signs that join what stands around them
RANGES = (range(0x80, 0x3400), range(0xA640, 0xAC00, 4), range(0xFB00, 0xFFFE), range(0x10000, 0x1F000, 16))
"""The code points that are looked at; the others add no kind that programs tell apart."""


@lru_cache(maxsize=1)
def kinds() -> tuple[str, ...]:
    """The first character beyond ASCII of each kind."""
    found: dict[Hashable, str] = {}
    for code in chain.from_iterable(RANGES):
        found.setdefault(_kind(chr(code)), chr(code))
    return tuple(found.values())


def _kind(character: str) -> Hashable:
    combining = unicodedata.combining(character)
    made_of = unicodedata.decomposition(character)
    return (
        unicodedata.category(character),
        unicodedata.bidirectional(character),
        # More than fifty classes say how marks are stacked; programs ask only whether there is a mark.
        combining if combining in (0, VIRAMA) else -1,
        made_of.partition(">")[0] if made_of.startswith("<") else bool(made_of),
        unicodedata.decimal(character, None) is not None,
        unicodedata.digit(character, None) is not None,
        len(character.upper()),
    )
