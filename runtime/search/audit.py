"""Whether runs that decided alike did alike: if they did not, a term was lost and nobody recorded it.

A model that forgets to record a loss would let an exploration call reachable edges infeasible. It cannot be seen
in one run; it shows when two inputs take the same decisions and yet different edges, or when a run on concolic
values ends in another way than the same run on plain ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ramify.runtime.programs import RAISED, RETURNED, Execution

_End = tuple[str, str]


class Audit:
    """Remembers what the runs of each path did."""

    def __init__(self, edges: Iterable[int]) -> None:
        self._edges = frozenset(edges)
        self._known: dict[tuple[Any, ...], tuple[_End, frozenset[int]]] = {}

    def agrees(self, key: tuple[Any, ...], measured: Execution, concolic: Execution) -> bool:
        """Whether a run on plain values, and the same on concolic values, did what others on its path did."""
        if measured.outcome not in (RETURNED, RAISED) or concolic.outcome not in (RETURNED, RAISED):
            return True  # cut, crashed, rejected or violated: counted elsewhere
        end = _end(measured)
        did = end, self._edges.intersection(measured.hits)
        return end == _end(concolic) and self._known.setdefault(key, did) == did


def _end(execution: Execution) -> _End:
    return execution.outcome, type(execution.exception).__name__
