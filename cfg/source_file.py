"""A source file as it was read: its text, tree, branch table and graphs, each made once per process.

Ids of branches depend on the text. So whoever speaks of a file in one piece of work must mean the same text:
there is one object for it, and a file that has changed on disk since is refused.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cached_property
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING

from ramify.cfg.table import BranchTable
from ramify.errors import InputError
from ramify.targets import parse

if TYPE_CHECKING:
    from ramify.cfg.build import ModuleGraphs


class SourceFile:
    """One version of a file. Its tree is shared, so nobody may change it."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def text(self) -> str:
        try:
            return decode_source(self.content)
        except (SyntaxError, ValueError, LookupError) as error:
            raise InputError(f"{self.path}: cannot be decoded: {error}") from None

    @cached_property
    def tree(self) -> ast.Module:
        return parse(self.text, self.path)

    @cached_property
    def table(self) -> BranchTable:
        return BranchTable.of(self.tree, self.text)

    @cached_property
    def graphs(self) -> ModuleGraphs:
        from ramify.cfg.build import ModuleGraphs  # processes that are only measured draw no graphs

        return ModuleGraphs(self.tree, self.text, self.table)

    def is_current(self) -> bool:
        """Whether the file still holds this version."""
        try:
            return Path(self.path).read_bytes() == self.content
        except OSError:
            return False

    def check(self) -> None:
        """Refuses to go on with a file that is another one by now."""
        if not self.is_current():
            raise changed(self.path)


_files: dict[str, SourceFile] = {}
"""The files that this process has read; a child inherits those of its parent."""


def changed(path: str) -> InputError:
    return InputError(f"{path}: has changed since it was read: start again, with the new version")


def source_file(path: str) -> SourceFile:
    """The one object of this process for a file, which is read if it is not known yet."""
    found = _files.get(path)
    if found is None:
        try:
            found = _files[path] = SourceFile(path, Path(path).read_bytes())
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: its source cannot be read ({reason})") from None
    return found


def check_known(path: str) -> None:
    """The same for a file that this process has read, if it has."""
    if path in _files:
        _files[path].check()


def tree_of(path: str, text: str) -> ast.Module:
    """The tree of a text that was read from a file by somebody else: that of the file, if it holds this text."""
    try:
        file = source_file(path)
        if file.text.rstrip("\n") == text.rstrip("\n"):  # linecache ends every line
            return file.tree
    except InputError:  # it is in no file, or in one that cannot be read
        pass
    return parse(text, path)


def refresh() -> None:
    """Forgets the files that have changed: a new piece of work is about what they are now."""
    for path, file in list(_files.items()):
        if not file.is_current():
            del _files[path]
