"""Measures one function in one mode: inputs from one process, the branches they take from another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpus import modes
from corpus.random_calls import Generator
from corpus.table import Entry

HERE = Path(__file__).parent
GRACE = 20.0
"""Seconds that a process may take beyond its budget before it is killed: imports, a last query, the report."""
PER_CALL, TOTAL = 0.5, 60.0
"""Bounds of the replay in seconds."""
MEMORY = 4 << 30
RUNNING: set[subprocess.Popen[bytes]] = set()
LETHAL_CALLS = 5
"""How many calls that kill the replaying process are left out before the replay is given up."""


@dataclass(slots=True)
class Inputs:
    """What a mode emitted: calls as expressions, and the second at which each was found."""

    calls: list[str] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    before: list[list[str]] = field(default_factory=list)  # statements that build what a call names
    seconds: float = 0.0
    note: str = ""


@dataclass(slots=True)
class Measurement:
    """The branches of one function that the inputs of one mode took."""

    branches: list[tuple[int, int]] = field(default_factory=list)
    covered: list[tuple[int, int]] = field(default_factory=list)
    file: str = ""
    inputs: int = 0
    ended: int = 0  # calls that were replayed and came to an end in time
    seconds: float = 0.0
    settled: float = 0.0
    note: str = ""

    @property
    def missing(self) -> list[tuple[int, int]]:
        return sorted(set(self.branches) - set(self.covered))

    @property
    def complete(self) -> bool:
        return bool(self.branches) and not self.missing

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Measurement:
        made = cls(**record)
        made.branches, made.covered = [tuple(b) for b in made.branches], [tuple(b) for b in made.covered]
        return made


def measure(entry: Entry, mode: str, seconds: float) -> Measurement:
    inputs = random_inputs(entry) if mode == "random" else explored_inputs(entry, mode, seconds)
    measurement = replay(entry, inputs)
    measurement.note = "; ".join(note for note in (inputs.note, measurement.note) if note)
    return measurement


def random_inputs(entry: Entry) -> Inputs:
    calls = Generator(entry.name).calls(entry.parameter_types())
    return Inputs(calls, [0.0] * len(calls))


def explored_inputs(entry: Entry, mode: str, seconds: float) -> Inputs:
    request = {**asdict(entry), **modes.settings(mode), "seconds": seconds}
    inputs = Inputs(seconds=seconds + GRACE)
    with tempfile.TemporaryDirectory() as folder:
        code, result, complaint = run("explorer.py", request, folder, seconds + GRACE)
        text = result.read_text(encoding="utf-8") if result.exists() else ""
    for record in map(json.loads, text.splitlines(keepends=False)):
        if "call" in record:
            inputs.calls.append(record["call"])
            inputs.at.append(record["at"])
            inputs.before.append(record["before"])
        else:
            inputs.seconds, inputs.note = record["seconds"], record["error"] or ""
            return inputs
    inputs.note = f"the exploration {death(code)}: {complaint}"
    return inputs


def replay(entry: Entry, inputs: Inputs) -> Measurement:
    """The branches that the inputs take; calls that kill the process are left out one after the other."""
    request = {
        "module": entry.module,
        "function": entry.function,
        "listed": list(entry.parameter_types()),
        "calls": inputs.calls,
        "at": inputs.at,
        "before": inputs.before or [[]] * len(inputs.calls),
        "skip": [],
        "per_call": PER_CALL,
        "total": TOTAL,
    }
    made = Measurement(inputs=len(inputs.calls), seconds=inputs.seconds)
    for _ in range(LETHAL_CALLS):
        with tempfile.TemporaryDirectory() as folder:
            code, result, complaint = run("replayer.py", request, folder, TOTAL + GRACE)
            if result.exists():
                answer = json.loads(result.read_text(encoding="utf-8"))
                return measured(made, answer, len(request["skip"]))
            last = result.with_suffix(".at")
            if not last.exists() or not last.read_text():
                break
            request["skip"].append(int(last.read_text()))
    made.note = f"the replay {death(code)}: {complaint}"
    return made


def measured(made: Measurement, answer: dict[str, Any], lethal: int) -> Measurement:
    if answer["error"]:
        made.note = answer["error"]
        return made
    made.file, made.settled = answer["file"], min(answer["settled"], made.seconds)
    made.ended = answer["calls"] - answer["overdue"]
    made.branches = [tuple(b) for b in answer["branches"]]
    made.covered = [tuple(b) for b in answer["covered"]]
    notes = [] if made.branches else ["no branches in this version of the function"]
    if answer["overdue"]:
        notes.append(f"{answer['overdue']} calls did not end")
    if lethal:
        notes.append(f"{lethal} calls killed the process")
    left = made.inputs - lethal - answer["calls"]
    if left:
        notes.append(f"{left} calls not replayed for lack of time")
    made.note = ", ".join(notes)
    return made


def run(script: str, request: dict[str, Any], folder: str, limit: float) -> tuple[int | None, Path, str]:
    """Runs a script on a request: its exit code (None if it was killed for its time), result and last complaint.

    Modules are loaded from their source even where Python has them frozen: frozen code has no lines to measure.
    The script's own folder is kept out of the import path, where its modules could stand before the target's.
    """
    asked, result, errors = (Path(folder, name) for name in ("request.json", "result.json", "errors.txt"))
    asked.write_text(json.dumps({**request, "memory": MEMORY}), encoding="utf-8")
    command = [sys.executable, "-P", "-X", "frozen_modules=off", str(HERE / script), str(asked), str(result)]
    with errors.open("wb") as complaints:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            start_new_session=True,
        )
        RUNNING.add(process)
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        finally:
            RUNNING.discard(process)
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return code, result, lines[-1] if lines else ""


def stop_all() -> None:
    """Ends every process that is still at work: none may outlive the run and slow down the next one."""
    for process in list(RUNNING):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def death(code: int | None) -> str:
    return "was killed for its time" if code is None else f"ended with status {code}"
