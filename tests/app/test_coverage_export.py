"""The coverage.py data file: it says what coverage.py would have said, and each difference has a test.

Every test here runs a program twice, each time in a fresh interpreter: once measured by coverage.py
itself (its C tracer, with branches), once by Ramify with its data file exported. What coverage.py's own JSON
report says about the lines and branches of the two is compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from ramify.cfg.hits import FileCoverage
from ramify.errors import InputError
from ramify.reports.coverage_export import executed_arcs, write_coverage_data

coverage = pytest.importorskip("coverage")

RUN_WITH_COVERAGE = """
import runpy, sys
import coverage
data, folder, script = sys.argv[1:]
measure = coverage.Coverage(branch=True, include=[folder + "/*"], data_file=data, config_file=False)
sys.path.insert(0, folder)
measure.start()
try:
    runpy.run_path(script, run_name="__main__")
finally:
    measure.stop()
    measure.save()
"""

RUN_WITH_RAMIFY = """
import runpy, sys
from importlib.machinery import PathFinder, SourceFileLoader
from ramify.cfg.hits import Measurement
from ramify.reports.coverage_export import write_coverage_data
from ramify.instrument import probes
from ramify.instrument.coverage import instrument

data, folder, script = sys.argv[1:]


class Loader(SourceFileLoader):
    def get_code(self, name):
        built = instrument(self.get_data(self.path), self.path)
        assert not built.declined
        probes.activate(built, self.path)
        return built.code


class Finder:
    def find_spec(self, name, path, target=None):
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None and spec.origin.startswith(folder):
            spec.loader = Loader(name, spec.origin)
            return spec


sys.path.insert(0, folder)
sys.meta_path.insert(0, Finder())
try:
    runpy.run_path(script, run_name="__main__")
finally:
    measurement = Measurement()
    for (filename, digest), hits in probes.measured().items():
        measurement.add(filename, digest, hits)
    write_coverage_data(measurement.files(), data)
"""

Arc = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """What coverage.py reports about one file."""

    executed: set[int]
    missing: set[int]
    taken: set[Arc]
    not_taken: set[Arc]


def measure(how: str, tmp_path: Path, script: Path) -> dict[str, Seen]:
    data = tmp_path / f"{'ramify' if how is RUN_WITH_RAMIFY else 'coverage'}.data"
    environment = {**os.environ, "COVERAGE_CORE": "ctrace", "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore"}
    subprocess.run(
        [sys.executable, "-P", "-c", how, str(data), str(script.parent / "corpus"), str(script)],
        env=environment, check=True,
    )  # fmt: skip
    return report(data)


def report(data: Path) -> dict[str, Seen]:
    reader = coverage.Coverage(data_file=str(data), config_file=False)
    reader.load()
    reader.json_report(outfile=f"{data}.json")
    files = json.loads(Path(f"{data}.json").read_text())["files"]
    return {
        os.path.basename(name): Seen(
            set(file["executed_lines"]),
            set(file["missing_lines"]),
            {(a, b) for a, b in file["executed_branches"]},
            {(a, b) for a, b in file["missing_branches"]},
        )
        for name, file in files.items()
    }


# -- the corpus -----------------------------------------------------------------------------------

# Each module of the standard library is copied, so that the copy is measured and not what the tools use.
CORPUS = {
    "textwrap": """
        w = textwrap.TextWrapper(width=20, max_lines=2, fix_sentence_endings=True)
        w.fill("Some words. And then verylongwordsthatmustbebroken somewhere-or-other. " * 3)
        textwrap.dedent("    a\\n      b\\n\\n    c")
        textwrap.shorten("Hello  world!", width=9, placeholder="...")
        textwrap.indent("a\\n\\nb", "> ")
        """,
    "heapq": """
        heapq.nsmallest(2, [5, 1, 4]), heapq.nsmallest(1, [3, 2]), heapq.nlargest(2, "abc", key=ord)
        list(heapq.merge([1, 4], [2, 3], [], reverse=False)), list(heapq.merge([4, 1], [3], reverse=True))
        """,
    "bisect": """
        for lo in (0, 1):
            bisect.bisect_left([1, 2, 3], 2, lo); bisect.insort_right([1, 5], 3, lo)
        """,
    "string": """
        string.Template("$who likes ${what} $$").substitute(who="tim", what="kung pao")
        string.Template("$who $bad-").safe_substitute(who="tim")
        string.capwords("a b"), string.Formatter().format("{0:{w}} {x.real!r}", 1, x=2, w=3)
        try:
            string.Template("$").substitute()
        except ValueError:
            pass
        """,
    "fractions": """
        F = fractions.Fraction
        F("3/4") + 1, F(1.5) * F(2), F(7, 3) // 2, F(-1, 2) ** 3, F("1e-3"), round(F(5, 2)), F(1, 3) < 0.5
        F(3.14159).limit_denominator(100), abs(F(-1)), bool(F(0)), hash(F(1, 7)), F(1, 2) == 0.5
        for bad in ("x", "1/0"):
            try:
                F(bad)
            except (ValueError, ZeroDivisionError):
                pass
        """,
    "statistics": """
        statistics.mean([1, 2, 3.5]), statistics.median([1, 3, 2]), statistics.median([1, 2])
        statistics.mode("aab")
        statistics.stdev([1.5, 2.5]), statistics.quantiles([1, 2, 3, 4], n=4), statistics.fmean([1, 2], [1, 3])
        statistics.NormalDist(0, 1).cdf(0.5), statistics.linear_regression([1, 2], [3, 5])
        try:
            statistics.mean([])
        except statistics.StatisticsError:
            pass
        """,
    "difflib": """
        a, b = "one\\ntwo\\nthree\\n".splitlines(True), "ore\\ntree\\nemu\\n".splitlines(True)
        list(difflib.ndiff(a, b)), list(difflib.unified_diff(a, b)), list(difflib.context_diff(a, b))
        difflib.get_close_matches("appel", ["ape", "apple", "peach"])
        difflib.SequenceMatcher(lambda x: x == " ", "abcd efg", "bcd xyz").ratio()
        difflib.HtmlDiff(wrapcolumn=10).make_table(a, b, context=True)
        """,
    "configparser": """
        parser = configparser.ConfigParser(allow_no_value=True)
        parser.read_string("[a]\\nx = 1\\ny: %(x)s\\n\\tmore\\n; no\\n[b]\\nflag\\n")
        parser.getint("a", "x"), parser["a"]["y"], parser.has_option("b", "none"), parser.items("a")
        parser.remove_section("b"), parser.read_dict({"c": {"k": "v"}})
        for text in ("x = 1", "[a]\\n[a]\\n", "[a]\\nbad %("):
            try:
                configparser.RawConfigParser().read_string(text)
            except configparser.Error:
                pass
        """,
    "csv": """
        import io
        out = io.StringIO()
        writer = csv.DictWriter(out, ["a", "b"], extrasaction="ignore")
        writer.writeheader(); writer.writerow({"a": 1, "c": 2})
        list(csv.DictReader(io.StringIO("x,y\\n1,2,3\\n\\n4\\n")))
        csv.Sniffer().sniff("a;b;c\\n1;2;3\\n'x y';'z';4\\n")
        csv.Sniffer().has_header("name,n\\nbob,1\\nann,2\\n")
        """,
    "dataclasses": """
        @dataclasses.dataclass(order=True)
        class P:
            x: int
            y: list = dataclasses.field(default_factory=list, compare=False)
        P(1) < P(2), dataclasses.asdict(P(1, [2])), dataclasses.replace(P(1), x=3), dataclasses.fields(P)
        dataclasses.make_dataclass("Q", ["a", ("b", int)], frozen=True, slots=True)(1, 2)
        """,
    "argparse": """
        parser = argparse.ArgumentParser(prog="p", description="d", exit_on_error=False)
        parser.add_argument("file", nargs="*"); parser.add_argument("-n", "--number", type=int, default=3)
        group = parser.add_mutually_exclusive_group(); group.add_argument("-v", action="store_true")
        group.add_argument("-q", action="count"); parser.format_help()
        parser.parse_args(["a", "-n", "4", "-v"]), parser.parse_known_args(["--number=5", "--other"])
        try:
            parser.parse_args(["-n", "x"])
        except argparse.ArgumentError:
            pass
        """,
    "shlex": """
        shlex.split("a 'b c' \\"d\\\\\\"e\\" # no"), shlex.quote("it's")
        list(shlex.shlex("a && b", punctuation_chars=True))
        try:
            shlex.split("'open")
        except ValueError:
            pass
        """,
    "graphlib": """
        list(graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}}).static_order())
        try:
            graphlib.TopologicalSorter({1: [2], 2: [1]}).prepare()
        except graphlib.CycleError:
            pass
        """,
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """All modules of the corpus in one run of each tool."""
    tmp_path = tmp_path_factory.mktemp("export")
    folder = tmp_path / "corpus"
    folder.mkdir()
    script = tmp_path / "driver.py"
    lines = ["import random", "random.seed(1)"]
    for name, calls in CORPUS.items():
        (folder / f"copy_of_{name}.py").write_bytes(_source_of(name).read_bytes())
        lines += [f"import copy_of_{name} as {name}", dedent(calls)]
    package = _source_of("json").parent
    (folder / "copy_of_json").mkdir()
    for module in ("__init__", "decoder", "encoder", "scanner"):
        text = (package / f"{module}.py").read_text(encoding="utf-8").replace("from json import", "from . import")
        (folder / "copy_of_json" / f"{module}.py").write_text(text, encoding="utf-8")
    lines.append(dedent(JSON_CALLS))
    script.write_text("\n".join(lines), encoding="utf-8")
    return measure(RUN_WITH_COVERAGE, tmp_path, script), measure(RUN_WITH_RAMIFY, tmp_path, script)


def _source_of(name: str) -> Path:
    import importlib.util

    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


JSON_CALLS = """
import copy_of_json as json
json.loads('{"a": [1, 2.5, null, true], "b": "\\\\u00e9"}'), json.dumps({"a": (1, None), 2: 1e300}, indent=1)
json.dumps([1, {"k": float("inf")}], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
json.decoder.py_scanstring('a\\\\n\\\\u00e9"', 0), list(json.encoder.JSONEncoder().iterencode([{}, [[]]], False))
for bad in ("{", "[1,]", '{"a" 1}', "x"):
    try:
        json.loads(bad)
    except ValueError:
        pass
"""

MODULES = [f"copy_of_{name}.py" for name in CORPUS] + ["__init__.py", "decoder.py", "encoder.py", "scanner.py"]


@pytest.mark.parametrize("module", MODULES)
def test_real_modules_have_the_same_lines_and_branches(
    corpus: tuple[dict[str, Seen], dict[str, Seen]], module: str
) -> None:
    theirs, ours = (seen[module] for seen in corpus)
    assert theirs.executed  # the driver reached it
    assert ours == theirs


def test_the_corpus_is_worth_comparing(corpus: tuple[dict[str, Seen], dict[str, Seen]]) -> None:
    theirs, _ = corpus
    assert sum(len(seen.executed) for seen in theirs.values()) > 2500
    assert sum(len(seen.taken) for seen in theirs.values()) > 500
    assert sum(len(seen.not_taken) for seen in theirs.values()) > 500


# -- constructs one by one ------------------------------------------------------------------------

# A function `f` in each, called with the arguments in the comment on its first line.
SAME = {
    "if_else": """
        def f(x):  # 1
            if x:
                a = 1
            else:
                a = 2
            return a
    """,
    "elif_chain": """
        def f(x):  # 1, 2
            if x == 1:
                a = 1
            elif x == 2:
                a = 2
            elif x == 3:
                a = 3
            return 0
    """,
    "if_last_in_function": """
        def f(x):  # 0
            if x:
                x = 2
    """,
    "one_line_if": """
        def f(x):  # 0
            if x: return 1
            if not x: x = 3
            return 2
    """,
    "one_line_if_taken": """
        def f(x):  # 1
            if x: return 1
            return 2
    """,
    "one_line_if_in_loop": """
        def f(x):  # 3
            for i in range(x):
                if i == 1: continue
                if i == 9: break
            while x: x -= 1
            for i in range(3): x += i
            return x
    """,
    "one_line_definitions": """
        def f(x):  # 1
            class A: pass
            class B: y = 2
            def g(): return 1
            def h(): pass
            return g()
        def unused(): return 2
    """,
    "several_statements_on_a_line": """
        def f(x):  # 1
            x += 1; x += 2; return x
            x += 3
    """,
    "while_else": """
        def f(x):  # 0, 2
            while x:
                x -= 1
                if x == 1:
                    break
            else:
                x = 9
            return x
    """,
    "while_true": """
        def f(x):  # 2
            while True:
                x -= 1
                if x:
                    continue
                if not x:
                    break
            while 1:
                if x == 0:
                    return x
    """,
    "for_never_entered": """
        def f(x):  # ()
            for y in x:
                x = y
            return x
    """,
    "for_never_exhausted": """
        def f(x):  # (1, 2)
            for y in x:
                return y
            else:
                x = 3
    """,
    "for_else": """
        def f(x):  # (), (1,), (2, 1)
            for y in x:
                if y == 2:
                    break
            else:
                x = 3
            return x
    """,
    "nested_loops": """
        def f(x):  # (1, 2)
            for a in x:
                for b in x:
                    if a == b:
                        break
                    if b > 5:
                        continue
    """,
    "constant_tests": """
        def f(x):  # 1
            if 0:
                x = 1
            if True:
                x = 2
            else:
                x = 3
            if __debug__:
                x = 4
            while 0:
                x = 5
            if not 1:
                x = 6
            else:
                x = 7
            return x
    """,
    "try_except": """
        def f(x):  # 0, 1
            try:
                1 / x
            except ZeroDivisionError:
                x = 1
            except ValueError:
                x = 2
            else:
                x = 3
            return x
    """,
    "try_handlers_passed_over": """
        def f(x):  # 0
            try:
                1 / x
            except KeyError:
                x = 1
            except (ValueError, TypeError):
                x = 2
            except:
                x = 3
            return x
    """,
    "try_finally": """
        def f(x):  # 0, 1
            try:
                if x:
                    x = 2
            finally:
                x = 3
            return x
    """,
    "return_in_try_finally": """
        def f(x):  # 1
            try:
                return x
            finally:
                if x:
                    x = 3
                x = 4
    """,
    "one_line_return_in_try_finally": """
        def f(x):  # 1, 0
            try:
                if x: return 1
                x = 3
            finally:
                x = 2
            return x
    """,
    "one_line_break_in_try_finally": """
        def f(x):  # 1, 0
            for y in (1, 2):
                try:
                    if x: break
                    x = 0
                finally:
                    x = 2
            return x
    """,
    "try_as_last_statement_of_a_loop": """
        def f(x):  # (0, 1, 2)
            for y in x:
                try:
                    if y:
                        1 / (y - 1)
                except ZeroDivisionError:
                    continue
                finally:
                    x = 2
    """,
    "raise_one_line": """
        def f(x):  # 0, 1
            try:
                if x: raise ValueError
                if not x: x = 4
            except ValueError:
                x = 3
            return x
    """,
    "with_and_if_last": """
        import contextlib
        def f(x):  # 0, 1
            with contextlib.nullcontext():
                if x:
                    x = 2
            return x
    """,
    "with_nested": """
        import contextlib
        def f(x):  # 1
            with contextlib.nullcontext():
                with contextlib.nullcontext() as y, \\
                     contextlib.nullcontext():
                    for z in (1, 2):
                        if z == x:
                            x = 7
            with (contextlib.nullcontext(),
                  contextlib.nullcontext()):
                x = 3
            with contextlib.nullcontext(): x = 4
            return x
    """,
    "with_in_loop": """
        import contextlib
        def f(x):  # (1, 2)
            for y in x:
                with contextlib.nullcontext():
                    if y == 1:
                        continue
                    if y == 2:
                        break
    """,
    "with_suppressing": """
        import contextlib
        def f(x):  # 0
            with contextlib.suppress(ZeroDivisionError):
                1 / x
                x = 2
            return x
    """,
    "match": """
        def f(x):  # 1, (3, 4)
            match x:
                case 1:
                    y = 1
                case 2:
                    y = 2
                case (a, b) if a > b:
                    y = 3
                case (a, b):
                    y = 4
            return x
    """,
    "match_wildcard": """
        def f(x):  # 1, 2
            match x:
                case 1: return 1
                case {"a": 1} | [1]:
                    return 2
                case _:
                    x = 3
    """,
    "match_in_loop": """
        def f(x):  # (1, 2, 3)
            for y in x:
                match y:
                    case 1:
                        continue
                    case 3:
                        break
    """,
    "multi_line_statements": """
        def f(
            x,  # 3
            y=(1,
               2),
        ):
            if (
                x
                and y
            ):
                x = [
                    z
                    for z in y
                    if z
                ]
            return {
                "a": x,
                **{},
            }
    """,
    "decorators": """
        def plain(function):
            return function
        @plain
        @(lambda g:
            g)
        def f(x):  # 1
            @plain
            class A:
                def m(self): return 1
            return A
        @plain
        def unused():
            return 1
    """,
    "declarations": """
        def f(x):  # 1
            "Nothing of these is executed."
            global G
            y: int
            if x:
                global H
                pass
            if x:
                "no declaration"
            G = 1
            "as a comment"
            try:
                ...
            except ValueError:
                ...
            1 / x
            "the same"
            return x
    """,
    "constants_in_a_row": """
        def f(x):  # 1
            class A:
                "doc"
                "as a comment"
                "and another"
                y = 1
            while 1:
                try:
                    x += 1
                finally:
                    global G
                break
            else:
                x = 2
            return A
    """,
    "generator_left_early": """
        def g(x):
            for y in x:
                yield y
        def f(x):  # (1, 2)
            for y in g(x):
                break
    """,
    "coroutines": """
        import asyncio
        async def numbers(n):
            for i in range(n):
                yield i
        async def main(n):
            async for i in numbers(n):
                if i:
                    break
            else:
                n = 0
            return [i async for i in numbers(n)]
        def f(x):  # 0, 3
            return asyncio.run(main(x))
    """,
    "async_with": """
        import asyncio
        import contextlib
        async def main(n):
            async with contextlib.AsyncExitStack():
                if n:
                    n = 2
                n += 1
            return n
        def f(x):  # 0
            return asyncio.run(main(x))
    """,
    "stub_bodies": """
        def g():
            ...
        class A:
            ...
        def f(x):  # 0
            if x: ...
            g()
    """,
    "class_bodies": """
        class A:
            "doc"
            x = 1
            if x:
                y = 2
            else:
                y = 3
            for z in (1, 2):
                if z == 2:
                    break
        def f(x):  # 1
            return A
    """,
    "exceptions_through": """
        def g(x):
            if x:
                1 / 0
            x = 1
        def f(x):  # 1
            try:
                for y in (1, 2):
                    g(y)
                    x = 2
            except ZeroDivisionError:
                pass
    """,
    "lambdas_and_comprehensions": """
        def f(x):  # (1, 2)
            g = lambda y: y if y else 0
            h = lambda: (
                1)
            return {g(y): y for y in x if y > 1}, (y for y in x), [
                y and 1 for y in x]
    """,
    "pragma": """
        def f(x):  # 1
            if x:
                x = 2
            else:  # pragma: no cover
                x = 3
            if x:  # pragma: no branch
                x = 4
            return x
        def excluded():  # pragma: no cover
            return 1
    """,
}


@dataclass(frozen=True)
class Difference:
    """A program that coverage.py and Ramify see differently; `ours` is what only our data says was executed."""

    reason: str
    source: str
    ours: frozenset[int | Arc] = frozenset()
    theirs: frozenset[int | Arc] = frozenset()


# Python 3.11 has no line event on the way out of an `async with` when a branch jumps there.
NO_LINE_EVENT_LEAVING_ASYNC_WITH = sys.version_info < (3, 12)

# All kinds of difference in lines and line-to-line branches. There are two reasons: coverage.py follows lines
# and so sees a jump in the parts the interpreter cuts it into, and a clause that nothing entered has no probe.
DIFFERENCES = {
    "last_handler_passed_over": Difference(
        "an exception that passes the last `except` leaves no mark there: its line counts as not executed",
        """
        def f(x):  # 0
            try:
                try:
                    1 / x
                except KeyError:
                    x = 1
            except ZeroDivisionError:
                pass
        """,
        theirs=frozenset({5}),
    ),
    "star_handler_passed_over": Difference(
        "the same for an `except*` that had nothing to take",
        """
        def f(x):  # 0
            try:
                try:
                    raise ExceptionGroup("", [ZeroDivisionError()])
                except* KeyError:
                    x = 1
            except* ZeroDivisionError:
                pass
        """,
        theirs=frozenset({5}),
    ),
    "finally_left_by_an_exception": Difference(
        "a branch that ends a `finally` leads on to where the exception goes, but the edge is the same: the "
        "arc to the next statement counts as taken if that statement was reached at all",
        """
        def f(x):  # 0, 1
            try:
                try:
                    1 / x
                finally:
                    if x:
                        x = 2
                x = 5
            except ZeroDivisionError:
                pass
        """,
        ours=frozenset({(6, 8)}),
    ),
    "branch_that_ends_an_async_with": Difference(
        "on Python 3.11 coverage.py does not see the last branch of an `async with` lead out of it",
        """
        import asyncio
        import contextlib
        async def main(n):
            async with contextlib.AsyncExitStack():
                if n:
                    n = 2
            return n
        def f(x):  # 0, 1
            return asyncio.run(main(x))
        """,
        ours=frozenset({(5, 7)} if NO_LINE_EVENT_LEAVING_ASYNC_WITH else set()),
    ),
    "one_line_return_in_with": Difference(
        "coverage.py expects `return` to leave the function, but sees it jump to the exit of the `with`: it "
        "always reports the branch as missing",
        """
        import contextlib
        def f(x):  # 1, 0
            with contextlib.nullcontext():
                if x: return 1
                x = 3
            return x
        """,
        ours=frozenset({(4, -2)}),
    ),
    "one_line_if_whose_exception_a_with_suppresses": Difference(
        "coverage.py cannot tell an exception that the `with` suppresses from going on behind it",
        """
        import contextlib
        def f(x):  # 0
            with contextlib.suppress(ZeroDivisionError):
                if not x: 1 / x
                else: x = 3
            return x
        """,
        theirs=frozenset({(4, 6)}),
    ),
}


def _calls(name: str, source: str) -> str:
    arguments = next(line for line in source.splitlines() if "x" in line and "  # " in line).partition("  # ")[2]
    return f"import {name}\nfor argument in [{arguments}]: {name}.f(argument)"


@pytest.fixture(scope="module")
def constructs(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Seen], dict[str, Seen]]:
    tmp_path = tmp_path_factory.mktemp("constructs")
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = []
    for name, text in [*SAME.items(), *((name, case.source) for name, case in DIFFERENCES.items())]:
        source = dedent(text).lstrip("\n")
        (folder / f"{name}.py").write_text(source)
        lines.append(_calls(name, source))
    script = tmp_path / "driver.py"
    script.write_text("\n".join(lines))
    return measure(RUN_WITH_COVERAGE, tmp_path, script), measure(RUN_WITH_RAMIFY, tmp_path, script)


@pytest.mark.parametrize("name", SAME)
def test_a_construct_has_the_same_lines_and_branches(
    constructs: tuple[dict[str, Seen], dict[str, Seen]], name: str
) -> None:
    theirs, ours = (seen[f"{name}.py"] for seen in constructs)
    assert ours == theirs


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_known_difference_is_just_that(constructs: tuple[dict[str, Seen], dict[str, Seen]], name: str) -> None:
    theirs, ours = (seen[f"{name}.py"] for seen in constructs)
    case = DIFFERENCES[name]
    assert (ours.executed | ours.taken) - (theirs.executed | theirs.taken) == case.ours, case.reason
    assert (theirs.executed | theirs.taken) - (ours.executed | ours.taken) == case.theirs, case.reason
    # What is possible at all is never in question.
    assert ours.executed | ours.missing == theirs.executed | theirs.missing
    assert ours.taken | ours.not_taken == theirs.taken | theirs.not_taken


# -- our finer sites ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "finer"),
    [
        ("x = a and b", ["true", "false"]),
        ("x = a < b < c", ["true", "false"]),
        ("x = 1 if a else 2", ["true", "false"]),
        ("x = [y for y in a if y]", ["entered", "exhausted", "true", "false"]),
        ("assert a", ["true", "false"]),
        ("try:\n    f()\nexcept A:\n    pass\nexcept B:\n    pass", ["completed", "caught", "passed", "caught"]),
        ("with a:\n    f()", ["left", "suppressed"]),
        ("if a: f()\ng()", ["true", "false"]),
    ],
)
def test_branches_that_do_not_lead_to_different_lines_are_ours_alone(
    tmp_path: Path, source: str, finer: list[str]
) -> None:
    """coverage.py counts no branch here; we do, and that is the whole difference in the totals."""
    filename = tmp_path / "finer.py"
    filename.write_text(source)
    file = FileCoverage.of(str(filename), source, ())
    write_coverage_data([file], tmp_path / "data")
    seen = report(tmp_path / "data")["finer.py"]
    assert seen.taken | seen.not_taken == set()
    assert [edge.outcome for edge in file.missing_edges] == finer


@pytest.mark.parametrize(
    "source",
    [
        "if a:\n    b()\nc()",
        "while a:\n    b()\nc()",
        "for a in b:\n    c()\nd()",
        "match a:\n    case 1:\n        b()\n    case _:\n        c()\nd()",
    ],
)
def test_branches_that_lead_to_different_lines_are_counted_alike(tmp_path: Path, source: str) -> None:
    filename = tmp_path / "coarse.py"
    filename.write_text(source)
    file = FileCoverage.of(str(filename), source, ())
    write_coverage_data([file], tmp_path / "data")
    seen = report(tmp_path / "data")["coarse.py"]
    branching = [site for site in file.table.sites if len(site.outcomes) > 1] if file.table else []
    assert len(seen.not_taken) == sum(len(site.outcomes) for site in branching)


# -- the file -------------------------------------------------------------------------------------


def test_a_file_nothing_of_which_ran_is_reported_with_nothing_executed(tmp_path: Path) -> None:
    (tmp_path / "unused.py").write_text("if a:\n    b = 1\n")
    write_coverage_data(
        [FileCoverage.of(str(tmp_path / "unused.py"), "if a:\n    b = 1\n", ())], tmp_path / "data"
    )
    assert report(tmp_path / "data")["unused.py"].missing == {1, 2}


def test_the_data_file_is_replaced_not_added_to(tmp_path: Path) -> None:
    for name in ("first.py", "second.py"):
        (tmp_path / name).write_text("x = 1\n")
        write_coverage_data([FileCoverage.of(str(tmp_path / name), "x = 1\n", {0})], tmp_path / "data")
    assert list(report(tmp_path / "data")) == ["second.py"]


def test_files_without_numbers_are_left_out(tmp_path: Path) -> None:
    write_coverage_data([FileCoverage("gone.py", "vanished")], tmp_path / "data")
    data = coverage.CoverageData(str(tmp_path / "data"))
    data.read()
    assert data.measured_files() == set()


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the coverage data file"):
        write_coverage_data([FileCoverage.of("x.py", "x = 1\n", {0})], tmp_path / "none" / "data")


def test_without_coverage_installed_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coverage", None)
    with pytest.raises(InputError, match=r"pip install 'ramify\[coverage\]'"):
        write_coverage_data([], tmp_path / "data")


@pytest.mark.parametrize("form", ["report", "html", "xml", "lcov"])
def test_coverage_makes_its_reports_of_the_data(tmp_path: Path, form: str) -> None:
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    (tmp_path / "f.py").write_text(source)
    table_file = FileCoverage.of(str(tmp_path / "f.py"), source, range(3))
    write_coverage_data([table_file], tmp_path / ".coverage")
    command = [sys.executable, "-P", "-m", "coverage", form, *(["-m"] if form == "report" else [])]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    if form == "lcov":
        assert "BRDA:2,0,jump to line 3," in (tmp_path / "coverage.lcov").read_text()


def test_arcs_of_a_tiny_program() -> None:
    source = "for x in (1,):\n    y = x\nz = 1\n"
    jumps = {(-1, 1), (1, 2), (2, 1), (1, 3), (3, -1)}
    assert executed_arcs(FileCoverage.of("x.py", source, range(4))) == jumps | {(1, 1), (2, 2), (3, 3)}
