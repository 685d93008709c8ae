"""A worker from the parent's side: what comes back, what becomes of a dead child, and that nothing is lost on
the way.
"""

import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.errors import InputError
from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import Program, RemoteProgram
from ramify.runtime.recording.path import same
from ramify.runtime.sandbox import MIB, Policy, Worker, WorkerDied, travel
from ramify.runtime.worlds import Target, parse

QUICK = Policy(memory=128 * MIB, seconds=0.2)


class Strange(Exception):
    """An exception that cannot be made again from its args."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


class Served:
    """What the child holds in these tests."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self) -> int:
        self.calls += 1
        return self.calls

    def pid(self) -> int:
        return os.getpid()

    def echo(self, *args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    def fail(self, error: str) -> None:
        raise {"input": InputError("one line"), "key": KeyError("k"), "strange": Strange("a", "b"),
               "exit": SystemExit(3)}[error]  # fmt: skip

    def die(self, number: int) -> None:
        signal.pthread_kill(threading.get_ident(), number)

    def leave(self, status: int) -> None:
        os._exit(status)

    def spin(self) -> None:
        while True:
            pass

    def hoard(self) -> None:
        self.kept = [0]
        while True:
            self.kept += self.kept

    def descriptors(self) -> list[str]:
        return sorted({os.readlink(f"/proc/self/fd/{fd}").split(":")[0] for fd in os.listdir("/proc/self/fd")
                       if os.path.exists(f"/proc/self/fd/{fd}")})  # fmt: skip


def target_of(text: str) -> Target:
    source, name = parse(text)
    assert name is not None
    return Target(source, name)


def remote_program(target: Target) -> RemoteProgram:
    return RemoteProgram(lambda: Program(target, NAMESPACE), Policy())


@pytest.fixture
def worker() -> Any:
    with Worker(Served, Policy(memory=128 * MIB, allow=frozenset({"signal"}))) as made:
        yield made


def test_the_child_keeps_its_object_between_calls(worker: Worker) -> None:
    assert [worker.call("count"), worker.call("count")] == [1, 2]
    assert worker.call("pid") != os.getpid()
    assert worker.call("echo", 1, "b", c=[None]) == ((1, "b"), {"c": [None]})


def test_what_a_method_raises_is_raised_here(worker: Worker) -> None:
    with pytest.raises(InputError, match="one line"):
        worker.call("fail", "input")
    with pytest.raises(KeyError, match="k"):
        worker.call("fail", "key")
    with pytest.raises(Exception, match=r"^a b$") as raised:
        worker.call("fail", "strange")
    assert type(raised.value).__name__ == "Strange"
    assert worker.call("count") == 1
    with pytest.raises(WorkerDied, match="SystemExit: 3"):
        worker.call("fail", "exit")


@pytest.mark.parametrize(
    ("method", "args", "reason"),
    [
        ("die", (signal.SIGSEGV,), "segmentation fault"),
        ("die", (signal.SIGKILL,), "killed from outside"),
        ("die", (signal.SIGUSR1,), "killed by SIGUSR1"),
        ("leave", (3,), "exited with status 3 by os._exit"),
        ("leave", (0,), "exited with status 0 by os._exit"),
        ("spin", (), "killed after 0.1 s: no answer"),
        ("hoard", (), "out of memory (limit 128 MiB)"),
    ],
)
def test_a_death_is_told_in_words_and_the_next_call_finds_a_new_child(
    method: str, args: tuple[Any, ...], reason: str, worker: Worker
) -> None:
    before = worker.call("pid")
    with pytest.raises(WorkerDied) as died:
        worker.call(method, *args, seconds=0.1 if method == "spin" else 20)
    assert str(died.value.reason).startswith(reason)
    assert worker.call("pid") != before
    assert not Path(f"/proc/{before}").exists()


def test_an_interrupted_call_ends_its_child_and_the_worker_can_be_used_again(worker: Worker) -> None:
    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    pid = worker.call("pid")
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            worker.call("spin")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not Path(f"/proc/{pid}").exists()
    assert worker.call("count") == 1


def test_a_request_that_cannot_travel_is_an_error_here(worker: Worker) -> None:
    with pytest.raises(TypeError, match="pickle"):
        worker.call("echo", threading.Lock())
    assert worker.call("count") == 1


def test_a_child_that_was_killed_while_it_was_idle_loses_no_run(tmp_path: Path) -> None:
    file = tmp_path / "idle.py"
    file.write_text("import os\ndef f(x: int):\n    return os.getpid() if x > 3 else 0\n")
    remote = remote_program(target_of(f"{file}:f"))
    first = remote.run({"x": 5})
    os.kill(first.result, signal.SIGKILL)
    second = remote.run({"x": 5})
    assert (second.outcome, second.decisions) == ("returned", first.decisions)
    assert second.result != first.result
    remote.close()


def test_a_factory_that_fails_is_heard_of_at_the_first_call() -> None:
    def broken() -> None:
        raise InputError("nothing there")

    worker = Worker(broken, QUICK)
    for _ in range(2):
        with pytest.raises(InputError, match="nothing there"):
            worker.call("anything")
    worker.close()


def test_a_closed_worker_leaves_no_process_and_no_descriptor() -> None:
    before = set(os.listdir("/proc/self/fd"))
    worker = Worker(Served, QUICK)
    pid = worker.call("pid")
    worker.close()
    assert not Path(f"/proc/{pid}").exists()
    pid = worker.call("pid")
    del worker
    assert not Path(f"/proc/{pid}").exists()
    assert set(os.listdir("/proc/self/fd")) <= before


def test_a_parent_that_ignores_its_children_can_have_workers_too() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with Worker(Served, QUICK) as worker:
            with pytest.raises(WorkerDied, match="how it ended is not known"):
                worker.call("leave", 3)
            assert worker.call("count") == 1
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_the_child_has_no_descriptor_of_its_parent(worker: Worker, tmp_path: Path) -> None:
    with open(tmp_path / "open", "w"), Worker(Served, QUICK) as other:
        other.call("pid")
        kinds = worker.call("descriptors")
        assert set(kinds) <= {"/dev/null", "pipe", f"/proc/{worker.call('pid')}/fd"}


def test_a_child_in_the_middle_of_c_code_ends_with_its_parent(tmp_path: Path) -> None:
    script = """
    import os
    from ramify.runtime.sandbox import Policy
    from ramify.runtime.sandbox import Worker

    class Busy:
        def pid(self):
            return os.getpid()
        def work(self):
            from ramify.runtime.sandbox.child import tell
            tell("started")
            sum(range(10**13))

    worker = Worker(Busy, Policy())
    print(worker.call("pid"), flush=True)
    worker._answer = lambda child, *limits: (child.channel.receive(), os._exit(0))
    worker.call("work")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=20, check=True
    )
    try:
        process = os.pidfd_open(int(done.stdout))
    except ProcessLookupError:
        return  # it is gone already
    ended, _, _ = select.select([process], [], [], 20)
    os.close(process)
    assert ended


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
@settings(derandomize=True, max_examples=100)
def test_values_of_builtin_types_arrive_as_they_are(value: Any) -> None:
    arrived = travel.loads(travel.dumps(value))
    assert repr(arrived) == repr(value)
    assert type(arrived) is type(value)


class Point:
    def __repr__(self) -> str:
        return "Point!"


def test_objects_of_other_classes_arrive_as_what_they_look_like() -> None:
    value = [Point(), {Decimal("1.5"): Point}, (x for x in ()), len, Strange]
    arrived = travel.loads(travel.dumps(value))
    assert repr(arrived[:2]) == f"[Point!, {{Decimal('1.5'): {Point!r}}}]"
    assert arrived[2].type_name == "generator"
    assert arrived[3] is len
    assert repr(arrived[4]) == repr(Strange)


def test_exceptions_arrive_with_their_name_their_text_and_a_base_that_handlers_know() -> None:
    class Own(LookupError):
        pass

    arrived = travel.unpack_exception(travel.pack_exception(Own("lost")))
    assert isinstance(arrived, LookupError)
    assert (type(arrived).__name__, str(arrived)) == ("Own", "lost")
    again = travel.unpack_exception(travel.pack_exception(Own("lost")))
    assert type(again) is type(arrived)
    bad = UnicodeDecodeError("utf-8", b"x", 0, 1, "bad")
    for error in (KeyError("k"), OSError(2, "no", "file"), bad, StopIteration(5)):
        arrived = travel.unpack_exception(travel.pack_exception(error))
        assert (type(arrived), str(arrived), arrived.args) == (type(error), str(error), error.args)


def test_only_a_result_has_a_limit_of_size() -> None:
    text = "a" * (travel.MAX_SIZE - 100)
    assert travel.loads(travel.dumps([text, text + "b"])) == [text, text + "b"]
    assert travel.loads(travel.dumps(text, travel.MAX_SIZE)) == text
    large = travel.loads(travel.dumps([text, text + "b"], travel.MAX_SIZE))
    assert repr(large).startswith("<list of 8388")
    assert repr(large).endswith(" bytes, too large to keep>")


SUBJECT = """
class Pair:
    def __init__(self, a: int, b: str):
        if a < 0:
            raise ValueError
        self.a, self.b = a, b

def loop(p: Pair, values: list[int], f: float = 0.5):
    '''
    :assume: len(values) < 5
    :ensure: returnv >= 0
    '''
    total = 0
    for v in values:
        if v > total and p.a != v:
            total += v
        elif p.b == "stop" or f > 2.5:
            print("stopped")
            break
    if total == 30:
        raise KeyError(v)
    return total
"""

INPUTS: list[dict[str, Any]] = [
    {},
    {"p.a": 5, "p.b": "stop", "values": [1, -2, 3]},
    {"values": [10, 20], "f": 3.0},
    {"values": [9] * 6},
    {"p.a": -1},
    {"p.a": 10**30, "p.b": "\U0001f600", "values": [-(10**30)], "f": float("nan")},
]


def test_a_remote_run_is_the_run_itself(tmp_path: Path) -> None:
    """Decisions, terms, sites, facts, promises, output, results, exceptions: term for term the same."""
    file = tmp_path / "subject.py"
    file.write_text(SUBJECT)
    target = target_of(f"{file}:loop")
    remote, here = remote_program(target), Program(target, NAMESPACE)
    assert remote.name == here.name
    assert [(p.name, p.kind) for p in remote.parameters] == [(p.name, p.kind) for p in here.subject.parameters]
    assert (bool(remote.assume), bool(remote.ensure)) == (True, True)
    sites: dict[Any, Any] = {}
    for inputs in INPUTS * 2:
        expected, arrived = here.run(dict(inputs)), remote.run(dict(inputs))
        assert [d[1:] for d in arrived.decisions] == [d[1:] for d in expected.decisions]
        assert [d.term for d in arrived.decisions] == [d.term for d in expected.decisions]
        for a, e in zip(arrived.decisions, expected.decisions, strict=True):
            assert sites.setdefault(e.site, a.site) is a.site
            assert a.site.__reduce__() == e.site.__reduce__()
        assert (arrived.facts, arrived.promises) == (expected.facts, expected.promises)
        assert (arrived.outcome, arrived.reason) == (expected.outcome, expected.reason)
        assert arrived.output == expected.output
        assert same(arrived.result, expected.result)
        assert repr(arrived.exception) == repr(expected.exception)
        assert arrived.concretisations == expected.concretisations
        assert repr(arrived.assignment) == repr(expected.assignment)
        assert arrived.outcome == "rejected" or arrived.arguments == expected.arguments
        assert remote.texts(dict(inputs)) == here.texts(dict(inputs))
    assert len(set(sites.values())) == len(sites)
    remote.close()


def test_terms_are_told_apart_by_a_new_child_too(tmp_path: Path) -> None:
    file = tmp_path / "die.py"
    file.write_text("import os\ndef f(x: int):\n    if x > 3 and x == 9:\n        os._exit(1)\n    return x * 2\n")
    remote = remote_program(target_of(f"{file}:f"))
    seen = [remote.run({"x": x}) for x in (5, 9, 5)]
    assert [run.outcome for run in seen] == ["returned", "crashed", "returned"]
    assert seen[0].decisions == seen[2].decisions
    assert [str(d.condition) for d in seen[1].decisions] == ["x > 3", "x == 9"]
    assert seen[1].decisions[0].site is seen[0].decisions[0].site
    assert seen[1].arguments == {"x": "9"}
    remote.close()
