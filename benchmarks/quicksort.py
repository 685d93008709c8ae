"""QuickSort to exhaustion: paths, and exploration time over the time of the same inputs run plainly.

    python benchmarks/quicksort.py [largest n, default 7]

*library* iterates over `ramify.explore` in this process, *command* is `ramify explore --format jsonl` with all it
prints, both with the child that runs the target. Times are processor time of parent and child together, the best
of several rounds; what the command needs to start, two runs included, stands apart. *wall* is what a clock says.

PEF needed 49 800 times the plain time at n = 6 (published figure, another machine).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ramify

SOURCE = '''
def quicksort(l):
    if len(l) <= 1:
        return l
    pivot = l[0]
    smaller = [e for e in l[1:] if e < pivot]
    greater = [e for e in l[1:] if e >= pivot]
    return quicksort(smaller) + [pivot] + quicksort(greater)


def sort(l: list):
    """:assume: len(l) == {n}"""
    return quicksort(l)
'''
FIRST, ROUNDS, PLAIN_PASSES = 4, 3, 7


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that something took: of the processor, in this process and those it started, and by the clock."""

    processor: float
    wall: float

    def best(self, other: Cost) -> Cost:
        return Cost(min(self.processor, other.processor), min(self.wall, other.wall))


def cost_of(work: Callable[[], Any]) -> tuple[Any, Cost]:
    """The result of some work and its cost. Processes it started count when they have ended."""
    began, clock = processor_seconds(), time.perf_counter()
    result = work()
    return result, Cost(processor_seconds() - began, time.perf_counter() - clock)


def processor_seconds() -> float:
    """Of this process and of those it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def plain_seconds(inputs: list[list[int]]) -> float:
    """The best of some passes over the inputs with the untouched function."""
    names: dict[str, Any] = {}
    exec(SOURCE, names)
    best = float("inf")
    for _ in range(PLAIN_PASSES):
        begin = time.process_time()
        for values in inputs:
            names["quicksort"](values)
        best = min(best, time.process_time() - begin)
    return best


def library(target: str) -> tuple[Any, Cost]:
    """An exploration in this process."""
    exploration = ramify.explore(target, strategy="all-paths")
    inputs, cost = cost_of(lambda: [path.execution.assignment["l"] for path in exploration])
    return (exploration.summary, inputs), cost


def command(target: str, *options: str) -> tuple[dict[str, Any], Cost]:
    """The command as users run it, with its output in a file; the record that summarises it."""
    words = [sys.executable, "-m", "ramify", "explore", target, "--strategy", "all-paths", "--format", "jsonl"]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": os.path.dirname(target)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed command has its bytecode, after the first time
    with tempfile.TemporaryFile("w+") as output:
        _, cost = cost_of(lambda: subprocess.run([*words, *options], stdout=output, env=environment, check=True))
        output.seek(0)
        *_, last = output
    return json.loads(last), cost


def rounds(n: int) -> Iterator[dict[str, Any]]:
    """What one n costs, measured several times, all kinds of run in turn."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sorting.py"
        file.write_text(SOURCE.replace("{n}", str(n)))
        target = f"{file}:sort"
        for _ in range(ROUNDS):
            (summary, inputs), inside = library(target)
            record, outside = command(target)
            _, start = command(target, "--max-runs", "2")
            if record["paths"] != len(inputs):
                raise AssertionError(f"the command finds {record['paths']} paths, the library {len(inputs)}")
            yield {
                "summary": summary,
                "plain": plain_seconds(inputs),
                "library": inside,
                "command": outside,
                "start": start,
            }


HEADS = (
    "paths", "depth", "plain us/path", "library ms/path", "times plain", "wall ms/path",
    "command ms/path", "times plain", "start-up s", "wall s, all",
)  # fmt: skip


def row(n: int) -> tuple[float, ...]:
    found = list(rounds(n))
    summary, plain = found[0]["summary"], min(each["plain"] for each in found)
    best: dict[str, Cost] = {}
    for each in found:
        for name in ("library", "command", "start"):
            best[name] = each[name].best(best.get(name, each[name]))
    paths, inside, outside, start = summary.paths, best["library"], best["command"], best["start"].processor
    exploring = outside.processor - start
    return (
        paths, summary.depth, plain / paths * 1e6,
        inside.processor / paths * 1e3, inside.processor / plain, inside.wall / paths * 1e3,
        exploring / paths * 1e3, exploring / plain, start, outside.wall,
    )  # fmt: skip


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(" n" + "".join(f"{head:>17}" for head in HEADS))
    for n in range(FIRST, largest + 1):
        print(f"{n:>2}" + "".join(f"{v:>17.2f}" if type(v) is float else f"{v:>17}" for v in row(n)), flush=True)


if __name__ == "__main__":
    main()
