"""The tactics: when each of them wants its turn, and what it does with it."""

from __future__ import annotations

from typing import Any

import pytest
from fake_program import (
    FakeProgram,
    FakeSolver,
    Row,
    above,
    bench_of,
    equals,
    finished_bench,
    flip_to,
    goals_of,
    leaf,
    on,
    site_at,
    table_of,
)

from ramify.cfg.leaves import Leaf
from ramify.runtime.programs import UNMEASURED, Ascent, Climb, Execution
from ramify.runtime.recording import Decision
from ramify.runtime.search import Ambition, Candidate, Goals, Limits
from ramify.runtime.search.bench import Bench, Tally
from ramify.runtime.search.ledger import Aim
from ramify.runtime.search.tactics import Urgency, tactics_of
from ramify.runtime.search.tactics.cheap_runs import CheapRuns
from ramify.runtime.search.tactics.climbs import Climbs
from ramify.runtime.search.tactics.flips import Breaking, Flips
from ramify.runtime.search.tactics.last_look import LastLook
from ramify.runtime.search.tactics.perseverance import Perseverance

SOURCE = """
    def f(x):
        if x > 3:
            return g(x)
        if x == 1:
            return 2
        return 3

    def g(x):
        if x > 7:
            return 1

    def unrelated(x):
        if x:
            return 1
    """
BIG, SMALL, ONE, NOT_ONE, G_TRUE, G_FALSE = range(6)
ELSEWHERE = Leaf((1, 0, 1, 5), "/other.py")


def goals() -> Goals:
    return goals_of(SOURCE)


FIRST, SECOND, IN_G, UNRELATED = (leaf(goals(), line) for line in (2, 4, 9, 13))


def path(x: int) -> list[tuple[int, Any]]:
    return [(2, above(3)), (9, above(7))] if x > 3 else [(2, above(3)), (4, equals(1))]


def table() -> dict[int, Row]:
    return table_of(goals(), range(-5, 12), path)


def note(bench: Bench, aim: Aim, distance: float, x: int = 0, rounds: int = 0) -> None:
    """An input that came so near to an outcome, and climbs towards it since."""
    near = bench.ledger.near(aim)
    near.note({"x": x}, distance)
    near.rounds = rounds


def waiting(bench: Bench, *candidates: Candidate) -> None:
    bench.frontier.add(candidates or [flip_to(2, True)])


def climbs_of(bench: Bench) -> Climbs:
    return Climbs(bench, CheapRuns(bench))


def bursts(bench: Bench) -> list[range]:
    return bench.program.asked("burst")  # type: ignore[attr-defined]


def ascents(bench: Bench) -> list[Ascent]:
    return bench.program.asked("climb")  # type: ignore[attr-defined]


def test_the_tactics_of_a_search_share_those_that_are_part_of_others() -> None:
    bench = bench_of(goals())
    tactics = tactics_of(bench)
    assert [type(tactic) for tactic in tactics] == [CheapRuns, Climbs, Flips, Breaking, Perseverance, LastLook]
    note(bench, (FIRST, True), UNMEASURED)
    list(tactics[0].turn())
    for tactic in tactics[4:]:
        list(tactic.turn())
    bench.tally.searches = 1
    list(tactics[1].turn())  # the second climb towards what has no distance
    assert [(seeds.start, len(seeds)) for seeds in bursts(bench)] == [(1, 10), (11, 300), (311, 300), (611, 300)]


def test_flips_of_either_kind_tell_the_climbs_how_long_they_took() -> None:
    solver = FakeSolver(steps=190_000)  # 95 ms, and 2.5 for the question
    solver.helpless = dict.fromkeys([above(88), above(99)], "too hard")
    bench = bench_of(goals(), solver=solver)
    _, climbs, flips, breaking, *_ = tactics_of(bench)
    note(bench, (SECOND, True), 3.0)
    waiting(bench, flip_to(88, True), flip_to(99, True, serial=2), flip_to(101, True, serial=3))
    list(flips.turn())
    climbs.waited(0.01)
    assert climbs.urgency() is None
    list(breaking.turn())
    assert climbs.urgency() is Urgency.OVERDUE


# -- cheap runs -------------------------------------------------------------------------------------------


def test_cheap_runs_open_a_search() -> None:
    bench = bench_of(goals())
    tactic = CheapRuns(bench)
    assert tactic.urgency() is Urgency.OPENING
    assert tactic.urgency() is Urgency.OPENING
    assert list(tactic.turn()) == []
    assert tactic.urgency() is None


def test_cheap_runs_do_not_open_what_is_covered_or_does_without() -> None:
    assert CheapRuns(finished_bench(goals())).urgency() is None
    assert CheapRuns(bench_of(goals(), ambition=Ambition(burst=0))).urgency() is None
    assert CheapRuns(bench_of(goals(), ambition=Ambition(burst=1))).urgency() is Urgency.OPENING


def test_each_burst_is_twice_as_large_as_the_one_before_until_all_are_drawn() -> None:
    bench = bench_of(goals())
    tactic = CheapRuns(bench)
    while True:
        bench.ledger.idle = 6
        if tactic.urgency() is None:
            break
        list(tactic.turn())
    assert [len(seeds) for seeds in bursts(bench)] == [10, 20, 40, 80, 150]
    assert bursts(bench)[-1] == range(151, 301)


def test_a_burst_that_found_something_is_followed_by_the_next() -> None:
    bench = bench_of(goals(), table())
    tactic = CheapRuns(bench)
    bench.program.bursts = [[9], [], [1]]  # type: ignore[attr-defined]
    list(tactic.turn())
    assert tactic.urgency() is Urgency.OPENING
    waiting(bench)
    list(tactic.turn())
    assert tactic.urgency() is None
    list(tactic.turn())
    assert tactic.urgency() is Urgency.OPENING


@pytest.mark.parametrize(("idle", "urgency"), [(5, None), (6, Urgency.OVERDUE), (7, Urgency.OVERDUE)])
def test_a_burst_comes_in_between_after_six_flips_in_vain(idle: int, urgency: Urgency | None) -> None:
    bench = bench_of(goals())
    waiting(bench)
    tactic = CheapRuns(bench)
    list(tactic.turn())
    bench.ledger.idle = idle
    assert tactic.urgency() is urgency
    list(tactic.turn())
    assert bench.ledger.idle == 0


def test_a_burst_is_what_there_is_to_do_when_no_flip_is_left_unless_all_is_proven() -> None:
    bench = bench_of(goals())
    tactic = CheapRuns(bench)
    list(tactic.turn())
    assert tactic.urgency() is None
    bench.summary.unknown = 1
    assert tactic.urgency() is Urgency.SPARE
    waiting(bench)
    assert tactic.urgency() is None


def test_where_a_run_costs_much_an_opening_burst_has_fewer() -> None:
    bench = bench_of(goals(), program=FakeProgram(setup=0.0978))
    list(CheapRuns(bench).turn())
    assert bursts(bench) == [range(1, 6)]


def test_the_runs_that_others_drew_are_not_drawn_again() -> None:
    bench = bench_of(goals(), ambition=Ambition(burst=25))
    tactic = CheapRuns(bench)
    list(tactic.turn())
    list(tactic.draw())
    assert bursts(bench) == [range(1, 11), range(11, 36)]
    bench.ledger.idle = 6
    assert tactic.urgency() is None


def test_the_last_burst_is_as_large_as_what_is_left() -> None:
    bench = bench_of(goals(), ambition=Ambition(burst=11))
    tactic = CheapRuns(bench)
    list(tactic.turn())
    bench.ledger.idle = 6
    assert tactic.urgency() is Urgency.OVERDUE
    list(tactic.turn())
    assert bursts(bench) == [range(1, 11), range(11, 12)]
    bench.ledger.idle = 6
    assert tactic.urgency() is None


def test_a_burst_is_told_what_is_known_and_wanted_and_what_time_is_left() -> None:
    bench = bench_of(goals(), left=1.5)
    bench.goals.cover([BIG, SMALL])
    list(CheapRuns(bench).draw())
    wanted = frozenset({SECOND.span, IN_G.span})
    assert bench.program.calls == [("burst", range(1, 301), bench.ledger.known, wanted, 1.5)]


def test_no_two_bursts_are_alike() -> None:
    bench = bench_of(goals(), ambition=Ambition(burst=7))
    tactic = CheapRuns(bench)
    for _ in range(3):
        list(tactic.draw())
    assert bursts(bench) == [range(1, 8), range(8, 15), range(15, 22)]


@pytest.mark.parametrize(("setup", "seconds", "runs"), [
    (0.0, None, 300), (0.0478, None, 10), (0.0478, 1.5, 31), (0.0478, 0.1, 2), (9.0, None, 1),
])  # fmt: skip
def test_where_a_run_costs_much_fewer_of_them_are_cheap(setup: float, seconds: float | None, runs: int) -> None:
    bench = bench_of(goals(), program=FakeProgram(setup=setup))
    tactic = CheapRuns(bench)
    list(tactic.draw() if seconds is None else tactic.draw(seconds))
    assert bursts(bench) == [range(1, runs + 1)]


def test_no_burst_is_drawn_by_who_does_without() -> None:
    bench = bench_of(goals(), ambition=Ambition(burst=0))
    assert list(CheapRuns(bench).draw()) == []
    assert bench.program.calls == []


def test_what_a_burst_costs_and_what_it_finds_goes_into_the_books() -> None:
    program = FakeProgram(table())
    program.bursts = [[9, 2]]
    program.burst_ticks = 5000
    program.plainer = {9: 4}
    bench = bench_of(goals(), program=program)
    bench.program.run = lambda assignment, **_: Execution(dict(assignment))  # type: ignore[method-assign]
    found = list(CheapRuns(bench).draw())
    assert [p.execution.assignment["x"] for p in found] == [4, 2]
    assert bench.tally == Tally(cheap_runs=300, cheap_covered=4)
    # 300 runs of the burst; for each input one before it is made plainer, one after; two on concolic values
    assert bench.effort.spent == pytest.approx(300 * 0.0002 + 5000 * 2e-7 + 4 * 0.0002 + 2 * 0.0006)
    assert bench.summary.runs == 2
    list(CheapRuns(bench).draw())
    assert bench.tally == Tally(cheap_runs=600, cheap_covered=4)


def test_runs_of_bursts_are_in_vain_until_they_find_something() -> None:
    bench = bench_of(goals(), table())
    list(CheapRuns(bench).draw())
    list(CheapRuns(bench).draw())
    assert bench.ledger.vain == 600
    bench.program.bursts = [[9]]  # type: ignore[attr-defined]
    list(CheapRuns(bench).draw())
    assert bench.ledger.vain == 0


# -- climbs: when -----------------------------------------------------------------------------------------


def test_a_climb_comes_in_between_after_six_flips_in_vain() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    waiting(bench)
    note(bench, (FIRST, True), 3.0)
    for idle, urgency in ((0, None), (5, None), (6, Urgency.OVERDUE), (7, Urgency.OVERDUE)):
        bench.ledger.idle = idle
        assert climbs.urgency() is urgency


def test_a_climb_comes_in_between_after_twice_the_time_of_the_last_one_and_a_fifth_of_a_second_at_least() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    waiting(bench)
    note(bench, (FIRST, True), 3.0)
    climbs.waited(0.1)
    assert climbs.urgency() is None
    climbs.waited(0.1)
    assert climbs.urgency() is None
    climbs.waited(0.001)
    assert climbs.urgency() is Urgency.OVERDUE


@pytest.mark.parametrize(("ticks", "patience"), [(0, 0.2), (100_000, 0.2), (2_000_000, 0.86)])
def test_a_long_climb_gives_the_flips_more_time(ticks: int, patience: float) -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    waiting(bench)
    note(bench, (FIRST, True), 3.0)
    bench.program.climbs = [Climb(150, ticks, best={"x": 0}, distance=3.0)]  # type: ignore[attr-defined]
    bench.effort.spent = 7.0
    list(climbs.turn())
    climbs.waited(patience - 1e-6)
    assert climbs.urgency() is None
    climbs.waited(2e-6)
    assert climbs.urgency() is Urgency.OVERDUE


def test_a_climb_begins_both_waits_anew() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    waiting(bench)
    note(bench, (FIRST, True), 3.0)
    bench.ledger.idle = 6
    climbs.waited(7.0)
    list(climbs.turn())
    assert bench.ledger.idle == 0
    assert climbs.urgency() is None


def test_a_climb_is_what_there_is_to_do_when_no_flip_is_left_unless_all_is_proven() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), 3.0)
    assert climbs.urgency() is None
    bench.summary.unknown = 1
    assert climbs.urgency() is Urgency.SPARE
    waiting(bench)
    assert climbs.urgency() is None


def test_no_climb_without_an_outcome_to_climb_to() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    bench.ledger.idle, bench.summary.unknown = 6, 1
    assert climbs.urgency() is None
    assert climbs.best() is None
    assert list(climbs.turn()) == []
    assert bench.program.calls == []


def test_no_climb_if_it_was_not_asked_for_or_everything_is_covered() -> None:
    bench = bench_of(goals(), ambition=Ambition(search=False))
    note(bench, (FIRST, True), 3.0)
    bench.ledger.idle = 6
    assert climbs_of(bench).urgency() is None
    content = finished_bench(goals())
    note(content, (IN_G, True), 3.0)
    content.ledger.idle = 6
    assert climbs_of(content).urgency() is None
    content.ambition = Ambition(all_paths=True)
    assert climbs_of(content).urgency() is Urgency.OVERDUE


# -- climbs: where to -------------------------------------------------------------------------------------


def test_of_two_goals_the_nearer_one_comes_first() -> None:
    bench = bench_of(goals())
    note(bench, (FIRST, True), 3.0)
    note(bench, (SECOND, True), 2.5)
    assert climbs_of(bench).best() == (SECOND, True)


def test_of_equally_near_goals_the_first_one_comes_first() -> None:
    bench = bench_of(goals())
    note(bench, (SECOND, True), 3.0)
    note(bench, (FIRST, True), 3.0)
    assert climbs_of(bench).best() == (SECOND, True)


def test_a_goal_that_was_climbed_to_less_comes_before_a_nearer_one() -> None:
    bench = bench_of(goals())
    note(bench, (FIRST, True), 1.0, rounds=1)
    note(bench, (SECOND, True), 99.0)
    assert climbs_of(bench).best() == (SECOND, True)


@pytest.mark.parametrize(("aim", "climbs_before"), [((IN_G, True), 1), ((ELSEWHERE, True), 2)])
def test_how_many_climbs_to_a_goal_come_before_one_to_what_lies_beside(aim: Aim, climbs_before: int) -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, aim, 0.5)
    note(bench, (FIRST, True), 9.0)
    before = 0
    while climbs.best() == (FIRST, True):
        bench.ledger.near((FIRST, True)).rounds += 1
        before += 1
    # With as many as that, the two are alike, and the fewer rounds of the other decide.
    assert before == climbs_before
    assert climbs.best() == aim


def test_a_goal_that_was_covered_meanwhile_and_what_leads_to_none_are_not_climbed_to() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), 3.0)
    note(bench, (UNRELATED, True), 0.5)
    note(bench, (on(77), True), 0.5)
    assert climbs.best() == (FIRST, True)
    bench.goals.cover([BIG])
    assert climbs.best() is None


def test_an_outcome_that_was_reached_is_not_climbed_to() -> None:
    bench = bench_of(goals())
    note(bench, (FIRST, True), 0.0)
    assert climbs_of(bench).best() is None
    note(bench, (SECOND, True), 1e-9)
    assert climbs_of(bench).best() == (SECOND, True)


@pytest.mark.parametrize(("rounds", "given_up"), [(0, False), (11, False), (12, True), (13, True)])
def test_an_outcome_is_given_up_after_twelve_climbs(rounds: int, given_up: bool) -> None:
    bench = bench_of(goals())
    note(bench, (FIRST, True), 3.0, rounds=rounds)
    assert (climbs_of(bench).best() is None) is given_up


def test_twelve_climbs_are_made_and_then_none() -> None:
    bench = bench_of(goals())
    bench.summary.unknown = 1
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), 3.0)
    made = 0
    while climbs.urgency() is not None:
        list(climbs.turn())
        made += 1
    assert made == 12
    assert [ascent.seed for ascent in ascents(bench)] == list(range(1, 13))


# -- climbs: how ------------------------------------------------------------------------------------------


def test_a_climb_starts_at_the_nearest_input_and_knows_how_the_test_is_reached() -> None:
    bench = bench_of(goals(), left=1.5)
    note(bench, (FIRST, True), 3.0, x=2)
    list(climbs_of(bench).turn())
    (call,) = bench.program.calls  # type: ignore[attr-defined]
    assert call == ("climb", Ascent({"x": 2}, FIRST, True, 150, 1, frozenset({SMALL})), bench.ledger.known, 1.5)
    assert call[1].start is not bench.ledger.near((FIRST, True)).start()


def test_a_test_of_another_file_is_none_of_ours_even_where_it_stands_in_the_same_place() -> None:
    bench = bench_of(goals())
    there = Leaf(FIRST.span, "/other.py")
    note(bench, (there, True), 3.0)
    note(bench, (SECOND, True), 9.0, rounds=1)
    assert climbs_of(bench).best() == (SECOND, True)
    bench.goals.cover([ONE])
    list(climbs_of(bench).turn())
    assert ascents(bench) == [Ascent({"x": 0}, there, True, 150, 1, frozenset())]


def test_a_climb_to_a_test_of_another_file_knows_no_edges() -> None:
    bench = bench_of(goals())
    note(bench, (ELSEWHERE, False), 3.0)
    list(climbs_of(bench).turn())
    assert ascents(bench) == [Ascent({"x": 0}, ELSEWHERE, False, 150, 1, frozenset())]


@pytest.mark.parametrize(("setup", "tries"), [(0.0, 150), (0.0198, 50), (0.0478, 20), (9.0, 1)])
def test_where_a_run_costs_much_a_climb_has_fewer(setup: float, tries: int) -> None:
    bench = bench_of(goals(), program=FakeProgram(setup=setup * 1.0001))
    note(bench, (FIRST, True), 3.0)
    list(climbs_of(bench).turn())
    assert abs(ascents(bench)[0].tries - tries) <= (setup == 0.0198)


def test_what_a_climb_costs_and_what_it_finds_goes_into_the_books() -> None:
    program = FakeProgram(table())
    bench = bench_of(goals(), program=program)
    bench.goals.cover([SMALL])
    note(bench, (FIRST, True), 3.0)
    program.climbs = [Climb(40, 5000, [table()[9].execution(9)], {"x": 9}, 0.0)]
    program.plainer = {9: 4}
    found = list(climbs_of(bench).turn())
    assert [p.execution.assignment["x"] for p in found] == [4]
    assert bench.tally == Tally(searches=1, runs=40, covered=2)
    assert bench.ledger.nearest[FIRST, True].distance == 0.0
    assert bench.ledger.vain == 0
    assert bench.effort.spent == pytest.approx(40 * 0.0002 + 5000 * 2e-7 + 2 * 0.0002 + 0.0006 + 2 * 5e-6)
    program.climbs = [Climb(30, 0, [], {"x": 2}, 1.5)]
    note(bench, (SECOND, True), 2.0)
    list(climbs_of(bench).turn())
    assert bench.tally == Tally(searches=2, runs=70, covered=2)
    assert bench.ledger.vain == 30
    assert bench.ledger.nearest[SECOND, True].distance == 1.5


def test_a_climb_away_from_an_outcome_comes_by_the_other_one() -> None:
    bench = bench_of(goals())
    note(bench, (FIRST, False), 3.0)
    list(climbs_of(bench).turn())
    assert ascents(bench)[0].reached == {BIG}


def test_runs_of_climbs_in_vain_add_up_and_their_nearest_input_is_the_next_start() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), 3.0)
    bench.program.climbs = [Climb(30, best={"x": 3}, distance=1.5), Climb(40, best={"x": 2}, distance=2.5)]  # type: ignore[attr-defined]
    list(climbs.turn())
    list(climbs.turn())
    assert bench.ledger.vain == 70
    assert ascents(bench)[1].start == {"x": 3}


def test_a_climb_that_came_nearer_begins_the_count_anew() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), 3.0)
    list(climbs.turn())
    assert bench.ledger.near((FIRST, True)).rounds == 1
    bench.program.climbs = [Climb(150, best={"x": 3}, distance=1.5)]  # type: ignore[attr-defined]
    list(climbs.turn())
    near = bench.ledger.near((FIRST, True))
    assert (near.rounds, near.distance) == (0, 1.5)


@pytest.mark.parametrize(("distance", "every"), [(3.0, 5), (UNMEASURED, 2)])
def test_other_inputs_are_drawn_after_every_few_climbs(distance: float, every: int) -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    note(bench, (FIRST, True), distance)
    kinds = []
    for _ in range(10):
        list(climbs.turn())
    kinds = [call[0] for call in bench.program.calls]  # type: ignore[attr-defined]
    assert kinds == [*(["climb"] * every), "burst"] * (10 // every)


def test_no_other_inputs_are_drawn_when_everything_is_covered() -> None:
    bench = bench_of(goals(), table())
    bench.tally.searches = 4
    bench.goals.cover([SMALL, ONE, NOT_ONE])
    note(bench, (FIRST, True), 3.0)
    bench.program.climbs = [Climb(40, 0, [table()[9].execution(9)], {"x": 9}, 0.0)]  # type: ignore[attr-defined]
    list(climbs_of(bench).turn())
    assert bench.goals.complete
    assert bursts(bench) == []


# -- flips ------------------------------------------------------------------------------------------------


def flips_of(bench: Bench) -> tuple[Flips, Climbs]:
    climbs = climbs_of(bench)
    return Flips(bench, climbs), climbs


def test_a_flip_is_what_is_usually_done_while_any_waits() -> None:
    bench = bench_of(goals())
    flips, _ = flips_of(bench)
    assert flips.urgency() is None
    waiting(bench)
    assert flips.urgency() is Urgency.USUAL


def test_no_flips_when_everything_is_covered_unless_all_paths_are_asked_for() -> None:
    bench = finished_bench(goals())
    waiting(bench)
    assert flips_of(bench)[0].urgency() is None
    bench.ambition = Ambition(all_paths=True)
    assert flips_of(bench)[0].urgency() is Urgency.USUAL


def test_a_turn_takes_the_best_flip_solves_it_and_runs_the_input() -> None:
    bench = bench_of(goals(), table())
    list(bench.enter(bench.measure({"x": 0})))
    flips, _ = flips_of(bench)
    before = len(bench.frontier)
    found = list(flips.turn())
    assert [p.execution.assignment["x"] for p in found] == [4]
    assert len(bench.frontier) == before - 1 + 1  # the new run decides in `g` too
    assert bench.tree.deepest == 1
    assert bench.summary.divergences == 0
    assert bench.program.asked("measure") == [0, 4]  # type: ignore[attr-defined]


def test_a_turn_without_flips_does_nothing() -> None:
    bench = bench_of(goals())
    assert list(flips_of(bench)[0].turn()) == []
    assert bench.program.calls == []
    assert bench.ledger.idle == 0


def test_an_excluded_flip_is_no_run_and_in_vain() -> None:
    bench = bench_of(goals(), table(), solver=FakeSolver(range(0, 3)))
    list(bench.enter(bench.measure({"x": 0})))
    flips, _ = flips_of(bench)
    assert list(flips.turn()) == []
    assert bench.ledger.idle == 1
    assert bench.program.asked("measure") == [0]  # type: ignore[attr-defined]
    assert bench.tree.deepest == 0
    list(flips.turn())
    assert bench.ledger.idle == 0  # the second one covered something
    assert bench.tree.deepest == 1


def test_flips_in_vain_add_up() -> None:
    bench = bench_of(goals(), solver=FakeSolver([]))
    waiting(bench, flip_to(88, True), flip_to(99, True, serial=2))
    flips, _ = flips_of(bench)
    list(flips.turn())
    list(flips.turn())
    assert bench.ledger.idle == 2


def test_a_flip_that_led_another_way_is_noted() -> None:
    solver = FakeSolver()
    solver.mistaken[above(3)] = 1
    bench = bench_of(goals(), table(), solver=solver)
    list(bench.enter(bench.measure({"x": 0})))
    list(flips_of(bench)[0].turn())
    assert bench.ledger.diverged == {(FIRST, True): 1}


def test_a_flip_that_covers_nothing_is_in_vain_although_it_was_solved() -> None:
    bench = bench_of(goals(), {0: table()[0]})
    bench.goals.cover(range(6))
    list(bench.enter(bench.measure({"x": 0})))
    list(flips_of(bench)[0].turn())
    assert bench.ledger.idle == 1


def test_a_solved_flip_is_entered_from_the_decision_behind_it() -> None:
    bench = bench_of(goals(), table())
    list(bench.enter(bench.measure({"x": 0})))
    flips, _ = flips_of(bench)
    first, second = bench.frontier.take(), bench.frontier.take()
    list(flips.attempt(second))
    assert second.nodes[1].free
    assert not second.nodes[0].free
    assert len(bench.frontier) == 0
    list(flips.attempt(first))
    assert [candidate.index for candidate in (bench.frontier.take(),)] == [1]


def test_a_flip_that_nobody_can_decide_is_climbed_to_from_its_own_input() -> None:
    solver = FakeSolver()
    solver.helpless[above(3)] = "too hard"
    bench = bench_of(goals(), table(), solver=solver)
    list(bench.enter(bench.measure({"x": 0})))
    list(flips_of(bench)[0].turn())
    assert ascents(bench) == [Ascent({"x": 0}, FIRST, True, 150, 0, frozenset({SMALL}))]
    assert bench.tally.searches == 1


def test_what_is_climbed_to_after_an_unknown_is_a_measured_test_of_the_target_file() -> None:
    bench = bench_of(goals())
    climbs = climbs_of(bench)
    elsewhere = Candidate(Execution({"x": 0}, [Decision(site_at(FIRST, "/other.py"), False, above(3))]), 0, 1)
    own = Candidate(Execution({"x": 0}, [Decision(site_at(FIRST), False, above(3))]), 0, 1)
    unknown_place = flip_to(2, True)
    list(climbs.after_unknown(elsewhere))
    list(climbs.after_unknown(unknown_place))
    assert ascents(bench) == []
    list(climbs.after_unknown(own))
    assert [ascent.leaf for ascent in ascents(bench)] == [FIRST]
    bench.ambition = Ambition(search=False)
    list(climbs.after_unknown(own))
    assert len(ascents(bench)) == 1
    bench.ambition = Ambition()
    bench.goals.cover([BIG, SMALL])
    list(climbs.after_unknown(own))
    assert len(ascents(bench)) == 1


def test_the_time_of_flips_makes_a_climb_overdue() -> None:
    solver = FakeSolver(steps=190_000)  # 95 ms, and 2.5 for the question; the climb that follows takes 30
    solver.helpless[above(3)] = "too hard"
    bench = bench_of(goals(), table(), solver=solver)
    list(bench.enter(bench.measure({"x": 0})))
    flips, climbs = flips_of(bench)
    note(bench, (SECOND, True), 3.0)
    bench.effort.spent = 7.0
    flip = bench.frontier.take()
    list(flips.attempt(flip))
    assert climbs.urgency() is None
    list(flips.attempt(flip))
    assert climbs.urgency() is Urgency.OVERDUE


# -- breaking ---------------------------------------------------------------------------------------------


def breaking_of(bench: Bench) -> Breaking:
    return Breaking(bench, Flips(bench, climbs_of(bench)))


def test_when_everything_is_covered_what_may_raise_is_tried() -> None:
    bench = finished_bench(goals())
    breaking = breaking_of(bench)
    assert breaking.urgency() is None
    waiting(bench, flip_to(77, True))
    assert breaking.urgency() is Urgency.USUAL


def test_while_something_is_open_exceptions_are_not_looked_for() -> None:
    bench = bench_of(goals())
    waiting(bench, flip_to(77, True))
    assert breaking_of(bench).urgency() is None
    all_paths = finished_bench(goals())
    all_paths.ambition = Ambition(all_paths=True)
    waiting(all_paths, flip_to(77, True))
    assert breaking_of(all_paths).urgency() is None


def test_looking_for_exceptions_ends_after_half_a_second_from_its_first_turn() -> None:
    bench = finished_bench(goals())
    breaking = breaking_of(bench)
    waiting(bench, *(flip_to(line, True, serial=line) for line in range(70, 90)))
    bench.effort.spent = 32.0
    assert breaking.urgency() is Urgency.USUAL
    list(breaking.turn())
    bench.effort.spent = 32.25
    list(breaking.turn())
    bench.effort.spent = 32.4999
    assert breaking.urgency() is Urgency.USUAL
    bench.effort.spent = 32.5
    assert breaking.urgency() is None
    bench.effort.spent = 33.0
    assert breaking.urgency() is None


def test_looking_for_exceptions_may_begin_with_the_search() -> None:
    bench = finished_bench(goals())
    breaking = breaking_of(bench)
    waiting(bench, *(flip_to(line, True, serial=line) for line in range(70, 90)))
    bench.effort.spent = 0.0
    list(breaking.turn())
    bench.effort.spent = 0.6
    assert breaking.urgency() is None


def test_what_may_raise_is_tried_in_its_order() -> None:
    bench = finished_bench(goals())
    breaking = breaking_of(bench)
    waiting(bench, *(flip_to(line, True, serial=line) for line in (8, 7)))
    list(breaking.turn())
    list(breaking.turn())
    assert [goal for _, goal, _ in bench.solver.asked] == [above(8), above(7)]  # type: ignore[attr-defined]
    assert breaking.urgency() is None
    assert list(breaking.turn()) == []


# -- perseverance -----------------------------------------------------------------------------------------


def stuck(limits: Limits = Limits(), ambition: Ambition = Ambition()) -> Bench:  # noqa: B008 - frozen
    """A search that has no flip left, and something that it could not decide."""
    bench = bench_of(goals(), limits=limits, ambition=ambition)
    bench.summary.unknown = 1
    bench.ledger.vain = 1500
    return bench


def persevering(bench: Bench) -> Perseverance:
    return Perseverance(bench, CheapRuns(bench))


def test_a_search_that_is_stuck_tries_again() -> None:
    assert persevering(stuck()).urgency() is Urgency.AGAIN


def test_a_search_that_has_flips_or_proofs_or_all_it_wanted_does_not() -> None:
    bench = stuck()
    waiting(bench)
    assert persevering(bench).urgency() is None
    bench = stuck()
    bench.summary.unknown = 0
    assert persevering(bench).urgency() is None
    bench = finished_bench(goals())
    bench.summary.unknown = 1
    assert persevering(bench).urgency() is None
    bench.ambition = Ambition(all_paths=True)
    assert persevering(bench).urgency() is None
    assert persevering(stuck(ambition=Ambition(search=False))).urgency() is None


def test_a_search_that_is_covered_and_never_returned_is_not_tried_again() -> None:
    bench = stuck()
    bench.goals.cover(range(6))
    assert not bench.content
    assert persevering(bench).urgency() is None


@pytest.mark.parametrize(("budget", "vain", "patience"), [
    (None, 1500, 2.0),
    (None, 1499, 10.0),
    (None, 0, 10.0),
    (5.0, 1500, 2.0),
    (10.0, 1500, 4.0),
    (10.0, 1499, 10.0),
    (60.0, 1500, 24.0),
    (60.0, 0, 24.0),
])  # fmt: skip
def test_patience_without_anything_new(budget: float | None, vain: int, patience: float) -> None:
    bench = stuck(Limits(seconds=budget))
    bench.ledger.vain = vain
    bench.ledger.gained = 8.0
    tactic = persevering(bench)
    bench.effort.spent = 8.0 + patience
    assert tactic.urgency() is Urgency.AGAIN
    bench.effort.spent = 8.0 + patience + 1e-6
    assert tactic.urgency() is None


def test_trying_again_is_other_inputs_and_one_more_climb_to_what_was_given_up() -> None:
    bench = stuck()
    note(bench, (FIRST, True), 3.0, rounds=12)
    note(bench, (SECOND, True), 3.0, rounds=5)
    note(bench, (IN_G, True), 3.0, rounds=40)
    list(persevering(bench).turn())
    assert bursts(bench) == [range(1, 301)]
    assert [near.rounds for near in bench.ledger.nearest.values()] == [11, 5, 11]


# -- the last look ----------------------------------------------------------------------------------------


def looking(bench: Bench) -> LastLook:
    return LastLook(bench, CheapRuns(bench))


def test_before_an_edge_is_called_impossible_it_is_looked_for_once() -> None:
    bench = bench_of(goals())
    look = looking(bench)
    assert look.urgency() is Urgency.LAST
    assert look.urgency() is Urgency.LAST
    list(look.turn())
    assert look.urgency() is None


def test_the_last_look_is_three_times_as_long_as_an_ordinary_one() -> None:
    bench = bench_of(goals(), program=FakeProgram(setup=0.0478))
    list(looking(bench).turn())
    assert bursts(bench) == [range(1, 32)]


def test_nothing_is_looked_for_while_there_is_something_to_do_or_nothing_to_find() -> None:
    bench = bench_of(goals())
    waiting(bench)
    assert looking(bench).urgency() is None
    assert looking(finished_bench(goals())).urgency() is None
    unproven = bench_of(goals())
    unproven.summary.unknown = 1
    assert looking(unproven).urgency() is None
    unproven.ambition = Ambition(all_paths=True)
    assert looking(unproven).urgency() is Urgency.LAST


def test_a_proven_search_without_anything_missing_is_not_looked_at_again() -> None:
    bench = finished_bench(goals())
    bench.ambition = Ambition(all_paths=True)
    assert looking(bench).urgency() is None


def test_what_a_proof_excluded_and_a_look_finds_is_a_divergence() -> None:
    bench = bench_of(goals(), table())
    bench.program.bursts = [[9]]  # type: ignore[attr-defined]
    assert [p.execution.assignment["x"] for p in looking(bench).turn()] == [9]
    assert bench.summary.divergences == 1
    assert not bench.proven


def test_a_look_that_finds_nothing_is_none() -> None:
    bench = bench_of(goals(), table())
    list(looking(bench).turn())
    assert bench.summary.divergences == 0


def test_what_nothing_has_excluded_may_be_found() -> None:
    bench = bench_of(goals(), table())
    bench.summary.divergences = 2
    bench.program.bursts = [[9]]  # type: ignore[attr-defined]
    list(looking(bench).turn())
    assert bench.summary.divergences == 2
