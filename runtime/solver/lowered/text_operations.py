"""The lowering of each operation on texts and sequences: one short handler per operation (see `vectors`
for the vocabulary).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.runtime.solver.lowered import vectors as V
from ramify.runtime.solver.lowered.vectors import ONE, ZERO, Lowered, TooHard, Vector, handles
from ramify.runtime.terms import STR, Term, const
from ramify.runtime.terms import language as T

if TYPE_CHECKING:
    from ramify.runtime.solver.lowered.lowering import Lowering

# mypy: disable-error-code="arg-type,union-attr"
# An argument is a Vector exactly where the operation's sort says text or sequence, a Term elsewhere.

MINUS_ONE = const(-1)


@handles("len")
def length(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return args[0].length


@handles("concat")
def concat(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.join(low, *args)


@handles("eq")
def equal(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.same(low, *args)


@handles("ne")
def differs(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return T.not_(V.same(low, *args))


@handles("lt", "le")
def less(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.less(low, args[0], args[1], node.op == "le")


@handles("gt", "ge")
def greater(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.less(low, args[1], args[0], node.op == "ge")


@handles("ite")
def choice(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.choose(low, *args)


@handles("char_at")
def char_at(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, i = args
    return Vector((V.at(low, s, V.position(i, s.length)),), ONE, STR)


@handles("select")
def select(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, i = args
    return V.at(low, s, V.position(i, s.length))


@handles("store")
def store(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, i, v = args
    place = V.position(i, s.length)
    low.work(len(s.items))
    items = tuple(V.choose(low, T.eq(place, const(k)), v, item) for k, item in enumerate(s.items))
    return Vector(items, s.length, s.sort)


@handles("substr", "seq_slice")
def part(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, lo, hi = args
    return V.cut(low, s, V.bound(lo, s.length), V.bound(hi, s.length))


STEPS = (1, -1, 2, -2, 3)  # tried when the step of a slice is unknown


@handles("stride")
def stride(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, lo, hi, step = args
    if step.is_const:
        return _every_nth(low, s, lo, hi, step.value)
    low.assume(T.or_(*(T.eq(step, const(n)) for n in STEPS)))
    result: Lowered = _every_nth(low, s, lo, hi, STEPS[0])
    for n in STEPS[1:]:
        result = V.choose(low, T.eq(step, const(n)), _every_nth(low, s, lo, hi, n), result)
    return result


def _every_nth(low: Lowering, s: Vector, lo: Term, hi: Term, step: int) -> Vector:
    """s[lo:hi:step]; backwards, Python cuts both bounds to -1 and the last index."""
    if step > 0:
        first, end = V.bound(lo, s.length), V.bound(hi, s.length)
        distance = T.sub(end, first)
    else:
        last = T.sub(s.length, ONE)
        first, end = (T.max_(MINUS_ONE, T.min_(V.position(b, s.length), last)) for b in (lo, hi))
        distance = T.sub(first, end)
    count_ = T.floordiv(T.add(distance, const(abs(step) - 1)), const(abs(step)))
    most = -(-len(s.items) // abs(step))
    items = tuple(V.at(low, s, T.add(first, const(k * step))) for k in range(most))
    return V.trim(Vector(items, T.max_(ZERO, count_), s.sort))


@handles("seq")
def sequence(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return Vector(tuple(args), const(len(args)), node.sort)


@handles("repeat")
def repeat(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, times = args
    copies = [V.empty(s.sort)]
    if times.is_const:
        low.work(max(0, times.value) * len(s.items))
        for _ in range(times.value):
            copies.append(V.join(low, copies[-1], s))
        return copies[-1]
    low.assume(T.le(times, const(V.MAX_REPEAT)))
    for _ in range(V.MAX_REPEAT):
        copies.append(V.join(low, copies[-1], s))
    result: Lowered = copies[0]
    for n, copy in enumerate(copies[1:], 1):
        result = V.choose(low, T.ge(times, const(n)), copy, result)
    return result


@handles("contains")
def contains(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, sub = args
    return T.or_(*(V.matches(low, s, sub, k) for k in range(len(s.items) + 1)))


@handles("seq_contains")
def seq_contains(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, v = args
    hits = [T.and_(T.lt(const(k), s.length), V.same(low, item, v)) for k, item in enumerate(s.items)]
    return T.or_(*hits) if hits else T.FALSE


@handles("table_get")
def table_get(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    keys, values, key = args
    result = values.items[-1]
    for k, value in reversed(list(zip(keys.items, values.items, strict=True))[:-1]):
        result = V.choose(low, V.same(low, k, key), value, result)
    return result


@handles("starts_with")
def starts_with(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.matches(low, args[0], args[1], 0)


@handles("ends_with")
def ends_with(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, sub = args
    start = T.sub(s.length, sub.length)
    return T.or_(
        *(T.and_(T.eq(start, const(k)), V.matches(low, s, sub, k)) for k in range(len(s.items) + 1)),
    )


@handles("index_of")
def index_of(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, sub, start = args
    first = T.max_(ZERO, V.position(start, s.length))
    result = MINUS_ONE
    for k in reversed(range(len(s.items) + 1)):
        result = T.ite(T.and_(T.le(first, const(k)), V.matches(low, s, sub, k)), const(k), result)
    return result


@handles("last_index_of")
def last_index_of(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, sub = args
    result = MINUS_ONE
    for k in range(len(s.items) + 1):
        result = T.ite(V.matches(low, s, sub, k), const(k), result)
    return result


def occurrences(low: Lowering, s: Vector, sub: Vector) -> list[Term]:
    """At each position, whether a non-overlapping occurrence counted from the left begins there."""
    if not sub.decided or sub.length.value == 0:
        raise TooHard("occurrences of a text of unknown or no length")
    size = sub.length.value
    taken: list[Term] = []
    for k in range(len(s.items)):
        covered = taken[max(0, k - size + 1) : k]
        here = V.matches(low, s, V.trim(sub), k)
        taken.append(T.and_(here, *(T.not_(t) for t in covered)))
    return taken


@handles("count")
def count(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, sub = args
    if sub.decided and sub.length.value == 0:
        return T.add(s.length, ONE)
    total: Term = ZERO
    for taken in occurrences(low, s, sub):
        total = T.add(total, T.ite(taken, ONE, ZERO))
    return total


@handles("replace")
def replace(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, old, new = args
    taken = occurrences(low, s, old)
    size = old.length.value
    if new.decided and new.length.value == size:
        items = list(s.items)
        for k, here in enumerate(taken):
            for j in range(min(size, len(items) - k)):
                items[k + j] = V.choose(low, here, new.items[j], items[k + j])
        return Vector(tuple(items), s.length, STR)
    result = V.empty(STR)
    for k, here in enumerate(taken):
        counts = T.lt(const(k), s.length)
        inside = T.or_(T.FALSE, *taken[max(0, k - size + 1) : k]) if k else T.FALSE
        own = Vector((s.items[k],), T.ite(T.and_(counts, T.not_(inside)), ONE, ZERO), STR)
        result = V.join(low, result, V.choose(low, here, new, own))
        if len(result.items) > 64:
            raise TooHard("a long replacement")
    return result


@handles("ord")
def ord_(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return args[0].items[0] if args[0].items else ZERO


@handles("chr")
def chr_(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return Vector((args[0],), ONE, STR)
