"""The corpus of public functions: a well-formed table, and a measurement that counts what was really taken."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("coverage")

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
try:
    from corpus import candidates, engine, measuring, modes, pick, random_calls, report, table
finally:
    sys.path.remove(str(BENCHMARKS))

Entry, Inputs, Measurement = table.Entry, measuring.Inputs, measuring.Measurement

TINY = dedent("""\
    import os, sys, time

    def other(n):
        return 1 if n else 2

    def straight(n):
        return n

    def sign(n):
        print("noise")
        if n > 0:
            return 1
        if n < 0:
            return -1
        return other(n)

    def spread(*items, twice=False):
        for item in items:
            if twice:
                yield item
            yield item

    def needle(n):
        if n == 123457:
            return "found"
        return "not"

    def hidden(text):
        if int(text) * 7919 % 1000003 == 4321:
            return "found"
        return "not"

    def hostile(n):
        if n == 1:
            while True:
                try:
                    time.sleep(60)
                except Exception:
                    pass
        if n == 2:
            os._exit(7)
        if n == 3:
            sys.exit(3)
        return n

    class Holder:
        @classmethod
        def half(cls, n):
            if n % 2:
                return None
            return n // 2
    """)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_subject.py").write_text(TINY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(measuring, "PER_CALL", 0.1)


def replayed(function: str, types: str, *calls: str) -> measuring.Measurement:
    return measuring.replay(Entry("tiny_subject", function, types), Inputs(list(calls), [0.0] * len(calls)))


def line(text: str) -> int:
    return TINY[: TINY.index(text)].count("\n") + 1


# The table


def test_the_corpus_is_large_and_both_halves_are_too() -> None:
    entries = table.read(table.FILES)
    assert len(entries) >= 70
    assert len({e.name for e in entries}) == len(entries)
    assert all(sum(e.part == half for e in entries) > len(entries) / 3 for half in table.HALVES)


def test_the_fresh_part_is_what_its_file_names_and_nothing_that_was_there_before() -> None:
    old, fresh = table.read(table.FILES), table.read([table.FRESH])
    assert {e.part for e in fresh} == {"fresh"}
    assert not {e.name for e in fresh} & {e.name for e in old}
    assert len(table.read()) == len(old) + len(fresh)


def plain(kind: Any) -> bool:
    """Whether a type is made of the builtin ones that the corpus is restricted to."""
    if typing.get_origin(kind) is typing.Literal:
        return all(type(value) in (int, str, bytes) for value in typing.get_args(kind))
    if typing.get_args(kind):
        return all(part is Ellipsis or plain(part) for part in typing.get_args(kind))
    return kind in (int, float, str, bytes, bool, type(None))


@pytest.mark.parametrize("entry", table.read(), ids=lambda e: e.name)
def test_every_entry_has_plain_types(entry: table.Entry) -> None:
    types = entry.parameter_types()
    assert types
    assert all(plain(kind) for kind in types.values())


def test_one_file_names_the_standard_library_and_the_other_does_not() -> None:
    own, others = ({e.module.split(".")[0] for e in table.read([file])} for file in table.FILES)
    assert own <= sys.stdlib_module_names
    assert not others & sys.stdlib_module_names


@pytest.mark.parametrize("name", ["corpus", "fresh"])
def test_packages_have_exact_versions(name: str) -> None:
    lines = (BENCHMARKS / f"{name}-requirements.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[\w-]+==[\d.]+|#.*", text) for text in lines)


def test_the_half_depends_on_the_name_alone() -> None:
    assert Entry("textwrap", "dedent", "text: str").part == Entry("textwrap", "dedent", "text: bytes").part


def test_the_fresh_part_is_spread_and_shares_no_package_or_module_with_the_rest() -> None:
    old, fresh = table.read(table.FILES), table.read([table.FRESH])
    assert len(fresh) >= 90
    assert not {e.module for e in old} & {e.module for e in fresh}
    assert not set(pick.required("corpus")) & set(pick.required("fresh"))
    packages = {e.module.split(".")[0] for e in fresh} - sys.stdlib_module_names
    assert len(packages) >= 15
    assert not packages & {e.module.split(".")[0] for e in old}


@pytest.mark.parametrize("text", ["int", "a: int, a: str", "'a': int"])
def test_types_without_names_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"types are written|name of its own"):
        table.read_types(text)


# Picking


FORKED = "    if a: return 1\n    if not a: return 2\n"


def picked(tmp_path: Path, source: str, module: str = "pkg.mod", **stubs: dict[str, str]) -> dict[str, str]:
    file = tmp_path / "mod.py"
    file.write_text(source)
    return {e.function: e.types for e, _ in candidates.candidates(module, file, stubs or None)}


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("int", "int"),
        ("'str | None'", "str | None"),
        ("t.Optional[List[int]]", "list[int] | None"),
        ("Union[int, str, None]", "int | str | None"),
        ("Dict[str, tuple[float, ...]]", "dict[str, tuple[float, ...]]"),
        ("tuple[int, bytes]", "tuple[int, bytes]"),
    ],
)
def test_plain_annotations_are_written_as_the_corpus_does(tmp_path: Path, annotation: str, kind: str) -> None:
    assert picked(tmp_path, f"def f(a: {annotation}):\n{FORKED}") == {"f": f"a: {kind}"}


@pytest.mark.parametrize(
    "annotation", ["Any", "list", "Sequence[int]", "StrPath", "list[Any]", "'a b'", "complex"]
)
def test_other_annotations_are_passed_over(tmp_path: Path, annotation: str) -> None:
    assert picked(tmp_path, f"def f(a: {annotation}):\n{FORKED}") == {}


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n" + FORKED,
        "def f(a):\n" + FORKED,
        "def f(a: int, *b: int):\n" + FORKED,
        "def f(a: int):\n    return a\n",
        "@cache\ndef f(a: int):\n" + FORKED,
        "async def f(a: int):\n" + FORKED,
        "def f(a: int):\n    b = yield a\n" + FORKED,
        "def f(a: int):\n    print(a)\n" + FORKED,
        "def f(a: int):\n    import re\n" + FORKED,
        "def f(a: str):\n    codecs.open(a)\n" + FORKED,
        "import random as r\ndef f(a: int):\n    r.seed(a)\n" + FORKED,
        "from time import ctime\ndef f(a: int):\n    ctime(a)\n" + FORKED,
        "def g(): return h()\ndef h(): return os.getcwd()\ndef f(a: int):\n    g()\n" + FORKED,
        "if x:\n    def f(a: int): return 1 if a else 2 if a + 1 else 3\n",
        f"def f(a: int):\n{FORKED}\ndef f(a: int):\n{FORKED}",
    ],
)
def test_what_the_rules_exclude(tmp_path: Path, source: str) -> None:
    assert picked(tmp_path, source) == {}


def test_modules_that_are_outside_are_passed_over(tmp_path: Path) -> None:
    assert picked(tmp_path, f"def f(a: int):\n{FORKED}", "socket") == {}


def test_stubs_give_the_types_of_this_version(tmp_path: Path) -> None:
    stub = tmp_path / "mod.pyi"
    stub.write_text(
        dedent("""\
            import sys
            from typing import overload
            if sys.version_info >= (3, 0):
                def f(a: int) -> int: ...
            else:
                def f(a: str) -> int: ...
            @overload
            def g(a: int) -> int: ...
            @overload
            def g(a: str) -> int: ...
            """)
    )
    stubs = candidates.stubbed(stub)
    assert stubs == {"f": {"a": "int"}}
    assert picked(tmp_path, f"def f(a):\n{FORKED}\ndef g(a):\n{FORKED}", **stubs) == {"f": "a: int"}
    assert picked(tmp_path, f"def f(b):\n{FORKED}", **stubs) == {}


@pytest.mark.usefixtures("tiny")
def test_a_pick_has_branches_and_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "TOTAL", 1.0)
    assert pick.usable(Entry("tiny_subject", "sign", "n: int"))
    assert not pick.usable(Entry("tiny_subject", "needle", "n: int"))
    assert not pick.usable(Entry("tiny_subject", "hostile", "n: Literal[1]"))
    assert not pick.usable(Entry("tiny_subject", "gone", "n: int"))


def test_picks_are_written_in_the_form_of_the_table(tmp_path: Path) -> None:
    entries = [Entry("a.b", "g", "x: str | None"), Entry("a.b", "f", "x: int, y: str"), Entry("z", "f", "x: int")]
    file = tmp_path / "picked.toml"
    file.write_text(pick.written(entries))
    assert table.read([file]) == sorted(entries, key=lambda e: e.name)


# Random calls


def test_random_calls_are_the_same_for_the_same_seed() -> None:
    types = table.read_types("a: list[float], b: str | None, c: tuple[int, bytes], d: dict[str, bool]")
    assert random_calls.Generator("x").calls(types) == random_calls.Generator("x").calls(types)
    assert random_calls.Generator("x").calls(types) != random_calls.Generator("y").calls(types)


def test_random_calls_evaluate_to_values_of_their_types() -> None:
    text = "a: list[float], b: str | None, c: tuple[int, bytes], d: dict[str, bool], e: Literal[3]"
    types = table.read_types(text)
    calls = [eval(call) for call in random_calls.Generator("x").calls(types)]
    assert len(calls) == 400
    assert all(type(item) is float for call in calls for item in call["a"])
    assert {type(call["b"]) for call in calls} == {str, type(None)}
    assert {(type(i), type(b)) for i, b in (call["c"] for call in calls)} == {(int, bytes)}
    assert {type(v) for call in calls for v in call["d"].values()} == {bool}
    assert {call["e"] for call in calls} == {3}


# Measuring


@pytest.mark.usefixtures("tiny")
def test_only_the_functions_own_branches_count() -> None:
    positive, negative = line("if n > 0"), line("if n < 0")
    made = replayed("sign", "n: int", "{'n': 5}")
    assert len(made.branches) == 4
    assert made.covered == [(positive, positive + 1)]
    assert made.missing == [(positive, negative), (negative, negative + 1), (negative, negative + 2)]
    assert (made.inputs, made.note) == (1, "")
    assert replayed("sign", "n: int", "{'n': 5}", "{'n': -5}", "{'n': 0}").complete


@pytest.mark.usefixtures("tiny")
def test_without_inputs_nothing_is_covered() -> None:
    made = replayed("sign", "n: int")
    assert (len(made.branches), made.covered) == (4, [])


@pytest.mark.usefixtures("tiny")
def test_generators_are_run_and_stars_are_spread() -> None:
    types = "items: list[int], twice: bool"
    assert len(replayed("spread", types, "{'items': [1], 'twice': True}").covered) == 3
    assert replayed("spread", types, "{'items': [1], 'twice': True}", "{'items': [1], 'twice': False}").complete


@pytest.mark.usefixtures("tiny")
def test_class_methods_are_measured() -> None:
    assert replayed("Holder.half", "n: int", "{'n': 1}", "{'n': 2}").complete


@pytest.mark.usefixtures("tiny")
def test_calls_that_hang_exit_or_kill_do_not_lose_the_others() -> None:
    made = replayed("hostile", "n: int", "{'n': 1}", "{'n': 2}", "{'n': 3}", "{'n': 4}", "{'n': 1 / 0}")
    kill = line("if n == 2")
    assert made.missing == [(kill, kill + 1)]
    assert made.note == "1 calls did not end, 1 calls killed the process"


@pytest.mark.usefixtures("tiny")
def test_inputs_are_settled_when_the_last_new_branch_came() -> None:
    inputs = Inputs(["{'n': 5}", "{'n': 0}", "{'n': -1}", "{'n': -2}"], [0.1, 1.1, 3.3, 8.0], seconds=9.0)
    assert measuring.replay(Entry("tiny_subject", "sign", "n: int"), inputs).settled == 3.5


@pytest.mark.usefixtures("tiny")
def test_a_parameter_that_the_table_forgot_is_reported() -> None:
    assert replayed("spread", "items: list[int]", "{'items': []}").note == "the table gives no type for twice"


@pytest.mark.usefixtures("tiny")
def test_a_function_without_branches_is_reported() -> None:
    assert replayed("straight", "n: int", "{'n': 1}").note == "no branches in this version of the function"


@pytest.mark.usefixtures("tiny")
def test_a_function_that_is_not_there_is_reported() -> None:
    assert "no attribute 'gone'" in replayed("gone", "n: int", "{'n': 1}").note


@pytest.mark.usefixtures("tiny")
def test_exploring_finds_what_random_calls_do_not() -> None:
    entry = Entry("tiny_subject", "needle", "n: int")
    random, peer = (measuring.measure(entry, mode, 10) for mode in ("random", "peer"))
    assert (random.complete, random.inputs) == (False, 400)
    assert (peer.complete, peer.inputs) == (True, 2)


@pytest.mark.usefixtures("tiny")
def test_without_rewriting_the_hybrid_sees_no_further_than_proxies() -> None:
    entry = Entry("tiny_subject", "hidden", "text: str")
    full, less = (measuring.measure(entry, mode, 10) for mode in ("hybrid", "without rewriting"))
    assert (full.complete, full.note) == (True, "")
    assert (less.complete, less.note) == (False, "")
    assert less.inputs > 1  # cheap runs and local search go on


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("mode", ["generational", *modes.ABLATIONS])
def test_every_mode_explores(mode: str) -> None:
    made = measuring.measure(Entry("tiny_subject", "sign", "n: int"), mode, 10)
    assert (made.complete, made.note) == (True, "")


@pytest.mark.usefixtures("tiny")
def test_a_mode_that_fails_is_reported_and_counts_as_nothing_covered() -> None:
    made = measuring.measure(Entry("tiny_subject", "sign", "n: int"), "no such mode", 10)
    assert (len(made.branches), made.covered) == (4, [])
    assert made.note.startswith("InputError: no mode")


def test_nothing_outlives_an_interrupted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "endless.py").write_text("import time\nwhile True: time.sleep(1)\n")
    monkeypatch.setattr(measuring, "HERE", tmp_path)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(measuring.run, "endless.py", {}, str(tmp_path), 60)
        while not measuring.RUNNING:
            assert not done.done()
        measuring.stop_all()
        code, _, _ = done.result()
    assert code == -signal.SIGKILL


# Modes and engines


def test_modes_are_a_list_in_a_fixed_order() -> None:
    assert modes.named("hybrid,random") == ("random", "hybrid")
    assert modes.named("peer,ablations") == ("peer", *modes.ABLATIONS)
    assert modes.named("all,peer") == modes.MODES
    with pytest.raises(ValueError, match="no mode ''"):
        modes.named("peer,")


def test_the_engine_is_known_by_its_source_and_its_commit(tmp_path: Path) -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", engine.digest())
    assert re.fullmatch(r"([0-9a-f]+(-dirty)?)?", engine.commit())
    assert engine.commit(tmp_path) == ""


def test_measurements_of_another_engine_are_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "held.json"
    settings = {"seconds": 10.0, "python": "3.11.7", "engine": "another"}
    file.write_text(json.dumps({"commit": "1234567", "settings": settings, "functions": {}}))
    done = corpus("--json", str(file), "--only", "^textwrap:indent$")
    assert done.returncode == 1
    assert "'engine': 'another'" in done.stderr
    assert "1234567" in done.stderr


def test_a_run_is_kept_and_continued(tmp_path: Path) -> None:
    file = str(tmp_path / "held.json")
    options = ("--json", file, "--only", "^textwrap:indent$", "--mode", "random")
    assert "1/1 random textwrap:indent" in corpus(*options).stderr
    again = corpus(*options)
    assert again.stderr == ""
    assert "textwrap:indent" in again.stdout
    held = json.loads(Path(file).read_text())
    assert list(held["functions"]["textwrap:indent"]) == ["random"]


def corpus(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / "corpus.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# Reporting


ONE, TWO = Entry("pkg", "one", "n: int"), Entry("pkg", "two", "n: int")
FOUR = [(5, 6), (5, 7), (6, 7), (6, 8)]
FOUND = {
    (ONE, "random"): Measurement([(1, 2), (1, 3)], [(1, 2)], inputs=400),
    (ONE, "peer"): Measurement([(1, 2), (1, 3)], [(1, 3)], inputs=2, seconds=1.0, settled=0.5),
    (TWO, "random"): Measurement(FOUR, [(5, 6)], inputs=400),
    (TWO, "peer"): Measurement(FOUR, FOUR, inputs=9, seconds=4.0, settled=3.0),
}


def found(entry: table.Entry, mode: str) -> measuring.Measurement | None:
    return FOUND.get((entry, mode))


def test_totals_add_up() -> None:
    rows = report.totals([ONE, TWO], ("random", "peer"), found)
    assert [row for row in rows if row[0] == "all"] == [
        ["all", "random", "2", "6", "33.3%", "37.5%", "0", "0", "800", "0"],
        ["all", "peer", "2", "6", "83.3%", "75.0%", "1", "0", "11", "5"],
        ["all", "random and peer", "2", "6", "100.0%", "100.0%", "2", "", "", ""],
    ]


def test_only_random_and_peer_are_put_together() -> None:
    def get(entry: table.Entry, mode: str) -> measuring.Measurement | None:
        return FOUND[(TWO, "peer")] if mode == "generational" else Measurement(FOUR, FOUR[:1])

    rows = report.totals([TWO], ("random", "peer", "generational"), get)
    assert [row[4] for row in rows if row[:2] == ["all", "random and peer"]] == ["25.0%"]


def test_ablations_say_what_is_lost_and_what_is_chance() -> None:
    found = {
        (ONE, "hybrid"): Measurement([(1, 2), (1, 3)], [(1, 2)]),
        (ONE, "without rewriting"): Measurement([(1, 2), (1, 3)], [(1, 3)], seconds=2.0),
        (TWO, "hybrid"): Measurement(FOUR, FOUR),
        (TWO, "without rewriting"): Measurement(note="it failed"),
        (TWO, "without local search"): Measurement(FOUR, FOUR, seconds=3.0),
    }
    shown = ("hybrid", "without local search", "without rewriting")
    rows = report.ablations([ONE, TWO], shown, lambda entry, mode: found.get((entry, mode)))
    assert [row for row in rows if row[0] == "all"] == [
        ["all", "without local search", "1", "4", "100.0%", "0.0", "1", "0", "0", "3"],
        ["all", "without rewriting", "2", "6", "16.7%", "66.7", "0", "5", "1", "2"],
    ]


def test_ablations_are_not_in_the_table_of_functions() -> None:
    text = report.report([ONE], ("hybrid", "without rewriting"), lambda entry, mode: FOUND[(ONE, "peer")])
    assert text.count("without rewriting") == 2  # its part, and all
    assert text.count("pkg:one") == 1


def test_the_table_of_functions_has_every_mode() -> None:
    rows = report.functions([ONE, TWO], ("random", "peer", "hybrid"), found)
    assert rows[0][2:5] == ["random", "peer", "peer inputs"]
    assert len(set(rows[0])) == len(rows[0])
    assert rows[1] == ["pkg:one", "2", "1", "1", "2", "0.5", "1.0", "-", "-", "-", "-"]


def test_tables_are_written_as_files(tmp_path: Path) -> None:
    tables = report.tables([ONE, TWO], ("random", "peer"), found)
    report.write(tables, tmp_path / "new")
    assert {file.stem for file in (tmp_path / "new").iterdir()} == {"totals", ONE.part, TWO.part}
    for name, rows in tables.items():
        assert read_table(tmp_path / "new" / f"{name}.csv") == rows


def read_table(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened))


DATA = BENCHMARKS.parent / "docs" / "data"


@pytest.mark.parametrize("mode", ["random", "peer", "generational", "hybrid"])
@pytest.mark.parametrize("part", table.PARTS)
def test_the_published_functions_add_up_to_the_published_totals(part: str, mode: str) -> None:
    heads, *rows = read_table(DATA / "corpus" / f"{part}.csv")
    functions = [dict(zip(heads, row, strict=True)) for row in rows]
    [total] = [row for row in read_table(DATA / "corpus" / "totals.csv") if row[:2] == [part, mode]]
    branches = sum(int(f["branches"]) for f in functions)
    share = sum(int(f[mode]) for f in functions) / branches
    complete = sum(f[mode] == f["branches"] for f in functions)
    assert [str(len(rows)), str(branches), f"{share:.1%}"] == total[2:5]
    assert complete == int(total[6])
    if mode != "random":
        assert sum(int(f[f"{mode} inputs"]) for f in functions) == int(total[8])


def test_the_page_of_results_shows_and_links_to_the_tables() -> None:
    page = (DATA.parent / "benchmarks.md").read_text(encoding="utf-8")
    links = re.findall(r"\(data/([^)]+)\)", page)
    assert sorted(links) == sorted(file.relative_to(DATA).as_posix() for file in DATA.rglob("*.*"))
    published = read_table(DATA / "corpus" / "totals.csv") + read_table(DATA / "corpus" / "ablations.csv")
    shown = [line for line in page.splitlines() if re.match(r"\| (all|tuning|held-back|fresh) \|", line)]
    for line in shown:
        assert [cell.strip() for cell in line.split("|")[1:-1]] in published
    assert len(shown) == 9


def test_a_failed_measurement_stays_in_the_totals() -> None:
    def get(entry: table.Entry, mode: str) -> measuring.Measurement | None:
        return Measurement(note="it failed") if (entry, mode) == (TWO, "peer") else found(entry, mode)

    rows = report.totals([ONE, TWO], ("random", "peer"), get)
    assert [row[2:5] for row in rows if row[:2] == ["all", "peer"]] == [["2", "6", "16.7%"]]


def test_missing_branches_show_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "subject.py"
    file.write_text("if n:\n    a()\nb()\n")
    made = Measurement([(1, 2), (1, 3), (3, -1)], [(1, 2)], str(file))
    lines = list(report.missing_lines([ONE], "peer", lambda entry, mode: made))
    assert lines[1:] == ["  1: if n:  ->  3: b()", "  3: b()  ->  the end"]


def test_measurements_survive_their_file() -> None:
    for made in FOUND.values():
        assert Measurement.from_json(made.as_json()) == made


def test_an_unknown_mode_is_refused() -> None:
    done = corpus("--mode", "psychic")
    assert done.returncode == 2
    assert "no mode 'psychic'" in done.stderr


def test_what_the_fresh_part_misses_is_never_shown() -> None:
    done = corpus("--missing", "--part", "fresh")
    assert done.returncode == 2
    assert "nobody has looked at" in done.stderr
