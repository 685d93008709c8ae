"""`ramify explore` as people use it: targets, outputs, isolation, and what goes wrong."""

# ruff: noqa: E501, PT017 - tables in rows, odd spellings on purpose

import gc
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main
from ramify.commands.explore_command import command
from ramify.errors import InputError

EXAMPLES = str(Path(__file__).parents[2] / "examples" / "pef.py")


PEER = ("--mode", "peer")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments))


def lines(*arguments: str) -> list[dict[str, Any]]:
    result = run(*arguments, "--format", "jsonl")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_text_has_pefs_shape() -> None:
    text = run(f"{EXAMPLES}:suma_con_bug", *PEER).stdout.splitlines()
    assert text[:2] == [
        "suma_con_bug(a=42, b=0) raises ValueError: the difference is the answer",
        "    | the answer",
    ]
    assert text[-1].startswith("4 paths explored, depth 2, 4 runs")


def test_jsonl_has_the_documented_keys() -> None:
    *paths, summary = lines(f"{EXAMPLES}:funlist_in", *PEER)
    assert all(
        set(p)
        == {"kind", "call", "setup", "imports", "outside", "outcome", "result", "exception", "output"}
        | {"decisions", "path_condition"}
        for p in paths
    )
    wanted = {
        "paths",
        "runs",
        "cut",
        "depth",
        "divergences",
        "concretisations",
        "queries",
        "cache_hits",
        "solver_seconds",
    }
    assert wanted | {"kind", "seconds", "stop"} <= set(summary)
    assert set(summary["queries"]) == {"sat", "unsat", "unknown"}
    assert (summary["kind"], summary["paths"]) == ("summary", len(paths))


def test_calls_evaluate_to_the_initial_arguments_and_satisfy_the_path_condition() -> None:
    names: dict[str, Any] = {}
    exec(Path(EXAMPLES).read_text(), names)
    for name in ("funlist_in", "suma_con_bug", "f_l_j", "test_strings1"):
        for path in lines(f"{EXAMPLES}:{name}", *PEER)[:-1]:
            arguments = eval(path["call"], names)
            assert eval(path["path_condition"], {**names, **arguments}) is True
            try:
                result = repr(names[name](**arguments))
            except Exception as error:
                assert path["exception"] == {"type": type(error).__name__, "message": str(error)}
            else:
                assert path["result"] == result


def test_methods_get_an_instance_as_self() -> None:
    calls = [p["call"] for p in lines(f"{EXAMPLES}:Test.test_Test", *PEER)[:-1]]
    assert calls[0].startswith("{'self': Test(a=")


def test_modules_of_the_standard_library() -> None:
    *paths, _ = lines(
        "xml.sax.saxutils:quoteattr", "--types", "data: str, entities: dict[str, str]", "--max-runs", "3", *PEER
    )
    assert {"call": "{'data': '', 'entities': {}}", "result": repr('""')}.items() <= paths[-1].items()
    *paths, summary = lines("calendar:isleap", "--types", "year: int", *PEER)
    assert (len(paths), summary["stop"]) == (3, "exhausted")


def test_a_whole_file_explores_every_function(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text(
        "def f(x: int):\n    return x > 1\n\ndef g(y: str):\n    if y == 'a':\n        return 1\n\n"
        "def h(z: memoryview):\n    return z\n"
    )
    result = run(str(file))
    assert result.exit_code == 0
    assert "f(x=0) -> False" in result.stdout
    assert "g(y='a') -> 1" in result.stdout
    assert "parameter 'z' of h: inputs of type memoryview are not supported" in result.stderr


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere.py:f", "no such file"),
        ("no_such_module_here:f", "no module named"),
        (f"{EXAMPLES}:nothing", "no function or class 'nothing'"),
        (f"{EXAMPLES}:sum_fact", "did you mean sum_fac"),
        (f"{EXAMPLES}:math", "'math' is a module, not a function; write math:function"),
        (f"{EXAMPLES}:Queue", "'Queue' is a class, not a function; name a method of it, as in Queue."),
        ("", "the target is empty"),
        ("math:sqrt", "no Python source"),
        (str(Path(EXAMPLES).parent), "is a directory"),
    ],
)
def test_mistakes_are_one_line_and_exit_status_2(target: str, words: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["explore", target])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


def test_a_package_in_the_current_folder_is_found_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ramify_test_box"
    package.mkdir()
    (package / "__init__.py").write_text("from .lid import f\n")
    (package / "lid.py").write_text("from . import side\ndef f(x: int):\n    return 1 if side.big(x) else 2\n")
    (package / "side.py").write_text("def big(x):\n    return x > 4711\n")
    monkeypatch.chdir(tmp_path)
    for target in ("ramify_test_box.lid:f", "ramify_test_box:f", "ramify_test_box.lid"):
        result = run(target)
        assert result.exit_code == 0, result.output
        assert "2 of 2 branches covered" in result.stdout
    with pytest.raises(InputError, match="ramify_test_box: defines no functions; its modules are lid, side"):
        CliRunner().invoke(command, ["ramify_test_box"], catch_exceptions=False)


def test_functions_without_a_name_of_their_own_go_by_the_one_they_were_given(tmp_path: Path) -> None:
    file = tmp_path / "named.py"
    file.write_text(
        "def both(f):\n    def inner(x: int): return f(x)\n    return inner\n"
        "small = lambda x: x < 3\n@both\ndef one(x): return x\n@both\ndef two(x): return -x\n"
    )
    text = run(str(file))
    assert [f"{name}(x=" in text.stdout for name in ("small", "one", "two")] == [True] * 3
    assert "ramify:" not in text.stderr


def test_a_broken_file_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n")
    with pytest.raises(InputError, match=r"bad.py:1.*does not parse"):
        ramify.explore(f"{tmp_path / 'bad.py'}:f")
    (tmp_path / "raises.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        ramify.explore(f"{tmp_path / 'raises.py'}:f")


STATEFUL = '''
import random
from functools import lru_cache
COUNT = [0]
class C:
    seen = []
def f(x: int, memory=[]):
    """:types: x: int, memory: None"""
def g(x: int):
    COUNT[0] += 1
    C.seen.append(x)
    return keep(x), COUNT[0], len(C.seen), random.randint(0, 10**9), cached(3)
def keep(x, memory=[]):
    memory.append(1)
    return len(memory) + (x > 5) + (10 if x == 7 else 0)
@lru_cache
def cached(x):
    COUNT[0] += 100
    return COUNT[0]
'''


def test_every_run_finds_the_module_as_it_was_at_first(tmp_path: Path) -> None:
    file = tmp_path / "stateful.py"
    file.write_text(STATEFUL)
    results = [p.result for p in ramify.explore(f"{file}:g", strategy="generational")]
    assert len(results) >= 2
    assert len({r[1:] for r in results}) == 1
    assert results[0][1:3] == (1, 1)


def test_a_mutated_argument_is_reported_as_it_was(tmp_path: Path) -> None:
    def change(values: list[int]) -> int:
        values.append(7)
        if values[0] == 3:
            return 1
        return 0

    assert {p.call for p in ramify.explore(change)} == {"{'values': []}", "{'values': [3]}"}


def test_output_is_captured_in_order_and_stdout_restored() -> None:
    def talk(x: int) -> None:
        print("out")
        if x > 3:
            print("err", file=sys.stderr)

    before = sys.stdout
    outputs = {p.output for p in ramify.explore(talk)}
    assert outputs == {"out\n", "out\nerr\n"}
    assert sys.stdout is before


def test_what_a_target_may_do() -> None:
    def leave(x: int) -> None:
        if x == 1:
            raise SystemExit(3)
        if x == 2:
            leave(x)
        if x == 3:
            raise KeyError("k")

    def swallow(x: int) -> int:
        try:
            while True:
                x += 1
                if x == 0:
                    return 1
        except BaseException:
            return 2

    kinds = {type(p.exception).__name__ for p in ramify.explore(leave)}
    assert kinds == {"SystemExit", "RecursionError", "KeyError", "NoneType"}
    exploration = ramify.explore(swallow, strategy="generational", max_runs=2)
    assert len(list(exploration)) == 2


def test_types_may_be_given_and_wrong_ones_are_named() -> None:
    def f(a, b=2, *rest, key=None):  # type: ignore[no-untyped-def]
        return 1 if a == "x" and b == 5 and len(rest) == 2 else 0

    results = {p.result for p in ramify.explore(f, types={"a": str}, strategy="generational", max_runs=60)}
    assert results == {0, 1}
    with pytest.raises(InputError, match="not supported"):
        ramify.explore(f, types={"a": memoryview})


def test_containers_as_inputs() -> None:
    def f(d: dict[str, int], s: set[int], t: tuple[int, str], o: int | None, u: tuple[int, ...]) -> int:
        if "key" in d and d["key"] > 7 and 5 in s and t[1] == "t" and o is not None and u:
            return 1
        return 0

    exploration = ramify.explore(f, strategy="generational", budget=20, max_runs=400)
    found = next((p for p in exploration if p.result == 1), None)
    assert found is not None
    arguments = eval(found.call)
    assert arguments["d"]["key"] > 7
    assert f(**arguments) == 1


def test_a_constructor_that_refuses_is_no_input(tmp_path: Path) -> None:
    file = tmp_path / "account.py"
    file.write_text(
        "class Account:\n    def __init__(self, balance: int):\n        if balance < 0:\n            raise ValueError\n"
        "        self.balance = balance\n    def spend(self, amount: int):\n        self.balance -= amount\n"
        "        assert self.balance >= 0\n        return self.balance\n"
    )
    exploration = ramify.explore(f"{file}:Account.spend", mode="peer")
    paths = list(exploration)
    assert {type(p.exception).__name__ for p in paths} == {"AssertionError", "NoneType"}
    assert exploration.summary.rejected == 1
    assert all("balance=-" not in p.call for p in paths)


def test_violated_postconditions_are_found_though_the_first_run_satisfies_them() -> None:
    def double(x: int) -> int:
        """:ensure: returnv >= x"""
        return x * 2

    paths = list(ramify.explore(double, mode="peer"))
    assert [p.outcome for p in paths] == ["violated"]
    assert eval(paths[0].call)["x"] < 0


def test_optional_parameters_are_alternatives() -> None:
    def f(x: int | None = None) -> str:
        if x is None:
            return "none"
        return "big" if x > 10 else "small"

    assert {p.result for p in ramify.explore(f)} == {"none", "big", "small"}


def test_peer_mode_keeps_types_working_in_the_targets_namespace(tmp_path: Path) -> None:
    file = tmp_path / "types_.py"
    file.write_text(
        "class Meta(type):\n    pass\nclass A(metaclass=Meta):\n    pass\n"
        "class Table(type):\n    def __class_getitem__(cls, key): return key\n"
        "def made(kind: type[int], other: type | None = None):\n"
        "    try: return Meta[kind]\n    except TypeError as error: return str(error)\n"
        "def f(n: int):\n    r = range(n)\n    t = type(n)\n"
        "    return (isinstance(r, range), type(r) is range, t is int, isinstance(t, type), type(A) is Meta, isinstance(A, type),\n"
        "            len('abc'), list(enumerate('ab', 1)), type('X', (), {}).__name__, [i for i in range(2)],\n"
        "            Table['k'], made(int), repr(type[int]))\n"
    )
    for mode in ("peer", "hybrid"):
        path = next(iter(ramify.explore(f"{file}:f", mode=mode)))
        assert path.result[:8] == (True, True, True, True, True, True, 3, [(1, "a"), (2, "b")])
        assert path.result[8:] == ("X", [0, 1], "k", "type 'Meta' is not subscriptable", "type[int]")
    assert len.__name__ == "len"
    assert type(range(2)) is range


def test_a_whole_module_has_the_methods_that_stand_in_it(tmp_path: Path) -> None:
    file = tmp_path / "records.py"
    file.write_text(
        "from collections import namedtuple\nfrom functools import cache\nfrom typing import NamedTuple\n"
        "P = namedtuple('P', 'x y')\n"
        "class Q(NamedTuple):\n    a: int\n    def total(self) -> int:\n        return self.a\n"
        "class R:\n    @staticmethod\n    @cache\n    def kept(n: int) -> int:\n        return n\n"
        "    @cache\n    def of_one(self) -> int:\n        return 1\n"
        "    @property\n    def shown(self) -> int:\n        return 1\n"
        "@cache\ndef cached(n: int) -> int:\n    return n\n"
    )
    done = CliRunner().invoke(command, [str(file), "--budget", "1"])
    assert done.exit_code == 0
    assert sorted(line for line in done.output.splitlines() if ") -> " in line) == [
        "Q.total(self=Q(a=0)) -> 0", "R.kept(n=0) -> 0", "R.of_one(self=R()) -> 1", "R.shown(self=R()) -> 1",
        "cached(n=0) -> 0",
    ]  # fmt: skip


def test_an_endless_loop_without_decisions_ends_with_the_budget() -> None:
    def spin(x: int) -> None:
        if x > 3:
            while True:
                pass

    exploration = ramify.explore(spin, mode="peer", strategy="generational", budget=0.4)
    assert [p.outcome for p in exploration] == ["returned", "cut"]
    assert exploration.summary.stop == "time"


COUNTS = [0]


def test_a_function_without_a_module_finds_its_globals_as_they_were() -> None:
    def count(x: int) -> int:
        COUNTS[0] += 1
        return COUNTS[0] + (10 if x > 5 else 0)

    assert {p.result for p in ramify.explore(count)} == {1, 11}
    assert COUNTS == [0]


REFUSED = """
import json


def flag(yes: bool) -> str:
    return json.dumps(yes) if yes is True else "no"


def compared(a: int, b: int) -> str:
    return json.dumps([a > b])


def really(a: int) -> str:
    return json.dumps([a > 0, {1}])
"""


def test_what_c_code_thinks_of_our_truth_values_is_no_finding(tmp_path: Path) -> None:
    file = tmp_path / "refused.py"
    file.write_text(REFUSED)
    *paths, _ = lines(f"{file}:flag", *PEER)
    assert sorted(path["result"] for path in paths) == ["'no'", "'true'"]
    path, summary = lines(f"{file}:compared", *PEER)
    assert (path["outcome"], path["result"]) == ("returned", "'[false]'")
    assert (summary["concretisations"], summary["stop"]) == (1, "incomplete")
    path, _ = lines(f"{file}:really", *PEER)
    assert path["exception"]["type"] == "TypeError"


UNFINISHED = """
async def later(a: int) -> int:
    if a > 3:
        raise ValueError(a)
    return a


def steps(a: int):
    yield a
    yield 10 // a


def forever(a: int):
    while a > 3:
        yield 1
"""


def test_coroutines_and_generators_are_run_to_their_end(tmp_path: Path) -> None:
    file = tmp_path / "unfinished.py"
    file.write_text(UNFINISHED)
    assert {path.get("outcome") for path in lines(f"{file}:later", *PEER)[:-1]} == {"returned", "raised"}
    results = [path["result"] or path["exception"]["type"] for path in lines(f"{file}:steps", *PEER)[:-1]]
    assert "ZeroDivisionError" in results
    assert any(result.startswith("[") for result in results)
    assert str([1] * 1000) in [path["result"] for path in lines(f"{file}:forever", "--strategy", "bfs", "--max-runs", "3")[:-1]]


def test_a_target_does_not_notice_how_seldom_its_parent_collects(tmp_path: Path) -> None:
    file = tmp_path / "collecting.py"
    file.write_text(
        "import gc, os\n\ndef f(x: int):\n    if x > 3:\n        os.abort()\n    return gc.get_threshold() if x else 0\n"
    )
    usual = gc.get_threshold()
    *paths, _ = lines(f"{file}:f", "--strategy", "bfs")
    results = [path["result"] for path in paths if path["outcome"] == "returned"]
    assert sorted(results) == [str(usual), "0"]
    assert any(path["outcome"] == "crashed" for path in paths)  # after which another child was started
    assert gc.get_threshold() == usual
