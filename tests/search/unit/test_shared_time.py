"""Time shared between functions: whose slice is next, how long it is, and what ends them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from fake_program import FakeClock, FakeProgram

from ramify.runtime.sandbox import CLOSING, Stopped
from ramify.runtime.search import Path, shared
from ramify.runtime.search import share as module


class FakeExploration:
    """An exploration that is a list of steps: the nominal seconds of each, the edges gained, the path or None."""

    def __init__(self, name: str, steps: Sequence[tuple[float, int, Any]], log: list[Any]) -> None:
        self.name = name
        self.program = FakeProgram(name=name)
        self.goals = self
        self.effort = self
        self.summary = self
        self.covered: set[int] = set()
        self.spent = 0.0
        self.stop = "interrupted"
        self.closed = 0
        self.allowance = 0.0
        self._steps = steps
        self._log = log

    def steps(self) -> Iterator[Path | None]:
        for seconds, gained, path in self._steps:
            self._log.append(self.name)
            self.spent += seconds
            self.covered.update(range(len(self.covered), len(self.covered) + gained))
            if isinstance(path, BaseException):
                raise path
            yield path
        self.stop = "covered"

    def resume(self) -> None:
        self._log.append(f"resume {self.name}")

    def pause(self) -> None:
        self._log.append(f"pause {self.name}")

    def stopped(self, end: BaseException) -> None:
        self.stop = end.why if isinstance(end, Stopped) else type(end).__name__

    def close(self) -> None:
        self.closed += 1
        self._log.append(f"close {self.name}")


class Together:
    """Explorations that share their time, and what they did."""

    def __init__(self, **steps: Sequence[tuple[float, int, Any]]) -> None:
        self.log: list[Any] = []
        self.made: list[str] = []
        self.all = [FakeExploration(name, each, self.log) for name, each in steps.items()]

    def run(self, seconds: float | None = None) -> list[tuple[str, Any]]:
        return [(turn.name, turn.path) for turn in shared(self.makes, seconds)]

    @property
    def makes(self) -> dict[str, Any]:
        """How each of them is made, when its turn has come."""
        return {each.name: partial(self._made, each) for each in self.all}

    def _made(self, each: FakeExploration) -> FakeExploration:
        self.made.append(each.name)
        return each

    @property
    def steps(self) -> str:
        """The steps in their order, each by the name of its exploration."""
        return "".join(entry for entry in self.log if len(entry) == 1)


def slices(*gains: int) -> list[tuple[float, int, Any]]:
    """One step for each slice, which gains so many edges."""
    return [(0.25, gained, None) for gained in gains]


def test_paths_come_with_their_exploration_and_an_end_as_none() -> None:
    both = Together(a=[(0.1, 1, "p"), (0.1, 0, None), (0.3, 1, "q")], b=[(0.1, 0, "r")])
    assert both.run() == [("a", "p"), ("a", "q"), ("b", "r"), ("b", None), ("a", None)]
    assert [(each.stop, each.closed) for each in both.all] == [("covered", 1), ("covered", 1)]


def test_a_slice_is_a_quarter_of_a_second_by_the_clock_of_the_search() -> None:
    both = Together(a=[(0.125, 0, None)] * 3, b=[(0.125, 0, None)] * 3)
    both.run()
    assert both.steps == "aabbab"
    both = Together(a=[(0.249, 0, None)] * 3, b=[(0.251, 0, None)] * 2)
    both.run()
    assert both.steps == "aabab"


def test_a_step_that_is_longer_than_a_slice_is_one() -> None:
    both = Together(a=[(9.0, 0, None)] * 2, b=[(0.25, 0, None)] * 2)
    both.run()
    assert both.steps == "abab"


def test_everybody_has_a_first_slice_before_anybody_has_a_second() -> None:
    three = Together(a=slices(9, 9), b=slices(0, 0), c=slices(1, 1))
    three.run()
    assert three.steps == "abcacb"


def test_time_goes_to_those_that_gained_most_in_their_last_slice() -> None:
    both = Together(a=slices(1, 5, 5, 0, 0, 0), b=slices(2, 0, 0))
    both.run()
    # b had 2 and has 1 then, as a has after fewer slices; a has 5.5, 7.75, 3.9, 1.9 and then less than b
    assert both.steps == "abbaaaaab"


@pytest.mark.parametrize(("gains", "order"), [
    ((9, 0, 0, 0, 0), "abaaaab"),
    ((8, 0, 0, 0, 0), "abaaaba"),
])  # fmt: skip
def test_half_of_an_earlier_gain_counts_after_a_slice(gains: tuple[int, ...], order: str) -> None:
    both = Together(a=slices(*gains), b=slices(1, 0))
    both.run()
    assert both.steps == order


def test_of_those_that_gain_alike_the_one_with_fewer_slices_is_next() -> None:
    both = Together(a=slices(0, 0, 0), b=slices(0, 0, 0))
    both.run()
    assert both.steps == "ababab"


def test_the_gain_of_the_first_slice_is_what_it_gained() -> None:
    both = Together(a=slices(0, 0), b=slices(1, 0))
    both.run()
    assert both.steps == "abba"


def test_real_time_counts_only_during_a_slice() -> None:
    both = Together(a=slices(0, 0), b=slices(0))
    both.run()
    assert both.log == [
        "resume a", "a", "pause a", "resume b", "b", "pause b", "resume a", "a", "pause a",
        "resume b", "pause b", "close b", "resume a", "pause a", "close a",
    ]  # fmt: skip


@pytest.mark.parametrize(("number", "closed"), [(8, 0), (9, 1)])
def test_more_than_eight_processes_are_not_kept(number: int, closed: int) -> None:
    many = Together(**{chr(ord("a") + n): slices(0) for n in range(number)})
    many.run()
    # Each has a slice, and one more in which it ends, and then there is nothing to close before the end.
    first_round = [len(each.program.asked("close")) for each in many.all]
    assert first_round == [closed] * number


def timed(monkeypatch: pytest.MonkeyPatch, both: Together, lasting: float) -> None:
    """Every step takes so many real seconds."""
    clock = FakeClock(50.0)
    monkeypatch.setattr(module, "time", clock)
    for each in both.all:
        each._log = Ticking(clock, lasting, both.log)  # type: ignore[assignment]


class Ticking:
    """A log that moves a clock at every step."""

    def __init__(self, clock: FakeClock, lasting: float, log: list[Any]) -> None:
        self._clock, self._lasting, self._log = clock, lasting, log

    def append(self, entry: str) -> None:
        self._log.append(entry)
        if len(entry) == 1:
            self._clock.now += self._lasting


@pytest.mark.parametrize(
    ("lasting", "steps"), [(2.0, "aabba"), (2.5, "aabb"), (5.0, "aa"), (10.0, "a"), (9.0, "aa")]
)
def test_the_time_of_all_ends_them_all(monkeypatch: pytest.MonkeyPatch, lasting: float, steps: str) -> None:
    both = Together(a=[(0.125, 0, None)] * 6, b=[(0.125, 0, None)] * 6)
    timed(monkeypatch, both, lasting)
    assert both.run(10.0) == [("a", None), ("b", None)]
    assert both.steps == steps
    assert both.made == sorted({*steps})  # who never had a turn was never made
    assert [(each.stop, each.closed) for each in both.all] == [
        ("time", 1) if each.name in both.made else ("interrupted", 0) for each in both.all
    ]


def test_what_was_done_before_the_time_was_up_has_ended_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Together(a=slices(), b=[(0.125, 0, None)] * 6)
    timed(monkeypatch, both, 5.0)
    assert both.run(10.0) == [("a", None), ("b", None)]
    assert [each.stop for each in both.all] == ["covered", "time"]


def test_no_time_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Together(a=slices(1), b=slices(1))
    timed(monkeypatch, both, 1.0)
    assert both.run(0.0) == [("a", None), ("b", None)]
    assert (both.steps, both.made) == ("", [])


def test_without_a_limit_all_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Together(a=slices(0, 0), b=slices(0))
    timed(monkeypatch, both, 1e9)
    both.run()
    assert [each.stop for each in both.all] == ["covered", "covered"]


def test_an_interrupt_ends_them_all_and_keeps_what_was_found() -> None:
    both = Together(a=[(0.1, 1, "p"), (0.1, 0, KeyboardInterrupt())], b=slices(0), c=[])
    assert both.run() == [("a", "p"), ("a", None), ("b", None), ("c", None)]
    assert [(each.stop, each.closed) for each in both.all] == [
        ("KeyboardInterrupt", 1),
        ("interrupted", 0),
        ("interrupted", 0),
    ]
    assert both.log[:4] == ["resume a", "a", "a", "pause a"]


def test_an_interrupt_leaves_those_alone_that_had_ended() -> None:
    both = Together(a=[], b=[(0.1, 0, KeyboardInterrupt())])
    assert both.run() == [("a", None), ("b", None)]
    assert [(each.stop, each.closed) for each in both.all] == [("covered", 1), ("KeyboardInterrupt", 1)]


def test_nothing_to_explore() -> None:
    assert Together().run() == []


@pytest.mark.parametrize(("end", "stop"), [(Stopped("memory"), "memory"), (MemoryError(), "MemoryError")])
def test_what_ends_one_from_outside_ends_them_all(end: BaseException, stop: str) -> None:
    both = Together(a=slices(0, 0, 0), b=[(0.1, 0, end)], c=[(9.0, 0, None)])
    assert both.run() == [("a", None), ("b", None), ("c", None)]
    assert [each.stop for each in both.all] == [stop, stop, "interrupted"]
    # What time there is for the verdicts is shared by all that wait.
    assert [each.allowance for each in both.all] == [CLOSING / 3, CLOSING / 3, 0.0]


def test_the_time_for_verdicts_is_shared_by_those_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Together(a=slices(), b=[(0.125, 0, None)] * 6)
    timed(monkeypatch, both, 5.0)
    both.run(10.0)
    assert [each.allowance for each in both.all] == [0.0, CLOSING]


def test_an_exploration_is_made_when_its_turn_has_come_and_once() -> None:
    both = Together(a=slices(0, 0), b=slices(0))
    turns = shared(both.makes, None)
    assert both.made == []
    next(turns)
    list(turns)
    assert both.made == ["a", "b"]


def test_what_cannot_be_made_is_passed_over() -> None:
    both = Together(a=[(0.1, 1, "p")], b=[])
    makes = {"none": lambda: None, **both.makes}
    found = [(turn.name, turn.exploration, turn.path) for turn in shared(makes, None)]
    a, b = both.all
    assert found == [("a", a, "p"), ("a", a, None), ("b", b, None)]


def test_what_cannot_be_made_takes_the_place_of_no_process() -> None:
    many = Together(**{chr(ord("a") + n): slices(0) for n in range(8)})
    list(shared({"none": lambda: None, **many.makes}, None))
    assert [len(each.program.asked("close")) for each in many.all] == [0] * 8


def test_who_never_had_a_turn_has_no_exploration(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Together(a=[(0.125, 0, None)] * 6, b=slices(0))
    timed(monkeypatch, both, 10.0)
    assert [(turn.name, turn.exploration) for turn in shared(both.makes, 10.0)] == [
        ("a", both.all[0]),
        ("b", None),
    ]
