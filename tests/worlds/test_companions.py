"""The modules beside a target are rewritten with it, and kept apart from everybody else's."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

import ramify
from ramify.runtime.programs import HybridProgram
from ramify.runtime.search import GuidedExploration
from ramify.runtime.worlds import Target, parse
from ramify.runtime.worlds.entries import ENTERED, marked


def package(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_a_decision_in_a_module_beside_the_target_is_reversed(tmp_path: Path) -> None:
    package(
        tmp_path,
        beside_helper="KNOWN = {'alpha': 3}\n\ndef score(text):\n    return KNOWN[text] if text in KNOWN else 0\n",
        beside_target="from beside_helper import score\n\ndef f(text: str):\n"
        "    if score(text) == 3:\n        return 1\n    return 0\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'beside_target.py'}:f")
    assert {path.result for path in exploration} == {0, 1}
    assert "beside_helper" not in sys.modules


def test_a_module_of_the_same_package_may_import_the_target(tmp_path: Path) -> None:
    folder = tmp_path / "circlepkg"
    folder.mkdir()
    package(
        folder,
        __init__="from circlepkg.target import f\n",
        target="from circlepkg.other import limit\n\ndef f(x: int):\n    return 1 if x > limit() else 0\n",
        other="def limit():\n    return 41\n",
    )
    assert {path.result for path in ramify.explore(f"{folder / 'target.py'}:f")} == {0, 1}


def test_a_function_that_is_only_imported_is_explored_where_it_is_defined(tmp_path: Path) -> None:
    package(
        tmp_path,
        defining_module="def f(x: int):\n    if x == 77:\n        return 1\n    return 0\n",
        importing_module="from defining_module import f\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'importing_module.py'}:f")
    assert isinstance(exploration, GuidedExploration)
    assert {path.result for path in exploration} == {0, 1}
    assert exploration.goals.path.endswith("defining_module.py")


def test_what_cannot_be_rewritten_runs_as_it_is_and_is_named(tmp_path: Path) -> None:
    deep = " + ".join(["x"] * 900)
    file = tmp_path / "deep.py"
    file.write_text(f"def f(x: int):\n    return 1 if x > 3 else 0\n\ndef g(x):\n    return {deep}\n")
    exploration = ramify.explore(f"{file}:f")
    assert isinstance(exploration, GuidedExploration)
    assert {path.result for path in exploration} == {0, 1}
    named = exploration.left_plain or {}
    assert set(named) <= {"g"}
    assert all(named.values())


def results(exploration: object) -> set[object]:
    assert isinstance(exploration, GuidedExploration)
    return {path.result for path in exploration}


def test_modules_that_runs_enter_late_or_through_methods_and_wrappers_are_rewritten(tmp_path: Path) -> None:
    package(
        tmp_path,
        late_wrapper="from functools import wraps\n\ndef large(function):\n    @wraps(function)\n"
        "    def inner(x: int):\n        'Only those.'\n        return function(x) if x > 1000 else 0\n"
        "    return inner\n",
        late_method="class Box:\n    def holds(self, x):\n        return x == 7654321\n",
        late_lambda="KEY = lambda x: x % 1000 == 321\n",
        late_import="def last(x):\n    if x % 7 == 3:\n        return 'seven'\n    return 'rest'\n",
        late_target="from late_lambda import KEY\nfrom late_method import Box\nfrom late_wrapper import large\n\n"
        "@large\ndef f(x: int):\n    if not KEY(x):\n        return 1\n    if Box().holds(x):\n        return 2\n"
        "    from late_import import last\n    if last(x) == 'seven':\n        return 3\n    return 4\n",
    )
    found = results(ramify.explore(f"{tmp_path / 'late_target.py'}:f"))
    assert found == {0, 1, 2, 3, 4}


def test_a_module_is_rewritten_once_a_run_has_entered_it_not_when_it_is_imported(tmp_path: Path) -> None:
    package(
        tmp_path,
        only_helper="def used(x):\n    return x\n\nONE = used(1)\n",
        only_target="from only_helper import ONE, used\n\ndef f(x: int):\n    return used(x) if x > 3 else ONE\n",
    )
    program = HybridProgram(Target(*parse(f"{tmp_path / 'only_target.py'}:f")))
    assert (program.measure({"x": 3}).result, program.renew()) == (1, False)
    assert (program.measure({"x": 4}).result, program.renew()) == (4, True)
    assert (program.measure({"x": 4}).result, program.renew()) == (4, False)


def test_what_a_run_loses_in_a_module_not_rewritten_yet_is_not_counted(tmp_path: Path) -> None:
    package(
        tmp_path,
        proof_helper="def half(x):\n    return x // 2 if x > 10 else 0\n",
        proof_target="from proof_helper import half\n\ndef f(x: int):\n    if half(x) == 1:\n        return 1\n"
        "    return 0\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'proof_target.py'}:f")
    assert results(exploration) == {0}
    assert isinstance(exploration, GuidedExploration)
    assert exploration.summary.stop == "exhausted"
    assert {v.kind for v in exploration.edge_verdicts()} == {"covered", "infeasible"}


def test_a_module_that_cannot_be_imported_again_stays_as_it_is_and_is_named(tmp_path: Path) -> None:
    package(
        tmp_path,
        once_helper="def half(x):\n    return x // 2\n\nif half.__code__.co_names != ('__ramify_entered__',):\n"
        "    raise RuntimeError('seen')\n",
        once_target="from once_helper import half\n\ndef f(x: int):\n    return 1 if half(x) > 3 else 0\n",
    )
    exploration = ramify.explore(f"{tmp_path / 'once_target.py'}:f")
    assert results(exploration) == {0, 1}
    assert isinstance(exploration, GuidedExploration)
    (reason,) = (exploration.left_plain or {}).values()
    assert "seen" in reason


def test_rewriting_a_module_that_takes_many_steps_to_load_cuts_nothing(tmp_path: Path) -> None:
    package(
        tmp_path,
        steps_helper="LAST = 0\nfor LAST in range(9000):\n    pass\n\ndef last(x):\n    return x == LAST\n",
        steps_target="import steps_helper\n\n"
        "def f(x: int):\n    return 1 if x > 2 and steps_helper.last(x) else 0\n",
    )
    assert results(ramify.explore(f"{tmp_path / 'steps_target.py'}:f")) == {0, 1}


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    'Words.'\n    return x + 1\n",
        "def f(x):\n    'Only words.'\n",
        "class A:\n    def __f(self):\n        global G\n        G = 3\n        return G\n"
        "f = lambda x: A()._A__f() + x\n",
        "def f(x):\n    def g():\n        nonlocal x\n        x += 1\n        yield x\n    return list(g())\n",
        "async def g(x):\n    return x\ndef f(x):\n    try:\n        g(x).send(None)\n"
        "    except StopIteration as end:\n        return end.value\n",
        "match 1:\n    case 1:\n        def f(x): return (lambda: x)()\n",
    ],
)
def test_a_marked_module_does_what_it_did_and_tells_of_its_functions(source: str) -> None:
    met: list[int] = []
    plain: dict[str, Any] = {}
    names: dict[str, Any] = {"__builtins__": {**vars(builtins), ENTERED: lambda: met.append(1)}}
    exec(source, plain)
    exec(marked(source.encode(), "m.py"), names)
    assert met == []
    assert (names["f"](5), names["f"].__doc__) == (plain["f"](5), plain["f"].__doc__)
    assert met


def test_a_module_that_only_a_later_run_imports_is_kept_apart_as_well(tmp_path: Path) -> None:
    package(
        tmp_path,
        late_helper="COUNT = []\n\ndef add():\n    COUNT.append(1)\n    return len(COUNT)\n",
        early_target="def f(x: int):\n    if x > 5:\n        from late_helper import add\n\n        return add()\n"
        "    return 0 if x > 2 else -1\n",
    )
    for strategy in ("dfs", "bfs"):
        source, name = parse(f"{tmp_path / 'early_target.py'}:f")
        assert name is not None
        program = HybridProgram(Target(source, name))
        before = set(sys.modules)
        for value, result in ((0, -1), (6, 1), (3, 0), (7, 2), (1, -1), (8, 3)):
            assert program.run({"x": value}).result == result, strategy
            assert "late_helper" not in set(sys.modules) - before
