"""`ramify diff` and `ramify.diff`: inputs on which two versions of a function differ."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ramify.errors import EXIT_FINDINGS, EXIT_OK, InputError
from ramify.exploring import MODES, fix_hash_seed

DIFFERENT, NOTHING, EQUIVALENT = "different", "no difference found", "equivalent within bounds"
SECONDS = 10.0


@dataclass(slots=True)
class Difference:
    """An input on which the versions differ, and what each of them does."""

    arguments: dict[str, str]
    old: str
    new: str


@dataclass(slots=True)
class Diff:
    """What is known about two versions of a function."""

    function: str
    verdict: str
    differences: list[Difference] = field(default_factory=list)
    unexplored: list[str] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    paths: int = 0
    runs: int = 0


def diff(
    old: str,
    new: str,
    *,
    mode: str = "hybrid",
    budget: float | None = SECONDS,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
) -> Diff:
    """Compares two functions, each named as in `"file.py:function"`, on inputs that the old one's types allow."""
    from ramify.runtime.blind import blind_spots
    from ramify.runtime.checking import PATIENCE, bounds, unexplored
    from ramify.runtime.exploration import EXHAUSTED, Exploration, Limits
    from ramify.runtime.hybrid import HybridProgram
    from ramify.runtime.peer import NAMESPACE
    from ramify.runtime.program import Options, Program
    from ramify.runtime.search import strategy
    from ramify.runtime.shrinking import smallest
    from ramify.runtime.solver import Solver
    from ramify.runtime.versions import Apart, Plain, Versions

    targets = [_target(old), _target(new)]
    options = Options(seed=seed)
    alone = targets[0].source.folder != targets[1].source.folder
    apart = [Apart(target, alone) for target in targets]
    programs: list[Program] = []
    for target, kept in zip(targets, apart, strict=True):
        with kept.present():
            if mode == "peer":
                programs.append(Program(target, NAMESPACE, options, types))
            else:
                programs.append(HybridProgram(target, options, types))
    versions = Versions(programs[0], programs[1], apart)
    limits = Limits(budget, max_runs)
    exploration = Exploration(versions, Solver(), strategy("generational", seed), limits)
    plain = Plain(targets, apart, seed)
    found: dict[tuple[str, str], Difference] = {}
    last = None
    for path in exploration:
        if last is not None and time.perf_counter() - last > PATIENCE:
            break
        if path.execution.outcome != "violated":
            continue
        shown = plain.difference(path.execution.arguments)
        if shown is None or _kind(shown) in found:
            continue
        kind = _kind(shown)

        def shows(assignment: dict[str, Any], kind: tuple[str, str] = kind) -> bool:
            again = plain.difference(versions.texts(assignment), 1.0)
            return again is not None and _kind(again) == kind

        def size(assignment: dict[str, Any]) -> int:
            return sum(map(len, versions.texts(dict(assignment)).values()))

        arguments = versions.texts(smallest(path.execution.assignment, shows, size, 1.0))
        last = time.perf_counter()
        found[kind] = Difference(arguments, *(plain.difference(arguments) or shown))
    summary = exploration.summary
    result = Diff(versions.name, DIFFERENT, list(found.values()), paths=summary.paths, runs=summary.runs)
    if not found:
        result.unexplored = unexplored(summary, exploration)
        if mode == "peer":
            for target, program in zip(targets, programs, strict=True):
                result.unexplored += blind_spots(target.source.path, target.qualname, program.contract, False)
        objects = "Instance(" in repr([p.shape for p in programs[0].parameters])
        complete = summary.stop == EXHAUSTED and summary.complete() and not result.unexplored
        result.verdict = EQUIVALENT if complete else NOTHING
        result.bounds = bounds([c.text for c in programs[0].contract.assume], objects) if complete else []
    return result


def _kind(texts: tuple[str, str]) -> tuple[str, str]:
    """What makes two differences the same: how the versions ended, not with what."""
    old, new = (" ".join(text.partition(":")[0].split()[: 1 + text.startswith("raises")]) for text in texts)
    return old, new


def _target(text: str) -> Any:
    from ramify.runtime.target import Target, parse

    source, name = parse(text)
    if name is None:
        raise InputError(f"{text}: name a function in it, as in {text}:function")
    return Target(source, name)


# -- revisions --------------------------------------------------------------------------------------


@contextmanager
def at_revision(text: str, revision: str) -> Iterator[str]:
    """A target as it was at a git revision, in a folder that is there as long as it is needed."""
    target = _target(text)
    if not os.path.isfile(target.source.path):
        raise InputError(f"{text}: --rev needs a file, not an installed module")
    path = Path(target.source.path).resolve()
    root = Path(_git(path.parent, "rev-parse", "--show-toplevel").decode().strip())
    inside = path.relative_to(root.resolve())
    folder = Path(target.source.folder or path.parent).resolve().relative_to(root.resolve())
    tree = f"{revision}:{'' if folder == Path('.') else folder.as_posix()}"
    _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", hint=f"no revision {revision!r}")
    _git(root, "cat-file", "-e", f"{revision}:{inside.as_posix()}", hint=f"{inside} is not there at {revision}")
    with tempfile.TemporaryDirectory(prefix="ramify-") as made:
        with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", tree))) as archive:
            archive.extractall(made, filter="data")
        yield f"{Path(made) / inside.relative_to(folder)}:{target.qualname}"


def _git(folder: Path, *arguments: str, hint: str = "") -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"--rev needs git: {error.strerror}") from None
    if done.returncode:
        raise InputError(f"git: {hint or done.stderr.decode(errors='replace').strip().splitlines()[-1]}")
    return done.stdout


# -- the command ------------------------------------------------------------------------------------


def text(result: Diff) -> str:
    lines: list[str] = []
    for found in result.differences:
        call = f"{result.function}({', '.join(f'{name}={value}' for name, value in found.arguments.items())})"
        lines += [call, f"    old {found.old}", f"    new {found.new}"]
    lines.append(f"{result.function}: {result.verdict} ({result.paths} paths, {result.runs} runs)")
    lines += [f"    not explored: {what}" for what in result.unexplored]
    lines += [f"    bounds: {'; '.join(result.bounds)}"] if result.bounds else []
    return "\n".join(lines)


def as_json(result: Diff) -> str:
    return json.dumps(
        {
            "function": result.function,
            "verdict": result.verdict,
            "differences": [
                {"arguments": found.arguments, "old": found.old, "new": found.new} for found in result.differences
            ],
            "not_explored": result.unexplored,
            "bounds": result.bounds,
            "paths": result.paths,
            "runs": result.runs,
        },
        indent=2,
    )


_EPILOG = """\b
Examples:
  ramify diff old.py:price new.py:price
  ramify diff shop.py:price --rev HEAD
  ramify diff shop.py:price --rev v1.0 --rev v1.1

The exit status is 1 if a difference was found, 0 if not, 2 if a target or an option is wrong.
"""


@click.command("diff", epilog=_EPILOG)
@click.argument("targets", metavar="OLD [NEW]", nargs=-1, required=True)
@click.option("--rev", "revisions", metavar="REV", multiple=True, help="A git revision; one is compared with now.")
@click.option(
    "--mode", type=click.Choice(MODES), default=MODES[0], show_default=True, help="How the program is run."
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=SECONDS,
    show_default=True,
    help="Stop after this many seconds.",
)
@click.option("--max-runs", type=click.IntRange(min=1), help="Stop after this many runs.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of random choices, the target's own too.")
@click.option("--types", metavar="TEXT", help="Types of parameters: 'a: int, b: [str, None]'.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    targets: tuple[str, ...],
    revisions: tuple[str, ...],
    mode: str,
    budget: float,
    max_runs: int | None,
    seed: int,
    types: str | None,
    style: str,
) -> int:
    """Find inputs on which two versions of a function return, raise or change something different.

    OLD and NEW are targets such as file.py:func; or give one target and --rev.
    """
    fix_hash_seed()
    from ramify.runtime.contract import types_of

    given = None if types is None else types_of(types, "--types")
    with _versions(targets, revisions) as (old, new):
        result = diff(old, new, mode=mode, budget=budget, max_runs=max_runs, seed=seed, types=given)
    click.echo(text(result) if style == "text" else as_json(result))
    return EXIT_FINDINGS if result.differences else EXIT_OK


@contextmanager
def _versions(targets: Sequence[str], revisions: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(targets) == 2 and not revisions:
        yield targets[0], targets[1]
    elif len(targets) == 1 and len(revisions) == 1:
        with at_revision(targets[0], revisions[0]) as old:
            yield old, targets[0]
    elif len(targets) == 1 and len(revisions) == 2:
        with at_revision(targets[0], revisions[0]) as old, at_revision(targets[0], revisions[1]) as new:
            yield old, new
    else:
        raise InputError("diff wants OLD and NEW, or one target with one or two --rev")
