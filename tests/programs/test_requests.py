"""What a run in a child costs in requests, and that it is enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ramify

ALONE = "def f(x: int, y: int):\n    if x > 3:\n        return 1 if y == x else 2\n    return 3 if y > 7 else 4\n"
BESIDE = "def limit(x):\n    return 1 if x == 77 else 0\n"
TOGETHER = (
    "from asked_beside import limit\n\ndef f(x: int):\n    if x > 5:\n        return limit(x)\n    return 2\n"
)


def explored(target: str) -> tuple[Any, list[Any], int]:
    exploration = ramify.explore(target, strategy="all-paths")
    worker = exploration.program._worker  # type: ignore[attr-defined]
    before = worker.requests
    paths = list(exploration)
    return exploration.summary, paths, worker.requests - before


def test_a_run_is_one_request(tmp_path: Path) -> None:
    file = tmp_path / "asked_alone.py"
    file.write_text(ALONE)
    summary, paths, requests = explored(f"{file}:f")
    assert len(paths) == 4
    assert requests == summary.runs + 1  # before the first run nobody knows whether modules wait to be rewritten


def test_a_module_that_a_run_enters_is_rewritten_at_once(tmp_path: Path) -> None:
    (tmp_path / "asked_beside.py").write_text(BESIDE)
    file = tmp_path / "asked_together.py"
    file.write_text(TOGETHER)
    summary, paths, requests = explored(f"{file}:f")
    assert sorted(path.result for path in paths) == [0, 1, 2]
    assert summary.stop == "exhausted"
    # The run that enters the module, the rewriting, the run again; then it is asked once more.
    assert summary.runs + 1 < requests <= summary.runs + 5
