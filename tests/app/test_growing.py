"""Documents that are written piece by piece are the same as when written at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ramify.reports.growing import HERE, GrowingDocument

ITEMS = [{"a": 1, "text": "two\nlines, [brackets] and \"quotes\""}, [], {}, "x", {"deep": {"er": [1, 2]}}]


@pytest.mark.parametrize("count", range(len(ITEMS) + 1))
@pytest.mark.parametrize("inside", ["", "results"])
def test_it_is_what_json_would_have_written(count: int, inside: str) -> None:
    def frame(items: list[Any]) -> Any:
        return {"version": 1, "runs": [{"results": items, "end": True}]} if inside else items

    pieces: list[str] = []
    document = GrowingDocument(pieces.append, lambda: frame([HERE]))
    for item in ITEMS[:count]:
        document.add(item)
    document.close()
    assert json.loads("".join(pieces)) == frame(ITEMS[:count])
    if count:
        assert "".join(pieces) == json.dumps(frame(ITEMS[:count]), indent=2) + "\n"


def test_every_item_is_written_when_it_comes_and_the_frame_is_that_of_the_end() -> None:
    pieces: list[str] = []
    state = {"done": False}
    document = GrowingDocument(pieces.append, lambda: {"items": [HERE], **state})
    document.add("first")
    assert '"first"' in pieces[-1]
    state["done"] = True
    document.close()
    assert json.loads("".join(pieces)) == {"items": ["first"], "done": True}
