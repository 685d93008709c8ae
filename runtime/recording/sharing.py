"""How far two paths go together: all in C, since whole paths are compared for every run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import ne

from ramify.runtime.recording.path import Decision


def shared_length(one: Sequence[Decision], other: Sequence[Decision]) -> int:
    """How many decisions two paths have in common before they part."""
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))
