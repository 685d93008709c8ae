"""`ramify show`: the instrumented source of a target, for people to read."""

from __future__ import annotations

import click

_EPILOG = """\b
Examples:
  ramify show app.py
  ramify show app.py:checkout
  ramify show json.decoder:JSONDecoder.decode
"""


@click.command(epilog=_EPILOG)
@click.option(
    "--level", type=click.Choice(["coverage", "concolic"]), default="coverage", help="Kind of instrumentation."
)
@click.argument("target")
def command(level: str, target: str) -> None:
    """Show the source of TARGET as it runs when it is measured.

    TARGET is file.py, package.module, or either with :function or :Class.method. What is compiled is the tree
    this text shows, not the text. Level coverage: `__ramify__[5] = 1` and `__ramify_add__(5)` mark that probe 5
    was hit. Level concolic: the form of an expression that models see, behind a test whether it matters.
    docs/instrumentation.md explains every form.
    """
    from ramify.instrument.render import instrumented_source, scope_names
    from ramify.targets import resolve

    found = resolve(target)
    if found.qualname is None:
        click.echo(instrumented_source(found.source, level=level), nl=False)
        return
    for name in found.matching(scope_names(found.source)):
        click.echo(instrumented_source(found.source, name, level), nl=False)
