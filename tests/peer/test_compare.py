"""`ramify compare`: peer and hybrid on the same branch table, and what each part of the hybrid is good for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ramify
from ramify.cfg.table import BranchTable
from ramify.commands.compare_command import command
from ramify.reports.compare_formats import as_markdown, as_record, words
from ramify.runtime.peer import HYBRID, PEER, Column, Comparison

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


def test_a_branch_that_needs_a_part_says_which_and_one_that_does_not_says_so() -> None:
    edges = list(BranchTable.of_source("def f(s):\n    if s in TABLE: return 1\n    if s: return 2\n").edges)

    def column(name: str, *covered: int) -> Column:
        return Column(name, 1, frozenset(covered), 1, 0, 0, 0, 0.1, "covered")

    comparison = Comparison("f", edges, {PEER: column(PEER, 1, 3), HYBRID: column(HYBRID, 0, 1, 2, 3)})
    assert words(comparison) == ["only hybrid reached:", "  line 2: `if s in TABLE` true", "  line 3: `if s` true"]
    comparison.without = {"booleans": column("booleans", 1, 2, 3), "calls": column("calls", 0, 1, 2, 3)}
    assert words(comparison) == [
        "only hybrid reached:",
        "  line 2: `if s in TABLE` true (thanks to booleans)",
        "  line 3: `if s` true (also without any one of the parts)",
        "without booleans: 3/4 branches, 1 lost",
        "without calls: 4/4 branches, 0 lost",
    ]
    assert as_record(comparison)["needs"] == {0: ["booleans"]}
    assert "- only hybrid reached:\n  - line 2: `if s in TABLE` true (thanks" in as_markdown(comparison)


def test_an_interrupt_ends_it_with_what_is_known(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def explored(name: str, **options: Any) -> Any:
        begun.append(f"{name.rpartition(':')[2]} {options.get('mode', 'hybrid')}")
        exploration = ramify.explore(name, **options)
        if begun[-1] == "plain hybrid":  # a key is pressed while this one runs
            monkeypatch.setattr(exploration.program, "measure", _interrupt)
            monkeypatch.setattr(exploration.program, "burst", _interrupt)
        return exploration

    monkeypatch.setattr("ramify.commands.compare_command.explore", explored)
    result = CliRunner().invoke(command, [f"{file}:lookup", f"{file}:plain", f"{file}:lookup", "--budget", "2"])
    assert "only hybrid reached:\n  line 6: `if key in TABLE` true" in result.stdout
    assert "ramify: interrupted; 1 of 3 targets were compared" in result.stderr
    assert begun.count("lookup hybrid") == 1


def _interrupt(*arguments: Any, **keywords: Any) -> Any:
    raise KeyboardInterrupt


def test_what_a_target_may_do_holds_for_all_modes(tmp_path: Path) -> None:
    file = tmp_path / "writes.py"
    file.write_text(
        f"def f(x: int):\n    if x == 5:\n        open({str(tmp_path / 'made')!r}, 'w').close()\n"
    )
    run(f"{file}:f")
    assert not (tmp_path / "made").exists()
    run(f"{file}:f", "--allow", "write")
    assert (tmp_path / "made").exists()


def test_json_has_both_modes_and_the_branches(file: Path) -> None:
    (record,) = json.loads(run(f"{file}:lookup", "--format", "json"))
    assert set(record["modes"]) == {"peer", "hybrid"}
    assert len(record["modes"]["hybrid"]["covered"]) == len(record["branches"]) == 2
    assert [branch["id"] for branch in record["branches"] if branch["id"] in record["only"]["hybrid"]] == [0]


def test_a_whole_file_ends_with_totals_and_markdown_has_tables(file: Path) -> None:
    text = run(str(file), "--format", "markdown")
    assert "| branches | 1/2 | 2/2 |" in text
    assert "2 targets: peer 3/4 (75.0%), hybrid 4/4 (100.0%)" in text
