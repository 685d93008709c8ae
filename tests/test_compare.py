"""`ramify compare`: peer and hybrid on the same branch table, and what each part of the hybrid is good for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ramify.compare import command

SOURCE = """
TABLE = {"alpha": 1, "bravo": 2}


def lookup(key: str) -> int:
    if key in TABLE:
        return TABLE[key]
    return 0


def plain(x: int) -> int:
    return 1 if x > 3 else 0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "subject.py"
    path.write_text(SOURCE)
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, [*arguments, "--budget", "2"])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_miss_in_a_dict_is_what_peer_mode_cannot_see(file: Path) -> None:
    text = run(f"{file}:lookup")
    assert "branches                   1/2         2/2" in text
    assert "only hybrid reached:\n  line 6: `if key in TABLE` true" in text


def test_where_both_are_complete_it_says_so(file: Path) -> None:
    assert "both reached the same branches" in run(f"{file}:plain")


def test_each_part_is_switched_off_in_turn(file: Path) -> None:
    text = run(f"{file}:plain", "--ablate")
    for part in (
        "operand wrapping",
        "boolean operators",
        "call rewriting",
        "builtin models",
        "local search",
        "cheap runs",
    ):
        assert f"without {part}: 2/2 branches, 0 lost" in text


def test_json_has_both_modes_and_the_branches(file: Path) -> None:
    (record,) = json.loads(run(f"{file}:lookup", "--format", "json"))
    assert set(record["modes"]) == {"peer", "hybrid"}
    assert len(record["modes"]["hybrid"]["covered"]) == len(record["branches"]) == 2
    assert [branch["id"] for branch in record["branches"] if branch["id"] in record["only"]["hybrid"]] == [0]


def test_a_whole_file_ends_with_totals_and_markdown_has_tables(file: Path) -> None:
    text = run(str(file), "--format", "markdown")
    assert "| branches | 1/2 | 2/2 |" in text
    assert "2 targets: peer 3/4 (75.0%), hybrid 4/4 (100.0%)" in text
