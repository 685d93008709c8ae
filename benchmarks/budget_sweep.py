"""Do commands keep to their budget and to their memory, whatever the target is?

    python benchmarks/budget_sweep.py [--budget 2] [--sample N] [--modules NAME,...] [--jobs 2] [--minutes M]
        [--json FILE] [--markdown FILE]

For each module: `explore` on the whole of it, with the budget divided among its functions, and on N of its public
functions, picked by a hash of their names, `explore`, `check`, `diff` (against itself in a copied file) and
`compare`, as real commands. Measured are

- the *overrun*: wall seconds beyond the budget and beyond the loading of the target, which is the wall time of the
  same command with `--budget 0` (before or after, whichever is less), without the 0.2 s that a search of no budget
  may take all the same;
- the *memory*: the most that the command's own process held in RAM at once, its children not counted;
- whether it ended with a status that it should end with, and its output was complete and could be parsed.

Other work on the machine makes commands slower, never faster: one that took too long is measured twice more, and
the shortest counts. What FILE already holds is not measured again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MODULES = Path(__file__).with_name("budget_modules.txt")
"""Modules of the standard library, of which a version of Python may lack some, and of packages."""

LIMIT_SECONDS, LIMIT_MEMORY = 1.0, 1024.0
SLACK = 0.2  # what a search without any budget may take: it counts as overrun, not as loading
COMMANDS = ("explore", "check", "diff", "compare")
WORST = 120.0  # seconds after which a command is killed


@dataclass(slots=True)
class Case:
    """One command on one target."""

    module: str
    function: str  # "" is the whole module
    command: str

    @property
    def key(self) -> str:
        return f"{self.command} {self.module}:{self.function}"


@dataclass(slots=True)
class Outcome:
    """What a command took."""

    wall: float
    memory: float  # MiB
    status: int
    waiting: int = 0  # functions whose turn did not come
    problem: str = ""  # what is wrong with its output


def main() -> None:
    options = _arguments()
    names = options.modules.split(",") if options.modules else MODULES.read_text(encoding="ascii").split()
    cases = list(_cases(names, options.sample))
    store = _Store(options.json)
    end = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        todo = [case for case in cases if case.key not in store.records]
        running = {pool.submit(_measured, case, options.budget, Path(folder), end): case for case in todo}
        for done in as_completed(running):
            record = done.result()
            if record is not None:
                store.add(running[done].key, record)
                print(_line(record), file=sys.stderr, flush=True)
    table = _table([store.records[case.key] for case in cases if case.key in store.records], options.budget)
    if options.markdown:
        options.markdown.write_text(table, encoding="utf-8")
    print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--budget", type=float, default=2.0, help="seconds")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="functions of each module")
    parser.add_argument("--modules", default="", help="only these, with commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=15.0, help="begin nothing after so many")
    parser.add_argument("--json", type=Path, metavar="FILE", help="lines of what was measured; continued if there")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="where the table is written too")
    return parser.parse_args()


class _Store:
    """What was measured, in memory and as lines of a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.records: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # the last line of a run that was killed
                    record = json.loads(line)
                    self.records[record["key"]] = record

    def add(self, key: str, record: dict[str, Any]) -> None:
        self.records[key] = record = {"key": key, **record}
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")


# -- what is measured ---------------------------------------------------------------------------------


def _cases(modules: list[str], sample: int) -> Iterator[Case]:
    """With little time, every module has its turn: first one command on a function of each, then each as a whole,
    then the other commands.
    """
    found = {module: names for module in modules if (names := public_functions(module))}
    for turn in range(sample * len(COMMANDS)):
        for place, (module, names) in enumerate(found.items()):
            picked = sorted(names, key=lambda name: hashlib.sha256(f"{module}:{name}".encode()).digest())
            if turn // len(COMMANDS) < len(picked):
                yield Case(module, picked[turn // len(COMMANDS)], COMMANDS[(turn + place) % len(COMMANDS)])
        if not turn:
            yield from (Case(module, "", "explore") for module in found)


def public_functions(module: str) -> list[str]:
    """The public functions with parameters that a module defines, as its source says; nothing is imported."""
    source = source_of(module)
    if source is None:
        return []
    return [
        node.name
        for node in ast.parse(source.read_bytes()).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and any((node.args.args, node.args.posonlyargs, node.args.kwonlyargs, node.args.vararg))
    ]


def source_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        return None
    origin = spec and spec.origin
    return Path(origin) if origin and origin.endswith(".py") else None


def _measured(case: Case, budget: float, folder: Path, end: float) -> dict[str, Any] | None:
    if time.monotonic() > end:
        return None
    command = _command(case, folder)
    loading = _run(case, command, 0.0)
    parts = max(loading.waiting, 1)
    worked = _run(case, command, budget / parts)
    loading = min(loading, _run(case, command, 0.0), key=lambda outcome: outcome.wall)
    overrun = _overrun(loading, worked, budget)
    for _ in range(2):
        if overrun <= LIMIT_SECONDS:
            break
        again = _run(case, command, 0.0), _run(case, command, budget / parts)
        if _overrun(*again, budget) < overrun:
            (loading, worked), overrun = again, _overrun(*again, budget)
    return {**asdict(case), **asdict(worked), "loading": round(loading.wall, 2), "overrun": round(overrun, 2)}


def _overrun(loading: Outcome, worked: Outcome, budget: float) -> float:
    return worked.wall - budget - max(loading.wall - SLACK, 0.0)


def _command(case: Case, folder: Path) -> list[str]:
    ramify = [sys.executable, "-m", "ramify"]
    if not case.function:
        return [*ramify, "explore", case.module, "--format", "jsonl"]
    target = f"{case.module}:{case.function}"
    if case.command == "diff":
        source = source_of(case.module)
        assert source is not None
        copied = folder / f"{case.module.replace('.', '_')}_old.py"
        shutil.copy(source, copied)
        return [*ramify, "diff", f"{copied}:{case.function}", target, "--format", "json"]
    return [*ramify, case.command, target, "--format", "jsonl" if case.command == "explore" else "json"]


def _run(case: Case, command: list[str], budget: float) -> Outcome:
    """Runs a command and looks at its memory while it runs; the most it had held is kept by the system."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(
            [*command, "--budget", str(budget)], stdout=output, stderr=errors, env=environment
        )
        memory, wall = 0.0, WORST
        while (wall := time.monotonic() - start) < WORST:
            memory = max(memory, _memory(process.pid))
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
                wall = time.monotonic() - start
                break
        else:
            process.kill()
            process.wait()
        output.seek(0)
        errors.seek(0)
        text, complaints = output.read().decode(), errors.read().decode()
    outcome = Outcome(
        round(wall, 2), round(memory, 1), process.returncode, complaints.count("its turn did not come")
    )
    outcome.problem = _problem(case, outcome.status, text, complaints)
    return outcome


def _memory(pid: int) -> float:
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _problem(case: Case, status: int, text: str, complaints: str) -> str:
    """What is wrong with an end: a status that no input can excuse, or output that is not complete."""
    if status == 2:
        return ""  # a target that the command refuses, and says so
    if status not in ((0, 1) if case.command in ("check", "diff") else (0,)):
        return f"status {status}: {complaints.strip().splitlines()[-1:]}"
    try:
        if case.command == "explore":
            records = [json.loads(line) for line in text.splitlines()]
            done = records[-1:] and records[-1]["kind"] == "summary"
            return "" if done or complaints else "no summary"
        json.loads(text)
    except (ValueError, KeyError) as error:
        return f"output: {error}"
    return ""


# -- what is said of it -------------------------------------------------------------------------------


def is_violation(record: dict[str, Any]) -> bool:
    return (
        bool(record["problem"]) or record["overrun"] > LIMIT_SECONDS or record["memory"] > LIMIT_MEMORY
    )


def _line(record: dict[str, Any]) -> str:
    what = f"{record['command']} {record['module']}:{record['function']}"
    marks = " VIOLATION" if is_violation(record) else ""
    return (
        f"{record['overrun']:+.2f} s {record['memory']:.0f} MiB status {record['status']} {what}"
        f" (loading {record['loading']:.1f} s) {record['problem']}{marks}"
    )


def _table(records: list[dict[str, Any]], budget: float) -> str:
    """Per module and command the largest overrun and memory; then the same for each command."""
    names = {"explore, whole": ("explore", True), **{command: (command, False) for command in COMMANDS}}
    lines = [
        f"# Budget and memory of the commands, `--budget {budget:g}`",
        "",
        f"{len(records)} commands on {len({r['module'] for r in records})} modules: largest overrun in seconds,",
        "most memory in MiB. What is measured is said in `benchmarks/budget_sweep.py`.",
        "",
        "| | " + " | ".join(names) + " | violations |",
        "|---|" + "---|" * (len(names) + 1),
    ]

    def row(title: str, chosen: list[dict[str, Any]]) -> str:
        cells = []
        for command, whole in names.values():
            fitting = [r for r in chosen if r["command"] == command and (not r["function"]) == whole]
            worst = max((r["overrun"] for r in fitting), default=None)
            memory = max((r["memory"] for r in fitting), default=0.0)
            cells.append("" if worst is None else f"{worst:+.2f} s, {memory:.0f}")
        return f"| {title} | {' | '.join(cells)} | {sum(map(is_violation, chosen))} |"

    lines.append(row("**all**", records))
    for module in sorted({r["module"] for r in records}):
        lines.append(row(module, [r for r in records if r["module"] == module]))
    bad = [f"- {_line(record)}" for record in records if is_violation(record)]
    return "\n".join([*lines, *(["", "Violations:", "", *bad] if bad else []), ""])


if __name__ == "__main__":
    main()
