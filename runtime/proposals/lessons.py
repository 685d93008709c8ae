"""What runs have taught about inputs; it outlives the process in which they ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ramify.runtime.terms import Sort


@dataclass(slots=True)
class Lessons:
    """The sorts of the variables that runs have asked for, and values that were compared with inputs again and
    again, in the order in which they were learned.
    """

    sorts: dict[str, Sort] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def add(self, others: Lessons) -> None:
        """Takes up what others have learned since."""
        self.sorts.update(others.sorts)
        self.values += others.values

    def __bool__(self) -> bool:
        return bool(self.sorts or self.values)
