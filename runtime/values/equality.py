"""Equality of two values as a term, which lookups, sets and dicts decide instead of comparing hashes."""

from __future__ import annotations

from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FALSE, TRUE, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.texts.bytes_ import SymBytes

MISSING: Any = object()
SCALARS = (bool, int, float, str)
INCOMPARABLE = (type(None), str, bytes, list, tuple, dict)  # equal only to values of the same type


def equality(a: Any, b: Any) -> Term | None:
    """`a is b or a == b` as a term, or None where only running the comparison can say it."""
    # Containers ask for identity first, so that nan is found in `[nan]`.
    if a is b:
        return TRUE
    left, right = core.BUILTIN.get(type(a), type(a)), core.BUILTIN.get(type(b), type(b))
    left_term, right_term = scalar(a), scalar(b)
    if left_term is not None and right_term is not None:
        return T.eq(left_term, right_term)
    if left is right:
        if left is bytes:
            return T.eq(bytes_term(a), bytes_term(b))
        # A SymList is left out: whether its length is the same is a decision, not a term.
        if left is tuple or (left is list and type(a) is type(b) is list):
            return _pairwise(a, b)
    # Two builtin types that are never equal. Exact types only: a user's subclass may define any `__eq__`.
    elif left_term is not None or left in INCOMPARABLE:
        if right_term is not None or right in INCOMPARABLE or by_identity(b):
            return FALSE
    elif by_identity(a) and (right_term is not None or right in INCOMPARABLE):
        return FALSE
    if by_identity(a) and by_identity(b):
        return FALSE
    return None


def _pairwise(a: Any, b: Any) -> Term | None:
    if len(a) != len(b):
        return FALSE
    parts = [equality(x, y) for x, y in zip(a, b, strict=True)]
    known = [p for p in parts if p is not None]
    if FALSE in known:
        return FALSE
    return T.and_(*known) if len(known) == len(parts) else None


def scalar(value: Any) -> Term | None:
    """The term of a number or text; a user's subclass counts if it compares as the builtin does."""
    kind = core.BUILTIN.get(type(value), type(value))
    # An `IntEnum` member compares by int's own `__eq__`, so its number is all that counts; a class with another
    # `__eq__` is asked by running it.
    if kind in SCALARS:
        return core.term_of(value)
    bases: tuple[type, ...] = (int, float, str)
    for base in bases:
        if isinstance(value, base):
            compare: Any = type(value).__eq__
            return const(value) if compare is base.__eq__ else None
    return None


def bytes_term(value: bytes) -> Term:
    # Latin-1 maps every byte to the code point of the same number.
    return value.term if type(value) is SymBytes else const(bytes.decode(value, "latin-1"))


def by_identity(value: Any) -> bool:
    """Whether the object equals only itself."""
    compare: Any = type(value).__eq__
    return compare is object.__eq__


def concolic_inside(value: Any) -> bool:
    """Whether the value, or a part of a tuple, is concolic."""
    return type(value) in core.BUILTIN or (type(value) is tuple and any(map(concolic_inside, value)))


def find_among(stored: list[Any], key: Any, which: bool) -> Any:
    """The stored value that equals the key, or MISSING. Hit or miss is one decision over all of them; which
    one it is, if asked for, is decided one by one.
    """
    terms = [equality(value, key) for value in stored]
    known = [term for term in terms if term is not None]
    # One comparison that only running it can answer makes all of them run: their order is part of what the
    # program sees.
    if len(known) < len(terms):
        return next((value for value in stored if value is key or value == key), MISSING)
    # The comparisons only find the place; the one decision below says what they say.
    with path.paused():
        place = next((n for n, value in enumerate(stored) if value is key or value == key), None)
    if not decide(T.or_(FALSE, *known), place is not None):
        return MISSING
    assert place is not None
    possible = [n for n, term in enumerate(known) if term is not FALSE]
    if which:
        # The last of those that are possible needs no question: the hit has been decided.
        for n in possible[:-1]:
            if decide(known[n], n == place):
                break
    return stored[place]
