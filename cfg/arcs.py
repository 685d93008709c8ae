"""Line-to-line arcs in coverage.py's convention, so that what probes saw can be told in its terms.

An arc is a pair of lines. Leaving a scope is the negative of the first line of its code object, and so is
entering it. A statement over several lines counts as its first line; a decorated definition is entered on
the line of the first decorator and left on that of `def` or `class`. An arc from a line to itself says
only that the line was executed. Lambdas and comprehensions have no arcs: to coverage.py they are part of
the line they stand on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from ramify.cfg.branches import BranchId
from ramify.cfg.graph import Block, FlowEdge, FlowGraph, Part
from ramify.cfg.states import state_space


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
    found = dict.fromkeys(_steps(graph, [_code(block, None) for block in graph.blocks]))
    return [arc for arc in found if arc.start != arc.end]


def branch_arcs(graph: FlowGraph) -> dict[BranchId, tuple[int, int]]:
    """The arc of every outcome that leads from one line to another, or out of the scope."""
    return {arc.branch: (arc.start, arc.end) for arc in arcs(graph) if arc.branch is not None}


def executed_arcs(
    graphs: Iterable[FlowGraph], hits: Container[int], compiled: Container[int] | None = None
) -> set[tuple[int, int]]:
    """The arcs taken, told from the probes hit, and for every executed line the arc to itself.

    `hits` holds outcomes and statement probes alike. `compiled` are the lines for which the compiler emits
    code: statements without are passed over, while a constant that has its line noted counts as one.
    """
    taken: set[tuple[int, int]] = set()
    lines: set[int] = set()
    for graph in filter(has_arcs, graphs):
        code = [_code(block, compiled) for block in graph.blocks]
        for part in chain.from_iterable(code):
            if part.probe in hits:
                lines.update(range(part.entry_line, part.exit_line + 1))
        for arc in _steps(graph, code):
            if all(probe in hits for probe in arc.probes):
                taken.add((arc.start, arc.end))
                if arc.branch is not None:
                    lines.update((arc.start, arc.end))
    # A clause has no probe: only an outcome that leads to it or from it proves that it was reached.
    jumps = {arc for arc in taken if all(line < 0 or line in lines for line in arc)}
    return jumps | {(line, line) for line in lines if line > 0}


def _code(block: Block, compiled: Container[int] | None) -> list[Part]:
    """The parts of a block that have a line to coverage.py."""
    if compiled is None:
        return list(block.code)

    def is_there(part: Part) -> bool:
        if part.role not in ("statement", "declaration"):
            return True
        lines = range(part.span.line, part.span.end_line + 1)
        return part.probe is not None and any(line in compiled for line in lines)

    return list(filter(is_there, block.parts))


def _steps(graph: FlowGraph, code: list[list[Part]]) -> Iterator[Arc]:
    """All steps, also those that stay on a line; `code` has the parts that count, by block."""
    live = state_space(graph).by_block
    for block in graph.blocks:
        if block.index in live:
            # Within a block control falls from one part to the next; both probes are hit then.
            for before, part in pairwise(code[block.index]):
                yield Arc(before.exit_line, part.entry_line, None, _probes(before, part))
            for edge in graph.out_edges[block.index]:
                yield from _along(graph, edge, code)


def _probes(*parts: Part | None) -> frozenset[int]:
    return frozenset(part.probe for part in parts if part is not None and part.probe is not None)


def _along(graph: FlowGraph, edge: FlowEdge, code: list[list[Part]]) -> Iterator[Arc]:
    source = graph.blocks[edge.source]
    last = next(reversed(code[edge.source]), None)
    if source.kind == "entry":
        start = -graph.first_line
    elif last is not None:
        start = last.exit_line
    elif source.line and not source.parts:
        start = source.line
    else:
        return  # told by the arcs that run through this block
    # An empty block is no line: the arc goes on to the next one that is.
    landings = _landings(graph, edge, code)
    if edge.branch is not None:
        # An outcome is one arc, wherever a `finally` clause may lead in the end.
        for end, part, _ in islice(landings, 1):
            yield Arc(start, end, edge.branch, _probes(part) | {edge.branch})
    elif not edge.implicit:
        for end, part, passed in landings:
            yield Arc(start, end, None, _probes(last, part) | passed)


def _landings(
    graph: FlowGraph, edge: FlowEdge, code: list[list[Part]]
) -> Iterator[tuple[int, Part | None, frozenset[int]]]:
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
        part = next(iter(code[step.target]), None)
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
                # An exception that nobody asked for is no way a statement goes on.
                if not (out.implicit and out.branch is not None)
                and (out.leave is None or not notes or out.leave == notes[-1])
            ]
            # The last one pushed is looked at first.
            onward.sort(key=lambda out: (out.leave == "next", not out.implicit))
            todo += [(out, notes, passed) for out in onward]
