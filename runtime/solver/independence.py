"""Keeps only the constraints that can matter: those linked to the goal by shared variables, directly or
through others.

What is dropped shares no variable with what is solved, so its variables keep the parent's values, under
which it holds already. A constraint that does not hold under the parent is never dropped.
"""

from __future__ import annotations

from ramify.runtime.solver.verdict import Link, Query, Verdict
from ramify.runtime.terms import Assignment, Evaluator, Term, variable_sets


class Independence:
    def __init__(self, next_link: Link) -> None:
        self._next = next_link
        self._parent: Assignment | None = None
        self._evaluator = Evaluator({})

    def solve(self, query: Query) -> Verdict:
        return self._next.solve(Query(self._relevant(query), query.parent))

    def _relevant(self, query: Query) -> tuple[Term, ...]:
        if query.parent is not self._parent:
            # The values are copied: the caller may change the dict it passed.
            self._parent, self._evaluator = query.parent, Evaluator(dict(query.parent))
        if not any(map(query.goal.variables.isdisjoint, variable_sets(query.constraints))):
            return query.constraints  # all are linked to the goal directly
        needed = {query.goal}
        dropped = query.constraints
        while True:
            needed = linked(query.constraints, needed)
            dropped = tuple(c for c in query.constraints if c not in needed)
            broken = [c for c in dropped if not self._evaluator.holds(c)]
            if not broken:
                return tuple(c for c in query.constraints if c in needed)
            needed.update(broken)


def linked(constraints: tuple[Term, ...], start: set[Term]) -> set[Term]:
    """The constraints reachable from the first ones through shared variables."""
    users: dict[str, list[Term]] = {}
    for constraint in constraints:
        for name in constraint.variables:
            users.setdefault(name, []).append(constraint)
    found = set(start)
    seen: set[str] = set()
    todo = list(start)
    while todo:
        for name in todo.pop().variables - seen:
            seen.add(name)
            for user in users.get(name, ()):
                if user not in found:
                    found.add(user)
                    todo.append(user)
    return found
