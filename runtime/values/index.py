"""Indices and slice bounds of sequences whose length, or whose index, may be symbolic."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from ramify.runtime.recording import decide
from ramify.runtime.terms import INT, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core

ZERO, ONE = const(0), const(1)


def as_index(value: Any) -> tuple[int, Term] | None:
    """An index as its plain value and term, or None for what Python would not accept as one."""
    kind = type(value)
    if kind is int:
        return value, const(value)
    term = core.term_of(value)
    # `operator.index` would take the concrete value of an int subclass without asking it: an overridden
    # `__index__` is never called.
    if term is not None and kind is not float:
        if term.sort is T.BOOL:
            return int(core.plain(value)), T.bool_to_int(term)
        return (core.plain(value), term) if term.sort is INT else None
    try:
        plain = operator.index(value)
    except TypeError:
        return None
    return int(plain), const(int(plain))


def in_range(index: int, index_term: Term, length: int, length_term: Term) -> bool:
    """Decides whether an index lies inside: first its sign, then its bound, as Python's `-len <= i < len`
    asks.
    """
    # Two decisions, so that the term of the place is exact afterwards: `index`, or `index + length`.
    if decide(T.lt(index_term, ZERO), index < 0):
        return decide(T.le(T.neg(length_term), index_term), -length <= index)
    return decide(T.lt(index_term, length_term), index < length)


class Bounds(NamedTuple):
    """The bounds of a slice: as plain numbers for Python's own slicing, and as terms with the same meaning."""

    plain: slice
    low: Term
    high: Term
    step: Term


def bounds(key: slice, length_term: Term) -> Bounds | None:
    """The bounds of a slice, or None if Python would refuse them.

    Whether a symbolic step is zero is a decision; so is its sign where a bound that is left out depends on it.
    """
    low, high, step = (None if part is None else as_index(part) for part in (key.start, key.stop, key.step))
    if any(
        part is not None and found is None
        for part, found in zip((key.start, key.stop, key.step), (low, high, step), strict=True)
    ):
        return None
    # Bounds are clamped by Python, never refused: they need no decision, the term clamps them likewise.
    value, term = step or (1, ONE)
    backward = value < 0
    if term.op != "const":
        decide(T.eq(term, ZERO), value == 0)
        if low is None or high is None:
            decide(T.lt(term, ZERO), backward)
    # A bound that is left out means another place when the step is negative: from the last element to before
    # the first.
    first = low[1] if low is not None else const(-1) if backward else ZERO
    before_first = T.sub(T.neg(length_term), ONE)
    last = high[1] if high is not None else before_first if backward else length_term
    plain = slice(None if low is None else low[0], None if high is None else high[0], step and value)
    return Bounds(plain, first, last, term)


def has(size: Term, position: int) -> Term:
    """`position < size`, for a position of 0 or more; simplified where the size is that of a slice."""
    # Going through `xs[2:]` then asks the very conditions that going through `xs` asks, and a condition decided
    # twice is never asked again.
    base, shift = counted_from(size)
    return T.lt(const(position - shift), base)


def counted_from(size: Term) -> tuple[Term, int]:
    """A size as another one and what is added to it."""
    if size.op == "ite" and size.args[1] is ZERO and size.args[0] is T.lt(size.args[2], ZERO):
        size = size.args[2]  # max(size, 0)
    if size.op == "add" and size.args[1].op == "const":
        return size.args[0], size.args[1].value
    return size, 0


def sliced_length(bounds: Bounds, length_term: Term) -> Term:
    """The length of a slice with step 1, where no sequence term can say it."""

    def clamp(bound: Term) -> Term:
        if bound.op == "const" and bound.value >= 0:
            return T.min_(bound, length_term) if bound is not ZERO else bound
        # The length itself is the bound that is left out: it needs no clamping.
        if bound is length_term:
            return bound
        below = T.add(bound, length_term)
        return T.ite(T.lt(bound, ZERO), T.max_(below, ZERO), T.min_(bound, length_term))

    low, high = bounds.low, clamp(bounds.high)
    if not (low.op == "const" and low.value >= 0 and bounds.high is length_term):
        low = clamp(low)
    return high if low is ZERO else T.max_(T.sub(high, low), ZERO)
