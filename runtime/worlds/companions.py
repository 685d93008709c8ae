"""The other modules of the target's package, instrumented like the target, in copies of their own.

A world has its own copies of them: while a run goes on they stand in `sys.modules`, afterwards what stood there
before is back. They are executed when they are first imported there: as they were written, with marks. Once a run
has entered one of them, all are executed again, that one at the level of the world.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from ramify.instrument.selection import Selection
from ramify.runtime.worlds.entries import ENTERED, Entries, marked
from ramify.runtime.worlds.target import Source

Level = Callable[[bytes, str], tuple[CodeType, dict[str, Any]]]
"""From the source and name of a file to its code at some level, and the builtins of that level."""

_STDLIB = os.path.dirname(os.path.realpath(os.__file__))


class Companions:
    """The modules beside a target that its world has loaded."""

    def __init__(self, takes: Callable[[str, str | None], bool], level: Level, entries: Entries) -> None:
        self._takes = takes
        self._level = level
        self._entries = entries
        self._marked: set[str] = set()  # files that are executed as they were written
        self._modules: dict[str, ModuleType] = {}
        self._others: set[str] = set()  # modules known to be none of ours: there are hundreds, at every run
        self._searched: set[tuple[int, str]] = set()  # how `sys.modules` was when there was none of ours
        self.declined: dict[str, str] = {}

    def late(self) -> set[str]:
        """The files that a run has entered and that are not at the level of this world."""
        return self._marked & self._entries.files

    def entered(self) -> AbstractContextManager[None]:
        """Around a run: the modules that it enters are wanted at the level of this world."""
        return self._entries.counted()

    def any(self) -> bool:
        """Whether this world has loaded one."""
        return bool(self._modules)

    def forget(self) -> None:
        """Has all modules executed again. Not while they are present."""
        # A module that was executed anew would find the old classes of the others.
        self._modules.clear()
        self._marked.clear()

    def code(self, source: bytes, filename: str) -> tuple[CodeType, dict[str, Any]]:
        """The code and the builtins of a module, as this world wants it now."""
        if self._entries.wants(filename):
            return self._level(source, filename)
        self._marked.add(filename)
        return marked(source, filename), {**vars(builtins), ENTERED: partial(self._entries.enter, filename)}

    @contextmanager
    def present(self) -> Iterator[None]:
        """In between, imports give this world's modules."""
        # What other tests or the tool itself have imported under these names must not be seen, nor changed.
        others = self._exchange(self._modules)
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self._modules = self._exchange(others)

    def _exchange(self, modules: dict[str, ModuleType]) -> dict[str, ModuleType]:
        """Puts these modules into `sys.modules` in place of all others that are selected, which are returned."""
        state = len(sys.modules), next(reversed(sys.modules), "")  # what is imported comes last
        out: dict[str, ModuleType] = {}
        if state not in self._searched:
            out = {n: sys.modules.pop(n) for n in sys.modules.keys() - self._others if self._is_ours(n)}
            if not out:
                self._searched.add(state)
        sys.modules.update(modules)
        return out

    def _is_ours(self, name: str) -> bool:
        module = sys.modules.get(name)
        if isinstance(module, ModuleType) and self._takes(name, getattr(module, "__file__", None)):
            return True
        self._others.add(name)
        return False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # The usual finder of files; zip archives and other importers are left to those behind.
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not self._takes(name, spec.origin) or type(spec.loader) is not SourceFileLoader:
            return None
        spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(SourceFileLoader):
    """Executes a module at the world's level, with the builtins of that level."""

    def __init__(self, plain: SourceFileLoader, companions: Companions) -> None:
        super().__init__(plain.name, plain.path)
        self._companions = companions

    def exec_module(self, module: ModuleType) -> None:
        try:
            code, names = self._companions.code(self.get_data(self.path), self.path)
        except (SyntaxError, ValueError, RecursionError) as error:
            self._companions.declined[module.__name__] = f"{type(error).__name__}: {error}"
            super().exec_module(module)
            return
        # Set before the code runs: `exec` would put the usual builtins there, and functions keep what they
        # find.
        module.__dict__["__builtins__"] = names
        exec(code, module.__dict__)


def beside(source: Source, include: Sequence[str]) -> Callable[[str, str | None], bool]:
    """Which modules go with a target: those of its package or of its folder, and those that are named.

    The standard library stays as it is unless it is named, and so do packages installed beside the target's.
    """
    named = Selection.of(include) if include else None
    top = source.name.partition(".")[0]
    own_package = source.package is not None or os.path.basename(source.path) == "__init__.py"
    # A target in the standard library: its neighbours are what the tool itself runs on.
    if os.path.realpath(source.path).startswith(_STDLIB + os.sep) and "site-packages" not in source.path:
        own_package = False
        folder = None
    else:
        folder = source.folder if source.folder is not None and not own_package else None

    def takes(name: str, path: str | None) -> bool:
        if name in ("__main__", source.name) or name.partition(".")[0] == "ramify":
            return False
        if path is not None and not path.endswith(".py"):
            return False  # code in C may not bear to be loaded twice
        if named is not None and named.takes(name, path):
            return True
        if own_package:
            return name == top or name.startswith(top + ".")
        return folder is not None and path is not None and os.path.dirname(os.path.abspath(path)) == folder

    return takes
