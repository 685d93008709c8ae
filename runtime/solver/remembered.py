"""Remembers answers: for the same set of constraints, for sets around it, and as models worth trying on
other queries.

- `exact`: the same set was asked before.
- `unsat_subset`: a part of the query is known to be unsatisfiable, so the whole is.
- `sat_superset`: the model of a larger set, projected on this query's variables, satisfies this one.
- `model`: a recent model satisfies the query when evaluated.

Only models over exactly the query's variables leave this link, so no other input is touched. Unknown is
remembered as unknown.
"""

from __future__ import annotations

from collections import OrderedDict, deque

from ramify.runtime.solver.verdict import UNSAT, Link, Query, Sat, Stats, Unsat, Verdict
from ramify.runtime.terms import Assignment, Evaluator, Term, variables_of

Constraints = frozenset[Term]

MAX_ENTRIES = 50_000
RECENT_MODELS = 6  # each with its evaluator, which remembers the values of a shared prefix


class Cache:
    def __init__(self, next_link: Link, stats: Stats) -> None:
        self._next = next_link
        self._stats = stats
        self._answers: OrderedDict[Constraints, Verdict] = OrderedDict()
        self._unsat_by_newest: dict[Term, list[Constraints]] = {}  # each set stands under its newest member
        self._sat: list[Constraints] = []  # the sets that have a model
        self._sat_by_member: dict[Term, int] = {}  # bit n: the member is in set n of these
        self._recent: deque[tuple[Assignment, Evaluator]] = deque(maxlen=RECENT_MODELS)

    def solve(self, query: Query) -> Verdict:
        asked = frozenset(query.constraints)
        hit = self._look_up(query, asked)
        if hit is not None:
            rule, verdict = hit
            self._stats.cache_hits[rule] += 1
            return verdict
        verdict = self._next.solve(query)
        self._remember(asked, verdict)
        return verdict

    def _look_up(self, query: Query, asked: Constraints) -> tuple[str, Verdict] | None:
        known = self._answers.get(asked)
        if known is not None:
            return "exact", known
        for constraint in asked & self._unsat_by_newest.keys():
            for smaller in self._unsat_by_newest[constraint]:
                if smaller <= asked:
                    return "unsat_subset", UNSAT
        larger = self._around(query)
        variables = variables_of(asked)
        if larger is not None:
            verdict = self._answers.get(larger)
            if isinstance(verdict, Sat):
                return "sat_superset", Sat(project(verdict.model, variables))
        for model, evaluator in reversed(self._recent):
            if variables <= model.keys() and evaluator.all_hold(reversed(query.constraints)):
                return "model", Sat(project(model, variables))
        return None

    def _around(self, query: Query) -> Constraints | None:
        """The first set with a model of which the query is a part."""
        sets = self._sat_by_member
        found = -1
        for constraint in reversed(query.constraints):
            found &= sets.get(constraint, 0)
            if not found:
                return None
        return self._sat[(found & -found).bit_length() - 1]

    def _remember(self, asked: Constraints, verdict: Verdict) -> None:
        self._answers[asked] = verdict
        if isinstance(verdict, Unsat):
            newest = max(asked, key=lambda c: c.uid)
            self._unsat_by_newest.setdefault(newest, []).append(asked)
        elif isinstance(verdict, Sat):
            self._recent.append((verdict.model, Evaluator(verdict.model)))
            sets, bit = self._sat_by_member, 1 << len(self._sat)
            self._sat.append(asked)
            for constraint in asked:
                sets[constraint] = sets.get(constraint, 0) | bit
        if len(self._answers) > MAX_ENTRIES:
            self._forget_oldest_half()

    def _forget_oldest_half(self) -> None:
        kept = list(self._answers.items())[MAX_ENTRIES // 2 :]
        self._answers, self._unsat_by_newest, self._sat, self._sat_by_member = OrderedDict(), {}, [], {}
        for asked, verdict in kept:
            self._remember(asked, verdict)


def project(model: Assignment, variables: frozenset[str]) -> Assignment:
    """The part of a model that speaks about these variables."""
    return {name: value for name, value in model.items() if name in variables}
