"""The last link: asks Z3, encoding after encoding, and believes a model only after evaluating the
constraints.

Numbers: exact integers (floats as reals), then bit-vectors, then binary64, then with part of the query
fixed to the parent's values. Texts and sequences: vectors at the parent's lengths, at lengths the
relaxation proposes, at any length up to a capacity; last Z3's own theory of strings. "Unsat" is said only
by an encoding that loses no solution.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from ramify.runtime.solver.domain import domain
from ramify.runtime.solver.encodings.encoder import Unsupported
from ramify.runtime.solver.encodings.incremental import Incremental
from ramify.runtime.solver.lowered.lengths import Relaxation, length_name
from ramify.runtime.solver.lowered.lowering import Lowering
from ramify.runtime.solver.lowered.vectors import TooHard
from ramify.runtime.solver.profile import Profile, Profiler
from ramify.runtime.solver.rewrite import propagate, substitute
from ramify.runtime.solver.tidy import tidy
from ramify.runtime.solver.verdict import UNSAT, Query, Sat, Stats, Unknown, Unsat, Verdict
from ramify.runtime.terms import FALSE, FLOAT, STR, TRUE, Assignment, Sort, Term, const, satisfies
from ramify.runtime.terms import language as T

MAX_RELAXED = 100_000  # nodes remembered by the relaxation
MAX_LOWERINGS = 64  # length choices remembered with everything lowered under them
IEEE_TRIES = 2  # of binary64 within one query: each may use up the whole budget
LENGTH_TRIES = 3  # lengths proposed by the relaxation that are tried one by one
MIN_CAPACITY, MAX_CAPACITY = 4, 12  # of texts whose length stays open
LARGE, MAX_SHRUNK = 16, 12  # integers beyond this are asked to be smaller, if there are not too many
MAX_SINGLED_OUT = 4  # variables of the goal tried alone, all others fixed


class Attempts:
    """Solves queries with Z3. One object per exploration: its solvers stay alive between queries."""

    def __init__(
        self,
        stats: Stats,
        rlimit: int,
        incremental: bool = True,
        second_attempts: bool = True,
        steps: int | None = None,
    ) -> None:
        self._stats = stats
        self._steps = math.inf if steps is None else steps
        self._end = math.inf  # of `stats.steps`, for this query
        self._rlimit = rlimit
        self._second_attempts = second_attempts
        self._keep_prefix = incremental
        self._solvers: dict[str, Incremental] = {}
        self._profiler = Profiler()
        self._ieee_left = IEEE_TRIES
        self._relaxation = Relaxation()
        self._lowerings: OrderedDict[Any, Lowering] = OrderedDict()

    def solve(self, query: Query) -> Verdict:
        self._ieee_left = IEEE_TRIES
        self._end = self._stats.steps + self._steps
        refuted = self._stats.refuted_models
        verdict = self._solve(query)
        if isinstance(verdict, Unknown) and self._second_attempts and self._stats.refuted_models > refuted:
            defined = domain(query.constraints)
            if defined and FALSE not in defined:
                stricter = self._solve(Query((*query.constraints[:-1], *defined, query.goal), query.parent))
                if isinstance(stricter, Sat):
                    return stricter
        return verdict

    def _solve(self, query: Query) -> Verdict:
        profile = self._profiler.profile(query.constraints)
        if profile.texts or profile.text_operations:
            verdict = self._solve_texts(query, profile)
        else:
            verdict = self._solve_numbers(query, query.constraints, profile, None)
        if isinstance(verdict, Unknown) and self._second_attempts:
            verdict = self._solve_partly_fixed(query, profile, verdict)
        return verdict

    # Numbers

    def _solve_numbers(
        self, query: Query, constraints: Sequence[Term], profile: Profile, lowering: Lowering | None
    ) -> Verdict:
        """Tries the encodings of numbers in turn; the constraints may be the query's own or lowered ones."""
        refuted = self._stats.refuted_models
        verdict = self._ask("reals", query, constraints, lowering)
        if not isinstance(verdict, Unknown) or not self._second_attempts:
            return verdict
        if self._stats.refuted_models > refuted:
            defined = domain(constraints)
            if defined and FALSE not in defined:
                found = self._ask("reals", query, [*constraints, *defined], lowering)
                if isinstance(found, Sat):
                    return found
        if not profile.floats and (profile.bits or "incomplete" in verdict.reason):
            found = self._ask("bits", query, constraints, lowering)
            if isinstance(found, Sat):
                return found
        if profile.floats and self._ieee_left > 0:
            self._ieee_left -= 1
            found = self._ask("ieee", query, constraints, lowering)
            if not isinstance(found, Unknown):
                return found
        return verdict

    def _ask(self, mode: str, query: Query, constraints: Sequence[Term], lowering: Lowering | None) -> Verdict:
        if self._stats.steps >= self._end:
            return Unknown("the steps for one query were used up")
        try:
            verdict = self._solver(mode).check(constraints, self._rlimit)
        except Unsupported as problem:
            verdict = Unknown(f"{mode}: no translation of {problem}")
        if isinstance(verdict, Sat):
            first = verdict.model
            verdict = self._confirm(query, first, mode, lowering)
            if isinstance(verdict, Sat) and mode == "reals":
                verdict = self._smaller(query, constraints, lowering, first) or verdict
        self._stats.attempts[f"{mode} {type(verdict).__name__.lower()}"] += 1
        return verdict

    def _solver(self, name: str, mode: str | None = None) -> Incremental:
        solver = self._solvers.get(name)
        if solver is None:
            solver = self._solvers[name] = Incremental(mode or name, self._stats, self._keep_prefix)
        return solver

    def _smaller(
        self, query: Query, constraints: Sequence[Term], lowering: Lowering | None, model: Assignment
    ) -> Verdict | None:
        """One more question when the model has large integers: would small ones do?"""
        parent = query.parent
        large = [n for n, v in sorted(model.items()) if type(v) is int and abs(v) > LARGE and parent.get(n) != v]
        if not large or len(large) > MAX_SHRUNK:
            return None
        unknowns = [T.var(n, T.INT) for n in large]
        bounds = [b for v in unknowns for b in (T.ge(v, const(-LARGE)), T.le(v, const(LARGE)))]
        verdict = self._solver("reals").check([*constraints, *bounds], self._rlimit // 20)
        if isinstance(verdict, Sat):
            verdict = self._confirm(query, verdict.model, "reals", lowering)
        return verdict if isinstance(verdict, Sat) else None

    def _confirm(self, query: Query, found: Assignment, mode: str, lowering: Lowering | None = None) -> Verdict:
        """Sat if the constraints evaluate to true under the model completed from the parent; tidied."""
        model = lowering.raise_values(found, query.parent) if lowering else found
        names = self._profiler.profile(query.constraints).variables
        complete = {n: model[n] if n in model else query.parent.get(n, _default(s)) for n, s in names.items()}
        if not satisfies(complete, query.constraints):
            self._stats.refuted_models += 1
            return Unknown(f"{mode}: the model does not satisfy the constraints when run")
        return Sat(tidy(complete, query.constraints, query.parent))

    def _solve_partly_fixed(self, query: Query, profile: Profile, unknown: Unknown) -> Verdict:
        """Second attempt: one variable of the goal stays open, all others take the parent's values."""
        names = sorted(query.goal.variables)[:MAX_SINGLED_OUT]
        if len(profile.variables) < 2:
            return unknown
        for name in names:
            fixed = {n: query.parent.get(n, _default(s)) for n, s in profile.variables.items() if n != name}
            constraints = [t for t in substitute(query.constraints, fixed) if t is not TRUE]
            if FALSE in constraints or not constraints:
                continue
            inner = Query(tuple(constraints), query.parent)
            part = self._profiler.profile(constraints)
            if part.texts or part.text_operations:
                verdict = self._solve_texts(inner, part, thorough=False)
            else:
                verdict = self._ask("reals", inner, constraints, None)
            if isinstance(verdict, Sat):
                confirmed = self._confirm(query, {**fixed, **verdict.model}, "partly fixed")
                if isinstance(confirmed, Sat):
                    self._stats.attempts["partly fixed sat"] += 1
                    return confirmed
        return unknown

    # Texts and sequences

    def _solve_texts(self, query: Query, profile: Profile, thorough: bool = True) -> Verdict:
        """Lengths first: the parent's, proposed ones, open ones; then all of Unicode; then Z3's own strings."""
        parent = {n: query.parent.get(n, _default(s)) for n, s in profile.texts.items()}
        tried = [{n: len(v) for n, v in parent.items()}]
        excluded: list[dict[str, int]] = []  # lengths at which the query is proved unsatisfiable
        exhausted = False  # the relaxation allows no other lengths than those tried

        def at(lengths: dict[str, int], unicode: bool = False) -> Verdict:
            verdict = self._at_lengths(query, profile, lengths, parent, unicode)
            if isinstance(verdict, Unsat):
                excluded.append(lengths)
            return verdict

        verdict = at(tried[0])
        if isinstance(verdict, Sat):
            return verdict
        if self._contradictory(query):
            return UNSAT
        while len(tried) <= LENGTH_TRIES and not exhausted:
            proposal = self._propose_lengths(query, profile, tried)
            if isinstance(proposal, dict):
                tried.append(proposal)
                verdict = at(proposal)
                if isinstance(verdict, Sat):
                    return verdict
            elif isinstance(proposal, Unsat):
                exhausted = True
            else:
                break
        capacity = max([MIN_CAPACITY, *(n + 2 for lengths in tried for n in lengths.values())])
        longest = max([0, *tried[0].values()])
        capacity = min(max(MAX_CAPACITY, longest + 2), max(capacity, profile.longest + 1))
        open_lengths = dict.fromkeys(profile.texts, -capacity)
        choices = tried if exhausted else [*tried, open_lengths]
        if not exhausted:
            verdict = at(open_lengths)
            if isinstance(verdict, Sat):
                return verdict
        if profile.classes:
            for choice in choices if exhausted else choices[-2:]:
                verdict = at(choice, unicode=True) if choice not in excluded else UNSAT
                if isinstance(verdict, Sat):
                    return verdict
        if exhausted and all(lengths in excluded for lengths in tried):
            return UNSAT
        if open_lengths in excluded and self._bounded(query, profile, open_lengths):
            return UNSAT
        return self._ask("texts", query, query.constraints, None) if thorough else verdict

    def _contradictory(self, query: Query) -> bool:
        """Whether the query is refuted without looking into texts: by its equalities, or by its relaxation."""
        if FALSE in propagate(query.constraints):
            return True
        try:
            relaxed = self._relaxed(query.constraints)
            return FALSE in relaxed or isinstance(
                self._solver("lengths", "reals").check(list(relaxed), self._rlimit), Unsat
            )
        except Unsupported:
            return False

    def _at_lengths(
        self,
        query: Query,
        profile: Profile,
        lengths: dict[str, int],
        parent: Assignment,
        unicode: bool = False,
    ) -> Verdict:
        """The query with its texts lowered to vectors; Unsat means: none of these lengths."""
        if self._stats.steps >= self._end:
            return Unknown("the steps for one query were used up")
        lowering = self._lowering(lengths, profile.texts, parent, unicode)
        pushed: dict[Term, None] = {}
        assumed = False
        try:
            for term in query.constraints:
                conditions, restricted = lowering.conditions(term)
                assumed = assumed or restricted
                pushed.update(conditions)
                if FALSE in conditions:
                    guessed = assumed or lowering.nested  # lengths of texts inside sequences are guesses too
                    return Unknown("excluded by an assumption") if guessed else UNSAT
        except TooHard as problem:
            return Unknown(f"vectors: {problem}")
        pushed.pop(TRUE, None)
        verdict = self._solve_numbers(query, list(pushed), profile, lowering)
        if isinstance(verdict, Unsat) and (assumed or lowering.nested):
            return Unknown("vectors: unsatisfiable under an assumption")
        return verdict

    def _lowering(
        self, lengths: dict[str, int], sorts: dict[str, Sort], parent: Assignment, unicode: bool
    ) -> Lowering:
        """An input that may be a text or a list has one name, whichever it is: they are never lowered together."""
        sizes = dict(lengths)
        if all(size >= 0 for size in lengths.values()):
            for name, value in parent.items():
                _inner_lengths(name, value, sizes)
        key = (unicode, *sorted(sizes.items()), frozenset(sorts.items()))
        found = self._lowerings.get(key)
        if found is None:
            found = self._lowerings[key] = Lowering(sizes, unicode)
            if len(self._lowerings) > MAX_LOWERINGS:
                self._lowerings.popitem(last=False)
        else:
            self._lowerings.move_to_end(key)
        return found

    def _relaxed(self, constraints: Iterable[Term]) -> dict[Term, None]:
        if self._relaxation.size() > MAX_RELAXED:
            self._relaxation = Relaxation()
        pushed: dict[Term, None] = {}
        for term in constraints:
            relaxed = self._relaxation.relax(term)
            pushed.update(dict.fromkeys(self._relaxation.facts_of(relaxed)))
            pushed[relaxed] = None
        pushed.pop(TRUE, None)
        return pushed

    def _propose_lengths(
        self, query: Query, profile: Profile, tried: list[dict[str, int]]
    ) -> dict[str, int] | Verdict:
        """Lengths, other than those tried, at which the query may hold: short ones if possible."""
        pushed = self._relaxed(query.constraints)
        if FALSE in pushed:
            return UNSAT
        sizes = {n: T.var(length_name(n), T.INT) for n in profile.texts}
        for lengths in tried:
            other = T.or_(*(T.ne(sizes[n], const(lengths[n])) for n in sizes))
            pushed.update(dict.fromkeys(f for n in sizes for f in self._relaxation.facts.get(length_name(n), ())))
            pushed[other] = None
        solver = self._solver("lengths", "reals")
        verdict: Verdict = UNSAT
        try:
            for limit in (8, 32, None):
                small = [T.le(size, const(limit)) for size in sizes.values()] if limit is not None else []
                verdict = solver.check([*pushed, *small], self._rlimit)
                if isinstance(verdict, Sat):
                    return {n: max(0, verdict.model.get(length_name(n), tried[0][n])) for n in sizes}
        except Unsupported as problem:
            return Unknown(f"lengths: {problem}")
        return verdict

    def _bounded(self, query: Query, profile: Profile, open_lengths: dict[str, int]) -> bool:
        """Whether no text of the query can be longer than its capacity."""
        longer = T.or_(*(T.gt(T.var(length_name(n), T.INT), const(-size)) for n, size in open_lengths.items()))
        pushed = self._relaxed(query.constraints)
        pushed[longer] = None
        solver = self._solver("lengths", "reals")
        try:
            return isinstance(solver.check(list(pushed), self._rlimit), Unsat)
        except Unsupported:
            return False


def _default(sort: Sort) -> Any:
    if sort.element is not None:
        return []
    return {T.BOOL: False, T.INT: 0, FLOAT: 0.0, STR: ""}[sort]


def _inner_lengths(name: str, value: Any, sizes: dict[str, int]) -> None:
    """The lengths of the texts and sequences inside a sequence."""
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            if isinstance(item, (str, list, tuple)):
                sizes.setdefault(f"{name}!{k}", len(item))
                _inner_lengths(f"{name}!{k}", item, sizes)
