"""`ramify diff`: shows inputs on which two versions of a function differ, each as soon as it is found."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from ramify.commands.options import policy_options, search_options
from ramify.commands.session import Session, fix_hash_seed
from ramify.diffing import SECONDS, diffing, target_of
from ramify.errors import EXIT_FINDINGS, EXIT_OK, InputError
from ramify.exploring import MODES
from ramify.reports.diff_formats import FORMATS
from ramify.runtime.contracts import types_of
from ramify.runtime.sandbox import held, policy_of


@contextmanager
def at_revision(text: str, revision: str) -> Iterator[str]:
    """A target as it was at a git revision, in a folder that is there as long as it is needed."""
    target = target_of(text)
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


_EPILOG = """\b
Examples:
  ramify diff old.py:price new.py:price
  ramify diff shop.py:price --rev HEAD
  ramify diff shop.py:price --rev v1.0 --rev v1.1

The exit status is 1 if a difference was found, 0 if not, 2 if a target or an option is wrong, 130 after Ctrl-C.
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
@click.option("--format", "style", type=click.Choice(list(FORMATS)), default="text", show_default=True)
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
    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    status = EXIT_OK
    with Session() as session, _versions(targets, revisions) as (old, new):
        work = diffing(
            old, new, mode=mode, budget=budget, max_runs=max_runs, seed=seed, types=given, policy=policy
        )
        with held():
            writing = FORMATS[style](click.echo, work.result)
            try:
                for found in work.differences():
                    writing.difference(found)
                    status = EXIT_FINDINGS
            finally:
                writing.close()
        if work.result.interrupted:
            session.interrupt()
    return session.status(status)


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
