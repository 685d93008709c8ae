"""How many small changes of the search its unit tests notice: a table of the modules of `runtime/search/`.

    python benchmarks/mutation.py [--modules frontier,ledger] [--seconds 600] [--work DIR] [--show] [--table FILE]

mutmut changes the bodies of functions. What it leaves alone (constants of modules, fields and properties of
classes, decorated functions) is changed here with its own operators, one change to a process. Only the tests in
`tests/search/unit` judge.

The folders of the project stand at its top level and are imported as one package, so a tree in which they are one
is laid out in DIR first. What was found out stays there: a second call goes on where the first one ended, or was
ended by its time. After a change of the tests the survivors are tried again, after one of a module its mutants.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import libcst
from mutmut.mutation.file_mutation import MutationVisitor, mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).resolve().parents[1]
ROOM = "ramify/runtime/search"
TESTS = "tests/search/unit"
NEEDED = ("tests/conftest.py", "tests/support", TESTS)
PYTEST = ("--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-p", "no:ramify")
SECONDS_OF_A_MUTANT = 60  # of one that mutmut leaves alone: what takes longer is endless
KILLED, SURVIVED, OPEN = "killed", "survived", "open"

CONFIGURATION = f"""
[tool.pytest.ini_options]
testpaths = ["{TESTS}"]
pythonpath = ["tests/support"]
markers = ["slow: not here"]

[tool.mutmut]
source_paths = ["ramify"]
only_mutate = ["{ROOM}/*"]
pytest_add_cli_args_test_selection = ["{TESTS}"]
pytest_add_cli_args = {json.dumps(PYTEST)}
use_git_change_detection = false
track_dependencies = false
"""


# -- the tree ---------------------------------------------------------------------------------------------


def lay_out(work: Path) -> bool:
    """Copies what has changed into the tree; whether the tests have."""
    changed = _copy(ROOT / "app", work / "ramify")
    for folder in ("cfg", "instrument", "runtime"):
        changed |= _copy(ROOT / folder, work / "ramify" / folder)
    tests = [_copy(ROOT / name, work / name) for name in NEEDED]
    (work / "pyproject.toml").write_text(CONFIGURATION)
    return any(tests)


def _copy(source: Path, target: Path) -> bool:
    """Copies files that differ, so that the others keep their times; whether there were any."""
    changed = False
    files = [source] if source.is_file() else [p for p in source.rglob("*") if p.suffix in (".py", ".typed")]
    for file in files:
        copy = target / file.relative_to(source) if source.is_dir() else target
        if not copy.exists() or copy.read_bytes() != file.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
            changed = True
    for copy in target.rglob("*.py") if source.name != "app" else ():  # below it stand the other folders
        if not (source / copy.relative_to(target)).exists():
            copy.unlink()
            changed = True
    return changed


def modules(work: Path, chosen: list[str]) -> list[str]:
    """The modules of the room, as paths below it without a suffix."""
    room = work / ROOM
    found = sorted(str(p.relative_to(room).with_suffix("")) for p in room.rglob("*.py"))
    return [name for name in found if not chosen or name.rpartition("/")[2] in chosen]


# -- what mutmut changes ----------------------------------------------------------------------------------


def bodies(work: Path, names: list[str], seconds: float, jobs: int) -> None:
    """Lets mutmut try the mutants that have no result yet, for so many seconds at most."""
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)]
    waiting = [key for name in names for key, code in _exit_codes(work, name).items() if _state(code) == OPEN]
    generated = all((_mutants(work) / f"{name}.py.meta").exists() for name in names)
    if generated and not _stale(work, names):
        if not waiting:
            return
        command += waiting  # those that are named are tried again, so none that has a result may be
    elif set(names) != set(modules(work, [])):
        command += [f"{_dotted(name)}.*" for name in names]
    process = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()


def _dotted(name: str) -> str:
    """A module as it is imported."""
    return f"{ROOM}/{name}".removesuffix("/__init__").replace("/", ".")


def _stale(work: Path, names: list[str]) -> bool:
    return any(
        (work / ROOM / f"{name}.py").stat().st_mtime > (_mutants(work) / f"{name}.py").stat().st_mtime
        for name in names
    )


def _mutants(work: Path) -> Path:
    return work / "mutants" / ROOM


def _exit_codes(work: Path, name: str) -> dict[str, int | None]:
    meta = _mutants(work) / f"{name}.py.meta"
    codes: dict[str, int | None] = json.loads(meta.read_text())["exit_code_by_key"] if meta.exists() else {}
    return codes


def _state(code: int | None) -> str:
    """0 is what pytest ends with when all tests pass, 33 what mutmut notes where no test comes by."""
    return OPEN if code in (None, 2) else SURVIVED if code in (0, 33) else KILLED


def forget_survivors(work: Path) -> None:
    """Mutants that no test noticed are open again."""
    for meta in _mutants(work).rglob("*.meta"):
        data = json.loads(meta.read_text())
        codes = data["exit_code_by_key"]
        data["exit_code_by_key"] = {key: None if _state(code) == SURVIVED else code for key, code in codes.items()}
        meta.write_text(json.dumps(data))
    (work / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    results = _results(work)
    _write_results(work, {key: state for key, state in results.items() if state != SURVIVED})


# -- what mutmut leaves alone -----------------------------------------------------------------------------


class Beside(MutationVisitor):
    """The mutations of what is not the body of an ordinary function."""

    def _skip_node_and_children(self, node: libcst.CSTNode) -> bool:
        if isinstance(node, libcst.FunctionDef):
            return not node.decorators
        if isinstance(node, libcst.Assign) and _assigns(node, "__all__"):
            return True
        kinds = libcst.Annotation | libcst.Decorator | libcst.Import | libcst.ImportFrom | libcst.Subscript
        return isinstance(node, kinds)


def _assigns(node: libcst.Assign, name: str) -> bool:
    target = node.targets[0].target
    return isinstance(target, libcst.Name) and target.value == name


def besides(source: str) -> Iterator[str]:
    """The module with each of these mutations, those that are no Python left out."""
    wrapper = libcst.MetadataWrapper(libcst.parse_module(source))
    visitor = Beside(mutation_operators, IgnoredCode(set(), set(), set()))
    module = wrapper.visit(visitor)
    for mutation in visitor.mutations:
        changed = module.deep_replace(mutation.original_node, mutation.mutated_node)  # type: ignore[arg-type]
        assert isinstance(changed, libcst.Module)
        try:
            compile(changed.code, "mutant", "exec")
        except SyntaxError:
            continue
        yield changed.code


@dataclass
class Planted(MetaPathFinder, Loader):
    """Imports one module from a text."""

    name: str
    file: Path
    text: str

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.file, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.text, str(self.file), "exec"), module.__dict__)


def try_beside(work: Path, name: str, text: str) -> str:
    """Runs the tests with a mutant in a fork of this process, which has imported all but the room."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            signal.alarm(SECONDS_OF_A_MUTANT)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            room = ROOM.replace("/", ".")
            for loaded in [loaded for loaded in sys.modules if loaded == room or loaded.startswith(room + ".")]:
                del sys.modules[loaded]
            sys.meta_path.insert(0, Planted(_dotted(name), work / ROOM / f"{name}.py", text))
            import pytest

            status = int(pytest.main(["-x", "-q", "--rootdir", str(work), *PYTEST, TESTS]))
        finally:
            os._exit(status)
    _, result = os.waitpid(pid, 0)
    return SURVIVED if result == 0 else KILLED


def _results(work: Path) -> dict[str, str]:
    file = work / "beside.json"
    found: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    return found


def _write_results(work: Path, results: dict[str, str]) -> None:
    (work / "beside.json").write_text(json.dumps(results, indent=0))


def _key(name: str, text: str) -> str:
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def beside(work: Path, names: list[str], end: float) -> None:
    """Tries what mutmut leaves alone, until a real time."""
    os.chdir(work)
    sys.path.insert(0, str(work))
    import pytest  # noqa: F401  # what every fork needs is imported once

    import ramify.runtime.programs
    import ramify.runtime.solver  # noqa: F401

    results = _results(work)
    if try_beside(work, "frontier", (work / ROOM / "frontier.py").read_text()) != SURVIVED:
        sys.exit("the tests fail without any change")
    for name in names:
        for text in besides((work / ROOM / f"{name}.py").read_text()):
            if time.monotonic() >= end:
                return
            if _key(name, text) not in results:
                results[_key(name, text)] = try_beside(work, name, text)
                _write_results(work, results)


# -- the table --------------------------------------------------------------------------------------------


@dataclass
class Line:
    """What became of the mutants of one module."""

    name: str
    states: Counter[str] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)

    @property
    def cells(self) -> list[str]:
        tried = self.states[KILLED] + self.states[SURVIVED]
        score = f"{100 * self.states[KILLED] / tried:.1f}" if tried else ""
        counts = [tried + self.states[OPEN], self.states[KILLED], self.states[SURVIVED], self.states[OPEN]]
        return [self.name, *map(str, counts), score]


def lines(work: Path, names: list[str], show: bool) -> list[Line]:
    """The lines of the table, and one of all together; `show`: with what the survivors changed."""
    results, total = _results(work), Line("all")
    found = []
    for name in names:
        line = Line(name)
        for key, code in _exit_codes(work, name).items():
            line.states[_state(code)] += 1
            if show and _state(code) == SURVIVED:
                line.survivors.append(_shown(work, key))
        source = (work / ROOM / f"{name}.py").read_text()
        for text in besides(source):
            state = results.get(_key(name, text), OPEN)
            line.states[state] += 1
            if show and state == SURVIVED:
                line.survivors.append(_difference(source, text))
        total.states.update(line.states)
        if line.states:
            found.append(line)
    return [*found, total]


def _shown(work: Path, key: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", key], cwd=work, capture_output=True, text=True, check=False
    )
    return "\n".join([key, *_changes(done.stdout.splitlines())])


def _difference(before: str, after: str) -> str:
    return "\n".join(_changes(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")))


def _changes(diff: Iterable[str]) -> list[str]:
    return [line for line in diff if line.startswith(("-", "+", "@@")) and not line.startswith(("---", "+++"))]


HEAD = ["module", "mutants", "killed", "survived", "open", "score"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--modules", default="", help="names, separated by commas; all unless given")
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after so long; call again to go on")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "ramify-mutation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fresh", action="store_true", help="forget what earlier calls found out")
    parser.add_argument("--show", action="store_true", help="print every survivor")
    parser.add_argument("--table", type=Path, help="write the table as a file")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    os.nice(10)
    work = options.work.resolve()
    if options.fresh:
        shutil.rmtree(work, ignore_errors=True)
    if lay_out(work):
        forget_survivors(work)
    names = modules(work, [name for name in options.modules.split(",") if name])
    bodies(work, names, max(1.0, end - time.monotonic()), options.jobs)
    beside(work, names, end)
    table = lines(work, names, options.show)
    rows = [HEAD, *(line.cells for line in table)]
    width = max(len(row[0]) for row in rows)
    for name, *cells in rows:
        print(name.ljust(width), *(cell.rjust(8) for cell in cells))
    for line in table:
        for survivor in line.survivors:
            print(f"\n{line.name}\n{survivor}")
    if options.table is not None:
        with options.table.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
