"""Random typed calls, such as a property-based tester would try first: the yardstick for every mode."""

from __future__ import annotations

import random
import types
import typing
from collections.abc import Mapping
from typing import Any

CALLS = 400
SMALL_BOUNDS = (0, 1, -1, 2, 3, 7, 8, 10, 16, 100, 127, 128, 255, 256, 1000, 65535)
INTS = (*SMALL_BOUNDS, 2**31 - 1, 2**31, -(2**31), 2**63, 10**20)
FLOATS = (0.0, 1.0, -1.0, 0.5, 0.25, 1.5, 1e-9, 1e9, 1e300, -1e300, float("inf"), float("-inf"), float("nan"))
LETTERS = "abcxyzABCXYZ"
DIGITS = "0123456789"
MARKS = " .,:;-_+/\\'\"()[]{}%&=#@!?*<>|~^$`\n\t"
WIDE = "\x00\x7f\xe9\xdf\u0130\u0661\u20ac\u4e2d\U0001f600"


class Generator:
    """Draws values of a type; the same seed draws the same values."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def calls(self, parameters: Mapping[str, Any], count: int = CALLS) -> list[str]:
        """Calls as Python dict expressions of keyword arguments."""
        return [
            "{" + ", ".join(f"{name!r}: {text(self.value(kind))}" for name, kind in parameters.items()) + "}"
            for _ in range(count)
        ]

    def value(self, kind: Any, depth: int = 0) -> Any:
        draw = self._random
        origin, arguments = typing.get_origin(kind) or kind, typing.get_args(kind)
        if kind is None or kind is type(None):
            return None
        if origin in (typing.Union, types.UnionType):
            return self.value(draw.choice(arguments), depth)
        if origin is typing.Literal:
            return draw.choice(arguments)
        if origin is tuple and arguments[-1] is not Ellipsis:
            return tuple(self.value(a, depth + 1) for a in arguments)
        if origin in (list, tuple):
            return origin(self.value(arguments[0], depth + 1) for _ in range(self._size(depth)))
        if origin is dict:
            key, value = arguments
            return {self.value(key, depth + 1): self.value(value, depth + 1) for _ in range(self._size(depth))}
        return {bool: self._bool, int: self._int, float: self._float, str: self._str, bytes: self._bytes}[kind]()

    def _size(self, depth: int) -> int:
        return self._random.randint(0, 6 if depth == 0 else 4)

    def _bool(self) -> bool:
        return self._random.random() < 0.5

    def _int(self) -> int:
        kind = self._random.random()
        if kind < 0.6:
            return self._random.randint(-10, 20)
        if kind < 0.8:
            return self._random.randint(-1000, 1000)
        return self._random.choice(INTS)

    def _float(self) -> float:
        kind = self._random.random()
        if kind < 0.3:
            return self._random.random()
        if kind < 0.6:
            return round(self._random.uniform(-100, 100), 2)
        if kind < 0.8:
            return float(self._random.randint(-10, 10))
        return self._random.choice(FLOATS)

    def _str(self) -> str:
        draw = self._random
        alphabet = draw.choice((LETTERS, DIGITS, LETTERS + DIGITS, LETTERS + DIGITS + MARKS, DIGITS + MARKS))
        if draw.random() < 0.1:
            alphabet += WIDE
        return "".join(draw.choice(alphabet) for _ in range(draw.choice((0, 1, 1, 2, 3, 4, 5, 8, 10, 13, 20))))

    def _bytes(self) -> bytes:
        if self._random.random() < 0.7:
            return self._str().encode("utf-8")
        return self._random.randbytes(self._random.randint(0, 12))


def text(value: Any) -> str:
    """A value as a Python expression; `repr`, save that a float may be one that has no literal."""
    if isinstance(value, float):
        return repr(value) if abs(value) < float("inf") else f"float({str(value)!r})"
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{text(item)}, " for item in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(k)}: {text(v)}" for k, v in value.items()) + "}"
    return repr(value)
