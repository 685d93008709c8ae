"""The frontier: the order of flips, what attempts cost, and decisions inside operations."""

from __future__ import annotations

import pytest
from fake_program import FakeGoals, flip_to

from ramify.runtime.search import Candidate
from ramify.runtime.search.frontier import Frontier


def taken(frontier: Frontier) -> list[Candidate]:
    """What is left, in the order in which it is taken."""
    found = []
    while (candidate := frontier.take()) is not None:
        found.append(candidate)
    return found


def test_the_nearest_to_a_goal_comes_first() -> None:
    frontier = Frontier(FakeGoals({(1, True): 5, (2, True): 0, (3, True): 3}))
    far, goal, near = (flip_to(line, True, serial=line) for line in (1, 2, 3))
    frontier.add([far, goal, near])
    assert len(frontier) == 3
    assert taken(frontier) == [goal, near, far]
    assert len(frontier) == 0
    assert not frontier
    assert frontier.take() is None


def test_of_the_equally_near_the_shallow_one_comes_first_and_then_the_older_one() -> None:
    frontier = Frontier(FakeGoals({(line, True): 7 for line in (1, 2, 3, 4)}))
    deep = flip_to(1, True, index=2, serial=1)
    old, young = flip_to(2, True, index=1, serial=2), flip_to(3, True, index=1, serial=9)
    shallow = flip_to(4, True, index=0, serial=10)
    frontier.add([deep, young, shallow, old])
    assert taken(frontier) == [shallow, old, young, deep]


def test_a_score_is_distance_and_index_and_serial() -> None:
    frontier = Frontier(FakeGoals({(1, True): 5, (1, False): 6}))
    assert frontier.score(flip_to(1, True, index=3, serial=8)) == (5, 3, 8)
    assert frontier.score(flip_to(1, False, index=0, serial=2)) == (6, 0, 2)


@pytest.mark.parametrize(("distance", "counted"), [(999, 999), (1000, 1000), (1001, 1000), (10**6, 1000)])
def test_what_leads_to_no_goal_is_equally_far_however_far(distance: int, counted: int) -> None:
    assert Frontier(FakeGoals({(1, True): distance})).score(flip_to(1, True))[0] == counted


def test_each_attempt_from_a_run_with_the_same_edges_makes_an_edge_two_further_away() -> None:
    frontier = Frontier(FakeGoals({(1, True): 10}))
    scores = []
    for serial in range(7):
        candidate = flip_to(1, True, hits={4}, serial=serial)
        scores.append(frontier.score(candidate)[0] - 10)
        frontier.add([candidate])
        frontier.take()
    # and one more for every three attempts from whatever run
    assert scores == [0, 2, 4, 6 + 1, 8 + 1, 10 + 1, 12 + 2]


def test_three_attempts_from_other_runs_make_an_edge_one_further_away() -> None:
    frontier = Frontier(FakeGoals({(1, True): 10}))
    scores = []
    for number in range(7):
        candidate = flip_to(1, True, hits={number}, serial=number)
        scores.append(frontier.score(candidate)[0] - 10)
        frontier.add([candidate])
        frontier.take()
    assert scores == [0, 0, 0, 1, 1, 1, 2]


def test_attempts_count_for_the_edge_that_was_tried_alone() -> None:
    frontier = Frontier(FakeGoals({(1, True): 10, (1, False): 10, (2, True): 10}))
    frontier.add([flip_to(1, True)])
    frontier.take()
    assert frontier.score(flip_to(1, True))[0] == 12
    assert frontier.score(flip_to(1, False))[0] == 10
    assert frontier.score(flip_to(2, True))[0] == 10


def test_a_loop_does_not_starve_an_edge_that_is_further_away() -> None:
    frontier = Frontier(FakeGoals({(1, True): 0, (2, True): 5}))
    loop = [flip_to(1, True, serial=n) for n in range(10)]
    other = flip_to(2, True, serial=99)
    frontier.add([*loop, other])
    assert taken(frontier).index(other) == 3  # after attempts that count 0, 2 and 4; the next counts 7


def test_a_score_that_has_grown_is_seen_when_the_flip_is_taken() -> None:
    goals = FakeGoals({(1, True): 0, (2, True): 4, (3, True): 6})
    frontier = Frontier(goals)
    stale, second, third = (flip_to(line, True, serial=line) for line in (1, 2, 3))
    frontier.add([stale, second, third])
    goals.distances[1, True] = 5  # covered meanwhile
    assert taken(frontier) == [second, stale, third]


def test_a_score_that_has_grown_but_is_still_the_best_needs_no_second_look() -> None:
    goals = FakeGoals({(1, True): 0, (2, True): 9})
    frontier = Frontier(goals)
    stale, second = flip_to(1, True, serial=1), flip_to(2, True, serial=2)
    frontier.add([stale, second])
    goals.distances[1, True] = 9
    assert taken(frontier) == [stale, second]


def test_the_only_flip_is_taken_whatever_has_become_of_its_score() -> None:
    goals = FakeGoals({(1, True): 0})
    frontier = Frontier(goals)
    candidate = flip_to(1, True)
    frontier.add([candidate])
    goals.distances[1, True] = 800
    assert taken(frontier) == [candidate]


# -- inside operations ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "file", "distance"), [
    (7, "/subject.py", 2),  # in the block of a test that is still open
    (8, "/subject.py", 4),
    (7, "/other.py", 4),  # places of another file only look like ours
])  # fmt: skip
def test_the_distance_of_a_decision_inside_an_operation(line: int, file: str, distance: int) -> None:
    frontier = Frontier(FakeGoals({}, before={7}))
    assert frontier.score(flip_to(line, True, file=file))[0] == distance


def test_a_test_of_another_file_is_no_edge_of_ours() -> None:
    frontier = Frontier(FakeGoals({(1, True): 0}))
    assert frontier.score(flip_to(1, True, file="/other.py"))[0] == 4
    assert frontier.score(flip_to(1, True))[0] == 0


def test_between_goals_and_what_is_far_the_order_is_goal_then_just_before_then_near_then_inside_then_far() -> None:
    frontier = Frontier(FakeGoals({(1, True): 0, (2, True): 3, (3, True): 5, (4, True): 1}, before={7}))
    lines = {line: flip_to(line, True, serial=line) for line in (1, 2, 3, 4, 7, 8)}
    frontier.add(list(lines.values()))
    assert taken(frontier) == [lines[line] for line in (1, 4, 7, 2, 8, 3)]


def test_decisions_inside_operations_are_also_had_in_the_order_in_which_they_came() -> None:
    frontier = Frontier(FakeGoals({(1, True): 0}))
    test, first, second = flip_to(1, True), flip_to(8, True, index=5), flip_to(9, True)
    assert not frontier.untried_inside()
    assert frontier.take_inside() is None
    frontier.add([test, first, second])
    assert frontier.untried_inside()
    assert frontier.take_inside() is first
    assert frontier.take_inside() is second
    assert not frontier.untried_inside()
    assert frontier.take_inside() is None


def test_one_attempt_at_an_outcome_inside_an_operation_is_enough() -> None:
    frontier = Frontier(FakeGoals({}))
    first, again, other = flip_to(8, True), flip_to(8, True, serial=2), flip_to(8, False, serial=3)
    frontier.add([first, again, other])
    assert frontier.take_inside() is first
    assert frontier.take_inside() is other
    frontier.add([flip_to(8, True, serial=4)])
    assert not frontier.untried_inside()


def test_what_was_taken_in_its_turn_is_tried_too() -> None:
    frontier = Frontier(FakeGoals({}))
    frontier.add([flip_to(8, True)])
    assert frontier.take() is not None
    assert not frontier.untried_inside()
    assert frontier.take_inside() is None


def test_taking_from_inside_costs_the_edge_attempts_and_the_frontier_nothing() -> None:
    frontier = Frontier(FakeGoals({}))
    for line in (7, 8, 9):
        frontier.add([flip_to(line, True, serial=line)])
    assert frontier.take_inside() is not None
    assert len(frontier) == 3
    assert frontier.score(flip_to(7, True))[0] == 4  # one attempt of three


def test_an_attempt_from_inside_is_one_of_three() -> None:
    frontier = Frontier(FakeGoals({}))
    frontier.add([flip_to(7, True, hits={n}, serial=n) for n in (1, 2, 3)])
    scores = []
    for take in (frontier.take_inside, frontier.take, frontier.take):
        take()
        scores.append(frontier.score(flip_to(7, True, hits={9}))[0])
    assert scores == [4, 4, 5]
