"""The bench: what becomes of one input, from the measured run to the flips of its decisions."""

from __future__ import annotations

from typing import Any

import pytest
from fake_program import (
    PATH,
    FakeProgram,
    FakeSolver,
    Row,
    above,
    bench_of,
    decided,
    equals,
    flip_to,
    goals_of,
    leaf,
    table_of,
)

from ramify.runtime.programs import CRASHED, CUT, RAISED, REJECTED, RETURNED, VIOLATED
from ramify.runtime.recording import Concretisation, Reason, Why
from ramify.runtime.sandbox import Refusal
from ramify.runtime.search import Ambition, Goals, Limits
from ramify.runtime.search.bench import Bench
from ramify.runtime.solver import UNSAT, Sat, Unknown
from ramify.runtime.terms import TRUE, not_

SOURCE = """
    def f(x):
        if x > 3:
            return 1
        if x == 1:
            return 2
        return 3
    """
BIG, SMALL, ONE, NOT_ONE = range(4)


def goals() -> Goals:
    return goals_of(SOURCE)


def path(x: int) -> list[tuple[int, Any]]:
    return [(2, above(3))] if x > 3 else [(2, above(3)), (4, equals(1))]


def table() -> dict[int, Row]:
    return table_of(goals(), range(-5, 12), path)


def entered(bench: Bench, x: int) -> list[str]:
    return [found.outcome for found in bench.enter(bench.measure({"x": x}))]


def at(line: int, outcome: bool) -> Any:
    return decided(goals(), line, outcome, above(3) if line == 2 else equals(1))


# -- when a search is content -----------------------------------------------------------------------------


def test_content_is_a_search_whose_goals_are_covered_and_of_which_a_run_has_returned() -> None:
    bench = bench_of(goals(), {0: Row([0, 1, 2, 3], outcome=RAISED, exception=KeyError()), 1: Row()})
    assert not bench.content
    entered(bench, 0)
    assert bench.goals.complete
    assert not bench.content
    entered(bench, 1)
    assert bench.content
    bench.ambition = Ambition(all_paths=True)
    assert not bench.content


def test_a_run_that_returned_is_not_enough() -> None:
    bench = bench_of(goals(), {0: Row([0])})
    entered(bench, 0)
    assert bench.ledger.returned
    assert not bench.content


def test_nothing_is_proven_once_something_was_left_undone() -> None:
    bench = bench_of(goals())
    assert bench.proven
    bench.summary.unknown += 1
    assert not bench.proven


def test_what_an_ambition_is_unless_it_is_said() -> None:
    assert Ambition() == Ambition(all_paths=False, search=True, burst=300)


# -- one input --------------------------------------------------------------------------------------------


def test_an_input_is_measured_at_the_goals_within_what_is_left_and_costs_a_run() -> None:
    bench = bench_of(goals(), {7: Row(ticks=1000)}, left=2.5)
    bench.goals.cover([BIG, SMALL])
    execution = bench.measure({"x": 7})
    assert execution.assignment == {"x": 7}
    assert bench.program.calls == [("measure", 7, frozenset({leaf(bench.goals, 4).span}), 2.5)]
    assert bench.effort.spent == pytest.approx(0.0002 + 1000 * 2e-7)


def test_an_input_that_covers_something_is_a_path_and_its_decisions_can_be_reversed() -> None:
    bench = bench_of(goals(), table(), left=2.5)
    assert entered(bench, 0) == [RETURNED]
    assert bench.goals.covered == {SMALL, NOT_ONE}
    assert bench.program.calls[1] == ("run", 0, 2.5)
    assert len(bench.frontier) == 2
    summary = bench.summary
    assert (summary.runs, summary.paths, summary.rejected, summary.cut, summary.crashed) == (1, 1, 0, 0, 0)
    assert summary.divergences == 0
    assert bench.effort.spent == pytest.approx(0.0002 + 0.0006 + 2 * 5e-6)


def test_an_input_that_adds_nothing_is_no_path_but_is_understood() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    bench.goals.cover([ONE])
    assert entered(bench, 1) == []
    assert (bench.summary.runs, bench.summary.paths) == (2, 1)
    assert len(bench.frontier) == 4


def test_a_path_shows_the_measured_run_with_the_decisions_of_the_concolic_one() -> None:
    rows = {0: Row([SMALL, NOT_ONE], [at(2, False), at(4, False)], facts=[above(-9)])}
    bench = bench_of(goals(), rows)
    (found,) = bench.enter(bench.measure({"x": 0}))
    assert found.execution.hits == {SMALL, NOT_ONE}
    assert found.execution.decisions == [at(2, False), at(4, False)]
    assert found.execution.facts == [above(-9)]
    assert found.outcome == RETURNED
    assert bench.ledger.decided == {leaf(bench.goals, 2), leaf(bench.goals, 4)}


def test_a_path_that_was_there_adds_no_flips() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    entered(bench, -1)
    assert len(bench.frontier) == 2


def test_the_time_of_a_gain_is_that_of_the_clock_of_the_search() -> None:
    bench = bench_of(goals(), table())
    bench.effort.spent = 4.0
    entered(bench, 0)
    assert bench.ledger.gained == pytest.approx(4.0002)


def test_a_rejected_input_covers_nothing_and_is_understood() -> None:
    bench = bench_of(goals(), {0: Row([BIG], [at(2, True)], outcome=REJECTED)})
    assert entered(bench, 0) == []
    assert (bench.summary.runs, bench.summary.rejected, bench.summary.paths) == (1, 1, 0)
    assert bench.goals.covered == set()
    assert len(bench.frontier) == 1


def test_what_was_refused_is_in_the_summary() -> None:
    refusal = Refusal("write", "write /x", PATH, 3)
    bench = bench_of(goals(), {0: Row(refusals=[refusal])})
    bench.program.run = lambda *_, **__: Row().understood(0)  # type: ignore[method-assign]
    entered(bench, 0)
    assert bench.summary.refused == {refusal}
    assert not bench.proven


def test_lost_terms_are_in_the_summary_and_in_the_ledger() -> None:
    place = Concretisation(PATH, 2, "split")
    bench = bench_of(goals(), {0: Row([SMALL], lost={place: 2})})
    entered(bench, 0)
    assert bench.summary.concretisations == {place: 2}
    assert bench.ledger.lost == {0: {place: 2}}


@pytest.mark.parametrize(("outcome", "concolic", "cut"), [
    (CUT, CUT, 1), (CUT, RETURNED, 1), (RETURNED, CUT, 1), (RETURNED, RETURNED, 0),
])  # fmt: skip
def test_a_run_that_was_cut_counts_once(outcome: str, concolic: str, cut: int) -> None:
    bench = bench_of(goals(), {0: Row([SMALL], outcome=outcome, concolic=concolic)})
    assert entered(bench, 0) == [outcome]
    assert bench.summary.cut == cut


def test_a_concolic_run_that_was_cut_on_a_path_that_was_there_does_not_count() -> None:
    bench = bench_of(goals(), {0: Row([SMALL]), 1: Row([SMALL], concolic=CUT)})
    entered(bench, 0)
    entered(bench, 1)
    assert bench.summary.cut == 0


def test_a_run_that_had_to_be_killed_is_not_repeated_on_concolic_values() -> None:
    rows = {0: Row([SMALL], [at(2, False)], outcome=CRASHED, reason=Reason(Why.TIME, "killed after 3 s"))}
    bench = bench_of(goals(), rows)
    assert entered(bench, 0) == [CRASHED]
    assert bench.program.asked("run") == []
    assert (bench.summary.cut, bench.summary.crashed) == (1, 1)
    assert len(bench.frontier) == 1
    assert bench.effort.spent == pytest.approx(0.0002)


def test_a_crash_is_kept_for_its_ending_and_for_the_edges_its_decisions_tell() -> None:
    rows = {
        0: Row((), [at(2, False)], outcome=CRASHED, reason=Reason(Why.PROCESS, "signal 11")),
        1: Row((), [at(2, False)], outcome=CRASHED, reason=Reason(Why.PROCESS, "signal 11")),
        2: Row((), [at(2, True)], outcome=CRASHED, reason=Reason(Why.PROCESS, "signal 11")),
    }
    bench = bench_of(goals(), rows)
    assert entered(bench, 0) == [CRASHED]
    assert bench.goals.covered == {SMALL}
    assert entered(bench, 1) == []
    assert entered(bench, 2) == [CRASHED]
    assert bench.goals.covered == {SMALL, BIG}
    assert (bench.summary.crashed, bench.summary.paths, bench.summary.runs) == (2, 2, 3)
    assert bench.summary.cut == 0


def test_runs_that_do_not_agree_are_a_divergence() -> None:
    rows = {0: Row([SMALL, NOT_ONE], [at(2, False)]), 1: Row([SMALL, ONE], [at(2, False)])}
    bench = bench_of(goals(), rows)
    entered(bench, 0)
    assert bench.summary.divergences == 0
    entered(bench, 1)
    assert bench.summary.divergences == 1
    assert bench.ledger.diverged == {}


def test_a_concolic_run_that_ends_otherwise_is_a_divergence() -> None:
    bench = bench_of(goals(), {0: Row([SMALL], outcome=RETURNED, concolic=RAISED)})
    entered(bench, 0)
    assert bench.summary.divergences == 1


# -- flips ------------------------------------------------------------------------------------------------


def test_a_flip_asks_for_the_path_up_to_a_decision_and_its_other_side() -> None:
    solver = FakeSolver()
    rows = {0: Row([SMALL, NOT_ONE], [at(2, False), at(4, False)], facts=[above(-9)])}
    bench = bench_of(goals(), rows, solver=solver)
    entered(bench, 0)
    nearest, second = bench.frontier.take(), bench.frontier.take()
    assert bench.flip(nearest) == Sat({"x": 4})
    assert bench.flip(second) == Sat({"x": 1})
    assert solver.asked == [
        ([above(-9)], above(3), {"x": 0}),
        ([above(-9), at(2, False).condition], equals(1), {"x": 0}),
    ]
    assert bench.ledger.answers == {
        (leaf(bench.goals, 2), True): {"sat": 1},
        (leaf(bench.goals, 4), True): {"sat": 1},
    }
    assert bench.summary.unknown == 0


def test_a_question_costs_time_and_an_unknown_answer_is_counted() -> None:
    solver = FakeSolver(steps=1000)
    solver.helpless[above(3)] = "too hard"
    bench = bench_of(goals(), table(), solver=solver)
    entered(bench, 0)
    before = bench.effort.spent
    candidate = bench.frontier.take()
    assert bench.flip(candidate) == Unknown("too hard")
    assert bench.effort.spent - before == pytest.approx(0.0005 + 0.002 + 1000 * 5e-7)
    assert bench.summary.unknown == 1
    assert bench.ledger.reasons == {(leaf(bench.goals, 2), True): "too hard"}


def test_an_excluded_flip_is_noted() -> None:
    bench = bench_of(goals(), table(), solver=FakeSolver(range(0, 4)))
    entered(bench, 0)
    assert bench.flip(bench.frontier.take()) is UNSAT
    assert bench.ledger.answers == {(leaf(bench.goals, 2), True): {"unsat": 1}}
    assert bench.summary.unknown == 0
    assert bench.effort.spent == pytest.approx(0.0002 + 0.0006 + 2 * 5e-6 + 0.0005)


def test_a_run_that_follows_its_flip_reverses_nothing_before_it() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    first, second = bench.frontier.take(), bench.frontier.take()
    list(bench.enter(bench.measure({"x": 1}), second.index + 1, second))
    assert bench.summary.divergences == 0
    assert len(bench.frontier) == 0
    list(bench.enter(bench.measure({"x": 5}), first.index + 1, first))
    assert (bench.summary.divergences, len(bench.frontier)) == (0, 0)


def test_a_run_that_goes_another_way_is_a_divergence_of_its_flip_and_reversed_from_the_start() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    first = bench.frontier.take()
    bench.frontier.take()
    list(bench.enter(bench.measure({"x": 1}), first.index + 1, first))
    assert bench.summary.divergences == 1
    assert bench.ledger.diverged == {(leaf(bench.goals, 2), True): 1}
    assert len(bench.frontier) == 2


def test_a_divergence_is_counted_once_even_if_the_runs_do_not_agree() -> None:
    rows = {0: Row([SMALL], [at(2, False)]), 1: Row([BIG], [at(2, False)])}
    bench = bench_of(goals(), rows)
    entered(bench, 0)
    first = bench.frontier.take()
    list(bench.enter(bench.measure({"x": 1}), first.index + 1, first))
    assert bench.summary.divergences == 1


# -- promises ---------------------------------------------------------------------------------------------


def promising(**others: Any) -> dict[int, Row]:
    """A run that keeps `x <= 8`, and one that breaks it."""
    rows = table()
    rows[5] = Row([BIG], [at(2, True)], promises=[TRUE, not_(above(8))], **others)
    rows[9] = Row([BIG], [at(2, True)], outcome=VIOLATED)
    return rows


def test_a_promise_that_was_kept_is_broken_on_the_same_path_if_it_can_be() -> None:
    solver = FakeSolver()
    bench = bench_of(goals(), promising(facts=[above(-9)]), solver=solver)
    assert entered(bench, 5) == [VIOLATED, RETURNED]
    assert solver.asked == [([above(-9), above(3)], above(8), {"x": 5})]
    assert (bench.summary.runs, bench.summary.paths, bench.summary.divergences) == (2, 2, 0)


def test_an_answer_that_does_not_break_the_promise_is_a_divergence() -> None:
    rows = promising()
    rows[9] = Row([BIG], [at(2, True)])
    bench = bench_of(goals(), rows)
    assert entered(bench, 5) == [RETURNED]
    assert (bench.summary.runs, bench.summary.divergences) == (1, 1)


def test_a_promise_that_cannot_be_broken_costs_a_question() -> None:
    bench = bench_of(goals(), promising(), solver=FakeSolver(range(9)))
    assert entered(bench, 5) == [RETURNED]
    assert (bench.summary.divergences, bench.summary.unknown) == (0, 0)
    assert bench.solver.stats.queries["unsat"] == 1


def test_a_promise_that_nobody_can_decide_is_unknown() -> None:
    solver = FakeSolver()
    solver.helpless[above(8)] = "too hard"
    bench = bench_of(goals(), promising(), solver=solver)
    assert entered(bench, 5) == [RETURNED]
    assert bench.summary.unknown == 1


@pytest.mark.parametrize("others", [{"outcome": VIOLATED}, {"outcome": REJECTED}, {"concolic": REJECTED}])
def test_promises_of_a_run_that_broke_one_or_was_rejected_are_left_alone(others: dict[str, Any]) -> None:
    bench = bench_of(goals(), promising(**others))
    entered(bench, 5)
    assert bench.solver.asked == []  # type: ignore[attr-defined]


# -- plainer inputs ---------------------------------------------------------------------------------------


def test_a_generated_input_is_made_plainer_if_it_takes_open_edges() -> None:
    program = FakeProgram(table())
    program.table[9].near = {leaf(goals(), 2): (0.0, 6.0)}
    program.table[5].near = {leaf(goals(), 2): (0.0, 2.0)}
    program.plainer[9] = 5
    bench = bench_of(goals(), program=program)
    generated = program.table[9].execution(9)
    (found,) = bench.enter_smaller(generated)
    assert found.execution.assignment == {"x": 5}
    end = (RETURNED, "NoneType", None, (Why.ORDINARY, ""), frozenset())
    assert [call for call in program.calls if call[0] == "shrink"] == [("shrink", 9, end, frozenset({BIG}))]
    assert program.asked("measure") == [9, 5]
    near = bench.ledger.nearest[leaf(bench.goals, 2), False]
    assert (near.distance, near.start()) == (2.0, {"x": 5})
    assert bench.summary.runs == 1


def test_an_input_that_cannot_be_made_plainer_is_measured_again_itself() -> None:
    program = FakeProgram(table())
    bench = bench_of(goals(), program=program)
    (found,) = bench.enter_smaller(program.table[9].execution(9))
    assert found.execution.assignment == {"x": 9}
    assert program.asked("measure") == [9, 9]


def test_an_input_that_takes_no_open_edge_is_entered_as_it_is() -> None:
    program = FakeProgram(table())
    bench = bench_of(goals(), program=program)
    bench.goals.cover([BIG])
    program.table[9].near = {leaf(goals(), 2): (0.0, 6.0)}
    program.table[9].hits = [BIG, 17]
    (found,) = bench.enter_smaller(program.table[9].execution(9))  # another ending: none was known
    assert found.execution.assignment == {"x": 9}
    assert program.asked("measure") == []
    assert program.asked("shrink") == []
    assert bench.ledger.nearest[leaf(bench.goals, 2), False].distance == 6.0


def test_how_near_the_long_winded_input_came_is_known_too() -> None:
    program = FakeProgram(table())
    program.plainer[9] = 5
    bench = bench_of(goals(), program=program)
    generated = program.table[9].execution(9)
    generated.near = {leaf(bench.goals, 2): (0.0, 9.0), leaf(bench.goals, 4): (3.0, 0.0)}
    program.table[9].near = {leaf(bench.goals, 2): (0.0, 6.0)}
    program.table[5].near = {leaf(bench.goals, 2): (0.0, 7.0)}
    list(bench.enter_smaller(generated))
    assert bench.ledger.nearest[leaf(bench.goals, 4), True].distance == 3.0
    assert bench.ledger.nearest[leaf(bench.goals, 2), False].distance == 6.0


def test_a_limit_of_depth_reaches_the_tree() -> None:
    bench = bench_of(goals(), table(), limits=Limits(depth=1))
    entered(bench, 0)
    assert (len(bench.frontier), bench.summary.pruned) == (1, 1)


def test_a_flip_of_another_file_is_asked_and_not_judged() -> None:
    bench = bench_of(goals())
    assert isinstance(bench.flip(flip_to(3, True, file="/other.py")), Sat)
    assert bench.ledger.answers == {}


def test_flips_know_the_edges_of_their_run() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    candidate = bench.frontier.take()
    assert candidate.parent.hits == {SMALL, NOT_ONE}


def test_flips_of_a_run_share_the_tree_with_the_flip_it_was_built_for() -> None:
    rows = {0: Row([SMALL], [at(2, False)]), 5: Row([BIG], [at(2, True), at(4, False)])}
    bench = bench_of(goals(), rows)
    entered(bench, 0)
    origin = bench.frontier.take()
    list(bench.enter(bench.measure({"x": 5}), 1, origin))
    assert bench.frontier.take().nodes[0] is origin.nodes[0]


@pytest.mark.parametrize(
    ("row", "counter"),
    [
        (Row(outcome=REJECTED), "rejected"),
        (Row(outcome=CUT), "cut"),
        (Row(outcome=CRASHED, reason=Reason(Why.TIME, "killed after 3 s")), "cut"),
        (Row(concolic=RAISED), "divergences"),
        (Row([BIG], [at(2, True)], promises=[not_(above(8))]), "divergences"),
        (Row(concolic=CUT), "cut"),
    ],
)
def test_counters_count(row: Row, counter: str) -> None:
    bench = bench_of(goals(), {5: row})
    setattr(bench.summary, counter, 7)
    entered(bench, 5)
    assert getattr(bench.summary, counter) == 8


def test_divergences_of_flips_are_counted() -> None:
    bench = bench_of(goals(), table())
    entered(bench, 0)
    first = bench.frontier.take()
    bench.summary.divergences = 7
    list(bench.enter(bench.measure({"x": 1}), first.index + 1, first))
    assert bench.summary.divergences == 8
