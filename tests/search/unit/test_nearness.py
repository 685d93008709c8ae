"""The nearest inputs of an outcome, and where climbs start."""

from __future__ import annotations

from ramify.runtime.search.nearness import Near


def test_nothing_is_near_at_first() -> None:
    near = Near()
    assert (near.distance, near.rounds, near.seed) == (float("inf"), 0, 0)


def test_a_nearer_input_replaces_the_others_and_begins_anew() -> None:
    near = Near()
    near.note({"x": 1}, 5.0)
    near.note({"x": 2}, 5.0)
    assert near.start() == {"x": 2}
    near.note({"x": 3}, 4.0)
    assert (near.distance, near.rounds, near.seed) == (4.0, 0, 1)
    assert [near.start()["x"] for _ in range(2)] == [3, 3]


def test_an_input_further_away_changes_nothing() -> None:
    near = Near()
    near.note({"x": 1}, 5.0)
    near.start()
    near.note({"x": 2}, 6.0)
    assert (near.distance, near.rounds) == (5.0, 1)
    assert near.start() == {"x": 1}


def test_climbs_from_a_plateau_start_at_one_input_after_the_other() -> None:
    near = Near()
    for x in (10, 11, 12):
        near.note({"x": x}, 1.0)
    assert [near.start()["x"] for _ in range(6)] == [11, 12, 10, 11, 12, 10]
    assert (near.rounds, near.seed) == (6, 6)


def test_an_input_is_taken_up_once() -> None:
    near = Near()
    for _ in range(2):
        near.note({"x": 10}, 1.0)
        near.note({"x": 11}, 1.0)
    assert [near.start()["x"] for _ in range(4)] == [11, 10, 11, 10]


def test_a_plateau_keeps_eight_inputs() -> None:
    near = Near()
    for x in range(12):
        near.note({"x": x}, 1.0)
    assert [near.start()["x"] for _ in range(8)] == [1, 2, 3, 4, 5, 6, 7, 0]


def test_two_outcomes_do_not_share_their_inputs() -> None:
    one, two = Near(), Near()
    one.note({"x": 1}, float("inf"))
    two.note({"x": 2}, float("inf"))
    assert (one.start(), two.start()) == ({"x": 1}, {"x": 2})
