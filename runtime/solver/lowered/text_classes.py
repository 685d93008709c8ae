"""The lowering of what looks at characters: case, classes of characters, blanks, and numbers written as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ramify.runtime.solver.lowered import vectors as V
from ramify.runtime.solver.lowered.vectors import ONE, ZERO, Lowered, TooHard, Vector, handles
from ramify.runtime.terms import STR, Term, const
from ramify.runtime.terms import language as T

if TYPE_CHECKING:
    from ramify.runtime.solver.lowered.lowering import Lowering

# mypy: disable-error-code="arg-type,union-attr"
# An argument is a Vector exactly where the operation's sort says text or sequence, a Term elsewhere.


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


@handles("is_latin")
def is_latin(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return V.every(low, args[0], lambda code: T.lt(code, const(256)))


@handles("casefold")
def casefold(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    _ascii(low, args[0].items)
    return V.map_items(args[0], lambda code: _lower(low, code))


@handles("translate")
def translate(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    """Tables that map characters to characters."""
    s, keys, values = args
    if any(len(value.items) != 1 for value in values.items):
        raise TooHard("a translation that changes the length")
    pairs = [(key.items[0], value.items[0]) for key, value in zip(keys.items, values.items, strict=True)]

    def mapped(code: Any) -> Any:
        low.work(len(pairs))
        result = code
        for key, value in reversed(pairs):
            result = T.ite(T.eq(code, key), value, result)
        return result

    return V.map_items(s, mapped)


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
    if not base.is_const or not 2 <= base.value <= 36:
        raise TooHard("int() with another base")
    if base.value > 10:
        return _letter_numeral(low, s, base)
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


def _letter_numeral(low: Lowering, s: Vector, base: Term) -> tuple[Term, Term]:
    """The same for digits that are letters too; signs and prefixes such as `0x` are assumed away as well."""
    letters = base.value - 10
    for k, code in enumerate(s.items):
        marked = T.or_(T.le(code, const(47)), T.eq(code, const(ord("_"))), T.gt(code, const(126)))
        if k == 1:
            marked = T.or_(marked, *(T.eq(code, const(ord(c))) for c in "xXoObB" if ord(c) % 32 - 1 >= letters))
        low.assume(T.not_(marked) if s.decided else T.or_(T.le(s.length, const(k)), T.not_(marked)))
    good: list[Term] = [T.gt(s.length, ZERO)]
    value: Term = ZERO
    for k, code in enumerate(s.items):
        within = T.lt(const(k), s.length)
        digit, small, large = (
            T.and_(T.ge(code, const(first)), T.lt(code, const(first + count)))
            for first, count in ((48, 10), (97, letters), (65, letters))
        )
        good.append(T.or_(T.not_(within), digit, small, large))
        amount = T.ite(digit, T.sub(code, const(48)), T.ite(small, T.sub(code, const(87)), T.sub(code, const(55))))
        value = T.ite(within, T.add(T.mul(value, base), amount), value)
    return T.and_(*good), value


@handles("is_int_text")
def is_int_text(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return _number_text(low, node, args[0])[0]


@handles("str_to_int")
def str_to_int(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    return _number_text(low, node, args[0])[1]
