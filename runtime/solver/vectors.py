"""Lowers texts and sequences to vectors of integers: a term over texts becomes an equal term over code
points and lengths.

A text of decided length n becomes n integer variables, its code points; with an undecided length it becomes
`capacity` variables and a length variable. Whatever Python does with texts is then arithmetic on their
elements, which Z3 answers in about a millisecond, for every code point and every length. Nothing here knows
Z3: terms in, terms out, so the lowering is tested against Python by evaluation.

Where the general case would be too large the lowering assumes something (`assumed`); then "unsat" proves
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ramify.runtime import terms as T
from ramify.runtime.nodes import BOOL, FALSE, FLOAT, INT, STR, TRUE, Assignment, Sort, Term, const, walk
from ramify.runtime.solver import charsets

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
Handler = Callable[["Lowering", Term, list[Lowered]], Lowered]


@dataclass
class Lowering:
    """One choice of lengths, and everything lowered under it.

    `lengths` gives a length for a variable, by name, or -n for "undecided, at most n".
    """

    lengths: dict[str, int]
    unicode: bool = False  # character classes over all of Unicode instead of ASCII
    nested: bool = False  # texts inside sequences were met: their lengths are guesses
    inner: int = 6  # capacity of texts inside sequences, when `lengths` says nothing
    facts: dict[str, list[Term]] = field(default_factory=dict)  # by lowered variable: what always holds
    _assumed: dict[Term, list[Term]] = field(default_factory=dict)  # by the node whose lowering needed it
    _node: Term = TRUE  # being lowered
    _memo: dict[Term, Lowered] = field(default_factory=dict)
    _shapes: dict[str, Vector] = field(default_factory=dict)
    _conditions: dict[Term, tuple[dict[Term, None], bool]] = field(default_factory=dict)
    _work: int = 0

    def lower(self, term: Term) -> Term:
        """The condition or number over lowered variables. Raises TooHard."""
        result = self.lowered(term)
        assert isinstance(result, Term)
        return result

    def lowered(self, term: Term) -> Lowered:
        memo = self._memo
        if term in memo:
            return memo[term]
        for node in walk((term,), skip=memo.__contains__):
            self._node = node
            memo[node] = self._lower_node(node)
        return memo[term]

    def _lower_node(self, node: Term) -> Lowered:
        if node.op == "var":
            return (
                node
                if node.sort.element is None and node.sort is not STR
                else self.variable(node.value, node.sort)
            )
        if node.op == "const":
            return constant(node.value, node.sort)
        args = [self._memo[a] for a in node.args]
        handler = HANDLERS.get(node.op)
        if handler is not None and (node.op not in OVERLOADED or any(isinstance(a, Vector) for a in args)):
            return handler(self, node, args)
        if any(isinstance(a, Vector) for a in args) or node.sort is STR or node.sort.element is not None:
            raise TooHard(node.op)
        return T.make(node.op, *args)  # type: ignore[arg-type]

    def work(self, amount: int) -> None:
        self._work += amount
        if self._work > MAX_WORK:
            raise TooHard("too many cases")

    def assume(self, condition: Term) -> None:
        """Restrict the search; the answer "unsat" is no proof from now on."""
        if condition is not TRUE:
            self._assumed.setdefault(self._node, []).append(condition)

    def assumed(self, term: Term) -> list[Term]:
        """The restrictions under which a lowered term means the same as the original."""
        if not self._assumed:
            return []
        return list(dict.fromkeys(a for node in walk((term,)) for a in self._assumed.get(node, ())))

    def variable(self, name: str, sort: Sort) -> Vector:
        """The vector of an input variable."""
        if name in self._shapes:
            return self._shapes[name]
        size = self.lengths.get(name, -self.inner)
        if size >= 0:
            length: Term = const(size)
        else:
            length = T.var(f"{name}!len", INT)
            self.facts[f"{name}!len"] = [T.ge(length, ZERO), T.le(length, const(-size))]
        items = tuple(self._element(f"{name}!{k}", sort) for k in range(abs(size)))
        vector = self._shapes[name] = Vector(items, length, sort)
        return vector

    def _element(self, name: str, sort: Sort) -> Lowered:
        if sort is STR:
            distance = T.var(name, INT)
            self.facts[name] = [T.ge(distance, const(-LETTER)), T.le(distance, const(MAX_CODE - LETTER))]
            return T.add(distance, const(LETTER))
        assert sort.element is not None
        if sort.element is STR or sort.element.element is not None:
            self.nested = True
            return self.variable(name, sort.element)
        return T.var(name, sort.element)

    def facts_of(self, term: Term) -> list[Term]:
        """What always holds of the lowered variables in a term."""
        facts = self.facts
        return [f for name in sorted(term.variables & facts.keys()) for f in facts[name]]

    def conditions(self, term: Term) -> tuple[dict[Term, None], bool]:
        """All that must be asserted for a condition, in order, and whether some of it is only assumed."""
        found = self._conditions.get(term)
        if found is None:
            lowered = self.lower(term)
            restrictions = self.assumed(term)
            needed: dict[Term, None] = {}
            for condition in (*restrictions, lowered):
                needed.update(dict.fromkeys(self.facts_of(condition)))
                needed[condition] = None
            needed.pop(TRUE, None)
            found = self._conditions[term] = needed, bool(restrictions)
        return found

    def raise_values(self, model: Assignment, parent: Assignment) -> Assignment:
        """A model of lowered variables as values of the original ones; what the model leaves open comes
        from the parent.
        """
        values: Assignment = {}
        inner: set[str] = set()
        for name, vector in self._shapes.items():
            values[name] = self._value(name, vector, model, parent.get(name))
            inner.update(f"{name}!{k}" for k in range(len(vector.items)))
            inner.add(f"{name}!len")
        kept = {n: v for n, v in values.items() if n not in inner}
        return {**{n: v for n, v in model.items() if n not in inner}, **kept}

    def _value(self, name: str, vector: Vector, model: Assignment, old: object) -> object:
        before: Sequence[object] = old if isinstance(old, (str, list, tuple)) else ()
        if vector.decided:
            length = vector.length.value
        else:
            length = model.get(f"{name}!len", min(len(before), len(vector.items)))
        values = []
        for k in range(min(length, len(vector.items))):
            item, earlier = vector.items[k], before[k] if k < len(before) else None
            if isinstance(item, Vector):
                values.append(self._value(f"{name}!{k}", item, model, earlier))
            elif f"{name}!{k}" in model:
                value = model[f"{name}!{k}"]
                values.append(chr(value + LETTER) if vector.sort is STR else value)
            elif earlier is not None:
                values.append(earlier)
            else:
                values.append("a" if vector.sort is STR else {BOOL: False, FLOAT: 0.0}.get(item.sort, 0))
        return "".join(values) if vector.sort is STR else values  # type: ignore[arg-type]


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


HANDLERS: dict[str, Handler] = {}
OVERLOADED = {"eq", "ne", "lt", "le", "gt", "ge", "ite"}  # also operations on numbers


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register
