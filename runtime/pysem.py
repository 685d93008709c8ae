"""What each operation means: small functions on plain Python values, used for folding and evaluation.

Most operations are functions of `operator` or methods of `str`; here are the others. Outside its domain a
function raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ramify.runtime.nodes import EvaluationError

MAX_BITS = 200_000  # larger integers are not computed during evaluation: a query must stay cheap
MAX_LENGTH = 1_000_000  # nor longer texts


def mul(a: Any, b: Any) -> Any:
    if type(a) is int and type(b) is int and a.bit_length() + b.bit_length() > MAX_BITS:
        raise EvaluationError("product too large")
    return a * b


def power(base: Any, exponent: Any) -> Any:
    if type(base) is int and type(exponent) is int:
        if exponent < 0:
            raise EvaluationError("a negative exponent gives a float")
        if base.bit_length() * exponent > MAX_BITS:
            raise EvaluationError("power too large")
    result = base**exponent
    if isinstance(result, complex):
        raise EvaluationError("complex result")
    return result


def lshift(a: int, b: int) -> int:
    if b > MAX_BITS:
        raise EvaluationError("shift too large")
    return a << b


def and_(*values: bool) -> bool:
    return all(values)


def or_(*values: bool) -> bool:
    return any(values)


def ite(condition: bool, then: Any, otherwise: Any) -> Any:
    return then if condition else otherwise


def item(s: Any, i: int) -> Any:
    return s[i]


def part(s: Any, lo: int, hi: int) -> Any:
    return s[lo:hi]


def stride(s: Any, lo: int, hi: int, step: int) -> Any:
    return s[lo:hi:step]


def repeat(s: Any, n: int) -> Any:
    if n * len(s) > MAX_LENGTH:
        raise EvaluationError("text too long")
    return s * n


def replace(s: str, old: str, new: str) -> str:
    if s.count(old) * len(new) > MAX_LENGTH:
        raise EvaluationError("text too long")
    return s.replace(old, new)


def table_get(keys: tuple[Any, ...], values: tuple[Any, ...], key: Any) -> Any:
    return values[keys.index(key)]


def accepts(convert: Callable[..., Any]) -> Callable[..., bool]:
    """The predicate "`convert` does not raise ValueError"."""

    def accepted(*args: Any) -> bool:
        try:
            convert(*args)
        except ValueError:
            return False
        return True

    return accepted


def to_int(x: Any) -> int:
    return int(x)  # nan and inf raise


def floor(x: float) -> int:
    return math.floor(x)


def ceil(x: float) -> int:
    return math.ceil(x)


def round_half_even(x: float) -> int:
    return round(x)


def bit_length(x: int) -> int:
    return x.bit_length()


def sequence(*elements: Any) -> tuple[Any, ...]:
    return elements


def store(s: tuple[Any, ...], i: int, v: Any) -> tuple[Any, ...]:
    changed = list(s)
    changed[i] = v
    return tuple(changed)
