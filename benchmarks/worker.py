"""What running in a child process costs: a run in a worker against the same run in this process.

    python benchmarks/worker.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import Program, RemoteProgram
from ramify.runtime.sandbox import Policy
from ramify.runtime.worlds import Target, parse

SUBJECTS = """
import os

def short(x: int):
    return "big" if x > 10 else "small"

def loop(x: int, n: int):
    total = 0
    for i in range(500):
        if x + i > n:
            total += 1
    return total

def long(x: int, n: int):
    total = 0
    for i in range(10000):
        if x + total > n:
            total += 1
    return total

def crash(x: int):
    os.abort()
"""

CASES = {
    "short": ("1 decision", 300, {"x": 3}),
    "loop": ("500 decisions", 30, {"x": 3, "n": 5}),
    "long": ("10,000 decisions over growing terms", 3, {"x": 3, "n": -5}),
}


def seconds_each(repeat: int, work: Callable[[int], Any]) -> float:
    """The best of three rounds, for one call."""
    rounds = []
    for _ in range(3):
        started = time.perf_counter()
        for number in range(repeat):
            work(number)
        rounds.append((time.perf_counter() - started) / repeat)
    return min(rounds)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "subjects.py")
        file.write_text(SUBJECTS)
        print("run                                        here    worker    ratio")
        for name, (words, repeat, inputs) in CASES.items():
            here, remote = programs(f"{file}:{name}")
            assert here.run(dict(inputs)).decisions[0].term is remote.run(dict(inputs)).decisions[0].term
            plain = seconds_each(repeat, lambda n: here.run({**inputs, "x": n % 7}))  # noqa: B023
            child = seconds_each(repeat, lambda n: remote.run({**inputs, "x": n % 7}))  # noqa: B023
            print(f"{words:36} {plain * 1e3:8.3f} ms {child * 1e3:6.3f} ms {child / plain:6.2f}")
            remote.close()
        _, remote = programs(f"{file}:crash")
        each = seconds_each(3, lambda n: remote.run({"x": n}))
        print(f"{'a crash: three children':36} {'':11} {each * 1e3:6.1f} ms")
        remote.close()


def programs(text: str) -> tuple[Program, RemoteProgram]:
    source, name = parse(text)
    assert name is not None
    target = Target(source, name)
    remote = RemoteProgram(lambda: Program(target, NAMESPACE), Policy())
    return Program(target, NAMESPACE), remote


if __name__ == "__main__":
    main()
