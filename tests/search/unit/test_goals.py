"""The goals: which edges they are, and how many edges lie between a decision and the nearest open one."""

from __future__ import annotations

import pytest
from fake_program import edge, goals_of, leaf

from ramify.errors import InputError
from ramify.runtime.search import Goals

NESTED = """
    def f(x):
        if x > 1:
            if x > 2:
                if x > 3:
                    return 3
        return 0
    """

LOOP = """
    def f(x):
        while x > 0:
            x -= 1
            if x == 7:
                return 1
        return 0
    """

CALLS = """
    def f(x):
        if x > 1:
            y = g(x)
        else:
            y = 0
        if y:
            return 1
        return 2

    def g(x):
        if x > 5:
            return h(x)
        return 0

    def h(x):
        if x > 7:
            return 1
        return 0

    def k(x):
        if x:
            return 1
    """

INNER = """
    class C:
        def f(self, x):
            def inner(y):
                if y:
                    return 1
                return 2
            return [inner(z) for z in x if z]

    def f(x):
        if x:
            return 1

    class f:
        if 3 > len("abc"):
            y = 1
    """


def distances(goals: Goals) -> list[int]:
    return [goals.distance([e.id]) for e in goals.table.edges]


# -- which edges they are ---------------------------------------------------------------------------------


def test_a_function_has_the_edges_of_what_stands_in_it() -> None:
    assert goals_of(INNER, "C.f").own == {0, 1, 2, 3, 4, 5}
    assert goals_of(INNER, "C.f.<locals>.inner").own == {0, 1}
    assert goals_of(INNER, "f").own == {6, 7}  # not those of the class of that name
    assert [e.id for e in goals_of(INNER, None).edges] == list(range(10))


def test_a_function_that_is_not_there_and_a_class_are_a_mistake_of_the_user() -> None:
    for name in ("nope", "C"):
        with pytest.raises(InputError) as caught:
            goals_of(INNER, name)
        assert str(caught.value) == f"/subject.py: the source has no function {name!r}"


def test_covering_gives_the_new_ones_of_the_target_in_their_order_and_keeps_those_of_others() -> None:
    goals = goals_of(CALLS)
    assert goals.cover([3, 0, 5]) == [0, 3]
    assert goals.covered == {0, 3, 5}
    assert goals.cover([0, 3, 5]) == []
    assert goals.cover([1, 0]) == [1]


def test_probes_of_statements_are_no_edges() -> None:
    goals = goals_of(NESTED)
    assert len(goals.table.edges) == 6
    assert goals.cover([5, 6, 7]) == [5]
    assert goals.covered == {5}


def test_what_is_missing_and_when_nothing_is() -> None:
    goals = goals_of(NESTED)
    assert [e.id for e in goals.missing()] == [0, 1, 2, 3, 4, 5]
    assert not goals.complete
    goals.cover([0, 1, 2, 3, 4])
    assert [e.id for e in goals.missing()] == [5]
    assert not goals.complete
    goals.cover([5])
    assert goals.missing() == []
    assert goals.complete


def test_dead_edges_are_no_goals_and_say_why() -> None:
    goals = goals_of("""
        def f(x):
            if x > 1:
                return 1
                if x:
                    return 2
            while True:
                x += 1
                assert x
            if x:
                return 3
            with x:
                pass
        """)
    assert goals.dead == {
        2: "it follows the return on line 3", 3: "it follows the return on line 3",
        6: "the loop on line 6 never ends", 7: "the loop on line 6 never ends",
        8: "no way leads there", 9: "no way leads there",
    }  # fmt: skip
    assert [e.id for e in goals.missing()] == [0, 1, 4, 5]
    assert [goals.is_open(e) for e in range(8)] == [True, True, False, False, True, True, False, False]
    goals.cover([0, 1, 4, 5])
    assert goals.complete
    assert distances(goals) == [1000] * 10


def test_a_dead_edge_without_a_reason_of_its_own_has_none_that_leads_there() -> None:
    goals = goals_of("def f(x):\n    with x:\n        return 1\n")
    assert goals.dead == {edge(goals, 2, "suppressed"): "no way leads there"}


def test_a_context_manager_that_suppresses_is_not_waited_for() -> None:
    goals = goals_of("def f(x):\n    with x:\n        x.y()\n    if x:\n        return 1\n")
    suppressed = edge(goals, 2, "suppressed")
    assert goals.unlikely == {suppressed}
    goals.cover(goals.own - {suppressed})
    assert [e.id for e in goals.missing()] == [suppressed]
    assert goals.is_open(suppressed)
    assert goals.complete


def test_what_is_open_and_what_is_a_detour() -> None:
    goals = goals_of(CALLS)
    assert [goals.is_open(e) for e in range(10)] == [True] * 4 + [False] * 6
    assert [goals.is_detour(e) for e in range(10)] == [True] * 8 + [False] * 2  # nobody calls `k`
    goals.cover([0, 4, 8])
    assert [goals.is_open(e) for e in (0, 1, 4)] == [False, True, False]
    assert [goals.is_detour(e) for e in (0, 4, 5, 8, 9)] == [False, False, True, False, False]


def test_the_edges_that_a_decision_takes() -> None:
    goals = goals_of(NESTED)
    place = leaf(goals, 3)
    assert goals.taken(place.span, True) == {2}
    assert goals.taken(place.span, False) == {3}
    assert goals.taken((3, 0, 3, 1), True) == frozenset()


def test_what_is_measured_are_leaves_with_an_outcome_to_cover() -> None:
    goals = goals_of(CALLS)
    assert goals.wanted() == {leaf(goals, line).span for line in (2, 6, 11, 16)}
    goals.cover([0, 1, 2, 4, 6, 7])
    assert goals.wanted() == {leaf(goals, 6).span, leaf(goals, 11).span}
    goals.cover([3, 5])
    assert goals.wanted() == frozenset()


def test_the_other_way_of_a_decision_is_unmeasured_if_it_is_open() -> None:
    goals = goals_of(NESTED)
    goals.cover([0, 2])
    one, two, three = (leaf(goals, line).span for line in (2, 3, 4))
    assert list(goals.unmeasured(frozenset({0, 2, 5}))) == [(one, False), (two, False), (three, True)]
    assert list(goals.unmeasured(frozenset({1, 3}))) == []
    assert list(goals.unmeasured(frozenset({4}))) == [(three, False)]
    assert list(goals.unmeasured(frozenset())) == []
    goals.cover([1, 3])
    assert list(goals.unmeasured(frozenset({0, 2, 5}))) == [(three, True)]


def test_the_surroundings_are_those_of_what_a_run_may_enter() -> None:
    source = """
        import os, sys

        def f(x):
            return g(x)

        def g(x):
            return os.getpid()

        def other(x):
            return sys.argv
        """
    assert goals_of(source, "f").surroundings == ("os",)
    assert goals_of(source, "other").surroundings == ("sys",)


# -- distances --------------------------------------------------------------------------------------------


def test_an_open_edge_is_no_way_away() -> None:
    assert distances(goals_of(NESTED)) == [0] * 6
    assert goals_of(NESTED).distance([]) == 1000


def test_each_test_on_the_way_is_one_further_away() -> None:
    goals = goals_of(NESTED)
    goals.cover([0, 1, 2, 3, 5])
    assert distances(goals) == [2, 1000, 1, 1000, 0, 1000]
    assert goals.distance([1, 0]) == 2
    assert goals.distance([0, 2]) == 1
    assert goals.distance([3, 77]) == 1000


def test_distances_follow_what_is_covered() -> None:
    goals = goals_of(NESTED)
    assert distances(goals)[4] == 0
    goals.cover([4])
    assert distances(goals)[4] == 1000
    goals.cover([0, 1, 2, 3])
    assert distances(goals) == [2, 1000, 1, 1000, 1000, 0]
    goals.cover([5])
    assert distances(goals) == [1000] * 6


@pytest.mark.parametrize(("tests", "edges"), [(49, 0), (50, 1), (99, 1), (100, 2)])
def test_distances_in_a_large_function_wait_until_one_edge_in_a_hundred_is_covered(tests: int, edges: int) -> None:
    goals = goals_of("def f(x):\n" + "".join(f"    if x == {n}:\n        x += 1\n" for n in range(tests)))
    assert goals.distance([3]) == 0
    goals.cover(range(4, 2 * tests))
    assert (goals.distance([4]), goals.distance([0]), goals.distance([2])) == (1000, 0, 0)
    for n in range(edges):
        goals.cover([n])
        assert goals.distance([n]) == 1  # as far as is known
        assert goals.before_open(2)
        assert goals.distance([3]) == 0
    goals.cover([2])
    # The first test has come to lie before the second, whose other outcome is still open.
    goals.cover([0, 1])
    assert (goals.distance([0]), goals.distance([2]), goals.before_open(2)) == (2, 1000, False)


def test_a_loop_leads_back() -> None:
    goals = goals_of(LOOP)
    goals.cover([0, 1, 3])
    assert distances(goals) == [1, 1000, 0, 2]
    goals.cover([2])
    assert distances(goals) == [1000] * 4


def test_the_shortest_of_several_ways_counts() -> None:
    goals = goals_of("""
        def f(x):
            if x > 1:
                x += 1
                if x > 2:
                    x += 2
                if x > 3:
                    x += 3
            if x > 9:
                return 1
        """)
    last = edge(goals, 8, "true")
    goals.cover(goals.own - {last})
    true = [goals.distance([edge(goals, line)]) for line in (2, 4, 6, 8)]
    false = [goals.distance([edge(goals, line, "false")]) for line in (2, 4, 6, 8)]
    assert (true, false) == ([3, 3, 2, 0], [1, 2, 1, 1000])


def test_an_edge_of_a_called_function_is_a_detour_until_it_is_covered() -> None:
    goals = goals_of(CALLS)
    assert distances(goals) == [0, 0, 0, 0, 3, 3, 3, 3, 1000, 1000]
    goals.cover([4])
    # From there the way leads to another detour: to the start of `h`, and to the test in it.
    assert distances(goals)[4:8] == [3 + 1 + 1 + 1, 3, 3, 3]


def test_what_a_function_has_to_do_counts_where_it_is_called() -> None:
    goals = goals_of(CALLS)
    goals.cover([0, 1, 2, 3])
    assert distances(goals) == [6, 1000, 1000, 1000, 3, 3, 3, 3, 1000, 1000]
    goals.cover([4, 5, 6])
    assert distances(goals) == [6 + 1 + 1 + 1, 1000, 1000, 1000, 6, 1000, 1000, 3, 1000, 1000]
    goals.cover([7])
    assert distances(goals) == [1000] * 10


def test_a_goal_near_by_is_preferred_to_a_detour_in_the_function_called_on_the_way() -> None:
    goals = goals_of(CALLS)
    goals.cover([0, 1, 3])
    assert distances(goals)[:4] == [2, 2, 0, 1000]


def test_a_goal_in_a_function_inside_the_target_counts_where_that_is_called() -> None:
    goals = goals_of("""
        def f(x):
            def inner(y):
                if y:
                    return 1
                return 2
            if x:
                return inner(x)
            return 3
        """)
    true, false = edge(goals, 6), edge(goals, 6, "false")
    inside = edge(goals, 3)
    goals.cover(goals.own - {inside})
    # the call, the entry of the function, and the way to its test
    assert (goals.distance([true]), goals.distance([false]), goals.distance([inside])) == (3, 1000, 0)


@pytest.mark.parametrize("tests", range(8))
def test_the_nearer_of_a_goal_behind_a_call_and_of_one_inside_it_counts(tests: int) -> None:
    before = "".join(f"{' ' * 4 * depth}if x > {depth}00:\n" for depth in (1, 2, 3, 4, 5))
    behind = "".join(f"{' ' * 24}if x > {n}:\n{' ' * 28}x += 1\n" for n in [*range(tests), 600])
    called = "def g(x):\n    if x:\n        return 1\n"
    goals = goals_of(f"def f(x):\n{before}{' ' * 24}y = g(x)\n{behind}{called}")
    goals.cover(goals.own - {edge(goals, 8 + 2 * tests)})
    inside = 3 + 1 + 1  # the test in `g`, its entry, the call
    nearest = min(tests, inside)
    assert [goals.distance([edge(goals, line)]) for line in (6, 5, 4, 3, 2)] == [
        nearest + n for n in (1, 2, 3, 4, 5)
    ]


def test_the_nearer_of_two_functions_called_in_a_row_counts() -> None:
    for calls in ("near(x) + far(x)", "far(x) + near(x)"):
        goals = goals_of(f"""
            def f(x):
                if x:
                    return {calls}
            def near(x):
                if x:
                    return 1
            def far(x):
                if x:
                    return near(x)
            """)
        goals.cover([*goals.own, edge(goals, 8), edge(goals, 8, "false")])
        assert goals.distance([edge(goals, 2)]) == 6


def test_an_open_test_is_nearer_than_what_it_calls() -> None:
    goals = goals_of("""
        def f(x):
            if x:
                if g(x):
                    return 1
        def g(x):
            if x:
                return 1
        """)
    goals.cover([0, 1, 3])
    assert goals.distance([0]) == 1


def test_a_way_in_a_finally_clause_counts_as_the_nearest_of_those_that_came_there() -> None:
    goals = goals_of("""
        def f(x):
            for y in x:
                try:
                    if y > 1:
                        continue
                finally:
                    if y > 5:
                        y = 3
                if y > 7:
                    y = 8
        """)
    goals.cover(goals.own - {edge(goals, 9)})
    assert goals.distance([edge(goals, 7)]) == 3
    assert goals.distance([edge(goals, 7, "false")]) == 2


def test_an_operand_that_decides_by_itself_is_no_end_of_the_way() -> None:
    goals = goals_of("""
        def f(x):
            if x > 1 or x > 2:
                return 1
            if x > 3:
                return 2
        """)
    test = [e.id for e in goals.edges if e.line == 2 and e.outcome == "false"]
    goals.cover(goals.own - {edge(goals, 4)})
    assert min(goals.distance([e]) for e in test) == 1
    assert max(goals.distance([e]) for e in test) == 2


@pytest.mark.parametrize("body", ["later = lambda: 1; g(x)", "g(x); later = lambda: 1", "x()(); g(x)"])
def test_calls_are_found_beside_functions_inside_and_calls_of_anything(body: str) -> None:
    goals = goals_of(f"def f(x):\n    if x:\n        {body}\ndef g(x):\n    if x:\n        return 1\n")
    goals.cover(goals.own)
    assert goals.distance([0]) == 6


def test_methods_are_called_by_their_name_whatever_the_object() -> None:
    goals = goals_of("""
        class C:
            def run(self):
                if self:
                    return 1
        def f(x):
            if x:
                x.run()
            if x:
                unknown(x)
        """)
    goals.cover(goals.own)
    assert goals.distance([edge(goals, 6)]) == 6
    assert goals.distance([edge(goals, 8)]) == 1000


def test_a_call_counts_in_the_function_it_stands_in() -> None:
    goals = goals_of("""
        def f(x):
            if x:
                later = lambda: g(x)
            class C:
                y = g(x)
        def g(x):
            if x:
                return 1
        """)
    assert goals.is_detour(edge(goals, 7))
    goals.cover(goals.own)
    assert goals.distance([edge(goals, 2)]) == 1000


@pytest.mark.parametrize(("deep", "distance"), [(5, 14), (6, 1000)])
def test_calls_of_calls_are_followed_five_deep(deep: int, distance: int) -> None:
    source = "def f(x):\n    if x:\n        c1(x)\n"
    for n in range(1, deep):
        source += f"def c{n}(x):\n    return c{n + 1}(x)\n"
    source += f"def c{deep}(x):\n    if x:\n        return 1\n"
    goals = goals_of(source)
    goals.cover([0, 1])
    assert goals.distance([0]) == distance


def test_functions_that_call_each_other_have_distances() -> None:
    goals = goals_of("""
        def f(x):
            if x > 1:
                return g(x)
            if x > 2:
                return 1
        def g(x):
            if x > 3:
                return f(x)
        """)
    true = edge(goals, 4)
    goals.cover([e.id for e in goals.table.edges if e.id != true])
    assert goals.distance([edge(goals, 4)]) == 0
    assert goals.distance([edge(goals, 2, "false")]) == 1
    assert goals.distance([edge(goals, 7)]) == 4  # back into `f`: its entry, two tests
    assert goals.distance([edge(goals, 2)]) == 7


@pytest.mark.parametrize(("line", "before"), [(1, False), (2, True), (3, True), (4, False), (5, True), (6, False)])
def test_what_stands_in_the_block_of_an_open_test_is_before_it(line: int, before: bool) -> None:
    goals = goals_of("""
        def f(x):
            y = x[0]
            if y:
                y = x[1]
            z = int(y) if x else 0
            return z
        """)
    goals.cover([0])
    assert goals.before_open(line) is before


def test_what_stood_before_an_open_test_does_no_longer_when_it_is_covered() -> None:
    goals = goals_of(NESTED)
    assert [line for line in range(9) if goals.before_open(line)] == [2, 3, 4]
    goals.cover([0, 1, 2, 3, 5])
    assert [line for line in range(9) if goals.before_open(line)] == [4]
    goals.cover([4])
    assert [line for line in range(9) if goals.before_open(line)] == []


def test_an_open_block_of_a_function_that_is_called_is_none() -> None:
    goals = goals_of(CALLS)
    assert [line for line in range(20) if goals.before_open(line)] == [2, 6]


# -- what stands before an edge ---------------------------------------------------------------------------


def test_the_obstacle_is_the_first_edge_on_the_way_that_nobody_took() -> None:
    goals = goals_of(NESTED)
    goals.cover([1])
    assert [goals.obstacle(e).id for e in (2, 3, 4, 5)] == [0, 0, 0, 0]
    goals.cover([0])
    assert [goals.obstacle(e).id for e in (4, 5)] == [2, 2]
    goals.cover([2])
    assert [goals.obstacle(e) for e in (4, 5)] == [None, None]


def test_the_way_with_the_fewest_obstacles_is_taken() -> None:
    goals = goals_of("""
        def f(x):
            if x > 1:
                if x > 2:
                    x = 5
                else:
                    return 1
            elif x > 3:
                x = 6
            else:
                return 2
            if x > 4:
                return 3
        """)
    last = edge(goals, 11)
    goals.cover([edge(goals, 2)])
    assert goals.obstacle(last).id == edge(goals, 3)  # in the other way stand two
    goals.covered.clear()
    goals.cover([edge(goals, 2, "false")])
    assert goals.obstacle(last).id == edge(goals, 7)
    goals.cover([edge(goals, 7)])
    assert goals.obstacle(last) is None


def test_the_way_round_a_loop_is_no_obstacle() -> None:
    goals = goals_of(LOOP)
    goals.cover([1])
    assert goals.obstacle(2).id == 0
    goals.cover([0])
    assert goals.obstacle(2) is None


def test_a_loop_that_was_taken_in_all_its_ways_is_no_obstacle() -> None:
    goals = goals_of("""
        def f(x):
            while x > 0:
                if x == 7:
                    x -= 2
                x -= 1
            if x > 5:
                if x > 6:
                    return 1
        """)
    goals.cover([0, 1, 2, 3])
    assert goals.obstacle(edge(goals, 7)).id == edge(goals, 6)


def test_of_the_ways_into_a_finally_clause_the_one_with_the_fewest_obstacles_counts() -> None:
    goals = goals_of("""
        def f(x):
            try:
                try:
                    x()
                except KeyError:
                    return 3
            finally:
                if x:
                    x = 3
        """)
    assert goals.obstacle(edge(goals, 8)) is None  # any other exception comes there


def test_dead_edges_have_no_obstacle() -> None:
    goals = goals_of("def f(x):\n    return 1\n    if x:\n        return 2\n")
    assert goals.obstacle(0) is None
    assert goals_of("def f(x):\n    if x:\n        return 2\n").obstacle(0) is None
