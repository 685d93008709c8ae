"""`pytest --ramify-source PKG`: the same table after a test session, in good company with other plugins."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("ramify.instrument.hook")

pytest_plugins = ["pytester"]

SHOP = """
def price(total, member):
    if total > 100 and member:
        return total * 0.9
    return total
"""
TEST_SHOP = """
from shop.prices import price

def test_small():
    assert price(50, True) == 50
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A package, a module of it that nobody imports, and one test that takes one of its four branches."""
    package = pytester.mkpydir("shop")
    (package / "prices.py").write_text(SHOP)
    (package / "unused.py").write_text("x = 1 if __name__ else 2\n")
    pytester.makepyfile(test_shop=TEST_SHOP)
    pytester.makeini("[pytest]\npythonpath = .\n")
    return pytester


def run(project: pytest.Pytester, *args: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "no:cacheprovider", *args)


TABLE = [
    "*branch coverage (ramify)*",
    "shop/__init__.py * 0/0 * - * 0/0 *-",
    "shop/prices.py * 2/4 * 50.0% * 3/4 * 75.0%",
    "  price * 2/4 * 50.0% *",
    "shop/unused.py * 0/2 * 0.0% *",
    "total of 3 files * 2/6 * 33.3% *",
    "Missing branches",
    "shop/prices.py",
    "  price",
    "    line 3: `if total > 100 and member` never true",
    "    line 3: `total > 100 and ...` never true",
    "shop/unused.py",
    "  never imported",
]


@pytest.mark.parametrize("source", ["shop", "./shop", "shop.prices"])
def test_the_package_under_test_is_measured(project: pytest.Pytester, source: str) -> None:
    result = run(project, f"--ramify-source={source}")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        TABLE if source != "shop.prices" else ["shop/prices.py * 2/4 *", "total of 1 file *"]
    )


def test_several_sources(project: pytest.Pytester) -> None:
    project.makepyfile(
        other="def f(x):\n    return 1 if x else 2\n", test_other="import other\ntest_f = lambda: other.f(1)"
    )
    result = run(project, "--ramify-source=shop", "--ramify-source=other")
    result.stdout.fnmatch_lines(["other.py * 1/2 *", "shop/prices.py * 2/4 *"])


def test_without_the_option_nothing_of_ramify_is_loaded(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_cost="""
        import sys

        def test_cost():
            loaded = {name for name in sys.modules if name == "ramify" or name.startswith("ramify.")}
            assert loaded == {"ramify", "ramify.pytest_plugin"}
            assert not {"networkx", "rich.table", "z3", "click"} & set(sys.modules)
        """
    )
    result = run(project, "test_cost.py")
    result.assert_outcomes(passed=1)
    assert "branch coverage" not in result.stdout.str()


def test_modules_imported_by_a_conftest_are_measured(project: pytest.Pytester) -> None:
    project.makeconftest("from shop import prices")
    result = run(project, "--ramify-source=shop")
    result.stdout.fnmatch_lines(["shop/prices.py * 2/4 *"])


def test_modules_imported_before_the_plugin_starts_are_named(project: pytest.Pytester) -> None:
    project.makepyfile(early="import shop.prices\n")
    result = run(project, "-p", "early", "--ramify-source=shop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["ramify: imported before *not measured: shop, shop.prices*"])


def test_a_source_that_no_test_imports_is_said_so(project: pytest.Pytester) -> None:
    result = run(project, "--ramify-source=nowhere")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["ramify: nothing was measured: no test imported a module selected by nowhere"])


@pytest.mark.parametrize("bad", ["./no/such/folder", "not a name"])
def test_a_bad_source_is_a_usage_error_in_one_line(project: pytest.Pytester, bad: str) -> None:
    result = run(project, f"--ramify-source={bad}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --ramify-source: *{bad}*"])
    assert "Traceback" not in result.stderr.str()


# -- what comes out -------------------------------------------------------------------------------


def test_json(project: pytest.Pytester) -> None:
    result = run(project, "--ramify-source=shop", "--ramify-report=json", "-q")
    text = result.stdout.str()
    content: dict[str, Any] = json.JSONDecoder().raw_decode(text, text.index("{"))[0]
    assert content["total"]["branches"] == {"covered": 2, "total": 6, "percent": 33.33}


def test_no_report(project: pytest.Pytester) -> None:
    result = run(project, "--ramify-source=shop", "--ramify-report=none")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*coverage*")


@pytest.mark.parametrize(("minimum", "status"), [("33", 0), ("33.5", 1)])
def test_too_little_coverage_fails_the_session(project: pytest.Pytester, minimum: str, status: int) -> None:
    result = run(project, "--ramify-source=shop", f"--ramify-fail-under={minimum}")
    assert result.ret == status
    if status:
        result.stdout.fnmatch_lines(["ramify: branch coverage 33.3% is below the required 33.5%"])


def test_failing_tests_stay_the_reason_of_a_failed_session(project: pytest.Pytester) -> None:
    project.makepyfile(test_fails="def test(): assert 0")
    result = run(project, "--ramify-source=shop", "--ramify-fail-under=0")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1


def test_a_coverage_data_file(project: pytest.Pytester) -> None:
    run(project, "--ramify-source=shop", "--ramify-data-file=.coverage")
    shown = subprocess.run(
        [sys.executable, "-P", "-m", "coverage", "report", "-m"],
        cwd=project.path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    # Line 4 was not reached, and so was not the branch from 3 to 4.
    assert [line.split() for line in shown.stdout.splitlines() if "prices" in line] == [
        ["shop/prices.py", "4", "1", "2", "1", "67%", "4"]
    ]


# -- good company ---------------------------------------------------------------------------------


def test_asserts_of_test_modules_inside_the_package_are_still_rewritten(project: pytest.Pytester) -> None:
    inside = project.path / "shop" / "tests"
    inside.mkdir()
    (inside / "__init__.py").touch()
    (inside / "test_inside.py").write_text(
        "from shop.prices import price\ndef test():\n    assert price(200, True) == 3\n"
    )
    result = run(project, "--ramify-source=shop", "shop")
    result.stdout.fnmatch_lines(
        ["E * assert 180.0 == 3", "E * where 180.0 = price(200, True)", "shop/prices.py * 2/4 *"]
    )
    result.stdout.no_fnmatch_line("shop/tests/test_inside.py * 0/*")


def test_asserts_of_the_measured_package_are_ordinary_asserts(project: pytest.Pytester) -> None:
    project.path.joinpath("shop", "prices.py").write_text("def price(a, b):\n    assert a == b, 'not equal'\n")
    result = run(project, "--ramify-source=shop")
    result.stdout.fnmatch_lines(["E * AssertionError: not equal", "shop/prices.py * 1/2 *"])


def test_xdist_workers_are_measured_and_reported_together(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("xdist")
    temporary = tmp_path_factory.mktemp("shared")
    monkeypatch.setenv("TMPDIR", str(temporary))
    tests = project.mkpydir("shop/tests")
    (tests / "test_inside.py").write_text("def test_inside(): pass")
    project.makepyfile(
        test_a="from shop.prices import price\ndef test_a(worker_id): assert price(50, True)",
        test_b="from shop.prices import price\ndef test_b(worker_id): assert price(200, True)",
        test_shop="from shop.prices import price\ndef test_c(worker_id): assert price(200, False)",
    )
    result = run(project, "-n2", "--dist=loadfile", "--ramify-source=shop", "--ramify-fail-under=60")
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["shop/prices.py * 4/4 * 100.0% *", "total of 4 files * 4/6 *"])
    assert result.stdout.str().count("total of ") == 1
    assert list(temporary.glob("ramify-*")) == []  # where the workers left their measurements


def test_a_crashed_xdist_worker_does_not_take_the_report_along(project: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    project.makepyfile(test_crash="import os\ndef test(): os._exit(1)")
    result = run(project, "-n2", "--max-worker-restart=0", "--ramify-source=shop")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["total of 3 files *"])


def numbers_of(result: pytest.RunResult, name: str) -> list[list[str]]:
    return [line.split() for line in result.outlines if line.startswith(name)]


def test_pytest_cov_measures_the_same_with_and_without(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pytest_cov")
    monkeypatch.setenv("COVERAGE_CORE", "ctrace")
    options = ["--cov=shop", "--cov-branch", "--cov-report=term-missing"]
    alone = run(project, *options)
    together = run(project, *options, "--ramify-source=shop")
    together.assert_outcomes(passed=1)
    together.stdout.fnmatch_lines(["shop/prices.py * 2/4 * 50.0% *"])
    [expected] = numbers_of(alone, "shop/prices.py")
    assert expected in numbers_of(together, "shop/prices.py")


def test_xdist_and_pytest_cov_at_once(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xdist")
    pytest.importorskip("pytest_cov")
    monkeypatch.setenv("COVERAGE_CORE", "ctrace")
    result = run(project, "-n2", "--cov=shop", "--cov-branch", "--ramify-source=shop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines_random(["shop/prices.py * 4 * 1 * 2 * 1 * 67%", "shop/prices.py * 2/4 * 50.0% *"])
