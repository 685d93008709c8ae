"""`ramify explore` and `ramify.explore`: run a function down its paths, each with its inputs and what they
do.

The module is not called `explore`, since `ramify.explore` is the function.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from ramify.errors import InputError

if TYPE_CHECKING:
    from ramify.runtime.exploration import Exploration, Path, Summary
    from ramify.runtime.policy import Policy
    from ramify.runtime.program import Runnable

MODES = ("peer",)
STRATEGY_NAMES = ("generational", "dfs", "bfs", "random", "smart-paths", "all-paths")


def explore(
    target: Callable[..., Any] | str,
    *,
    mode: str = "peer",
    strategy: str | None = None,
    budget: float | None = None,
    depth: int | None = None,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    arrays: bool = True,
    policy: Policy | None = None,
) -> Exploration:
    """Explores a function, or a target like `"file.py:func"`; iterate over the result to get its paths one by
    one.

    >>> def sign(x: int) -> int:
    ...     return 1 if x > 0 else -1 if x < 0 else 0
    >>> for path in explore(sign):
    ...     print(path.call, path.result, path.path_condition)
    {'x': 1} 1 x > 0
    {'x': -1} -1 x <= 0 and x < 0
    {'x': 0} 0 x <= 0 and x >= 0

    `mode="peer"` runs the program untouched. Without a strategy it searches as PEF did: depth first, true
    side first, at most `depth` (10) free branches on a path. With one, `depth` limits the decisions that
    are reversed. `summary` of the result tells what was done and what was left.

    A target given as text runs in a child process under a `Policy`; a function object where it lives, here.
    """
    from ramify.runtime.peer import NAMESPACE
    from ramify.runtime.policy import Policy
    from ramify.runtime.program import Options, Program, program_of
    from ramify.runtime.target import Target, parse

    if mode not in MODES:
        raise InputError(f"no mode {mode!r}; there is {', '.join(MODES)}")
    policy = policy or Policy()
    options = Options(arrays=arrays, seed=seed, output=policy.output)
    program: Runnable
    if isinstance(target, str):
        source, name = parse(target)
        if name is None:
            raise InputError(f"{target}: name a function in it, as in {target}:function")
        from ramify.runtime.remote import RemoteProgram

        wanted = Target(source, name)
        program = RemoteProgram(lambda: Program(wanted, NAMESPACE, options, types), policy, source.path)
    else:
        program = program_of(target, NAMESPACE, options, types)
    return _exploration(program, strategy, budget, depth, max_runs, seed)


def _exploration(
    program: Runnable,
    strategy: str | None,
    budget: float | None,
    depth: int | None,
    max_runs: int | None,
    seed: int,
) -> Exploration:
    from ramify.runtime.exploration import Exploration, Limits
    from ramify.runtime.peer import PeerLoop
    from ramify.runtime.search import strategy as strategy_named
    from ramify.runtime.solver import Solver

    limits = Limits(budget, max_runs, depth)
    if strategy is None:
        return PeerLoop(program, Solver(), None, limits)
    return Exploration(program, Solver(), strategy_named(strategy, seed), limits)


def targets(text: str, policy: Policy) -> Iterator[str]:
    """The functions that a target names: one, or all that a file or module defines."""
    from ramify.runtime.remote import function_names
    from ramify.runtime.target import parse

    source, name = parse(text)
    if name is not None:
        yield text
        return
    found = function_names(source, policy)
    if not found:
        raise InputError(f"{text}: defines no functions")
    yield from (f"{text}:{function}" for function in found)


def path_record(path: Path) -> dict[str, Any]:
    """A path as one object of the jsonl format (docs/explore.md)."""
    error = path.exception
    record: dict[str, Any] = {
        "kind": "path",
        "call": path.call,
        "outcome": path.outcome,
        "result": _repr(path.result) if error is None and path.outcome not in ("cut", "crashed") else None,
        "exception": None if error is None else {"type": type(error).__name__, "message": _text(error)},
        "output": path.output,
        "decisions": [
            {
                "file": d.site.file,
                "line": d.site.line,
                "outcome": d.outcome,
                "condition": str(d.term),
                "phase": d.phase.value,
            }
            for d in path.decisions
        ],
        "path_condition": path.path_condition,
    }
    if path.execution.reason:
        record["reason"] = path.execution.reason
    if path.execution.refusals:
        record["refused"] = [
            {"kind": r.kind, "action": r.action, "file": r.file, "line": r.line} for r in path.execution.refusals
        ]
    return record


def summary_record(summary: Summary) -> dict[str, Any]:
    stats = summary.solver
    return {
        "kind": "summary",
        "paths": summary.paths,
        "runs": summary.runs,
        "cut": summary.cut,
        "crashed": summary.crashed,
        "pruned": summary.pruned,
        "rejected": summary.rejected,
        "depth": summary.depth,
        "divergences": summary.divergences,
        "concretisations": sum(summary.concretisations.values()),
        "concretised": [
            {"file": place.file, "line": place.line, "operation": place.operation, "times": times}
            for place, times in summary.concretisations.items()
        ],
        "queries": {verdict: stats.queries[verdict] for verdict in ("sat", "unsat", "unknown")},
        "cache_hits": dict(stats.cache_hits),
        "solver_seconds": round(stats.seconds, 6),
        "seconds": round(summary.seconds, 6),
        "stop": summary.stop,
    }


def path_text(name: str, path: Path) -> str:
    """A path in PEF's shape: the call and its result, then what it printed, then its exception."""
    from ramify.runtime.program import CRASHED, CUT

    call = f"{name}({', '.join(f'{k}={v}' for k, v in path.execution.arguments.items())})"
    if path.execution.outcome == CUT:
        lines = [f"{call} -> cut: {path.execution.reason}"]
    elif path.execution.outcome == CRASHED:
        lines = [f"{call} crashes: {path.execution.reason}"]
    elif path.exception is not None:
        lines = [f"{call} raises {type(path.exception).__name__}: {_text(path.exception)}"]
    else:
        lines = [f"{call} -> {_repr(path.result)}"]
    if path.execution.outcome == "violated":
        lines.append(f"    violates: {path.execution.reason}")
    if path.outcome == "diverged":
        lines.append("    diverged from the path it was meant for")
    lines += [f"    {refusal}" for refusal in dict.fromkeys(path.execution.refusals)]
    lines += [f"    | {line}" for line in path.output.splitlines()]
    return "\n".join(lines)


def summary_text(summary: Summary) -> str:
    queries = summary.solver.queries
    parts = [
        f"{summary.paths} paths explored",
        f"depth {summary.depth}",
        f"{summary.runs} runs",
        f"{queries['sat']} sat, {queries['unsat']} unsat, {queries['unknown']} unknown",
    ]
    for number, what in (
        (summary.pruned, "pruned"),
        (summary.cut - summary.pruned if summary.cut > summary.pruned else 0, "cut"),
        (summary.crashed, "crashed"),
        (summary.divergences, "diverged"),
        (len(summary.concretisations), "concretised places"),
    ):
        if number:
            parts.append(f"{number} {what}")
    return f"{', '.join(parts)}; {summary.stop} after {summary.seconds:.2f} s."


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__name__} without text>"


def _fix_hash_seed() -> None:
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
    "--mode", type=click.Choice(MODES), default="peer", help="How the program is run.", show_default=True
)
@click.option("--strategy", type=click.Choice(STRATEGY_NAMES), help="Search order; without one, PEF's.")
@click.option("--budget", type=click.FloatRange(min=0), help="Stop after this many seconds for each function.")
@click.option("--depth", type=click.IntRange(min=0), help="Free branches on a path (10 without a strategy).")
@click.option("--max-runs", type=click.IntRange(min=1), help="Stop after this many runs of each function.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of random choices, the target's own too.")
@click.option("--types", metavar="TEXT", help="Types of parameters: 'a: int, b: [str, None]'.")
@click.option(
    "--lists",
    type=click.Choice(["arrays", "cells"]),
    default="arrays",
    help="How list inputs are represented.",
)
@click.option("--allow", metavar="KIND", multiple=True, help="What the target may do: write, network, ...")
@click.option("--memory", type=click.IntRange(min=1), metavar="MIB", help="Memory for the target (2048).")
@click.option("--run-seconds", type=click.FloatRange(min=0.001), help="Longest time of one run (10).")
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
    allow: tuple[str, ...],
    memory: int | None,
    run_seconds: float | None,
    style: str,
) -> None:
    """Run TARGET down its paths: each with inputs, result, output and exception.

    TARGET is file.py:func, pkg.mod:func, file.py:Class.method, or a whole file or module. Types of
    parameters come from annotations or from `:types:` in the docstring.
    """
    _fix_hash_seed()
    from ramify.runtime.contract import types_of
    from ramify.runtime.policy import policy_of

    given = None if types is None else types_of(types, "--types")
    policy = policy_of(allow, memory, run_seconds)
    names = list(targets(target, policy))
    for name in names:
        function = name.rpartition(":")[2]
        try:
            exploration = explore(
                name,
                mode=mode,
                strategy=strategy,
                budget=budget,
                depth=depth,
                max_runs=max_runs,
                seed=seed,
                types=given,
                arrays=lists == "arrays",
                policy=policy,
            )
        except InputError as error:
            if len(names) == 1:
                raise
            click.echo(f"ramify: {error}", err=True)  # the other functions of the module are still explored
            continue
        with Progress(function) as progress:
            try:
                for path in exploration:
                    click.echo(json.dumps(path_record(path)) if style == "jsonl" else path_text(function, path))
                    progress.update(exploration.summary)
            except KeyboardInterrupt:  # while printing: what was found still has its summary
                exploration.close()
        record = summary_record(exploration.summary)
        click.echo(json.dumps(record) if style == "jsonl" else summary_text(exploration.summary))
