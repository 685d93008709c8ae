"""Where instructions stand in the source: what Python says, asked once for each code object."""

from __future__ import annotations

import json.decoder
from types import CodeType

from ramify.runtime.recording.sites import position_in


def test_every_instruction_stands_where_python_says() -> None:
    codes: list[CodeType] = [json.decoder.JSONDecoder.raw_decode.__code__, json.decoder.py_scanstring.__code__]
    for code in codes:
        said = list(code.co_positions())
        assert [position_in(code, 2 * number) for number in range(len(said))] == said
        assert position_in(code, 2 * len(said)) == (None, None, None, None)
        assert position_in(code, -2) == (None, None, None, None)


def test_equal_code_of_two_files_is_told_apart() -> None:
    one, two = (compile("\n" * lines + "x = y", "same", "exec") for lines in (0, 3))
    assert {position_in(code, 2)[0] for code in (one, two)} == {1, 4}
