"""What the concolic level costs where nothing is symbolic: each program of `programs/` against plain Python.

    python benchmarks/concolic_overhead.py [--rounds N] [--models] [--programs NAME...]

Plain and rewritten code run in turn in one process, so that a busy machine disturbs both alike, and the best time
of each counts, in processor time. `--models` also puts the models of builtin functions into the module's builtins.
"""

from __future__ import annotations

import argparse
import builtins
import math
import sys
import time
from pathlib import Path
from types import CodeType
from typing import Any

from ramify.instrument.concolic import instrument
from ramify.runtime.models import BUILTINS
from ramify.runtime.operations import NAMESPACE
from ramify.runtime.ticks import Ticks

PROGRAMS = sorted((Path(__file__).resolve().parent / "programs").glob("*.py"))


def world(code: CodeType, names: dict[str, Any]) -> dict[str, Any]:
    module: dict[str, Any] = {"__name__": "program", "__builtins__": names}
    sys.modules["program"] = type(sys)("program")
    exec(code, module)
    return module


def seconds(module: dict[str, Any]) -> float:
    start = time.process_time()
    module["main"]()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7, help="calls of main() of each kind")
    parser.add_argument("--models", action="store_true", help="with the models of builtin functions")
    parser.add_argument("--programs", nargs="*", help="names of programs; all if left out")
    options = parser.parse_args()
    names = dict(NAMESPACE)
    if options.models:
        names |= {f.__name__: model for f, model in BUILTINS.items() if not isinstance(f, type)}
    ratios: list[float] = []
    print(f"slow-down against plain Python {sys.version.split()[0]}, nothing symbolic")
    for path in PROGRAMS:
        if options.programs and path.stem not in options.programs:
            continue
        source = path.read_bytes()
        plain = world(compile(source, str(path), "exec"), dict(vars(builtins)))
        ticks = Ticks()  # as in an exploration
        rewritten = world(instrument(source, str(path)).code, ticks.builtins(names))
        pairs = [(seconds(plain), seconds(rewritten)) for _ in range(options.rounds)]
        ratios.append(min(r for _, r in pairs) / min(p for p, _ in pairs))
        print(f"{path.stem:<16}{ratios[-1]:6.2f}")
    print(f"{'geometric mean':<16}{math.exp(sum(map(math.log, ratios)) / len(ratios)):6.2f}")


if __name__ == "__main__":
    main()
