"""What a run leaves behind: its decisions with their places, and where terms were lost."""

from ramify.runtime.recording.frames import is_boundary, is_own, keeps_texts
from ramify.runtime.recording.path import (
    MAX_DECISIONS,
    Concretisation,
    Decision,
    Phase,
    Run,
    TermMismatch,
    decide,
    journal,
)
from ramify.runtime.recording.place import Frame, Place, of_frame, position
from ramify.runtime.recording.reason import ORDINARY, Cut, Reason, Rejected, Why
from ramify.runtime.recording.sharing import shared_length
from ramify.runtime.recording.sites import DecisionSite, known

__all__ = [
    "MAX_DECISIONS", "ORDINARY", "Concretisation", "Cut", "Decision", "DecisionSite", "Frame", "Phase", "Place",
    "Reason", "Rejected", "Run", "TermMismatch", "Why", "decide", "is_boundary", "is_own", "journal",
    "keeps_texts", "known", "of_frame", "position", "shared_length",
]  # fmt: skip
