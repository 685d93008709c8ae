"""Which modules are measured: patterns over module names and file paths.

A pattern is one of

- a module or package name, `pkg` or `pkg.sub`, which takes everything below it along;
- a glob over names, `pkg.*_impl`;
- a file or directory, recognised by a slash, a leading dot or the ending `.py`, where globs work too.

A bare word that is no package but the name of a directory here, such as `src`, means that directory.
A directory takes the modules below it along, except what is installed there: a virtual environment inside
a project is no part of it, nor is the standard library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ramify.errors import InputError

_STDLIB = os.path.realpath(os.path.dirname(os.__file__))
_INSTALLED = {"site-packages", "dist-packages"}
_GLOB_PART = re.compile(r"\*|\?|\[[^\]]+\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern as it was written, and what it means: a name, an absolute path, or either of them."""

    text: str
    name: str | None
    path: str | None

    @classmethod
    def of(cls, text: str, *, must_exist: bool) -> Pattern:
        if not text:
            raise InputError("an empty pattern selects nothing; name a module, a package, a file or a directory")
        if _looks_like_path(text):
            path = os.path.abspath(os.path.expanduser(text))
            if must_exist and not _GLOB_PART.search(text) and not os.path.exists(path):
                raise InputError(f"no such file or directory: {text}")
            return cls(text, None, os.path.realpath(path))
        if not all(_is_name(part) for part in text.split(".")):
            raise InputError(
                f"{text!r} is neither a module name (pkg, pkg.sub, pkg.*_impl) nor a path (./dir, dir/file.py)"
            )
        plain_directory = os.path.isdir(text) and not os.path.exists(os.path.join(text, "__init__.py"))
        return cls(text, text, os.path.realpath(text) if plain_directory else None)

    def takes(self, name: str | None, path: str | None) -> bool:
        """Whether a module of this name, in this (resolved) file, is meant."""
        return (
            self.name is not None
            and name is not None
            and any(fnmatchcase(prefix, self.name) for prefix in _prefixes(name, "."))
        ) or (self.path is not None and path is not None and self._takes_path(path))

    def _takes_path(self, path: str) -> bool:
        assert self.path is not None
        if _GLOB_PART.search(self.path):
            return any(fnmatchcase(prefix, self.path) for prefix in _prefixes(path, os.sep))
        if path == self.path:
            return True
        return _is_below(path, self.path) and not (
            _INSTALLED.intersection(path[len(self.path) :].split(os.sep))
            # In an environment the standard library may lie below the project's directory.
            or (_is_below(path, _STDLIB) and not _is_below(self.path, _STDLIB) and self.path != _STDLIB)
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """The modules some patterns include and no other excludes; Ramify itself is never among them."""

    include: tuple[Pattern, ...]
    exclude: tuple[Pattern, ...]

    @classmethod
    def of(cls, include: Iterable[str], exclude: Iterable[str] = ()) -> Selection:
        included = tuple(Pattern.of(os.fspath(text), must_exist=True) for text in _texts(include))
        excluded = tuple(Pattern.of(os.fspath(text), must_exist=False) for text in _texts(exclude))
        if not included:
            raise InputError("nothing to measure: include at least one module, package, file or directory")
        for pattern in included:
            if pattern.name is not None and _is_own(pattern.name):
                raise InputError(f"Ramify does not measure itself: {pattern.text}")
        return cls(included, excluded)

    @property
    def by_name_only(self) -> bool:
        return all(pattern.path is None for pattern in self.include)

    def may_take(self, name: str) -> bool:
        """Whether a module of this name can be selected, before its file is known."""
        if _is_own(name):
            return False
        return not self.by_name_only or any(pattern.takes(name, None) for pattern in self.include)

    def takes(self, name: str | None, path: str | None) -> bool:
        if name is not None and _is_own(name):
            return False
        # Symbolic links resolved on both sides: the same file may be found by several paths.
        resolved = None if path is None else os.path.realpath(path)
        return any(pattern.takes(name, resolved) for pattern in self.include) and not any(
            pattern.takes(name, resolved) for pattern in self.exclude
        )

    def takes_script(self, path: str) -> bool:
        """Whether a file that is run as `__main__` is meant, by its path or by the name an import would use."""
        stem = os.path.splitext(os.path.basename(path))[0]
        return self.takes(stem, path)

    # What another process needs to make the same selection, wherever its working directory is.

    def to_json(self) -> dict[str, list[list[str | None]]]:
        return {
            "include": [[pattern.text, pattern.name, pattern.path] for pattern in self.include],
            "exclude": [[pattern.text, pattern.name, pattern.path] for pattern in self.exclude],
        }

    @classmethod
    def from_json(cls, content: dict[str, list[list[str]]]) -> Selection:
        return cls(
            tuple(Pattern(*fields) for fields in content["include"]),
            tuple(Pattern(*fields) for fields in content["exclude"]),
        )


def is_installed(path: str) -> bool:
    """Whether a file belongs to the standard library or to an installed distribution."""
    resolved = os.path.realpath(path)
    return _is_below(resolved, _STDLIB) or bool(_INSTALLED.intersection(resolved.split(os.sep)))


def _texts(patterns: Iterable[str] | str) -> Sequence[str]:
    return [patterns] if isinstance(patterns, str | os.PathLike) else list(patterns)


def _looks_like_path(text: str) -> bool:
    return os.sep in text or text.startswith((".", "~")) or text.endswith(".py")


def _is_name(part: str) -> bool:
    return _GLOB_PART.sub("x", part).isidentifier()


def _is_own(name: str) -> bool:
    return name == "ramify" or name.startswith("ramify.")


def _is_below(path: str, directory: str) -> bool:
    return path.startswith(directory.rstrip(os.sep) + os.sep)


def _prefixes(text: str, separator: str) -> Iterable[str]:
    """`a`, `a.b` and `a.b.c` of `a.b.c`."""
    end = text.find(separator)
    while end >= 0:
        if end:
            yield text[:end]
        end = text.find(separator, end + 1)
    yield text
