"""The tree of all paths seen: which of them are new, which flips lead off them, and how deep they are."""

from __future__ import annotations

from collections.abc import Sequence

from ramify.runtime.programs import Execution
from ramify.runtime.recording import Phase
from ramify.runtime.search.exploration import Summary
from ramify.runtime.search.prefixes import Prefixes
from ramify.runtime.search.strategies import Candidate, Node
from ramify.runtime.solver import Solver
from ramify.runtime.terms import Term


class PathTree:
    """The paths of a search. `depth` limits how many decisions of a path are reversed."""

    def __init__(self, solver: Solver, summary: Summary, depth: int | None = None) -> None:
        self._solver = solver
        self._summary = summary
        self._depth = depth
        self._seen: set[int] = set()
        self._prefixes = Prefixes()
        self._serial = 0
        self._leaves: list[list[Node]] = []

    def grow(self, execution: Execution, bound: int, candidate: Candidate | None) -> list[Candidate] | None:
        """Takes up the path of a run and gives the flips of its decisions from `bound` on; None if it was there
        already.
        """
        key = self._prefixes.number(execution.decisions)
        if key in self._seen:
            return None
        self._seen.add(key)
        nodes = list(candidate.nodes[:bound]) if candidate is not None else []
        nodes += [Node() for _ in range(len(execution.decisions) - len(nodes))]
        body = [n for n, d in zip(nodes, execution.decisions, strict=True) if d.phase is Phase.BODY]
        self._leaves.append(body)
        return self._flips(execution, bound, nodes)

    @property
    def deepest(self) -> int:
        """The largest number of free decisions on a path: of those both sides of which are reached."""
        return max((sum(node.free for node in leaf) for leaf in self._leaves), default=0)

    def _flips(self, execution: Execution, bound: int, nodes: Sequence[Node]) -> list[Candidate]:
        found: list[Candidate] = []
        depth = 0
        known: set[Term] = set()
        for index, decision in enumerate(execution.decisions):
            if decision.phase is Phase.ASSUMED and decision.outcome:
                continue  # a precondition that held: its other side rejects the input
            if decision.condition in known:  # decided before on this path: the flip contradicts itself
                if index >= bound:
                    self._solver.stats.queries["unsat"] += 1
                    self._solver.stats.cache_hits["unsat_subset"] += 1
                continue
            known.add(decision.condition)
            depth += decision.phase is Phase.BODY
            if index < bound:
                continue
            if self._depth is not None and depth > self._depth:
                self._summary.pruned += 1
                break
            self._serial += 1
            found.append(Candidate(execution, index, self._serial, 0, nodes))
        return found
