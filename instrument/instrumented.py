"""What instrumenting a module gives: the one thing that rewriter, cache, loader and recorders pass around."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

Spans = dict[int, tuple[int, int, int, int]]
"""For each function, by its entry probe, the probes inside it: two half-open ranges, edges and statements."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A module ready to run; `declined` says why its code is the plain one, if it is.

    Once all probes of a function are spent, its code in `plain` does the same at full speed.
    """

    code: CodeType
    plain: CodeType
    key: str
    digest: str
    probes: int
    spans: Spans
    declined: str = ""
