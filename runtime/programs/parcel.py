"""How the executions of a child reach its parent: terms and sites travel once, both sides number them, and a path
refers to them by number. Of a path only those decisions travel that the one before it did not begin with.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from ramify.runtime.inputs import Written
from ramify.runtime.programs.execution import Execution
from ramify.runtime.recording import Decision, DecisionSite, Phase, shared_length
from ramify.runtime.sandbox import travel
from ramify.runtime.terms import Assignment, Term, const, make, var, walk

_PHASES = list(Phase)
_PHASE_NUMBER = {phase: number for number, phase in enumerate(_PHASES)}
_tuple = tuple.__new__  # a NamedTuple's own constructor costs three times as much


@dataclass(slots=True)
class Parcel:
    """An execution on its way: terms and sites as numbers, with those that the other side does not know yet."""

    fresh: bool  # numbers start again at 0
    nodes: list[tuple[Any, ...]]
    sites: list[DecisionSite]
    shared: int  # how many decisions are those that the latest parcel with any began with
    decisions: bytes  # site, outcome, term, phase of each of the others
    facts: list[int]
    promises: list[int]
    rest: dict[str, Any]
    exception: tuple[Any, ...] | None
    result: bytes
    texts: tuple[Any, ...]  # of which `Written` is made
    spoiled: bool = False  # the child must not be used again
    late: bool = False  # the run has entered modules that are still to be rewritten

    def __reduce__(self) -> tuple[Any, ...]:  # a dataclass with slots writes down the names of its fields too
        return Parcel, _columns(self)


_columns = attrgetter(*(f.name for f in fields(Parcel)))


@dataclass(slots=True)
class Step:
    """One more decision or fact of a run that is being told, or what is left of them after some were dropped."""

    kind: str  # "decisions" or "facts"
    length: int
    nodes: list[tuple[Any, ...]] = field(default_factory=list)
    term: int = -1
    decided: tuple[DecisionSite, bool, Phase] | None = None


class Sender:
    """The child's side of the numbering."""

    def __init__(self) -> None:
        self._terms: dict[Term, int] = {}
        self._sites: dict[DecisionSite, int] = {}
        self._latest: Sequence[Decision] = ()
        self._fresh = True

    def forget(self) -> None:
        """Numbers start again: so terms that no later run uses can go."""
        self._terms.clear()
        self._sites.clear()
        self._latest = ()
        self._fresh = True

    def parcel(self, execution: Execution, texts: Written) -> Parcel:
        facts, promises = execution.facts, execution.promises
        shared = shared_length(execution.decisions, self._latest)
        self._latest = execution.decisions or self._latest
        decisions = execution.decisions[shared:]
        nodes, sites = self._nodes([d.term for d in decisions] + facts + promises), self._new_sites(decisions)
        terms, places = self._terms, self._sites
        numbers = array("I")
        for site, outcome, term, phase in decisions:
            numbers.extend((places[site], outcome, terms[term], _PHASE_NUMBER[phase]))
        fresh, self._fresh = self._fresh, False
        columns = zip(_AS_THEY_ARE, _USUALLY, _taken(execution), strict=True)
        return Parcel(
            fresh, nodes, sites, shared, numbers.tobytes(),
            [terms[t] for t in facts], [terms[t] for t in promises],
            {name: value for name, usual, value in columns if value != usual},
            None if execution.exception is None else travel.pack_exception(execution.exception),
            travel.dumps(execution.result, travel.MAX_SIZE),
            texts.parts,
        )  # fmt: skip

    def step(self, kind: str, length: int, entry: Decision | Term) -> Step:
        if isinstance(entry, Term):
            return Step(kind, length, self._nodes([entry]), self._terms[entry])
        site, outcome, term, phase = entry
        return Step(kind, length, self._nodes([term]), self._terms[term], (site, outcome, phase))

    def _nodes(self, roots: Iterable[Term]) -> list[tuple[Any, ...]]:
        known = self._terms
        nodes: list[tuple[Any, ...]] = []
        for node in walk([root for root in roots if root not in known], skip=known.__contains__):
            known[node] = len(known)
            if node.args:
                nodes.append((node.op, *[known[a] for a in node.args]))
            else:
                nodes.append((node.op, node.value, node.sort))
        return nodes

    def _new_sites(self, decisions: Iterable[Decision]) -> list[DecisionSite]:
        known = self._sites
        new = []
        for site in {d[0] for d in decisions if d[0] not in known}:
            known[site] = len(known)
            new.append(site)
        return new


class Receiver:
    """The parent's side of the numbering."""

    def __init__(self) -> None:
        self._terms: list[Term] = []
        self._sites: list[DecisionSite] = []
        self._latest: list[Decision] = []
        self._conditions: list[Term] = []  # of the latest decisions

    def forget(self) -> None:
        """The child has gone, or has begun to count anew."""
        self._terms.clear()
        self._sites.clear()
        self._latest, self._conditions = [], []

    def execution(self, parcel: Parcel) -> Execution:
        if parcel.fresh:
            self.forget()
        self._learn(parcel.nodes)
        terms, sites = self._terms, self._sites
        sites += parcel.sites
        numbers = array("I", parcel.decisions)
        columns = (numbers[start::4] for start in range(4))
        new = [
            _tuple(Decision, (sites[site], outcome == 1, terms[term], _PHASES[phase]))
            for site, outcome, term, phase in zip(*columns, strict=True)
        ]
        decisions = self._latest[: parcel.shared] + new
        conditions = self._conditions[: parcel.shared] + [d.condition for d in new]
        if decisions:
            self._latest, self._conditions = decisions, conditions
        error = None if parcel.exception is None else travel.unpack_exception(parcel.exception)
        return Execution(
            decisions=decisions,
            facts=[terms[i] for i in parcel.facts],
            promises=[terms[i] for i in parcel.promises],
            exception=error,
            result=travel.loads(parcel.result),
            describe=always(Written(*parcel.texts)),
            _conditions=conditions or None,  # a measured run gets its decisions later
            **parcel.rest,
        )

    def replay(self, steps: Iterable[Step], execution: Execution) -> None:
        """What is known of a run that did not end."""
        self.forget()
        logs: dict[str, list[Any]] = {"decisions": execution.decisions, "facts": execution.facts}
        for step in steps:
            self._learn(step.nodes)
            log = logs[step.kind]
            del log[step.length :]
            if len(log) < step.length:
                term = self._terms[step.term]
                log.append(term if step.decided is None else Decision(*step.decided[:2], term, step.decided[2]))

    def _learn(self, nodes: Iterable[tuple[Any, ...]]) -> None:
        terms = self._terms
        for op, *rest in nodes:
            if op == "var":
                terms.append(var(*rest))
            elif op == "const":
                terms.append(const(*rest))
            else:
                terms.append(make(op, *[terms[i] for i in rest]))


_OTHERWISE = {"decisions", "facts", "promises", "exception", "result", "describe", "refusals", "_conditions"}
_AS_THEY_ARE = [f.name for f in fields(Execution) if f.name not in _OTHERWISE]
_taken = attrgetter(*_AS_THEY_ARE)


def _usually(usual: Execution) -> list[Any]:
    """What most executions have in the fields that travel as they are; all have an assignment."""
    return [None if name == "assignment" else getattr(usual, name) for name in _AS_THEY_ARE]


_USUALLY = _usually(Execution({}))


def always(texts: Written) -> Callable[[Assignment], Written]:
    return lambda assignment: texts
