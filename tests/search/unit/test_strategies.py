"""Strategies: the order in which each of them gives out the same flips."""

from __future__ import annotations

import random

import pytest
from fake_program import PATH, above, flip_to, on, site_at

from ramify.errors import InputError
from ramify.runtime.programs import Execution
from ramify.runtime.recording import Decision
from ramify.runtime.search import Candidate, strategy
from ramify.runtime.search.strategies import (
    STRATEGIES,
    BreadthFirst,
    DecidedEdge,
    DepthFirst,
    Generational,
    Node,
    Random,
    SmartPaths,
    Strategy,
)


def taken(order: Strategy) -> list[int]:
    """The serial numbers of what is left, in the order in which it is taken."""
    found = []
    while (candidate := order.take()) is not None:
        found.append(candidate.serial)
    return found


def flips(*serials: int) -> list[Candidate]:
    """One flip each, of different tests."""
    return [flip_to(serial, True, serial=serial) for serial in serials]


def an_edge(line: int, outcome: bool = True) -> DecidedEdge:
    return site_at(on(line)), outcome


def test_a_flip_leads_to_the_other_side_of_its_test_in_the_source() -> None:
    site, negated = site_at(on(1)), site_at(on(2), PATH, True, True)
    run = Execution(
        {}, [Decision(site, True, above(1)), Decision(site, False, above(1)), Decision(negated, True, above(2))]
    )
    assert [Candidate(run, index, 0).edge for index in range(3)] == [(site, False), (site, True), (negated, True)]


def test_what_is_left_out_of_a_flip() -> None:
    candidate = Candidate(Execution({}), 0, 1)
    assert (candidate.gained, candidate.nodes) == (0, ())
    assert Node().free is False


def test_depth_first_takes_the_deepest_flip_of_the_latest_run() -> None:
    order = DepthFirst()
    order.add(flips(1, 2, 3))
    assert order.take().serial == 3
    order.add(flips(4, 5))
    assert taken(order) == [5, 4, 2, 1]
    assert order.take() is None


def test_breadth_first_takes_the_oldest_flip() -> None:
    order = BreadthFirst()
    order.add(flips(1, 2, 3))
    assert order.take().serial == 1
    order.add(flips(4, 5))
    assert taken(order) == [2, 3, 4, 5]
    assert order.take() is None


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_random_takes_each_flip_once_in_the_order_of_its_seed(seed: int) -> None:
    generator, pool, expected = random.Random(seed), list(range(1, 9)), []
    while pool:
        place = generator.randrange(len(pool))
        pool[place], pool[-1] = pool[-1], pool[place]
        expected.append(pool.pop())
    order = Random(seed)
    order.add(flips(*range(1, 5)))
    order.add(flips(*range(5, 9)))
    assert taken(order) == expected
    assert order.take() is None


def test_the_seed_of_random_is_zero_unless_given() -> None:
    orders = [Random(), Random(0), Random(1)]
    for order in orders:
        order.add(flips(*range(1, 9)))
    first, second, third = map(taken, orders)
    assert first == second != third


# -- generational -----------------------------------------------------------------------------------------


def test_generational_takes_uncovered_edges_then_those_that_gained_most_then_shallow_then_old_ones() -> None:
    order = Generational()
    order.covered([an_edge(1), an_edge(2)], 2)
    order.add([
        flip_to(1, True, serial=1, gained=9),
        flip_to(2, True, serial=2, gained=8),
        flip_to(3, True, serial=3, gained=0, index=1),
        flip_to(4, True, serial=4, gained=2, index=2),
        flip_to(5, True, serial=5, gained=2, index=1),
        flip_to(6, True, serial=7, gained=0, index=1),
        flip_to(7, True, serial=6, gained=0, index=1),
    ])  # fmt: skip
    assert taken(order) == [5, 4, 3, 6, 7, 1, 2]


def test_generational_sees_what_was_covered_since_a_flip_was_added() -> None:
    order = Generational()
    order.add(flips(1, 2, 3))
    order.covered([an_edge(1)], 1)
    assert taken(order) == [2, 3, 1]
    assert order.take() is None


def test_the_last_flip_of_generational_is_taken_though_it_was_covered() -> None:
    order = Generational()
    order.add(flips(1))
    order.covered([an_edge(1)], 1)
    assert taken(order) == [1]


def test_generational_keeps_what_other_runs_have_seen() -> None:
    order = Generational()
    order.covered([an_edge(1)], 1)
    order.covered([an_edge(2)], 1)
    order.add(flips(1, 2, 3))
    assert taken(order) == [3, 1, 2]


# -- smart paths ------------------------------------------------------------------------------------------


def test_smart_paths_takes_the_latest_flip_while_no_edge_has_had_its_share() -> None:
    order = SmartPaths()
    order.add(flips(1, 2, 3))
    assert taken(order) == [3, 2, 1]
    assert order.take() is None


def test_an_edge_that_has_had_its_share_waits() -> None:
    order = SmartPaths()
    loop = [flip_to(1, True, serial=serial) for serial in (10, 11, 12)]
    order.solved(loop[0], True)  # the edge is taken once, and that is the most so far
    order.add([*flips(2), *loop])
    assert taken(order) == [2, 12, 11, 10]  # the edges that waited come in the order in which they began to


def test_an_unsatisfiable_flip_costs_an_edge_nothing() -> None:
    order = SmartPaths()
    first = flip_to(1, True, serial=1)
    order.solved(first, False)
    order.add([*flips(2), first])
    assert taken(order) == [1, 2]


def test_the_share_grows_with_the_edge_that_was_taken_most() -> None:
    order = SmartPaths()
    one, two = flip_to(1, True, serial=1), flip_to(2, True, serial=2)
    order.solved(two, True)
    order.solved(two, True)
    order.solved(one, True)  # once; the most is two
    order.add([flip_to(3, True, serial=3), one, two])
    assert taken(order) == [1, 3, 2]
    order.solved(one, True)
    order.add([flip_to(3, True, serial=3), one])
    assert taken(order) == [3, 1]


def test_old_ground_is_given_up_after_ten_runs_without_anything_new() -> None:
    order = SmartPaths()
    order.covered([an_edge(1)], 1)
    for _ in range(10):
        order.covered([an_edge(1)], 0)
    order.add(flips(1))
    assert (order.dropped, taken(order)) == (0, [1])
    order.covered([an_edge(1)], 0)
    order.add(flips(1, 2, 1))
    assert (order.dropped, taken(order)) == (2, [2])  # the edge that nobody has seen is kept
    order.covered([an_edge(5)], 1)
    order.add(flips(1))
    assert (order.dropped, taken(order)) == (2, [1])


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "smart-paths"])
def test_other_strategies_give_nothing_up_and_learn_nothing_else(name: str) -> None:
    order = strategy(name)
    (first,) = flips(1)
    for _ in range(30):
        order.covered([an_edge(1)], 0)
        order.solved(first, True)
    order.add([first])
    assert (order.dropped, taken(order)) == (0, [1])


# -- by name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), [
    ("generational", Generational), ("dfs", DepthFirst), ("bfs", BreadthFirst), ("random", Random),
    ("smart-paths", SmartPaths), ("all-paths", DepthFirst),
])  # fmt: skip
def test_strategies_by_name(name: str, kind: type) -> None:
    assert type(strategy(name)) is kind
    assert name in STRATEGIES


def test_the_seed_reaches_the_random_strategy() -> None:
    by_name = [strategy("random", 3), strategy("random"), Random(3), Random(0)]
    for order in by_name:
        order.add(flips(*range(1, 9)))
    first, second, third, fourth = map(taken, by_name)
    assert (first, second) == (third, fourth)
    assert first != second


def test_a_strategy_that_does_not_exist_is_a_mistake_of_the_user() -> None:
    with pytest.raises(InputError) as caught:
        strategy("best")
    assert str(caught.value) == (
        "no strategy 'best'; there are generational, dfs, bfs, random, smart-paths, all-paths"
    )


def test_of_two_flips_generational_takes_the_one_that_is_still_uncovered() -> None:
    order = Generational()
    order.add(flips(1, 2))
    order.covered([an_edge(1)], 1)
    assert taken(order) == [2, 1]


def test_the_patience_of_smart_paths_begins_with_the_search() -> None:
    order = SmartPaths()
    for _ in range(10):
        order.covered([an_edge(1)], 0)
    order.add(flips(1))
    assert (order.dropped, taken(order)) == (0, [1])
