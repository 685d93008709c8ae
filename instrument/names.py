"""The names under which instrumented code finds its recorders."""

from __future__ import annotations

from typing import NamedTuple


class Names(NamedTuple):
    """A file's four names in `builtins`; they end in underscores, so that no class mangles them."""

    hits: str
    add: str
    enter: str
    tools: str

    @classmethod
    def of(cls, key: str) -> Names:
        return cls(*(f"__ramify_{key}{part}__" for part in ("", "_add", "_enter", "_tools")))
