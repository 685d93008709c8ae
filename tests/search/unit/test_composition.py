"""The guided exploration: its parts put together, its stop conditions, and its clock of real time."""

from __future__ import annotations

from typing import Any

import pytest
from fake_program import (
    FakeClock,
    FakeProgram,
    FakeSolver,
    Row,
    above,
    equals,
    goals_of,
    leaf,
    table_of,
)

from ramify.runtime.inputs import Doubts
from ramify.runtime.programs import RAISED, Climb
from ramify.runtime.recording import Concretisation, Why
from ramify.runtime.sandbox import CLOSING, Refusal, WorkerDied
from ramify.runtime.search import Ambition, GuidedExploration, Limits, Stop, verdicts
from ramify.runtime.search import exploration as loop
from ramify.runtime.search import guided as module

SOURCE = """
    def f(x):
        if x > 3:
            return 1
        if x == 1:
            return 2
        return 3
    """
QUIET = Ambition(search=False, burst=0)


def branches(x: int) -> list[tuple[int, Any]]:
    return [(2, above(3))] if x > 3 else [(2, above(3)), (4, equals(1))]


def program_of_branches() -> FakeProgram:
    return FakeProgram(table_of(goals_of(SOURCE), range(-10, 30), branches))


def guided(
    program: FakeProgram | None = None,
    solver: FakeSolver | None = None,
    ambition: Ambition = QUIET,
    **limits: Any,
) -> GuidedExploration:
    return GuidedExploration(
        program or program_of_branches(),
        goals_of(SOURCE),
        solver or FakeSolver(),  # type: ignore[arg-type]
        Limits(**limits),
        ambition,
    )


def inputs(exploration: GuidedExploration) -> list[int]:
    return [path.execution.assignment["x"] for path in exploration]


# -- the loop ---------------------------------------------------------------------------------------------


def test_a_search_ends_when_everything_is_covered() -> None:
    exploration = guided()
    assert inputs(exploration) == [0, 4, 1]
    summary = exploration.summary
    assert (summary.stop, summary.runs, summary.paths, summary.depth) == ("covered", 3, 3, 2)
    assert exploration.program.asked("measure") == [None, 4, 1]  # type: ignore[attr-defined]
    assert [v.kind for v in exploration.edge_verdicts()] == ["covered"] * 4


def test_every_turn_is_a_step_and_a_path_is_one_more() -> None:
    steps = [None if path is None else path.execution.assignment["x"] for path in guided().steps()]
    assert steps == [0, 4, None, 1, None]


def test_a_turn_takes_time_by_the_clock_of_the_search() -> None:
    exploration = guided()
    list(exploration)
    work = 3 * (0.0002 + 0.0006) + 5 * 5e-6 + 2 * 0.0005
    assert exploration.effort.spent == pytest.approx(work + 2 * 0.00002)


def test_the_setup_of_a_world_is_part_of_the_clock() -> None:
    program = program_of_branches()
    program.setup = 0.25
    exploration = guided(program)
    list(exploration)
    assert exploration.effort.spent == pytest.approx(6 * 0.25, abs=0.01)


def test_a_search_that_excluded_the_rest_is_exhausted() -> None:
    exploration = guided(solver=FakeSolver(range(0, 4)))
    assert inputs(exploration) == [0, 1]
    assert exploration.summary.stop == "exhausted"
    (verdict,) = [v for v in exploration.edge_verdicts() if v.kind != "covered"]
    assert verdict.text == (
        "line 2: `if x > 3` never true: infeasible, every way there was excluded (texts up to 3, lists up to 2)"
    )


def test_a_search_with_something_undone_is_incomplete() -> None:
    solver = FakeSolver()
    solver.helpless[above(3)] = "too hard"
    exploration = guided(solver=solver)
    assert inputs(exploration) == [0, 1]
    assert exploration.summary.stop == "incomplete"
    (verdict,) = [v for v in exploration.edge_verdicts() if v.kind != "covered"]
    assert verdict.reason == "the solver could not decide it (too hard)"


def test_the_doubts_of_a_program_reach_the_verdicts() -> None:
    program = program_of_branches()
    program.table[0].decisions = program.table[0].decisions[1:]  # nobody asked about the first test
    program.trust = Doubts(types=("x",))
    exploration = guided(program, FakeSolver(range(0, 4)))
    list(exploration)
    assert exploration.summary.stop in ("exhausted", "incomplete")
    (verdict,) = [v for v in exploration.edge_verdicts() if v.kind != "covered"]
    assert verdict.kind == "unsolved"


def test_a_function_that_never_returns_is_searched_to_the_end() -> None:
    program = program_of_branches()
    for row in program.table.values():
        row.outcome, row.exception = RAISED, KeyError()
    exploration = guided(program)
    assert inputs(exploration) == [0, 4, 1]
    assert exploration.summary.stop == "exhausted"


def test_what_a_path_has_decided_before_counts_as_answered() -> None:
    program = program_of_branches()
    for row in program.table.values():
        row.decisions = [*row.decisions, *row.decisions]
    exploration = guided(program)
    list(exploration)
    assert exploration.summary.solver.cache_hits == {"unsat_subset": 2 + 1 + 2}


def test_all_paths_is_more_than_all_edges() -> None:
    exploration = guided(ambition=Ambition(all_paths=True, search=False, burst=0))
    list(exploration)
    assert exploration.summary.stop == "exhausted"


def test_what_was_refused_reaches_the_verdicts() -> None:
    program = program_of_branches()
    program.table[0].refusals = [Refusal("net", "connect", "/subject.py", 3)]
    exploration = guided(program, FakeSolver(range(0, 4)))
    list(exploration)
    (verdict,) = [v for v in exploration.edge_verdicts() if v.kind != "covered"]
    assert verdict.reason.endswith("; something was refused at line 3 (--allow net)")


def test_lost_terms_reach_the_verdicts() -> None:
    program = program_of_branches()
    program.table[0].lost = {Concretisation("/subject.py", 2, "split"): 1}
    program.table[0].decisions = []
    exploration = guided(program)
    list(exploration)
    assert [v.reason for v in exploration.edge_verdicts() if v.kind != "covered"] == [
        "its value was concretised: line 2 by split", "its value was concretised: line 2 by split",
    ]  # fmt: skip


# -- what its parts are told ------------------------------------------------------------------------------


def test_lessons_limits_and_ambition_reach_the_parts() -> None:
    program = program_of_branches()
    exploration = guided(program, depth=1)
    assert exploration.ledger.known.lessons is program.lessons
    assert exploration.goals is exploration.ledger.goals
    list(exploration)
    assert exploration.summary.pruned == 1
    assert exploration.ambition == QUIET
    exploration.ambition = Ambition(all_paths=True)
    assert exploration.ambition == Ambition(all_paths=True)


def test_the_ambition_can_be_changed_until_the_search_begins() -> None:
    exploration = guided(ambition=Ambition())
    exploration.ambition = QUIET
    list(exploration)
    assert exploration.program.asked("burst") == []  # type: ignore[attr-defined]


def test_limits_and_ambition_have_ordinary_values() -> None:
    exploration = GuidedExploration(FakeProgram(), goals_of(SOURCE), FakeSolver())  # type: ignore[arg-type]
    assert (exploration.limits, exploration.ambition) == (Limits(), Ambition())


def test_cheap_runs_open_the_search_and_find_what_they_find() -> None:
    program = program_of_branches()
    program.bursts = [[5, 1]]
    exploration = guided(program, ambition=Ambition())
    assert inputs(exploration) == [0, 5, 1]
    assert exploration.summary.stop == "covered"
    assert program.asked("burst") == [range(1, 11)]
    assert (exploration.fallback.cheap_runs, exploration.fallback.cheap_covered) == (10, 2)


def test_a_climb_finds_what_no_solver_does() -> None:
    program, solver = program_of_branches(), FakeSolver()
    solver.helpless[above(3)] = "too hard"
    program.climbs = [Climb(20, 0, [program.table[7].execution(7)], {"x": 7}, 0.0)]
    exploration = guided(program, solver, Ambition(burst=0))
    assert inputs(exploration) == [0, 7, 1]
    assert exploration.summary.stop == "covered"
    assert (exploration.fallback.searches, exploration.fallback.runs, exploration.fallback.covered) == (1, 20, 1)


def test_runs_that_decide_alike_and_do_not_do_alike_prove_nothing() -> None:
    program = program_of_branches()
    program.table[0].decisions = program.table[4].decisions = []
    program.bursts = [[4]]
    exploration = guided(program, ambition=Ambition(search=False))
    list(exploration)
    assert exploration.summary.divergences == 1
    assert exploration.summary.stop == "incomplete"


def test_edges_of_others_do_not_matter_to_that() -> None:
    program = program_of_branches()
    program.table[0].decisions = program.table[3].decisions = []
    program.table[3].hits = {*program.table[3].hits, 17}
    program.bursts = [[3]]
    exploration = guided(program, ambition=Ambition(search=False))
    list(exploration)
    assert exploration.summary.divergences == 0


def test_the_edges_of_an_input_that_somebody_else_found() -> None:
    program = program_of_branches()
    exploration = guided(program, seconds=5.0)
    assert exploration.measure({"x": 7}, 1.5) == {0}
    assert program.calls == [("measure", 7, frozenset(), 1.5)]
    assert exploration.goals.covered == set()
    assert exploration.effort.spent == 0.0


# -- what ends it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "stop", "made"), [(1, "runs", 1), (2, "runs", 2), (3, "runs", 3), (4, "covered", 3)]
)
def test_the_number_of_runs_ends_it(runs: int, stop: str, made: int) -> None:
    exploration = guided(runs=runs)
    list(exploration)
    assert (exploration.summary.stop, exploration.summary.runs) == (stop, made)


def timed(monkeypatch: pytest.MonkeyPatch, lasting: float, now: float = 50.0, **limits: Any) -> GuidedExploration:
    """An exploration whose runs take so many real seconds each, and nothing else takes any."""
    program = program_of_branches()
    program.clock, program.lasting = FakeClock(now), lasting
    monkeypatch.setattr(module, "time", program.clock)
    monkeypatch.setattr(loop, "perf_counter", program.clock)
    return guided(program, **limits)


@pytest.mark.parametrize(("lasting", "runs", "stop"), [
    (1.5, 3, "covered"), (2.499, 3, "time"), (2.5, 2, "time"), (5.0, 1, "time"),
])  # fmt: skip
def test_the_time_ends_it(monkeypatch: pytest.MonkeyPatch, lasting: float, runs: int, stop: str) -> None:
    exploration = timed(monkeypatch, lasting, seconds=10.0)  # an input is two runs
    list(exploration)
    assert (exploration.summary.runs, exploration.summary.stop) == (runs, stop)
    assert exploration.summary.seconds == pytest.approx(2 * runs * lasting)


def test_runs_are_told_what_is_left_and_a_twentieth_of_a_second_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    exploration = timed(monkeypatch, 4.97, seconds=10.0)
    list(exploration)
    assert [call[-1] for call in exploration.program.calls if call[0] in ("measure", "run")] == pytest.approx(  # type: ignore[attr-defined]
        [10.0, 5.03, 0.06, 0.05]
    )


def test_nobody_is_told_anything_without_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    exploration = timed(monkeypatch, 4.97)
    list(exploration)
    assert exploration.left() is None
    assert {call[-1] for call in exploration.program.calls if call[0] in ("measure", "run")} == {None}  # type: ignore[attr-defined]


def test_only_its_own_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    exploration = timed(monkeypatch, 0.0, seconds=10.0)
    clock = exploration.program.clock  # type: ignore[attr-defined]
    for seconds in (3.0, 2.0):
        clock.now += 100.0
        exploration.resume()
        clock.now += seconds
        exploration.pause()
    assert exploration.left() == pytest.approx(5.0)
    clock.now += 1.0  # after a pause, until the next one resumes
    assert exploration.left() == pytest.approx(4.0)
    exploration.resume()
    assert exploration.left() == pytest.approx(5.0)


@pytest.mark.parametrize(("run", "found"), [(0, []), (1, []), (2, [0]), (3, [0]), (4, [0, 4])])
def test_an_interrupt_keeps_what_was_found(run: int, found: list[int]) -> None:
    program = program_of_branches()
    program.interrupted_at = run
    exploration = guided(program)
    assert inputs(exploration) == found
    assert exploration.summary.stop == "interrupted"
    assert program.calls[-1] == ("close", None)
    assert {v.kind for v in exploration.edge_verdicts()} <= {"covered", "unsolved"}


# -- the end ----------------------------------------------------------------------------------------------


def test_at_its_end_a_search_knows_what_was_left_plain_and_closes_the_program() -> None:
    exploration = guided()
    assert exploration.left_plain is None
    list(exploration)
    assert exploration.left_plain == {"helper": "too large"}
    assert [call[0] for call in exploration.program.calls[-2:]] == ["left_plain", "close"]  # type: ignore[attr-defined]
    exploration.close()
    assert len(exploration.program.asked("left_plain")) == 2  # type: ignore[attr-defined]  # and at its begin
    assert len(exploration.program.asked("close")) == 2  # type: ignore[attr-defined]


def test_what_could_not_be_measured_is_never_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    program = FakeProgram(table_of(goals_of(SOURCE), range(-10, 30), lambda x: []))
    exploration = guided(program)
    assert list(exploration)
    assert exploration.summary.stop == Stop.EXHAUSTED  # as if no input took any branch
    assert {verdict.kind for verdict in exploration.edge_verdicts()} == {"infeasible"}
    program = FakeProgram(table_of(goals_of(SOURCE), range(-10, 30), lambda x: []))
    monkeypatch.setattr(program, "left_plain", lambda: {"<module>": "nested too deeply"})
    exploration = guided(program)
    assert list(exploration)
    assert exploration.summary.stop == Stop.INCOMPLETE
    assert {verdict.kind for verdict in exploration.edge_verdicts()} == {"unsolved"}


def test_a_program_that_died_cannot_say_what_was_left_plain() -> None:
    program = program_of_branches()
    program.excuse = WorkerDied(Why.PROCESS, "killed")
    exploration = guided(program)
    list(exploration)
    assert exploration.left_plain == {}
    assert program.calls[-1] == ("close", None)


def test_the_depth_is_the_deepest_ever() -> None:
    exploration = guided()
    exploration.summary.depth = 7
    list(exploration)
    assert exploration.summary.depth == 7


def test_a_search_sees_the_test_it_is_stuck_at() -> None:
    program, solver = program_of_branches(), FakeSolver()
    first = leaf(goals_of(SOURCE), 2)
    program.table[0].near = {first: (4.0, 0.0)}
    solver.helpless[above(3)] = "too hard"
    exploration = guided(program, solver, Ambition(burst=0))
    list(exploration)
    assert exploration.ledger.nearest[first, True].distance <= 4.0
    assert exploration.summary.stop == "incomplete"
    climbs = program.asked("climb")
    assert {(ascent.leaf, ascent.outcome) for ascent in climbs} == {(first, True)}


@pytest.mark.parametrize("row", [Row(), Row((), [])])
def test_a_function_without_tests_of_its_own_is_done_after_the_last_look(row: Row) -> None:
    exploration = guided(FakeProgram({0: row}), ambition=Ambition(search=False))
    list(exploration)
    assert exploration.summary.stop == "exhausted"
    assert exploration.program.asked("burst") == [range(1, 11), range(11, 311)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("stop", "early"), [
    ("time", True), ("memory", True), ("interrupted", True), ("runs", False), ("incomplete", False),
])  # fmt: skip
def test_the_verdicts_of_a_search_that_was_ended_have_a_time_of_their_own(
    monkeypatch: pytest.MonkeyPatch, stop: str, early: bool
) -> None:
    monkeypatch.setattr(verdicts, "perf_counter", FakeClock(50.0))
    goals = goals_of("def f(x):\n    if x > 3:\n        if x > 7:\n            return 1\n")
    exploration = GuidedExploration(FakeProgram(), goals, FakeSolver())  # type: ignore[arg-type]
    assert exploration.allowance == CLOSING
    goals.cover([1])
    exploration.summary.stop = Stop(stop)
    exploration.allowance = -1.0
    late = "not reached because line 2: `if x > 3` never true"
    assert exploration.edge_verdicts()[2].reason == (
        f"stopped by {stop} before anything reached it" if early else late
    )
