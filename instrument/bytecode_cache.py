"""The bytecode cache: instrumented code kept beside Python's own, so that a second run parses nothing.

A file lies in the `__pycache__` of its source, where Python's own cache of that module lies: it moves with
`PYTHONPYCACHEPREFIX`, is ignored by version control, and goes when that directory is cleaned. Its name has
a tag of ours, so neither cache ever reads the other.

Invariants:

- a cache file is complete and valid or it is not used: it is renamed into place when it is complete, and
  its checksum is verified before anything else is read from it;
- it is used only for the very same source, file name, tool, interpreter and optimisation level;
- a cache that cannot be read or written changes nothing but the time it takes.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import itertools
import marshal
import os
import sys
from dataclasses import fields

import ramify
from ramify.instrument.coverage import instrument
from ramify.instrument.instrumented import Instrumented

LEVEL = "coverage"

# The modules that decide which code is made, all of them imported by the coverage level.
MAKERS = (
    "ramify.cfg.numbering", "ramify.cfg.recursion", "ramify.cfg.branches", "ramify.cfg.source",
    "ramify.cfg.syntax", "ramify.cfg.table", "ramify.instrument.compiling",
    "ramify.instrument.coverage.conditions", "ramify.instrument.coverage.marks",
    "ramify.instrument.coverage.rewriter", "ramify.instrument.coverage.suites",
    "ramify.instrument.instrumented", "ramify.instrument.names", "ramify.instrument.positions",
    "ramify.instrument.private",
)  # fmt: skip

_MAGIC = b"ramify bytecode 1\n"
_CHECKSUM_SIZE = 32
_serial = itertools.count()


def instrumented(source: bytes, filename: str, *, is_script: bool = False) -> Instrumented:
    """`instrument`, through the cache.

    Python keeps no bytecode of scripts: what compiling one warns of is shown in every run.
    """
    path = cache_path(filename)
    if path is None:
        return instrument(source, filename)
    digest = hashlib.sha256(source).hexdigest()
    found = load(path, filename, digest)
    if found is None:
        found = instrument(source, filename)
        if not sys.dont_write_bytecode:
            store(path, filename, found)
    elif is_script:
        compile(source, filename, "exec", dont_inherit=True)
    return found


def cache_path(filename: str) -> str | None:
    """Where the code of this source is kept, as in `__pycache__/name.cpython-311-ramify-coverage.pyc`."""
    tag = sys.implementation.cache_tag
    try:
        folder, name = os.path.split(importlib.util.cache_from_source(filename))
    except NotImplementedError:  # an interpreter without bytecode caches
        return None
    stem, _, ending = name.rpartition(f".{tag}")
    return os.path.join(folder, f"{stem}.{tag}-ramify-{LEVEL}{ending}")


def load(path: str, filename: str, digest: str) -> Instrumented | None:
    """What is kept at `path`, if it was made from this source for this interpreter; else None."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        return None
    body = content[len(_MAGIC) + _CHECKSUM_SIZE :]
    # One comparison covers what was cut off, what was damaged, and files of other formats.
    if content != _sealed(body):
        return None
    # Only what `store` wrote reaches the unmarshalling, which does not survive every garbage.
    identity, values = marshal.loads(body)
    return Instrumented(*values) if identity == _identity(filename, digest) else None


def store(path: str, filename: str, built: Instrumented) -> None:
    """Keep the code at `path` if that is possible."""
    values = tuple(getattr(built, field.name) for field in fields(Instrumented))
    try:
        body = marshal.dumps((_identity(filename, built.digest), values))
    except ValueError:  # nested deeper than marshal follows
        return
    # Distinct for every process, thread and attempt, also after an interrupted one.
    temporary = f"{path}.{os.getpid()}-{next(_serial)}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _mode(filename))
        try:
            with open(descriptor, "wb") as stream:
                stream.write(_sealed(body))
            # Other processes see the old file or the new one.
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError:
        return  # a read-only or full disk


def _sealed(body: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(body).digest() + body


def _identity(filename: str, digest: str) -> tuple[str | bytes | int, ...]:
    return (
        LEVEL,
        _TOOL,
        sys.implementation.cache_tag,
        importlib.util.MAGIC_NUMBER,
        sys.flags.optimize,
        filename,
        digest,
    )


def _mode(filename: str) -> int:
    """Whoever may read the source may read its code, as with Python's own cache."""
    try:
        return os.stat(filename).st_mode & 0o666 | 0o200
    except OSError:
        return 0o666


def _tool() -> str:
    """The version, and what decides which code is made: between releases that changes without it."""
    content = hashlib.sha256()
    for name in MAKERS:
        with contextlib.suppress(OSError), open(sys.modules[name].__file__ or "", "rb") as stream:
            content.update(stream.read())
    return f"{ramify.__version__} {content.hexdigest()}"


_TOOL = _tool()
