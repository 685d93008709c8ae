"""What a branch table holds: scopes, sites, edges and statements, each with the words that people read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NewType

BranchId = NewType("BranchId", int)
"""The index of an outcome in `BranchTable.edges`."""

SiteKind = Literal[
    "if", "conditional", "operand", "link", "while", "for", "comprehension", "filter",
    "assert", "case", "guard", "try", "handler", "with",
]  # fmt: skip

ScopeKind = Literal["module", "class", "function", "lambda", "comprehension"]

# Both tables finish the sentence that begins with the text of the site.
_MISSING = {
    "true": "never true",
    "false": "never false",
    "entered": "never entered",
    "exhausted": "never ran to its end",
    "matched": "never matched",
    "unmatched": "never failed to match",
    "caught": "never caught anything",
    "passed": "never passed an exception on to the next clause",
    "completed": "never completed without an exception",
    "left": "never left normally",
    "suppressed": "never suppressed an exception",
}
_HIT = {
    "true": "true",
    "false": "false",
    "entered": "entered",
    "exhausted": "ran to its end",
    "matched": "matched",
    "unmatched": "did not match",
    "caught": "caught an exception",
    "passed": "passed the exception on",
    "completed": "completed without an exception",
    "left": "left normally",
    "suppressed": "suppressed an exception",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """A module, class, function, lambda or comprehension; `function` is where reports count its branches."""

    index: int
    kind: ScopeKind
    qualname: str
    line: int
    end_line: int
    parent: int | None
    function: int


@dataclass(frozen=True, slots=True)
class Site:
    """A place that can branch, with one edge id per outcome, in the order of `outcomes`."""

    index: int
    kind: SiteKind
    text: str
    line: int
    column: int
    scope: int
    outcomes: tuple[str, ...]
    first: BranchId

    def edge(self, outcome: str) -> BranchId:
        """The id of one outcome; asking for an outcome the site does not have is a KeyError."""
        try:
            # The edges of a site are numbered in a row.
            return BranchId(self.first + self.outcomes.index(outcome))
        except ValueError:
            raise KeyError(f"{self.kind} at line {self.line} has no outcome {outcome!r}") from None


@dataclass(frozen=True, slots=True)
class Edge:
    """One outcome of a site."""

    id: BranchId
    site: Site
    outcome: str

    @property
    def line(self) -> int:
        return self.site.line

    @property
    def column(self) -> int:
        return self.site.column

    @property
    def label(self) -> str:
        """What happens here, as in ``line 12: `if total > price` false``."""
        return f"line {self.line}: `{self.site.text}` {_HIT[self.outcome]}"

    @property
    def missing(self) -> str:
        """What has not happened here, as in ``line 12: `if total > price` never false``."""
        return f"line {self.line}: `{self.site.text}` {_MISSING[self.outcome]}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that does something, and the probe whose hit proves that it was reached.

    Probes are numbered after the edges. A statement right behind an edge's probe, or behind a statement
    that cannot fail, shares that probe.
    """

    line: int
    end_line: int
    scope: int
    probe: int
