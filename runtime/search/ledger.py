"""What a search knows: covered edges, endings, the nearest input of every outcome, what the solver answered and
what runs have taught. There is one ledger, here; whatever else needs to know some of it is handed that part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ramify.cfg.leaves import Leaf
from ramify.runtime.programs import CRASHED, RETURNED, UNMEASURED, Execution, Knowledge, ending
from ramify.runtime.proposals import Lessons
from ramify.runtime.recording import Concretisation
from ramify.runtime.search.goals import Goals
from ramify.runtime.search.nearness import Near
from ramify.runtime.search.strategies import Candidate
from ramify.runtime.solver import Sat, Unknown, Verdict
from ramify.runtime.terms import Assignment

Aim = tuple[Leaf, bool]
"""One outcome of a test: where the test stands, and whether it comes out true."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a run added to what was known."""

    edges: tuple[int, ...] = ()  # of the target
    others: bool = False  # of functions that it calls
    ending: bool = False

    @property
    def kept(self) -> bool:
        """Whether the input is worth reporting."""
        return bool(self.edges) or self.ending


class Ledger:
    """The facts of one search, in the order in which they came to light."""

    def __init__(self, goals: Goals, lessons: Lessons | None = None) -> None:
        self.goals = goals
        self.known = Knowledge(goals.covered, lessons=Lessons() if lessons is None else lessons)
        self.nearest: dict[Aim, Near] = {}
        self.idle = 0  # flips since anything new was covered
        self.vain = 0  # cheap runs, and those of climbs, since then
        self.gained = 0.0  # when that was, by the clock of the search
        self.by: dict[int, Execution] = {}  # the first run that took each edge
        self.answers: dict[Aim, Counter[str]] = {}  # of the solver
        self.reasons: dict[Aim, str] = {}  # of its last "unknown"
        self.diverged: Counter[Aim] = Counter()
        self.decided: set[Leaf] = set()  # tests that some run has decided with a term
        self.lost: dict[int, Counter[Concretisation]] = {}  # by site: terms lost in runs that came there

    @property
    def returned(self) -> bool:
        """Whether any run has returned."""
        return any(outcome == RETURNED for outcome, *_ in self.known.endings)

    # -- runs -------------------------------------------------------------------------------------

    def note_run(self, execution: Execution, now: float) -> Gain:
        """A measured run that was not rejected; `now` is the time of the search's clock."""
        before = len(self.goals.covered)
        new = self.credit(execution.hits, execution)
        others = len(self.goals.covered) > before
        if others:
            self.idle, self.vain, self.gained = 0, 0, now
        self.note_near(execution)
        end = ending(execution)
        fresh = end not in self.known.endings
        self.known.endings.add(end)
        return Gain(tuple(new), others, fresh)

    def credit(self, edges: Iterable[int], execution: Execution) -> list[int]:
        """Counts edges as covered by a run; the new ones among the target's own."""
        new = self.goals.cover(edges)
        for edge in new:
            self.by.setdefault(edge, execution)
        return new

    def note_near(self, execution: Execution) -> None:
        """How near a run came to the outcomes it did not take."""
        for leaf, both in execution.near.items():
            for outcome, distance in zip((True, False), both, strict=True):
                self.near((leaf, outcome)).note(execution.assignment, distance)
        for span, outcome in self.goals.unmeasured(execution.hits):
            leaf = Leaf(span)
            if leaf not in execution.near:
                self.near((leaf, outcome)).note(execution.assignment, UNMEASURED)

    def near(self, aim: Aim) -> Near:
        """The nearest inputs of an outcome."""
        return self.nearest.setdefault(aim, Near())

    def note_understood(self, concolic: Execution, hits: frozenset[int]) -> None:
        """A run on concolic values: the tests it decided, and those it came to with terms lost on the way."""
        self.decided.update(Leaf(d.site.span) for d in concolic.decisions if d.site.file == self.goals.path)
        if concolic.concretisations:
            edges = self.goals.table.edges
            for site in {edges[hit].site.index for hit in hits if hit < len(edges)}:
                self.lost.setdefault(site, Counter()).update(concolic.concretisations)

    def note_crash(self, measured: Execution) -> None:
        """A process that died took its marks along; the decisions it told on the way say which edges it took."""
        assert measured.outcome == CRASHED
        own = [d for d in measured.decisions if d.site.file == self.goals.path and d.site.test]
        self.credit([edge for d in own for edge in self.goals.taken(d.site.span, d.branch)], measured)

    # -- flips ------------------------------------------------------------------------------------

    def note_answer(self, candidate: Candidate, verdict: Verdict) -> None:
        """What the solver said about a flip; of other files nothing is judged, and their places look like ours."""
        aim = _aim(candidate)
        if candidate.edge[0].file != self.goals.path:
            return
        word = "sat" if isinstance(verdict, Sat) else "unknown" if isinstance(verdict, Unknown) else "unsat"
        self.answers.setdefault(aim, Counter())[word] += 1
        if isinstance(verdict, Unknown):
            self.reasons[aim] = verdict.reason

    def note_divergence(self, candidate: Candidate) -> None:
        """A run that did not take the decisions it was built for."""
        if candidate.edge[0].file == self.goals.path:
            self.diverged[_aim(candidate)] += 1

    # -- climbs -----------------------------------------------------------------------------------

    def note_climb(self, aim: Aim, best: Assignment, distance: float) -> None:
        """Where a climb ended. An input no nearer than those known is left out: it has only more changes in it."""
        known = self.nearest.get(aim)
        if known is None or distance < known.distance:
            self.near(aim).note(best, distance)


def _aim(candidate: Candidate) -> Aim:
    site, outcome = candidate.edge
    return Leaf(site.span), outcome
