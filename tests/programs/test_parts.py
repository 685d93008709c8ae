"""The parts of programs: who serves what, who is told of runs, and errors of ours that nobody may swallow."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ramify.runtime.checking.versions import Plain, RemoteVersions, Versions, VersionsHost
from ramify.runtime.inputs import Written
from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import Host, HybridProgram, Knowledge, Options, Program, RemoteHybrid, RemoteProgram
from ramify.runtime.programs.local_search import LocalSearch
from ramify.runtime.programs.measured_runs import Attendant, MeasuredRunner
from ramify.runtime.programs.performance import Performance
from ramify.runtime.programs.remote_hybrid import MAX_SPOILED, HybridHost
from ramify.runtime.sandbox import Policy
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import Target, isolate, parse

SOURCE = '''
import _thread, time

def plain(x: int):
    return 1 if x > 3 else 0

def promising(x: int):
    """:ensure: returnv >= 0"""
    return 1 if x > 3 else 0

def raises(x: int):
    raise ValueError(x)

def guessed(x):
    return x + 1

def leaves_a_thread(x: int):
    if x == 5:
        _thread.start_new_thread(time.sleep, (60,))
    return x
'''


@pytest.fixture
def target(tmp_path: Path) -> Callable[[str], Target]:
    file = tmp_path / "parts_of_programs.py"
    file.write_text(SOURCE)
    return lambda name: Target(*parse(f"{file}:{name}"))  # type: ignore[arg-type]


class Noting(Attendant):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.announced: list[Assignment] = []
        self.restored = 0

    def announce(self, assignment: Assignment) -> None:
        self.announced.append(dict(assignment))

    def restore(self) -> None:
        self.restored += 1


@pytest.mark.parametrize("name", ["plain", "promising"])
def test_a_run_is_announced_once_with_all_of_its_inputs(name: str, target: Callable[[str], Target]) -> None:
    attendant = Noting()
    program = HybridProgram(target(name), attendant=attendant)
    attendant.announced.clear()
    program.measure({})
    program.run({"x": 4})
    assert attendant.announced == [{"x": 0}, {"x": 4}]
    assert attendant.restored == 1
    burst = program.burst(range(1, 21), Knowledge(), frozenset(), 60.0)
    assert burst.runs == len(attendant.announced) - 2 == attendant.restored - 1


@pytest.mark.parametrize("name", ["plain", "promising", "guessed"])
def test_a_child_counts_the_runs_that_it_was_asked_for(name: str, target: Callable[[str], Target]) -> None:
    remote = RemoteHybrid(lambda attendant: HybridProgram(target(name), attendant=attendant), Policy())
    here = HybridProgram(target(name))
    try:
        expected, found = (p.burst(range(1, 21), Knowledge(), frozenset(), 60.0) for p in (here, remote))
        assert found.runs == expected.runs
        assert [e.assignment for e in found.found] == [e.assignment for e in expected.found]
        assert remote.bounds() == here.bounds()
        assert remote.doubts() == here.doubts()
        assert remote.left_plain() == here.left_plain()
        assert remote.whereabouts() == here.whereabouts()
        assert remote.texts({"x": 3}) == here.texts({"x": 3})
    finally:
        remote.close()


def test_a_burst_ends_with_the_run_that_left_something_behind(target: Callable[[str], Target]) -> None:
    threaded = target("leaves_a_thread")
    remote = RemoteHybrid(lambda attendant: HybridProgram(threaded, attendant=attendant), Policy())
    try:
        first = remote.measure({"x": 4})
        spoiling = remote.measure({"x": 5})
        after = remote.measure({"x": 6})
        assert [run.result for run in (first, spoiling, after)] == [4, 5, 6]
        burst = remote.burst(range(1, 300), Knowledge(), frozenset(), 60.0)
        assert burst.runs > MAX_SPOILED  # the others went on in new children, up to a number of these
        assert {run.result for run in burst.found} >= {5}
    finally:
        remote.close()


@pytest.mark.parametrize("kind", [Host, HybridHost, VersionsHost, RemoteProgram, RemoteHybrid, RemoteVersions])
def test_nothing_is_served_or_forwarded_that_is_not_written_down(kind: type) -> None:
    assert not any("__getattr__" in vars(cls) for cls in kind.__mro__)


PARTS = [
    Program, HybridProgram, Host, HybridHost, VersionsHost, RemoteProgram, RemoteHybrid, RemoteVersions, Versions,
    LocalSearch, MeasuredRunner, Performance,
]  # fmt: skip


@pytest.mark.parametrize("kind", PARTS)
def test_no_part_has_too_many_methods(kind: type) -> None:
    public = [name for name, value in inspect.getmembers(kind, callable) if not name.startswith("_")]
    assert 0 < len(public) <= 15


@pytest.mark.parametrize(
    ("served", "asked"), [(Host, RemoteProgram), (HybridHost, RemoteHybrid), (VersionsHost, RemoteVersions)]
)
def test_what_a_remote_offers_its_host_serves(served: type, asked: type) -> None:
    ours = {"close", "ask"}  # of the worker itself
    offered = {name for name, value in inspect.getmembers(asked, callable) if not name.startswith("_")} - ours
    assert offered <= {name for name, _ in inspect.getmembers(served, callable)}


def test_an_error_of_ours_while_a_run_is_confirmed_is_no_outcome(
    target: Callable[[str], Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*args: Any) -> bool:
        raise AttributeError("a bug")

    program = Program(target("raises"), NAMESPACE)
    assert isinstance(program.run({"x": 3}).exception, ValueError)
    monkeypatch.setattr(Performance, "again", wrong)
    with pytest.raises(AttributeError, match="a bug"):
        program.run({"x": 3})


def test_an_error_of_ours_in_a_comparison_is_not_held_for_an_input_that_cannot_be_run(
    target: Callable[[str], Target], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(seed: int) -> None:
        raise AttributeError("a bug")

    plain = Plain([target("plain"), target("guessed")])
    program = Program(target("plain"), NAMESPACE, Options())
    arguments = program.texts({"x": 7})
    shown = plain.difference(arguments, 5.0)
    assert shown is not None
    assert [deed.text for deed in shown] == ["returns 1", "returns 8"]
    assert [deed.kind for deed in shown] == ["returns", "returns"]
    unbuilt = Written({"x": "1 // 0"}, "x=1 // 0", [], [], [], [])
    assert plain.difference(unbuilt, 5.0) is None
    monkeypatch.setattr(isolate, "seed_random", wrong)
    with pytest.raises(AttributeError, match="a bug"):
        plain.difference(arguments, 5.0)
