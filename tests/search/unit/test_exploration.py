"""Explorations of every path: what is run, asked, counted and reported, and what ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from fake_program import PATH, FakeClock, FakeProgram, FakeSolver, Row, above, equals, on, site_at

from ramify.runtime.inputs import Written
from ramify.runtime.programs import CRASHED, CUT, RAISED, REJECTED, RETURNED, VIOLATED, Execution
from ramify.runtime.recording import Concretisation, Decision, Phase
from ramify.runtime.sandbox import Refusal, Stopped
from ramify.runtime.search import (
    Candidate,
    Exploration,
    Limits,
    Path,
    PathExploration,
    Summary,
    follows,
    path_key,
    strategy,
)
from ramify.runtime.search import exploration as module
from ramify.runtime.search.strategies import BreadthFirst, DecidedEdge
from ramify.runtime.solver import Stats
from ramify.runtime.terms import TRUE, Term, make, not_, satisfies

REFUSAL = Refusal("write", "write /x", PATH, 3)
PLACE = Concretisation(PATH, 3, "split")


def step(line: int, outcome: bool, term: Term, phase: Phase = Phase.BODY) -> Decision:
    return Decision(site_at(on(line)), outcome, term, phase)


def rows(path: Callable[[int], list[tuple[int, Term]]], domain: range = range(-10, 30)) -> dict[int, Row]:
    return {
        x: Row(decisions=[step(line, satisfies({"x": x}, [term]), term) for line, term in path(x)]) for x in domain
    }


def branches(x: int) -> list[tuple[int, Term]]:
    """Three paths: above 3, 1, anything else."""
    return [(2, above(3))] if x > 3 else [(2, above(3)), (4, equals(1))]


def loop(x: int) -> list[tuple[int, Term]]:
    """As many rounds as the input says."""
    return [(2, above(n)) for n in range(max(x, 0) + 1)]


class Explored:
    """An exploration of a table, and what came of it."""

    def __init__(
        self,
        table: dict[int, Row],
        order: str | None = "bfs",
        solver: FakeSolver | None = None,
        program: FakeProgram | None = None,
        **limits: Any,
    ) -> None:
        self.program = FakeProgram(table) if program is None else program
        self.solver = FakeSolver() if solver is None else solver
        chosen = None if order is None else strategy(order)
        self.exploration = PathExploration(self.program, self.solver, chosen, Limits(**limits))  # type: ignore[arg-type]
        self.summary = self.exploration.summary
        self.paths = list(self.exploration)

    @property
    def inputs(self) -> list[int | None]:
        return self.program.asked("run")

    @property
    def found(self) -> list[tuple[int, str]]:
        return [(path.execution.assignment["x"], path.outcome) for path in self.paths]


# -- the loop ---------------------------------------------------------------------------------------------


def test_every_path_is_run_once_in_the_order_of_the_strategy() -> None:
    breadth = Explored(rows(branches))
    assert breadth.inputs == [None, 4, 1]
    assert breadth.found == [(0, RETURNED), (4, RETURNED), (1, RETURNED)]
    assert Explored(rows(branches), "dfs").inputs == [None, 1, 4]


def test_depth_first_is_the_order_unless_another_is_given() -> None:
    assert Explored(rows(branches), None).inputs == [None, 1, 4]


def test_the_counters_of_an_exploration_that_came_to_its_end() -> None:
    summary = Explored(rows(branches)).summary
    assert (summary.stop, summary.runs, summary.paths, summary.depth) == ("exhausted", 3, 3, 2)
    assert summary.solver.queries == {"sat": 2, "unsat": 0, "unknown": 0}
    assert (summary.cut, summary.pruned, summary.rejected, summary.divergences) == (0, 0, 0, 0)
    assert (summary.dropped, summary.unknown, summary.crashed) == (0, 0, 0)


def test_a_question_is_the_path_up_to_the_decision_and_its_other_side() -> None:
    table = rows(branches)
    table[0].facts = [above(-9)]
    explored = Explored(table)
    assert explored.solver.asked == [
        ([above(-9)], above(3), {"x": 0}),
        ([above(-9), not_(above(3))], equals(1), {"x": 0}),
    ]


def test_decisions_that_were_reversed_are_not_reversed_again() -> None:
    explored = Explored(rows(loop, range(4)), solver=FakeSolver(range(4)))
    assert explored.inputs == [None, 1, 2, 3]
    assert explored.solver.stats.queries == {"sat": 3, "unsat": 1, "unknown": 0}
    assert explored.summary.depth == 3
    assert explored.summary.stop == "exhausted"


def test_what_a_path_has_decided_before_is_answered_without_the_solver() -> None:
    table = {0: Row(decisions=[step(2, False, above(3)), step(3, False, above(3))]),
             4: Row(decisions=[step(2, True, above(3)), step(3, True, above(3))])}  # fmt: skip
    explored = Explored(table)
    assert explored.inputs == [None, 4]
    assert len(explored.solver.asked) == 1
    assert explored.solver.stats.queries == {"sat": 1, "unsat": 2, "unknown": 0}
    assert explored.solver.stats.cache_hits == {"unsat_subset": 2}


def test_what_was_decided_before_the_bound_does_not_count_as_answered() -> None:
    twice = [step(2, False, above(3)), step(3, False, above(3))]
    table = {0: Row(decisions=[*twice, step(4, False, equals(1))]),
             1: Row(decisions=[*twice, step(4, True, equals(1))])}  # fmt: skip
    explored = Explored(table, "dfs", FakeSolver(range(3)))
    assert explored.inputs == [None, 1]
    assert explored.solver.stats.cache_hits == {"unsat_subset": 1}


def test_a_path_that_was_there_is_not_reported_again() -> None:
    solver = FakeSolver()
    solver.mistaken[equals(1)] = 2  # takes the path of the first run
    explored = Explored(rows(branches), solver=solver)
    assert explored.found == [(0, RETURNED), (4, RETURNED)]
    assert (explored.summary.divergences, explored.summary.paths, explored.summary.runs) == (1, 2, 3)
    assert explored.summary.stop == "incomplete"


def test_a_run_that_goes_another_way_is_reversed_from_the_start() -> None:
    solver = FakeSolver()
    solver.mistaken[above(3)] = 1
    explored = Explored(rows(branches), solver=solver)
    assert explored.found == [(0, RETURNED), (1, "diverged")]
    # The second input is that of the other flip too; from its own run both decisions are reversed.
    assert explored.inputs == [None, 1, 1, 1, -10]
    assert explored.summary.divergences == 2
    assert explored.summary.stop == "incomplete"


def test_each_question_that_is_not_decided_is_counted() -> None:
    solver = FakeSolver()
    solver.helpless = {above(3): "too hard", equals(1): "too hard"}
    summary = Explored(rows(branches), solver=solver).summary
    assert (summary.unknown, summary.stop, summary.runs) == (2, "incomplete", 1)


def timed(monkeypatch: pytest.MonkeyPatch, lasting: float, **limits: Any) -> Explored:
    """An exploration whose runs take so many seconds each, and nothing else takes any."""
    program = FakeProgram(rows(branches))
    program.clock, program.lasting = FakeClock(50.0), lasting
    monkeypatch.setattr(module, "perf_counter", program.clock)
    return Explored({}, program=program, **limits)


@pytest.mark.parametrize(("lasting", "left"), [(4.0, [10.0, 6.0, 2.0]), (4.98, [10.0, 5.02, 0.1])])
def test_a_run_is_told_what_is_left_of_the_budget_and_a_tenth_of_a_second_at_least(
    monkeypatch: pytest.MonkeyPatch, lasting: float, left: list[float]
) -> None:
    explored = timed(monkeypatch, lasting, seconds=10.0)
    assert [call[2] for call in explored.program.calls if call[0] == "run"] == pytest.approx(left)


def test_a_run_without_a_budget_has_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {call[2] for call in timed(monkeypatch, 4.0).program.calls if call[0] == "run"} == {None}


def test_shared_terms_that_nobody_uses_are_dropped_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    # At every 256th run: how many there are, and after they were dropped how many remain.
    sizes = [500_000, 500_001, 300_000, 600_000, 600_001, 200_000, 500_000, 500_001, 0]
    collected: list[int] = []
    exploration = PathExploration(FakeProgram({0: Row()}), FakeSolver())  # type: ignore[arg-type]
    monkeypatch.setattr(module, "table_size", lambda: sizes.pop(0))
    monkeypatch.setattr(module, "collect", lambda: collected.append(exploration.summary.runs))
    for _ in range(256 * 6 + 255):
        list(exploration)
    # The limit is then twice of what remained, and never below the first one.
    assert collected == [512, 1024, 1536]
    assert sizes == []


# -- what ends it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("runs", "stop"), [(1, "runs"), (2, "runs"), (3, "runs"), (4, "exhausted")])
def test_the_number_of_runs_ends_it(runs: int, stop: str) -> None:
    explored = Explored(rows(branches), runs=runs)
    assert explored.summary.stop == stop
    assert len(explored.inputs) == min(runs, 3)


@pytest.mark.parametrize(("lasting", "runs", "stop"), [
    (3.0, 3, "exhausted"), (4.999, 3, "time"), (5.0, 2, "time"), (5.001, 2, "time"), (10.0, 1, "time"),
])  # fmt: skip
def test_the_time_ends_it(monkeypatch: pytest.MonkeyPatch, lasting: float, runs: int, stop: str) -> None:
    summary = timed(monkeypatch, lasting, seconds=10.0).summary
    assert (summary.runs, summary.stop) == (runs, stop)


def test_limits_are_none_unless_they_are_given() -> None:
    assert Limits() == Limits(None, None, None)
    assert PathExploration(FakeProgram(), FakeSolver()).limits == Limits()  # type: ignore[arg-type]


def test_the_limit_of_runs_is_named_before_that_of_time() -> None:
    explored = Explored(rows(branches), runs=1, seconds=0.0)
    assert explored.summary.stop == "runs"
    assert Explored(rows(branches), seconds=0.0).summary.stop == "time"


def test_time_counts_from_the_start_of_the_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    program = FakeProgram(rows(branches))
    program.clock, program.lasting = FakeClock(50.0), 2.0
    monkeypatch.setattr(module, "perf_counter", program.clock)
    exploration = PathExploration(program, FakeSolver())  # type: ignore[arg-type]
    exploration.close()
    assert exploration.summary.seconds == 0.0
    program.clock.now = 70.0
    exploration.close()
    assert exploration.summary.seconds == 20.0
    list(exploration)
    assert exploration.summary.seconds == 6.0


@pytest.mark.parametrize("run", [0, 1, 2])
def test_an_interrupt_keeps_what_was_found(run: int) -> None:
    program = FakeProgram(rows(branches))
    program.interrupted_at = run
    explored = Explored({}, program=program)
    assert explored.summary.stop == "interrupted"
    assert len(explored.paths) == run
    assert program.calls[-1] == ("close", None)


@pytest.mark.parametrize(("end", "stop"), [
    (Stopped("time"), "time"), (Stopped("memory"), "memory"), (MemoryError(), "memory"),
    (KeyboardInterrupt(), "interrupted"),
])  # fmt: skip
def test_what_ends_a_search_from_outside(monkeypatch: pytest.MonkeyPatch, end: BaseException, stop: str) -> None:
    told: list[str] = []
    monkeypatch.setattr(module, "closing", lambda: told.append("closing"))
    program = FakeProgram()

    def ended(*_: Any, **__: Any) -> Execution:
        raise end

    program.run = ended  # type: ignore[method-assign]
    explored = Explored({}, program=program)
    assert explored.summary.stop == stop
    assert told == ["closing"]
    assert program.calls == [("close", None)]


def test_who_stops_iterating_finds_the_summary_complete_and_the_program_closed() -> None:
    program = FakeProgram(rows(branches))
    exploration = PathExploration(program, FakeSolver())  # type: ignore[arg-type]
    assert exploration.summary.stop == "interrupted"
    paths = iter(exploration)
    next(paths)
    next(paths)
    exploration.close()
    assert program.calls[-1] == ("close", None)
    assert (exploration.summary.stop, exploration.summary.paths, exploration.summary.depth) == (
        "interrupted",
        2,
        1,
    )
    assert exploration.summary.seconds > 0.0


def test_an_error_closes_the_program_and_surfaces() -> None:
    program = FakeProgram(rows(branches))

    def broken(*_: Any, **__: Any) -> Execution:
        raise RuntimeError("of the engine")

    program.run = broken  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        Explored({}, program=program)
    assert program.calls == [("close", None)]


def test_what_an_exploration_does_is_up_to_its_kind() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Exploration(FakeProgram(), FakeSolver())  # type: ignore[abstract, arg-type]


# -- runs of every kind -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "counter"), [(CUT, "cut"), (CRASHED, "crashed"), (VIOLATED, None), (RAISED, None)]
)
def test_how_a_path_ended_is_reported_and_counted(outcome: str, counter: str | None) -> None:
    table = rows(branches)
    table[4].outcome = outcome
    explored = Explored(table)
    assert explored.found == [(0, RETURNED), (4, outcome), (1, RETURNED)]
    counted = {name: getattr(explored.summary, name) for name in ("cut", "crashed", "rejected")}
    assert counted == {name: int(name == counter) for name in counted}
    assert explored.summary.stop == ("exhausted" if counter is None else "incomplete")


def test_rejected_inputs_are_counted_not_reported_and_reversed() -> None:
    table = rows(branches)
    table[0].outcome = REJECTED
    explored = Explored(table)
    assert explored.found == [(4, RETURNED), (1, RETURNED)]
    assert (explored.summary.rejected, explored.summary.paths, explored.summary.runs) == (1, 2, 3)
    assert explored.summary.stop == "exhausted"


def test_paths_of_rejected_inputs_are_not_deep() -> None:
    table = rows(branches)
    table[0].outcome = REJECTED
    table[1].outcome = REJECTED
    assert Explored(table).summary.depth == 1


def test_losses_and_refusals_make_a_search_incomplete() -> None:
    table = rows(branches)
    table[0].lost, table[1].lost = {PLACE: 2}, {PLACE: 1}
    explored = Explored(table)
    assert explored.summary.concretisations == {PLACE: 3}
    assert explored.summary.stop == "incomplete"
    table = rows(branches)
    table[0].refusals = [REFUSAL]
    explored = Explored(table)
    assert explored.summary.refused == {REFUSAL}
    assert explored.summary.stop == "incomplete"


def test_what_a_strategy_gave_up_is_in_the_summary() -> None:
    explored = Explored(rows(loop), "smart-paths", FakeSolver(range(25)))
    assert explored.summary.dropped == explored.exploration.strategy.dropped
    explored.exploration.strategy.dropped = 3
    list(explored.exploration)
    assert (explored.summary.dropped, explored.summary.stop) == (3, "incomplete")


# -- depth ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "inputs", "pruned"), [(0, [None], 1), (1, [None, 4], 1), (2, [None, 4, 1], 0)])
def test_a_limit_of_depth_prunes(depth: int, inputs: list[int | None], pruned: int) -> None:
    explored = Explored(rows(branches), depth=depth)
    assert explored.inputs == inputs
    assert explored.summary.pruned == pruned
    assert explored.summary.stop == ("incomplete" if pruned else "exhausted")


def test_only_decisions_of_the_body_are_deep() -> None:
    build = step(1, True, make("lt", above(0).args[0], above(50).args[1]), Phase.BUILD)
    table = {x: Row(decisions=[build, *row.decisions]) for x, row in rows(branches).items()}
    explored = Explored(table, depth=2, solver=FakeSolver(range(30)))
    assert explored.summary.pruned == 0
    assert explored.inputs == [None, 4, 1]


def test_decisions_before_the_bound_are_deep_too() -> None:
    explored = Explored(rows(loop), depth=2)
    assert explored.inputs == [None, 1, 2]
    assert explored.summary.pruned == 1


def test_how_deep_a_search_went_is_the_number_of_free_decisions_of_a_path() -> None:
    assert Explored(rows(branches), runs=1).summary.depth == 0
    assert Explored(rows(branches), runs=2).summary.depth == 1
    assert Explored(rows(lambda x: []), runs=9).summary.depth == 0


# -- contracts --------------------------------------------------------------------------------------------


def test_a_precondition_that_held_is_not_reversed() -> None:
    held = step(1, True, make("lt", above(0).args[0], above(50).args[1]), Phase.ASSUMED)
    table = {x: Row(decisions=[held, *row.decisions]) for x, row in rows(branches).items()}
    explored = Explored(table)
    assert [goal for _, goal, _ in explored.solver.asked] == [above(3), equals(1)]
    assert explored.summary.stop == "exhausted"


def test_a_precondition_that_failed_is_reversed() -> None:
    table = {
        0: Row(decisions=[step(1, False, above(3), Phase.ASSUMED)], outcome=REJECTED),
        4: Row(decisions=[step(1, True, above(3), Phase.ASSUMED)]),
    }
    explored = Explored(table)
    assert explored.inputs == [None, 4]
    assert explored.summary.stop == "exhausted"


def promising(**others: Any) -> dict[int, Row]:
    """One that keeps `x <= 8` on the way above 3, and others that break it."""
    table = rows(branches)
    table[4].promises = [TRUE, not_(above(8))]
    for name, value in others.items():
        setattr(table[4], name, value)
    for x in range(9, 30):
        table[x].outcome = VIOLATED
    return table


def test_a_promise_is_broken_by_another_input_on_the_same_path_if_there_is_one() -> None:
    explored = Explored(promising(facts=[above(-9)]))
    assert explored.found == [(0, RETURNED), (9, VIOLATED), (1, RETURNED)]
    assert explored.solver.asked[1] == ([above(-9), above(3)], above(8), {"x": 4})
    assert (explored.summary.runs, explored.summary.paths, explored.summary.divergences) == (4, 3, 0)


def test_a_promise_that_holds_on_the_whole_path_leaves_the_run_as_it_is() -> None:
    explored = Explored(promising(), solver=FakeSolver(range(9)))
    assert explored.found == [(0, RETURNED), (4, RETURNED), (1, RETURNED)]
    assert explored.summary.stop == "exhausted"


def test_a_promise_that_nobody_can_decide_is_unknown() -> None:
    solver = FakeSolver()
    solver.helpless[above(8)] = "too hard"
    explored = Explored(promising(), solver=solver)
    assert explored.found == [(0, RETURNED), (4, RETURNED), (1, RETURNED)]
    assert (explored.summary.unknown, explored.summary.divergences) == (1, 0)


def test_an_answer_that_breaks_no_promise_is_a_divergence() -> None:
    table = promising()
    table[9].outcome = RETURNED
    explored = Explored(table)
    assert explored.found == [(0, RETURNED), (4, RETURNED), (1, RETURNED)]
    assert explored.summary.divergences == 1


def test_a_run_that_broke_a_promise_is_asked_for_no_other() -> None:
    explored = Explored(promising(outcome=VIOLATED))
    assert explored.found == [(0, RETURNED), (4, VIOLATED), (1, RETURNED)]
    assert len(explored.solver.asked) == 2


def test_each_promise_that_can_be_broken_is_a_path() -> None:
    table = promising()
    table[4].promises = [not_(above(8)), not_(above(9))]
    explored = Explored(table)
    assert explored.found == [(0, RETURNED), (9, VIOLATED), (10, VIOLATED), (1, RETURNED)]


def test_a_path_on_which_only_the_postcondition_differs_is_reported_once() -> None:
    body = step(2, False, above(3))
    table = {
        0: Row(decisions=[body, step(5, False, equals(1), Phase.ENSURE)]),
        1: Row(decisions=[body, step(5, True, equals(1), Phase.ENSURE)]),
        4: Row(decisions=[step(2, True, above(3))]),
    }
    explored = Explored(table, solver=FakeSolver(range(5)))
    assert explored.found == [(0, RETURNED), (4, RETURNED)]
    assert explored.inputs == [None, 4, 1]
    table[1].outcome = VIOLATED
    assert Explored(table, solver=FakeSolver(range(5))).found == [(0, RETURNED), (4, RETURNED), (1, VIOLATED)]


def test_a_body_that_was_seen_with_a_postcondition_is_reported_again_without() -> None:
    body = step(2, False, above(3))
    solver = FakeSolver(range(5))
    solver.mistaken[equals(1)] = 2
    table = {0: Row(decisions=[body, step(5, False, equals(1), Phase.ENSURE)]), 2: Row(decisions=[body])}
    explored = Explored(table, solver=solver, runs=3)
    assert (2, "diverged") in explored.found


# -- the summary and the paths ----------------------------------------------------------------------------


def test_a_summary_is_complete_until_something_was_left_undone() -> None:
    assert Summary(Stats()).complete()
    undone = {
        "cut": 1, "pruned": 1, "divergences": 1, "dropped": 1, "unknown": 1, "crashed": 1,
        "refused": {REFUSAL}, "concretisations": {PLACE: 1},
    }  # fmt: skip
    for name, value in undone.items():
        summary = Summary(Stats())
        setattr(summary, name, value)
        assert not summary.complete(), name
    for name in ("paths", "runs", "rejected", "depth", "seconds"):
        summary = Summary(Stats())
        setattr(summary, name, 1)
        assert summary.complete(), name


def test_a_summary_begins_with_nothing() -> None:
    assert Summary(Stats()) == Summary(Stats(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, set(), {}, 0.0, "interrupted")
    assert Summary(Stats()).dropped == 0
    assert Summary(Stats()).seconds == 0.0


def test_losses_add_up() -> None:
    summary = Summary(Stats())
    for times in (2, 3):
        summary.count_lost(Execution({}, concretisations={PLACE: times}, refusals=[REFUSAL]))
    assert summary.concretisations == {PLACE: 5}
    assert summary.refused == {REFUSAL}


def test_a_path_shows_what_its_run_did() -> None:
    written = Written({"x": "A(3)", "y": "[]"}, "A(3), y=[]", ["a = 1"], ["m"])
    error = KeyError()
    run = Execution(
        {"x": 3}, [step(2, True, above(3))], outcome=RAISED, result=7, exception=error, output="hello",
        describe=lambda assignment: written if assignment == {"x": 3} else Written({}), outside=("x",),
    )  # fmt: skip
    path = Path(run, RAISED)
    assert path.call == "{'x': A(3), 'y': []}"
    assert (path.expression, path.setup, path.imports, path.outside) == ("A(3), y=[]", ["a = 1"], ["m"], ("x",))
    assert (path.result, path.exception, path.output, path.decisions) == (7, error, "hello", run.decisions)
    assert path.facts == ()


def test_a_path_condition_is_python() -> None:
    either = make("or", above(3), equals(1))
    run = Execution({}, [
        step(2, True, above(3)), step(3, True, above(3)), step(4, True, either),
        step(5, True, equals(7), Phase.ENSURE),
    ])  # fmt: skip
    path = Path(run, RETURNED)
    assert path.conditions == [above(3), either]
    assert path.path_condition == "x > 3 and (x > 3 or x == 1)"
    assert Path(Execution({}), RETURNED).path_condition == "True"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (make("and", above(3), equals(5)), "(x > 3 and x == 5)"),
        (make("or", above(3), equals(5)), "(x > 3 or x == 5)"),
        (make("ite", above(3), equals(5), equals(6)), "(x == 5 if x > 3 else x == 6)"),
        (above(3), "x > 3"),
    ],
)
def test_a_condition_of_several_has_parentheses(condition: Term, text: str) -> None:
    run = Execution({}, [step(1, True, above(1)), step(2, True, condition)])
    assert Path(run, RETURNED).path_condition == f"x > 1 and {text}"
    assert Path(run, RETURNED).where == {}
    assert Path.as_part(condition) == text


def test_parts_of_a_long_condition_have_names() -> None:
    part = above(0).args[0]
    for _ in range(14):
        part = make("add", part, make("mul", part, part))
    path = Path(Execution({}, [step(1, True, make("gt", part, above(3).args[1]))]), RETURNED)
    assert path.where
    assert list(path.where)[-1] in path.path_condition


def test_paths_are_the_same_if_sites_and_outcomes_and_conditions_are() -> None:
    first = step(2, True, above(3))
    assert path_key([first, step(3, True, above(3))]) == (
        (site_at(on(2)), True, above(3)), (site_at(on(3)), True, above(3)),
    )  # fmt: skip
    assert path_key([first]) == path_key([step(2, True, above(3), Phase.ENSURE)])
    for other in (step(3, True, above(3)), step(2, False, above(3)), step(2, True, above(4))):
        assert path_key([first]) != path_key([other])


def observed(*steps: tuple[int, bool]) -> Execution:
    return Execution({}, [step(line, outcome, above(line)) for line, outcome in steps])


@pytest.mark.parametrize(("run", "does"), [
    (observed((1, True), (2, False)), True),
    (observed((1, True), (2, False), (9, True)), True),
    (observed((1, True), (2, True)), False),
    (observed((1, True)), False),
    (observed(), False),
    (observed((1, True), (3, False)), False),
    (observed((1, False), (2, False)), False),
    (observed((4, True), (2, False)), False),
])  # fmt: skip
def test_whether_a_run_took_the_decisions_it_was_built_for(run: Execution, does: bool) -> None:
    expected = observed((1, True), (2, True), (3, True))
    assert follows(run, Candidate(expected, 1, 1)) is does


def test_a_run_is_compared_by_sites_and_outcomes_not_by_conditions() -> None:
    expected = observed((1, True), (2, True))
    run = Execution({}, [step(1, True, above(77)), step(2, False, above(78))])
    assert follows(run, Candidate(expected, 1, 1))


def test_iterating_again_runs_again() -> None:
    explored = Explored(rows(branches))
    again: Iterator[Path] = iter(explored.exploration)
    assert list(again) == []  # every path is known
    assert explored.summary.runs == 4


class Listening(BreadthFirst):
    """The order of breadth, and everything that it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Any] = []

    def add(self, candidates: Sequence[Candidate]) -> None:
        self.told.append([(c.index, c.serial, c.gained) for c in candidates])
        super().add(candidates)

    def solved(self, candidate: Candidate, satisfiable: bool) -> None:
        self.told.append((candidate.serial, satisfiable))

    def covered(self, edges: Sequence[DecidedEdge], new: int) -> None:
        self.told.append(([(site.line, outcome) for site, outcome in edges], new))


def test_what_a_strategy_is_told() -> None:
    order = Listening()
    list(PathExploration(FakeProgram(rows(branches)), FakeSolver(range(0, 4)), order))  # type: ignore[arg-type]
    assert order.told == [
        ([(2, False), (4, False)], 2), [(0, 1, 2), (1, 2, 2)],
        (1, False),
        (2, True), ([(4, True)], 1), [],
    ]  # fmt: skip
    order = Listening()
    list(PathExploration(FakeProgram(rows(loop)), FakeSolver(range(4)), order))  # type: ignore[arg-type]
    assert [told for told in order.told if isinstance(told, list)] == [
        [(0, 1, 1)], [(1, 2, 1)], [(2, 3, 0)], [(3, 4, 0)],
    ]  # fmt: skip


def test_counters_count() -> None:
    table = rows(branches)
    for x in (0, 1, 4):
        table[x].outcome = REJECTED
    assert Explored(table).summary.rejected == 3
    solver = FakeSolver()
    solver.helpless = {above(8): "too hard", above(9): "too hard"}
    table = promising(promises=[not_(above(8)), not_(above(9))])
    assert Explored(table, solver=solver).summary.unknown == 2
    table = promising(promises=[not_(above(8)), not_(above(9))])
    for x in range(9, 30):
        table[x].outcome = RETURNED
    assert Explored(table).summary.divergences == 2
    assert Explored(rows(loop, range(4)), depth=0).summary.pruned == 1


def test_each_path_that_was_pruned_counts() -> None:
    table = rows(branches)
    table[4].decisions = [*table[4].decisions, step(7, False, above(5)), step(8, False, above(6))]
    table[1].decisions = [*table[1].decisions, step(9, False, above(-1))]
    summary = Explored(table, depth=2).summary
    assert summary.pruned == 2


def test_an_exploration_that_never_began_has_no_depth() -> None:
    exploration = PathExploration(FakeProgram(), FakeSolver())  # type: ignore[arg-type]
    exploration.close()
    assert exploration.summary.depth == 0


def test_paths_without_a_body_are_reported_once() -> None:
    table = {
        0: Row(decisions=[step(5, False, equals(1), Phase.ENSURE)]),
        1: Row(decisions=[step(5, True, equals(1), Phase.ENSURE)]),
    }
    explored = Explored(table)
    assert explored.inputs == [None, 1]
    assert explored.found == [(0, RETURNED)]


def test_a_body_that_was_seen_without_a_postcondition_is_not_reported_with_one() -> None:
    solver = FakeSolver(range(5))
    solver.mistaken[above(3)] = 2
    body = step(2, False, above(3))
    table = {0: Row(decisions=[body]), 2: Row(decisions=[body, step(5, False, equals(1), Phase.ENSURE)])}
    explored = Explored(table, solver=solver, runs=2)
    assert explored.inputs == [None, 2]
    assert explored.found == [(0, RETURNED)]


def test_different_bodies_with_the_same_postcondition_are_both_reported() -> None:
    ensured = step(5, False, equals(9), Phase.ENSURE)
    table = {
        0: Row(decisions=[step(2, False, above(3)), ensured]),
        4: Row(decisions=[step(2, True, above(3)), ensured]),
    }
    assert Explored(table, solver=FakeSolver(range(5))).found == [(0, RETURNED), (4, RETURNED)]


def test_a_body_is_known_again_whatever_came_before_it() -> None:
    solver = FakeSolver(range(5))
    solver.mistaken[equals(1)] = 5
    table = {
        0: Row(decisions=[step(6, False, above(3)), step(7, False, equals(1))]),
        4: Row(decisions=[step(6, True, above(3))]),
        5: Row(decisions=[step(6, True, above(3)), step(8, False, equals(9), Phase.ENSURE)]),
    }
    explored = Explored(table, solver=solver, runs=3)
    assert explored.inputs == [None, 4, 5]
    assert explored.found == [(0, RETURNED), (4, RETURNED)]


def test_a_precondition_that_held_before_the_bound_does_not_speak_for_the_body() -> None:
    held = step(1, True, above(-9), Phase.ASSUMED)
    table = {
        0: Row(decisions=[held, step(2, False, above(3))]),
        4: Row(decisions=[held, step(2, True, above(3)), step(3, True, above(-9))]),
    }
    explored = Explored(table)
    assert [goal for _, goal, _ in explored.solver.asked] == [above(3), not_(above(-9))]
