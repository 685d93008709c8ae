"""Texts that a parser of numbers or dates accepts, as proposals for guesses."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

MOMENTS = (datetime.datetime(2000, 1, 1), datetime.datetime(2024, 2, 29, 13, 5, 59))


def int_texts(now: str, base: int) -> Iterator[str]:
    """Numerals: near the present text, then with sign, blanks and underscores."""
    digits = "".join(c for c in now if c.isascii() and c.isdigit())
    if digits:
        yield digits
    yield from ("0", "1", "-1", "+1", " 1 ", "1_0")
    if base in (0, 16):
        yield from ("0x1f", "f")


def time_texts(layout: str) -> Iterator[str]:
    """Dates and times in an ISO format or one of `strptime`."""
    for moment in MOMENTS:
        if layout == "date":
            yield moment.date().isoformat()
        elif layout == "time":
            yield moment.time().isoformat()
        elif layout == "datetime":
            yield moment.isoformat()
        else:
            yield moment.strftime(layout)
