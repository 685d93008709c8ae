"""The path tree: what is new on a path, and which of its decisions are worth reversing."""

from __future__ import annotations

from fake_program import FakeSolver, above, on, site_at

from ramify.runtime.programs import Execution
from ramify.runtime.recording import Decision, Phase
from ramify.runtime.search import Summary
from ramify.runtime.search.tree import PathTree


def ran(*steps: Decision) -> Execution:
    return Execution({}, list(steps))


def step(line: int, outcome: bool = True, phase: Phase = Phase.BODY, number: int | None = None) -> Decision:
    return Decision(site_at(on(line)), outcome, above(line if number is None else number), phase)


class Grown:
    """A tree and what it counted."""

    def __init__(self, depth: int | None = None) -> None:
        self.solver = FakeSolver()
        self.summary = Summary(self.solver.stats)
        self.tree = PathTree(self.solver, self.summary, depth)

    def flips(self, execution: Execution, bound: int = 0, origin: object = None) -> list[tuple[int, int]] | None:
        found = self.tree.grow(execution, bound, origin)
        return None if found is None else [(flip.index, flip.serial) for flip in found]


def test_every_decision_of_a_new_path_can_be_reversed() -> None:
    grown = Grown()
    execution = ran(step(1), step(2, False), step(3))
    found = grown.tree.grow(execution, 0, None)
    assert [(c.parent, c.index, c.serial, c.gained) for c in found] == [
        (execution, 0, 1, 0), (execution, 1, 2, 0), (execution, 2, 3, 0),
    ]  # fmt: skip
    assert all(len(c.nodes) == 3 for c in found)


def test_a_path_is_taken_up_once() -> None:
    grown = Grown()
    assert grown.flips(ran(step(1))) == [(0, 1)]
    assert grown.flips(ran(step(1))) is None
    assert grown.flips(ran(step(1, False))) == [(0, 2)]
    assert grown.flips(ran(step(1, number=7))) == [(0, 3)]  # the same outcome of another condition
    assert grown.flips(ran()) == []
    assert grown.flips(ran()) is None


def test_decisions_before_the_bound_were_reversed_before() -> None:
    grown = Grown()
    assert grown.flips(ran(step(1), step(2), step(3)), 1) == [(1, 1), (2, 2)]


def test_what_a_path_has_decided_before_is_not_asked_again_and_counts_as_answered() -> None:
    grown = Grown()
    assert grown.flips(ran(step(1), step(1), step(2), step(3, number=1))) == [(0, 1), (2, 2)]
    assert grown.solver.stats.queries == {"sat": 0, "unsat": 2, "unknown": 0}
    assert grown.solver.stats.cache_hits == {"unsat_subset": 2}


def test_only_what_would_have_been_asked_counts_as_answered() -> None:
    grown = Grown()
    assert grown.flips(ran(step(1), step(1), step(1), step(2)), 2) == [(3, 1)]
    assert grown.solver.stats.queries["unsat"] == 1
    assert grown.solver.stats.cache_hits["unsat_subset"] == 1


def test_a_precondition_that_held_is_not_reversed_and_one_that_failed_is() -> None:
    grown = Grown()
    held, failed = step(1, True, Phase.ASSUMED), step(2, False, Phase.ASSUMED)
    assert grown.flips(ran(held, failed, step(3))) == [(1, 1), (2, 2)]
    assert grown.flips(ran(step(4, False, Phase.ASSUME), step(4, True, Phase.ASSUMED, 5), step(5))) == [
        (0, 3),
        (2, 4),
    ]


def test_a_precondition_that_held_does_not_speak_for_the_body() -> None:
    assert Grown().flips(ran(step(1, True, Phase.ASSUMED), step(1))) == [(1, 1)]


def test_a_limit_of_depth_prunes_what_is_deeper() -> None:
    grown = Grown(depth=2)
    assert grown.flips(ran(step(1), step(2), step(3), step(4))) == [(0, 1), (1, 2)]
    assert grown.summary.pruned == 1
    assert grown.flips(ran(step(5), step(6))) == [(0, 3), (1, 4)]
    assert grown.summary.pruned == 1


def test_only_decisions_of_the_body_are_deep() -> None:
    grown = Grown(depth=1)
    build, assume = step(1, phase=Phase.BUILD), step(2, phase=Phase.ASSUME)
    assert grown.flips(ran(build, assume, step(3), step(4, phase=Phase.ENSURE))) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
    ]
    assert grown.summary.pruned == 0
    assert grown.flips(ran(step(3, False), step(3, False), step(5, phase=Phase.ENSURE))) == [(0, 5), (2, 6)]
    assert grown.summary.pruned == 0


def test_decisions_before_the_bound_are_deep_too() -> None:
    grown = Grown(depth=2)
    assert grown.flips(ran(step(1), step(2), step(3)), 2) == []
    assert grown.summary.pruned == 1


def test_the_deepest_path_is_the_one_with_most_free_decisions() -> None:
    grown = Grown()
    assert grown.tree.deepest == 0
    first, second, third = grown.tree.grow(ran(step(1), step(2), step(3)), 0, None)
    assert grown.tree.deepest == 0
    for flip in (first, second):
        flip.nodes[flip.index].free = True
    assert grown.tree.deepest == 2
    # Another path shares the tree up to the flip: its first decision is the same, the rest is its own.
    grown.tree.grow(ran(step(1), step(2, False), step(4)), 2, second)
    assert grown.tree.deepest == 2
    third.nodes[third.index].free = True
    assert grown.tree.deepest == 3


def test_a_path_shares_the_nodes_before_the_bound_with_the_one_it_came_from() -> None:
    grown = Grown()
    origin = grown.tree.grow(ran(step(1), step(2)), 0, None)[1]
    origin.nodes[0].free = origin.nodes[1].free = True
    shared = grown.tree.grow(ran(step(1), step(2, False), step(3), step(4)), 2, origin)
    assert [node.free for node in shared[0].nodes] == [True, True, False, False]
    assert shared[0].nodes[:2] == origin.nodes[:2]
    fresh = grown.tree.grow(ran(step(1), step(9, False), step(3)), 0, origin)  # it went another way
    assert [node.free for node in fresh[0].nodes] == [False, False, False]


def test_only_decisions_of_the_body_count_as_depth() -> None:
    grown = Grown()
    flips = grown.tree.grow(ran(step(1, phase=Phase.BUILD), step(2), step(3, phase=Phase.ENSURE)), 0, None)
    for flip in flips:
        flip.nodes[flip.index].free = True
    assert grown.tree.deepest == 1


def test_every_path_that_was_pruned_counts() -> None:
    grown = Grown(depth=0)
    assert grown.flips(ran(step(1))) == []
    assert grown.flips(ran(step(2))) == []
    assert grown.summary.pruned == 2
