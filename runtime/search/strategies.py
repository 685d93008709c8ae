"""Search strategies: which reversed decision to try next. Each is a small class behind one Protocol."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ramify.errors import InputError
from ramify.runtime.programs import Execution
from ramify.runtime.recording import DecisionSite

DecidedEdge = tuple[DecisionSite, bool]


class Node:
    """A decision in the execution tree, shared by all paths through it: whether both of its sides can be
    reached.
    """

    __slots__ = ("free",)

    def __init__(self) -> None:
        self.free = False


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A flip waiting in the frontier: the parent's decisions before `index`, and that one reversed."""

    parent: Execution
    index: int
    serial: int  # order of creation: ties are broken by it, so that a search is the same in every process
    gained: int = 0  # how many new edges the parent's run covered
    nodes: Sequence[Node] = ()  # the parent's decisions in the execution tree

    @property
    def edge(self) -> DecidedEdge:
        """The edge that the flip would take."""
        decision = self.parent.decisions[self.index]
        return decision.site, not decision.branch


class Strategy(Protocol):
    """An order on candidates."""

    dropped: int  # candidates given up without asking the solver: such a search is never exhaustive

    def add(self, candidates: Sequence[Candidate]) -> None:
        """The flips of one run, in the order of its decisions."""

    def take(self) -> Candidate | None:
        """The next flip to solve, or None when there is none left."""

    def solved(self, candidate: Candidate, satisfiable: bool) -> None:
        """What the solver said about a flip that was taken."""

    def covered(self, edges: Sequence[DecidedEdge], new: int) -> None:
        """The edges of a run, of which `new` had not been seen before."""


class Indifferent:
    """What a strategy does that learns nothing from runs and verdicts."""

    dropped = 0

    def solved(self, candidate: Candidate, satisfiable: bool) -> None:
        pass

    def covered(self, edges: Sequence[DecidedEdge], new: int) -> None:
        pass


class DepthFirst(Indifferent):
    """The deepest flip of the latest run first: consecutive queries share long prefixes."""

    def __init__(self) -> None:
        self._stack: list[Candidate] = []

    def add(self, candidates: Sequence[Candidate]) -> None:
        self._stack.extend(candidates)

    def take(self) -> Candidate | None:
        return self._stack.pop() if self._stack else None


class BreadthFirst(Indifferent):
    """The oldest run's flips first, shallow before deep."""

    def __init__(self) -> None:
        self._queue: deque[Candidate] = deque()

    def add(self, candidates: Sequence[Candidate]) -> None:
        self._queue.extend(candidates)

    def take(self) -> Candidate | None:
        return self._queue.popleft() if self._queue else None


class Random(Indifferent):
    """Any flip, from a seeded generator of its own."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._pool: list[Candidate] = []

    def add(self, candidates: Sequence[Candidate]) -> None:
        self._pool.extend(candidates)

    def take(self) -> Candidate | None:
        if not self._pool:
            return None
        place = self._random.randrange(len(self._pool))
        self._pool[place], self._pool[-1] = self._pool[-1], self._pool[place]
        return self._pool.pop()


class Generational(Indifferent):
    """SAGE: flips that lead to an uncovered edge first, then those of runs that covered most, shallow before
    deep.

    Scores are computed again when a candidate is taken, since coverage has grown since it was added.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, ...], Candidate]] = []
        self._seen: set[DecidedEdge] = set()

    def add(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            heapq.heappush(self._heap, (self._score(candidate), candidate))

    def take(self) -> Candidate | None:
        heap = self._heap
        while heap:
            score, candidate = heapq.heappop(heap)
            now = self._score(candidate)
            if now == score or not heap or now <= heap[0][0]:
                return candidate
            heapq.heappush(heap, (now, candidate))
        return None

    def covered(self, edges: Sequence[DecidedEdge], new: int) -> None:
        self._seen.update(edges)

    def _score(self, candidate: Candidate) -> tuple[int, ...]:
        return candidate.edge in self._seen, -candidate.gained, candidate.index, candidate.serial


class SmartPaths(Indifferent):
    """Every edge about equally often; an edge that has had its share waits, and old ground is given up when
    nothing new appears.
    """

    PATIENCE = 10

    def __init__(self) -> None:
        self._nodes: list[Candidate] = []
        self._delayed: deque[Candidate] = deque()
        self._count: dict[DecidedEdge, int] = {}
        self._most = 1
        self._seen: set[DecidedEdge] = set()
        self._since_new = 0

    def add(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            if self._since_new > self.PATIENCE and candidate.edge in self._seen:
                self.dropped += 1
            else:
                self._nodes.append(candidate)

    def take(self) -> Candidate | None:
        while self._nodes:
            candidate = self._nodes.pop()
            if self._count.get(candidate.edge, 0) < self._most:
                return candidate
            self._delayed.append(candidate)
        return self._delayed.popleft() if self._delayed else None

    def solved(self, candidate: Candidate, satisfiable: bool) -> None:
        if satisfiable:
            count = self._count[candidate.edge] = self._count.get(candidate.edge, 0) + 1
            self._most = max(self._most, count)

    def covered(self, edges: Sequence[DecidedEdge], new: int) -> None:
        self._seen.update(edges)
        self._since_new = 0 if new else self._since_new + 1


STRATEGIES = ("generational", "dfs", "bfs", "random", "smart-paths", "all-paths")


def strategy(name: str, seed: int = 0) -> Strategy:
    """The strategy of that name."""
    if name == "random":
        return Random(seed)
    made: dict[str, Callable[[], Strategy]] = {
        "generational": Generational,
        "dfs": DepthFirst,
        "bfs": BreadthFirst,
        "smart-paths": SmartPaths,
        "all-paths": DepthFirst,
    }
    if name not in made:
        raise InputError(f"no strategy {name!r}; there are {', '.join(STRATEGIES)}")
    return made[name]()
