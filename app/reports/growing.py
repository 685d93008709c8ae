"""A JSON document with a list that grows: every item is written as soon as it is known, the rest at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

HERE = "\0"
"""Stands where the items come, as the only item of its list."""

_MARK = json.dumps(HERE)
_WIDTH = 2


class GrowingDocument:
    """Writes a document piece by piece. `frame` gives it with `HERE` for the items: once for what stands before
    them, and at the end for what stands after.
    """

    def __init__(self, write: Callable[[str], None], frame: Callable[[], Any]) -> None:
        self._write = write
        self._frame = frame
        head = self._split()[0]
        self._margin = len(head) - len(head.rstrip(" "))
        self._items = 0
        self._write(head.rstrip())

    def add(self, item: Any) -> None:
        text = json.dumps(item, indent=_WIDTH).replace("\n", "\n" + " " * self._margin)
        self._write(("," if self._items else "") + "\n" + " " * self._margin + text)
        self._items += 1

    def close(self) -> None:
        tail = self._split()[1]
        self._write((tail if self._items else tail.lstrip()) + "\n")

    def _split(self) -> tuple[str, str]:
        head, _, tail = json.dumps(self._frame(), indent=_WIDTH).partition(_MARK)
        return head, tail
