"""Branch distance: how far two values are from making a comparison true, and how far from making it false.

0 means that the outcome is the one seen; the smaller the other number, the nearer the input is to the other
outcome. Only plain builtin values are looked at, so no code of the program runs.
"""

from __future__ import annotations

import math
from typing import Any

FAR = 1e30
_NUMBERS = (int, float, bool)
_TEXTS = (str, bytes)
_SIZED = (str, bytes, list, tuple, dict, set, frozenset)
MAX_ELEMENTS = 64

Distances = tuple[float, float]  # from true, from false


def distances(word: str, left: Any, right: Any) -> Distances | None:
    """The distances of a comparison from both outcomes, or None where the values say nothing."""
    if word == "truth":
        return _truth(left)
    if word in ("is", "is not"):
        return (0.0, 1.0) if (left is right) is (word == "is") else (1.0, 0.0)
    if word == "in":
        return _member(left, right)
    if word in ("ne", "not in"):
        found = distances("eq" if word == "ne" else "in", left, right)
        return None if found is None else (found[1], found[0])
    if word == "eq":
        apart = difference(left, right)
        return None if apart is None else (apart, 0.0 if apart else 1.0)
    return _order(word, left, right)


def difference(left: Any, right: Any) -> float | None:
    """How different two values are; 0 if they are equal."""
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _gap(left, right)
    if type(left) is type(right) and type(left) in _TEXTS:
        return _texts(left, right)
    if type(left) is type(right) and type(left) in (list, tuple):
        total = 64.0 * abs(len(left) - len(right))
        for a, b in list(zip(left, right, strict=False))[:MAX_ELEMENTS]:
            apart = difference(a, b)
            # Each element counts for less than one that is missing.
            total += 64.0 if apart is None else apart / (1 + apart) * 64
        return total
    return None


def _gap(left: Any, right: Any) -> float:
    if left != left or right != right:
        return FAR
    try:
        gap = abs(float(left - right))
    except OverflowError:
        return FAR
    # The difference of two floats may underflow to 0 though they differ: the smallest float says so.
    return FAR if math.isinf(gap) else gap or (0.0 if left == right else 5e-324)


def _texts(left: Any, right: Any) -> float:
    total = 128.0 * abs(len(left) - len(right))
    codes_left, codes_right = (list(map(ord, left)), list(map(ord, right))) if type(left) is str else (left, right)
    for a, b in zip(codes_left[:200], codes_right[:200], strict=False):
        # One far character must not hide that all others are right.
        total += min(abs(a - b), 100)
    return total if left != right else 0.0


def _order(word: str, left: Any, right: Any) -> Distances | None:
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        gap = _gap(left, right)
        holds = {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[word]
        return (0.0, gap + 1) if holds else (gap + 1, 0.0)
    if type(left) is type(right) and type(left) in _TEXTS:
        holds = {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[word]
        return (0.0, 1.0) if holds else (1.0, 0.0)
    return None


def _truth(value: Any) -> Distances | None:
    if type(value) in _NUMBERS:
        return (0.0, _gap(value, 0)) if value else (1.0, 0.0)
    if type(value) in _SIZED:
        return (0.0, float(len(value))) if value else (1.0, 0.0)
    if value is None:
        return 1.0, 0.0
    # An object whose class defines its truth: asking would run the program's code.
    asked = any(name in vars(base) for base in type(value).__mro__ for name in ("__bool__", "__len__"))
    return None if asked else (0.0, 1.0)


def _member(value: Any, container: Any) -> Distances | None:
    if type(container) in _TEXTS and type(value) is type(container):
        if value in container:
            return 0.0, 1.0
        width = len(value)
        # The nearest part of the same length.
        parts = (container[k : k + width] for k in range(max(1, len(container) - width + 1)))
        return 1.0 + min(
            (_texts(part, value) for part, _ in zip(parts, range(MAX_ELEMENTS), strict=False)), default=FAR
        ), 0.0
    if type(container) in (list, tuple, set, frozenset, dict, range):
        apart = [
            d
            for item, _ in zip(container, range(MAX_ELEMENTS), strict=False)
            if (d := difference(value, item)) is not None
        ]
        nearest = min(apart, default=FAR)
        return (0.0, 1.0) if nearest == 0 else (nearest, 0.0)
    return None
