"""Relaxes constraints to what they say about lengths: every operation on texts becomes an unknown with
sound bounds.

Whatever satisfies the constraints satisfies their relaxation, so an unsatisfiable relaxation is a proof; a
model of it proposes lengths for the lowering to vectors.
"""

from __future__ import annotations

from collections.abc import Callable

from ramify.runtime.solver.lowered.vectors import MAX_CODE, ONE, ZERO, bound
from ramify.runtime.solver.profile import is_text
from ramify.runtime.terms import BOOL, FALSE, INT, STR, TRUE, Sort, Term, const, walk
from ramify.runtime.terms import language as T

NOT_EMPTY = {
    "is_alnum", "is_alpha", "is_decimal", "is_digit", "is_numeric", "is_space", "is_lower", "is_upper",
    "is_title", "is_identifier", "is_int_text", "is_float_text",
}  # fmt: skip


def length_name(variable: str) -> str:
    return f"{variable}!len"


class Relaxation:
    """Remembers what it relaxed, so that equal prefixes of queries give equal relaxed prefixes."""

    def __init__(self) -> None:
        self._memo: dict[Term, Term] = {}
        self._lengths: dict[Term, Term] = {}
        self.facts: dict[str, list[Term]] = {}  # what holds of an unknown, by its name

    def size(self) -> int:
        return len(self._memo) + len(self._lengths)

    def relax(self, term: Term) -> Term:
        memo, lengths = self._memo, self._lengths
        for node in walk((term,), skip=lambda t: t in memo or t in lengths):
            if is_text(node.sort):
                lengths[node] = self._length(node)
            else:
                memo[node] = self._scalar(node)
        return memo[term]

    def facts_of(self, term: Term) -> list[Term]:
        """The bounds of every unknown in a relaxed term, and of the unknowns those bounds mention."""
        found: dict[Term, None] = {}
        seen: set[str] = set()
        todo = sorted(term.variables)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                for fact in self.facts.get(name, ()):
                    found[fact] = None
                    todo.extend(sorted(fact.variables))
        return list(found)

    def _fresh(self, sort: Sort, facts: Callable[[Term], list[Term]]) -> Term:
        unknown = T.var(f"?{self.size()}", sort)
        self.facts[unknown.value] = [f for f in facts(unknown) if f is not TRUE]
        return unknown

    def _scalar(self, node: Term) -> Term:
        if all(not is_text(a.sort) for a in node.args):
            return T.make(node.op, *(self._memo[a] for a in node.args)) if node.args else node
        sizes = [self._lengths.get(a, ZERO) for a in node.args]
        if node.op == "len":
            return sizes[0]
        if node.op == "ne":
            return T.not_(self.relax(T.eq(*node.args)))
        if node.sort is BOOL:
            return self._fresh(BOOL, lambda unknown: [T.or_(T.not_(unknown), c) for c in _when_true(node, sizes)])
        return self._fresh(node.sort, lambda unknown: _bounds(node, unknown, sizes))

    def _length(self, node: Term) -> Term:
        op, args = node.op, node.args
        of = [self._lengths.get(a, ZERO) for a in args]
        if op == "var":
            length = T.var(length_name(node.value), INT)
            self.facts[length.value] = [T.ge(length, ZERO)]
            return length
        if op == "const":
            return const(len(node.value))
        if op == "concat":
            return T.add(of[0], of[1])
        if op in ("char_at", "chr"):
            return ONE
        if op == "store":
            return of[0]
        if op == "seq":
            return const(len(args))
        if op == "ite":
            return T.ite(self._memo[args[0]], of[1], of[2])
        if op in ("substr", "seq_slice"):
            lo, hi = (bound(self._memo[a], of[0]) for a in args[1:])
            return T.max_(ZERO, T.sub(hi, lo))
        if op == "repeat" and args[1].is_const:
            return T.mul(of[0], const(max(0, args[1].value)))
        return self._fresh(INT, lambda unknown: [T.ge(unknown, ZERO), *_length_bounds(node, unknown, of)])


def _when_true(node: Term, sizes: list[Term]) -> list[Term]:
    """What a true condition says about lengths."""
    if node.op == "eq":
        return [T.eq(sizes[0], sizes[1])]
    if node.op in ("contains", "starts_with", "ends_with"):
        return [T.ge(sizes[0], sizes[1])]
    if node.op == "seq_contains" and node.args[0].is_const and node.args[1].sort is STR:
        return [_one_length(node.args[0], sizes[1])]
    if node.op == "seq_contains" or node.op in NOT_EMPTY:
        return [T.ge(sizes[0], ONE)]
    if node.op in ("gt", "lt"):
        return [T.ge(sizes[0 if node.op == "gt" else 1], ONE)]
    return []


def _one_length(texts: Term, size: Term) -> Term:
    """The length is that of one of these texts."""
    return T.or_(FALSE, *(T.eq(size, const(n)) for n in sorted({len(text) for text in texts.value})))


def _bounds(node: Term, unknown: Term, sizes: list[Term]) -> list[Term]:
    """What always holds of an integer computed from texts."""
    if node.op in ("index_of", "last_index_of"):
        found = T.and_(T.ge(unknown, ZERO), T.le(T.add(unknown, sizes[1]), sizes[0]))
        return [T.or_(T.eq(unknown, const(-1)), found)]
    if node.op == "count":
        return [T.ge(unknown, ZERO), T.le(unknown, T.add(sizes[0], ONE))]
    if node.op == "ord":
        return [T.ge(unknown, ZERO), T.le(unknown, const(MAX_CODE))]
    return []


def _length_bounds(node: Term, unknown: Term, sizes: list[Term]) -> list[Term]:
    """What always holds of the length of a text computed from others."""
    if node.op in (
        "lower",
        "upper",
        "title",
        "capitalize",
        "swapcase",
    ):  # a character maps to one, two or three
        return [T.ge(unknown, sizes[0]), T.le(unknown, T.mul(sizes[0], const(3)))]
    if node.op in ("strip", "lstrip", "rstrip", "strip_chars", "lstrip_chars", "rstrip_chars"):
        return [T.le(unknown, sizes[0])]
    if node.op == "replace" and node.args[1].is_const and node.args[2].is_const and node.args[1].value:
        change = len(node.args[2].value) - len(node.args[1].value)
        return [(T.eq if change == 0 else T.ge if change > 0 else T.le)(unknown, sizes[0])]
    if node.op == "table_get" and node.args[1].is_const:
        return [_one_length(node.args[1], unknown)]
    if node.op in ("int_to_str", "float_to_str"):
        return [T.ge(unknown, ONE)]
    return []
