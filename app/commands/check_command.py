"""`ramify check` and `ramify.check`: what breaks in this code, each with the smallest input found."""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from ramify.commands.explore_command import MODES, fix_hash_seed
from ramify.commands.options import input_options, policy_options, search_options
from ramify.errors import EXIT_FINDINGS, EXIT_OK, InputError
from ramify.runtime.checking import UNCHECKED, Check, Report
from ramify.runtime.sandbox import Policy, policy_of

SECONDS = 10.0
FORMATS = ("text", "json", "sarif", "github")


def check(
    target: str,
    *,
    mode: str = "hybrid",
    budget: float | None = SECONDS,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    calls: int = 0,
    symbolic_globals: Sequence[str] = (),
    allow: Sequence[str] = (),
    policy: Policy | None = None,
) -> Report:
    """Checks one function, named as in `"file.py:function"`."""
    from ramify.commands.explore_command import explore
    from ramify.runtime.checking import RemoteExaminer
    from ramify.runtime.worlds import Target, parse

    source, name = parse(target)
    linecache.checkcache(source.path)
    if name is None:
        raise InputError(f"{target}: name a function in it, as in {target}:function")
    policy = policy or Policy()
    if budget is not None:
        policy = replace(policy, seconds=min(policy.seconds, max(budget, 1.0)))
    exploration = explore(
        target,
        mode=mode,
        budget=budget,
        max_runs=max_runs,
        seed=seed,
        types=types,
        calls=calls,
        symbolic_globals=symbolic_globals,
        thorough=True,
        policy=policy,
    )
    examiner = RemoteExaminer(Target(source, name), policy, seed, allow, types)
    return Check(target, exploration, examiner, calls).run()


def functions(text: str, policy: Policy) -> list[str]:
    """The functions that a target names: one, or the public ones of a class, file or module."""
    from ramify.runtime.programs import public_functions
    from ramify.runtime.worlds import parse

    source, name = parse(text)
    names = public_functions(source, name, policy)
    if names is None:
        return [text]
    if not names:
        raise InputError(f"{text}: defines no functions to check")
    place = text if name is None else text[: -len(name) - 1]
    return [f"{place}:{qualname}" for qualname in names]


_EPILOG = """\b
Examples:
  ramify check shop.py
  ramify check shop.py:Cart --budget 30
  ramify check package.module:parse --allow-exception ValueError
  ramify check src/shop.py --format sarif > findings.sarif

The exit status is 1 if anything was found, 0 if not, 2 if TARGET or an option is wrong.
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
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", show_default=True)
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
    from ramify.reports import check_formats
    from ramify.runtime.contracts import types_of

    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    names = [name for target in targets for name in functions(target, policy)]
    reports: list[Report] = []
    for name in names:
        try:
            report = check(
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
        except InputError as error:
            if len(names) == 1:
                raise
            click.echo(f"ramify: {error}", err=True)  # the other functions are still checked
            report = Report(name, name.rpartition(":")[2], UNCHECKED, unexplored=[str(error)])
        except Exception as error:
            if len(names) == 1:
                raise
            ours = f"a bug in Ramify, please report it: {type(error).__name__}: {error}"
            report = Report(name, name.rpartition(":")[2], UNCHECKED, unexplored=[ours])
        _forget_known(report, reports)
        reports.append(report)
        if style == "text":
            click.echo(check_formats.text(report))
    if style == "text":
        click.echo(check_formats.closing(reports))
    else:
        click.echo(check_formats.FORMATS[style](reports))
    return EXIT_FINDINGS if any(report.findings for report in reports) else EXIT_OK


def _forget_known(report: Report, others: list[Report]) -> None:
    """The same place reached through another function is not a second finding, but its verdict stays."""
    known = {finding.key: other.function for other in others for finding in other.findings}
    again = [finding for finding in report.findings if finding.key in known]
    report.findings = [finding for finding in report.findings if finding.key not in known]
    for finding in again:
        what, call = finding.short, finding.arguments.of(report.function)
        shown = f"as shown for {known[finding.key]}"
        report.documented.insert(0, f"line {finding.place.line}: {what}, {shown}: {call}")
