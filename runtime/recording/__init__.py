"""What a run leaves behind: its decisions with their places, and where terms were lost."""

from ramify.runtime.recording.frames import is_boundary, is_own, keeps_texts
from ramify.runtime.recording.path import (
    MAX_DECISIONS,
    Concretisation,
    Cut,
    Decision,
    Phase,
    Rejected,
    Run,
    TermMismatch,
    decide,
    journal,
)
from ramify.runtime.recording.place import Frame, Place, of_frame, position
from ramify.runtime.recording.sites import DecisionSite, known

__all__ = [
    "MAX_DECISIONS", "Concretisation", "Cut", "Decision", "DecisionSite", "Frame", "Phase", "Place", "Rejected",
    "Run", "TermMismatch", "decide", "is_boundary", "is_own", "journal", "keeps_texts", "known", "of_frame",
    "position",
]  # fmt: skip
