"""`ramify explore`: shows the paths of a function, each as soon as it is found."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import click

from ramify.commands.options import input_options, policy_options, search_options
from ramify.commands.session import Progress, Session, fix_hash_seed
from ramify.errors import EXIT_OK, InputError
from ramify.exploring import MODES, SECONDS, STRATEGY_NAMES, explore, targets
from ramify.reports.exploration_report import edge_record, path_text, summary_record, summary_text
from ramify.reports.path_lines import PathLines
from ramify.runtime.contracts import types_of
from ramify.runtime.sandbox import Watch, held, policy_of
from ramify.runtime.search import Exploration, GuidedExploration, Path, Stop, shared

_EPILOG = """\b
Examples:
  ramify explore shop.py:price
  ramify explore shop.py:Cart.add --strategy generational --budget 10
  ramify explore package.module --max-runs 50
  ramify explore shop.py:price --format jsonl > paths.jsonl

The exit status is 0 whatever the paths do, 2 if TARGET or an option is wrong, 130 after Ctrl-C.
"""


@click.command("explore", epilog=_EPILOG)
@click.argument("target")
@click.option(
    "--mode", type=click.Choice(MODES), default="hybrid", help="How the program is run.", show_default=True
)
@click.option(
    "--strategy",
    type=click.Choice(STRATEGY_NAMES),
    help="Search order: coverage in hybrid mode, PEF's in peer mode.",
)
@click.option("--budget", type=click.FloatRange(min=0), help="Stop after this many seconds for each function.")
@click.option("--depth", type=click.IntRange(min=0), help="Free branches on a path (10 without a strategy).")
@search_options
@click.option(
    "--lists",
    type=click.Choice(["arrays", "cells"]),
    default="arrays",
    help="How list inputs are represented.",
)
@input_options
@click.option(
    "--include",
    metavar="PATTERN",
    multiple=True,
    help="Further modules to rewrite; the target's own package always is.",
)
@policy_options
@click.option("--format", "style", type=click.Choice(["text", "jsonl"]), default="text", show_default=True)
def command(
    target: str,
    mode: str,
    strategy: str | None,
    budget: float | None,
    depth: int | None,
    max_runs: int | None,
    seed: int,
    types: str | None,
    lists: str,
    calls: int,
    symbolic_globals: tuple[str, ...],
    include: tuple[str, ...],
    permitted: tuple[str, ...],
    memory: int | None,
    run_seconds: float | None,
    style: str,
) -> int:
    """Run TARGET down its paths: each with inputs, result, output and exception.

    TARGET is file.py:func, pkg.mod:func, file.py:Class.method, or a whole file or module. Types of
    parameters come from annotations or from `:types:` in the docstring.
    """
    fix_hash_seed()
    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    with Session() as session:
        names = {name.rpartition(":")[2]: name for name in targets(target, policy)}
        make = partial(
            explore,
            mode=mode,
            strategy=strategy,
            budget=budget,
            depth=depth,
            max_runs=max_runs,
            seed=seed,
            types=given,
            arrays=lists == "arrays",
            calls=calls,
            symbolic_globals=symbolic_globals,
            include=include,
            policy=policy,
        )
        several = len(names) > 1
        makes: dict[str, Making] = {name: partial(_made, make, text, several) for name, text in names.items()}
        shown = PathWriter(style == "jsonl", len(names) > 1)
        if len(names) > 1 and mode == MODES[0] and strategy in (None, "coverage"):
            seconds = SECONDS if budget is None and max_runs is None else budget
            with _collecting_seldom():
                _explore_together(makes, seconds, shown, session)
        else:
            with _collecting_seldom():
                _explore_in_turn(makes, shown, session)
    return session.status(EXIT_OK)


Making = Callable[[], Any]
"""Makes the exploration of one function, when its turn has come."""


def _made(make: Callable[[str], Exploration], target: str, several: bool) -> Exploration | None:
    try:
        exploration = make(target)
    except InputError as error:
        if not several:
            raise
        click.echo(f"ramify: {error}", err=True)  # the other functions of the module are still explored
        return None
    for note in exploration.program.notes:
        click.echo(f"ramify: {note}", err=True)
    return exploration


@dataclass(frozen=True, slots=True)
class PathWriter:
    """How what is found is written: as text or as records, of one function or of several."""

    records: bool
    several: bool
    lines: PathLines = field(default_factory=PathLines)

    def path(self, name: str, path: Path) -> None:
        if self.records:
            # Straight to the stream: what `click.echo` asks about it costs as much as the line.
            sys.stdout.write(self.lines.line(path, name if self.several else None) + "\n")
            sys.stdout.flush()
        else:
            click.echo(path_text(name, path))

    def end(self, name: str, exploration: Exploration) -> None:
        """What is to be said when a function is done with."""
        if self.records:
            if isinstance(exploration, GuidedExploration):
                for verdict in exploration.edge_verdicts():
                    self._record(name, edge_record(verdict))
            self._record(name, summary_record(exploration))
        else:
            click.echo((f"{name}:\n" if self.several else "") + summary_text(exploration))

    def _record(self, name: str, record: dict[str, object]) -> None:
        click.echo(json.dumps({**record, "function": name} if self.several else record))


GARBAGE = 50_000
"""Objects that are made before Python looks for cycles among them."""


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """What an exploration makes mostly stays: looking through it again and again finds no garbage."""
    before = gc.get_threshold()
    gc.set_threshold(GARBAGE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _explore_in_turn(makes: dict[str, Making], shown: PathWriter, session: Session) -> None:
    for name, make in makes.items():
        exploration = make()
        if exploration is None:
            continue
        with held(), Progress(name) as progress:
            for path in Watch(exploration.limits.seconds).over(iter(exploration)):
                shown.path(name, path)
                progress.update(exploration.summary)
            shown.end(name, exploration)
        if exploration.summary.stop == Stop.INTERRUPTED:
            session.interrupt()
        if session.over:
            return


def _explore_together(
    makes: dict[str, Making], seconds: float | None, shown: PathWriter, session: Session
) -> None:
    """Functions of a module share their time; what is found of one may stand between what is found of others."""
    budget = None if seconds is None else seconds * len(makes)
    with held(), Progress(f"{len(makes)} functions") as progress:
        for turn in Watch(budget).over(shared(makes, budget)):
            if turn.exploration is None:
                click.echo(f"ramify: {turn.name}: not explored, its turn did not come", err=True)
            elif turn.path is not None:
                shown.path(turn.name, turn.path)
                progress.update(turn.exploration.summary)
            else:
                shown.end(turn.name, turn.exploration)
                if turn.exploration.summary.stop == Stop.INTERRUPTED:
                    session.interrupt()
