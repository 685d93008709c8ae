"""`heapq` on lists of symbolic length: C code would change their storage and leave their terms as they were."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from ramify.runtime.models.registry import LIBRARY, models_concolic
from ramify.runtime.values.list_ import SymList


def _on_cells(function: Callable[..., Any]) -> None:
    def model(heap: Any, /, *rest: Any) -> Any:
        if type(heap) is not SymList:
            return function(heap, *rest)
        cells = [*heap]  # which decides the length
        try:
            return function(cells, *rest)
        finally:
            # Also when it raises: a comparison may fail halfway, and then the heap is what C code left.
            heap[:] = cells

    models_concolic(function, LIBRARY)(model)


for _function in (heapq.heapify, heapq.heappop, heapq.heappush, heapq.heappushpop, heapq.heapreplace):
    _on_cells(_function)
