"""The solver chain: cheap links first, each wrapping the next; Z3 stands at the end.

    deduplicate -> independence -> differences -> cache -> guess -> Z3 (incremental, within a resource budget)

Each link can be switched off; the verdicts stay the same, only the cost changes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ramify.runtime.solver.differences import Differences
from ramify.runtime.solver.guess import Guess
from ramify.runtime.solver.independence import Independence
from ramify.runtime.solver.remembered import Cache
from ramify.runtime.solver.verdict import UNSAT, Link, Query, Sat, Stats, Unsat, Verdict
from ramify.runtime.terms import FALSE, Assignment, Term, conjuncts


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """Which links the chain has, and what a query may cost."""

    deduplicate: bool = True
    independence: bool = True
    differences: bool = True
    cache: bool = True
    guess: bool = True
    incremental: bool = True
    second_attempts: bool = True
    rlimit: int = 3_000_000  # Z3's own count of steps per check: the same on every machine, about a second
    steps: int | None = None  # that all checks of one query may use up in vain before it gives up


def build_chain(options: SolverOptions, stats: Stats) -> Link:
    """The architecture of the solver."""
    chain: Link = Last(options, stats)
    if options.guess:
        chain = Guess(chain, stats)
    if options.cache:
        chain = Cache(chain, stats)
    if options.differences:
        chain = Differences(chain, stats)
    if options.independence:
        chain = Independence(chain)
    if options.deduplicate:
        chain = Deduplicate(chain)
    return chain


class Last:
    """The end of the chain; Z3 is loaded when it is first asked, which many searches never do."""

    def __init__(self, options: SolverOptions, stats: Stats) -> None:
        self._options, self._stats = options, stats
        self._attempts: Link | None = None

    def solve(self, query: Query) -> Verdict:
        if self._attempts is None:
            from ramify.runtime.solver.attempts import Attempts  # loads Z3

            options = self._options
            self._attempts = Attempts(
                self._stats, options.rlimit, options.incremental, options.second_attempts, options.steps
            )
        return self._attempts.solve(query)


class Deduplicate:
    """Takes conjunctions apart and drops what is repeated or trivially true."""

    def __init__(self, next_link: Link) -> None:
        self._next = next_link

    def solve(self, query: Query) -> Verdict:
        goal = conjuncts((query.goal,))
        if not goal:
            goal = [query.goal]
        before = [c for c in conjuncts(query.constraints[:-1]) if c not in goal]
        if FALSE in before or FALSE in goal:
            return UNSAT
        return self._next.solve(Query((*before, *goal), query.parent))


class Solver:
    """Answers queries of the search and counts them. `solve` gives complete child assignments: the parent's
    values, changed where needed.
    """

    def __init__(self, options: SolverOptions | None = None) -> None:
        self.stats = Stats()
        self._options = options or SolverOptions()
        self._chain: Link | None = None

    def solve(self, prefix: Sequence[Term], goal: Term, parent: Assignment) -> Verdict:
        """Find an assignment under which every term of the prefix and the goal hold.

        The parent is the assignment whose run had that prefix; it need not hold there, but then the search
        is harder.
        """
        if self._chain is None:
            self._chain = build_chain(self._options, self.stats)
        start = time.perf_counter()
        verdict = self._chain.solve(Query((*prefix, goal), parent))
        self.stats.seconds += time.perf_counter() - start
        if isinstance(verdict, Sat):
            self.stats.queries["sat"] += 1
            return Sat({**parent, **verdict.model})
        self.stats.queries["unsat" if isinstance(verdict, Unsat) else "unknown"] += 1
        return verdict
