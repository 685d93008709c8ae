"""What measuring branch coverage costs: Ramify (and Ramify keeping its spent probes), coverage.py, slipcover.

    python benchmarks/coverage_overhead.py [--rounds N] [--repeat N] [--markdown]

Each program of `programs/` runs in a process of its own under each tool; a process calls the program's
`main()` several times. Two numbers are printed, both as ratios to plain Python in the same run: *first*, the
first call, where all branches are new; and *best*, what a long run pays. Repeats are interleaved, so that a
busy machine disturbs all tools alike, and the smallest time of each counts.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
RUNNER = str(HERE / "run_program.py")

# How each tool runs a script, up to the script's own name; {data} is a scratch directory.
TOOLS: dict[str, list[str]] = {
    "plain": [],
    "ramify": ["-m", "ramify", "run", "--source", str(HERE / "programs"), "--output", "{data}/report.txt"],
    "probes kept": ["-m", "ramify", "run", "--source", str(HERE / "programs"), "--output", "{data}/report.txt"],
    "coverage.py": ["-m", "coverage", "run", "--branch", "--source", str(HERE / "programs")],
    "slipcover": ["-m", "slipcover", "--branch", "--source", str(HERE / "programs"), "--out", "{data}/slip.txt"],
}


def times(tool: str, program: str, rounds: int, data: str) -> tuple[float, float]:
    """The first and the best time of the program's main() under a tool, in seconds."""
    prefix = [word.format(data=data) for word in TOOLS[tool]]
    # coverage.py's C tracer is its default below 3.14; naming it keeps the comparison the same everywhere.
    environment = {**os.environ, "COVERAGE_CORE": "ctrace", "COVERAGE_FILE": f"{data}/.coverage"}
    done = subprocess.run(
        [sys.executable, *prefix, RUNNER, program, str(rounds), *(["keep"] if tool == "probes kept" else [])],
        capture_output=True, text=True, env=environment, cwd=HERE, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{tool} failed on {program}:\n{done.stderr}")
    first, best = done.stdout.splitlines()[0].split()
    return float(first), float(best)


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=6, help="calls of main() in one process")
    parser.add_argument("--repeat", type=int, default=3, help="processes per tool and program")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    tools = [tool for tool in TOOLS if tool != "plain"]
    rows: list[tuple[str, list[tuple[float, float]]]] = []
    for program in PROGRAMS:
        least = dict.fromkeys(TOOLS, (math.inf, math.inf))
        with tempfile.TemporaryDirectory() as data:
            for _ in range(options.repeat):
                for tool in TOOLS:
                    first, best = times(tool, program, options.rounds, data)
                    least[tool] = min(least[tool][0], first), min(least[tool][1], best)
        plain_first, plain_best = least["plain"]
        rows.append((program, [(least[tool][0] / plain_first, least[tool][1] / plain_best) for tool in tools]))
    means = [
        (geometric_mean([row[1][i][0] for row in rows]), geometric_mean([row[1][i][1] for row in rows]))
        for i in range(len(tools))
    ]
    rows.append(("geometric mean", means))
    print(f"slow-down against plain Python {sys.version.split()[0]}: first call / best call")
    if options.markdown:
        print("| program | " + " | ".join(tools) + " |\n|---|" + "---|" * len(tools))
        for name, ratios in rows:
            print(f"| {name} | " + " | ".join(f"{first:.2f} / {best:.2f}" for first, best in ratios) + " |")
    else:
        print(f"{'program':<16}" + "".join(f"{tool:>16}" for tool in tools))
        for name, ratios in rows:
            print(f"{name:<16}" + "".join(f"{first:>9.2f} /{best:>5.2f}" for first, best in ratios))


if __name__ == "__main__":
    main()
