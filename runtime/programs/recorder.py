"""What code at the measuring level calls while it runs: marks of edges, ticks of the budget, and how near tests
came.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

from ramify.cfg.leaves import Leaf, Span
from ramify.instrument import measuring, probes
from ramify.instrument.instrumented import Instrumented
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.proposals import distances

MAX_SEEN = 200
MAX_TEXT = 200
MAX_ITEMS = 50  # of a container that is compared with or looked in

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
    "is": operator.is_,
    "is not": operator.is_not,
}
_DIFFERENT = {"eq": False, "ne": True, "in": False, "not in": True}


class Recorder:
    """All that a measured run of one module leaves behind; `namespace` goes into the module's builtins."""

    def __init__(
        self, module: Instrumented, ticks: Ticks, main: Recorder | None = None, file: str | None = None
    ) -> None:
        self.ticks = ticks
        self._main = self if main is None else main
        self._beside = file is not None
        self._leaves = _Leaves(file)
        self.hits = [0] * module.probes
        self.added: set[int] = set()
        self.add = self.added.add
        self.wanted: frozenset[Span] = frozenset()
        self.near: dict[Leaf, list[float]] = {}
        # What a run came near to, by leaf for those who ask and by span for this file's tests: spans hash faster.
        self._noted: tuple[dict[Leaf, list[float]], dict[Span, list[float]]] = self.near, {}
        self.seen: dict[Any, None] = {}
        self.compared: dict[Leaf, tuple[Any, Any]] = {}  # what was last found to differ, or not to be inside
        self._settled: set[Span] = set()  # both outcomes were seen
        self._seen_outcomes: dict[Span, tuple[bool, bool]] = {}
        tools = probes.Tools(self, _Untouched())
        names = measuring.NAMES
        self.namespace: dict[str, Any] = {
            names.hits: self.hits,
            names.add: self.add,
            names.enter: self._enter,
            names.tools: tools,
            measuring.COMPARE: self._compare,
            measuring.TRUTH: self._truth,
        }

    def start(self, wanted: frozenset[Span]) -> None:
        """Forgets the last run. Tests at the `wanted` places tell how near they come."""
        self.hits[:] = bytes(len(self.hits))
        self.added.clear()
        self.wanted = wanted
        self.near = {}
        self.seen = {}
        self.compared = {}

    def taken(self) -> frozenset[int]:
        """The probes that were hit."""
        return frozenset(self.added.union(number for number, hit in enumerate(self.hits) if hit))

    def _enter(self, probe: int) -> None:
        self.added.add(probe)
        self.ticks.tick()

    def _compare(self, span: Span, word: str, left: Any, right: Any) -> Any:
        result = _OPERATORS[word](left, right)
        if result is _DIFFERENT.get(word):
            leaf, compared = self._leaves[span], self._main.compared
            compared.pop(leaf, None)  # what comes last is what ended the run, mostly
            compared[leaf] = left, right
        if span in self.wanted or (self._beside and span not in self._settled):
            self._note(span, distances(word, left, right))
            if word in ("eq", "ne", "in", "not in"):
                self._main._see(left)
                self._main._see(right)
        return result

    def _truth(self, span: Span, value: Any) -> Any:
        if span in self.wanted or (self._beside and span not in self._settled):
            self._note(span, distances("truth", value, None))
        return value

    def _note(self, span: Span, found: tuple[float, float] | None) -> None:
        """In a module beside the target, every test is noted until both of its outcomes were seen."""
        if found is None:
            return
        near, noted = self._noted
        if near is not self._main.near:
            near, noted = self._noted = self._main.near, {}
        nearest = noted.get(span)
        if nearest is None:
            near[self._leaves[span]] = noted[span] = nearest = [*found]
        else:
            if found[0] < nearest[0]:
                nearest[0] = found[0]
            if found[1] < nearest[1]:
                nearest[1] = found[1]
        if self._beside:
            seen = self._seen_outcomes.get(span, (False, False))
            seen = seen[0] or nearest[0] == 0, seen[1] or nearest[1] == 0
            self._seen_outcomes[span] = seen
            if seen == (True, True):
                self._settled.add(span)

    def _see(self, value: Any) -> None:
        """Keeps what is compared: the other side of a comparison is often what an input should have been."""
        if len(self.seen) >= MAX_SEEN:
            return
        kind = type(value)
        if kind in (int, float) or (kind in (str, bytes) and len(value) <= MAX_TEXT):
            self.seen[value] = None
        elif kind in (list, tuple, set, frozenset, dict):
            for item in islice(value, MAX_ITEMS):
                if type(item) in (int, float, str, bytes):
                    self._see(item)


class _Leaves(dict[Span, Leaf]):
    """The leaves of one file by their spans, each made once: a test is passed many times in a run."""

    def __init__(self, file: str | None) -> None:
        super().__init__()
        self._file = file

    def __missing__(self, span: Span) -> Leaf:
        leaf = self[span] = Leaf(span, self._file)
        return leaf


class _Untouched(dict[int, Any]):
    """Takes the place of what removes spent probes: exploration wants every run measured."""

    def __missing__(self, probe: int) -> Callable[[Any], Any]:
        return _itself


def _itself(function: Any) -> Any:
    return function
