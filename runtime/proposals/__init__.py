"""Inputs worth a run before anything is solved: drawn, changed, read from examples, tables and patterns."""

from ramify.runtime.proposals.distance import distances
from ramify.runtime.proposals.draws import FOREIGN, Draws
from ramify.runtime.proposals.examples import assignments
from ramify.runtime.proposals.lessons import Lessons
from ramify.runtime.proposals.shrinking import smaller, smallest
from ramify.runtime.proposals.tables import tabled
from ramify.runtime.proposals.transplants import Mending, transplanted

__all__ = [
    "FOREIGN", "Draws", "Lessons", "Mending", "assignments", "distances", "smaller", "smallest", "tabled",
    "transplanted",
]  # fmt: skip
