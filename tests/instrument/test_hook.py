"""The import hook: selected modules are measured, and nobody can tell from looking at them."""

from __future__ import annotations

import importlib
import importlib.resources
import importlib.util
import inspect
import pickle
import pkgutil
import runpy
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import ramify
from ramify.errors import InputError
from ramify.instrument import bytecode_cache as cache
from ramify.instrument import probes
from ramify.instrument.hook import AlreadyImported, Hook, InstrumentingLoader
from ramify.instrument.instrumented import Instrumented
from ramify.instrument.selection import Selection

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes modules into a directory that is on `sys.path`; what was imported from there is forgotten."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    meta_path = list(sys.meta_path)

    def write(name: str, source: str = "") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"))
        importlib.invalidate_caches()
        return path

    before = set(sys.modules)
    yield write
    sys.meta_path[:] = meta_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def hits(path: Path) -> set[int]:
    return next(hits for (name, _), hits in probes.measured().items() if name == str(path))


def is_measured(path: Path) -> bool:
    return str(path) in {name for name, _ in probes.measured()}


# -- what is selected -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("include", "exclude", "name", "taken"),
    [
        ("pkg", (), "pkg", True),
        ("pkg", (), "pkg.sub.deep", True),
        ("pkg", (), "pkgs", False),
        ("pkg", (), "other.pkg", False),
        ("pkg.sub", (), "pkg", False),
        ("pkg.sub", (), "pkg.sub.deep", True),
        ("pkg.*_impl", (), "pkg.fast_impl", True),
        ("pkg.*_impl", (), "pkg.fast_impl.part", True),
        ("pkg.*_impl", (), "pkg.fast", False),
        ("p?g", (), "pig", True),
        ("pkg", ("pkg.tests",), "pkg.tests.test_a", False),
        ("pkg", ("pkg.*.tests",), "pkg.a.tests", False),
        ("pkg", ("*.tests",), "pkg.core", True),
        ("*", (), "anything", True),
        ("*", (), "ramify.instrument.hook", False),
    ],
)
def test_names_select(include: str, exclude: tuple[str, ...], name: str, taken: bool) -> None:
    assert Selection.of([include], exclude).takes(name, None) is taken


def test_paths_select(tmp_path: Path) -> None:
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    module = tmp_path / "src" / "pkg" / "mod.py"
    module.touch()
    assert Selection.of([str(module)]).takes("pkg.mod", str(module))
    assert Selection.of([str(tmp_path / "src")]).takes("pkg.mod", str(module))
    assert not Selection.of([str(tmp_path / "src")]).takes("pkg.mod", str(tmp_path / "srcs/x.py"))
    assert Selection.of([str(tmp_path / "s*" / "pkg")]).takes("pkg.mod", str(module))
    assert not Selection.of([str(tmp_path)], [str(tmp_path / "*" / "pkg")]).takes("pkg.mod", str(module))
    assert not Selection.of([str(tmp_path)]).takes("mod", None)


def test_a_directory_does_not_select_what_is_installed_in_it(tmp_path: Path) -> None:
    selection = Selection.of([str(tmp_path)])
    assert not selection.takes("x", str(tmp_path / "venv/lib/python3/site-packages/x.py"))
    assert not Selection.of(["/"]).takes("textwrap", importlib.import_module("textwrap").__file__)
    inside = tmp_path / "site-packages" / "x"
    inside.mkdir(parents=True)
    assert Selection.of([str(inside)]).takes("x.y", str(inside / "y.py"))


def test_paths_are_followed_through_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Selection.of([str(tmp_path / "link")]).takes("m", str(tmp_path / "real" / "m.py"))
    assert Selection.of([str(tmp_path / "real")]).takes("m", str(tmp_path / "link" / "m.py"))


def test_a_word_that_names_a_plain_directory_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    selection = Selection.of(["src"])
    monkeypatch.chdir("/")
    assert selection.takes("mod", str(tmp_path / "src" / "mod.py"))


def test_a_selection_travels(tmp_path: Path) -> None:
    selection = Selection.of(["pkg.*", str(tmp_path)], ["pkg.tests"])
    assert Selection.from_json(selection.to_json()) == selection


@pytest.mark.parametrize(
    "pattern", ["", "a b", "a..b", "1a", "pkg.", "./absent", "absent.py", "ramify", "ramify.cfg"]
)
def test_bad_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(InputError):
        ramify.install(include=[pattern])


def test_nothing_to_include_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to measure"):
        ramify.install(include=[])


# -- modules and packages -------------------------------------------------------------------------


def test_a_module_is_measured(write: Write) -> None:
    path = write("hooked_mod.py", "def f(x):\n    return 1 if x else 2")
    with ramify.install(include=["hooked_mod"]):
        import hooked_mod
    before = hits(path)
    assert hooked_mod.f(0) == 2
    assert hits(path) > before


def test_packages_subpackages_and_what_is_excluded(write: Write) -> None:
    top = write("hooked_pkg/__init__.py", "from . import sub")
    sub = write("hooked_pkg/sub/__init__.py", "from .leaf import *")
    leaf = write("hooked_pkg/sub/leaf.py", "value = 1")
    skipped = write("hooked_pkg/skipped.py", "value = 2")
    other = write("other_pkg.py", "")
    with ramify.install(["hooked_pkg"], exclude=["hooked_pkg.skipped"]):
        import hooked_pkg.skipped
        import other_pkg  # noqa: F401
    assert hooked_pkg.sub.value == 1
    assert [is_measured(path) for path in (top, sub, leaf, skipped, other)] == [True, True, True, False, False]


def test_namespace_packages(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = write("portion1/space/one.py", "value = 1")
    two = write("portion2/space/two.py", "value = 2")
    monkeypatch.syspath_prepend(str(tmp_path / "portion1"))
    monkeypatch.syspath_prepend(str(tmp_path / "portion2"))
    with ramify.instrumented("space") as hook:
        assert importlib.import_module("space.one").value == 1
        assert importlib.import_module("space.two").value == 2
    assert is_measured(one)
    assert is_measured(two)
    assert hook.declined == {}


def test_outside_the_block_nothing_is_taken(write: Write) -> None:
    late = write("hooked_late.py", "")
    meta_path = list(sys.meta_path)
    with ramify.instrumented("hooked_late") as hook:
        assert sys.meta_path != meta_path
    hook.uninstall()
    assert sys.meta_path == meta_path
    import hooked_late

    assert not is_measured(late)
    assert type(hooked_late.__loader__) is SourceFileLoader


def test_hooks_nest(write: Write) -> None:
    a, b = write("hooked_a.py"), write("hooked_b.py")
    with ramify.instrumented("hooked_a"), ramify.install(["hooked_a", "hooked_b"]):
        import hooked_a  # noqa: F401
        import hooked_b  # noqa: F401
    assert is_measured(a)
    assert is_measured(b)


def test_reload_measures_again_and_takes_new_source(write: Write) -> None:
    path = write("hooked_re.py", "value = 1")
    import hooked_re

    with pytest.warns(AlreadyImported, match="hooked_re; install the hook before they are imported, or importlib"):
        hook = ramify.install("hooked_re")
    assert not is_measured(path)
    with hook:
        importlib.reload(hooked_re)
        assert is_measured(path)
        write("hooked_re.py", "value = 22 if __name__ else 0")
        assert importlib.reload(hooked_re).value == 22
        write("hooked_re.py", "value = ")
        with pytest.raises(SyntaxError) as caught:
            importlib.reload(hooked_re)
    assert "ramify" not in "".join(traceback.format_tb(caught.tb)[1:])


def test_a_hook_that_comes_in_time_does_not_warn(write: Write) -> None:
    write("hooked_ok.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ramify.instrumented("hooked_ok"):
            import hooked_ok  # noqa: F401
        with ramify.instrumented("hooked_ok"):
            pass


def test_runpy_runs_measured_modules(write: Write) -> None:
    write("hooked_run/__init__.py")
    path = write("hooked_run/__main__.py", "value = __name__, __spec__.name, __file__")
    with ramify.instrumented("hooked_run"):
        namespace = runpy.run_module("hooked_run", run_name="__main__")
    assert namespace["value"] == ("__main__", "hooked_run.__main__", str(path))
    assert hits(path)


def test_threads_may_import_at_once(write: Write) -> None:
    write("hooked_many/__init__.py")
    # A chain, not a ring: threads that import modules in a circle may fail without any hook.
    first = "from . import m{}\n"
    paths = [write(f"hooked_many/m{n}.py", f"{first.format(n + 1) if n < 7 else ''}value = {n}") for n in range(8)]
    failures: list[BaseException] = []
    barrier = threading.Barrier(16)

    def load(n: int) -> None:
        try:
            barrier.wait()
            assert importlib.import_module(f"hooked_many.m{n % 8}").value == n % 8
        except BaseException as error:
            failures.append(error)

    with ramify.instrumented("hooked_many"):
        threads = [threading.Thread(target=load, args=[n]) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
    assert all(hits(path) for path in paths)


# -- what a module looks like ---------------------------------------------------------------------


SEEN = """
    '''Docs.'''
    from __future__ import annotations
    import dataclasses

    @dataclasses.dataclass
    class Point:
        x: int = 0

        def norm(self):
            return abs(self.x) if self.x else 0

    NAMES = sorted(globals())
"""


def described(module: ModuleType) -> dict[str, object]:
    spec = module.__spec__
    assert spec is not None
    point = module.Point
    return {
        "names": module.NAMES,
        "all names": sorted(vars(module)),
        "file": module.__file__,
        "cached": module.__cached__,
        "package": module.__package__,
        "doc": module.__doc__,
        "spec": (spec.name, spec.origin, spec.cached, spec.has_location, spec.submodule_search_locations),
        "source": inspect.getsource(point),
        "whole source": inspect.getsource(module),
        "line": point.norm.__code__.co_firstlineno,
        "code file": point.norm.__code__.co_filename,
        "loader source": spec.loader.get_source(module.__name__),  # type: ignore[union-attr]
        "is package": spec.loader.is_package(module.__name__),  # type: ignore[union-attr]
        "data": pkgutil.get_data(module.__name__, "data.txt"),
        "pickle": pickle.loads(pickle.dumps(point(3))) == point(3),
        "instance": isinstance(spec.loader, SourceFileLoader),
    }


def test_a_measured_module_looks_like_a_plain_one(write: Write) -> None:
    write("hooked_seen/__init__.py", SEEN)
    write("hooked_seen/data.txt", "data")
    import hooked_seen

    plain = described(hooked_seen)
    del sys.modules["hooked_seen"]
    with ramify.instrumented("hooked_seen"):
        import hooked_seen
    assert isinstance(hooked_seen.__loader__, InstrumentingLoader)
    assert described(hooked_seen) == plain


def test_resources_are_found(write: Write) -> None:
    write("hooked_res/__init__.py")
    write("hooked_res/data/greeting.txt", "hello")
    with ramify.instrumented("hooked_res"):
        import hooked_res
    assert importlib.resources.files(hooked_res).joinpath("data", "greeting.txt").read_text() == "hello"
    assert [module.name for module in pkgutil.iter_modules(hooked_res.__path__)] == []


@pytest.mark.parametrize(
    "source",
    ["x = 1\ndef f(:\n", "raise ValueError('at import')", "import absent_module_xyz", "def f():\n    1 / 0\nf()"],
)
def test_failures_show_the_plain_traceback(write: Write, source: str) -> None:
    write("hooked_bad.py", source)
    write("hooked_outer.py", "import hooked_bad")

    def failure() -> str:
        try:
            importlib.import_module("hooked_outer")
        except Exception as error:
            # The frame of this function stands on different lines in the two runs.
            return "".join(traceback.format_exception(error)).partition("hooked_outer.py")[2]
        raise AssertionError("it must fail")

    plain = failure()
    assert plain
    with ramify.install(["hooked_bad", "hooked_outer"]):
        assert failure() == plain


# -- what is not measured, and why ----------------------------------------------------------------


def test_modules_without_source_say_so(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write("hooked_bare.py", "value = 1")
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-b", str(source)], check=True)
    source.unlink()
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("hooked_zipped.py", "value = 2")
    monkeypatch.syspath_prepend(str(tmp_path / "archive.zip"))
    with ramify.install(["hooked_bare", "hooked_zipped", "_testcapi"]) as hook:
        import hooked_bare
        import hooked_zipped
    assert (hooked_bare.value, hooked_zipped.value) == (1, 2)
    assert hook.declined == {
        "hooked_bare": "only its bytecode is there, not its source",
        "hooked_zipped": "its loader (zipimport.zipimporter) makes the code itself",
    }


def test_a_module_that_cannot_be_instrumented_runs_plainly_and_is_named(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("hooked_deep.py", "value = 1")

    def decline(source: bytes, filename: str) -> Instrumented:
        code = compile(source, filename, "exec")
        return Instrumented(code, code, "k", "d", 0, {}, declined="too deep")

    monkeypatch.setattr(cache, "instrument", decline)
    with ramify.instrumented("hooked_deep") as hook:
        import hooked_deep
    assert hooked_deep.value == 1
    assert not is_measured(path)
    assert hook.declined == {"hooked_deep": "it cannot be instrumented (too deep)"}


def test_a_failure_of_ours_does_not_stop_the_program(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("hooked_ours.py", "value = 1")

    def fail(source: bytes, filename: str) -> Instrumented:
        raise KeyError("bug")

    monkeypatch.setattr(cache, "instrument", fail)
    with ramify.instrumented("hooked_ours") as hook:
        import hooked_ours
    assert hooked_ours.value == 1
    assert hook.declined == {"hooked_ours": "Ramify failed to instrument it (KeyError: 'bug')"}


def test_other_hooks_keep_their_modules(write: Write) -> None:
    """A loader that is not Python's own, such as pytest's for test modules, makes its code itself."""
    write("hooked_custom.py", "value = 1")

    class Loader(SourceFileLoader):
        pass

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> object:
            spec = importlib.machinery.PathFinder.find_spec(name)
            if name == "hooked_custom" and spec is not None and spec.origin is not None:
                spec.loader = Loader(name, spec.origin)
                return spec
            return None

    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
    with ramify.instrumented("hooked_custom") as hook:
        import hooked_custom
    assert type(hooked_custom.__loader__) is Loader
    assert list(hook.declined) == ["hooked_custom"]


def test_lazily_loaded_modules_are_measured(write: Write) -> None:
    path = write("hooked_lazy.py", "value = 1")
    with ramify.instrumented("hooked_lazy"):
        spec = importlib.util.find_spec("hooked_lazy")
        assert spec is not None
        assert spec.loader is not None
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules["hooked_lazy"] = module
        spec.loader.exec_module(module)
        assert module.value == 1
    assert hits(path)


def test_the_package_offers_the_hook_without_importing_it() -> None:
    program = "import sys, ramify; print('ramify.instrument' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "False\n"
    assert issubclass(ramify.Hook, Hook)
    assert "install" in dir(ramify)
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        ramify.absent  # noqa: B018
