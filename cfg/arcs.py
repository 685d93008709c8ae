"""Line-to-line arcs in coverage.py's convention, so that what probes saw can be told in its terms.

An arc is a pair of lines. Leaving a scope is the negative of the first line of its code object, and so is
entering it. A statement over several lines counts as its first line; a decorated definition is entered on
the line of the first decorator and left on that of `def` or `class`. An arc from a line to itself says
nothing and is left out. Lambdas and comprehensions have no arcs: to coverage.py they are part of the
line they stand on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from ramify.cfg.graph import Block, FlowEdge, FlowGraph, Part
from ramify.cfg.states import state_space
from ramify.cfg.table import BranchId


@dataclass(frozen=True, slots=True)
class Arc:
    """A step from line to line that was taken if all of its probes were hit."""

    start: int
    end: int
    branch: BranchId | None
    probes: frozenset[int]


def has_arcs(graph: FlowGraph) -> bool:
    return graph.scope.kind not in ("lambda", "comprehension")


def arcs(graph: FlowGraph) -> list[Arc]:
    """All possible steps of a scope, dead code and unasked-for exceptions left out.

    An outcome of the branch table is one arc. Behind a `finally` clause it leads to where the clause
    goes on normally, if it does, as coverage.py has it.
    """
    if not has_arcs(graph):
        return []
    space = state_space(graph)
    found: dict[Arc, None] = {}
    for block in graph.blocks:
        if block.index in space.by_block:
            found.update(dict.fromkeys(_within(block)))
            for edge in graph.out_edges[block.index]:
                found.update(dict.fromkeys(_along(graph, edge)))
    return [arc for arc in found if arc.start != arc.end]


def branch_arcs(graph: FlowGraph) -> dict[BranchId, tuple[int, int]]:
    """The arc of every outcome that leads from one line to another, or out of the scope."""
    return {arc.branch: (arc.start, arc.end) for arc in arcs(graph) if arc.branch is not None}


def executed_arcs(graphs: Iterable[FlowGraph], hits: Container[int]) -> set[tuple[int, int]]:
    """The arcs taken, told from the probes hit; `hits` holds outcomes and statement probes alike."""
    return {
        (arc.start, arc.end)
        for graph in graphs
        for arc in arcs(graph)
        if all(probe in hits for probe in arc.probes)
    }


def _probes(*parts: Part | None) -> frozenset[int]:
    return frozenset(part.probe for part in parts if part is not None and part.probe is not None)


def _within(block: Block) -> Iterator[Arc]:
    before: Part | None = None
    for part in block.code:
        if before is not None:
            yield Arc(before.exit_line, part.entry_line, None, _probes(before, part))
        before = part


def _along(graph: FlowGraph, edge: FlowEdge) -> Iterator[Arc]:
    source = graph.blocks[edge.source]
    last: Part | None = None
    for last in source.code:  # noqa: B007 - the last one is wanted
        pass
    if source.kind == "entry":
        start = -graph.first_line
    elif last is not None:
        start = last.exit_line
    elif source.line and not source.parts:
        start = source.line
    else:
        return  # told by the arcs that run through this block
    if edge.branch is None:
        if not edge.implicit:
            for end, part, passed in _landings(graph, edge):
                yield Arc(start, end, None, _probes(last, part) | passed)
        return
    landings = list(_landings(graph, edge))
    if landings:
        yield Arc(start, landings[0][0], edge.branch, frozenset((edge.branch,)))


def _landings(graph: FlowGraph, edge: FlowEdge) -> Iterator[tuple[int, Part | None, frozenset[int]]]:
    """The lines an edge leads to, through blocks without lines, the normal way first.

    With each line comes the statement there, if one begins there, and the outcomes passed on the way.
    """
    todo: list[tuple[FlowEdge, tuple[str, ...], frozenset[int]]] = [(edge, (), frozenset())]
    seen: set[tuple[int, tuple[str, ...]]] = set()
    while todo:
        step, notes, passed = todo.pop()
        if step.leave is not None:
            notes = notes[:-1]
        if step.enter is not None:
            notes = (*notes, step.enter)
        if step.branch is not None and step is not edge:
            passed |= {step.branch}
        target = graph.blocks[step.target]
        part = next(target.code, None)
        if target.kind in ("exit", "raise"):
            yield -graph.first_line, None, passed
        elif part is not None:
            yield part.entry_line, part, passed
        elif target.line and not target.parts:
            yield target.line, None, passed
        elif (target.index, notes) not in seen:
            seen.add((target.index, notes))
            onward = [
                out
                for out in graph.out_edges[target.index]
                if not (out.implicit and out.branch is not None)
                and (out.leave is None or not notes or out.leave == notes[-1])
            ]
            # The last one pushed is looked at first.
            onward.sort(key=lambda out: (out.leave == "next", not out.implicit))
            todo += [(out, notes, passed) for out in onward]
