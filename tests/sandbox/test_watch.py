"""The watch over work: what ends it, where, and what it leaves alone."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Generator, Iterator

import pytest

from ramify.runtime.sandbox import Interrupted, Stopped, Watch, asked_to_end, closing, held, signals
from ramify.runtime.sandbox.watch import MEMORY, TIME

Work = Generator[str, None, None]


def endless(ends: list[str]) -> Work:
    """Yields once, then computes for ever in one step; takes note of what ended it."""
    try:
        yield "first"
        while True:
            pass
    except (Stopped, KeyboardInterrupt) as end:
        closing()
        ends.append(str(end))
    yield "closing"
    sum(range(2_000_000))
    yield "closed"


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    yield
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert threading.active_count() == 1


def test_a_step_without_end_is_ended_in_the_middle_and_what_is_known_is_put_together() -> None:
    ends: list[str] = []
    assert list(Watch(0.0).over(endless(ends))) == ["first", "closing", "closed"]
    assert ends == [TIME]


def test_memory_ends_it_too() -> None:
    ends: list[str] = []

    def growing() -> Work:
        kept = []
        try:
            yield "first"
            while True:
                kept.append(bytearray(1 << 16))
        except Stopped as end:
            closing()
            ends.append(end.why)
            kept.clear()
        yield "closed"

    gc.collect()
    assert list(Watch(None, enough=64 << 20).over(growing())) == ["first", "closed"]
    assert ends[-1:] == [MEMORY]


def test_work_that_takes_no_notice_is_told_again() -> None:
    told = []

    def stubborn() -> Work:
        for _ in range(2):
            try:
                while True:
                    pass
            except Stopped as end:
                told.append(end.why)
        closing()
        yield "closed"

    assert list(Watch(0.0).over(stubborn())) == ["closed"]
    assert told == [TIME, TIME]


def test_what_is_done_with_a_step_is_never_disturbed() -> None:
    done = []
    for step in Watch(0.0).over(endless([])):
        sum(range(20_000_000))  # longer than any tick
        done.append(step)
    assert done == ["first", "closing", "closed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_work_at_once_and_waits_for_what_is_held(number: signal.Signals) -> None:
    ends: list[str] = []
    with signals():
        with pytest.raises(Interrupted) as found:
            os.kill(os.getpid(), number)
        assert found.value.number == number
    with signals():
        seen = []
        for step in Watch(None).over(endless(ends)):
            if step == "first":
                os.kill(os.getpid(), number)
            seen.append(step)
        assert seen == ["first", "closing", "closed"]
        assert ends == [number.name]
        assert asked_to_end() == number
    with signals(), held():
        os.kill(os.getpid(), number)
        assert asked_to_end() == number
        with pytest.raises(Interrupted):  # who asks twice does not want to wait
            os.kill(os.getpid(), number)


def test_a_watch_in_another_thread_leaves_signals_alone() -> None:
    seen: list[str] = []

    def work() -> Work:
        yield "one"
        yield "two"

    thread = threading.Thread(target=lambda: seen.extend(Watch(60.0).over(work())))
    thread.start()
    thread.join()
    assert seen == ["one", "two"]


def test_an_alarm_of_somebody_else_stays_theirs() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        assert list(Watch(60.0).over(name for name in ("one", "two"))) == ["one", "two"]
        signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


def test_a_question_to_z3_is_ended_by_a_signal() -> None:
    from ramify.runtime.solver.encodings.incremental import Incremental
    from ramify.runtime.solver.verdict import Stats, Unknown
    from ramify.runtime.terms import INT
    from ramify.runtime.terms import language as T

    a, b, c = (T.var(name, INT) for name in "abc")
    cubes = [T.mul(T.mul(v, v), v) for v in (a, b, c)]
    fermat = T.eq(T.add(cubes[0], cubes[1]), cubes[2])
    positive = [T.gt(v, T.const(0)) for v in (a, b, c)]
    answers: list[object] = []

    def asking() -> Work:
        try:
            answers.append(Incremental("reals", Stats()).check([*positive, fermat], 4_000_000_000))
        except Stopped as end:  # noticed before the answer was taken
            answers.append(end)
        closing()
        yield "answered"

    assert list(Watch(0.2).over(asking())) == ["answered"]
    assert [type(answer) for answer in answers] in ([Unknown], [Stopped])
