"""What a run leaves behind: its decisions with their places, and where terms were lost."""

from ramify.runtime.recording.path import (
    MAX_DECISIONS,
    Concretisation,
    Cut,
    Decision,
    DecisionSite,
    Phase,
    Rejected,
    Run,
    TermMismatch,
    decide,
    is_boundary,
    is_own,
    keeps_texts,
    keyed,
)
from ramify.runtime.recording.place import Frame, Place, of_frame, position

__all__ = [
    "MAX_DECISIONS",
    "Concretisation",
    "Cut",
    "Decision",
    "DecisionSite",
    "Frame",
    "Phase",
    "Place",
    "Rejected",
    "Run",
    "TermMismatch",
    "decide",
    "is_boundary",
    "is_own",
    "keeps_texts",
    "keyed",
    "of_frame",
    "position",
]  # fmt: skip
