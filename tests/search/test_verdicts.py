"""Verdicts are honest: no reachable branch is called infeasible or dead, no unreachable one covered, and where a
proof is easy it is found.

The subjects stand in `data/verdicts`. Every branch there can be taken, except those whose line says otherwise:
`#! never true` must be proven, `#? never true` only must not be called covered.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ramify
from ramify.runtime.search import Ambition, GuidedExploration

SUBJECTS = Path(__file__).parents[1] / "data" / "verdicts"
MARK = re.compile(r"#([!?]) (never \w+)")


def functions(name: str) -> list[str]:
    tree = ast.parse((SUBJECTS / name).read_text())
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and not node.name.startswith("_")
    ]


def impossible(file: Path) -> dict[tuple[int, str], bool]:
    """The branches that cannot be taken, by line and outcome, and whether that must be proven."""
    return {
        (number, text): sign == "!"
        for number, line in enumerate(file.read_text().splitlines(), 1)
        for sign, text in MARK.findall(line)
    }


def judge(name: str, function: str, ambition: Ambition, runs: int) -> None:
    file = SUBJECTS / name
    exploration = ramify.explore(f"{file}:{function}", budget=10 if runs > 100 else 1, max_runs=runs)
    assert isinstance(exploration, GuidedExploration)
    exploration.ambition = ambition
    list(exploration)
    never = impossible(file)
    marked = 0
    for verdict in exploration.edge_verdicts():
        edge = verdict.edge
        key = edge.site.line, edge.missing.rpartition("` ")[2]
        if edge.outcome == "suppressed" or edge.site.kind in ("operand", "link"):
            continue  # the marks speak of whole conditions
        if key not in never:
            assert verdict.kind in ("covered", "unsolved"), verdict.text
            continue
        marked += 1
        assert verdict.kind != "covered", verdict.text
        if never[key]:
            assert verdict.kind == "infeasible", verdict.text
    assert marked or name != "proofs.py", "no branch has the outcome that is marked"


@pytest.mark.parametrize("function", functions("proofs.py"))
def test_what_cannot_be_taken_is_proven_and_never_covered(function: str) -> None:
    judge("proofs.py", function, Ambition(), 1000 if needs_proof(function) else 50)


def needs_proof(function: str) -> bool:
    source = (SUBJECTS / "proofs.py").read_text()
    node = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == function)
    return "#!" in (ast.get_source_segment(source, node) or "")


@pytest.mark.slow
@pytest.mark.parametrize("function", functions("library.py"))
def test_what_the_library_reads_is_never_called_infeasible(function: str) -> None:
    """Without local search and cheap runs, which would cover the branch and hide that a term was lost."""
    judge("library.py", function, Ambition(search=False, burst=0), 12)


@pytest.mark.slow
@pytest.mark.parametrize("function", functions("language.py"))
def test_what_the_language_hides_is_never_called_infeasible(function: str) -> None:
    judge("language.py", function, Ambition(search=False, burst=0), 12)


@pytest.mark.parametrize("function", functions("stored.py"))
def test_what_c_objects_keep_is_never_called_infeasible(function: str) -> None:
    judge("stored.py", function, Ambition(search=False, burst=0), 12)


@pytest.mark.parametrize("function", functions("hidden.py"))
def test_what_c_code_makes_of_values_inside_is_never_called_infeasible(function: str) -> None:
    judge("hidden.py", function, Ambition(search=False, burst=0), 12)
