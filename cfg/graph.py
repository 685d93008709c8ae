"""The control-flow graph of one scope: blocks, edges, and the networkx view of both.

A `finally` clause stands in the graph once, however many ways lead into it. What a path has to do
behind it depends on how the path came in, so the edges carry that: an edge with `enter` notes a reason
("return", "break", "raise KeyError", ...), an edge with `leave` may only be taken by a path whose latest
note is that reason. A path that respects the notes is one the program can take; `ramify.cfg.states`
walks only those. The same holds where a `try` body with handlers or a `with` block is left, and for the
exceptions of several names that reach the same handlers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ramify.cfg.branches import BranchId, Scope

if TYPE_CHECKING:
    import networkx

EdgeKind = Literal[
    "next", "true", "false", "loop", "exhausted", "case", "exception", "assertion", "return", "yield",
]  # fmt: skip

BlockKind = Literal["entry", "code", "exit", "raise"]

PartRole = Literal["statement", "clause", "declaration", "operand", "rest"]
"""What a part is of its statement.

A statement whose expressions branch is spread over several blocks: the first has the statement, the
others its operands and, as `rest`, what remains to be done. A clause is the head of a `case` or an
`except`; a declaration (`global`, a docstring) has no code.
"""

ANY_EXCEPTION = "any exception"
"""The name of the exit for exceptions whose class the source does not tell."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Where something stands: lines from 1, columns in UTF-8 bytes from 0, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Part:
    """A statement, the head of a compound statement, or a piece of either that a block evaluates."""

    role: PartRole
    text: str
    span: Extent
    entry_line: int
    """The line on which the statement is entered: that of its first decorator, if it has one."""
    exit_line: int
    """The line on which the statement is left: that of `def` or `class` below the decorators."""
    probe: int | None
    """The probe whose hit proves that the statement was reached; a clause has none."""


@dataclass(frozen=True, slots=True)
class Block:
    """Parts that run one after the other; `entry`, `exit` and `raise` blocks are virtual and have none."""

    index: int
    kind: BlockKind
    label: str
    parts: tuple[Part, ...]
    line: int
    """The line of the statement the block belongs to, 0 if it belongs to none."""
    depth: int
    """How many noted reasons a path holds in this block."""
    why_dead: str | None
    """If nothing leads here, the reason in words."""

    @property
    def first_line(self) -> int:
        return min((part.span.line for part in self.parts), default=self.line)

    @property
    def last_line(self) -> int:
        return max((part.span.end_line for part in self.parts), default=self.line)

    @property
    def code(self) -> Iterator[Part]:
        """The parts that do something."""
        return (part for part in self.parts if part.role != "declaration")


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """One way from a block to the next."""

    index: int
    source: int
    target: int
    kind: EdgeKind
    line: int
    cause: str
    """Why control goes this way: "the condition `total > price` on line 12 was true"."""
    never: str
    """Why it never did: "the condition `total > price` on line 12 was never true"."""
    branch: BranchId | None = None
    enter: str | None = None
    leave: str | None = None
    implicit: bool = False
    """Whether only an exception leads this way that no statement here asks for, or that is passed on."""

    @property
    def explanation(self) -> str:
        """The clause behind "this way was not taken": "because the condition ... was never true"."""
        return f"because {self.never}"


@dataclass(eq=False)
class FlowGraph:
    """The control flow of one module body, class body, function, lambda or comprehension."""

    scope: Scope
    kind: str
    """What the scope is, in words: "function", "generator", "coroutine", "list comprehension", ..."""
    first_line: int
    """The first line of the code object, decorators included, as coverage.py counts it."""
    blocks: list[Block]
    edges: list[FlowEdge]
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def entry(self) -> Block:
        # The order of the blocks is fixed by `Draft.freeze`.
        return self.blocks[0]

    @property
    def exit(self) -> Block:
        """Where the scope ends normally."""
        return self.blocks[1]

    @property
    def exits(self) -> list[Block]:
        """The normal exit, then one per type of exception that may leave the scope."""
        return [block for block in self.blocks if block.kind in ("exit", "raise")]

    @cached_property
    def out_edges(self) -> list[list[FlowEdge]]:
        """The edges leaving each block, by block index."""
        out: list[list[FlowEdge]] = [[] for _ in self.blocks]
        for edge in self.edges:
            out[edge.source].append(edge)
        return out

    @cached_property
    def in_edges(self) -> list[list[FlowEdge]]:
        """The edges entering each block, by block index."""
        into: list[list[FlowEdge]] = [[] for _ in self.blocks]
        for edge in self.edges:
            into[edge.target].append(edge)
        return into

    @cached_property
    def by_branch(self) -> dict[BranchId, FlowEdge]:
        """The one edge of every outcome of this scope."""
        return {edge.branch: edge for edge in self.edges if edge.branch is not None}

    @cached_property
    def network(self) -> networkx.MultiDiGraph[int]:
        """The same graph for networkx: nodes are block indices, keys edge indices, data `block` and `edge`."""
        import networkx

        network: networkx.MultiDiGraph[int] = networkx.MultiDiGraph(name=self.scope.qualname)
        for block in self.blocks:
            network.add_node(block.index, block=block, kind=block.kind, line=block.line)
        for edge in self.edges:
            network.add_edge(
                edge.source, edge.target, key=edge.index, edge=edge, kind=edge.kind, branch=edge.branch
            )
        return network
