"""The scheduler: who has the next turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ramify.runtime.search import Path
from ramify.runtime.search.scheduler import Scheduler
from ramify.runtime.search.tactics import Urgency


class Wanting:
    """A tactic that wants its turn so much."""

    def __init__(self, urgency: Urgency | None) -> None:
        self.wants = urgency
        self.asked = 0

    def urgency(self) -> Urgency | None:
        self.asked += 1
        return self.wants

    def turn(self) -> Iterator[Path]:
        return iter(())


def test_the_order_of_a_search() -> None:
    assert sorted(Urgency) == [
        Urgency.OPENING, Urgency.OVERDUE, Urgency.USUAL, Urgency.SPARE, Urgency.AGAIN, Urgency.LAST,
    ]  # fmt: skip
    assert len(set(Urgency)) == 6


@pytest.mark.parametrize("first", list(Urgency))
@pytest.mark.parametrize("second", list(Urgency))
def test_the_most_urgent_tactic_has_the_next_turn_and_the_first_of_those_alike(
    first: Urgency, second: Urgency
) -> None:
    one, two = Wanting(first), Wanting(second)
    assert Scheduler([one, two]).choose() is (two if second < first else one)


def test_a_tactic_that_has_nothing_to_do_is_passed_over() -> None:
    idle, last = Wanting(None), Wanting(Urgency.LAST)
    assert Scheduler([idle, last]).choose() is last
    assert Scheduler([last, idle]).choose() is last


def test_nobody_has_anything_to_do() -> None:
    assert Scheduler([]).choose() is None
    assert Scheduler([Wanting(None), Wanting(None)]).choose() is None


def test_all_are_asked_before_every_turn() -> None:
    tactics = [Wanting(Urgency.OPENING), Wanting(None), Wanting(Urgency.USUAL)]
    scheduler = Scheduler(tactics)
    assert scheduler.choose() is tactics[0]
    tactics[0].wants = None
    assert scheduler.choose() is tactics[2]
    assert [tactic.asked for tactic in tactics] == [2, 2, 2]
