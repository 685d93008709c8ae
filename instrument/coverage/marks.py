"""What a mark is made of: the statements and expressions that a probe becomes."""

from __future__ import annotations

import ast
from typing import Any

from ramify.instrument.names import Names
from ramify.instrument.positions import NOWHERE, start_of


class MarkMaker:
    """Makes the nodes of marks, under the names of one file."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def store(self, probe: int, where: ast.AST | None = None) -> ast.stmt:
        """A statement that leaves a mark, at the line of what ran before it unless `where` says otherwise."""
        # A mark never makes a line of its own: tracebacks, debuggers and other tools see the lines they always
        # saw.
        place = start_of(where) if where else NOWHERE
        return ast.Assign([self.cell(probe, place)], ast.Constant(1, **place), **place)

    def cell(self, probe: int, place: dict[str, Any]) -> ast.expr:
        hits = ast.Name(self.names.hits, ast.Load(), **place)
        return ast.Subscript(hits, ast.Constant(int(probe), **place), ast.Store(), **place)

    def add(self, where: ast.AST, probe: int) -> ast.expr:
        """An expression that leaves a mark; its value is None."""
        # A call has a position, though of no width: 3.13 may run code without a line twice if it calls
        # something.
        function = ast.Name(self.names.add, ast.Load(), **start_of(where))
        return ast.Call(function, [_number(where, probe)], [], **start_of(where))

    def then(self, mark: ast.expr, value: ast.expr) -> ast.expr:
        """`mark or value`: the mark first, then the value."""
        return ast.BoolOp(ast.Or(), [mark, value], **start_of(value))

    def yes(self, mark: ast.expr) -> ast.expr:
        """A mark whose value is True."""
        return ast.UnaryOp(ast.Not(), mark, **start_of(mark))

    def after(self, value: ast.expr, probes: list[int]) -> ast.expr:
        """`(value, add(probe))[0]`: the value first, then the marks."""
        place = start_of(value)
        # Elements of a tuple are evaluated in order, and a tuple needs no name.
        pair = ast.Tuple([value, *(self.add(value, probe) for probe in probes)], ast.Load(), **place)
        return ast.Subscript(pair, _number(value, 0), ast.Load(), **place)

    def tool(self, where: ast.AST, name: str, *args: int | ast.expr) -> ast.expr:
        values = [_number(where, arg) if isinstance(arg, int) else arg for arg in args]
        return ast.Call(self.tool_attribute(where, name), values, [], **start_of(where))

    def tool_attribute(self, where: ast.AST, name: str, index: int | None = None) -> ast.expr:
        place = start_of(where)
        tools = ast.Name(self.names.tools, ast.Load(), **place)
        attribute = ast.Attribute(tools, name, ast.Load(), **place)
        if index is None:
            return attribute
        return ast.Subscript(attribute, _number(where, index), ast.Load(), **place)

    def declaration(self) -> ast.stmt:
        """Names of ours are looked up past the namespace of a class, which may be any kind of mapping."""
        # Without it, code in a class body would ask the class's namespace first.
        return ast.Global(list(self.names), **NOWHERE)


def _number(where: ast.AST, value: int) -> ast.expr:
    return ast.Constant(int(value), **start_of(where))
