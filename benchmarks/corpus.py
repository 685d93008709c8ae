"""Branch coverage on functions nobody here wrote: random calls, peer, hybrid and its ablations, by coverage.py.

    pip install -r benchmarks/corpus-requirements.txt -r benchmarks/fresh-requirements.txt
    python benchmarks/corpus.py [--mode random,peer,generational,hybrid,ablations|all] [--seconds 10]
        [--only PATTERN] [--part tuning|held-back|fresh] [--jobs 2] [--json FILE] [--tables DIR] [--missing]

Every function of benchmarks/corpus/*.toml is explored in a process of its own, and the inputs it emits are
replayed on the plain module in another, under coverage.py. All modes of a function are measured one right after
the other, so that a busy machine disturbs all alike. `random` is 400 random typed calls; `ablations` is the
hybrid with one of its parts switched off, each in turn. With --json, what FILE already holds is not measured
again, so that a run can be continued and a mode added, with the same engine; delete it to measure anew. --tables
docs/data/corpus writes the tables that docs/benchmarks.md links to.
--missing shows the tuning half, unless --part held-back asks for the other: what is held back is not for tuning.
The fresh part it never shows.
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
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event

from corpus import engine, modes, report, table
from corpus.measuring import Measurement, measure, stop_all
from corpus.table import PARTS, Entry


def main() -> None:
    options = arguments()
    entries = chosen(options.only, options.part)
    store = Store(options.json, settings(options.seconds), engine.commit())
    measure_all(entries, options.mode, options.seconds, options.jobs, store)
    shown = tuple(m for m in modes.MODES if any(store.get(e, m) for e in entries))
    print(f"engine {store.settings['engine']}, commit {store.commit or 'unknown'}\n")
    print(report.report(entries, shown, store.get))
    if options.tables:
        report.write(report.tables(entries, shown, store.get), options.tables)
    if options.missing:
        part = options.part or "tuning"
        mode = [m for m in (*modes.ABLATIONS, *modes.MAIN) if m in shown][-1]
        print("\n" + "\n".join(report.missing_lines([e for e in entries if e.part == part], mode, store.get)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mode", default="all", type=known_modes, help="one, or several with commas, or all")
    parser.add_argument("--seconds", default=10.0, type=float, help="budget of each exploration")
    parser.add_argument("--only", default="", metavar="PATTERN", help="functions whose module:name has this regex")
    parser.add_argument("--part", choices=PARTS, help="only this part of the corpus")
    parser.add_argument("--jobs", default=2, type=int, help="functions measured at the same time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the measurements, and use those it has")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="write the tables there, as CSV")
    parser.add_argument("--missing", action="store_true", help="print every branch that was not covered")
    options = parser.parse_args()
    if options.missing and options.part == "fresh":
        parser.error("--missing never shows the fresh part: it must stay one that nobody has looked at")
    return options


def known_modes(text: str) -> tuple[str, ...]:
    try:
        return modes.named(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def chosen(pattern: str, part: str | None) -> list[Entry]:
    """The entries asked for; a missing package stops everything, since the totals would mean nothing."""
    entries = [e for e in table.read() if re.search(pattern, e.name) and part in (None, e.part)]
    absent = sorted({e.module.split(".")[0] for e in entries if not importable(e.module.split(".")[0])})
    if absent:
        files = " ".join(f"-r {file}" for file in sorted(Path(__file__).parent.glob("*-requirements.txt")))
        sys.exit(f"corpus: {', '.join(absent)} not installed; run `pip install {files}`")
    return entries


def importable(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def settings(seconds: float) -> dict[str, object]:
    """What must be the same for all measurements of a file."""
    return {"seconds": seconds, "python": platform.python_version(), "engine": engine.digest()}


class Store:
    """Measurements by function and mode, in a file if one is given."""

    def __init__(self, file: Path | None, settings: dict[str, object], commit: str) -> None:
        self.file, self.settings, self.commit = file, settings, commit
        self.found: dict[str, dict[str, Measurement]] = {}
        if file is not None and file.exists():
            held = json.loads(file.read_text(encoding="utf-8"))
            if held["settings"] != settings:
                now = f"{settings} at commit {commit or 'unknown'}"
                then = f"{held['settings']} at commit {held.get('commit') or 'unknown'}"
                sys.exit(f"corpus: {file} was measured with {then}, not {now}; use another file")
            self.commit = held["commit"]  # the same engine, whatever else was committed since
            for name, measured in held["functions"].items():
                self.found[name] = {mode: Measurement.from_json(m) for mode, m in measured.items()}

    def get(self, entry: Entry, mode: str) -> Measurement | None:
        return self.found.get(entry.name, {}).get(mode)

    def put(self, entry: Entry, measured: dict[str, Measurement]) -> None:
        self.found.setdefault(entry.name, {}).update(measured)
        if self.file is None:
            return
        functions = {n: {m: x.as_json() for m, x in held.items()} for n, held in sorted(self.found.items())}
        whole = {"commit": self.commit, "settings": self.settings, "functions": functions}
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps(whole), encoding="utf-8")
        os.replace(fresh, self.file)


def measure_all(entries: Sequence[Entry], wanted: Sequence[str], seconds: float, jobs: int, store: Store) -> None:
    """Measures what the store does not hold yet; the modes of one function are one piece of work."""
    stopped = Event()

    def measured(entry: Entry, missing: Sequence[str]) -> dict[str, Measurement]:
        return {mode: measure(entry, mode, seconds) for mode in missing if not stopped.is_set()}

    work = {e: missing for e in entries if (missing := [m for m in wanted if store.get(e, m) is None])}
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    pool = ThreadPoolExecutor(jobs)
    try:
        running = {pool.submit(measured, entry, missing): entry for entry, missing in work.items()}
        for number, done in enumerate(as_completed(running), 1):
            entry = running[done]
            store.put(entry, done.result())
            for mode, m in done.result().items():
                line = f"{number}/{len(work)} {mode} {entry.name} {len(m.covered)}/{len(m.branches)} {m.note}"
                print(line, file=sys.stderr, flush=True)
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)
        stop_all()


if __name__ == "__main__":
    main()
