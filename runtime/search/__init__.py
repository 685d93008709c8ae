"""Which input to run next, until every edge is covered or has a verdict."""

from ramify.runtime.search.bench import BURST, Ambition
from ramify.runtime.search.exploration import (
    COVERED,
    EXHAUSTED,
    INTERRUPTED,
    RUNS,
    TIME,
    Exploration,
    Limits,
    Path,
    PathExploration,
    Summary,
    follows,
    path_key,
)
from ramify.runtime.search.goals import Goals
from ramify.runtime.search.guided import GuidedExploration
from ramify.runtime.search.share import MAX_CHILDREN, shared
from ramify.runtime.search.strategies import Candidate, strategy
from ramify.runtime.search.verdicts import EdgeVerdict, ranked

__all__ = [
    "BURST", "COVERED", "EXHAUSTED", "INTERRUPTED", "MAX_CHILDREN", "RUNS", "TIME", "Ambition", "Candidate",
    "EdgeVerdict", "Exploration", "Goals", "GuidedExploration", "Limits", "Path", "PathExploration", "Summary",
    "follows", "path_key", "ranked", "shared", "strategy",
]  # fmt: skip
