"""Tables and graphs of the standard library: no crash, every outcome once, the same every time."""

from __future__ import annotations

import ast
import sysconfig
import tokenize
import warnings
from pathlib import Path

import pytest

from ramify.cfg import queries
from ramify.cfg.build import ModuleGraphs
from ramify.cfg.graph import FlowGraph

STDLIB = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = [
    "_pydecimal.py", "argparse.py", "ast.py", "asyncio/base_events.py", "asyncio/tasks.py", "bdb.py",
    "collections/__init__.py", "contextlib.py", "dataclasses.py", "difflib.py", "email/header.py", "enum.py",
    "functools.py", "heapq.py", "http/client.py", "inspect.py", "json/decoder.py", "logging/__init__.py",
    "pathlib.py", "pathlib/__init__.py", "pdb.py", "shutil.py", "socket.py", "subprocess.py", "tarfile.py",
    "threading.py", "typing.py", "unittest/case.py",
]  # fmt: skip


def parsed(path: Path) -> tuple[ast.Module, str] | None:
    try:
        with tokenize.open(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = file.read()
            return ast.parse(source), source
    except (OSError, SyntaxError, ValueError):
        return None  # some files of CPython's own tests are wrong on purpose


def check(tree: ast.Module, source: str) -> list[FlowGraph]:
    graphs = ModuleGraphs(tree, source)
    found: list[int] = []
    for graph in graphs:
        for edge in graph.edges:
            if edge.branch is not None:
                found.append(edge.branch)
                assert graphs.table.edges[edge.branch].site.scope == graph.scope.index
        live = queries.reachable(graph)
        dead = {block.index for block in graph.blocks} - live
        for edge in graph.edges:
            # An edge out of a live block into a dead one only belongs to a path that cannot be.
            assert edge.source in dead or edge.target in live or edge.leave is not None
        assert set(graph.by_branch) >= queries.dead_branches(graph)
        assert queries.complexity(graph) >= 1
        queries.dead_code(graph)
        queries.loops(graph)
        queries.distances(graph, ())
    assert sorted(found) == list(range(len(graphs.table.edges)))
    return list(graphs)


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name: str) -> None:
    if not (STDLIB / name).exists():
        pytest.skip("not a module of this Python")
    file = parsed(STDLIB / name)
    assert file is not None
    first = check(*file)
    again = list(ModuleGraphs.of_source(file[1]))
    assert [(graph.blocks, graph.edges) for graph in first] == [(graph.blocks, graph.edges) for graph in again]


@pytest.mark.slow
def test_whole_standard_library() -> None:
    checked = 0
    for path in sorted(STDLIB.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        file = parsed(path)
        if file is not None:
            try:
                check(*file)
            except Exception as error:
                raise AssertionError(f"{path}: {error!r}") from error
            checked += 1
    assert checked > 500
