"""Which engine is measured: the commit it is said to be, and a digest of the source that is really imported."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
from pathlib import Path

FOLDERS = dict.fromkeys(("ramify", "ramify.cfg", "ramify.instrument", "ramify.runtime"), "**/*.py")


def commit(folder: Path = Path(__file__).parent) -> str:
    """The commit of a working tree, with `-dirty` if a file that Git knows was changed; "" outside of Git."""
    short = _git(folder, "rev-parse", "--short", "HEAD")
    changed = short and _git(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{short}-dirty" if changed else short


def _git(folder: Path, *command: str) -> str:
    try:
        done = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:  # no Git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def digest() -> str:
    """The same for the same source, wherever it is installed: `-dirty` may mean anything."""
    found = hashlib.sha256()
    for package, pattern in FOLDERS.items():
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for file in sorted(Path(folder).glob(pattern)):
                found.update(f"{package}/{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes())
    return found.hexdigest()[:12]
