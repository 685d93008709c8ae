"""The paths a program can really take: blocks together with the reasons noted on the way.

A state is a block and the notes a path holds there. Following only states keeps a `return` that runs
through a `finally` clause from going on behind the `try` statement. There are about as many states as
blocks, unless `finally` clauses contain others.
"""

from __future__ import annotations

from dataclasses import dataclass

from ramify.cfg.graph import FlowEdge, FlowGraph


@dataclass(eq=False, slots=True)
class StateSpace:
    """All states reachable from the entry, in the order a depth-first walk finds them."""

    blocks: list[int]
    """The block of each state."""
    steps: list[list[tuple[FlowEdge, int]]]
    """The edges each state can take, and the states they lead to."""
    by_block: dict[int, list[int]]
    """The states of each reachable block; the other blocks are dead."""

    @property
    def backwards(self) -> list[list[int]]:
        """The states before each state."""
        into: list[list[int]] = [[] for _ in self.blocks]
        for state, steps in enumerate(self.steps):
            for _, target in steps:
                into[target].append(state)
        return into


def state_space(graph: FlowGraph) -> StateSpace:
    """The states of a graph, computed once."""
    if "states" not in graph._cache:
        graph._cache["states"] = _explore(graph)
    space: StateSpace = graph._cache["states"]
    return space


def _explore(graph: FlowGraph) -> StateSpace:
    depths = [block.depth for block in graph.blocks]
    numbers: dict[tuple[int, tuple[str, ...]], int] = {(0, ()): 0}
    space = StateSpace([0], [[]], {0: [0]})
    # A stack of its own, not recursion: functions may have thousands of blocks.
    todo: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while todo:
        here = todo.pop()
        block, notes = here
        steps = space.steps[numbers[here]]
        for edge in graph.out_edges[block]:
            # A path that came in for another reason does not go on here.
            if edge.leave is not None and notes[-1] != edge.leave:
                continue
            # Jumping out of a `finally` clause forgets why it was entered.
            kept = notes[: depths[edge.target] - (edge.enter is not None)]
            there = edge.target, (kept if edge.enter is None else (*kept, edge.enter))
            if there not in numbers:
                numbers[there] = len(space.blocks)
                space.by_block.setdefault(edge.target, []).append(len(space.blocks))
                space.blocks.append(edge.target)
                space.steps.append([])
                todo.append(there)
            steps.append((edge, numbers[there]))
    return space
