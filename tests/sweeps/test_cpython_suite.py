"""CPython's own tests of pure-Python packages give the same tally when those packages are instrumented."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("test.support") is None, reason="this Python has no test package"),
]

# A test module, and the library modules it tests.
SUITES = {
    "test_argparse": "argparse",
    "test_bisect": "bisect",
    "test_calendar": "calendar",
    "test_configparser": "configparser",
    "test_contextlib": "contextlib",
    "test_copy": "copy",
    "test_csv": "csv",
    "test_dataclasses": "dataclasses",
    "test_difflib": "difflib",
    "test_enum": "enum",
    "test_fractions": "fractions",
    "test_functools": "functools",
    "test_heapq": "heapq",
    "test_ipaddress": "ipaddress",
    "test_json": "json json.decoder json.encoder json.scanner json.tool",
    "test_pprint": "pprint",
    "test_shlex": "shlex",
    "test_statistics": "statistics",
    "test_string": "string",
    "test_textwrap": "textwrap",
    "test_tomllib": "tomllib tomllib._parser tomllib._re",
    "test_typing": "typing",
}

# Some of the modules are imported by the interpreter, by unittest or by the hook itself. So both runs import
# them twice, and the tests see the second copy, which is instrumented or not. The hook stays: tests of modules
# with a twin in C import the Python one afresh.
DRIVER = """
import importlib, io, json, sys, unittest
from ramify.instrument import hook, probes
suite, names, how = sys.argv[1], sys.argv[2].split(), sys.argv[3]
for name in names:
    importlib.import_module(name)
for name in names:
    del sys.modules[name]
installed = hook.install(include=names if how == "instrumented" else ["nothing"])
declined = {}
if how == "concolic":
    import builtins
    from importlib.machinery import PathFinder, SourceFileLoader
    from ramify.instrument import concolic
    from ramify.runtime.rewritten import NAMESPACE

    class Loader(SourceFileLoader):
        def get_code(self, name):
            built = concolic.instrument(self.get_data(self.path), self.path)
            declined.update(built.declined)
            return built.code

        def exec_module(self, module):
            module.__dict__["__builtins__"] = {**vars(builtins), **NAMESPACE}
            exec(self.get_code(module.__name__), module.__dict__)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            spec = PathFinder.find_spec(name, path, target) if name in names else None
            if spec is not None:
                spec.loader = Loader(name, spec.origin)
            return spec

    sys.meta_path.insert(0, Finder)
for name in names:
    importlib.import_module(name)
loaded = unittest.defaultTestLoader.loadTestsFromName("test." + suite)
result = unittest.TextTestRunner(io.StringIO(), verbosity=0).run(loaded)
assert not installed.declined and not declined, (installed.declined, declined)
hit = [len(hits) for hits in probes.measured().values()]
print(json.dumps({
    "run": result.testsRun,
    "failures": sorted(str(test) for test, _ in result.failures),
    "errors": sorted(str(test) for test, _ in result.errors),
    "skipped": len(result.skipped),
    "unexpected": len(result.unexpectedSuccesses),
    "detail": [text[-1500:] for _, text in result.failures + result.errors],
    "hit": sum(hit),
}))
"""


def tally(suite: str, modules: str, how: str, folder: Path) -> dict[str, object]:
    """Run one test module in its own process."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, suite, modules, how],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize("suite", SUITES)
def test_same_tally(suite: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(f"test.{suite}") is None:
        pytest.skip(f"this Python has no test.{suite}")
    plain = tally(suite, SUITES[suite], "plain", tmp_path)
    ours = tally(suite, SUITES[suite], "instrumented", tmp_path)
    assert int(str(ours.pop("hit"))) > 50
    assert plain.pop("hit") == 0
    detail = ours.pop("detail")
    del plain["detail"]
    assert ours == plain, detail
    assert int(str(plain["run"])) > 5


# Suites that notice what the concolic level is known to change.
NOTICED = {
    "test_argparse": "it patches builtins.open, and a module at this level has a copy of the builtins",
    "test_tomllib": "it counts the frames that are left before the recursion limit",
}


@pytest.mark.parametrize("suite", SUITES)
def test_same_tally_at_the_concolic_level(suite: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(f"test.{suite}") is None:
        pytest.skip(f"this Python has no test.{suite}")
    if suite in NOTICED:
        pytest.skip(NOTICED[suite])
    plain = tally(suite, SUITES[suite], "plain", tmp_path)
    ours = tally(suite, SUITES[suite], "concolic", tmp_path)
    detail = ours.pop("detail")
    del plain["detail"]
    assert ours == plain, detail
