"""Flips waiting to be solved, in the order of what they can newly cover."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Sequence

from ramify.runtime.search.goals import FAR, Goals
from ramify.runtime.search.strategies import Candidate, DecidedEdge

INSIDE = 4  # the distance of a decision inside an operation: an index, a division, a conversion
JUST_BEFORE = 2  # the same, in the block of a test that has an outcome to cover
TIRES = 2  # how much further away each attempt makes an edge, from runs that took the same edges
SEVERAL = 3  # so many attempts from other runs make it one further away

Score = tuple[int, int, int]


class Frontier:
    """An uncovered edge first, else the nearest to one; what was tried often waits: no loop starves the rest."""

    def __init__(self, goals: Goals) -> None:
        self._goals = goals
        self._heap: list[tuple[Score, Candidate]] = []
        self._inside: deque[Candidate] = deque()
        self._tried: Counter[DecidedEdge] = Counter()
        self._tried_from: Counter[tuple[DecidedEdge, frozenset[int]]] = Counter()

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, candidates: Sequence[Candidate]) -> None:
        """The flips of one run, in the order of its decisions."""
        for candidate in candidates:
            heapq.heappush(self._heap, (self.score(candidate), candidate))
            if not self._edges(candidate) and not self._tried[candidate.edge]:
                self._inside.append(candidate)

    def take(self) -> Candidate | None:
        """The best flip by what is covered now. A score may have grown since the flip was added, so the best of
        the heap is scored again and put back if another one is better by now.
        """
        heap = self._heap
        while heap:
            score, candidate = heapq.heappop(heap)
            now = self.score(candidate)
            if now == score or not heap or now <= heap[0][0]:
                self._tried[candidate.edge] += 1
                self._tried_from[candidate.edge, candidate.parent.hits] += 1
                return candidate
            heapq.heappush(heap, (now, candidate))
        return None

    def untried_inside(self) -> bool:
        """Whether a decision inside an operation has an outcome that nobody has tried."""
        while self._inside and self._tried[self._inside[0].edge]:
            self._inside.popleft()
        return bool(self._inside)

    def take_inside(self) -> Candidate | None:
        """The first of these: it may raise."""
        if not self.untried_inside():
            return None
        candidate = self._inside.popleft()
        self._tried[candidate.edge] += 1
        return candidate

    def score(self, candidate: Candidate) -> Score:
        """The smaller the better: distance and attempts, then shallow before deep, then old before new."""
        edges = self._edges(candidate)
        distance = self._goals.distance(edges) if edges else self._inside_distance(candidate)
        # What holds where the flip leads may depend on the edges taken before: other ones deserve another attempt.
        tried = self._tried_from[candidate.edge, candidate.parent.hits] * TIRES
        tried += self._tried[candidate.edge] // SEVERAL
        return tried + min(distance, FAR), candidate.index, candidate.serial

    def _inside_distance(self, candidate: Candidate) -> int:
        """A lookup or conversion often decides the test that follows it."""
        site = candidate.edge[0]
        near = site.file == self._goals.path and self._goals.before_open(site.line)
        return JUST_BEFORE if near else INSIDE

    def _edges(self, candidate: Candidate) -> frozenset[int]:
        site, outcome = candidate.edge
        return self._goals.taken(site.span, outcome) if site.file == self._goals.path else frozenset()
