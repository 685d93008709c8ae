"""Explores one function in a process of its own and writes down every input as soon as it is found.

    python explorer.py REQUEST RESULT

REQUEST is a JSON file: module, function, types, mode, strategy, without (a part of the hybrid, or "rewriting"),
seconds, memory (bytes). RESULT gets a line for each input (`at`, the seconds since the start, and `call`) and
one at the end (`seconds`, and `error` if there was one).
"""

from __future__ import annotations

import json
import resource
import runpy
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import ramify
from ramify.instrument.concolic import Concolic, Switches
from ramify.runtime.programs import levels

SPARE = 30
"""Seconds of processor time beyond the budget, should nobody be left to end this process."""


def leave_as_written() -> None:
    """Takes from the hybrid all that rewriting gives: concolic runs are then on the code as it was written and
    on the real builtins, as in peer mode. Measured runs go on, and with them cheap runs and local search.
    """

    def as_written(source: bytes, filename: str, switches: Switches) -> Concolic:
        return Concolic(compile(source, filename, "exec", dont_inherit=True))

    levels.concolic_code = lru_cache(maxsize=32)(as_written)
    levels.builtin_models = dict


def main(request: dict[str, Any], result: Path) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"],) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(request["seconds"]) + SPARE,) * 2)
    read_types = runpy.run_path(str(Path(__file__).with_name("table.py")))["read_types"]
    with result.open("w", encoding="utf-8") as out:

        def write(record: dict[str, Any]) -> None:
            out.write(json.dumps(record) + "\n")
            out.flush()

        begin = time.perf_counter()
        error, without = None, request["without"]
        if without == "rewriting":
            leave_as_written()
            without = None
        try:
            paths = ramify.explore(
                f"{request['module']}:{request['function']}",
                mode=request["mode"],
                strategy=request["strategy"],
                budget=request["seconds"],
                types=read_types(request["types"]),
                without=without,
            )
            for path in paths:
                before = [*(f"import {name}" for name in path.imports), *path.setup]
                write({"at": time.perf_counter() - begin, "call": path.call, "before": before})
        except Exception as failure:  # the other functions go on; this one keeps what it found
            error = f"{type(failure).__name__}: {failure}"
        write({"seconds": time.perf_counter() - begin, "error": error})


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
