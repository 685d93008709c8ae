"""Numbers with their nouns, as people write them."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 run`, `2 runs`; the plural is given where it has no plain s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
