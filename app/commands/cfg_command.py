"""`ramify cfg`: show the control-flow graph of a file, module or function."""

from __future__ import annotations

import click

from ramify.targets import resolve

EXAMPLES = """\b
Examples:
  ramify cfg shop.py                    every scope of a file
  ramify cfg shop.py:Cart.total         one method, with what is nested in it
  ramify cfg json.decoder:py_scanstring one function of a module, found as `import` would
  ramify cfg shop.py:total --format dot | dot -Tsvg > total.svg
  ramify cfg shop.py:total --format json | jq '.graphs[0].complexity'
"""


@click.command("cfg", epilog=EXAMPLES)
@click.argument("target")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "dot", "mermaid", "json"]),
    default="text",
    show_default=True,
    help="Text for people, DOT for Graphviz, Mermaid for Markdown, JSON for programs.",
)
def command(target: str, output_format: str) -> None:
    """Show the control-flow graph of TARGET.

    TARGET is file.py, file.py:function, package.module or package.module:Class.method. The code is parsed,
    never run. The graph names every branch with the number that coverage reports use.
    """
    from ramify.cfg.build import ModuleGraphs
    from ramify.cfg.drawing import render

    found = resolve(target)
    graphs = ModuleGraphs(found.tree, found.source)
    scopes = graphs.table.scopes
    if found.qualname is not None:
        names = found.matching([scope.qualname for scope in scopes])
        inside: set[int] = set()
        for scope in scopes:
            if scope.qualname in names or scope.parent in inside:
                inside.add(scope.index)
        scopes = [scope for scope in scopes if scope.index in inside]
    click.echo(render([graphs.of(scope) for scope in scopes], output_format, target), nl=False)
