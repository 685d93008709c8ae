"""A verdict for every edge of a target: covered, dead, infeasible, or unsolved and why.

*Infeasible* is said only after a search that left nothing undone: every flip was answered, nothing was cut,
lost or unknown, and the inputs were not too narrow to tell. In any other case an edge that was not covered is
*unsolved*, with what stood in the way.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from time import perf_counter

from ramify.cfg.branches import Edge, Site
from ramify.cfg.leaves import Leaf
from ramify.runtime.inputs import Doubts
from ramify.runtime.programs import Execution
from ramify.runtime.recording import Concretisation
from ramify.runtime.sandbox import Refusal
from ramify.runtime.search.exploration import Stop
from ramify.runtime.search.ledger import Aim, Ledger

COVERED, DEAD, INFEASIBLE, UNSOLVED = "covered", "dead", "infeasible", "unsolved"
MAX_BLAMED = 3


@dataclass(frozen=True, slots=True)
class EdgeVerdict:
    """What became of one edge."""

    edge: Edge
    kind: str
    reason: str = ""
    by: Execution | None = None  # the first input that took it
    blamed: tuple[Concretisation, ...] = ()

    @property
    def text(self) -> str:
        """The edge and what became of it, in words."""
        if self.kind == COVERED:
            return self.edge.label
        return f"{self.edge.missing}: {self.kind}, {self.reason}"


class Judge:
    """Says what became of each edge, from what the ledger of a search holds."""

    def __init__(self, ledger: Ledger, doubts: Doubts = Doubts(), bounds: str = "") -> None:  # noqa: B008 - frozen
        self._ledger = ledger
        self._goals = ledger.goals
        self._doubts = doubts
        self._bounds = bounds
        self._until = inf  # when it is too late to look for what stood in the way

    def all(
        self, stop: Stop, refused: Collection[Refusal] = (), seconds: float | None = None
    ) -> list[EdgeVerdict]:
        """The verdict for every edge of the target, in the order of the source; `stop` is why the search ended.
        After so many seconds, what stood before an edge that was not reached is not looked for any more.
        """
        self._until = inf if seconds is None else perf_counter() + seconds
        found = [self._judge(edge, stop) for edge in self._goals.edges]
        return [_despite(v, refused) if refused and v.kind == UNSOLVED else v for v in found]

    def _judge(self, edge: Edge, stop: Stop) -> EdgeVerdict:
        if edge.id in self._goals.covered:
            return EdgeVerdict(edge, COVERED, by=self._ledger.by.get(edge.id))
        if edge.id in self._goals.dead:
            return EdgeVerdict(edge, DEAD, self._goals.dead[edge.id])
        if stop == Stop.EXHAUSTED:
            doubt = self._doubt(edge)
            if doubt:
                return EdgeVerdict(edge, UNSOLVED, doubt)
            return EdgeVerdict(edge, INFEASIBLE, f"every way there was excluded ({self._bounds})")
        reason, blamed = self._obstacle(edge, stop)
        return EdgeVerdict(edge, UNSOLVED, reason, blamed=blamed)

    def _doubt(self, edge: Edge) -> str:
        """Why other inputs than those that can be built may take an edge, if they may."""
        if edge.site.kind in ("handler", "with") and catches_the_machine(edge):
            return f"{_EXCEPTIONAL[edge.outcome]}; {', '.join(MACHINE)} are not looked for"
        doubts = []
        if self._doubts.untouched:
            names = ", ".join(self._doubts.untouched)
            doubts.append(f"objects of {names} as the constructor makes them (--calls 2 calls methods before)")
        if self._doubts.types and not self._refuted(edge):
            names = ", ".join(self._doubts.types)
            doubts.append(f"the types tried for {names} (annotations or --types name others)")
        if self._goals.surroundings and not self._refuted(edge):
            doubts.append(f"the surroundings of this run ({', '.join(self._goals.surroundings)})")
        return f"impossible with {' and '.join(doubts)}" if doubts else ""

    def _refuted(self, edge: Edge) -> bool:
        """Whether the solver has excluded it, or what stands before it: not only that no type at hand took it."""
        barrier = edge if self._site_reached(edge.site) else self._goals.obstacle(edge.id)
        leaves = [] if barrier is None else self._leaves(barrier)
        return any(self._ledger.answers[leaf]["unsat"] for leaf in leaves if leaf in self._ledger.answers)

    def _leaves(self, edge: Edge) -> list[Aim]:
        """The decisions that take an edge."""
        return self._deciding.get(edge.id, [])

    @cached_property
    def _deciding(self) -> dict[int, list[Aim]]:
        """For each edge the decisions that take it."""
        found: dict[int, list[Aim]] = {}
        for span, both in self._goals.leaves.items():
            for outcome, edges in zip((True, False), both, strict=True):
                for edge in edges:
                    found.setdefault(edge, []).append((Leaf(span), outcome))
        return found

    def _obstacle(self, edge: Edge, stop: Stop) -> tuple[str, tuple[Concretisation, ...]]:
        goals = self._goals
        if not self._site_reached(edge.site):
            if perf_counter() > self._until:
                return f"stopped by {stop} before anything reached it", ()
            barrier = goals.obstacle(edge.id)
            if barrier is not None and barrier.id != edge.id:
                return f"not reached because {barrier.missing}", self._blamed(barrier.site)
        if edge.site.kind in ("try", "handler", "with"):
            return _EXCEPTIONAL[edge.outcome], self._blamed(edge.site)
        leaves = self._leaves(edge)
        answers: Counter[str] = Counter()
        for leaf in leaves:
            answers += self._ledger.answers.get(leaf, Counter())
        if answers["unknown"]:
            why = next(self._ledger.reasons[leaf] for leaf in leaves if leaf in self._ledger.reasons)
            return f"the solver could not decide it ({why})", self._blamed(edge.site)
        blamed = self._blamed(edge.site)
        if not any(leaf in self._ledger.decided for leaf, _ in leaves):
            if blamed:
                return f"its value was concretised: {_listed(blamed)}", blamed
            return "in no run was its condition a matter of the inputs", ()
        if any(self._ledger.diverged[leaf] for leaf in leaves):
            return "the runs meant for it went another way" + (f" ({_listed(blamed)})" if blamed else ""), blamed
        if answers["unsat"] and not answers["sat"]:
            return f"impossible on the {answers['unsat']} paths tried, stopped by {stop}", blamed
        return f"not tried yet, stopped by {stop}" if not answers else f"stopped by {stop}", blamed

    def _site_reached(self, site: Site) -> bool:
        return any(site.first + n in self._goals.covered for n in range(len(site.outcomes)))

    def _blamed(self, site: Site) -> tuple[Concretisation, ...]:
        """Where terms were lost on the way to a site, nearest before it first."""
        lost = self._ledger.lost.get(site.index, Counter())
        before = sorted(lost, key=lambda place: (place.line > site.line, abs(site.line - place.line)))
        return tuple(before[:MAX_BLAMED])


_EXCEPTIONAL = {
    "completed": "every run that came there raised an exception",
    "caught": "no run raised such an exception there",
    "passed": "no run raised an exception that this clause does not take",
    "left": "every run that came there raised an exception",
    "suppressed": "no run raised an exception there that the context manager suppresses",
}


MACHINE = ("OverflowError", "MemoryError", "RecursionError")
"""Exceptions that no decision leads to: they depend on sizes that Python itself sets."""

_MACHINE_BASES = {*MACHINE, "ArithmeticError", "RuntimeError", "Exception", "BaseException"}


def catches_the_machine(edge: Edge) -> bool:
    """Whether an exception of the machine may take an edge: all of them pass a clause for others."""
    if edge.outcome != "caught":
        return edge.outcome in ("passed", "suppressed")
    text = edge.site.text.removeprefix("except").removeprefix("*").strip()
    return not text or any(name in _MACHINE_BASES or not _names_a_class(name) for name in _caught(text))


def _caught(text: str) -> list[str]:
    """The last names of what a clause catches; one that is too long to be shown whole could be anything."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return [""]
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return [getattr(kind, "attr", getattr(kind, "id", "")) for kind in kinds]


def _names_a_class(name: str) -> bool:
    """Whether a name looks like that of one exception, not of a tuple or an alias that may hold any."""
    return name[:1].isupper() and not name.isupper()


def _listed(places: tuple[Concretisation, ...]) -> str:
    return ", ".join(f"line {place.line} by {place.operation}" for place in places)


def ranked(verdicts: list[EdgeVerdict]) -> list[tuple[Concretisation, int]]:
    """The places where terms were lost, by how many unsolved edges they stand before."""
    blocked: Counter[Concretisation] = Counter()
    for verdict in verdicts:
        if verdict.kind == UNSOLVED:
            blocked.update(verdict.blamed[:1])
    return blocked.most_common()


def _despite(verdict: EdgeVerdict, refused: Collection[Refusal]) -> EdgeVerdict:
    """An edge that may lie behind what was refused."""
    lines = ", ".join(f"line {line}" for line in sorted({refusal.line for refusal in refused}))
    allowing = " ".join(f"--allow {kind}" for kind in sorted({refusal.kind for refusal in refused}))
    return replace(verdict, reason=f"{verdict.reason}; something was refused at {lines} ({allowing})")
