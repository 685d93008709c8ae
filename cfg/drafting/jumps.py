"""Where jumps go: through the loops, handlers, `with` blocks and `finally` clauses around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ramify.cfg.drafting import causes
from ramify.cfg.drafting.causes import Cause
from ramify.cfg.drafting.draft import Draft, DraftBlock
from ramify.cfg.drafting.exceptions import surely_catches
from ramify.cfg.graph import ANY_EXCEPTION, EdgeKind

NEXT = "next"
RETURN = "return"
BREAK = "break"
CONTINUE = "continue"
RAISE = "raise "
"""Reasons to leave a place; the name of the exception follows the last one."""


@dataclass(eq=False, slots=True)
class OpenLoop:
    head: DraftBlock
    after: DraftBlock


@dataclass(slots=True)
class Jump:
    """Control leaving a block for a reason, on its way to where the reason leads."""

    source: DraftBlock
    reason: str
    kind: EdgeKind
    cause: Cause
    line: int
    leave: str | None = None
    implicit: bool = False


@dataclass(eq=False, slots=True)
class Region:
    """Statements that are not left without notice: every jump out of them is collected here.

    Where exceptions are caught (`try` with handlers, `with`) they are kept apart from the other jumps;
    a `finally` clause takes all alike.
    """

    catches: bool
    jumps: list[Jump] = field(default_factory=list)
    raised: list[Jump] = field(default_factory=list)
    touched: set[DraftBlock] = field(default_factory=set)


class Jumps:
    """The stack of what stands around the current statement."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.stack: list[OpenLoop | Region] = []
        self.raise_exits: dict[str, DraftBlock] = {}

    @contextmanager
    def loop(self, head: DraftBlock, after: DraftBlock) -> Iterator[None]:
        self.stack.append(OpenLoop(head, after))
        yield
        self.stack.pop()

    @contextmanager
    def region(self, region: Region, line: int, what: str) -> Iterator[None]:
        """Build the body of a region in a block of its own; reaching its end is a jump like the others."""
        draft = self.draft
        outer = draft.region
        self.stack.append(region)
        # New blocks belong to the region, so that two of different regions are never joined.
        draft.region = region
        before, draft.current = draft.current, draft.block()
        draft.edge(before, draft.current, "next")
        yield
        self.go(Jump(draft.current, NEXT, "next", causes.finished(what, line), 0))
        self.stack.pop()
        draft.region = outer

    def go(self, jump: Jump) -> None:
        """Route a jump to the nearest place that has a say in it."""
        # A jump in dead code goes nowhere.
        if jump.source.void:
            return
        if jump.reason == NEXT:
            region = self.stack[-1]
            assert isinstance(region, Region)
            # Reaching the end of a body is kept with the jumps: the clause behind it runs for all of them.
            region.jumps.append(jump)
            return
        # The innermost one first: a region keeps the jump until its own end is built, and then sends it on from
        # there.
        for frame in reversed(self.stack):
            if isinstance(frame, Region):
                caught = frame.catches and jump.reason.startswith(RAISE)
                (frame.raised if caught else frame.jumps).append(jump)
                return
            if jump.reason in (BREAK, CONTINUE):
                self.connect(jump, frame.after if jump.reason == BREAK else frame.head)
                return
        if jump.reason == RETURN:
            self.connect(jump, self.draft.exit)
        else:
            self.connect(jump, self.raise_exit(jump.reason.removeprefix(RAISE)))

    def raise_on(
        self,
        source: DraftBlock,
        reasons: dict[str, bool],
        handlers: list[ast.ExceptHandler],
        what: str,
        line: int,
    ) -> None:
        """Send on the gathered exceptions that none of the handlers surely catches, each by its name."""
        for reason in reasons:
            name = reason.removeprefix(RAISE)
            if not any(surely_catches(handler, name) for handler in handlers):
                cause = causes.passed_on(what, line, name)
                # With one reason there is nothing to note.
                leave = reason if len(reasons) > 1 else None
                self.go(Jump(source, reason, "exception", cause, line, leave, implicit=True))

    def connect(self, jump: Jump, target: DraftBlock, enter: str | None = None) -> None:
        self.draft.edge(
            jump.source,
            target,
            jump.kind,
            jump.cause,
            jump.line,
            enter=enter,
            leave=jump.leave,
            implicit=jump.implicit,
        )

    def raise_exit(self, name: str) -> DraftBlock:
        if name not in self.raise_exits:
            draft = self.draft
            # Exits of the scope stand outside of every region.
            depth, draft.depth = draft.depth, 0
            self.raise_exits[name] = draft.block(kind="raise", label=name)
            draft.depth = depth
        return self.raise_exits[name]

    def may_raise(self, block: DraftBlock, line: int) -> None:
        """Note that a block may be left by an exception nobody asks for, where that is observed."""
        region = self.draft.region
        # Only where somebody observes it: an exception that leaves the scope from anywhere would be an edge of
        # every block.
        if isinstance(region, Region) and block not in region.touched and not block.void:
            region.touched.add(block)
            cause = causes.raised(line, ANY_EXCEPTION)
            self.go(Jump(block, RAISE + ANY_EXCEPTION, "exception", cause, line, implicit=True))

    # -- one place for all ways out of a region -------------------------------------------------

    def gather(self, jumps: list[Jump], label: str = "") -> tuple[DraftBlock, dict[str, bool]]:
        """A block that all jumps lead to, and their reasons, with whether only implicit jumps have it.

        Where there are several reasons, each jump notes its own on the way in, and `scatter` lets a path
        out only by the reason it noted.
        """
        reasons: dict[str, bool] = {}
        for jump in jumps:
            reasons[jump.reason] = reasons.get(jump.reason, True) and jump.implicit
        several = len(reasons) > 1
        # The note is held from here on, up to `scatter`.
        self.draft.depth += several
        block = self.draft.block(label=label)
        for jump in jumps:
            self.connect(jump, block, jump.reason if several else None)
        return block, reasons

    def scatter(self, block: DraftBlock, reasons: dict[str, bool], what: str, line: int) -> DraftBlock:
        """Send each reason on from the end of what `gather` began; the block for plain going on."""
        draft = self.draft
        several = len(reasons) > 1
        draft.depth -= several
        after = draft.block()
        for reason, implicit in reasons.items():
            leave = reason if several else None
            cause = _resumed(reason, what, line)
            if reason == NEXT:
                draft.edge(block, after, "next", cause, leave=leave)
            else:
                self.go(Jump(block, reason, _KINDS.get(reason, "exception"), cause, 0, leave, implicit))
        return after


_KINDS: dict[str, EdgeKind] = {RETURN: "return", BREAK: "next", CONTINUE: "next"}


def _resumed(reason: str, what: str, line: int) -> Cause:
    if reason == NEXT:
        return causes.finished(what, line)
    if reason.startswith(RAISE):
        return causes.passed_on(what, line, reason.removeprefix(RAISE))
    thing = f"the {reason} through the {what} on line {line}"
    return Cause(f"{thing} went on", f"{thing} never went on")
