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

from collections.abc import Sequence
from dataclasses import dataclass, field

from ramify.runtime.solver.lowered import regex_vectors as _regex_vectors  # noqa: F401
from ramify.runtime.solver.lowered import text_classes as _text_classes  # noqa: F401
from ramify.runtime.solver.lowered import text_operations as _texts  # noqa: F401  registers handlers
from ramify.runtime.solver.lowered.vectors import (
    HANDLERS,
    LETTER,
    MAX_CODE,
    MAX_WORK,
    OVERLOADED,
    ZERO,
    Lowered,
    TooHard,
    Vector,
    constant,
)
from ramify.runtime.terms import BOOL, FLOAT, INT, STR, TRUE, Assignment, Sort, Term, const, walk
from ramify.runtime.terms import language as T

_KINDS: dict[Sort, type] = {BOOL: bool, INT: int, FLOAT: float}


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

    def approximate(self) -> None:
        """Says that the operation is lowered well but not certainly: "unsat" is no proof from now on."""
        self._assumed.setdefault(self._node, []).append(TRUE)

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
        before: Sequence[object] = ()  # another run may have had another type there
        if isinstance(old, (str, list, tuple)) and isinstance(old, str) == (vector.sort is STR):
            before = old
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
            elif type(earlier) is (str if vector.sort is STR else _KINDS.get(item.sort)):
                values.append(earlier)
            else:
                values.append("a" if vector.sort is STR else {BOOL: False, FLOAT: 0.0}.get(item.sort, 0))
        return "".join(values) if vector.sort is STR else values  # type: ignore[arg-type]
