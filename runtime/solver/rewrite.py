"""Rewritings of whole queries: inputs fixed to constants, known values put in place."""

from __future__ import annotations

from collections.abc import Sequence

from ramify.runtime.terms import STR, Assignment, Term, const, walk
from ramify.runtime.terms import language as T


def substitute(constraints: Sequence[Term], values: Assignment) -> list[Term]:
    """The constraints with some variables replaced by constants, and folded."""
    memo: dict[Term, Term] = {}
    for node in walk(constraints):
        if node.op == "var" and node.value in values:
            memo[node] = const(values[node.value], node.sort)
        else:
            memo[node] = T.make(node.op, *(memo[a] for a in node.args)) if node.args else node
    return [memo[t] for t in constraints]


def propagate(constraints: Sequence[Term]) -> list[Term]:
    """The constraints with every term that equals a constant replaced by it, except in that equality itself.

    Not for floats, where equal (0.0 and -0.0) does not mean the same.
    """
    known: dict[Term, Term] = {}
    for constraint in constraints:
        if constraint.op == "eq":
            term, value = constraint.args
            if value.is_const and value.sort is term.sort and value.sort in (T.INT, STR):
                known[term] = value
    if not known:
        return list(constraints)
    memo: dict[Term, Term] = {}
    for node in walk(constraints):
        rebuilt = T.make(node.op, *(memo[a] for a in node.args)) if node.args else node
        memo[node] = known.get(node, rebuilt)
    return [t if t.op == "eq" and known.get(t.args[0]) is t.args[1] else memo[t] for t in constraints]
