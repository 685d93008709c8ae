"""The import hook: modules that are selected run instrumented, and nobody else notices.

The finder stands in front of the others, lets them find a module as they always would, and only exchanges
the loader of a selected source file. The loader is a `SourceFileLoader` in everything but the code it
returns: `__file__`, `__cached__`, resources and `inspect` see what they always see.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from importlib.machinery import (
    BuiltinImporter,
    ExtensionFileLoader,
    FrozenImporter,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import CodeType, ModuleType, TracebackType
from typing import Self

from ramify.instrument import bytecode_cache as cache
from ramify.instrument import probes
from ramify.instrument.selection import Selection


class AlreadyImported(UserWarning):
    """Modules that were to be measured had been imported before the hook was installed."""


class Hook:
    """An installed hook; leaving its `with` block, or `uninstall`, stops it from taking further modules.

    Modules it has taken stay instrumented. `declined` says of each selected module that is not measured
    why it is not.
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.declined: dict[str, str] = {}
        self._finder = _Finder(self)

    def install(self) -> Self:
        sys.meta_path.insert(0, self._finder)
        return self

    def uninstall(self) -> None:
        """Give the path of imports back as it was; doing so twice is no error."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._finder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.uninstall()

    def prepare(self, name: str, path: str, source: bytes, *, is_script: bool = False) -> CodeType:
        """The code to run for a module; whatever it is, the caller must run it as it is.

        A module that does not compile raises SyntaxError, as it would plainly.
        """
        try:
            built = cache.instrumented(source, path, is_script=is_script)
        except (SyntaxError, ValueError):
            raise
        except Exception as error:
            # Whatever went wrong is ours: the program runs, and the report says that this file is missing.
            self.declined[name] = f"Ramify failed to instrument it ({type(error).__name__}: {error})"
            return compile(source, path, "exec", dont_inherit=True)
        if built.declined:
            self.declined[name] = f"it cannot be instrumented ({built.declined})"
        probes.activate(built, os.path.abspath(path))
        return built.code


def install(include: Iterable[str] | str, exclude: Iterable[str] | str = ()) -> Hook:
    """Measure the selected modules from their next import on.

    `include` and `exclude` are module names, packages, globs over names, files or directories.
    """
    return _installed(Selection.of(include, exclude))


def instrumented(*include: str) -> Hook:
    """`with instrumented("pkg"):` measures what is imported of `pkg` inside the block."""
    return _installed(Selection.of(include))


def _installed(selection: Selection) -> Hook:
    imported = _imported(selection)
    if imported:
        warnings.warn(
            f"imported before the hook was installed and therefore not measured: {_listed(imported)}; "
            "install the hook before they are imported, or importlib.reload them",
            AlreadyImported,
            stacklevel=3,
        )
    return Hook(selection).install()


class _Finder:
    """Finds what the finders behind it find, and exchanges the loader where the hook selects the module."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not self.hook.selection.may_take(name):
            return None
        spec = self._found_behind(name, path, target)
        if spec is not None and self.hook.selection.takes(name, spec.origin if spec.has_location else None):
            self._exchange_loader(spec, reloading=target is not None)
        return spec

    def _found_behind(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        finders = list(sys.meta_path)
        # Uninstalled while an import was under way.
        if self not in finders:
            return None
        # Other hooks may stand behind this one and have their own say.
        for finder in finders[finders.index(self) + 1 :]:
            find_spec = getattr(finder, "find_spec", None)
            if find_spec is not None:
                spec: ModuleSpec | None = find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def _exchange_loader(self, spec: ModuleSpec, reloading: bool) -> None:
        plain = spec.loader
        # Exactly this class: a subclass makes its code in its own way.
        if type(plain) is SourceFileLoader:
            loader = InstrumentingLoader(self.hook, plain)
            # A reload has no `create_module`, the usual place to find out that the source does not compile.
            if not reloading or loader.compiles():
                spec.loader = loader
        elif not isinstance(plain, InstrumentingLoader) and spec.origin is not None:
            self.hook.declined[spec.name] = _why_not(plain)


class InstrumentingLoader(SourceFileLoader):
    """A `SourceFileLoader` whose code carries probes."""

    def __init__(self, hook: Hook, plain: SourceFileLoader) -> None:
        super().__init__(plain.name, plain.path)
        self._hook = hook
        self._plain = plain
        self._prepared: CodeType | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        # Source that does not compile, or cannot be read, is left to the plain loader, so that the
        # traceback of the failure is the plain one, without a frame of ours.
        if not self.compiles() and spec.loader is self:
            spec.loader = self._plain
        return super().create_module(spec)

    def compiles(self) -> bool:
        """Whether the plain loader would get as far as running the module; the code is kept for that."""
        try:
            self._prepared = self._prepare(self.name)
        except (SyntaxError, ValueError, OSError):
            return False
        return True

    def get_code(self, fullname: str) -> CodeType | None:
        code, self._prepared = self._prepared, None
        return self._prepare(fullname) if code is None else code

    def _prepare(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._hook.prepare(fullname, path, self.get_data(path))


_REASONS: list[tuple[type, str]] = [
    (ExtensionFileLoader, "an extension module, not Python source"),
    (SourcelessFileLoader, "only its bytecode is there, not its source"),
]


def _why_not(loader: object) -> str:
    for kind, reason in _REASONS:
        if isinstance(loader, kind):
            return reason
    if loader is BuiltinImporter:
        return "built into the interpreter"
    if loader is FrozenImporter:
        return "frozen into the interpreter (python -X frozen_modules=off imports it from its file)"
    return f"its loader ({type(loader).__module__}.{type(loader).__qualname__}) makes the code itself"


def _imported(selection: Selection) -> list[str]:
    """The selected modules that are there already, instrumented ones excepted."""
    names = []
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name == "__main__" or spec is None or isinstance(spec.loader, InstrumentingLoader):
            continue
        if spec.has_location and selection.takes(name, spec.origin):
            names.append(name)
    return sorted(names)


def _listed(names: list[str], shown: int = 5) -> str:
    text = ", ".join(names[:shown])
    return text if len(names) <= shown else f"{text} and {len(names) - shown} more"
