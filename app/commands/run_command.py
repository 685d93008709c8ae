"""`ramify run`: a program, run as Python would run it, then its branch coverage."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import click

from ramify.errors import EXIT_FINDINGS, InputError
from ramify.instrument.selection import Selection, is_installed
from ramify.measured.launch import MeasuredRun, end_like, launch
from ramify.measured.selected_files import selected_files
from ramify.targets import find_module, not_parsed

_EPILOG = """\b
Examples:
  ramify run app.py --verbose input.txt
  ramify run --source shop -m shop.cli --help
  ramify run --source src --omit 'src/*/vendored' -m pytest -q
  ramify run --fail-under 90 --format json -o coverage.json app.py
  ramify run --data-file .coverage app.py && coverage html
"""


@click.command(epilog=_EPILOG, context_settings={"allow_interspersed_args": False})
@click.option("-m", "as_module", is_flag=True, help="TARGET is a module, as for python -m.")
@click.option(
    "--source",
    multiple=True,
    metavar="PATTERN",
    help="What to measure: package, module, glob, file or directory.",
)
@click.option("--omit", multiple=True, metavar="PATTERN", help="What not to measure, of what --source selects.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if less is covered.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Of the report.")
@click.option("-o", "--output", metavar="FILE", help="Where the report goes; '-' is stdout. [default: stderr]")
@click.option("--data-file", metavar="FILE", help="Also write a coverage.py data file, for coverage html.")
@click.argument("target")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    as_module: bool,
    source: tuple[str, ...],
    omit: tuple[str, ...],
    fail_under: float | None,
    format_: str,
    output: str | None,
    data_file: str | None,
    target: str,
    arguments: tuple[str, ...],
) -> int:
    """Run a program and report its branch coverage.

    TARGET is a script, a directory or zip file with a __main__.py, or with -m a module. Everything after it
    belongs to the program. Without --source, the modules in the script's directory are measured; with -m, the
    module's package.
    """
    default = _check_module(target) if as_module else _check_script(target)
    selection = Selection.of(source or [default], omit)
    _check_outputs(output, data_file)
    with tempfile.TemporaryDirectory(prefix="ramify-", ignore_cleanup_errors=True) as directory:
        run = launch([*(["-m"] if as_module else []), target, *arguments], selection, directory)
    if source:
        places = ["" if as_module else os.path.dirname(os.path.abspath(target))]
        measured = {os.path.realpath(filename) for filename in run.measurement}
        files = selected_files(selection, places)
        run.measurement.add_unimported(file for file in files if os.path.realpath(file) not in measured)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what compiling the files again warns of, the program has said
        passed = _report(run, selection, format_, output, data_file, fail_under)
    return end_like(run.status) or (0 if passed else EXIT_FINDINGS)


# -- the target -----------------------------------------------------------------------------------


def _check_script(script: str) -> str:
    """Refuse what Python could not run; return what to measure by default."""
    if os.path.isdir(script):
        main = os.path.join(script, "__main__.py")
        if not os.path.exists(main) and not os.path.exists(main + "c"):
            raise InputError(f"{script} is a directory without a __main__.py")
        _check_source(main)
        return os.path.realpath(script)
    _check_source(script)
    return os.path.dirname(os.path.realpath(script))


def _check_module(name: str) -> str:
    """Refuse a module that is not there or does not parse, without importing anything of it."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise InputError(f"{name!r} is not the name of a module; a script is run without -m")
    spec = _find(name)
    if spec is not None and spec.submodule_search_locations is not None:
        main = _find(f"{name}.__main__")
        if main is None:
            raise InputError(f"{name} is a package without a __main__ module and cannot be run")
        spec = main
    if spec is not None and spec.has_location and spec.origin is not None:
        _check_source(spec.origin)
        if is_installed(spec.origin):
            # A tool, such as a test runner: what it runs here is meant.
            return os.getcwd()
    elif spec is None and not _is_dynamic(name):
        raise InputError(f"no module named {name}")
    return name.partition(".")[0]


def _check_source(path: str) -> None:
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if content.startswith(importlib.util.MAGIC_NUMBER[:2]) or path.endswith(".pyc") or zipfile.is_zipfile(path):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(content, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise not_parsed(path, error) from None


def _find(name: str) -> ModuleSpec | None:
    try:
        return find_module(name)
    except InputError:
        return None


def _is_dynamic(name: str) -> bool:
    """Whether a package may find the module in a way only running it can tell."""
    package = name.rpartition(".")[0]
    spec = _find(package) if package else None
    try:
        return spec is not None and spec.origin is not None and b"__path__" in Path(spec.origin).read_bytes()
    except OSError:
        return False


# -- the report -----------------------------------------------------------------------------------


def _check_outputs(*paths: str | None) -> None:
    """Refuse before the program runs what could not be written after it."""
    for path in paths:
        if path is not None and path != "-":
            folder = os.path.dirname(os.path.abspath(path))
            if not os.path.isdir(folder) or os.path.isdir(path) or not os.access(folder, os.W_OK):
                raise InputError(f"cannot write {path}: not a file in a directory that can be written to")
    if paths[-1] is not None and importlib.util.find_spec("coverage") is None:
        raise InputError("writing a coverage.py data file needs coverage: pip install 'ramify[coverage]'")


def _report(
    run: MeasuredRun,
    selection: Selection,
    format_: str,
    output: str | None,
    data_file: str | None,
    fail_under: float | None,
) -> bool:
    """Show what was covered; whether it was enough."""
    from ramify.reports.coverage_report import below_threshold, print_report, render_json

    files = run.measurement.files()
    if data_file is not None:
        from ramify.reports.coverage_export import write_coverage_data

        write_coverage_data(files, data_file)
    with contextlib.ExitStack() as stack:
        if output is None:
            stream = sys.stderr
        elif output == "-":
            stream = sys.stdout
        else:
            try:
                stream = stack.enter_context(open(output, "w", encoding="utf-8"))
            except OSError as error:
                raise InputError(f"cannot write {output}: {error.strerror}") from None
        if format_ == "json":
            stream.write(render_json(files).rstrip("\n") + "\n")
        elif files:
            print_report(files, stream)
    for note in _notes(run, selection, nothing=not files):
        click.echo(f"ramify: {note}", err=True)
    shortfall = None if fail_under is None else below_threshold(files, fail_under)
    if shortfall is not None:
        click.echo(f"ramify: {shortfall}", err=True)
    return shortfall is None


def _notes(run: MeasuredRun, selection: Selection, nothing: bool) -> Iterator[str]:
    if nothing:
        patterns = ", ".join(pattern.text for pattern in selection.include)
        yield f"nothing was measured: the program imported no module selected by {patterns}"
    for name, reason in sorted(run.declined.items()):
        yield f"not measured: {name}: {reason}"
    yield from run.notes
