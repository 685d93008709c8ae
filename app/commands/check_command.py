"""`ramify check`: shows what breaks, each as soon as it is confirmed."""

from __future__ import annotations

import click

from ramify.checks import SECONDS, checking, functions
from ramify.commands.options import input_options, policy_options, search_options
from ramify.commands.session import Session, fix_hash_seed
from ramify.errors import EXIT_FINDINGS, EXIT_OK, InputError
from ramify.exploring import MODES
from ramify.reports.check_formats import FORMATS, Writing
from ramify.runtime.checking import UNCHECKED, Check, Report
from ramify.runtime.contracts import types_of
from ramify.runtime.sandbox import held, policy_of

_EPILOG = """\b
Examples:
  ramify check shop.py
  ramify check shop.py:Cart --budget 30
  ramify check package.module:parse --allow-exception ValueError
  ramify check src/shop.py --format sarif > findings.sarif

The exit status is 1 if anything was found, 0 if not, 2 if TARGET or an option is wrong, 130 after Ctrl-C.
"""


@click.command("check", epilog=_EPILOG)
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option(
    "--mode", type=click.Choice(MODES), default=MODES[0], show_default=True, help="How the program is run."
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=SECONDS,
    show_default=True,
    help="Stop after this many seconds for each function.",
)
@search_options
@input_options
@click.option("--allow-exception", "allow", metavar="EXC", multiple=True, help="An exception that is no finding.")
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@policy_options
def command(
    targets: tuple[str, ...],
    mode: str,
    budget: float,
    max_runs: int | None,
    seed: int,
    types: str | None,
    calls: int,
    symbolic_globals: tuple[str, ...],
    allow: tuple[str, ...],
    style: str,
    permitted: tuple[str, ...],
    memory: int | None,
    run_seconds: float | None,
) -> int:
    """Find what breaks in TARGET: exceptions, failed asserts, broken contracts and invariants.

    TARGET is file.py:func, file.py:Class, file.py:Class.method, the same with a module's name, or a whole file
    or module. An exception that the code raises itself with `raise` is documented behaviour; one that Python
    raises is a bug.
    """
    fix_hash_seed()
    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    with Session() as session:
        names = [name for target in targets for name in functions(target, policy)]
        reports: list[Report] = []
        writing = FORMATS[style](click.echo, reports)
        try:
            for name in names:
                try:
                    check = checking(
                        name,
                        mode=mode,
                        budget=budget,
                        max_runs=max_runs,
                        seed=seed,
                        types=given,
                        calls=calls,
                        symbolic_globals=symbolic_globals,
                        allow=allow,
                        policy=policy,
                    )
                    report = _shown(check, reports, writing)
                except InputError as error:
                    if len(names) == 1:
                        raise
                    click.echo(f"ramify: {error}", err=True)  # the other functions are still checked
                    report = Report(name, name.rpartition(":")[2], UNCHECKED, unexplored=[str(error)])
                except Exception as error:
                    if len(names) == 1 or isinstance(error, BrokenPipeError):
                        raise
                    ours = f"a bug in Ramify, please report it: {type(error).__name__}: {error}"
                    report = Report(name, name.rpartition(":")[2], UNCHECKED, unexplored=[ours])
                with held():
                    reports.append(report)
                    writing.report(report)
                if report.interrupted:
                    session.interrupt()
                if session.over:
                    break
        finally:
            with held():
                writing.close()
    return session.status(EXIT_FINDINGS if any(report.findings for report in reports) else EXIT_OK)


def _shown(check: Check, others: list[Report], writing: Writing) -> Report:
    """Runs a check and writes each finding when it is there, unless it was found in another function before."""
    known = {finding.key for other in others for finding in other.findings}
    for finding in check.findings():
        if finding.key not in known:
            writing.finding(check.report, finding)
    _forget_known(check.report, others)
    return check.report


def _forget_known(report: Report, others: list[Report]) -> None:
    """The same place reached through another function is not a second finding, but its verdict stays."""
    known = {finding.key: other.function for other in others for finding in other.findings}
    again = [finding for finding in report.findings if finding.key in known]
    report.findings = [finding for finding in report.findings if finding.key not in known]
    for finding in again:
        what, call = finding.short, finding.arguments.of(report.function)
        shown = f"as shown for {known[finding.key]}"
        report.documented.insert(0, f"line {finding.place.line}: {what}, {shown}: {call}")
