"""How runs end is told by values: an outcome, and a reason with a kind and a text for people."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import (
    Execution,
    HybridProgram,
    Options,
    Outcome,
    Program,
    RemoteHybrid,
    RemoteProgram,
    ending,
)
from ramify.runtime.recording import ORDINARY, Cut, Reason, Rejected, Why
from ramify.runtime.sandbox import Policy, WorkerDied
from ramify.runtime.search import Stop
from ramify.runtime.worlds import Target, parse

SOURCE = '''
import os, signal, time

def returns(x: int): return x

def raises(x: int): return 1 // 0

def violates(x: int):
    """:ensure: returnv > 0"""
    return 0

def rejects(x: int):
    """:assume: x > 100"""

def loops(x: int):
    while True:
        pass

def prints(x: int):
    print("a" * 3_000_000)

def hangs(x: int):
    time.sleep(100)

def is_stuck(x: int):
    return sum(range(10 ** 11))  # C code that no timer interrupts

def decides(x: int):
    return [n for n in range(50) if x > n]

def leaves(x: int): os._exit(3)

def segfaults(x: int): os.kill(os.getpid(), signal.SIGSEGV)

def is_killed(x: int): os.kill(os.getpid(), signal.SIGKILL)

def hoards(x: int): return bytearray(10 ** 11)
'''


@pytest.fixture
def target(tmp_path: Path) -> Callable[[str], Target]:
    file = tmp_path / "endings.py"
    file.write_text(SOURCE)
    return lambda name: Target(*parse(f"{file}:{name}"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "outcome", "why", "text"),
    [
        ("returns", Outcome.RETURNED, Why.ORDINARY, ""),
        ("raises", Outcome.RAISED, Why.ORDINARY, ""),
        ("violates", Outcome.VIOLATED, Why.PROMISE, "returnv > 0"),
        ("rejects", Outcome.REJECTED, Why.INPUT, "precondition: x > 100"),
        ("loops", Outcome.CUT, Why.STEPS, "more than 1,500,000 steps"),
        ("prints", Outcome.CUT, Why.OUTPUT, "wrote more than 1 MiB of output"),
        ("hangs", Outcome.CUT, Why.TIME, "no end after 0.2 seconds"),
        ("is_stuck", Outcome.CRASHED, Why.TIME, "killed after 0.2 s: no answer"),
        ("leaves", Outcome.CRASHED, Why.PROCESS, "exited with status 3 by os._exit"),
        ("segfaults", Outcome.CRASHED, Why.PROCESS, "segmentation fault"),
    ],
)
def test_every_way_to_end_has_an_outcome_a_kind_of_reason_and_a_text(
    name: str, outcome: Outcome, why: Why, text: str, target: Callable[[str], Target]
) -> None:
    policy = Policy(allow=frozenset({"signal"}))
    seconds = 0.2 if why is Why.TIME else 5.0
    remote = RemoteHybrid(lambda attendant: HybridProgram(target(name), attendant=attendant), policy)
    try:
        for execution in (remote.measure({"x": 3}, seconds=seconds), remote.run({"x": 3}, seconds=seconds)):
            if name == "loops" and execution.reason.why is Why.TIME:
                continue  # on a busy machine time is up first
            if name != "is_stuck" or execution.outcome is not Outcome.CUT:  # a concolic run is not tried again
                assert execution.outcome is outcome
            assert (execution.reason.why, str(execution.reason)) == (why, text)
    finally:
        remote.close()


def test_the_number_of_decisions_is_a_reason(target: Callable[[str], Target]) -> None:
    execution = Program(target("decides"), NAMESPACE, Options(max_decisions=10)).run({"x": 3})
    assert (execution.outcome, execution.reason) == (Outcome.CUT, Reason(Why.DECISIONS, "more than 10 decisions"))


@pytest.mark.parametrize(
    ("name", "why", "external"), [("is_killed", Why.MACHINE, True), ("leaves", Why.PROCESS, False)]
)
def test_the_death_of_a_child_says_whose_doing_it_was(
    name: str, why: Why, external: bool, target: Callable[[str], Target]
) -> None:
    remote = RemoteProgram(lambda: Program(target(name), NAMESPACE), Policy(allow=frozenset({"signal"})))
    with pytest.raises(WorkerDied) as died:
        remote.ask("run", {"x": 3}, None, 5.0, False)
    assert (died.value.reason.why, died.value.external) == (why, external)
    final = died.value.final()
    assert (final.reason, final.external) == (died.value.reason, False)
    remote.close()


def test_how_long_a_run_took_does_not_make_it_another_ending() -> None:
    def cut(why: Why, text: str, outcome: Outcome = Outcome.CUT) -> tuple[Any, ...]:
        return ending(Execution({}, outcome=outcome, reason=Reason(why, text)))

    assert cut(Why.TIME, "no end after 0.5 seconds") == cut(Why.TIME, "no end after 0.7 seconds")
    assert cut(Why.TIME, "a") != cut(Why.TIME, "a", Outcome.CRASHED)
    assert cut(Why.PROCESS, "segmentation fault") != cut(Why.PROCESS, "aborted")
    assert cut(Why.PROMISE, "no end after all") != cut(Why.PROMISE, "no end after that")
    assert cut(Why.STEPS, "")[0] is Outcome.CUT


@pytest.mark.parametrize("kind", [Outcome, Why, Stop])
def test_members_print_and_are_written_as_their_texts(kind: Any) -> None:
    for member in kind:
        assert f"{member}" == str(member) == member.value
        assert json.loads(json.dumps({"it": member})) == {"it": member.value}


@pytest.mark.parametrize("error", [Cut(Why.SIZE, "too long"), Rejected("no input")])
def test_what_ends_a_run_keeps_its_reason_on_its_way(error: Any) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.reason, str(again)) == (type(error), error.reason, str(error))


def test_a_reason_is_true_if_there_is_something_to_say() -> None:
    assert not ORDINARY
    assert not Reason()
    assert Reason(Why.TIME, "later")
