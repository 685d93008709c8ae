"""Branch coverage on functions nobody here wrote: random calls, peer and hybrid, measured by coverage.py.

    pip install -r benchmarks/corpus-requirements.txt
    python benchmarks/corpus.py [--mode random|peer|hybrid|all] [--seconds 10] [--only PATTERN]
        [--half tuning|held-back] [--jobs 2] [--strategy S] [--json FILE] [--markdown] [--missing]

Every function of benchmarks/corpus/*.toml is explored in a process of its own, and the inputs it emits are
replayed on the plain module in another, under coverage.py. `random` is 400 random typed calls. With --json,
what FILE already holds is not measured again, so that a run can be continued and a mode added; delete it to
measure anew. --missing shows the tuning half, unless --half held-back asks for the other: what is held back
is not for tuning.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import re
import signal
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from corpus import report, table
from corpus.measuring import Measurement, measure, stop_all
from corpus.table import HALVES, Entry

MODES = ("random", "peer", "hybrid")


def main() -> None:
    options = arguments()
    modes = MODES if options.mode == "all" else tuple(options.mode.split(","))
    entries = chosen(options.only, options.half)
    store = Store(options.json, settings(options.seconds, options.strategy))
    measure_all(entries, modes, options, store)
    shown = tuple(m for m in MODES if any(store.get(e, m) for e in entries))
    print(report.report(entries, shown, store.get, options.markdown))
    if options.missing:
        half = options.half or "tuning"
        print("\n" + "\n".join(report.missing_lines([e for e in entries if e.half == half], shown[-1], store.get)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mode", default="all", type=known_modes, help="one, or several with commas, or all")
    parser.add_argument("--seconds", default=10.0, type=float, help="budget of each exploration")
    parser.add_argument("--only", default="", metavar="PATTERN", help="functions whose module:name has this regex")
    parser.add_argument("--half", choices=HALVES, help="only this half of the corpus")
    parser.add_argument("--jobs", default=2, type=int, help="functions measured at the same time")
    parser.add_argument("--strategy", help="search order, instead of the mode's own")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the measurements, and use those it has")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--missing", action="store_true", help="print every branch that was not covered")
    return parser.parse_args()


def known_modes(text: str) -> str:
    for mode in text.split(","):
        if mode not in (*MODES, "all"):
            raise argparse.ArgumentTypeError(f"no mode {mode!r}; there are {', '.join(MODES)} and all")
    return text


def chosen(pattern: str, half: str | None) -> list[Entry]:
    """The entries asked for; a missing package stops everything, since the totals would mean nothing."""
    entries = [e for e in table.read() if re.search(pattern, e.name) and half in (None, e.half)]
    absent = sorted({e.module.split(".")[0] for e in entries if not importable(e.module.split(".")[0])})
    if absent:
        needed = Path(__file__).with_name("corpus-requirements.txt")
        sys.exit(f"corpus: {', '.join(absent)} not installed; run `pip install -r {needed}`")
    return entries


def importable(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def settings(seconds: float, strategy: str | None) -> dict[str, object]:
    return {"seconds": seconds, "strategy": strategy, "python": platform.python_version()}


class Store:
    """Measurements by function and mode, in a file if one is given."""

    def __init__(self, file: Path | None, settings: dict[str, object]) -> None:
        self.file, self.settings = file, settings
        self.found: dict[str, dict[str, Measurement]] = {}
        if file is not None and file.exists():
            held = json.loads(file.read_text(encoding="utf-8"))
            if held["settings"] != settings:
                sys.exit(f"corpus: {file} was measured with {held['settings']}, not {settings}; use another file")
            for name, modes in held["functions"].items():
                self.found[name] = {mode: Measurement.from_json(m) for mode, m in modes.items()}

    def get(self, entry: Entry, mode: str) -> Measurement | None:
        return self.found.get(entry.name, {}).get(mode)

    def put(self, entry: Entry, mode: str, measurement: Measurement) -> None:
        self.found.setdefault(entry.name, {})[mode] = measurement
        if self.file is None:
            return
        functions = {n: {m: x.as_json() for m, x in modes.items()} for n, modes in sorted(self.found.items())}
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps({"settings": self.settings, "functions": functions}), encoding="utf-8")
        os.replace(fresh, self.file)


def measure_all(
    entries: Iterable[Entry], modes: tuple[str, ...], options: argparse.Namespace, store: Store
) -> None:
    work = [(e, mode) for e in entries for mode in modes if store.get(e, mode) is None]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    pool = ThreadPoolExecutor(options.jobs)
    try:
        running = {pool.submit(measure, e, mode, options.seconds, options.strategy): (e, mode) for e, mode in work}
        for number, done in enumerate(as_completed(running), 1):
            entry, mode = running[done]
            measurement = done.result()
            store.put(entry, mode, measurement)
            line = f"{len(measurement.covered)}/{len(measurement.branches)} {measurement.note}"
            print(f"{number}/{len(work)} {mode} {entry.name} {line}", file=sys.stderr, flush=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()


if __name__ == "__main__":
    main()
