"""Orders among integers: a query whose constraints all bound the difference of two integers is decided by
shortest paths, without Z3.

Integers here are variables, lengths of lists and elements of lists at fixed places. `a < b`, `a == b + 3` and
`len(l) > 5` are bounds `low <= high + weight`: a cycle of negative weight is a contradiction, and proves that
there is no solution. Else the parent's values are moved just as far as the bounds force them. A query with any
other constraint goes on as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import ne

from ramify.runtime.solver.tidy import tidy
from ramify.runtime.solver.verdict import UNSAT, Link, Query, Sat, Stats, Verdict
from ramify.runtime.terms import INT, Assignment, Term, const, satisfies, seq_of
from ramify.runtime.terms import language as T

INTEGERS = seq_of(INT)
ZERO = const(0)  # the node that constants are measured from
MAX_KNOWN = 20_000  # constraints whose bounds are remembered
MAX_OPERANDS = 8  # of one side of a comparison: a bound has two nodes, the others must cancel each other
MAX_WORK = 200_000  # nodes times bounds: what shortest paths may cost at most
MAX_LENGTH = 10_000  # of a list that is made longer
SMALL = 9  # what `tidy` leaves alone

Bound = tuple[Term, Term, int]  # the first is at most the second plus the number
IntegerValues = dict[Term, int]



class Differences:
    def __init__(self, next_link: Link, stats: Stats) -> None:
        self._next = next_link
        self._stats = stats
        self._known: dict[Term, tuple[Bound, ...] | None] = {}

    def solve(self, query: Query) -> Verdict:
        bounds = self._bounds(query.constraints)
        verdict = None if bounds is None else decide(bounds, query)
        if verdict is None:
            return self._next.solve(query)
        self._stats.attempts[f"differences {type(verdict).__name__.lower()}"] += 1
        return verdict

    def _bounds(self, constraints: Iterable[Term]) -> list[Bound] | None:
        """All that the constraints say, or None if they say anything else."""
        known = self._known
        if len(known) > MAX_KNOWN:
            known.clear()
        found: dict[Bound, None] = {}
        for constraint in constraints:
            try:
                bounds = known[constraint]
            except KeyError:
                bounds = known[constraint] = bounds_of(constraint)
            if bounds is None:
                return None
            for bound in bounds:
                found[bound] = None
        return list(found)


# Reading constraints


def bounds_of(constraint: Term) -> tuple[Bound, ...] | None:
    """The bounds that a constraint consists of, with those without which it has no value; `!=` only mentions its
    nodes, since a model is evaluated anyway. None for what is no bound of a difference.
    """
    if constraint.op not in ("lt", "le", "gt", "ge", "eq", "ne"):
        return None
    left, right = constraint.args
    if left.sort is not INT or right.sort is not INT:
        return None
    counts: Counter[Term] = Counter()
    offset = 0
    for side, sign in ((left, 1), (right, -1)):
        constant = _collect(side, sign, counts)
        if constant is None:
            return None
        offset += constant
    plus = [node for node, count in counts.items() if count > 0]
    minus = [node for node, count in counts.items() if count < 0]
    if len(plus) > 1 or len(minus) > 1 or any(abs(count) > 1 for count in counts.values()):
        return None
    a, b = plus[0] if plus else ZERO, minus[0] if minus else ZERO
    found: list[Bound] = []
    if constraint.op in ("lt", "le", "eq"):
        found.append((a, b, -offset - (constraint.op == "lt")))
    if constraint.op in ("gt", "ge", "eq"):
        found.append((b, a, offset - (constraint.op == "gt")))
    for node, count in counts.items():  # also those that cancel each other must have a value
        found += _defined(node)
        if count == 0 or constraint.op == "ne":
            found.append((node, node, 0))
    return tuple(found)


def _collect(side: Term, sign: int, counts: Counter[Term]) -> int | None:
    """Adds the nodes of a sum to the counts and returns its constant; None if there is anything else in it."""
    constant = seen = 0
    todo = [(side, sign)]
    while todo:
        term, factor = todo.pop()
        seen += 1
        if seen > MAX_OPERANDS or term.sort is not INT:
            return None
        if term.op == "const":
            constant += factor * term.value
        elif _is_node(term):
            counts[term] += factor
        elif term.op in ("add", "sub"):
            todo.append((term.args[0], factor))
            todo.append((term.args[1], factor if term.op == "add" else -factor))
        elif term.op == "neg":
            todo.append((term.args[0], -factor))
        else:
            return None
    return constant


def _is_node(term: Term) -> bool:
    if term.op == "var":
        return True
    if term.op not in ("len", "select"):
        return False
    whole = term.args[0]
    if whole.op != "var" or whole.sort is not INTEGERS:
        return False
    # An index from the end is another element at every length.
    return term.op == "len" or (term.args[1].op == "const" and 0 <= term.args[1].value < MAX_LENGTH)


def _defined(node: Term) -> list[Bound]:
    """A length is not negative, and a list is longer than the place of each of its elements that has a value."""
    if node.op == "len":
        return [(ZERO, node, 0)]
    if node.op == "select":
        return [(ZERO, T.length(node.args[0]), -1 - node.args[1].value)]
    return []


# Deciding


def decide(bounds: list[Bound], query: Query) -> Verdict | None:
    """The verdict; None if what was found does not hold, because of a `!=` or of what the parent is."""
    nodes = dict.fromkeys([ZERO])
    for low, high, _ in bounds:
        nodes[low] = nodes[high] = None
    start = _values(nodes, query.parent)
    if start is None or len(nodes) * len(bounds) > MAX_WORK:
        return None
    moved = solutions(bounds, start, upwards=_prefers_larger(query.goal, start))
    if not moved:
        return UNSAT
    for values in moved:
        model = _model(values, query.parent)
        if model is not None and satisfies(model, query.constraints):
            changed = [value for node, value in values.items() if start[node] != value]
            # Each is as near to the parent's as the others allow; only large ones could be nicer.
            if len(changed) > 1 and any(abs(value) > SMALL for value in changed):
                model = tidy(model, query.constraints, query.parent)
            return Sat(model)
    return None


def _prefers_larger(goal: Term, start: IntegerValues) -> bool:
    """Whether its left side would have to grow: of two ways with the same number of changes that one is taken."""
    if goal.op == "eq":
        left = goal.args[0]
        return left in start and goal.args[1] in start and start[left] < start[goal.args[1]]
    return goal.op in ("gt", "ge")


def _values(nodes: Iterable[Term], parent: Assignment) -> IntegerValues | None:
    """What the nodes are under the parent; None if a list there is of another kind."""
    found: IntegerValues = {}
    for node in nodes:
        value = 0
        if node.op == "var":
            value = parent.get(node.value, 0)
        elif node.op != "const":
            whole = parent.get(node.args[0].value, [])
            if type(whole) is not list and type(whole) is not tuple:
                return None
            if node.op == "len":
                value = len(whole)
            elif node.args[1].value < len(whole):
                value = whole[node.args[1].value]
        found[node] = value if type(value) is int else 0
    return found


def solutions(bounds: list[Bound], start: IntegerValues, upwards: bool = False) -> list[IntegerValues]:
    """IntegerValues within the bounds, those with the fewest changes first; none if there are no such values."""
    mirrored = [(high, low, weight) for low, high, weight in bounds]
    found: list[IntegerValues] = []
    for up in (upwards, not upwards):
        values = lowered(mirrored, _negated(start), len(start)) if up else lowered(bounds, start, len(start))
        if values is None:
            return []
        if up:
            values = _negated(values)
        if values[ZERO] == 0:
            found.append(values)
            if _changes(values, start) <= 1:
                return [values]
    if not found:  # constants stand in the way in either direction: begin above the smallest values there are
        least = _negated(lowered(mirrored, {ZERO: 0}, len(start)) or {})
        raised = {node: max(value, least.get(node, value)) for node, value in start.items()}
        values = lowered(bounds, raised, len(start))
        assert values is not None
        found.append(values)
    if len(found) > 1:
        found.sort(key=lambda values: _changes(values, start))
    return found


def lowered(bounds: list[Bound], start: IntegerValues, nodes: int) -> IntegerValues | None:
    """The largest values within the bounds that are nowhere above the first ones; None if there are none at all.

    Shortest paths after Bellman and Ford: without a cycle of negative weight no path has more bounds than there
    are other nodes, so values that still fall after as many rounds fall for ever. A node without a value is not
    limited.
    """
    below: dict[Term, list[tuple[Term, int]]] = {}
    for low, high, weight in bounds:
        below.setdefault(high, []).append((low, weight))
    values = dict(start)
    waiting: Iterable[Term] = below
    for _ in range(nodes):
        fallen: dict[Term, None] = {}
        for high in waiting:
            if high in below and high in values:
                top = values[high]
                for low, weight in below[high]:
                    limit = top + weight
                    if low not in values or values[low] > limit:
                        values[low] = limit
                        fallen[low] = None
        if not fallen:
            return values
        waiting = fallen
    return None


def _negated(values: IntegerValues) -> IntegerValues:
    return {node: -value for node, value in values.items()}


def _changes(values: IntegerValues, start: IntegerValues) -> int:
    return sum(map(ne, values.values(), start.values()))  # both have the nodes in the same order


def _model(values: IntegerValues, parent: Assignment) -> Assignment | None:
    """The variables that have these values; None if a list would become too long."""
    model: Assignment = {}
    for node, value in values.items():
        if node.op == "var":
            model[node.value] = value
        elif node.op == "len":
            name = node.args[0].value
            old = parent.get(name, [])
            if value > max(MAX_LENGTH, len(old)):
                return None
            model[name] = [*old[:value], *[0] * (value - len(old))]
    for node, value in values.items():
        if node.op == "select":
            model[node.args[0].value][node.args[1].value] = value
    for name, whole in model.items():
        if type(parent.get(name)) is tuple:
            model[name] = tuple(whole)
    return model
