"""`ramify explore` and `ramify.explore`: run a function down its paths, each with its inputs and what they
do.

The module is not called `explore`, since `ramify.explore` is the function.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath
from types import TracebackType
from typing import Any

import click

from ramify.commands.options import input_options, policy_options, search_options
from ramify.errors import InputError
from ramify.reports.exploration_report import edge_record, path_text, summary_record, summary_text
from ramify.reports.path_lines import PathLines
from ramify.runtime.contracts import types_of
from ramify.runtime.peer import NAMESPACE, PeerLoop
from ramify.runtime.programs import (
    CHEAP_RUNS,
    PARTS,
    SEARCH,
    HybridProgram,
    Options,
    RemoteHybrid,
    RemoteProgram,
    Runnable,
    Whereabouts,
    function_names,
    prepare,
    program_of,
)
from ramify.runtime.sandbox import Policy, policy_of
from ramify.runtime.search import (
    BURST,
    MAX_CHILDREN,
    Ambition,
    Exploration,
    Goals,
    GuidedExploration,
    Limits,
    Path,
    PathExploration,
    Summary,
    shared,
)
from ramify.runtime.search import strategy as strategy_named
from ramify.runtime.solver import Solver
from ramify.runtime.solver.chain import SolverOptions
from ramify.runtime.worlds import Target, located, parse

MODES = ("hybrid", "peer")
STRATEGY_NAMES = ("coverage", "generational", "dfs", "bfs", "random", "smart-paths", "all-paths")
QUICK = SolverOptions(rlimit=1_000_000, steps=3_000_000)
"""What a query may cost where a local search is there to fall back to."""
SECONDS = 10.0
"""The budget of a search for coverage when nobody gives one: its paths may have no end."""


def explore(
    target: Callable[..., Any] | str,
    *,
    mode: str = "hybrid",
    strategy: str | None = None,
    budget: float | None = None,
    depth: int | None = None,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    arrays: bool = True,
    calls: int = 0,
    symbolic_globals: Sequence[str] = (),
    thorough: bool = False,
    include: Sequence[str] = (),
    without: str | None = None,
    policy: Policy | None = None,
) -> Exploration:
    """Explores a function, or a target like `"file.py:func"`; iterate over the result to get its paths one by
    one.

    >>> def sign(x: int) -> int:
    ...     return 1 if x > 0 else -1 if x < 0 else 0
    >>> for path in explore(sign, mode="peer"):
    ...     print(path.call, path.result, path.path_condition)
    {'x': 1} 1 x > 0
    {'x': -1} -1 x <= 0 and x < 0
    {'x': 0} 0 x <= 0 and x >= 0

    `mode="hybrid"` rewrites the program and searches for coverage: it yields an input for every branch and for
    every way to break. A target given as text runs in a child process under a `Policy`; a function object where
    it lives, here. With another strategy it yields every path. `mode="peer"` leaves the program untouched
    and searches as PEF did: depth first, true side first, at most `depth` (10) free branches on a path. With a
    strategy, `depth` limits the decisions that are reversed. `without` switches off one of `PARTS` of the
    hybrid, to see what it is good for. `thorough` is for finding what breaks: every path, not only every branch,
    and the contracts of called functions and of classes are checked. `summary` of the result tells what was done
    and what was left.
    """
    if mode not in MODES:
        raise InputError(f"no mode {mode!r}; there are {', '.join(MODES)}")
    policy = policy or Policy()
    options = Options(
        arrays=arrays,
        seed=seed,
        output=policy.output,
        calls=calls,
        symbolic_globals=tuple(symbolic_globals),
        guarded=thorough,
    )
    limits = Limits(budget, max_runs, depth)
    named = _named(target) if isinstance(target, str) else target
    if mode == "peer":
        return _peer(named, options, types, strategy or ("generational" if thorough else None), limits, policy)
    if without is not None and without not in PARTS:
        raise InputError(f"the hybrid has no part {without!r}; there are {', '.join(PARTS)}")
    return _hybrid(named, options, types, strategy, limits, include, without, policy)


def _named(text: str) -> Target:
    source, name = parse(text)
    if name is None:
        raise InputError(f"{text}: name a function in it, as in {text}:function")
    return Target(source, name)


def _peer(
    target: Any, options: Options, types: Any, strategy: str | None, limits: Limits, policy: Policy
) -> Exploration:
    if strategy == "coverage":
        raise InputError(
            "the strategy 'coverage' needs --mode hybrid: untouched programs do not tell their branches"
        )
    if strategy is None:  # PEF's inputs are what the types say, no more
        options = replace(options, alternatives=False)
    program: Runnable
    if isinstance(target, Target):
        program = RemoteProgram(
            lambda: program_of(target, NAMESPACE, options, types), policy, target.source.path
        )
    else:
        program = program_of(target, NAMESPACE, options, types)
    if strategy is None:
        return PeerLoop(program, Solver(), None, limits)
    return PathExploration(program, Solver(), strategy_named(strategy, options.seed), limits)


def _hybrid(
    target: Any,
    options: Options,
    types: Any,
    strategy: str | None,
    limits: Limits,
    include: Sequence[str],
    without: str | None,
    policy: Policy,
) -> Exploration:
    program: Any
    if isinstance(target, Target):
        prepare(target, without)
        program = RemoteHybrid(
            lambda attendant: HybridProgram(target, options, types, without, include, attendant=attendant),
            policy,
            target.source.path,
        )
    else:
        program = HybridProgram(located(target), options, types, without, include)
    if strategy not in (None, "coverage"):
        return PathExploration(program, Solver(), strategy_named(str(strategy), options.seed), limits)
    if limits.seconds is None and limits.runs is None:
        limits = replace(limits, seconds=SECONDS)
    where: Whereabouts = program.whereabouts()
    goals = Goals(where.file(), where.name)
    ambition = Ambition(options.guarded, without != SEARCH, 0 if without == CHEAP_RUNS else BURST)
    return GuidedExploration(program, goals, Solver(QUICK), limits, ambition)


def targets(text: str, policy: Policy) -> Iterator[str]:
    """The functions that a target names: one, or all that a file or module defines."""
    source, name = parse(text)
    if name is not None:
        yield text
        return
    found = function_names(source, policy)
    if not found:
        raise InputError(f"{text}: defines no functions{_modules_beside(source.path)}")
    yield from (f"{text}:{function}" for function in found)


def _modules_beside(path: str) -> str:
    """A hint for packages, whose functions mostly stand in their modules."""
    file = FilePath(path)
    if file.name != "__init__.py":
        return ""
    modules = sorted(module.stem for module in file.parent.glob("*.py") if module.name != file.name)
    return f"; its modules are {', '.join(modules[:8])}" if modules else ""


def fix_hash_seed() -> None:
    """Starts the command again with a fixed hash seed: the order of a set of texts must not depend on the
    process.
    """
    if "PYTHONHASHSEED" not in os.environ and os.path.basename(sys.argv[0]) in ("ramify", "ramify.exe"):
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


class Progress:
    """A line on the terminal that says how far the exploration is; nothing at all in a pipe."""

    def __init__(self, name: str) -> None:
        self._status: Any = None
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status(name)
        self._name = name

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self, summary: Summary) -> None:
        if self._status is not None:
            self._status.update(f"{self._name}: {summary.paths} paths, {summary.runs} runs")


_EPILOG = """\b
Examples:
  ramify explore shop.py:price
  ramify explore shop.py:Cart.add --strategy generational --budget 10
  ramify explore package.module --max-runs 50
  ramify explore shop.py:price --format jsonl > paths.jsonl

The exit status is 0 whatever the paths do, 2 if TARGET or an option is wrong.
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
) -> None:
    """Run TARGET down its paths: each with inputs, result, output and exception.

    TARGET is file.py:func, pkg.mod:func, file.py:Class.method, or a whole file or module. Types of
    parameters come from annotations or from `:types:` in the docstring.
    """
    fix_hash_seed()
    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    names = list(targets(target, policy))
    explorations: dict[str, Exploration] = {}
    for name in names:
        try:
            explorations[name.rpartition(":")[2]] = explore(
                name,
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
            if len(names) > MAX_CHILDREN:
                explorations[name.rpartition(":")[2]].program.close()
        except InputError as error:
            if len(names) == 1:
                raise
            click.echo(f"ramify: {error}", err=True)  # the other functions of the module are still explored
    write = _writing_records() if style == "jsonl" else _write_text
    for exploration in explorations.values():
        for note in exploration.program.notes:
            click.echo(f"ramify: {note}", err=True)
    with _collecting_seldom():
        _explore_all(explorations, budget, write)


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


def _explore_all(explorations: dict[str, Exploration], budget: float | None, write: Write) -> None:
    if len(explorations) > 1 and all(isinstance(e, GuidedExploration) for e in explorations.values()):
        _explore_together(explorations, SECONDS if budget is None else budget, write)
        return
    for name, exploration in explorations.items():
        with Progress(name) as progress:
            try:
                for path in exploration:
                    write(name, exploration, path)
                    progress.update(exploration.summary)
            except KeyboardInterrupt:  # while printing: what was found still has its summary
                exploration.close()
        write(name, exploration, None)


Write = Callable[[str, Exploration, Path | None], None]
"""Shows a path, or with None what is to be said at the end."""


def _write_text(name: str, exploration: Exploration, path: Path | None) -> None:
    click.echo(summary_text(exploration) if path is None else path_text(name, path))


def _writing_records() -> Write:
    lines = PathLines()

    def write(name: str, exploration: Exploration, path: Path | None) -> None:
        if path is not None:
            click.echo(lines.line(path))
            return
        if isinstance(exploration, GuidedExploration):
            for verdict in exploration.edge_verdicts():
                click.echo(json.dumps(edge_record(verdict)))
        click.echo(json.dumps(summary_record(exploration)))

    return write


def _explore_together(explorations: dict[str, Any], seconds: float, write: Write) -> None:
    """Functions of a module share their time; each is shown as a whole when it has ended."""
    names = {id(exploration): name for name, exploration in explorations.items()}
    found: dict[int, list[Path]] = {}
    with Progress(f"{len(explorations)} functions") as progress:
        for exploration, path in shared(list(explorations.values()), seconds * len(explorations)):
            if path is not None:
                found.setdefault(id(exploration), []).append(path)
                progress.update(exploration.summary)
                continue
            for kept in found.pop(id(exploration), []):
                write(names[id(exploration)], exploration, kept)
            write(names[id(exploration)], exploration, None)
