"""`ramify compare`: what rewriting the program buys over proxies alone, number by number."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from ramify.commands.options import policy_options
from ramify.commands.session import Progress, Session, fix_hash_seed
from ramify.errors import EXIT_OK, InputError
from ramify.exploring import explore, targets
from ramify.reports.compare_formats import as_markdown, as_record, as_text, totals
from ramify.reports.growing import HERE, GrowingDocument
from ramify.runtime.contracts import types_of
from ramify.runtime.peer import MEASURING, Comparison, compare
from ramify.runtime.programs import PARTS
from ramify.runtime.sandbox import held, policy_of
from ramify.runtime.search import GuidedExploration

SECONDS = 10.0
"""For each way of exploring, when nobody gives a budget."""


@click.command("compare")
@click.argument("target", nargs=-1, required=True)
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    help="Seconds for each target, of which every way to explore it gets the same (10 for each way).",
)
@click.option(
    "--peer-strategy",
    type=click.Choice(["pef", "generational", "dfs", "bfs", "random", "smart-paths"]),
    default="generational",
    show_default=True,
    help="How peer mode searches; 'pef' is PEF's own way.",
)
@click.option("--ablate", is_flag=True, help="Also switch off each part of the hybrid in turn.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--types", metavar="TEXT", help="Types of parameters: 'a: int, b: [str, None]'.")
@policy_options
@click.option(
    "--format", "style", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True
)
def command(
    target: tuple[str, ...],
    budget: float | None,
    peer_strategy: str,
    ablate: bool,
    seed: int,
    types: str | None,
    permitted: tuple[str, ...],
    memory: int | None,
    run_seconds: float | None,
    style: str,
) -> int:
    """Explore TARGETs with proxies alone and with rewriting, and show the difference.

    A TARGET is file.py:func, pkg.mod:func, file.py:Class.method, or a whole file or module.
    """
    fix_hash_seed()
    given = None if types is None else types_of(types, "--types")
    policy = policy_of(permitted, memory, run_seconds)
    parts = PARTS if ablate else ()
    share = SECONDS if budget is None else budget / (2 + len(parts) + MEASURING)
    found: list[Comparison] = []
    names: list[str] = []
    with Session() as session:
        names += [name for text in target for name in targets(text, policy)]
        frame = [HERE]
        document = GrowingDocument(partial(click.echo, nl=False), lambda: frame) if style == "json" else None
        try:
            for name in names:

                def peer(name: str = name) -> Any:
                    strategy = None if peer_strategy == "pef" else peer_strategy
                    return explore(
                        name, mode="peer", strategy=strategy, budget=share, seed=seed, types=given, policy=policy
                    )

                def hybrid(name: str = name, without: str | None = None) -> GuidedExploration:
                    exploration = explore(
                        name, budget=share, seed=seed, types=given, without=without, policy=policy
                    )
                    assert isinstance(exploration, GuidedExploration)
                    return exploration

                ablations = {part: partial(hybrid, without=part) for part in parts}
                try:
                    with Progress(name):
                        comparison = compare(name, peer, hybrid, ablations)
                except InputError as error:
                    if len(names) == 1:
                        raise
                    click.echo(f"ramify: {error}", err=True)
                    continue
                with held():
                    found.append(comparison)
                    if document is not None:
                        document.add(as_record(comparison))
                    else:
                        click.echo(as_text(comparison) if style == "text" else as_markdown(comparison))
                        click.echo()
                if comparison.interrupted:
                    session.interrupt()
                if session.over:
                    break
        finally:
            with held():
                if document is not None:
                    document.close()
                elif len(found) > 1:
                    click.echo(totals(found))
    return session.status(EXIT_OK, f"; {len(found)} of {len(names)} targets were compared")
