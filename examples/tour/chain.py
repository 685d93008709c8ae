"""A linked list."""

from __future__ import annotations


class Link:
    """A number, and the rest of the list."""

    def __init__(self, value: int, rest: Link | None = None) -> None:
        self.value = value
        self.rest = rest


def length(links: Link | None) -> int:
    """How many links there are.

    :ensure: returnv >= 0
    """
    count = 0
    while links is not None:
        count += 1
        links = links.rest
    return count


def without(links: Link | None, value: int) -> Link | None:
    """The list without the first link of that value.

    :ensure: length(returnv) == length(links) or length(returnv) == length(links) - 1
    """
    if links is None:
        return None
    before = links
    while before.rest.value != value:  # type: ignore[union-attr]
        before = before.rest  # type: ignore[assignment]
    before.rest = before.rest.rest  # type: ignore[union-attr]
    return links
