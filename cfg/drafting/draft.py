"""A control-flow graph while it is being built: blocks and edges that can still change, then be frozen."""

from __future__ import annotations

from dataclasses import dataclass, field

from ramify.cfg.branches import BranchId, Scope
from ramify.cfg.drafting import causes
from ramify.cfg.drafting.causes import Cause
from ramify.cfg.graph import Block, BlockKind, EdgeKind, FlowEdge, FlowGraph, Part


@dataclass(eq=False, slots=True)
class DraftBlock:
    """A block; `live` says whether anything built so far leads here."""

    # The order of creation settles what positions leave open.
    order: int
    depth: int
    region: object
    line: int = 0
    kind: BlockKind = "code"
    label: str = ""
    why_dead: str | None = None
    live: bool = False
    parts: list[Part] = field(default_factory=list)
    # Dictionaries used as ordered sets.
    ins: dict[DraftEdge, None] = field(default_factory=dict)
    outs: dict[DraftEdge, None] = field(default_factory=dict)

    @property
    def void(self) -> bool:
        """Nothing happens here and nothing leads here."""
        return not self.live and not self.parts


@dataclass(eq=False, slots=True)
class DraftEdge:
    source: DraftBlock
    target: DraftBlock
    kind: EdgeKind
    line: int
    cause: Cause
    branch: BranchId | None = None
    enter: str | None = None
    leave: str | None = None
    implicit: bool = False


class Draft:
    """All blocks and edges of one scope, and the settings every new block is made with."""

    def __init__(self) -> None:
        self.blocks: list[DraftBlock] = []
        self.depth = 0
        self.region: object = None
        self.entry = self.block(kind="entry", label="entry")
        self.entry.live = True
        self.exit = self.block(kind="exit", label="exit")
        self.current = self.block()
        self.edge(self.entry, self.current, "next", Cause("the scope was entered", "the scope was never entered"))

    def block(
        self, line: int = 0, *, kind: BlockKind = "code", label: str = "", why_dead: str | None = None
    ) -> DraftBlock:
        made = DraftBlock(len(self.blocks), self.depth, self.region, line, kind, label, why_dead)
        self.blocks.append(made)
        return made

    def edge(
        self,
        source: DraftBlock,
        target: DraftBlock,
        kind: EdgeKind,
        cause: Cause = causes.PLAIN,
        line: int = 0,
        branch: BranchId | None = None,
        *,
        enter: str | None = None,
        leave: str | None = None,
        implicit: bool = False,
    ) -> None:
        """Connect two blocks; from a void block only an outcome of the branch table leads on."""
        # Dead code has no edges, except outcomes: every outcome of the branch table is an edge of some graph,
        # also one that cannot happen.
        if source.void and branch is None:
            return
        made = DraftEdge(source, target, kind, line, cause, branch, enter, leave, implicit)
        source.outs[made] = None
        target.ins[made] = None
        # Set when the edge is made: code is built in source order, and only loops lead back, to heads that are
        # live already.
        target.live = target.live or source.live

    def freeze(self, scope: Scope, kind: str, first_line: int) -> FlowGraph:
        """The finished graph, with blocks in source order: entry, exit, code, exits by exception."""
        kept = _in_order(simplified(self.blocks))
        index = {block: number for number, block in enumerate(kept)}
        blocks = [
            Block(
                number,
                block.kind,
                block.label,
                tuple(block.parts),
                block.parts[0].entry_line if block.parts else block.line,
                block.depth,
                None if block.live else block.why_dead,
            )
            for number, block in enumerate(kept)
        ]
        edges: list[FlowEdge] = []
        for block in kept:
            for edge in block.outs:
                line = edge.line or _last_line(edge.source)
                if edge.cause is causes.PLAIN:
                    edge.cause = causes.finished("statement", line)
                edges.append(
                    FlowEdge(
                        len(edges),
                        index[edge.source],
                        index[edge.target],
                        edge.kind,
                        line,
                        edge.cause.happened,
                        edge.cause.never,
                        edge.branch,
                        edge.enter,
                        edge.leave,
                        edge.implicit,
                    )
                )
        return FlowGraph(scope, kind, first_line, blocks, edges)


def _last_line(block: DraftBlock) -> int:
    return block.parts[-1].exit_line if block.parts else block.line


def _in_order(blocks: list[DraftBlock]) -> list[DraftBlock]:
    ranks = {"entry": 0, "exit": 1, "code": 2, "raise": 3}
    position: dict[DraftBlock, tuple[int, int]] = {}
    for block in blocks:
        if block.parts:
            first = block.parts[0]
            span = first.span
            # What remains of a statement stands behind the operands.
            rest = first.role == "rest"
            position[block] = (span.end_line, span.end_column) if rest else (span.line, span.column)
    for block in blocks:
        if block not in position:
            # An empty block stands behind what leads to it.
            before = [position[edge.source] for edge in block.ins if edge.source in position]
            line = block.line or max((edge.line for edge in block.outs), default=0)
            position[block] = max(before, default=(line, 0))
    return sorted(blocks, key=lambda block: (ranks[block.kind], *position[block], block.order))


def simplified(blocks: list[DraftBlock]) -> list[DraftBlock]:
    """Remove blocks that do nothing and join blocks that always follow each other; no outcome is lost."""
    removed: set[DraftBlock] = set()
    changed = True
    # To a fixed point: joining two blocks may leave a third with one way in.
    while changed:
        changed = False
        for block in blocks:
            if block in removed:
                continue
            if _skip(block) or _forward_outcome(block):
                removed.add(block)
                changed = True
                continue
            while (follower := _absorb(block)) is not None:
                removed.add(follower)
                changed = True
    return [block for block in blocks if block not in removed]


def _detach(edge: DraftEdge) -> None:
    del edge.source.outs[edge]
    del edge.target.ins[edge]


def _replace(old: DraftEdge, new: DraftEdge) -> None:
    """Put an edge where another one leaves its block, keeping the order of the ways out."""
    outs = [new if edge is old else edge for edge in old.source.outs]
    del old.target.ins[old]
    old.source.outs.clear()
    old.source.outs.update(dict.fromkeys(outs))
    new.target.ins[new] = None


def _skip(block: DraftBlock) -> bool:
    """Let the ways into an empty block lead to where it leads."""
    if block.parts or block.kind == "entry" or block.kind == "exit":
        return False
    # Nothing leads here; only outcomes still need a place to come from.
    if not block.ins:
        for edge in [edge for edge in block.outs if edge.branch is None]:
            _detach(edge)
        return not block.outs
    if len(block.outs) != 1:
        return False
    [out] = block.outs
    # An outcome, and a way out that depends on a note, cannot be merged into the ways in.
    if out.branch is not None or out.leave is not None or out.target is block:
        return False
    # An edge notes one reason only.
    if out.enter is not None and any(edge.enter is not None for edge in block.ins):
        return False
    for edge in list(block.ins):
        # The merged edge says what an outcome says, if one of the two is one.
        first, second = (edge, out) if edge.branch is not None or out.kind == "next" else (out, edge)
        # A path that leaves the depth forgets the note anyway.
        enter = edge.enter if out.target.depth == block.depth else None
        merged = DraftEdge(
            edge.source,
            out.target,
            _kind(first, second),
            edge.line or out.line,
            second.cause if first.cause is causes.PLAIN else first.cause,
            edge.branch,
            enter or out.enter,
            edge.leave,
            edge.implicit,
        )
        _replace(edge, merged)
    _detach(out)
    return True


def _forward_outcome(block: DraftBlock) -> bool:
    """Let the only way into an empty block be the outcome that leads out of it."""
    if block.parts or block.kind != "code" or len(block.ins) != 1 or len(block.outs) != 1:
        return False
    [edge], [out] = block.ins, block.outs
    plain = edge.branch is None and edge.enter is None and not edge.implicit
    if not plain or out.leave is not None or out.target is block:
        return False
    merged = DraftEdge(
        edge.source, out.target, _kind(out, edge), out.line, out.cause, out.branch, out.enter, edge.leave
    )
    _replace(edge, merged)
    _detach(out)
    return True


def _kind(main: DraftEdge, other: DraftEdge) -> EdgeKind:
    return other.kind if main.kind == "next" else main.kind


def _absorb(block: DraftBlock) -> DraftBlock | None:
    """Take in the block that always follows this one and follows only this one."""
    if block.kind != "code":
        return None
    # Exceptions that nobody asks for may leave from anywhere and do not end a block.
    onward = [edge for edge in block.outs if not edge.implicit]
    if len(onward) != 1:
        return None
    [edge] = onward
    follower = edge.target
    plain = edge.kind == "next" and edge.branch is None and edge.enter is None and edge.leave is None
    # Blocks of one region raise to the same place; a joined block raises once.
    alike = follower.region is block.region and follower.depth == block.depth and follower.kind == "code"
    if not plain or not alike or follower is block or len(follower.ins) != 1:
        return None
    _detach(edge)
    # Both may be left by the same unasked-for exception: one edge says it.
    seen = {(out.target, out.enter) for out in block.outs}
    block.parts += follower.parts
    block.line = block.line or follower.line
    for out in list(follower.outs):
        _detach(out)
        if out.implicit and (out.target, out.enter) in seen:
            continue
        out.source = block
        block.outs[out] = None
        out.target.ins[out] = None
    return follower
