"""The files a selection means, imported or not: what nobody imports counts as not covered."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ramify.cfg.hits import source_files
from ramify.errors import InputError
from ramify.instrument.selection import Pattern, Selection
from ramify.targets import find_module


def selected_files(selection: Selection, places: Iterable[str] = ("",)) -> Iterator[str]:
    """Every source file the selection takes; modules are looked for in `places` first."""
    places = list(places)
    for pattern in selection.include:
        for root, name in _roots(pattern, places):
            for filename in source_files(root):
                if selection.takes(_module_name(filename, root, name), filename):
                    yield filename


def _roots(pattern: Pattern, places: list[str]) -> Iterator[tuple[Path, str]]:
    """The files and directories a pattern means, each with the module name it has."""
    if pattern.path is not None and os.path.exists(pattern.path):
        yield Path(pattern.path), ""
    if pattern.name is not None:
        try:
            spec = find_module(pattern.name, places)
        except InputError:
            return
        if spec.submodule_search_locations is not None:
            yield from ((Path(location), pattern.name) for location in spec.submodule_search_locations)
        elif spec.has_location and spec.origin is not None:
            yield Path(spec.origin), pattern.name


def _module_name(filename: str, root: Path, name: str) -> str:
    if root.is_file():
        return name
    parts = Path(filename).relative_to(root.resolve()).with_suffix("").parts
    return ".".join([part for part in (name, *parts) if part and part != "__init__"])
