"""Coverage-guided exploration: cheap runs first, then decisions reversed in the order of what they can newly
cover, and climbs for what the solver cannot reach.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from ramify.runtime.sandbox import CLOSING, WorkerDied
from ramify.runtime.search.audit import Audit
from ramify.runtime.search.bench import Ambition, Bench, Measurable, Tally
from ramify.runtime.search.effort import Effort
from ramify.runtime.search.exploration import Exploration, Limits, Path, Stop
from ramify.runtime.search.frontier import Frontier
from ramify.runtime.search.goals import Goals
from ramify.runtime.search.ledger import Ledger
from ramify.runtime.search.scheduler import Scheduler
from ramify.runtime.search.tactics import tactics_of
from ramify.runtime.search.tree import PathTree
from ramify.runtime.search.verdicts import EdgeVerdict, Judge
from ramify.runtime.solver import Solver

WHOLE_MODULE = "<module>"
"""What stands among the functions that could not be rewritten if none of its module could."""


class GuidedExploration(Exploration):
    """Explores for coverage: iterating yields the inputs that cover or break something new."""

    def __init__(
        self,
        program: Measurable,
        goals: Goals,
        solver: Solver,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        ambition: Ambition = Ambition(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(program, solver, limits)
        self.goals = goals
        self.ledger = Ledger(goals, program.lessons)
        self.effort = Effort(program.setup)
        self._bench = Bench(
            program,
            goals,
            self.ledger,
            Frontier(goals),
            PathTree(solver, self.summary, limits.depth),
            solver,
            self.effort,
            self.summary,
            limits,
            ambition,
            Audit(goals.own),
            self.left,
        )
        self._scheduler = Scheduler(tactics_of(self._bench))
        self._judge = Judge(self.ledger, program.doubts(), ", ".join(program.bounds()))
        self.left_plain: dict[str, str] | None = None  # functions that could not be rewritten, and why
        self.allowance = CLOSING  # seconds for the verdicts of a search that was ended
        self._spent = 0.0

    @property
    def fallback(self) -> Tally:
        """What cheap runs and climbs came to."""
        return self._bench.tally

    @property
    def ambition(self) -> Ambition:
        """When it is content, and what it may do before."""
        return self._bench.ambition

    @ambition.setter
    def ambition(self, ambition: Ambition) -> None:
        self._bench.ambition = ambition

    def measure(self, assignment: dict[str, object], seconds: float) -> frozenset[int]:
        """The edges that an input takes, whoever found it."""
        return self._bench.program.measure(dict(assignment), seconds=seconds).hits

    def edge_verdicts(self) -> list[EdgeVerdict]:
        """What became of every edge of the target."""
        early = self.summary.stop in (Stop.TIME, Stop.MEMORY, Stop.INTERRUPTED)
        return self._judge.all(
            self.summary.stop, self.summary.refused, self.allowance if early else self.left()
        )

    def steps(self) -> Iterator[Path | None]:
        """The exploration in small steps: a path that is worth keeping, or None for a step without one."""
        bench = self._bench
        yield from bench.enter(bench.measure({}))
        bench.measured = WHOLE_MODULE not in self._plain()
        while True:
            stop = self._stop()
            tactic = self._scheduler.choose() if stop is None else None
            if tactic is None:
                self.summary.stop = stop or (
                    Stop.COVERED if bench.content else Stop.EXHAUSTED if bench.proven else Stop.INCOMPLETE
                )
                return
            self.effort.turn()
            yield from tactic.turn()
            yield None

    def _explore(self) -> Iterator[Path]:
        return (path for path in self.steps() if path is not None)

    # -- real time: only what this exploration uses itself counts ------------------------------------

    def left(self) -> float | None:
        """What is left of the budget, if there is one. No scheduling depends on it."""
        limit = self.limits.seconds
        return None if limit is None else max(limit - self._elapsed(), 0.05)

    def resume(self) -> None:
        """Real time counts from here on."""
        self._started = time.perf_counter()

    def pause(self) -> None:
        """Real time counts no longer: others have their turn."""
        self._spent += time.perf_counter() - self._started
        self._started = time.perf_counter()

    def _elapsed(self) -> float:
        return self._spent + time.perf_counter() - self._started

    def _finish(self) -> None:
        self.summary.depth = max(self.summary.depth, self._bench.tree.deepest)
        if self.left_plain is None:
            self.left_plain = self._plain()
        super()._finish()

    def _plain(self) -> dict[str, str]:
        try:
            return self._bench.program.left_plain()
        except WorkerDied:
            return {}
