"""The goals of an exploration: the edges of the target, which of them are covered, and how far each decision is
from one that is not.
"""

from __future__ import annotations

import ast
import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property

from ramify.cfg.branches import Edge, Scope
from ramify.cfg.graph import FlowGraph
from ramify.cfg.leaves import Span
from ramify.cfg.queries import dead_branches
from ramify.cfg.source_file import SourceFile
from ramify.cfg.states import state_space
from ramify.cfg.surroundings import surroundings
from ramify.cfg.table import BranchTable
from ramify.errors import InputError
from ramify.instrument.concolic.decided import Edges, decided_in

FAR = 1000
"""The distance of what leads to no goal."""

PATIENT = 100
"""One edge in so many may be covered before distances are computed again."""

DETOUR = 3
"""How far an edge of a function that the target calls counts: it may be what keeps the target from going on."""


class Goals:
    """The branch table and graphs of the target's module, seen from one function of it (or from all of it)."""

    def __init__(self, file: SourceFile, qualname: str | None) -> None:
        self.path = file.path
        self.table = file.table
        self.leaves: Edges = decided_in(file)
        self.graphs = file.graphs
        self.scopes = _family(self.table, qualname, file.path)
        self.edges: list[Edge] = [e for e in self.table.edges if e.site.scope in self.scopes]
        self.own = frozenset(edge.id for edge in self.edges)
        self.dead = self._dead()
        self.covered: set[int] = set()
        self._calls = _calls(self.table)
        self._near = self._reachable_scopes()
        reachable = (node for node, scope in self.table.scope_nodes() if scope.index in self._near)
        self.surroundings = surroundings(file.tree, reachable)
        self._inner = frozenset(e.id for e in self.table.edges if e.site.scope in self._near)
        self._distances: dict[int, int] = {}
        self._stale: int | None = None  # edges covered since the distances were computed; None before
        self._open_lines: set[int] = set()

    @cached_property
    def unlikely(self) -> frozenset[int]:
        """Edges not worth waiting for, since few programs take them: a `with` that suppresses an exception."""
        return frozenset(e.id for e in self.edges if e.outcome == "suppressed")

    def cover(self, hits: Iterable[int]) -> list[int]:
        """Counts edges of any function of the module as covered; the new ones among the target's own."""
        new = [hit for hit in hits if hit not in self.covered and hit < len(self.table.edges)]
        if new:
            self.covered.update(new)
            self._stale = None if self._stale is None else self._stale + len(new)
            for known in ("_missing", "_wanted", "_measurable"):
                self.__dict__.pop(known, None)
        return sorted(edge for edge in new if edge in self.own)

    def missing(self) -> list[Edge]:
        """The target's edges not covered yet, dead ones left out."""
        return self._missing

    @cached_property
    def _missing(self) -> list[Edge]:
        return [e for e in self.edges if e.id not in self.covered and e.id not in self.dead]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing that is worth waiting for."""
        return all(e.id in self.unlikely for e in self._missing)

    def taken(self, span: Span, outcome: bool) -> frozenset[int]:
        """The edges that a decision at that place takes; none for a decision inside an operation."""
        found = self.leaves.get(span)
        return frozenset() if found is None else found[not outcome]

    def wanted(self) -> frozenset[Span]:
        """The leaves of which one outcome would cover a goal, or an edge on the way to one."""
        return self._wanted

    @cached_property
    def _wanted(self) -> frozenset[Span]:
        return frozenset(
            span
            for span, (true, false) in self.leaves.items()
            if any(edge not in self.covered and edge in self._inner for edge in true | false)
        )

    def unmeasured(self, hits: frozenset[int]) -> Iterator[tuple[Span, bool]]:
        """The decisions of which one way is a goal and a run took the other: a loop, say, has no distance."""
        for span, outcome, other in self._measurable:
            if not hits.isdisjoint(other):
                yield span, outcome

    @cached_property
    def _measurable(self) -> list[tuple[Span, bool, frozenset[int]]]:
        """The decisions of which one way is a goal, and the edges of the other way."""
        return [
            (span, outcome, other)
            for span, (true, false) in self.leaves.items()
            for outcome, wanted, other in ((True, true, false), (False, false, true))
            if any(map(self.is_open, wanted))
        ]

    def is_open(self, edge: int) -> bool:
        """Whether an edge is a goal not covered yet."""
        return edge in self.own and edge not in self.covered and edge not in self.dead

    def is_detour(self, edge: int) -> bool:
        """Whether an edge of a function that the target calls was never taken."""
        return edge in self._inner and edge not in self.covered

    # -- distances ------------------------------------------------------------------------------

    def distance(self, edges: Iterable[int]) -> int:
        """How many edges lie between the nearest of these and a goal that is not covered; 0 for such a goal."""
        known = self._known_distances()
        covered = self.covered
        # What was a goal when the distances were computed leads on to others, as far as is known.
        return min((known.get(edge, FAR) or (edge in covered) for edge in edges), default=FAR)

    def before_open(self, line: int) -> bool:
        """Whether a test follows in the same block of which one outcome is a goal not covered yet."""
        self._known_distances()
        return line in self._open_lines

    def _known_distances(self) -> dict[int, int]:
        # Computing takes as long as the function is large, so a large one waits until several edges are covered.
        if self._stale is None or self._stale > len(self.edges) // PATIENT:
            self._distances, self._stale = self._compute(), 0
        return self._distances

    def _reachable_scopes(self) -> list[int]:
        """The scopes that a run of the target may enter, as far as names tell."""
        found = dict.fromkeys(sorted(self.scopes))
        todo = list(found)
        for scope in todo:
            inside = [s.index for s in self.table.scopes if s.parent == scope]
            for called in [*inside, *(callee for _, callee in self._calls.get(scope, ()))]:
                if called not in found:
                    found[called] = None
                    todo.append(called)
        return list(found)

    def _compute(self) -> dict[int, int]:
        open_edges: set[int] = {e.id for e in self.missing()}
        entries: dict[int, int] = {}
        graphs = [self.graphs.of(scope) for scope in self._near]
        nearest: dict[int, dict[int, int]] = {}
        for _ in range(6):  # calls of calls: deeper ones make no difference to an order
            before = dict(entries)
            for graph in graphs:
                nearest[graph.scope.index] = self._nearest(graph, open_edges, entries)
                start = nearest[graph.scope.index].get(0)
                if start is not None:
                    entries[graph.scope.index] = start
            if entries == before:
                break
        found: dict[int, int] = {}
        self._open_lines.clear()
        for graph in graphs:
            here = nearest[graph.scope.index]
            for steps in state_space(graph).steps:
                for edge, target in steps:
                    if edge.branch is None:
                        continue
                    if edge.branch in open_edges:
                        found[edge.branch] = 0
                        block = graph.blocks[edge.source]
                        self._open_lines.update(range(block.first_line, block.last_line + 1))
                    elif self.is_detour(edge.branch):
                        found[edge.branch] = DETOUR
                    elif target in here:
                        found[edge.branch] = min(here[target] + 1, found.get(edge.branch, FAR))
        return found

    def _nearest(self, graph: FlowGraph, open_edges: set[int], entries: dict[int, int]) -> dict[int, int]:
        """From each state of a function, the way to the nearest goal, in this function or in one that it calls."""
        space = state_space(graph)
        costs: dict[int, int] = {}
        for state, steps in enumerate(space.steps):
            if any(edge.branch in open_edges for edge, _ in steps):
                costs[state] = 0
            elif any(edge.branch is not None and self.is_detour(edge.branch) for edge, _ in steps):
                costs[state] = DETOUR
        for line, callee in self._calls.get(graph.scope.index, ()):
            if callee in entries:
                for state, block in enumerate(space.blocks):
                    if graph.blocks[block].first_line <= line <= graph.blocks[block].last_line:
                        costs[state] = min(costs.get(state, FAR), entries[callee] + 1)
        before = space.backwards
        queue = [(cost, state) for state, cost in costs.items()]
        heapq.heapify(queue)
        while queue:
            cost, state = heapq.heappop(queue)
            if cost > costs.get(state, FAR):
                continue
            for earlier in before[state]:
                if cost + 1 < costs.get(earlier, FAR):
                    costs[earlier] = cost + 1
                    heapq.heappush(queue, (cost + 1, earlier))
        return costs

    # -- words ----------------------------------------------------------------------------------

    def _dead(self) -> dict[int, str]:
        """The edges that no input can take because nothing leads to them, and why."""
        found: dict[int, str] = {}
        for index in self.scopes:
            graph = self.graphs.of(index)
            for branch in dead_branches(graph):
                block = graph.blocks[graph.by_branch[branch].source]
                found[branch] = block.why_dead or "no way leads there"
        return found

    def obstacle(self, edge: int) -> Edge | None:
        """The edge not taken that stands between the entry and this one, if its own place was never reached."""
        scope = self.table.edges[edge].site.scope
        graph = self.graphs.of(scope)
        goal = graph.by_branch.get(self.table.edges[edge].id)
        if goal is None:
            return None
        space = state_space(graph)
        came: dict[int, tuple[int, int | None]] = {0: (0, None)}
        costs = {0: 0}
        todo = deque([0])
        while todo:  # the way with the fewest edges that nobody took: others are no obstacle to it
            state = todo.popleft()
            for step, target in space.steps[state]:
                untaken = step.branch is not None and step.branch not in self.covered
                cost = costs[state] + untaken
                if cost < costs.get(target, FAR):
                    costs[target], came[target] = cost, (state, step.branch)
                    (todo.append if untaken else todo.appendleft)(target)
        states = [s for s in space.by_block.get(goal.source, ()) if s in came]
        if not states:
            return None
        way: list[int] = []
        state = min(states, key=costs.__getitem__)
        while state != 0:
            state, branch = came[state]
            if branch is not None:
                way.append(branch)
        return next((self.table.edges[b] for b in reversed(way) if b not in self.covered), None)


def _family(table: BranchTable, qualname: str | None, path: str) -> frozenset[int]:
    """The scopes that belong to a target: the function and what stands inside it."""
    if qualname is None:
        return frozenset(scope.index for scope in table.scopes)
    chosen: set[int] = set()
    for scope in table.scopes:
        if (scope.qualname == qualname and scope.kind != "class") or scope.parent in chosen:
            chosen.add(scope.index)
    if not chosen:
        raise InputError(f"{path}: the source has no function {qualname!r}")
    return frozenset(chosen)


def _calls(table: BranchTable) -> dict[int, list[tuple[int, int]]]:
    """For each scope the calls in it of functions that the module defines: line, and the scope called."""
    by_name: dict[str, list[Scope]] = {}
    for _, scope in table.scope_nodes():
        if scope.kind == "function":
            by_name.setdefault(scope.qualname.rpartition(".")[2], []).append(scope)
    found: dict[int, list[tuple[int, int]]] = {}
    for node, scope in table.scope_nodes():
        for call in _own_calls(node):
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            for callee in by_name.get(name, ()):
                found.setdefault(scope.index, []).append((call.lineno, callee.index))
    return found


def _own_calls(scope: ast.AST) -> Iterator[ast.Call]:
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            yield node
        todo += ast.iter_child_nodes(node)
