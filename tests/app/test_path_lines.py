"""The lines of the jsonl format against the records they stand for, written out one by one."""

from __future__ import annotations

import json
from pathlib import Path as File
from typing import Any

import pytest

import ramify
from ramify.reports import path_lines
from ramify.reports.path_lines import PathLines

SOURCE = '''
import os


def text(s: str, n: int):
    """:ensure: returnv != 3"""
    print("got", "\\u00e9\\U0001f600", '"')
    if s.startswith('"\\u20ac\\\\') or n > 10:
        return s
    return n if n > 3 or s else [n]


def crash(x: int):
    if x > 5:
        os.abort()
    return x


def refused(x: int):
    if x == 7:
        open("/nowhere/at/all", "w")
    return 1 // (x - 3)


def nothing():
    return None


def loop(n: int):
    while n > 0:
        n -= 1
'''


def written_out(path: Any) -> dict[str, Any]:
    error = path.exception
    shown = error is None and path.outcome not in ("cut", "crashed")
    record = {
        "kind": "path",
        "call": path.call,
        "setup": path.setup,
        "imports": path.imports,
        "outside": list(path.outside),
        "outcome": path.outcome,
        "result": repr(path.result) if shown else None,
        "exception": None if error is None else {"type": type(error).__name__, "message": str(error)},
        "output": path.output,
        "decisions": [
            {
                "file": d.site.file,
                "line": d.site.line,
                "outcome": d.outcome,
                "condition": str(d.term),
                "phase": d.phase.value,
            }
            for d in path.decisions
        ],
        "path_condition": path.path_condition,
    }
    if path.execution.reason:
        record["reason"] = path.execution.reason.text
    if path.execution.refusals:
        record["refused"] = [
            {"kind": r.kind, "action": r.action, "file": r.file, "line": r.line} for r in path.execution.refusals
        ]
    return record


@pytest.mark.parametrize("kept", [path_lines.MOST_KEPT, 100])
def test_a_line_is_the_record_of_its_path(kept: int, tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_lines, "MOST_KEPT", kept)
    file = tmp_path / "kinds.py"
    file.write_text(SOURCE)
    lines, endings = PathLines(), set()
    for name in ("text", "crash", "refused", "nothing", "loop"):
        for path in ramify.explore(f"{file}:{name}", strategy="all-paths", max_runs=8):
            assert lines.line(path) == json.dumps(written_out(path))
            endings.add((path.outcome, bool(path.execution.refusals), bool(path.decisions)))
    assert {outcome for outcome, _, _ in endings} >= {"returned", "raised", "crashed", "violated"}
    assert {(refused, decided) for _, refused, decided in endings} == {(False, True), (True, True), (False, False)}


def test_what_is_kept_is_forgotten_when_it_is_too_much(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_lines, "MOST_KEPT", 2000)
    file = tmp_path / "kinds.py"
    file.write_text(SOURCE)
    lines, most, forgotten = PathLines(), 0, False
    for path in ramify.explore(f"{file}:loop", strategy="all-paths", max_runs=30):
        before = len(lines._decisions)
        line = lines.line(path)
        forgotten = forgotten or len(lines._decisions) < before
        most = max(most, sum(map(len, lines._decisions.values())) - len(line))
    assert forgotten
    assert most <= 2000
