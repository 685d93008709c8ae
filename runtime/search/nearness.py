"""How near inputs came to the outcomes of tests, and which of them a local search should start from."""

from __future__ import annotations

from dataclasses import dataclass, field

from ramify.runtime.terms import Assignment

MAX_STARTS = 8


@dataclass(slots=True)
class Near:
    """The inputs that came nearest to an outcome not covered yet, equally near each."""

    distance: float = float("inf")
    rounds: int = 0  # local searches since the last time it came nearer
    seed: int = 0  # local searches in all
    _starts: list[Assignment] = field(default_factory=list)

    def note(self, assignment: Assignment, distance: float) -> None:
        """Takes up an input if none was nearer."""
        if distance < self.distance:
            self.distance, self.rounds, self._starts = distance, 0, [assignment]
        elif distance == self.distance and len(self._starts) < MAX_STARTS and assignment not in self._starts:
            self._starts.append(assignment)

    def start(self) -> Assignment:
        """Where to begin the next search: on a plateau, another input each time."""
        self.rounds += 1
        self.seed += 1
        return self._starts[self.seed % len(self._starts)]
