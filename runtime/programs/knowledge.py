"""What a search and the runs it asks for tell each other: what is known already, and what came of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from ramify.cfg.leaves import Leaf
from ramify.runtime.programs.execution import Execution
from ramify.runtime.proposals import Lessons
from ramify.runtime.terms import Assignment

UNMEASURED = 1.0  # the distance of what is not compared, where a run took its other outcome


@dataclass(slots=True)
class Knowledge:
    """What is known before a request: a run that adds nothing to it is not worth sending back. The search owns it;
    a child is told what it needs, since it may not be the one that learned it.
    """

    covered: set[int] = field(default_factory=set)
    endings: set[tuple[Any, ...]] = field(default_factory=set)
    lessons: Lessons = field(default_factory=Lessons)
    run_seconds: float = inf  # that one run may take


@dataclass(slots=True)
class Burst:
    """What cheap runs came to: how many there were, and those that are worth a second look."""

    runs: int = 0
    seeds: int = 0  # how many of those given were used up
    ticks: int = 0
    found: list[Execution] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ascent:
    """A climb that is asked for: from which input, towards which outcome of a test, in how many runs.
    The edges `reached` tell that a run came to the test, where that is all there is to know.
    """

    start: Assignment
    leaf: Leaf
    outcome: bool
    tries: int
    seed: int = 0
    reached: frozenset[int] = frozenset()


@dataclass(slots=True)
class Climb:
    """What a climb came to: runs that took new edges, and the nearest input it found."""

    runs: int = 0
    ticks: int = 0
    found: list[Execution] = field(default_factory=list)
    best: Assignment = field(default_factory=dict)
    distance: float = float("inf")
