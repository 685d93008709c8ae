"""The pytest plugin: `pytest --ramify-source PKG` measures the branch coverage of the package under test.

Nothing of Ramify is imported unless the option is given. With pytest-xdist every worker measures itself
and leaves its measurement in a directory of the controller, which reports them together.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ramify.cfg.hits import FileCoverage, Measurement
    from ramify.instrument.hook import Hook

_DIRECTORY_KEY = "ramify_directory"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ramify", "branch coverage measured by Ramify")
    group.addoption(
        "--ramify-source",
        action="append",
        default=[],
        metavar="PKG",
        help="measure this package or module, or the files in this directory; may be given again",
    )
    group.addoption(
        "--ramify-fail-under",
        type=float,
        metavar="PERCENT",
        help="fail the session if less of all branches is covered",
    )
    group.addoption(
        "--ramify-report",
        choices=("text", "json", "none"),
        default="text",
        help="what to print at the end (default: %(default)s)",
    )
    group.addoption(
        "--ramify-data-file",
        metavar="PATH",
        help="also write a coverage.py data file, for `coverage html`, `xml` or `lcov`",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before anything of the project is imported: conftest files come next."""
    sources = early_config.known_args_namespace.ramify_source
    if not sources:
        return
    from ramify.errors import InputError
    from ramify.instrument.hook import install

    before = list(sys.meta_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            hook = install(include=sources)
        except InputError as error:
            raise pytest.UsageError(f"--ramify-source: {error}") from None
    _behind_pytest([finder for finder in sys.meta_path if finder not in before])
    early_config.pluginmanager.register(
        _Session(hook, [str(warning.message) for warning in caught]), "ramify-session"
    )


class _Session:
    """One measured session: in the only process, in the controller of xdist, or in one of its workers."""

    def __init__(self, hook: Hook, notes: list[str]) -> None:
        self.hook = hook
        self.notes = notes
        self.directory: str | None = None
        self.files: list[FileCoverage] = []
        self.failure: str | None = None

    # -- xdist ------------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker is about to start: tell it where to leave its measurement."""
        if self.directory is None:
            self.directory = tempfile.mkdtemp(prefix="ramify-")
        node.workerinput[_DIRECTORY_KEY] = self.directory

    # -- the end of the session -------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        measurement = self.measured()
        worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
        if worker is not None:
            measurement.save_in(worker[_DIRECTORY_KEY])
            return
        if self.directory is not None:
            measurement.merge(type(measurement).load_all(self.directory))
        measurement.add_unimported(_source_files(self.hook, session.config.getini("python_files")))
        self.files = measurement.files()
        if not self.files:
            patterns = ", ".join(pattern.text for pattern in self.hook.selection.include)
            self.notes.append(f"nothing was measured: no test imported a module selected by {patterns}")
        self.finish(session)

    def measured(self) -> Measurement:
        """What this process has to say: the hits of the modules it ran, and which it could not measure."""
        from ramify.cfg.hits import Measurement
        from ramify.instrument.probes import measured

        measurement = Measurement()
        for (filename, digest), hits in measured().items():
            measurement.add(filename, digest, hits)
        for name, reason in self.hook.declined.items():
            filename = getattr(sys.modules.get(name), "__file__", None) or name
            measurement.decline(filename, reason)
        return measurement

    def finish(self, session: pytest.Session) -> None:
        from ramify.errors import InputError
        from ramify.reports.coverage_report import below_threshold

        options = session.config.option
        if options.ramify_fail_under is not None:
            self.failure = below_threshold(self.files, options.ramify_fail_under)
        if options.ramify_data_file:
            from ramify.reports.coverage_export import write_coverage_data

            try:
                write_coverage_data(self.files, options.ramify_data_file)
            except InputError as error:
                self.failure = str(error)
        if self.failure and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        from ramify.reports.coverage_report import render_coloured, render_json, render_text

        form = config.option.ramify_report
        if form != "none":
            terminalreporter.section("branch coverage (ramify)")
            if form == "json":
                terminalreporter.write(render_json(self.files))
            elif self.files:
                render = render_coloured if terminalreporter.hasmarkup else render_text
                terminalreporter.write(render(self.files))
        for note in self.notes:
            terminalreporter.write_line(f"ramify: {note}", yellow=True)
        if self.failure:
            terminalreporter.write_line(f"ramify: {self.failure}", red=True)

    def pytest_unconfigure(self) -> None:
        self.hook.uninstall()
        if self.directory is not None:
            shutil.rmtree(self.directory, ignore_errors=True)


def _is_rewriter(finder: object) -> bool:
    return type(finder).__name__ == "AssertionRewritingHook"


def _behind_pytest(finders: list[Any]) -> None:
    """Let pytest's finder go first: test modules inside the measured package keep their rewritten asserts."""
    rewriters = [index for index, finder in enumerate(sys.meta_path) if _is_rewriter(finder)]
    if not rewriters:
        return
    for finder in finders:
        if sys.meta_path.index(finder) < rewriters[-1]:
            sys.meta_path.remove(finder)
            sys.meta_path.insert(rewriters[-1], finder)


def _source_files(hook: Hook, test_patterns: list[str]) -> Iterator[str]:
    """Every file that was to be measured, imported or not; test modules and conftests are pytest's own."""
    from ramify.measured.selected_files import selected_files

    for filename in selected_files(hook.selection):
        if not any(Path(filename).match(test) for test in ["conftest.py", *test_patterns]):
            yield filename
