"""Executions on their way from a child to its parent: nothing is lost by sending only what is new."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import ramify
from ramify.runtime.inputs import NOTHING_WRITTEN
from ramify.runtime.programs import Execution
from ramify.runtime.programs.parcel import Receiver, Sender, Step
from ramify.runtime.recording import Decision, DecisionSite, Phase, shared_length
from ramify.runtime.terms import INT, const, not_, var
from ramify.runtime.terms import language as T

SITES = [DecisionSite("somewhere.py", "f", line, 0) for line in range(1, 6)]
TERMS = [T.lt(var(name, INT), const(limit)) for name in "xyz" for limit in range(4)]


def decided(number: int, outcome: bool, phase: Phase = Phase.BODY) -> Decision:
    return Decision(SITES[number % len(SITES)], outcome, TERMS[number % len(TERMS)], phase)


def path_of(*numbers: int) -> list[Decision]:
    return [decided(abs(number), number >= 0) for number in numbers]


def sent(sender: Sender, receiver: Receiver, decisions: list[Decision]) -> Execution:
    """An execution with these decisions as it arrives, over a pipe that copies everything."""
    execution = Execution({"x": 1}, decisions=decisions, facts=TERMS[:2], promises=[not_(TERMS[3])], output="out")
    parcel = pickle.loads(pickle.dumps(sender.parcel(execution, NOTHING_WRITTEN)))
    return receiver.execution(parcel)


def fields_of(decisions: list[Decision]) -> list[tuple[object, ...]]:
    """Sites arrive as copies where both ends are one process."""
    return [(str(d.site), d.outcome, d.term, d.phase) for d in decisions]


def test_paths_arrive_whole_whatever_they_share_with_the_one_before() -> None:
    sender, receiver = Sender(), Receiver()
    paths = [
        path_of(1, 2, 3, 4),
        path_of(1, 2, 3, -4, 5),  # the last decision reversed
        path_of(1, -2),  # shorter than what is shared
        path_of(1, -2),  # the same again
        path_of(-1, 2, 3, 4),  # a run that diverged at once
        [],  # a measured run
        path_of(-1, 2, 3, 4, 6, 7),  # shares with the last that had decisions
        [*path_of(-1, 2), decided(3, True, Phase.ENSURE)],  # the same decision in another phase
        path_of(*range(1, 12)),
    ]
    for path in paths:
        execution = sent(sender, receiver, path)
        assert fields_of(execution.decisions) == fields_of(path)
        assert execution.conditions == [d.condition for d in path]
        assert (execution.assignment, execution.output) == ({"x": 1}, "out")
        assert execution.facts == TERMS[:2]
        assert execution.promises == [not_(TERMS[3])]


def test_only_what_is_new_travels() -> None:
    sender = Sender()
    first = sender.parcel(Execution({}, decisions=path_of(*range(1, 12))), NOTHING_WRITTEN)
    second = sender.parcel(Execution({}, decisions=path_of(*range(1, 11), -11)), NOTHING_WRITTEN)
    assert (first.shared, second.shared) == (0, 10)
    assert len(second.decisions) * 11 == len(first.decisions)


def test_what_is_shared_is_shared_in_the_parent_too() -> None:
    sender, receiver = Sender(), Receiver()
    first, second = (sent(sender, receiver, path_of(1, 2, last)) for last in (3, -3))
    assert all(a is b for a, b in zip(first.decisions[:2], second.decisions[:2], strict=True))
    second.decisions.append(decided(9, True))  # lists are not shared
    assert len(first.decisions) == 3
    assert first.decisions is not second.decisions


def test_both_ends_forget_together() -> None:
    sender, receiver = Sender(), Receiver()
    generator = random.Random(3)
    for number in range(200):
        if number % 17 == 0:
            sender.forget()
        path = path_of(*(generator.choice((-1, 1)) * (k + 1) for k in range(generator.randrange(8))))
        assert fields_of(sent(sender, receiver, path).decisions) == fields_of(path)


def test_a_run_that_was_told_step_by_step_shares_nothing_with_the_one_before() -> None:
    sender, receiver = Sender(), Receiver()
    sent(sender, receiver, path_of(1, 2, 3))
    sender = Sender()  # the child died, another one tells
    crashed = Execution({})
    steps: list[Step] = [sender.step("decisions", n, d) for n, d in enumerate(path_of(1, 2, -3), 1)]
    receiver.replay(pickle.loads(pickle.dumps(steps)), crashed)
    assert fields_of(crashed.decisions) == fields_of(path_of(1, 2, -3))
    assert crashed.conditions == [d.condition for d in path_of(1, 2, -3)]
    path = path_of(1, 2, -3, 4)
    assert fields_of(sent(Sender(), receiver, path).decisions) == fields_of(path)


def test_a_measured_run_may_be_given_decisions_later() -> None:
    measured = sent(Sender(), Receiver(), [])
    measured.decisions = path_of(1, -2)
    assert measured.conditions == [d.condition for d in path_of(1, -2)]


def test_shared_length_is_that_of_the_common_beginning() -> None:
    whole = path_of(1, 2, 3)
    assert shared_length(whole, path_of(1, 2, 3)) == 3
    assert shared_length(whole, path_of(1, 2)) == shared_length(path_of(1, 2), whole) == 2
    assert shared_length(whole, path_of(1, -2, 3)) == 1
    assert shared_length(whole, []) == shared_length([], []) == 0


CRASHING = """
import os

def f(x: int, y: int):
    if x > 3:
        if y == x + 2:
            os.abort()
        return 1 if y > 7 else 2
    return 3 if y > x else 4
"""


def test_paths_around_crashes_are_those_without_a_child(tmp_path: Path) -> None:
    file = tmp_path / "crashing.py"
    file.write_text(CRASHING)
    for strategy in ("dfs", "bfs", "random", "generational"):
        paths = list(ramify.explore(f"{file}:f", strategy=strategy))
        assert sorted(p.outcome for p in paths) == ["crashed", *["returned"] * 4]
        assert len({p.path_condition for p in paths}) == 5
        for path in paths:
            assert eval(path.path_condition, {}, path.execution.assignment)
