"""Verdicts: the kind and the words of every one of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fake_program import PATH, FakeClock, goals_of, leaf

from ramify.cfg.leaves import Leaf
from ramify.runtime.inputs import Doubts
from ramify.runtime.programs import Execution
from ramify.runtime.recording import Concretisation
from ramify.runtime.sandbox import Refusal
from ramify.runtime.search import EdgeVerdict, ranked
from ramify.runtime.search import verdicts as module
from ramify.runtime.search.ledger import Ledger
from ramify.runtime.search.verdicts import Judge, catches_the_machine

SOURCE = """
    def f(x):
        if x > 3:
            if x > 7:
                return 1
        try:
            x.y()
        except KeyError:
            return 2
        except (OSError, ValueError):
            return 3
        return 4
        if x:
            return 5
    """
BIG, SMALL, LARGE, NOT_LARGE, COMPLETED, KEY, KEY_PASSED, OS, OS_PASSED = range(9)
DEAD_TRUE, DEAD_FALSE = 8, 9
FIRST, SECOND = leaf(goals_of(SOURCE), 2), leaf(goals_of(SOURCE), 3)
LOST = Concretisation(PATH, 2, "split")


def ledger(*covered: int, source: str = SOURCE) -> Ledger:
    book = Ledger(goals_of(source))
    book.note_run(Execution({}, hits=frozenset(covered)), 0.0)
    return book


def verdicts(book: Ledger, stop: str = "incomplete", *, refused: Any = (), **judge: Any) -> dict[int, EdgeVerdict]:
    return {v.edge.id: v for v in Judge(book, **judge).all(stop, refused)}


def reason(book: Ledger, edge: int, stop: str = "incomplete", **judge: Any) -> str:
    return verdicts(book, stop, **judge)[edge].reason


def test_the_edges_have_the_numbers_that_the_tests_give_them() -> None:
    assert [(e.line, e.outcome) for e in goals_of(SOURCE).table.edges] == [
        (2, "true"), (2, "false"), (3, "true"), (3, "false"), (5, "completed"), (7, "caught"), (7, "passed"),
        (9, "caught"), (12, "true"), (12, "false"),
    ]  # fmt: skip


# -- kinds ------------------------------------------------------------------------------------------------


def test_every_edge_of_the_target_has_a_verdict_in_the_order_of_the_source() -> None:
    book = ledger(
        source="def g(x):\n    if x:\n        return 1\ndef f(x):\n    if x:\n        return 2\n    return 3\n"
    )
    found = Judge(book).all("incomplete")
    assert [(v.edge.line, v.edge.outcome) for v in found] == [(5, "true"), (5, "false")]


def test_a_covered_edge_shows_the_first_run_that_took_it() -> None:
    book = ledger(SMALL)
    second = Execution({"x": 5}, hits=frozenset({SMALL, BIG}))
    book.note_run(second, 0.0)
    found = verdicts(book)
    assert (found[BIG].kind, found[BIG].by, found[BIG].reason) == ("covered", second, "")
    assert found[SMALL].by is not second
    assert found[BIG].text == "line 2: `if x > 3` true"
    book.goals.cover([LARGE])
    assert verdicts(book)[LARGE].by is None


def test_a_dead_edge_says_why_whatever_ended_the_search() -> None:
    for stop in ("exhausted", "time"):
        found = verdicts(ledger(), stop)[DEAD_TRUE]
        assert (found.kind, found.reason) == ("dead", "it follows the return on line 11")
        assert found.text == "line 12: `if x` never true: dead, it follows the return on line 11"


def test_an_edge_is_infeasible_only_after_a_search_that_left_nothing_undone() -> None:
    found = verdicts(ledger(SMALL), "exhausted", bounds="texts up to 3")[BIG]
    assert (found.kind, found.reason) == ("infeasible", "every way there was excluded (texts up to 3)")
    assert (found.by, found.blamed) == (None, ())
    assert found.text == "line 2: `if x > 3` never true: infeasible, every way there was excluded (texts up to 3)"
    assert verdicts(ledger(SMALL), "exhausted")[BIG].reason == "every way there was excluded ()"
    for stop in ("incomplete", "time", "runs", "interrupted", "covered"):
        assert verdicts(ledger(SMALL), stop)[BIG].kind == "unsolved"


# -- doubts -----------------------------------------------------------------------------------------------


def test_types_that_were_only_tried_prove_nothing() -> None:
    doubts = Doubts(types=("x", "y"))
    found = verdicts(ledger(SMALL), "exhausted", doubts=doubts)[BIG]
    assert (found.kind, found.reason) == (
        "unsolved", "impossible with the types tried for x, y (annotations or --types name others)",
    )  # fmt: skip


def test_objects_as_they_are_made_prove_nothing() -> None:
    found = verdicts(ledger(SMALL), "exhausted", doubts=Doubts(untouched=("Cart", "Item")))[BIG]
    assert (found.kind, found.reason) == (
        "unsolved",
        "impossible with objects of Cart, Item as the constructor makes them (--calls 2 calls methods before)",
    )


SURROUNDED = """
    import os, time

    def f(x):
        if x > 3:
            if x > 7:
                return time.time()
        return os.getpid()
    """


def test_other_surroundings_might_do_otherwise() -> None:
    found = verdicts(ledger(SMALL, source=SURROUNDED), "exhausted")[BIG]
    assert (found.kind, found.reason) == (
        "unsolved", "impossible with the surroundings of this run (os, time)",
    )  # fmt: skip


def test_doubts_are_listed_together() -> None:
    book = ledger(SMALL, source=SURROUNDED)
    assert reason(book, BIG, "exhausted", doubts=Doubts(("x",), ("Cart",))) == (
        "impossible with objects of Cart as the constructor makes them (--calls 2 calls methods before)"
        " and the types tried for x (annotations or --types name others)"
        " and the surroundings of this run (os, time)"
    )


def answered(book: Ledger, place: Any, outcome: bool, **counts: int) -> Ledger:
    book.answers[place, outcome] = Counter(counts)
    return book


def test_what_the_solver_excluded_is_excluded_for_every_type_and_in_all_surroundings() -> None:
    book = answered(ledger(SMALL, source=SURROUNDED), leaf(goals_of(SURROUNDED), 4), True, unsat=1)
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[BIG].kind == "infeasible"
    # and what lies behind it, too
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[LARGE].kind == "infeasible"


def test_it_does_not_speak_for_objects_as_the_constructor_makes_them() -> None:
    book = answered(ledger(SMALL), FIRST, True, unsat=1)
    assert reason(book, BIG, "exhausted", doubts=Doubts(("x",), ("Cart",))) == (
        "impossible with objects of Cart as the constructor makes them (--calls 2 calls methods before)"
    )


@pytest.mark.parametrize(("place", "outcome", "counts"), [
    (FIRST, True, {"sat": 1}),
    (FIRST, True, {"unknown": 1}),
    (FIRST, False, {"unsat": 1}),
    (SECOND, True, {"unsat": 1}),
])  # fmt: skip
def test_other_answers_do_not_exclude_it(place: Any, outcome: bool, counts: dict[str, int]) -> None:
    book = answered(ledger(SMALL), place, outcome, **counts)
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[BIG].kind == "unsolved"


def test_an_edge_whose_place_was_reached_must_be_excluded_itself() -> None:
    book = answered(ledger(SMALL, BIG, NOT_LARGE), FIRST, True, unsat=1)
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[LARGE].kind == "unsolved"
    answered(book, SECOND, True, unsat=1)
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[LARGE].kind == "infeasible"


def test_an_edge_behind_nothing_that_could_be_excluded_is_not() -> None:
    # Its place is behind an exception: no edge that nobody took stands before it.
    book = ledger(BIG, SMALL, LARGE, NOT_LARGE)
    assert verdicts(book, "exhausted", doubts=Doubts(types=("x",)))[OS].kind == "unsolved"


@pytest.mark.parametrize(("edge", "kind", "why"), [
    (KEY, "infeasible", "every way there was excluded ()"),
    (KEY_PASSED, "unsolved", "no run raised an exception that this clause does not take; "
     "OverflowError, MemoryError, RecursionError are not looked for"),
    (COMPLETED, "infeasible", "every way there was excluded ()"),
    (OS, "infeasible", "every way there was excluded ()"),
])  # fmt: skip
def test_exceptions_of_the_machine_are_not_looked_for(edge: int, kind: str, why: str) -> None:
    found = verdicts(ledger(), "exhausted")[edge]
    assert (found.kind, found.reason) == (kind, why)


def caught_by(clause: str) -> Any:
    goals = goals_of(f"def f(x):\n    try:\n        x()\n    {clause}:\n        pass\n", "f")
    return next(e for e in goals.table.edges if e.outcome == "caught")


@pytest.mark.parametrize(("clause", "catches"), [
    ("except", True),
    ("except KeyError", False),
    ("except Exception", True),
    ("except BaseException", True),
    ("except ArithmeticError", True),
    ("except RuntimeError", True),
    ("except OverflowError", True),
    ("except MemoryError", True),
    ("except RecursionError", True),
    ("except builtins.MemoryError", True),
    ("except json.JSONDecodeError", False),
    ("except (KeyError, ValueError)", False),
    ("except (KeyError, OverflowError)", True),
    ("except ERRORS", True),  # a tuple that may hold any
    ("except errors", True),
    ("except self.failures", True),
    ("except Error_", False),
    ("except choose()", True),
    ("except*KeyError", False),
    ("except* Exception", True),
    ("except (" + ", ".join(f"Error{n}" for n in range(60)) + ")", True),  # too long to be shown whole
])  # fmt: skip
def test_whether_a_clause_may_catch_an_exception_of_the_machine(clause: str, catches: bool) -> None:
    assert catches_the_machine(caught_by(clause)) is catches


@pytest.mark.parametrize(("outcome", "catches"), [
    ("passed", True), ("suppressed", True), ("completed", False), ("left", False), ("true", False),
])  # fmt: skip
def test_other_outcomes_that_an_exception_of_the_machine_may_take(outcome: str, catches: bool) -> None:
    source = """
        def f(x):
            try:
                with x:
                    x.y()
            except KeyError:
                pass
            except ValueError:
                pass
            if x:
                pass
        """
    edge = next(e for e in goals_of(source).table.edges if e.outcome == outcome)
    assert catches_the_machine(edge) is catches


# -- why an edge is unsolved ------------------------------------------------------------------------------


def test_not_reached() -> None:
    found = verdicts(ledger(SMALL))[LARGE]
    assert (found.kind, found.reason) == ("unsolved", "not reached because line 2: `if x > 3` never true")
    assert (
        found.text == "line 3: `if x > 7` never true: unsolved, not reached because line 2: `if x > 3` never true"
    )


def test_not_reached_and_what_was_lost_before_the_obstacle() -> None:
    book = ledger(SMALL)
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    assert verdicts(book)[LARGE].blamed == (LOST,)
    assert verdicts(ledger(SMALL))[LARGE].blamed == ()


@pytest.mark.parametrize(("seconds", "late"), [(None, False), (2.0, False), (0.0, False), (-0.001, True)])
def test_what_stood_before_it_is_not_looked_for_when_it_is_too_late(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, late: bool
) -> None:
    monkeypatch.setattr(module, "perf_counter", FakeClock(50.0))
    book = ledger(SMALL)
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    found = {v.edge.id: v for v in Judge(book).all("time", (), seconds)}
    unreached = (
        "stopped by time before anything reached it"
        if late
        else "not reached because line 2: `if x > 3` never true"
    )
    assert (found[LARGE].reason, found[LARGE].blamed) == (unreached, () if late else (LOST,))
    assert found[BIG].reason == "its value was concretised: line 2 by split"


def test_an_edge_that_is_its_own_obstacle_is_not_called_unreached() -> None:
    assert reason(ledger(), BIG) == "in no run was its condition a matter of the inputs"


@pytest.mark.parametrize(("edge", "why"), [
    (COMPLETED, "every run that came there raised an exception"),
    (KEY, "no run raised such an exception there"),
    (KEY_PASSED, "no run raised an exception that this clause does not take"),
    (OS, "no run raised such an exception there"),
])  # fmt: skip
def test_outcomes_of_exceptions(edge: int, why: str) -> None:
    covered = {BIG, SMALL, LARGE, NOT_LARGE, COMPLETED, KEY, KEY_PASSED, OS} - {edge}
    book = ledger(*covered)
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset(covered))
    found = verdicts(book, "time")[edge]
    assert found.reason == why
    site = book.goals.table.edges[edge].site.index
    assert found.blamed == ((LOST,) if site in book.lost else ())


def test_outcomes_of_context_managers() -> None:
    source = "def f(x):\n    with x:\n        x.y()\n    if x:\n        return 1\n"
    found = verdicts(ledger(source=source))
    assert found[0].reason == "every run that came there raised an exception"
    assert found[1].reason == "no run raised an exception there that the context manager suppresses"


def test_that_nothing_was_suppressed_is_not_proven() -> None:
    source = "def f(x):\n    with x:\n        x.y()\n    if x:\n        return 1\n"
    found = verdicts(ledger(source=source), "exhausted")
    assert found[0].kind == "infeasible"
    assert (found[1].kind, found[1].reason) == (
        "unsolved",
        "no run raised an exception there that the context manager suppresses; "
        "OverflowError, MemoryError, RecursionError are not looked for",
    )


def test_an_edge_that_is_taken_when_a_test_is_false() -> None:
    book = answered(decided(ledger(BIG), FIRST), FIRST, False, unsat=4)
    answered(book, FIRST, True, sat=1)
    assert reason(book, SMALL, "time") == "impossible on the 4 paths tried, stopped by time"


def test_the_solver_could_not_decide_it() -> None:
    book = answered(ledger(SMALL), FIRST, True, unknown=1, sat=3)
    book.reasons[FIRST, True] = "too hard"
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    found = verdicts(book)[BIG]
    assert (found.reason, found.blamed) == ("the solver could not decide it (too hard)", (LOST,))


def test_its_value_was_concretised() -> None:
    book = ledger(SMALL)
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    found = verdicts(book)[BIG]
    assert (found.reason, found.blamed) == ("its value was concretised: line 2 by split", (LOST,))


def test_nothing_of_it_depends_on_the_inputs() -> None:
    found = verdicts(ledger(SMALL))[BIG]
    assert (found.reason, found.blamed) == ("in no run was its condition a matter of the inputs", ())


def decided(book: Ledger, *places: Any) -> Ledger:
    book.decided.update(places)
    return book


def test_runs_went_another_way() -> None:
    book = decided(ledger(SMALL), FIRST)
    book.diverged[FIRST, True] = 1
    found = verdicts(book)[BIG]
    assert (found.reason, found.blamed) == ("the runs meant for it went another way", ())
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    found = verdicts(book)[BIG]
    assert (found.reason, found.blamed) == ("the runs meant for it went another way (line 2 by split)", (LOST,))


def test_impossible_on_the_paths_tried() -> None:
    book = answered(decided(ledger(SMALL), FIRST), FIRST, True, unsat=4)
    book.note_understood(Execution({}, concretisations={LOST: 1}), frozenset({SMALL}))
    found = verdicts(book, "time")[BIG]
    assert (found.reason, found.blamed) == ("impossible on the 4 paths tried, stopped by time", (LOST,))


def test_stopped_before_it_was_found() -> None:
    book = answered(decided(ledger(SMALL), FIRST), FIRST, True, unsat=4, sat=1)
    assert reason(book, BIG, "runs") == "stopped by runs"
    assert reason(decided(ledger(SMALL), FIRST), BIG, "runs") == "not tried yet, stopped by runs"


def test_one_divergence_of_the_other_outcome_says_nothing() -> None:
    book = decided(ledger(SMALL), FIRST)
    book.diverged[FIRST, False] = 1
    assert reason(book, BIG, "runs") == "not tried yet, stopped by runs"


def test_answers_of_all_decisions_that_take_an_edge_are_added_up() -> None:
    source = "def f(x, y):\n    if x > 3 or y > 3:\n        return 1\n    return 2\n"
    book = ledger(source=source)
    goals = book.goals
    taking = [span for span in goals.leaves if goals.taken(span, True)]
    true = next(e.id for e in goals.edges if e.site.kind == "if" and e.outcome == "true")
    both = [Leaf(span) for span in taking if true in goals.taken(span, True)]
    assert len(both) == 2
    goals.cover(e.id for e in goals.edges if e.id != true)
    decided(book, both[1])
    answered(book, both[0], True, unsat=2)
    answered(book, both[1], True, unsat=3)
    assert reason(book, true, "time") == "impossible on the 5 paths tried, stopped by time"
    book.diverged[both[1], True] = 1
    assert reason(book, true, "time") == "the runs meant for it went another way"
    answered(book, both[1], True, unknown=1)
    book.reasons[both[1], True] = "strings"
    assert reason(book, true, "time") == "the solver could not decide it (strings)"


# -- where terms were lost --------------------------------------------------------------------------------


def test_the_nearest_loss_before_a_test_is_blamed_first_and_three_at_most() -> None:
    source = "def f(x):\n\n\n\n\n    if x > 3:\n        return 1\n    return 2\n"
    book = ledger(SMALL, source=source)
    places = {line: Concretisation(PATH, line, f"op{line}") for line in (1, 2, 5, 7, 8)}
    book.note_understood(Execution({}, concretisations=dict.fromkeys(places.values(), 1)), frozenset({SMALL}))
    found = verdicts(book)[BIG]
    assert found.blamed == (places[5], places[2], places[1])
    assert found.reason == "its value was concretised: line 5 by op5, line 2 by op2, line 1 by op1"
    book = ledger(SMALL, source=source)
    lost = {places[line]: 1 for line in (8, 7, 1)}
    book.note_understood(Execution({}, concretisations=lost), frozenset({SMALL}))
    assert verdicts(book)[BIG].blamed == (places[1], places[7], places[8])


def test_a_loss_on_the_line_of_the_test_stands_before_it() -> None:
    book = ledger(SMALL)
    before, there, after = (Concretisation(PATH, line, "a") for line in (1, 2, 3))
    book.note_understood(Execution({}, concretisations={after: 1, before: 1, there: 1}), frozenset({SMALL}))
    assert verdicts(book)[BIG].blamed == (there, before, after)


def test_places_are_ranked_by_the_unsolved_edges_they_stand_before() -> None:
    edges = goals_of(SOURCE).edges
    other = Concretisation(PATH, 9, "join")
    found = [
        EdgeVerdict(edges[0], "unsolved", blamed=(other, LOST)),
        EdgeVerdict(edges[1], "unsolved", blamed=(LOST, other)),
        EdgeVerdict(edges[2], "unsolved", blamed=(LOST,)),
        EdgeVerdict(edges[3], "unsolved"),
        EdgeVerdict(edges[4], "infeasible", blamed=(other,)),
        EdgeVerdict(edges[5], "covered", blamed=(other,)),
    ]
    assert ranked(found) == [(LOST, 2), (other, 1)]
    assert ranked([]) == []


# -- what was refused -------------------------------------------------------------------------------------


def test_what_was_refused_stands_behind_every_reason_of_an_unsolved_edge() -> None:
    refused = {
        Refusal("write", "write /x", PATH, 12), Refusal("net", "connect", PATH, 3),
        Refusal("write", "write /y", PATH, 3),
    }  # fmt: skip
    found = verdicts(ledger(SMALL), "time", refused=refused)
    assert found[BIG].reason == (
        "in no run was its condition a matter of the inputs; "
        "something was refused at line 3, line 12 (--allow net --allow write)"
    )
    assert found[SMALL].reason == ""
    assert found[DEAD_TRUE].reason == "it follows the return on line 11"
    assert verdicts(ledger(SMALL), "exhausted", refused=refused)[BIG].reason == "every way there was excluded ()"
