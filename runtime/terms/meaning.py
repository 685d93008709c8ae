"""What each operation means: small functions on plain Python values, used for folding and evaluation.

Most operations are functions of `operator` or methods of `str`; here are the others. Outside its domain a
function raises.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import math
import re
import sys
from collections.abc import Callable
from typing import Any

from ramify.runtime.terms import matching
from ramify.runtime.terms.nodes import EvaluationError

MAX_BITS = 200_000  # larger integers are not computed during evaluation: a query must stay cheap
MAX_LENGTH = 1_000_000  # nor longer texts

MAX_FACTORIAL = 300  # nor larger factorials
MAX_MODULAR = 1 << 37  # bits of the exponent times those of the modulus squared: about half a second
MAX_WIDTH_DIGITS = 6  # of a width or precision in a format

MATH_OF_ONE = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf", "erfc", "exp",
    "exp2", "expm1", "log", "log10", "log1p", "log2", "radians", "sin", "sinh", "tan", "tanh",
)  # fmt: skip


def factorial(n: int) -> int:
    if n > MAX_FACTORIAL:
        raise EvaluationError("factorial too large")
    return math.factorial(n)


def comb(n: int, k: int) -> int:
    if n > MAX_BITS:
        raise EvaluationError("binomial coefficient too large")
    return math.comb(n, k)


def perm(n: int, k: int) -> int:
    if min(n, k) > MAX_FACTORIAL or n.bit_length() * min(n, k) > MAX_BITS:
        raise EvaluationError("product too large")
    return math.perm(n, k)


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
    if a.bit_length() + b > MAX_BITS:  # of the result: a chain of shifts grows too
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


def replace_some(s: str, old: str, new: str, times: int) -> str:
    if s.count(old) * len(new) > MAX_LENGTH:
        raise EvaluationError("text too long")
    return s.replace(old, new, times)


def table_get(keys: tuple[Any, ...], values: tuple[Any, ...], key: Any) -> Any:
    return values[keys.index(key)]


def concat(a: Any, b: Any) -> Any:
    if len(a) + len(b) > MAX_LENGTH:  # doubled thirty times it would fill the memory
        raise EvaluationError("text too long")
    return a + b


def round_to(value: Any, digits: int) -> Any:
    if type(value) is int and -digits > value.bit_length():
        return 0  # CPython computes ten to that power
    return round(value, digits)


def format_(value: Any, spec: str) -> str:
    _check_width(spec)
    return format(value, spec)


def percent(conversion: str, value: Any) -> str:
    _check_width(conversion)
    return conversion % (value,)


def _check_width(spec: str) -> None:
    """Refuses formats that ask for more characters than a text may have."""
    digits = 0
    for character in spec:
        digits = digits + 1 if character.isdecimal() else 0
        if digits > MAX_WIDTH_DIGITS:
            raise EvaluationError("text too long")


def expandtabs(s: str, size: int) -> str:
    if s.count("\t") * size > MAX_LENGTH:
        raise EvaluationError("text too long")
    return s.expandtabs(size)


def pow_mod(base: int, exponent: int, modulus: int) -> int:
    if exponent < 0:
        raise EvaluationError("an inverse may not exist")
    if exponent.bit_length() * modulus.bit_length() ** 2 > MAX_MODULAR:
        raise EvaluationError("power too large")
    return pow(base, exponent, modulus)


def translate(s: str, keys: tuple[str, ...], values: tuple[str, ...]) -> str:
    if len(s) * max(map(len, values), default=0) > MAX_LENGTH:
        raise EvaluationError("text too long")
    return s.translate({ord(key): value for key, value in zip(keys, values, strict=True)})


def accepts(convert: Callable[..., Any]) -> Callable[..., bool]:
    """The predicate "`convert` does not raise ValueError"."""

    def accepted(*args: Any) -> bool:
        try:
            convert(*args)
        except ValueError:
            return False
        return True

    return accepted


def is_latin(s: str) -> bool:
    return all(character <= "\xff" for character in s)


def is_time_text(s: str, layout: str) -> bool:
    """Whether a text has an ISO format (`date`, `time`, `datetime`) or one of `strptime`."""
    parse = ISO_FORMATS.get(layout)
    try:
        parse(s) if parse is not None else datetime.datetime.strptime(s, layout)
    except ValueError:
        return False
    return True


ISO_FORMATS: dict[str, Callable[[str], Any]] = {
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
}


def is_decimal_text(s: str) -> bool:
    try:
        decimal.Decimal(s)
    except decimal.InvalidOperation:
        return False
    return True


def search_of(pattern: str, flags: int, kind: str) -> str:
    """A search as one text: its kind (`match`, `search`, `fullmatch`, `finditer`), flags and pattern."""
    return f"{kind}:{int(flags)}:{pattern}"


@functools.lru_cache(maxsize=512)
def compiled_search(search: str) -> tuple[str, re.Pattern[str]]:
    kind, flags, pattern = search.split(":", 2)
    return kind, re.compile(pattern, int(flags))


def re_match(search: str, s: str, at: int) -> matching.Match | None:
    """The match from position `at` on; of `finditer`, the match of that number."""
    return matching.found(*compiled_search(search), s, at)


def re_found(search: str, s: str, at: int) -> bool:
    return re_match(search, s, at) is not None


def re_start(search: str, s: str, at: int, group: int) -> int:
    return _matched(search, s, at).start(group)


def re_end(search: str, s: str, at: int, group: int) -> int:
    return _matched(search, s, at).end(group)


def re_last(search: str, s: str, at: int) -> int:
    """The number of the group that matched last, 0 for none."""
    return _matched(search, s, at).lastindex or 0


def _matched(search: str, s: str, at: int) -> matching.Match:
    found = re_match(search, s, at)
    if found is None:
        raise EvaluationError("no match")
    return found


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


def largest_accepted(function: Callable[[float], float]) -> float:
    """The largest float that a function that grows takes without an overflow."""
    low, high = 0.0, sys.float_info.max
    for _ in range(2100):  # more than it takes to meet
        middle = math.sqrt(low) * math.sqrt(high) if high > 4 * low > 0 else low / 2 + high / 2
        if middle in (low, high):
            break
        try:
            function(middle)
        except OverflowError:
            high = middle
        else:
            low = middle
    return low
