"""The clock of nominal seconds: what every piece of work costs."""

from __future__ import annotations

import pytest
from fake_program import above, flip_to

from ramify.runtime.programs import Execution
from ramify.runtime.search.effort import Effort
from ramify.runtime.solver import Stats


def spent(effort: Effort) -> pytest.approx:
    return pytest.approx(effort.spent, rel=1e-9)


def test_nothing_is_spent_at_first() -> None:
    assert Effort().spent == 0.0
    assert Effort(3.0).spent == 0.0


def test_a_turn_costs_twenty_microseconds() -> None:
    effort = Effort(setup=1.0)
    effort.turn()
    effort.turn()
    assert spent(effort) == 0.00004


def test_a_measured_run_costs_two_tenths_of_a_millisecond_its_setup_and_its_ticks() -> None:
    effort = Effort()
    effort.measured()
    assert spent(effort) == 0.0002
    effort = Effort(setup=0.01)
    effort.measured(3, 1000)
    assert spent(effort) == 3 * 0.0102 + 1000 * 2e-7
    effort.measured(1, 5)
    assert spent(effort) == 4 * 0.0102 + 1005 * 2e-7


def test_a_concolic_run_costs_more_and_its_ticks_four_times_as_much() -> None:
    effort = Effort()
    effort.concolic(Execution({}))
    assert spent(effort) == 0.0006
    effort = Effort(setup=0.01)
    decisions = [flip_to(1, True, term=above(n)).parent.decisions[0] for n in range(3)]
    effort.concolic(Execution({}, decisions=decisions, ticks=1000))
    assert spent(effort) == 0.0106 + 4000 * 2e-7 + 3 * 5e-6
    effort.concolic(Execution({}))
    assert spent(effort) == 2 * 0.0106 + 4000 * 2e-7 + 3 * 5e-6


def test_questions_calls_of_z3_and_its_steps_cost_what_is_new_of_them() -> None:
    effort, stats = Effort(setup=1.0), Stats()
    effort.solved(stats)
    assert effort.spent == 0.0
    stats.queries.update(sat=1, unsat=2, unknown=3)
    effort.solved(stats)
    assert spent(effort) == 6 * 0.0005
    effort.solved(stats)
    assert spent(effort) == 6 * 0.0005
    stats.z3_calls = 2
    effort.solved(stats)
    assert spent(effort) == 6 * 0.0005 + 2 * 0.002
    stats.steps = 10_000
    stats.queries["sat"] += 1
    effort.solved(stats)
    assert spent(effort) == 7 * 0.0005 + 2 * 0.002 + 10_000 * 5e-7


@pytest.mark.parametrize(("seconds", "setup", "runs"), [
    (0.5, 0.0, 2500),
    (0.5, 0.0008, 500),
    (0.5, 0.4998, 1),
    (0.5, 100.0, 1),
    (0.0, 0.0, 1),
    (0.00061, 0.0, 3),
])  # fmt: skip
def test_how_many_measured_runs_fit(seconds: float, setup: float, runs: int) -> None:
    assert Effort(setup).cheap(seconds) == runs


def test_runs_to_come_are_expected_to_last_as_long_as_those_so_far() -> None:
    effort = Effort()
    effort.measured(10, 40_000)  # 4000 ticks each: 0.8 ms, and 0.2 of the run itself
    assert effort.cheap(0.5005) == 500
    effort.measured(30)
    assert effort.cheap(0.5005) == 1251
    effort.concolic(Execution({}, ticks=10**9))  # is no measured run
    assert effort.cheap(0.5005) == 1251


def test_a_run_without_ticks_leaves_the_figures_as_they_are() -> None:
    effort = Effort()
    effort.measured(1)
    assert effort.cheap(0.5001) == 2500
