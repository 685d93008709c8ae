"""The lowering of each operation on texts and sequences: one short handler per operation (see vectors.py
for the vocabulary).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.runtime import terms as T
from ramify.runtime.nodes import STR, Term, const
from ramify.runtime.solver import vectors as V
from ramify.runtime.solver.vectors import ONE, ZERO, Lowered, Lowering, TooHard, Vector, handles

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


def _shift_case(low: Lowering, code: Term, name: str, first: int, last: int, by: int) -> Term:
    """ASCII case mapping; other code points are assumed away unless constant and mapped to one character."""
    if code.is_const:
        mapped = getattr(str, name)(chr(code.value))
        if len(mapped) != 1:
            raise TooHard("a case mapping that changes the length")
        return const(ord(mapped))
    low.assume(T.lt(code, const(128)))
    low.work(4)
    return T.ite(T.and_(T.ge(code, const(first)), T.le(code, const(last))), T.add(code, const(by)), code)


def _lower(low: Lowering, code: Term) -> Term:
    return _shift_case(low, code, "lower", 65, 90, 32)


def _upper(low: Lowering, code: Term) -> Term:
    return _shift_case(low, code, "upper", 97, 122, -32)


@handles("lower")
def lower(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.map_items(args[0], lambda code: _lower(low, code))


@handles("upper")
def upper(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.map_items(args[0], lambda code: _upper(low, code))


def _ascii(low: Lowering, codes: tuple[Lowered, ...]) -> None:
    for code in codes:
        low.assume(T.lt(code, const(128)))


@handles("swapcase")
def swapcase(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    _ascii(low, args[0].items)
    is_upper = V.in_set(low, "isupper")
    return V.map_items(args[0], lambda code: T.ite(is_upper(code), _lower(low, code), _upper(low, code)))


@handles("capitalize")
def capitalize(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s = args[0]
    _ascii(low, s.items)
    items = tuple(_lower(low, code) if k else _upper(low, code) for k, code in enumerate(s.items))
    return Vector(items, s.length, STR)


@handles("title")
def title(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s = args[0]
    _ascii(low, s.items)
    letter = V.in_set(low, "isalpha")
    items: list[Lowered] = []
    before: Term = T.FALSE
    for code in s.items:
        items.append(T.ite(before, _lower(low, code), _upper(low, code)))
        before = letter(code)
    return Vector(tuple(items), s.length, STR)


def _strip(low: Lowering, s: Vector, blank: Callable[[Any], Term], left: bool, right: bool) -> Vector:
    blanks = [blank(code) for code in s.items]
    lo, hi = ZERO, s.length
    if left:
        lo = s.length
        for k in reversed(range(len(s.items))):
            lo = T.ite(T.and_(T.lt(const(k), s.length), T.not_(blanks[k])), const(k), lo)
    if right:
        hi = lo
        for k in range(len(s.items)):
            hi = T.ite(T.and_(T.lt(const(k), s.length), T.not_(blanks[k])), const(k + 1), hi)
    return V.cut(low, s, lo, hi)


@handles("strip", "lstrip", "rstrip")
def strip(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return _strip(low, args[0], V.in_set(low, "isspace"), node.op != "rstrip", node.op != "lstrip")


@handles("strip_chars", "lstrip_chars", "rstrip_chars")
def strip_chars(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s, chars = args

    def blank(code: Term) -> Term:
        hits = [T.and_(T.lt(const(k), chars.length), T.eq(code, c)) for k, c in enumerate(chars.items)]
        return T.or_(*hits) if hits else T.FALSE

    return _strip(low, s, blank, not node.op.startswith("r"), not node.op.startswith("l"))


PREDICATES = {
    "is_alnum": "isalnum",
    "is_alpha": "isalpha",
    "is_decimal": "isdecimal",
    "is_digit": "isdigit",
    "is_numeric": "isnumeric",
    "is_space": "isspace",
}


@handles(*PREDICATES)
def predicate(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s = args[0]
    return T.and_(T.gt(s.length, ZERO), V.every(low, s, V.in_set(low, PREDICATES[node.op])))


@handles("is_ascii", "is_printable")
def predicate_of_empty_too(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.every(low, args[0], V.in_set(low, node.op.replace("_", "")))


@handles("is_lower", "is_upper")
def cased_predicate(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    """At least one character of this case and none of the other (nor of title case, which ASCII lacks)."""
    s = args[0]
    own, other = ("islower", "isupper") if node.op == "is_lower" else ("isupper", "islower")
    _ascii(low, s.items)
    is_own, is_other = V.in_set(low, own), V.in_set(low, other)
    some = [T.and_(T.lt(const(k), s.length), is_own(code)) for k, code in enumerate(s.items)]
    return T.and_(T.or_(T.FALSE, *some), V.every(low, s, lambda code: T.not_(is_other(code))))


@handles("is_identifier")
def is_identifier(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    s = args[0]
    _ascii(low, s.items)
    letter, any_of = V.in_set(low, "isalpha"), V.in_set(low, "isalnum")
    underscore = const(ord("_"))
    if not s.items:
        return T.FALSE
    head = T.or_(letter(s.items[0]), T.eq(s.items[0], underscore))
    rest = V.every(low, s, lambda code: T.or_(any_of(code), T.eq(code, underscore)))
    return T.and_(T.gt(s.length, ZERO), head, rest)


@handles("ord")
def ord_(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return args[0].items[0] if args[0].items else ZERO


@handles("chr")
def chr_(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return Vector((args[0],), ONE, STR)


@handles("int_to_str")
def int_to_str(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    """Decimal digits from divisions; longer integers than MAX_DIGITS are assumed away."""
    n = args[0]
    size = T.abs_(n)
    low.assume(T.lt(size, const(10**V.MAX_DIGITS)))
    digits = [T.add(T.mod(T.floordiv(size, const(10**k)), const(10)), const(48)) for k in range(V.MAX_DIGITS)]
    result: Lowered = Vector(tuple(reversed(digits)), const(V.MAX_DIGITS), STR)
    for count_ in reversed(range(1, V.MAX_DIGITS)):
        shorter = Vector(tuple(reversed(digits[:count_])), const(count_), STR)
        result = V.choose(low, T.lt(size, const(10**count_)), shorter, result)
    minus = Vector((const(ord("-")),), ONE, STR)
    return V.choose(low, T.lt(n, ZERO), V.join(low, minus, result), result)


def _number_text(low: Lowering, node: Term, s: Vector) -> tuple[Term, Term]:
    """Whether a text is `[+-]?[0-9]+`, and its value; blanks, underscores and other digits are assumed
    away.
    """
    base = node.args[1]
    if not base.is_const or not 2 <= base.value <= 10:
        raise TooHard("int() with another base")
    for k, code in enumerate(s.items):
        plain = T.and_(T.gt(code, const(32)), T.lt(code, const(127)), T.ne(code, const(ord("_"))))
        low.assume(plain if s.decided else T.or_(T.le(s.length, const(k)), plain))
    top = const(47 + base.value)
    digit = [T.and_(T.ge(code, const(48)), T.le(code, top)) for code in s.items]
    if not s.items:
        return T.FALSE, ZERO
    head = s.items[0]
    minus = T.eq(head, const(ord("-")))
    signed = T.or_(minus, T.eq(head, const(ord("+"))))
    good = [T.gt(s.length, T.ite(signed, ONE, ZERO)), T.or_(signed, digit[0])]
    value: Term = T.ite(signed, ZERO, T.sub(head, const(48)))
    for k in range(1, len(s.items)):
        within = T.lt(const(k), s.length)
        good.append(T.or_(T.not_(within), digit[k]))
        value = T.ite(within, T.add(T.mul(value, base), T.sub(s.items[k], const(48))), value)
    return T.and_(*good), T.ite(minus, T.neg(value), value)


@handles("is_int_text")
def is_int_text(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return _number_text(low, node, args[0])[0]


@handles("str_to_int")
def str_to_int(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return _number_text(low, node, args[0])[1]
