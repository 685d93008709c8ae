"""Picks the fresh part of the corpus by rules alone, so that nobody chooses what an engine is measured on.

    pip install -r benchmarks/fresh-requirements.txt
    python benchmarks/corpus/pick.py [--write]

It reads the packages of fresh-requirements.txt and the standard library. A function is a candidate if

- it is defined once, at the top of its module, undecorated, neither async nor a generator that is sent values,
  in a module that is no test, demo, script or copy of another package;
- it has parameters, no `*` and no `**`, and each is annotated with a type made of int, float, str, bytes, bool,
  None, list, tuple and dict (for the standard library, in the stubs that mypy brings); no alias is resolved;
- its body, and those of the functions of its module that it needs, import nothing and name nothing of
  candidates.OUTSIDE and REACHING: files, processes, the clock, chance, threads;
- nothing of its module is in the corpus already, nor is another function with the same body.

The candidates of a package, and those of the standard library, are sorted by a hash of their names, and taken in
that order if the replayer imports them, counts 4 branches or more, and one of 400 random calls ends in time:
PER_PACKAGE of each package, FROM_STDLIB of the standard library and PER_MODULE of each of its modules.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, whose modules could stand before others

from corpus import table
from corpus.candidates import body, candidates, functions, stubbed
from corpus.measuring import measure
from corpus.table import Entry

BENCHMARKS = Path(__file__).parent.parent
PER_PACKAGE, PER_MODULE, FROM_STDLIB = 3, 3, 30
BRANCHES = 4

ASIDE = frozenset({
    "test", "tests", "testing", "conftest", "setup", "__main__", "cli", "_cli", "docs", "examples", "demo",
    "extern", "vendor", "_vendor", "vendored", "_vendored", "idlelib", "lib2to3", "turtledemo", "distutils",
    "ensurepip", "turtle", "this", "antigravity", "tkinter", "pydoc_data",
})  # fmt: skip
"""Parts of a module's name: not of the package itself, not for import, or nothing without a screen."""


def main() -> None:
    known = {e.module for e in table.read(table.FILES)}
    bodies = {found for e in table.read(table.FILES) if (found := body_of(e))}
    chosen: list[Entry] = []
    for source, found, limit, each in sources():
        fresh = [(e, text) for e, text in found if e.module not in known]
        taken: list[Entry] = []
        of_module: Counter[str] = Counter()
        for entry, text in sorted(fresh, key=lambda pair: rank(pair[0])):
            if len(taken) == limit:
                break
            if text in bodies or of_module[entry.module] == each or not usable(entry):
                continue
            bodies.add(text)
            of_module[entry.module] += 1
            taken.append(entry)
        print(f"{source}: {len(taken)} of {len(fresh)}", file=sys.stderr, flush=True)
        chosen += taken
    if "--write" in sys.argv[1:]:
        table.FRESH.write_text(written(chosen), encoding="utf-8")
    else:
        print(written(chosen), end="")


def rank(entry: Entry) -> bytes:
    """Another hash than the one that halves the corpus."""
    return hashlib.sha256(f"fresh {entry.name}".encode()).digest()


def usable(entry: Entry) -> bool:
    made = measure(entry, "random", 0)
    return len(made.branches) >= BRANCHES and made.ended > 0


def written(entries: Iterable[Entry]) -> str:
    lines = ["# Functions that pick.py chose, in the form of stdlib.toml (versions in ../fresh-requirements.txt)."]
    last = ""
    for entry in sorted(entries, key=lambda e: e.name):
        if entry.module != last:
            lines += ["", f'["{last}"]' if (last := entry.module).count(".") else f"[{last}]"]
        lines.append(f'{entry.function} = "{entry.types}"')
    return "\n".join([*lines, ""])


# Where functions are looked for


def sources() -> Iterator[tuple[str, list[tuple[Entry, str]], int, int]]:
    """Packages and the standard library: name, candidates, how many are taken, and how many of one module."""
    for package in required("fresh"):
        yield package, list(of_package(package)), PER_PACKAGE, PER_PACKAGE
    yield "standard library", list(of_stdlib()), FROM_STDLIB, PER_MODULE


def required(name: str) -> list[str]:
    lines = (BENCHMARKS / f"{name}-requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line.partition("==")[0] for line in lines if not line.startswith("#")]


def of_package(package: str) -> Iterator[tuple[Entry, str]]:
    if package in required("corpus"):
        return
    for file in importlib.metadata.files(package) or ():
        module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        if file.suffix == ".py" and re.fullmatch(r"[\w.]+", module) and not aside(module):
            yield from candidates(module, Path(str(file.locate())))


def of_stdlib() -> Iterator[tuple[Entry, str]]:
    folder, stubs = Path(sysconfig.get_path("stdlib")), typeshed()
    for stub in sorted(stubs.rglob("*.pyi")):
        path = stub.relative_to(stubs).with_suffix("")
        module = ".".join(path.parts).removesuffix(".__init__")
        file = folder / path.with_suffix(".py")
        if module.split(".")[0] in sys.stdlib_module_names and file.exists() and not aside(module):
            yield from candidates(module, file, stubbed(stub))


def typeshed() -> Path:
    spec = importlib.util.find_spec("mypy")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("pick: the types of the standard library are in mypy's stubs; run `pip install mypy`")
    return Path(spec.submodule_search_locations[0], "typeshed", "stdlib")


def aside(module: str) -> bool:
    return any(part in ASIDE or part.startswith("test_") or part.endswith("_test") for part in module.split("."))


def body_of(entry: Entry) -> str | None:
    """The body of a function of the corpus, if it stands at the top of its module."""
    try:
        spec = importlib.util.find_spec(entry.module)
    except ImportError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    node = functions(ast.parse(Path(spec.origin).read_bytes())).get(entry.function)
    return node and body(node)


if __name__ == "__main__":
    main()
