"""What no module does: take private names of another, or read meaning out of texts that are for people."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOMS = Path(__file__).parents[2] / "runtime"
FILES = [f for room in ("programs", "worlds", "checking", "search") for f in sorted((ROOMS / room).glob("*.py"))]
WORDS = {"reason", "outcome", "stop", "what", "text"}
"""Attributes that hold a text for people, or the member of an enumeration."""


def private_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ramify"):
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))


def read_texts(tree: ast.Module) -> Iterator[str]:
    """Where such an attribute, or what was made of one, is matched by a part of it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="startswith" | "endswith" | "partition" | "find")):
                if any(isinstance(part, ast.Attribute) and part.attr in WORDS for part in ast.walk(value)):
                    yield ast.unparse(node)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Attribute(attr=name)]):
                if name in WORDS:
                    yield ast.unparse(node)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_module_takes_no_private_name_of_another_and_reads_no_meaning_out_of_texts(file: Path) -> None:
    tree = ast.parse(file.read_bytes())
    assert list(private_imports(tree)) == []
    assert list(read_texts(tree)) == [], "ask for its kind instead"


def test_both_are_seen() -> None:
    wrong = ast.parse(
        "from ramify.runtime import _Secret, known\nif run.reason.startswith('killed'): pass\n"
        "if str(run.reason).partition(':'): pass\nif 'memory' in seen.outcome: pass\n"
        "if run.outcome in ENDS: pass\n"
    )
    assert list(private_imports(wrong)) == ["_Secret"]
    assert len(list(read_texts(wrong))) == 3
