"""From what a user types (`file.py:func`, `pkg.mod:Class.method`) to source text, without running any of it."""

from __future__ import annotations

import ast
import difflib
import os
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.machinery import SOURCE_SUFFIXES, BuiltinImporter, ModuleSpec, PathFinder

from ramify.errors import InputError

TYPE_HINT = "a target is file.py, file.py:function, package.module or package.module:Class.method"


@dataclass(frozen=True, slots=True)
class SourceTarget:
    """A source file, parsed, and the qualified name asked for in it, if any."""

    path: str
    source: str
    tree: ast.Module
    qualname: str | None

    def matching(self, known: list[str]) -> list[str]:
        """The names among `known` that the target asks for: all of them if it names none."""
        if self.qualname is None:
            return known
        try:
            return matching_names(self.qualname, known)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from None


def resolve(text: str, parser: Callable[[str, str], ast.Module] | None = None) -> SourceTarget:
    """The target a user named; anything wrong with it is an `InputError`. `parser` makes the tree of a text and
    its path, if somebody else may have it.
    """
    place, qualname = _split(text)
    path, source = (place, read_source(place)) if _is_path(place) else _module_source(place)
    return SourceTarget(path, source, (parser or parse)(source, path), qualname)


def matching_names(qualname: str, known: list[str]) -> list[str]:
    """The names among `known` that a user means by `qualname`; `<locals>` need not be typed."""
    found = [name for name in known if qualname in (name, name.replace("<locals>.", ""))]
    if found:
        return found
    plain = list(dict.fromkeys(name.replace("<locals>.", "") for name in known if not name.endswith(">")))
    close = difflib.get_close_matches(qualname, plain, 3, 0.5)
    close += [name for name in plain if name.rpartition(".")[2] == qualname and name not in close]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise InputError(f"no function or class {qualname!r} there{hint}")


def _split(text: str) -> tuple[str, str | None]:
    if not text:
        raise InputError(f"the target is empty: {TYPE_HINT}")
    if os.path.exists(text):
        return text, None
    place, colon, qualname = text.rpartition(":")
    # A colon behind a single letter belongs to a drive.
    if not colon or (len(place) == 1 and qualname[:1] in ("\\", "/")):
        return text, None
    if not place or not qualname:
        raise InputError(f"{text!r} is no target: {TYPE_HINT}")
    return place, qualname


def _is_path(place: str) -> bool:
    separators = [os.sep, *([os.altsep] if os.altsep else [])]
    if place.endswith(tuple(SOURCE_SUFFIXES)) or any(separator in place for separator in separators):
        return True
    return not all(part.isidentifier() for part in place.split(".")) or os.path.isfile(place)


# -- files ------------------------------------------------------------------------------------------


def read_source(path: str) -> str:
    """The text of a source file, decoded as Python would."""
    try:
        with tokenize.open(path) as file:
            return file.read()
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory; {TYPE_HINT}") from None
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not {error.encoding}: byte {error.start} cannot be decoded") from None
    except (SyntaxError, LookupError) as error:
        raise InputError(f"{path}: {error.args[0]}") from None
    except ValueError as error:
        raise InputError(f"{path!r}: {error}") from None


def parse(source: str, path: str) -> ast.Module:
    """The tree of a module; warnings about the source are not ours to give."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise not_parsed(path, error) from None


def not_parsed(path: str, error: Exception) -> InputError:
    """What to say of a file that the parser or compiler refused."""
    if isinstance(error, SyntaxError):
        where = f"{path}:{error.lineno}:{error.offset}" if error.lineno else path
        return InputError(f"{where}: does not parse: {error.msg}")
    reason = error if isinstance(error, ValueError) else "nested too deeply"
    return InputError(f"{path}: does not parse: {reason}")


# -- modules ----------------------------------------------------------------------------------------


def _module_source(name: str) -> tuple[str, str]:
    spec = find_module(name)
    if spec.origin is None:
        raise InputError(f"{name} is a namespace package: it has no source of its own")
    if spec.origin.endswith(tuple(SOURCE_SUFFIXES)) and os.path.isfile(spec.origin):
        return spec.origin, read_source(spec.origin)
    try:
        # For example a module in a zip file.
        source = spec.loader.get_source(spec.name)  # type: ignore[union-attr]
    except (AttributeError, ImportError, SyntaxError, UnicodeDecodeError):
        source = None
    if source is None:
        raise InputError(f"{name} has no Python source ({spec.origin})")
    return spec.origin, source


def find_module(name: str, places: Iterable[str] = ("",)) -> ModuleSpec:
    """Where a module lies: `places` are searched first (here, unless told), and no package is imported.

    Packages are searched part by part through the path finders, so not even an `__init__.py` runs.
    """
    path: list[str] | None = [place or os.getcwd() for place in (*places, *sys.path)]
    spec: ModuleSpec | None = None
    parts = name.split(".")
    for index, part in enumerate(parts):
        if path is None:
            raise InputError(f"no module named {name!r}: {'.'.join(parts[:index])} is not a package")
        spec = BuiltinImporter.find_spec(part) if index == 0 else None
        # By its last part: a namespace package with its full name would ask for its parent in sys.modules.
        spec = spec or PathFinder.find_spec(part, path)
        if spec is None and index == 0:
            spec = _from_other_finders(part)
        if spec is None:
            hint = f"; {name} is a directory, {TYPE_HINT}" if os.path.isdir(name) else ""
            raise InputError(f"no module named {'.'.join(parts[: index + 1])!r}{hint}")
        locations = spec.submodule_search_locations
        path = None if locations is None else list(locations)
    assert spec is not None
    return spec


def _from_other_finders(name: str) -> ModuleSpec | None:
    """Frozen modules, and packages that an editable install maps to another folder."""
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        if finder is not PathFinder and find_spec is not None:
            spec: ModuleSpec | None = find_spec(name, None)
            if spec is not None:
                return spec
    return None
