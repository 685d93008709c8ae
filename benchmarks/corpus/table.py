"""The table of the corpus: which functions, with which types, and in which part each one is."""

from __future__ import annotations

import ast
import hashlib
import tomllib
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = (HERE / "stdlib.toml", HERE / "packages.toml")
FRESH = HERE / "fresh.toml"
HALVES = ("tuning", "held-back")
PARTS = (*HALVES, "fresh")
"""What was chosen by hand is halved; `fresh` was chosen by pick.py, and nobody tunes on it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One function of the corpus, and the types of its parameters as text."""

    module: str
    function: str
    types: str
    fresh: bool = False

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}"

    @property
    def part(self) -> str:
        """The half is fixed by the name alone, so that nobody can choose what is held back."""
        return "fresh" if self.fresh else HALVES[hashlib.sha256(self.name.encode()).digest()[0] % 2]

    def parameter_types(self) -> dict[str, Any]:
        return read_types(self.types)


def read_types(text: str) -> dict[str, Any]:
    """The types of a text `name: type, name: type`."""
    tree = ast.parse("{" + " ".join(text.split()) + "}", mode="eval").body
    if not isinstance(tree, ast.Dict):
        raise ValueError(f"types are written `name: type, name: type`, not {text!r}")
    names = [key.id for key in tree.keys if isinstance(key, ast.Name)]
    if len(names) != len(tree.values) or len(set(names)) != len(names):
        raise ValueError(f"every type needs a parameter's name of its own: {text!r}")
    return {n: eval(ast.unparse(value), dict(vars(typing))) for n, value in zip(names, tree.values, strict=True)}


def read(files: Iterable[Path] = (*FILES, FRESH)) -> list[Entry]:
    """All entries, in the order of their names."""
    found = []
    for file in files:
        for module, functions in tomllib.loads(file.read_text(encoding="utf-8")).items():
            found += [Entry(module, function, types, file == FRESH) for function, types in functions.items()]
    return sorted(found, key=lambda entry: entry.name)
