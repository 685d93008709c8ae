"""`ramify diff` and `ramify.diff`: inputs on which two versions of a function differ."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ramify.commands.explore_command import MODES, fix_hash_seed
from ramify.commands.options import policy_options, search_options
from ramify.errors import EXIT_FINDINGS, EXIT_OK, InputError
from ramify.runtime.inputs import Written
from ramify.runtime.sandbox import Policy, policy_of

if TYPE_CHECKING:
    from ramify.runtime.checking import Deeds, Known, RemotePlain
    from ramify.runtime.search import Exploration
    from ramify.runtime.terms import Assignment

DIFFERENT, NOTHING, EQUIVALENT = "different", "no difference found", "equivalent within bounds"
SECONDS = 10.0


@dataclass(slots=True)
class Difference:
    """An input on which the versions differ, and what each of them does."""

    arguments: Written
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
    policy: Policy | None = None,
) -> Diff:
    """Compares two functions, each named as in `"file.py:function"`, on inputs that the old one's types allow."""
    from ramify.runtime.checking import RemotePlain, RemoteVersions
    from ramify.runtime.programs import Options
    from ramify.runtime.search import Limits, PathExploration, strategy
    from ramify.runtime.solver import Solver

    targets = [_target(old), _target(new)]
    policy = policy or Policy()
    if budget is not None:
        policy = replace(policy, seconds=min(policy.seconds, max(budget, 1.0)))
    options = Options(seed=seed, output=policy.output)
    versions = RemoteVersions(targets, mode, options, types, policy, f"{old}, {new}")
    exploration = PathExploration(versions, Solver(), strategy("generational", seed), Limits(budget, max_runs))
    plain = RemotePlain(targets, policy, seed)
    try:
        found = _differences(exploration, plain)
        return _concluded(exploration, versions.name, versions.known, found)
    finally:
        exploration.close()
        plain.close()


def _differences(exploration: Exploration, plain: RemotePlain) -> list[Difference]:
    """What the versions do differently, each kind of difference with the smallest input found."""
    from ramify.runtime.checking import PATIENCE
    from ramify.runtime.programs import CRASHED, VIOLATED
    from ramify.runtime.proposals import smallest

    found: dict[tuple[str, str], Difference] = {}
    texts = exploration.program.texts
    last = None
    for path in exploration:
        if last is not None and time.perf_counter() - last > PATIENCE:
            break
        if path.execution.outcome not in (VIOLATED, CRASHED):
            continue
        shown = plain.difference(path.execution.arguments)
        if shown is None or _kind(shown) in found:
            continue
        kind = _kind(shown)

        def shows(assignment: Assignment, kind: tuple[str, str] = kind) -> bool:
            again = plain.difference(texts(dict(assignment)), 1.0)
            return again is not None and _kind(again) == kind

        def size(assignment: Assignment) -> int:
            written = texts(dict(assignment))
            return sum(map(len, [*written.values(), *written.setup]))

        arguments = texts(smallest(dict(path.execution.assignment), shows, size, 1.0))
        last = time.perf_counter()
        old, new = plain.difference(arguments) or shown
        found[kind] = Difference(arguments, old.text, new.text)
    return list(found.values())


def _concluded(
    exploration: Exploration, name: str, known_of: Callable[[], Known], found: list[Difference]
) -> Diff:
    """The verdict, which claims no more than was done."""
    from ramify.runtime.checking import bounds, unexplored
    from ramify.runtime.search import Stop

    summary = exploration.summary
    result = Diff(name, DIFFERENT, found, paths=summary.paths, runs=summary.runs)
    if found:
        return result
    known = known_of()
    result.unexplored = [*unexplored(summary, exploration), *known.unseen]
    complete = summary.stop == Stop.EXHAUSTED and summary.complete() and not result.unexplored
    result.verdict = EQUIVALENT if complete else NOTHING
    result.bounds = bounds(known.assume, known.bounds) if complete else []
    return result


def _kind(deeds: Deeds) -> tuple[str, str]:
    """What makes two differences the same: how the versions ended, not with what."""
    old, new = deeds
    return old.kind, new.kind


def _target(text: str) -> Any:
    from ramify.runtime.worlds import Target, parse

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
        lines += [found.arguments.of(result.function), f"    old {found.old}", f"    new {found.new}"]
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
                {
                    "call": found.arguments.of(result.function),
                    "arguments": found.arguments,
                    "setup": found.arguments.setup,
                    "imports": found.arguments.imports,
                    "old": found.old,
                    "new": found.new,
                }
                for found in result.differences
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
@search_options
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@policy_options
def command(
    targets: tuple[str, ...],
    revisions: tuple[str, ...],
    mode: str,
    budget: float,
    max_runs: int | None,
    seed: int,
    types: str | None,
    style: str,
    permitted: tuple[str, ...],
    memory: int | None,
    run_seconds: float | None,
) -> int:
    """Find inputs on which two versions of a function return, raise, change or print something different.

    OLD and NEW are targets such as file.py:func; or give one target and --rev.
    """
    fix_hash_seed()
    from ramify.runtime.contracts import types_of

    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    with _versions(targets, revisions) as (old, new):
        result = diff(
            old, new, mode=mode, budget=budget, max_runs=max_runs, seed=seed, types=given, policy=policy
        )
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
