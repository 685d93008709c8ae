"""The clock of a search: work in nominal seconds, which neither the machine nor its load can move.

What to do next is decided by this clock alone, so that a search without a budget finds the same inputs in the
same order everywhere. The figures are what each piece of work takes on an ordinary machine; only their ratios
matter. Real seconds end a search that has a budget, and nothing else.
"""

from __future__ import annotations

from ramify.runtime.programs import Execution
from ramify.runtime.solver.verdict import Stats
from ramify.runtime.worlds import TICK

MEASURED = 0.0002  # a run on plain values, apart from its loops
TURN = 0.00002  # choosing what to do: no search goes on for ever without any work
CONCOLIC = 0.0006  # a run on concolic values, apart from its loops and decisions
SLOWER = 4  # how many times longer a tick is on concolic values
DECISION = 5e-6
QUERY = 0.0005  # a question to the solver's chain
CHECK = 0.002  # one that Z3 is asked
STEP = 5e-7  # a step of Z3's own count, where it gave up: only then is the count known without asking for it


class Effort:
    """The nominal seconds spent so far. `setup` is what the fresh world of a run takes."""

    def __init__(self, setup: float = 0.0) -> None:
        self.spent = 0.0
        self._setup = setup
        self._runs, self._ticks = 0, 0  # of measured runs
        self._asked: tuple[int, int, int] = (0, 0, 0)

    def turn(self) -> None:
        """A turn of some tactic, whatever it did."""
        self.spent += TURN

    def measured(self, runs: int = 1, ticks: int = 0) -> None:
        """Runs on plain values, with the ticks of all of them."""
        self.spent += runs * (MEASURED + self._setup) + ticks * TICK
        self._runs += runs
        self._ticks += ticks

    def concolic(self, execution: Execution) -> None:
        """A run on concolic values."""
        self.spent += CONCOLIC + self._setup + execution.ticks * TICK * SLOWER
        self.spent += len(execution.decisions) * DECISION

    def solved(self, stats: Stats) -> None:
        """What the solver has done since this was last called."""
        now = sum(stats.queries.values()), stats.z3_calls, stats.steps
        queries, calls, steps = (new - old for new, old in zip(now, self._asked, strict=True))
        self._asked = now
        self.spent += queries * QUERY + calls * CHECK + steps * STEP

    def cheap(self, seconds: float) -> int:
        """How many measured runs fit into so many nominal seconds if they are like those so far; one at least."""
        ticks = self._ticks / self._runs if self._runs else 0
        return max(1, int(seconds / (MEASURED + self._setup + ticks * TICK)))
