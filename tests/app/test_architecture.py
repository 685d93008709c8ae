"""The page on the architecture names what there is."""

from __future__ import annotations

import ast
import re

import pytest
from project import ROOT, modules

PAGE = (ROOT / "docs" / "architecture.md").read_text()
WALK = PAGE[PAGE.index("## The walk of one input") : PAGE.index("## Words")]
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`")
OTHERS = {"click.echo", "if", "discount", "shop.py", "sym_bool", "INT", "BOOL"}  # not ours, or of the example


def declared() -> tuple[set[str], set[str]]:
    """The functions, classes and modules of the project, and the methods with their classes."""
    names: set[str] = set()
    methods: set[str] = set()
    for path, tree in modules():
        names.add(path.stem)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            if isinstance(node, ast.ClassDef):
                inner = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
                methods |= {f"{node.name}.{name}" for name in inner}
    return names, methods


NAMES, METHODS = declared()
NAMED = sorted(set(NAME.findall(WALK)) - OTHERS)


@pytest.mark.parametrize("name", NAMED)
def test_what_the_walk_passes_exists(name: str) -> None:
    *owners, last = name.split(".")
    if owners and owners[-1][0].isupper():
        assert f"{owners[-1]}.{last}" in METHODS or last in {"expression"}
    else:
        assert last in NAMES
        assert all(owner in NAMES or (ROOT / "runtime" / owner).is_dir() for owner in owners)


def test_the_walk_is_long_enough_to_be_one() -> None:
    assert len(NAMED) > 80
