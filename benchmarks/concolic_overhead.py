"""What the concolic level costs where nothing is symbolic: each program of `programs/` against plain Python.

    python benchmarks/concolic_overhead.py [--rounds N] [--models] [--library] [--programs NAME...]

Plain and rewritten code run in turn in one process, so that a busy machine disturbs both alike, and the best time
of each counts, in processor time. `--models` also puts the models of builtin functions into the module's builtins.
`--library` takes modules of the standard library instead, each rewritten alone and given some everyday work.
"""

from __future__ import annotations

import argparse
import builtins
import importlib.util
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from ramify.instrument.concolic import instrument
from ramify.runtime.models import BUILTINS
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.rewritten import NAMESPACE

PROGRAMS = sorted((Path(__file__).resolve().parent / "programs").glob("*.py"))


TEXT = "The quick brown fox jumps over the lazy dog. " * 20
CONFIGURATION = "".join(f'[s{n}]\nkey = "value {n}"\nf = {n}.5\narr = [1, 2, "x"]\n' for n in range(20))
NESTED: dict[str, Any] = {"a": [1, 2, {"b": (1, 2, [3])}] * 10}
LIBRARY: dict[str, Callable[[Any], object]] = {
    "_pydecimal": lambda m: [m.Decimal(n) / m.Decimal(7) + m.Decimal("1.5") for n in range(30)],
    "ast": lambda m: m.unparse(m.parse("def f(x):\n  return [a + b * c for a in x if a > 3]\n" * 5)),
    "base64": lambda m: m.a85encode(b"hello world" * 20),
    "calendar": lambda m: m.calendar(2024),
    "colorsys": lambda m: [m.rgb_to_hsv(n / 50, 0.3, 0.7) for n in range(50)],
    "copy": lambda m: m.deepcopy(NESTED),
    "difflib": lambda m: list(m.ndiff(["one\n", "two\n", "three\n"] * 3, ["ore\n", "tree\n", "emu\n"] * 3)),
    "email._parseaddr": lambda m: [m.parsedate_tz("Mon, 20 Nov 1995 19:12:08 -0500") for _ in range(10)],
    "fractions": lambda m: sum((m.Fraction(1, n) for n in range(1, 40)), m.Fraction(0)),
    "graphlib": lambda m: list(m.TopologicalSorter({n: [n + 1, n + 2] for n in range(50)}).static_order()),
    "ipaddress": lambda m: [m.ip_address(f"10.0.{n}.1") for n in range(20)],
    "json.decoder": lambda m: m.py_scanstring('"' + "abc\\n def " * 50 + '"', 1),
    "pprint": lambda m: m.pformat(NESTED),
    "random": lambda m: m.Random(3).sample(range(1000), 100),
    "shlex": lambda m: m.split("a 'b c' \"d e\" f\\ g " * 5),
    "statistics": lambda m: [m.mean([1, 2, 4.5] * 5), m.median([3, 1, 2] * 5), m.stdev([1.0, 2.5, 3.5] * 5)],
    "string": lambda m: [m.Formatter().format("{0} {1:>10} {x}", 1, "a", x=3) for _ in range(10)],
    "textwrap": lambda m: m.fill(TEXT, 30),
    "tomllib._parser": lambda m: m.loads(CONFIGURATION),
    "urllib.parse": lambda m: [m.urljoin("http://a/b/c/d;p?q", part) for part in ("g:h", "../g", "//g", "?y")],
}


def world(path: Path, code: CodeType, names: dict[str, Any], name: str = "program") -> Any:
    """A module of its own, with these builtins; it stands for its name only while it is executed."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["__builtins__"] = names
    before = sys.modules.get(name)
    sys.modules[name] = module
    exec(code, vars(module))
    if before is not None:
        sys.modules[name] = before
    return module


def seconds(work: Callable[[Any], object], module: Any) -> float:
    start = time.process_time()
    work(module)
    return time.process_time() - start


def workloads(library: bool) -> Iterator[tuple[str, str, Path, Callable[[Any], object]]]:
    """What is run: its name, that of its module, its file, and the work."""
    if not library:
        for path in PROGRAMS:
            yield path.stem, "program", path, lambda module: module.main()
        return
    for name, work in LIBRARY.items():
        spec = importlib.util.find_spec(name)
        assert spec is not None
        importlib.import_module(name)
        yield name, name, Path(str(spec.origin)), work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each kind")
    parser.add_argument("--models", action="store_true", help="with the models of builtin functions")
    parser.add_argument("--library", action="store_true", help="modules of the standard library")
    parser.add_argument("--programs", nargs="*", help="names of programs or modules; all if left out")
    options = parser.parse_args()
    names = dict(NAMESPACE)
    if options.models:
        names |= {f.__name__: model for f, model in BUILTINS.items() if not isinstance(f, type)}
    ratios: list[float] = []
    print(f"slow-down against plain Python {sys.version.split()[0]}, nothing symbolic")
    for title, name, path, work in workloads(options.library):
        if options.programs and title not in options.programs:
            continue
        source = path.read_bytes()
        plain = world(path, compile(source, str(path), "exec"), dict(vars(builtins)), name)
        ticks = Ticks()  # as in an exploration
        rewritten = world(path, instrument(source, str(path)).code, ticks.builtins(names), name)
        pairs = [(seconds(work, plain), seconds(work, rewritten)) for _ in range(options.rounds)]
        ratios.append(min(r for _, r in pairs) / min(p for p, _ in pairs))
        print(f"{title:<18}{ratios[-1]:6.2f}")
    print(f"{'geometric mean':<18}{math.exp(sum(map(math.log, ratios)) / len(ratios)):6.2f}")


if __name__ == "__main__":
    main()
