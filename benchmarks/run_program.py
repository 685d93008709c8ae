"""Run one of the benchmark programs a few times and print the best time of its main()."""

import importlib
import sys
import time


def best(name: str, rounds: int) -> float:
    program = importlib.import_module(f"programs.{name}")
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        program.main()
        times.append(time.perf_counter() - start)
    # The first round still finds branches for the first time; what a long run pays is the best one.
    print(f"{times[0]} {min(times)}")
    return min(times)


if __name__ == "__main__":
    best(sys.argv[1], int(sys.argv[2]))
