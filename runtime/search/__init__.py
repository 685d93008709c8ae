"""Which input to run next, until every edge is covered or has a verdict."""

from ramify.runtime.search.bench import BURST, Ambition
from ramify.runtime.search.exploration import (
    DIVERGED,
    Exploration,
    Limits,
    Path,
    PathExploration,
    Stop,
    Summary,
    follows,
    path_key,
)
from ramify.runtime.search.goals import Goals
from ramify.runtime.search.guided import GuidedExploration
from ramify.runtime.search.share import Turn, shared
from ramify.runtime.search.strategies import Candidate, strategy
from ramify.runtime.search.verdicts import COVERED, EdgeVerdict, ranked

__all__ = [
    "BURST", "COVERED", "DIVERGED", "Ambition", "Candidate", "EdgeVerdict", "Exploration", "Goals",
    "GuidedExploration", "Limits", "Path", "PathExploration", "Stop", "Summary", "Turn", "follows", "path_key",
    "ranked", "shared", "strategy",
]  # fmt: skip
