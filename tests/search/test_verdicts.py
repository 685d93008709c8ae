"""Verdicts are honest: no reachable branch is called infeasible or dead, no unreachable one covered, and where a
proof is easy it is found.

The subjects stand in `data/verdicts`. Every branch there can be taken, except those whose line says otherwise:
`#! never true` must be proven, `#? never true` only must not be called covered.

Only a search that has come to an end calls anything infeasible. One that ran out of runs would pass here whatever
is wrong with its verdicts, unless it has already recorded why it can prove nothing.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import ramify
from ramify.runtime.programs import Execution, RemoteHybrid
from ramify.runtime.search import Ambition, Goals, GuidedExploration, Summary
from ramify.runtime.solver import Sat, Solver, Unknown, Unsat, Verdict

SUBJECTS = Path(__file__).parents[1] / "data" / "verdicts"
MARK = re.compile(r"#([!?]) (never \w+)")
RUNS = 60
SECONDS = 60.0  # what ends a search is the number of runs; this is for a machine that is very busy
PROVING = Ambition(burst=60)
"""Fewer cheap runs than usual: each proof is followed by as many that try to refute it."""
QUIET = Ambition(search=False, burst=0)
"""Without local search and cheap runs, which would cover the branch and hide that a term was lost."""


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


def is_decided(summary: Summary) -> bool:
    """Whether the verdicts of a search would have been others, had it gone wrong: it came to an end, or will not
    be called complete. Not that a run was cut: that may be the machine.
    """
    recorded = summary.concretisations or summary.divergences or summary.unknown or summary.refused
    return summary.stop in ("covered", "exhausted") or bool(recorded)


def judge(name: str, function: str, ambition: Ambition, runs: int = RUNS, seconds: float = SECONDS) -> Summary:
    file = SUBJECTS / name
    exploration = ramify.explore(f"{file}:{function}", budget=seconds, max_runs=runs)
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
    return exploration.summary


def judge_to_the_end(name: str, function: str, runs: int = RUNS) -> None:
    summary = judge(name, function, QUIET, runs)
    assert is_decided(summary), f"stopped by {summary.stop} after {summary.runs} runs: make the subject smaller"


def proofs(sign: str) -> list[str]:
    """The functions of `proofs.py` with such a mark."""
    source = (SUBJECTS / "proofs.py").read_text()
    nodes = {n.name: n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
    return [f for f in functions("proofs.py") if f"#{sign} " in (ast.get_source_segment(source, nodes[f]) or "")]


@pytest.mark.parametrize("function", proofs("!"))
def test_what_cannot_be_taken_is_proven(function: str) -> None:
    assert judge("proofs.py", function, PROVING, 1000).stop == "exhausted"


@pytest.mark.parametrize("function", sorted({*functions("proofs.py")} - {*proofs("!")}))
def test_what_is_too_hard_to_prove_is_never_covered(function: str) -> None:
    judge("proofs.py", function, PROVING, 50, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("function", functions("library.py"))
def test_what_the_library_reads_is_never_called_infeasible(function: str) -> None:
    judge_to_the_end("library.py", function)


@pytest.mark.slow
@pytest.mark.parametrize("function", functions("language.py"))
def test_what_the_language_hides_is_never_called_infeasible(function: str) -> None:
    judge_to_the_end("language.py", function)


@pytest.mark.parametrize("function", functions("stored.py"))
def test_what_c_objects_keep_is_never_called_infeasible(function: str) -> None:
    judge_to_the_end("stored.py", function)


@pytest.mark.parametrize("function", functions("hidden.py"))
def test_what_c_code_makes_of_values_inside_is_never_called_infeasible(function: str) -> None:
    judge_to_the_end("hidden.py", function)


# -- these tests can fail ----------------------------------------------------------------------------

def forget_losses(patch: pytest.MonkeyPatch) -> None:
    """A term is lost, and nobody records it."""
    run = RemoteHybrid.run

    def forgetful(*args: Any, **kwargs: Any) -> Execution:
        execution = run(*args, **kwargs)
        execution.concretisations = {}
        return execution

    patch.setattr(RemoteHybrid, "run", forgetful)


def answer(patch: pytest.MonkeyPatch, kind: type, instead: Verdict) -> None:
    """The solver says something else in place of one of its answers."""
    solve = Solver.solve

    def solved(*args: Any, **kwargs: Any) -> Verdict:
        verdict = solve(*args, **kwargs)
        return instead if isinstance(verdict, kind) else verdict

    patch.setattr(Solver, "solve", solved)


def hit_everything(patch: pytest.MonkeyPatch) -> None:
    """A probe marks edges that nobody took."""
    cover = Goals.cover
    patch.setattr(Goals, "cover", lambda goals, hits: cover(goals, {*hits, *goals.own}))


LOST = [
    ("hidden.py", "message_of_index"),
    ("stored.py", "an_attribute"),
    ("library.py", "itemgetter_x"),
    ("language.py", "f_encode"),
]


@pytest.mark.parametrize(("name", "function"), LOST)
def test_a_loss_that_nobody_records_fails(name: str, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judge_to_the_end(name, function)
    forget_losses(monkeypatch)
    with pytest.raises(AssertionError, match="every way there was excluded"):
        judge_to_the_end(name, function)


def test_an_unknown_taken_for_no_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, Unknown, Unsat())
    with pytest.raises(AssertionError, match="every way there was excluded"):
        judge_to_the_end("language.py", "f_bitlen")


def test_a_no_in_place_of_an_answer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, Sat, Unsat())
    with pytest.raises(AssertionError, match="every way there was excluded"):
        judge_to_the_end("language.py", "h_match_nested")


def test_a_proof_that_is_not_found_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, Unsat, Unknown("nobody knows"))
    with pytest.raises(AssertionError, match="the solver could not decide it"):
        judge("proofs.py", "parity", QUIET)


@pytest.mark.parametrize("function", ["parity", "checksum"])
def test_a_branch_that_is_called_covered_and_was_not_fails(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hit_everything(monkeypatch)
    with pytest.raises(AssertionError, match="covered"):
        judge("proofs.py", function, PROVING, 50)


def test_a_search_that_did_not_come_to_an_end_fails() -> None:
    with pytest.raises(AssertionError, match="stopped by runs"):
        judge_to_the_end("language.py", "h_match_nested", runs=3)
