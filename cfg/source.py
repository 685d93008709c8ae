"""The source text as people see it: short excerpts for labels, causes and blocks."""

from __future__ import annotations

import ast
import re

_SHOWN_TEXT = 60

_STRING = re.compile(r"""(\"{3}|'{3}|"|')(?:\\.|(?!\1).)*\1""")


class SourceText:
    """The lines of a module as the parser counts them."""

    def __init__(self, source: str) -> None:
        # Only these three end a line for the parser; str.splitlines knows more.
        self.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @property
    def last_line(self) -> int:
        """The number of the last line; an empty module has one line."""
        return len(self.lines) - (len(self.lines) > 1 and not self.lines[-1])

    def text(self, node: ast.AST) -> str:
        return self.between(node, node)

    def between(self, first: ast.AST, last: ast.AST) -> str:
        """The source from the start of one node to the end of another, on one line and shortened."""
        line, column = getattr(first, "lineno", 0), getattr(first, "col_offset", 0)
        end_line, end_column = getattr(last, "end_lineno", 0), getattr(last, "end_col_offset", 0)
        rows = self.lines[line - 1 : end_line]
        if not rows:
            return ast.unparse(first)
        # Columns count UTF-8 bytes.
        encoded = [row.encode(errors="surrogatepass") for row in rows]
        encoded[-1] = encoded[-1][:end_column]
        encoded[0] = encoded[0][column:]
        text = " ".join(b" ".join(encoded).decode(errors="replace").split())
        # A node's own text is balanced; what lies between two nodes may cut a parenthesis in half.
        if first is not last:
            text = _balanced(text)
        return text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 3].rstrip() + "..."


def _balanced(text: str) -> str:
    """The text with the parentheses its ends lack: those around a node are not part of it."""
    level = lowest = 0
    for char in _STRING.sub("", text):
        level += (char == "(") - (char == ")")
        lowest = min(lowest, level)
    return "(" * -lowest + text + ")" * (level - lowest)
