"""Chooses what a search does next: the tactic that wants its turn most."""

from __future__ import annotations

from collections.abc import Sequence

from ramify.runtime.search.tactics import Tactic


class Scheduler:
    """Asks every tactic before every turn, since each turn may change what the others have to do."""

    def __init__(self, tactics: Sequence[Tactic]) -> None:
        self._tactics = tactics

    def choose(self) -> Tactic | None:
        """The most urgent tactic, the first of those that are alike; None if none has anything to do."""
        chosen, most = None, None
        for tactic in self._tactics:
            urgency = tactic.urgency()
            if urgency is not None and (most is None or urgency < most):
                chosen, most = tactic, urgency
        return chosen
