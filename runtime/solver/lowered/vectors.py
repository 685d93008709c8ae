"""Vectors, which stand for texts and sequences during lowering, and the vocabulary to compute with them.

A vector is a tuple of element terms and a length term; with these functions every operation on texts is
arithmetic on elements. The handlers of single operations stand in texts.py and text_classes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify.runtime.solver import charsets
from ramify.runtime.terms import BOOL, FALSE, FLOAT, STR, TRUE, Sort, Term, const
from ramify.runtime.terms import language as T

if TYPE_CHECKING:
    from ramify.runtime.solver.lowered.lowering import Lowering

MAX_CODE = 0x10FFFF
LETTER = ord("a")  # a code point is written as its distance from here: solvers like zero, people like letters
MAX_WORK = 60_000  # nodes a lowering may build before it gives up
MAX_DIGITS = 10  # of an integer turned into text
MAX_REPEAT = 6  # of a text or sequence repeated an unknown number of times

ZERO, ONE = const(0), const(1)


class TooHard(Exception):
    """No lowering for an operation, or it would grow too large."""


@dataclass(frozen=True, slots=True)
class Vector:
    """Elements and how many of them count. Elements beyond the length are arbitrary."""

    items: tuple[Lowered, ...]
    length: Term
    sort: Sort

    @property
    def decided(self) -> bool:
        return self.length.is_const


Lowered = Term | Vector
LoweringRule = Callable[["Lowering", Term, list[Lowered]], Lowered]


def constant(value: Any, sort: Sort) -> Lowered:
    if sort is STR:
        return Vector(tuple(const(ord(ch)) for ch in value), const(len(value)), sort)
    if sort.element is not None:
        element = sort.element
        return Vector(tuple(constant(v, element) for v in value), const(len(value)), sort)
    return const(value, sort)


def empty(sort: Sort) -> Vector:
    return Vector((), ZERO, sort)


def trim(vector: Vector) -> Vector:
    """Without the elements that cannot count."""
    if vector.decided and vector.length.value < len(vector.items):
        return Vector(vector.items[: vector.length.value], vector.length, vector.sort)
    return vector


def choose(low: Lowering, condition: Term, then: Lowered, otherwise: Lowered) -> Lowered:
    """`then if condition else otherwise`, element by element."""
    if condition.is_const:
        return then if condition.value else otherwise
    if isinstance(then, Term) and isinstance(otherwise, Term):
        return T.ite(condition, then, otherwise)
    assert isinstance(then, Vector)
    assert isinstance(otherwise, Vector)
    low.work(max(len(then.items), len(otherwise.items)))
    shorter = min(len(then.items), len(otherwise.items))
    items = [choose(low, condition, a, b) for a, b in zip(then.items, otherwise.items, strict=False)]
    items += (then.items if len(then.items) > shorter else otherwise.items)[shorter:]
    return Vector(tuple(items), T.ite(condition, then.length, otherwise.length), then.sort)


def at(low: Lowering, vector: Vector, index: Term) -> Lowered:
    """The element at an index known to be within 0 and the length."""
    items = vector.items
    if index.is_const:
        if 0 <= index.value < len(items):
            return items[index.value]
        return items[-1] if items else nothing(vector.sort)
    if not items:
        return nothing(vector.sort)
    low.work(len(items))
    result = items[-1]
    for k in reversed(range(len(items) - 1)):
        result = choose(low, T.eq(index, const(k)), items[k], result)
    return result


def nothing(sort: Sort) -> Lowered:
    """Some element, where there is none: reached only outside the operation's domain."""
    if sort is STR:
        return ZERO
    assert sort.element is not None
    if sort.element is STR or sort.element.element is not None:
        return empty(sort.element)
    return const({BOOL: False, FLOAT: 0.0}.get(sort.element, 0), sort.element)


def position(index: Term, length: Term) -> Term:
    """Python's index as a distance from the start."""
    if index.is_const:
        return index if index.value >= 0 else T.add(length, index)
    return T.ite(T.lt(index, ZERO), T.add(index, length), index)


def bound(index: Term, length: Term) -> Term:
    """Python's slice bound as a distance from the start, cut to the sequence."""
    if index is length:
        return length
    moved = position(index, length)
    return (
        T.max_(ZERO, T.min_(moved, length))
        if not moved.is_const or not length.is_const
        else const(max(0, min(moved.value, length.value)))
    )


def cut(low: Lowering, vector: Vector, lo: Term, hi: Term) -> Vector:
    """The elements from lo up to hi, both already within the sequence."""
    length = T.max_(ZERO, T.sub(hi, lo))
    if lo.is_const:
        items = vector.items[lo.value :]
    else:
        # The result can be as long as the whole when lo is 0; element k of it is element lo + k.
        items = tuple(at(low, vector, T.add(lo, const(k))) for k in range(len(vector.items)))
    return trim(Vector(items, length, vector.sort))


def join(low: Lowering, a: Vector, b: Vector) -> Vector:
    """a followed by b."""
    if a.decided:
        a = trim(a)
        low.work((len(a.items) + len(b.items)) // 8 + 1)  # a text doubled thirty times would fill the memory
        return Vector(a.items + b.items, T.add(a.length, b.length), a.sort)
    items = []
    for k in range(len(a.items) + len(b.items)):
        low.work(k + 1)
        item: Lowered | None = a.items[k] if k < len(a.items) else None
        for start in range(min(k, len(a.items)) + 1):  # where b may begin
            if k - start < len(b.items):
                other = b.items[k - start]
                item = other if item is None else choose(low, T.eq(a.length, const(start)), other, item)
        assert item is not None
        items.append(item)
    return Vector(tuple(items), T.add(a.length, b.length), a.sort)


def same(low: Lowering, a: Lowered, b: Lowered) -> Term:
    if isinstance(a, Term):
        assert isinstance(b, Term)
        return T.eq(a, b)
    assert isinstance(b, Vector)
    parts = [T.eq(a.length, b.length)]
    if parts[0] is FALSE:
        return FALSE
    both = min(len(a.items), len(b.items))
    low.work(both)
    for k in range(both):
        equal = same(low, a.items[k], b.items[k])
        parts.append(equal if a.decided or b.decided else T.or_(T.ge(const(k), a.length), equal))
    parts.insert(1, T.le(a.length, const(both)))
    return T.and_(*parts)


def less(low: Lowering, a: Lowered, b: Lowered, or_equal: bool) -> Term:
    """a < b, or a <= b: the first difference decides, else the lengths do."""
    if isinstance(a, Term):
        assert isinstance(b, Term)
        return T.le(a, b) if or_equal else T.lt(a, b)
    assert isinstance(b, Vector)
    both = min(len(a.items), len(b.items))
    low.work(both)
    result = T.le(a.length, b.length) if or_equal else T.lt(a.length, b.length)
    for k in reversed(range(both)):
        x, y = a.items[k], b.items[k]
        within = T.and_(T.lt(const(k), a.length), T.lt(const(k), b.length))
        deeper = T.ite(same(low, x, y), result, less(low, x, y, False))
        shorter = T.le(a.length, b.length) if or_equal else T.lt(a.length, b.length)
        result = T.ite(within, deeper, shorter)
    return result


def matches(low: Lowering, s: Vector, sub: Vector, k: int) -> Term:
    """Whether sub stands at position k of s."""
    parts = [T.le(T.add(sub.length, const(k)), s.length)]
    low.work(len(sub.items))
    for j, item in enumerate(sub.items):
        if k + j >= len(s.items):
            parts.append(T.le(sub.length, const(j)))
            break
        equal = same(low, s.items[k + j], item)
        parts.append(equal if sub.decided else T.or_(T.le(sub.length, const(j)), equal))
    return T.and_(*parts)


def map_items(vector: Vector, change: Callable[[Any], Term]) -> Vector:

    return Vector(tuple(change(i) for i in vector.items), vector.length, vector.sort)


def every(low: Lowering, vector: Vector, test: Callable[[Any], Term]) -> Term:
    """Whether each counting element passes."""
    low.work(len(vector.items))
    parts = [
        test(item) if vector.decided else T.or_(T.le(vector.length, const(k)), test(item))
        for k, item in enumerate(vector.items)
    ]
    return T.and_(*parts) if parts else TRUE


def in_set(low: Lowering, name: str) -> Callable[[Term], Term]:
    """The test "this code point belongs to the class", over ASCII (assumed) or all of Unicode."""
    if low.unicode or name in charsets.SMALL:
        ranges = charsets.ranges(name)
    else:
        ranges = charsets.ranges(name, 128)

    def test(code: Term) -> Term:
        if code.is_const:
            return T.const(charsets.member(name, code.value))
        if not (low.unicode or name in charsets.SMALL):
            low.assume(T.lt(code, const(128)))
        low.work(len(ranges))
        return T.or_(
            *(
                T.eq(code, const(a)) if a == b else T.and_(T.ge(code, const(a)), T.le(code, const(b)))
                for a, b in ranges
            )
        )

    return test


HANDLERS: dict[str, LoweringRule] = {}
OVERLOADED = {"eq", "ne", "lt", "le", "gt", "ge", "ite"}  # also operations on numbers


def handles(*names: str) -> Callable[[LoweringRule], LoweringRule]:
    def register(handler: LoweringRule) -> LoweringRule:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register
