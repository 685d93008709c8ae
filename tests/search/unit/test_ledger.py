"""The ledger: what a search knows after each run, answer and climb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from fake_program import PATH, above, decided, edge, flip_to, goals_of, leaf, on, site_at

from ramify.runtime.programs import CRASHED, RAISED, REJECTED, RETURNED, UNMEASURED, Execution
from ramify.runtime.proposals import Lessons
from ramify.runtime.recording import Concretisation, Decision, DecisionSite
from ramify.runtime.search.ledger import Gain, Ledger
from ramify.runtime.search.strategies import Candidate
from ramify.runtime.solver import UNSAT, Sat, Unknown

SOURCE = """
    def f(x):
        if x > 3:
            return g(x)
        for y in x:
            pass
        return 0

    def g(x):
        if x == 7:
            return 1
    """
GOALS = goals_of(SOURCE)
FIRST, OTHER = leaf(GOALS, 2), leaf(GOALS, 9)
TRUE, FALSE, ENTERED, LEFT, G_TRUE, G_FALSE = range(6)


def ledger() -> Ledger:
    return Ledger(goals_of(SOURCE))


def ran(hits: Iterable[int] = (), **what: Any) -> Execution:
    return Execution({"x": what.pop("x", 0)}, hits=frozenset(hits), **what)


def test_the_edges_have_the_numbers_that_the_tests_give_them() -> None:
    assert [edge(GOALS, 2), edge(GOALS, 2, "false"), edge(GOALS, 4, "entered"), edge(GOALS, 4, "exhausted")] == [
        TRUE, FALSE, ENTERED, LEFT,
    ]  # fmt: skip
    assert [edge(GOALS, 9), edge(GOALS, 9, "false")] == [G_TRUE, G_FALSE]


def test_a_new_ledger_knows_nothing_and_shares_what_is_covered_with_its_goals() -> None:
    book = ledger()
    assert (book.idle, book.vain, book.gained, book.returned) == (0, 0, 0.0, False)
    assert (book.nearest, book.by, book.answers, book.reasons, book.lost) == ({}, {}, {}, {}, {})
    assert (book.decided, book.diverged) == (set(), {})
    assert book.known.covered is book.goals.covered
    assert book.known.lessons == Lessons()


def test_lessons_are_those_of_the_program_even_while_there_are_none() -> None:
    lessons = Lessons()
    assert Ledger(goals_of(SOURCE), lessons).known.lessons is lessons


# -- runs -------------------------------------------------------------------------------------------------


def test_what_a_run_adds() -> None:
    book = ledger()
    assert book.note_run(ran([TRUE, G_FALSE]), 1.0) == Gain((TRUE,), True, True)
    assert book.note_run(ran([TRUE, G_FALSE]), 2.0) == Gain((), False, False)
    assert book.note_run(ran([TRUE, G_TRUE]), 3.0) == Gain((), True, False)
    assert book.note_run(ran([LEFT, FALSE], outcome=RAISED, exception=KeyError()), 4.0) == Gain(
        (FALSE, LEFT), True, True
    )
    assert book.note_run(ran([], outcome=RAISED, exception=ValueError()), 5.0) == Gain((), False, True)
    assert book.goals.covered == {TRUE, FALSE, LEFT, G_TRUE, G_FALSE}


@pytest.mark.parametrize(("gain", "kept"), [
    (Gain(), False), (Gain((1,)), True), (Gain((0,)), True), (Gain(ending=True), True), (Gain(others=True), False),
])  # fmt: skip
def test_an_input_is_kept_for_edges_of_the_target_and_for_endings(gain: Gain, kept: bool) -> None:
    assert gain.kept is kept


def test_nothing_is_gained_unless_it_is_said() -> None:
    assert Gain() == Gain((), False, False)
    assert (Gain().edges, Gain().others) == ((), False)


def test_only_what_covers_something_ends_the_time_in_vain() -> None:
    book = ledger()
    book.idle, book.vain = 5, 700
    book.note_run(ran([TRUE]), 1.5)
    assert (book.idle, book.vain, book.gained) == (0, 0, 1.5)
    book.idle, book.vain = 5, 700
    book.note_run(ran([TRUE], outcome=RAISED, exception=KeyError()), 2.5)  # another ending alone
    assert (book.idle, book.vain, book.gained) == (5, 700, 1.5)
    book.note_run(ran([G_TRUE]), 3.5)  # an edge of another function
    assert (book.idle, book.vain, book.gained) == (0, 0, 3.5)


def test_the_first_run_that_took_an_edge_is_remembered() -> None:
    book = ledger()
    first, second = ran([TRUE, G_TRUE]), ran([TRUE, FALSE])
    book.note_run(first, 0.0)
    book.note_run(second, 0.0)
    assert book.by == {TRUE: first, FALSE: second}
    assert book.credit([LEFT, TRUE], first) == [LEFT]
    assert book.by[LEFT] is first


def test_an_edge_that_others_covered_first_has_no_run() -> None:
    book = ledger()
    book.goals.cover([TRUE])
    assert book.credit([TRUE], ran()) == []
    assert TRUE not in book.by


def test_whether_any_run_has_returned() -> None:
    book = ledger()
    book.note_run(ran(outcome=RAISED, exception=KeyError()), 0.0)
    assert not book.returned
    book.note_run(ran(outcome=RETURNED), 0.0)
    assert book.returned


def test_a_run_notes_how_near_it_came_to_either_outcome() -> None:
    book = ledger()
    book.note_run(ran([TRUE], x=9, near={FIRST: (0.0, 4.0)}), 0.0)
    assert book.nearest[FIRST, True].distance == 0.0
    assert book.nearest[FIRST, False].distance == 4.0
    book.note_run(ran([TRUE], x=5, near={FIRST: (0.0, 2.0)}), 0.0)
    assert book.nearest[FIRST, False].distance == 2.0
    assert book.near((FIRST, False)).start() == {"x": 5}


def test_a_decision_that_has_no_distance_is_unmeasured_if_its_other_way_is_open() -> None:
    book = ledger()
    loop = leaf(GOALS, 4)
    book.note_run(ran([FALSE, LEFT], x=2), 0.0)
    assert {aim: near.distance for aim, near in book.nearest.items()} == {
        (FIRST, True): UNMEASURED, (loop, True): UNMEASURED,
    }  # fmt: skip
    assert book.near((loop, True)).start() == {"x": 2}


def test_a_decision_that_was_measured_is_not_unmeasured() -> None:
    book = ledger()
    book.note_run(ran([FALSE], near={FIRST: (40.0, 0.0)}), 0.0)
    assert {aim: near.distance for aim, near in book.nearest.items()} == {(FIRST, True): 40.0, (FIRST, False): 0.0}


def test_the_nearest_inputs_of_an_outcome_are_one_thing() -> None:
    book = ledger()
    assert book.near((FIRST, True)) is book.near((FIRST, True))
    assert book.near((FIRST, True)) is not book.near((FIRST, False))


# -- what concolic runs tell ------------------------------------------------------------------------------


def test_the_tests_that_a_run_decided_are_those_of_the_target_file() -> None:
    book = ledger()
    elsewhere = Decision(site_at(leaf(GOALS, 9), "/other.py"), True, above(1))
    book.note_understood(ran(decisions=[decided(GOALS, 2, True, above(3)), elsewhere]), frozenset())
    assert book.decided == {FIRST}


def test_lost_terms_are_remembered_by_the_sites_that_the_run_came_to() -> None:
    book = ledger()
    place, other = Concretisation(PATH, 3, "split"), Concretisation(PATH, 4, "join")
    probe = len(GOALS.table.edges)
    book.note_understood(ran(concretisations={place: 2}), frozenset({TRUE, G_TRUE, probe, probe + 1}))
    book.note_understood(ran(concretisations={place: 1, other: 5}), frozenset({FALSE, LEFT}))
    assert book.lost == {0: {place: 3, other: 5}, 1: {place: 1, other: 5}, 2: {place: 2}}


def test_a_site_that_a_run_came_to_by_both_edges_counts_once() -> None:
    book = ledger()
    place = Concretisation(PATH, 3, "split")
    book.note_understood(ran(concretisations={place: 2}), frozenset({TRUE, FALSE}))
    assert book.lost == {0: {place: 2}}


def test_a_run_that_lost_nothing_leaves_no_trace_at_sites() -> None:
    book = ledger()
    book.note_understood(ran(), frozenset({TRUE}))
    assert book.lost == {}


def test_the_edges_of_a_crashed_run_are_told_by_its_decisions() -> None:
    book = ledger()
    crashed = ran(outcome=CRASHED, decisions=[
        decided(GOALS, 2, True, above(3)),
        Decision(site_at(leaf(GOALS, 9), "/other.py"), True, above(7)),
        Decision(site_at(leaf(GOALS, 9), PATH, test=False), False, above(8)),
    ])  # fmt: skip
    book.note_crash(crashed)
    assert book.goals.covered == {TRUE}
    assert book.by == {TRUE: crashed}


def test_a_negated_test_of_a_crashed_run_takes_the_other_edge() -> None:
    book = ledger()
    negated = Decision(site_at(FIRST, PATH, True, True), True, above(3))
    book.note_crash(ran(outcome=CRASHED, decisions=[negated]))
    assert book.goals.covered == {FALSE}


def test_only_crashed_runs_are_told_so() -> None:
    with pytest.raises(AssertionError):
        ledger().note_crash(ran(outcome=REJECTED))


# -- flips and climbs -------------------------------------------------------------------------------------


def candidate(site: DecisionSite, outcome: bool = False) -> Candidate:
    decisions: Sequence[Decision] = [Decision(site, outcome, above(3))]
    return Candidate(ran(decisions=list(decisions)), 0, 1)


def test_answers_are_counted_for_the_outcome_that_was_asked_for() -> None:
    book = ledger()
    to_true, to_false = candidate(site_at(FIRST)), candidate(site_at(FIRST), True)
    for verdict in (Sat({}), UNSAT, UNSAT, Unknown("too long"), Unknown("strings")):
        book.note_answer(to_true, verdict)
    book.note_answer(to_false, UNSAT)
    assert book.answers == {
        (FIRST, True): {"sat": 1, "unsat": 2, "unknown": 2}, (FIRST, False): {"unsat": 1},
    }  # fmt: skip
    assert book.reasons == {(FIRST, True): "strings"}  # of the last


def test_of_other_files_nothing_is_judged() -> None:
    book = ledger()
    elsewhere = candidate(site_at(FIRST, "/other.py"))
    book.note_answer(elsewhere, Unknown("too long"))
    book.note_divergence(elsewhere)
    assert (book.answers, book.reasons, book.diverged) == ({}, {}, {})


def test_divergences_are_counted_for_the_outcome_that_was_meant() -> None:
    book = ledger()
    book.note_divergence(candidate(site_at(FIRST)))
    book.note_divergence(candidate(site_at(FIRST)))
    book.note_divergence(flip_to(9, False))
    assert book.diverged == {(FIRST, True): 2, (on(9), False): 1}


def test_where_a_climb_ended_is_taken_up_only_if_it_is_nearer() -> None:
    book = ledger()
    book.note_climb((FIRST, True), {"x": 1}, 8.0)
    assert book.nearest[FIRST, True].distance == 8.0
    book.note_climb((FIRST, True), {"x": 2}, 8.0)
    book.note_climb((FIRST, True), {"x": 3}, 9.0)
    assert [book.near((FIRST, True)).start()["x"] for _ in range(3)] == [1, 1, 1]
    book.note_climb((FIRST, True), {"x": 4}, 7.5)
    assert book.nearest[FIRST, True].distance == 7.5
    assert book.near((FIRST, True)).start() == {"x": 4}
    book.note_climb((FIRST, False), {"x": 5}, 1.0)
    assert book.nearest[FIRST, False].distance == 1.0
    assert book.nearest[FIRST, True].distance == 7.5
