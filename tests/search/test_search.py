"""Search: numbers of runs and queries, divergence, strategies, stop conditions, and the same order in every
process.
"""

import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dse_subjects as subjects
import pytest

import ramify
from ramify.runtime.peer import NAMESPACE
from ramify.runtime.programs import program_of
from ramify.runtime.search import PathExploration
from ramify.runtime.search.strategies import STRATEGIES
from ramify.runtime.solver import Solver, SolverOptions

SUPPORT = Path(__file__).parents[1] / "support"


def explored(function: Any, **options: Any) -> Any:
    exploration = ramify.explore(function, **{"strategy": "generational", **options})
    return list(exploration), exploration.summary


def queries(summary: Any) -> tuple[int, int]:
    counts = summary.solver.queries
    assert counts["unknown"] == 0
    return counts["sat"] + counts["unsat"], counts["unsat"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_three_independent_branches_are_eight_runs_and_seven_queries(strategy: str) -> None:
    paths, summary = explored(subjects.three, strategy=strategy)
    assert (summary.runs, queries(summary), len(paths), summary.depth) == (8, (7, 0), 8, 3)
    assert summary.stop == "exhausted"


def test_motivational() -> None:
    paths, summary = explored(subjects.motivational)
    assert (summary.runs, queries(summary)) == (2, (2, 1))
    assert {p.result for p in paths if p.exception is None} == {1}


def test_divergence_is_counted_and_recovered_from() -> None:
    paths, summary = explored(subjects.path_divergence, max_runs=30)
    assert summary.divergences >= 1
    assert summary.concretisations
    assert {p.result for p in paths} == {0, -1}
    assert {p.outcome for p in paths} == {"returned", "diverged"}
    assert summary.stop == "incomplete"


def test_divergence_in_peer_mode_ends_too() -> None:
    paths, summary = explored(subjects.path_divergence, strategy=None, mode="peer", max_runs=200)
    assert summary.runs < 200
    assert summary.stop == "incomplete"
    assert {p.result for p in paths} == {0, -1}


def test_array_len() -> None:
    paths, _ = explored(subjects.array_len)
    assert [(eval(p.call)["x"][2:3], p.result, type(p.exception)) for p in paths] == [
        ([], None, IndexError),
        ([0], 1, type(None)),
        ([3], 0, type(None)),
    ]


@pytest.mark.parametrize("arrays", [True, False])
def test_array_store(arrays: bool) -> None:
    paths, summary = explored(subjects.array_store, arrays=arrays)
    assert [p.result for p in paths] == [None, 1, 2, 0]
    assert isinstance(paths[0].exception, IndexError)
    assert eval(paths[-1].call) == {"x": [0, 0, 3], "a": 4}
    assert (summary.runs, queries(summary)) == (4, (5, 2))
    assert summary.solver.cache_hits["unsat_subset"] == 1


def test_a_symbolic_index_is_solved_with_arrays() -> None:
    paths, summary = explored(subjects.symbolic_index, max_runs=60)
    assert 1 in {p.result for p in paths}
    assert summary.divergences == 0
    assert not summary.concretisations


def test_a_symbolic_index_is_lost_with_cells_which_says_so() -> None:
    _, summary = explored(subjects.symbolic_index, arrays=False, max_runs=60)
    assert {place.operation for place in summary.concretisations} == {"list index"}
    assert summary.stop != "exhausted"


def test_five_of_eight_syntactic_paths_are_feasible() -> None:
    paths, summary = explored(subjects.foo42, strategy="all-paths")
    assert (len(paths), summary.stop) == (5, "exhausted")


def test_min3() -> None:
    paths, summary = explored(subjects.min3, strategy="all-paths")
    assert (len(paths), summary.stop) == (4, "exhausted")


@pytest.mark.parametrize("function", [subjects.index_of, subjects.power])
def test_smart_paths_ends_on_endless_loops_and_admits_what_it_dropped(function: Any) -> None:
    _, summary = explored(function, strategy="smart-paths", max_runs=500)
    assert summary.stop == "incomplete"
    assert summary.dropped > 0
    assert summary.runs < 500


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_covers_every_outcome(strategy: str) -> None:
    paths, _ = explored(subjects.index_of, strategy=strategy, max_runs=40)
    assert {p.result == -1 for p in paths} == {True, False}


def test_stop_by_runs_and_time() -> None:
    assert explored(subjects.power, max_runs=5)[1].stop == "runs"
    assert explored(subjects.power, budget=0.0)[1].stop == "time"


def test_ctrl_c_keeps_what_was_found() -> None:
    exploration = ramify.explore(subjects.power, strategy="generational")
    found = []
    run = exploration.program.run

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if exploration.summary.runs == 4:
            raise KeyboardInterrupt
        return run(*arguments, **options)

    exploration.program.run = interrupted  # type: ignore[method-assign]
    for path in exploration:
        found.append(path)
    assert len(found) == 3
    assert exploration.summary.stop == "interrupted"


def test_a_depth_limit_is_a_limit_not_an_end() -> None:
    paths, summary = explored(subjects.power, strategy="dfs", depth=4)
    assert summary.pruned > 0
    assert summary.stop == "incomplete"
    assert len(paths) <= 6


def order_of(values: list[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(values)), key=lambda i: (values[i], i)))


def quicksort_source(n: int) -> str:
    return (
        f'def sort(l: list[int]):\n    """:assume: len(l) == {n}\n'
        '    :ensure: returnv == sorted(returnv)\n    """\n'
        "    return quicksort(l)\n\n\n"
        "def quicksort(l):\n    if len(l) <= 1:\n        return l\n    pivot = l[0]\n"
        "    smaller = [e for e in l[1:] if e < pivot]\n    greater = [e for e in l[1:] if e >= pivot]\n"
        "    return quicksort(smaller) + [pivot] + quicksort(greater)\n"
    )


LONG = [pytest.param(n, marks=pytest.mark.slow) for n in (6, 7)]


@pytest.mark.parametrize("n", [*range(6), *LONG])
def test_quicksort_has_a_path_for_every_order(n: int, tmp_path: Path) -> None:
    file = tmp_path / "sorting.py"
    file.write_text(quicksort_source(n))
    paths, summary = explored(f"{file}:sort", strategy="all-paths")
    assert len(paths) == math.factorial(n)
    assert summary.depth == n * (n - 1) // 2
    assert summary.stop == "exhausted"
    assert {p.outcome for p in paths} == {"returned"}
    orders = {order_of(eval(p.call)["l"]) for p in paths}
    assert orders == set(itertools.permutations(range(n)))


SCRIPT = """
import sys, json, ramify
sys.path.insert(0, sys.argv[1])
import dse_subjects
for name in ("index_of", "foo42", "array_store", "path_divergence"):
    for strategy in ("generational", "random", "smart-paths", None):
        for path in ramify.explore(getattr(dse_subjects, name), strategy=strategy, seed=7, max_runs=15):
            print(json.dumps([name, strategy, path.call, path.outcome, path.path_condition]))
"""


def test_the_same_seed_gives_the_same_paths_in_every_process() -> None:
    texts = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", SCRIPT, str(SUPPORT)]
        texts.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert texts[0] == texts[1]
    assert len([json.loads(line) for line in texts[0].splitlines()]) > 60


def test_a_stopped_peer_search_reports_the_runs_it_has_made() -> None:
    exploration = ramify.explore(subjects.three, mode="peer", max_runs=3)
    assert len(list(exploration)) == 3
    assert exploration.summary.stop == "runs"


LINKS = ["deduplicate", "independence", "differences", "cache", "guess", "incremental", "second_attempts"]


@pytest.mark.parametrize("off", [*([link] for link in LINKS), LINKS], ids=[*LINKS, "all"])
@pytest.mark.parametrize("name", ["three", "motivational", "array_store", "foo42"])
def test_without_a_link_the_same_ways_are_found(name: str, off: list[str]) -> None:
    def ways(options: SolverOptions) -> set[tuple[Any, ...]]:
        program = program_of(getattr(subjects, name), NAMESPACE)
        exploration = PathExploration(program, Solver(options))
        found = {(p.outcome, *((d.site.line, d.site.column, d.outcome) for d in p.decisions)) for p in exploration}
        assert exploration.summary.stop == "exhausted"
        return found

    assert ways(SolverOptions(**dict.fromkeys(off, False))) == ways(SolverOptions())
