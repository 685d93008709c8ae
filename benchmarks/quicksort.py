"""QuickSort to exhaustion: paths, and exploration time over the time of the same inputs run plainly.

    python benchmarks/quicksort.py [largest n, default 7]

PEF needed 49 800 times the plain time at n = 6 (published figure, another machine).
"""

from __future__ import annotations

import sys
import tempfile
import time
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


def sort(l: list[int]):
    """:assume: len(l) == {n}"""
    return quicksort(l)
'''


def plain_seconds(inputs: list[list[int]]) -> float:
    """The best of five passes over the inputs with the untouched function."""
    names: dict[str, Any] = {}
    exec(SOURCE, names)
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for values in inputs:
            names["quicksort"](values)
        best = min(best, time.perf_counter() - begin)
    return best


HEADS = ("paths", "depth", "seconds", "ms/path", "plain us/path", "times plain")


def row(n: int) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sorting.py"
        file.write_text(SOURCE.replace("{n}", str(n)))
        exploration = ramify.explore(f"{file}:sort", strategy="all-paths")
        begin = time.perf_counter()
        inputs = [path.execution.assignment["l"] for path in exploration]
        seconds = time.perf_counter() - begin
    summary, plain, count = exploration.summary, plain_seconds(inputs), len(inputs)
    return summary.paths, summary.depth, seconds, seconds / count * 1e3, plain / count * 1e6, seconds / plain


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(" n" + "".join(f"{head:>15}" for head in HEADS))
    for n in range(largest + 1):
        print(f"{n:>2}" + "".join(f"{v:>15.2f}" if type(v) is float else f"{v:>15}" for v in row(n)))


if __name__ == "__main__":
    main()
