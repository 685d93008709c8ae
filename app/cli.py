"""The `ramify` command: one module per subcommand, imported only when it is used."""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from ramify import __version__
from ramify.errors import EXIT_BUG, EXIT_INPUT, RamifyError

# Name, module and the line `ramify --help` shows, written here so that help needs no heavy import.
COMMANDS: dict[str, tuple[str, str]] = {
    "explore": ("explore_command", "Run a function down its paths: inputs, results, exceptions."),
    "check": ("check_command", "Find what breaks: exceptions, asserts, contracts, invariants."),
    "diff": ("diff_command", "Find inputs on which two versions of a function differ."),
    "compare": ("compare_command", "Show what rewriting the program buys over proxies alone."),
    "run": ("run_command", "Run a program and report its branch coverage."),
    "show": ("show_command", "Show the instrumented source of a file, module or function."),
    "cfg": ("cfg_command", "Show the control-flow graph of a file, module or function."),
}


class ReaderGone(Exception):
    """Whoever read our output has had enough."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it or to print its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"ramify.commands.{COMMANDS[name][0]}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error  # of an OSError like this click makes the exit status 1

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(f"no command {name!r}; the commands are: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ramify")
def cli() -> None:
    """Which inputs reach every branch of this code, and which of them break it."""


def main(argv: Sequence[str] | None = None) -> Any:
    """Run the command line; every failure becomes one line on stderr and a stable exit status."""
    try:
        status = cli.main(args=None if argv is None else list(argv), prog_name="ramify", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_INPUT)
    except (click.Abort, KeyboardInterrupt):
        click.echo("ramify: interrupted", err=True)
        sys.exit(130)
    except ReaderGone:
        _leave_quietly()
    except RamifyError as error:
        click.echo(f"ramify: {error}", err=True)
        sys.exit(error.exit_code)
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("ramify: this is a bug in Ramify, not in your code; please report the lines above", err=True)
        sys.exit(EXIT_BUG)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
    status = status if isinstance(status, int) else 0
    if argv is None and "z3" in sys.modules:
        # Taking apart what the search has built, Z3's contexts above all, may take most of a second.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _leave_quietly() -> None:
    """The end that a shell expects of a command whose reader is gone is that of SIGPIPE."""
    # At exit Python flushes what is still buffered, and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(128 + signal.SIGPIPE)
