"""The protocol of a tactic: one way to come by inputs, and when it wants its turn."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Protocol

from ramify.runtime.search.exploration import Path


class Urgency(IntEnum):
    """How soon a tactic wants its turn; the first one goes first. The order of a search stands here."""

    OPENING = 0  # before anything is known
    OVERDUE = 1  # others have had many turns in vain
    USUAL = 2
    SPARE = 3  # when nobody has anything better
    AGAIN = 4  # what was tried before, with other draws
    LAST = 5  # a last look before the search ends


class Tactic(Protocol):
    """One way to come by inputs."""

    def urgency(self) -> Urgency | None:
        """How soon it wants its turn; None if it has nothing to do. Asking changes nothing."""

    def turn(self) -> Iterator[Path]:
        """One turn: the inputs worth reporting. What they taught is in the ledger."""
