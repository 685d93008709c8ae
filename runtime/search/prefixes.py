"""Numbers for paths: two paths have the same one if they took the same decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramify.runtime.recording import Decision, shared_length


class Prefixes:
    """Every beginning of a path that was met, each known by the number of the one before it and one decision.

    A path costs what it does not share with the path before it. `same`: whose numbers these give too, for paths of
    another kind in between.
    """

    def __init__(self, same: Prefixes | None = None) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {} if same is None else same._numbers
        self._latest: Sequence[Decision] = ()
        self._along: list[int] = []  # the numbers of the latest path's beginnings

    def number(self, decisions: Sequence[Decision]) -> int:
        """The number of a path: sites, outcomes and conditions, in order; the phases do not count."""
        shared = shared_length(decisions, self._latest)
        along, numbers = self._along[:shared], self._numbers
        at = along[-1] if shared else 0
        for site, outcome, term, _ in decisions[shared:]:
            key = at, site, outcome, term
            at = numbers.get(key, 0)
            if not at:
                at = numbers[key] = len(numbers) + 1
            along.append(at)
        self._latest, self._along = decisions, along
        return at
