"""The pure peer approach of PEF: an untouched program, a few builtins replaced in its own namespace, and
PEF's search.

PEF distinguishes forced branches, where the path so far leaves one side only, from free ones, where both
are possible; it goes depth first, true side first, and prunes a path at the branch that would exceed the
depth limit on free branches.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ramify.runtime import models
from ramify.runtime.peer.range_proxy import enumerate_proxy, range_proxy, type_proxy
from ramify.runtime.programs import CUT, Execution
from ramify.runtime.recording import Phase
from ramify.runtime.search import Candidate, Path, PathExploration, Stop, follows, path_key
from ramify.runtime.solver import Sat
from ramify.runtime.terms import Assignment

DEPTH = 10

NAMESPACE: dict[str, Any] = {
    "len": models.len_,
    "isinstance": models.isinstance_,
    "type": type_proxy,
    "range": range_proxy,
    "enumerate": enumerate_proxy,
    "ord": models.ord_,
    "chr": models.chr_,
}
"""What PEF replaced, and two more functions that cannot be told from the real ones. `int`, `str` and the like
stay types.
"""

assert all(hasattr(builtins, name) for name in NAMESPACE)


@dataclass(frozen=True, slots=True)
class Branch:
    """A side of a free branch that is still to be visited: a flip to run, or a run already made whose rest is
    to be walked.
    """

    start: int
    free: int
    execution: Execution | None = None
    model: Assignment | None = None
    candidate: Candidate | None = None


class PeerLoop(PathExploration):
    """PEF's execution loop on top of concolic runs.

    A run that took the false side of a free branch is kept until the true side has been visited, so paths
    come in PEF's order and no run is wasted.
    """

    def _explore(self) -> Iterator[Path]:
        first = self._run({})
        self._seen.add(path_key(first.decisions))
        self._strays: list[Execution] = []  # runs that did not follow the path they were built for
        stack = [Branch(0, 0, first)]
        try:
            yield from self._visit(stack)
        except KeyboardInterrupt:
            yield from self._unvisited(stack)
            raise

    def _unvisited(self, stack: list[Branch]) -> Iterator[Path]:
        """The runs already made whose turn had not come when the search was stopped."""
        for branch in reversed(stack):
            if branch.execution is not None:
                yield from self._report(branch.execution, branch.free)

    def _visit(self, stack: list[Branch]) -> Iterator[Path]:
        summary = self.summary
        while stack:
            stop = self._stop()
            if stop is not None:
                yield from self._unvisited(stack)
                summary.stop = stop
                return
            branch = stack.pop()
            execution, start = branch.execution, branch.start
            if execution is None:
                assert branch.model is not None
                assert branch.candidate is not None
                execution = self._run(branch.model)
                diverged = not follows(execution, branch.candidate)
                key = path_key(execution.decisions)
                if diverged:
                    summary.divergences += 1
                    start = 0
                    if key in self._seen:
                        continue
                    self._strays.append(execution)
                self._seen.add(key)
            yield from self._walk(execution, start, branch.free, stack)
        summary.stop = Stop.EXHAUSTED if summary.complete() else Stop.INCOMPLETE

    def _walk(self, execution: Execution, start: int, free: int, stack: list[Branch]) -> Iterator[Path]:
        """Follows one run from decision `start` on and leaves the other sides of its free branches on the
        stack.
        """
        limit = DEPTH if self.limits.depth is None else self.limits.depth
        for index in range(start, len(execution.decisions)):
            decision = execution.decisions[index]
            # Reversing a precondition that holds gives no input.
            if decision.phase is Phase.ASSUMED and decision.outcome:
                continue
            counts = decision.phase is Phase.BODY
            candidate = Candidate(execution, index, 0)
            verdict = self._flip(candidate)
            # Forced, as far as the solver knows: the other side is not visited.
            if not isinstance(verdict, Sat):
                continue
            # Only branches of the target count; choices that build an input do not.
            if counts and free >= limit:
                yield from self._report(self._pruned(execution, index), limit)
                return
            other = Branch(index + 1, free + counts, model=verdict.model, candidate=candidate)
            # PEF visits the true side first: here the run has taken it, below it is still to come.
            if decision.outcome:
                stack.append(other)
                free += counts
            else:
                # The run itself waits below the other side on the stack.
                stack.append(Branch(index + 1, free + counts, execution))
                stack.append(other)
                return
        yield from self._report(execution, free)

    def _pruned(self, execution: Execution, index: int) -> Execution:
        """The run again, ended at the branch that exceeds the depth limit."""
        self.summary.pruned += 1
        # PEF ends the program at that branch; what the run did behind it must not be reported.
        again = self.program.run(dict(execution.assignment), limit=index)
        return again if again.outcome == CUT else execution

    def _report(self, execution: Execution, depth: int) -> Iterator[Path]:
        self.summary.depth = max(self.summary.depth, depth)
        yield from self._record(execution, any(execution is stray for stray in self._strays))
