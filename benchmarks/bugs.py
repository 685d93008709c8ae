"""Checks the corpus of seeded bugs: what is found, what is missed, and what is said of the fixed twins.

    python benchmarks/bugs.py [--budget SECONDS] [--mode hybrid|peer] [--seed N] [NAME...]

A bug counts as found when its kind of finding is reported for its function, and as a false alarm whatever is
reported for the fixed twin.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "bugs"))

from index import BUGS, Bug

from ramify.checks import check
from ramify.errors import RamifyError
from ramify.runtime.checking import Report


def tried(target: str, mode: str, budget: float, seed: int) -> Report | None:
    try:
        return check(target, mode=mode, budget=budget, seed=seed)
    except RamifyError as error:
        print(f"    {error}")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="functions; all without any")
    parser.add_argument("--budget", type=float, default=5.0)
    parser.add_argument("--mode", default="hybrid")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    bugs: list[Bug] = [bug for bug in BUGS if not options.names or bug.function in options.names]
    missed, alarms, times, verified = [], [], [], 0
    begin = time.perf_counter()
    print(f"{'function':<22} {'slip':<22} {'bug':<8} {'after':>7}  {'twin':<24} {'took':>6}")
    for bug in bugs:
        report = tried(bug.target, options.mode, options.budget, options.seed)
        twin = tried(bug.twin, options.mode, options.budget, options.seed)
        hits = [finding.seconds for finding in report.findings if finding.kind == bug.kind] if report else []
        found = "found" if hits else "missed"
        times += [min(hits)] if hits else []
        missed += [] if hits else [bug.function]
        alarms += [bug.function] if twin is None or twin.findings else []
        verified += twin is not None and twin.verdict == "verified within bounds"
        after = f"{min(hits):.2f} s" if hits else ""
        took = (report.seconds if report else 0) + (twin.seconds if twin else 0)
        verdict = twin.verdict if twin else ""
        print(f"{bug.function:<22} {bug.slip:<22} {found:<8} {after:>7}  {verdict:<24} {took:>5.1f}s")
    print(f"\nfound {len(bugs) - len(missed)} of {len(bugs)}, missed {len(missed)}, false alarms {len(alarms)}")
    print(f"fixed twins verified within bounds: {verified}")
    if times:
        print(f"time to the first violation: median {median(times):.2f} s, most {max(times):.2f} s")
    print(f"seconds in all: {time.perf_counter() - begin:.0f}")
    for what, names in (("missed", missed), ("false alarms", alarms)):
        if names:
            print(f"{what}: {', '.join(names)}")


if __name__ == "__main__":
    main()
