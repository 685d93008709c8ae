"""Runs a measured script as the main program, or for `runpy.run_path`, as Python itself would run it.

Python compiles a script by itself, without asking any import hook. But it first asks the path hooks whether
the script is a container, such as a zip file, that holds a `__main__` module. `ScriptFinder` says yes for a
source file that is measured, is asked for that module, and hands out a few words of code that bring the
namespace, `sys.path` and the traceback into the state a plain script has.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

from ramify.instrument.hidden import hide_imports
from ramify.instrument.hook import Hook

_ENTRY = compile("__loader__.run(globals())", "<ramify>", "exec")


class ScriptFinder:
    """The path entry finder of a script; making one for anything else is an ImportError, as path hooks do."""

    def __init__(self, hook: Hook, path: str) -> None:
        self.loader = _ScriptLoader(hook, path)

    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "__main__":
            return None
        return ModuleSpec(name, self.loader, origin=self.loader.path)

    def invalidate_caches(self) -> None:
        """Nothing is cached."""


class _ScriptLoader(Loader):
    def __init__(self, hook: Hook, path: str) -> None:
        self.hook = hook
        self.path = os.fsdecode(path)
        self.modules_before = set(sys.modules)
        if not os.path.isfile(self.path) or not hook.selection.takes_script(self.path):
            raise ImportError("not a measured script", path=self.path)
        try:
            self.code: CodeType | None = self.prepare()
        except (OSError, SyntaxError, ValueError) as error:
            # Python will fail in the same way, and say so in its own words.
            raise ImportError("not a script that compiles", path=self.path) from error

    def prepare(self) -> CodeType:
        with open(self.path, "rb") as stream:
            return self.hook.prepare("__main__", self.path, stream.read(), is_script=True)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def get_code(self, name: str) -> CodeType:
        return _ENTRY

    def run(self, namespace: dict[str, Any]) -> None:
        """Execute the script in the namespace `runpy` has made for it."""
        code, self.code = self.code, None
        if code is None:  # run once more, perhaps after it was changed
            code = self.prepare()
        # Four frames down: `_run_module_as_main`, `_run_code`, the entry, this one.
        bottom = sys._getframe(3)
        is_program = bottom.f_back is None and bottom.f_code.co_name == "_run_module_as_main"
        # Python caches a finder for every path it asks; a plain script has none.
        sys.path_importer_cache.pop(self.path, None)
        # For a container Python puts the container itself first; for a script its directory.
        if sys.path[:1] == [self.path]:
            directory = os.path.dirname(os.path.realpath(self.path))
            sys.path[:1] = [directory] if is_program and not sys.flags.safe_path else []
        namespace["__spec__"] = None
        namespace["__cached__"] = None
        if is_program:
            hide_imports(self.modules_before)  # of `runpy`, which no plain script imports
            namespace["__package__"] = None
            namespace["__loader__"] = SourceFileLoader("__main__", self.path)
            _run_program(code, namespace)
        else:
            namespace["__loader__"] = None
            exec(code, namespace)


def _run_program(code: CodeType, namespace: dict[str, Any]) -> None:
    try:
        exec(code, namespace)
    except SystemExit:
        raise
    except BaseException as error:
        trace = error.__traceback__
        _show_from(trace and trace.tb_next)
        raise


def _show_from(trace: TracebackType | None) -> None:
    """Let the exception on its way be shown from this frame on, by whatever shows exceptions here."""
    show = getattr(sys, "excepthook", None)
    if not callable(show):
        return

    def show_program_only(kind: type[BaseException], error: BaseException, whole: TracebackType | None) -> None:
        sys.excepthook = show
        sys.last_traceback = error.__traceback__ = trace
        show(kind, error, trace)

    sys.excepthook = show_program_only
