"""The options that several commands share, each group a decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def _together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


search_options = _together(
    click.option("--max-runs", type=click.IntRange(min=1), help="Stop after this many runs of each function."),
    click.option("--seed", type=int, default=0, show_default=True, help="Of all random choices."),
    click.option("--types", metavar="TEXT", help="Types of parameters: 'a: int, b: [str, None]'."),
)

input_options = _together(
    click.option(
        "--calls",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Calls of public methods on an object before it is an input.",
    ),
    click.option(
        "--symbolic-global",
        "symbolic_globals",
        metavar="NAME",
        multiple=True,
        help="A module global or class attribute that is an input too.",
    ),
)

policy_options = _together(
    click.option(
        "--allow", "permitted", metavar="KIND", multiple=True, help="What the target may do: write, network, ..."
    ),
    click.option("--memory", type=click.IntRange(min=1), metavar="MIB", help="Memory for the target (2048)."),
    click.option("--run-seconds", type=click.FloatRange(min=0.001), help="Longest time of one run (10)."),
)
