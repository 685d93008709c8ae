"""What one concolic operation costs, what one decision costs, and what code costs that never touches its
input.

python benchmarks/operations.py
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable
from typing import Any

import ramify
from ramify.runtime.recording import path
from ramify.runtime.terms import language as T
from ramify.runtime.values import sym_int

TIMES = 100_000


def nanoseconds(statement: str, names: dict[str, Any]) -> float:
    return min(timeit.repeat(statement, globals=names, number=TIMES, repeat=5)) / TIMES * 1e9


def warm(x: int) -> int:
    """One branch, so that Z3 is loaded before anything is timed."""
    return 1 if x > 3 else 0


def guess(x: int) -> str:
    """A lot of work that no input takes part in, then one comparison."""
    secret = 0
    for number in range(300_000):
        secret = (secret * 31 + number) % 1_000_003
    return "guessed" if x == secret else "wrong"


def seconds(function: Callable[..., Any], *arguments: Any) -> float:
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def main() -> None:
    variable = T.var("x", T.INT)
    names = {"x": sym_int(5, variable), "y": sym_int(7, T.var("y", T.INT)), "p": 5, "q": 7}
    print("operation            concolic ns   plain ns")
    for concolic, plain in (("x + 1", "p + 1"), ("x + y", "p + q"), ("x * 3", "p * 3"), ("x // 2", "p // 2")):
        print(f"{concolic:<20} {nanoseconds(concolic, names):>11.0f} {nanoseconds(plain, names):>10.0f}")
    run = path.Run({"x": 5, "y": 7}, limit=10**9)
    with path.recording(run):
        for concolic, plain in (("x < 9", "p < 9"), ("if x < 9: pass", "if p < 9: pass")):
            print(f"{concolic:<20} {nanoseconds(concolic, names):>11.0f} {nanoseconds(plain, names):>10.0f}")
            run.decisions.clear()
    list(ramify.explore(warm))
    plainly = 2 * seconds(guess, 0)
    explored = seconds(lambda: list(ramify.explore(guess)))
    print(f"two runs of code that never touches its input: plain {plainly:.3f} s, explored {explored:.3f} s")


if __name__ == "__main__":
    main()
