"""Run one of the benchmark programs a few times and print the first and the best time of its main().

With `keep` as third argument, under `ramify run`, spent probes stay where they are: what removing them saves.
"""

import builtins
import importlib
import sys
import time


def keep_probes() -> None:
    for name, value in vars(builtins).items():
        if name.startswith("__ramify_") and name.endswith("_enter__"):
            value.__func__.__globals__["_THIN_AT"] = ()


def main(name: str, rounds: int, *options: str) -> None:
    program = importlib.import_module(f"programs.{name}")
    if "keep" in options:
        keep_probes()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        program.main()
        times.append(time.perf_counter() - start)
    # The first round still finds branches for the first time; what a long run pays is the best one.
    print(f"{times[0]} {min(times)}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
