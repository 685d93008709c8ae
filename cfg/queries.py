"""Questions to a control-flow graph: what is reachable, how far is it, what dominates, loops or is dead."""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from dataclasses import dataclass

from ramify.cfg.branches import BranchId
from ramify.cfg.graph import FlowEdge, FlowGraph
from ramify.cfg.states import StateSpace, state_space


def reachable(graph: FlowGraph, start: int | None = None) -> set[int]:
    """The blocks that a path from the entry, or from the block `start`, can come to, with the start."""
    space = state_space(graph)
    if start is None:
        return set(space.by_block)
    todo = list(space.by_block.get(start, ()))
    seen = set(todo)
    while todo:
        for _, target in space.steps[todo.pop()]:
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return {start} | {space.blocks[state] for state in seen}


def dead_branches(graph: FlowGraph) -> set[BranchId]:
    """The outcomes that no input can produce, because no path comes to their place."""
    # By states, not by blocks: behind a `finally` clause an edge may exist that no path may take.
    live = {edge.branch for steps in state_space(graph).steps for edge, _ in steps}
    return set(graph.by_branch) - live


def missing(graph: FlowGraph, covered: Container[int]) -> list[FlowEdge]:
    """The outcomes not covered, dead ones left out; `edge.explanation` says why each is missing."""
    dead = dead_branches(graph)
    return [
        edge for branch, edge in sorted(graph.by_branch.items()) if branch not in covered and branch not in dead
    ]


# -- distances --------------------------------------------------------------------------------------


def distances(graph: FlowGraph, covered: Container[int]) -> dict[int, int]:
    """How many edges lie between each block and the nearest uncovered outcome.

    A block whose own ways out include one has distance 0; one that cannot come to any is absent.
    """
    space = state_space(graph)
    nearest = _state_distances(space, covered)
    return {
        block: min(found)
        for block, states in space.by_block.items()
        if (found := [nearest[state] for state in states if state in nearest])
    }


def branch_distances(graph: FlowGraph, covered: Container[int]) -> dict[BranchId, int]:
    """How far behind each outcome the nearest uncovered one lies; an uncovered outcome has distance 0."""
    space = state_space(graph)
    nearest = _state_distances(space, covered)
    found: dict[BranchId, int] = {}
    for steps in space.steps:
        for edge, target in steps:
            if edge.branch is None:
                continue
            if edge.branch not in covered:
                found[edge.branch] = 0
            elif target in nearest:
                found[edge.branch] = min(nearest[target] + 1, found.get(edge.branch, nearest[target] + 1))
    return found


def _state_distances(space: StateSpace, covered: Container[int]) -> dict[int, int]:
    nearest = {
        state: 0
        for state, steps in enumerate(space.steps)
        if any(edge.branch is not None and edge.branch not in covered for edge, _ in steps)
    }
    before = space.backwards
    # Breadth first from all goals at once: each state is reached by its shortest way first.
    queue = deque(nearest)
    while queue:
        state = queue.popleft()
        for earlier in before[state]:
            if earlier not in nearest:
                nearest[earlier] = nearest[state] + 1
                queue.append(earlier)
    return nearest


# -- dominators and loops ---------------------------------------------------------------------------


def dominators(graph: FlowGraph) -> dict[int, set[int]]:
    """For each reachable block the blocks that every path to it runs through, itself included."""
    return {
        block: {index for index in range(mask.bit_length()) if mask >> index & 1}
        for block, mask in _dominator_masks(graph).items()
    }


def immediate_dominators(graph: FlowGraph) -> dict[int, int]:
    """For each reachable block but the entry its nearest strict dominator."""
    masks = _dominator_masks(graph)
    nearest: dict[int, int] = {}
    for block, mask in masks.items():
        strict = mask & ~(1 << block)
        candidates = [index for index in range(strict.bit_length()) if strict >> index & 1]
        if candidates:
            # The dominators of a block form a chain; the nearest one has all the others.
            nearest[block] = max(candidates, key=lambda index: masks[index].bit_count())
    return nearest


def _dominator_masks(graph: FlowGraph) -> dict[int, int]:
    """Sets of blocks as bits of an integer, so that large functions stay cheap."""
    if "dominators" in graph._cache:
        known: dict[int, int] = graph._cache["dominators"]
        return known
    space = state_space(graph)
    before = space.backwards
    everything = (1 << len(graph.blocks)) - 1
    # The greatest solution: every state is dominated by everything until a path says otherwise.
    masks = [everything] * len(space.blocks)
    # State 0 is the entry.
    masks[0] = 1
    # Most predecessors first, so that few rounds are needed.
    order = _reverse_postorder(space)
    changed = True
    while changed:
        changed = False
        for state in order[1:]:
            mask = everything
            for earlier in before[state]:
                mask &= masks[earlier]
            mask |= 1 << space.blocks[state]
            if mask != masks[state]:
                masks[state] = mask
                changed = True
    by_block: dict[int, int] = {}
    for state, block in enumerate(space.blocks):
        # A block dominates another if it does so in every state of it.
        by_block[block] = by_block.get(block, everything) & masks[state]
    graph._cache["dominators"] = by_block
    return by_block


def _reverse_postorder(space: StateSpace) -> list[int]:
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(space.steps[0]))]
    while stack:
        state, steps = stack[-1]
        for _, target in steps:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(space.steps[target])))
                break
        else:
            stack.pop()
            order.append(state)
    return order[::-1]


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: the header every iteration passes, and all blocks that can come back to it."""

    header: int
    blocks: frozenset[int]
    back_edges: tuple[FlowEdge, ...]


def loops(graph: FlowGraph) -> list[Loop]:
    """The natural loops by header, the outer ones first."""
    masks = _dominator_masks(graph)
    back: dict[int, list[FlowEdge]] = {}
    for steps in state_space(graph).steps:
        for edge, _ in steps:
            if masks[edge.source] >> edge.target & 1 and edge not in back.get(edge.target, ()):
                back.setdefault(edge.target, []).append(edge)
    found: list[Loop] = []
    for header, edges in sorted(back.items()):
        blocks = {header}
        todo = [edge.source for edge in edges]
        while todo:
            block = todo.pop()
            if block not in blocks:
                blocks.add(block)
                todo += [edge.source for edge in graph.in_edges[block] if edge.source in masks]
        found.append(Loop(header, frozenset(blocks), tuple(edges)))
    return sorted(found, key=lambda loop: (-len(loop.blocks), loop.header))


# -- complexity and dead code -----------------------------------------------------------------------


def complexity(graph: FlowGraph) -> int:
    """McCabe's number, E - N + 2, of the structural graph: a body without branches has 1, one `if` 2.

    Structural means: reachable blocks only; all exits are one; the ways out of a `finally` clause,
    which only resume what led into it, count as one; exceptions that no statement asks for count once
    for each `try` statement that handles them, and what a `with` does about them does not count.
    """
    live = reachable(graph)
    surprised = {
        edge.target
        for edge in graph.edges
        if edge.implicit and edge.source in live and graph.blocks[edge.target].parts
    }
    number = 1 + sum(graph.blocks[block].label == "handler" for block in surprised)
    for block in _reachable_structurally(graph, live, surprised):
        edges = [edge for edge in graph.out_edges[block] if not edge.implicit]
        # Several reasons to leave a `finally` clause repeat the branches that led into it.
        ways = sum(edge.leave is None for edge in edges) + any(edge.leave is not None for edge in edges)
        number += max(ways - 1, 0)
    return number


def _reachable_structurally(graph: FlowGraph, live: set[int], surprised: set[int]) -> set[int]:
    todo = [graph.entry.index, *surprised]
    seen = set(todo)
    while todo:
        for edge in graph.out_edges[todo.pop()]:
            if not edge.implicit and edge.target in live and edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    return seen


@dataclass(frozen=True, slots=True)
class DeadCode:
    """Statements that no path comes to."""

    first_line: int
    last_line: int
    reason: str


def dead_code(graph: FlowGraph) -> list[DeadCode]:
    """The statements that can never run, as ranges of lines; statements without code do not count."""
    live = reachable(graph)
    parts = sorted(
        (part.span.line, part.span.column, part.span.end_line, block.index in live, block.why_dead or "")
        for block in graph.blocks
        for part in block.parts
        if part.role == "statement"
    )
    found: list[DeadCode] = []
    open_range = False
    for line, _, end_line, alive, reason in parts:
        if alive:
            open_range = False
        elif open_range:
            last = found[-1]
            found[-1] = DeadCode(last.first_line, max(last.last_line, end_line), last.reason or reason)
        else:
            found.append(DeadCode(line, end_line, reason))
            open_range = True
    return [DeadCode(dead.first_line, dead.last_line, dead.reason or "nothing leads to it") for dead in found]
