"""`ramify run` is `python` with a report: every program here runs both ways and must not differ."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

RAMIFY = [sys.executable, "-m", "ramify", "run"]


@dataclass
class Ended:
    """How a process ended, and the coverage report if there is one."""

    status: int
    stdout: str
    stderr: str
    report: dict[str, Any] | None = None

    @property
    def covered(self) -> dict[str, list[str]]:
        """For every measured file the functions of which something ran."""
        assert self.report is not None, self.stderr
        return {
            Path(file["file"]).name: [function["name"] for function in file["functions"] if function["ran"]]
            for file in self.report["files"]
        }

    def missing(self, name: str) -> list[str]:
        assert self.report is not None, self.stderr
        files = {Path(file["file"]).name: file for file in self.report["files"]}
        return [edge["words"] for function in files[name]["functions"] for edge in function["missing"]]


class Project:
    """A directory of programs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RAMIFY", "COV_")) and name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        }

    def write(self, name: str, source: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"))
        return path

    def start(self, command: list[str], **options: Any) -> subprocess.Popen[str]:
        options = {"cwd": self.root, "env": self.env, "stdout": -1, "stderr": -1, "stdin": -3, **options}
        return subprocess.Popen(command, text=True, start_new_session=True, **options)

    def execute(self, command: list[str], **options: Any) -> Ended:
        process = self.start(command, **options)
        try:
            stdout, stderr = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return Ended(process.returncode, stdout or "", stderr or "")

    def plain(self, *arguments: str, **options: Any) -> Ended:
        return self.execute([sys.executable, *arguments], **options)

    def ramify(self, *arguments: str, **options: Any) -> Ended:
        """Measured, with the report in a file, so that both streams are the program's."""
        report = self.root.parent / f"{self.root.name}.json"
        report.unlink(missing_ok=True)
        ended = self.execute([*RAMIFY, "--format", "json", "-o", str(report), *arguments], **options)
        if report.exists():
            ended.report = json.loads(report.read_text())
        return ended

    def alike(self, *arguments: str, **options: Any) -> Ended:
        """Run a program both ways; it must not differ in anything that can be seen from outside."""
        plain, measured = self.plain(*arguments, **options), self.ramify(*arguments, **options)
        assert measured.stdout == plain.stdout
        assert measured.stderr == plain.stderr
        assert measured.status == plain.status
        return measured


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


# -- what the program sees ------------------------------------------------------------------------


NAMESPACE = """
    '''The docstring.'''
    import sys, os

    def show(name):
        value = globals().get(name, 'absent')
        return value if isinstance(value, str | None | dict) else type(value).__module__ + type(value).__name__

    if __name__ == "__main__":
        print(sorted(globals()))
        for name in sorted(globals()):
            if name.startswith("__"):
                print(name, show(name))
        print(sys.argv, sys.path, __builtins__ is __import__("builtins"))
        print(sys.modules["__main__"].__dict__ is globals(), sys.flags, os.getcwd())
        files = {n: getattr(m, "__file__", None) or "" for n, m in sys.modules.items()}
        # `warnings` stays in sight, and once `importlib` was imported these two have a file.
        known = {"warnings", "_frozen_importlib", "_frozen_importlib_external"}
        print(sorted(n for n in files if files[n].endswith(".py") and n not in known))
        print(getattr(__loader__, "name", None), getattr(__loader__, "path", None))
        print([hook.__name__ for hook in sys.path_hooks if hasattr(hook, "__name__")], sys.excepthook)
"""


def test_a_script_finds_the_namespace_python_gives_it(project: Project) -> None:
    project.write("app.py", NAMESPACE)
    assert project.alike("app.py", "one", "--two", "-m", "--", "--format", "json").covered == {
        "app.py": ["<module>", "show"]
    }


def test_a_script_elsewhere_has_its_own_directory_first_on_the_path(project: Project) -> None:
    project.write("tools/deep/app.py", NAMESPACE)
    project.alike("tools/deep/../deep/app.py")
    project.alike("./tools/deep/app.py")
    (project.root / "link.py").symlink_to("tools/deep/app.py")
    project.alike("link.py")


def test_a_script_without_its_directory_on_the_path(project: Project) -> None:
    project.write("app.py", NAMESPACE)
    project.env["PYTHONSAFEPATH"] = "1"
    project.alike("app.py")


def test_a_module_finds_the_namespace_python_gives_it(project: Project) -> None:
    project.write("pkg/__init__.py", "print('imported', __name__)")
    # The program's own loader is the one thing that shows.
    source = NAMESPACE.replace("type(value).__module__ + type(value).__name__", "type(value).__mro__[-3:]")
    source = re.sub(r"print\(sorted\(n for.*", "", source)
    project.write("pkg/tool.py", source)
    measured = project.alike("-m", "pkg.tool", "one", "--source", "x")
    assert measured.covered == {"__init__.py": ["<module>"], "tool.py": ["<module>", "show"]}


def test_a_package_with_a_main_module(project: Project) -> None:
    project.write("pkg/__init__.py", "")
    project.write("pkg/__main__.py", "import sys; print(__name__, __package__, __spec__.name, sys.argv)")
    assert "__main__.py" in project.alike("-m", "pkg", "x").covered


def test_a_directory_with_a_main_module(project: Project) -> None:
    project.write("app/__main__.py", "import helper, sys; print(__name__, __package__, sys.argv, sys.path[0])")
    project.write("app/helper.py", "print('helping')")
    assert project.alike("app", "x").covered == {"__main__.py": ["<module>"], "helper.py": ["<module>"]}


def test_a_zip_file_runs_and_its_modules_are_said_to_be_unmeasured(project: Project) -> None:
    with zipfile.ZipFile(project.root / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", "import sys, inner; print(sys.argv, sys.path[0])")
        archive.writestr("inner.py", "print('inner')")
    plain, measured = project.plain("app.pyz", "x"), project.ramify("app.pyz", "x")
    assert (plain.stdout, plain.status) == (measured.stdout, measured.status)
    assert "not measured: inner: its loader (zipimport.zipimporter) makes the code itself" in measured.stderr


def test_a_compiled_script_runs_though_there_is_nothing_to_measure(project: Project) -> None:
    source = project.write("app.py", "print('hello', __file__)")
    subprocess.run([sys.executable, "-m", "compileall", "-q", "-b", str(source)], check=True)
    source.unlink()
    plain, measured = project.plain("app.pyc"), project.ramify("app.pyc")
    assert (plain.stdout, plain.status) == (measured.stdout, measured.status)
    assert "nothing was measured" in measured.stderr


def test_modules_of_the_program_win_over_those_the_tool_uses_itself(project: Project) -> None:
    for name in ("json", "ast", "hashlib", "fnmatch", "dataclasses", "inspect", "runpy", "ramify"):
        project.write(f"{name}.py", f"print('my own', {name!r})")
    project.write("app.py", "import json, ast, hashlib, fnmatch, dataclasses, inspect, runpy, ramify")
    plain = project.plain("app.py")
    measured = project.execute([*RAMIFY, "project/app.py"], cwd=project.root.parent)
    assert plain.stdout.count("my own") >= 5
    assert measured.stdout == plain.stdout


def test_the_users_own_sitecustomize_runs(project: Project) -> None:
    project.write("site/sitecustomize.py", "value = __name__")
    project.write("app.py", "import sys, sitecustomize; print(sitecustomize.value, sys.path)")
    project.env["PYTHONPATH"] = str(project.root / "site")
    project.alike("app.py")


def test_a_sitecustomize_that_fails_is_reported_as_always(project: Project) -> None:
    # Only in the program's process; that of the tool itself is another one.
    project.write("site/sitecustomize.py", "import os\nif {'RAMIFY_RUN', 'PLAIN'} & os.environ.keys(): 1 / 0")
    project.write("app.py", "print('hello')")
    project.env["PYTHONPATH"] = str(project.root / "site")
    plain = project.plain("app.py", env={**project.env, "PLAIN": ""})
    measured = project.ramify("app.py")
    assert measured.stderr == plain.stderr
    assert "Error in sitecustomize" in plain.stderr


def test_interpreter_options_reach_the_program(project: Project) -> None:
    project.write("app.py", "import sys\nassert False\nprint(sys.flags.optimize, sys.warnoptions, __debug__)")
    command = [sys.executable, "-O", "-W", "error::UserWarning"]
    plain = project.execute([*command, "app.py"])
    measured = project.execute([*command, "-m", "ramify", "run", "-o", os.devnull, "app.py"])
    assert measured == plain
    assert plain.stdout.startswith("1 ")


def test_standard_input_and_inherited_descriptors(project: Project) -> None:
    project.write("app.py", "import os, sys; print(sys.stdin.read(), os.read(int(sys.argv[1]), 9))")
    text = project.write("text", "typed")
    for run in (project.plain, project.ramify):
        descriptor = os.open(text, os.O_RDONLY)
        with open(text) as stdin:
            ended = run("app.py", str(descriptor), stdin=stdin, pass_fds=[descriptor])
        os.close(descriptor)
        assert ended.stdout == "typed b'typed'\n"


# -- how the program ends -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ending",
    [
        "sys.exit()",
        "sys.exit(0)",
        "sys.exit(7)",
        "sys.exit(True)",
        "sys.exit(-1)",
        "sys.exit('a message')",
        "sys.exit([1, 2])",
        "raise SystemExit",
        "os._exit(5)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGHUP)",
        "os.kill(os.getpid(), signal.SIGUSR1)",
        "signal.raise_signal(signal.SIGINT)",
        "raise KeyboardInterrupt",
        "threading.Thread(target=print, args=('late',)).start()",
        "threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "threading.Thread(target=lambda: 1 / 0).start()",
        "atexit.register(lambda: print('at exit'))",
        "atexit.register(lambda: 1 / 0)",
        "os.execv(sys.executable, [sys.executable, '-c', 'print(1); raise SystemExit(4)'])",
    ],
)
def test_exit_status(project: Project, ending: str) -> None:
    project.write("app.py", f"import atexit, os, signal, sys, threading\nprint('hello', flush=True)\n{ending}\n")
    plain, measured = project.plain("app.py"), project.ramify("app.py")
    assert (measured.status, measured.stdout) == (plain.status, plain.stdout)
    if "SIGKILL" in ending or "SIGUSR1" in ending:
        assert "1 process ended without leaving what it covered" in measured.stderr
    else:
        address = re.compile("0x[0-9a-f]+")
        assert address.sub("", measured.stderr) == address.sub("", plain.stderr)
        assert measured.covered["app.py"][0] == "<module>"


@pytest.mark.parametrize(
    "failure",
    [
        "raise ValueError('text')",
        "print(undefined_name)",
        "def f():\n    return 1 / 0\nf()",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError('k')",
        "e = ValueError('x')\ne.add_note('a note')\nraise e",
        "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
        "def f(n):\n    f(n + 1)\ntry:\n    f(0)\nexcept RecursionError:\n    raise OSError('deep') from None",
        "import helper\nhelper.fail(3)",
        "import broken",
        "import missing_module",
        "import imports_broken",
        "compile('x =', 'inner', 'exec')",
        "sys.excepthook = lambda *a: print('hooked', a[0].__name__, a[2].tb_frame.f_code.co_name)\n1 / 0",
        "import atexit\natexit.register(lambda: print(sys.last_value, sys.last_traceback.tb_lineno))\n1 / 0",
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "assert 1 < 2 < len(sys.argv) < 0, 'chained'",
        "x = (1 if sys else 2) + ('a' and [n for n in range(3) if n])",
    ],
)
def test_tracebacks_are_those_of_plain_python(project: Project, failure: str) -> None:
    project.write("helper.py", "def fail(n):\n    if n:\n        fail(n - 1)\n    raise LookupError(n)")
    project.write("broken.py", "x = 1\ndef f(:\n    pass")
    project.write("imports_broken.py", "import broken")
    project.write("app.py", f"import sys\n{failure}\n")
    assert project.alike("app.py").status == 1


def test_tracebacks_of_modules(project: Project) -> None:
    project.write("pkg/__init__.py", "")
    project.write("pkg/tool.py", "import sys\ndef f():\n    raise ValueError(sys.argv[1:])\nf()")
    assert project.alike("-m", "pkg.tool", "x").status == 1


def test_warnings_show_the_same_text_and_place(project: Project) -> None:
    project.write("helper.py", "import warnings\ndef old():\n    warnings.warn('old', stacklevel=2)")
    project.write("app.py", "import helper\nfor _ in range(3):\n    helper.old()\nprint(1 is 1)\nprint('\\d')")
    assert "UserWarning: old" in project.alike("app.py").stderr
    project.env["PYTHONWARNINGS"] = "error"
    plain, measured = project.plain("app.py"), project.ramify("app.py")
    assert "SyntaxError" in plain.stderr
    assert measured.stderr.startswith(plain.stderr)


def test_a_reader_that_goes_away(project: Project) -> None:
    project.write("app.py", "import sys\nfor n in range(100000):\n    print(n)\n")
    for command in (f"{sys.executable} app.py", f"{' '.join(RAMIFY)} -o /dev/null app.py"):
        ended = project.execute(["bash", "-c", f"set -o pipefail; {command} | head -1"])
        assert ended.stdout == "0\n"
        assert ended.status == 1
        assert "BrokenPipeError" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
@pytest.mark.parametrize("handled", [True, False])
def test_a_signal_to_the_tool_reaches_the_program(project: Project, number: signal.Signals, handled: bool) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:  # as in the background of a shell: programs would inherit it
        signal.signal(number, signal.SIG_DFL)
    handler = f"signal.signal({int(number)}, lambda *a: sys.exit('handled'))" if handled else ""
    project.write(
        "app.py", f"import signal, sys\n{handler}\nprint('ready', flush=True)\nwhile True:\n    signal.pause()\n"
    )
    ended = []
    report = project.root / "report.json"
    for command in ([sys.executable], [*RAMIFY, "--format", "json", "-o", str(report)]):
        inherited = signal.signal(number, signal.SIG_DFL)  # nohup makes every program ignore SIGHUP
        try:
            process = project.start([*command, "app.py"])
        finally:
            signal.signal(number, inherited)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
        # The traceback of an interrupt names the line it came at, which is a matter of chance.
        ended.append((process.returncode, stderr.splitlines()[-1:]))
    plain, measured = ended
    assert measured[0] == plain[0]
    if handled or number != signal.SIGUSR1:
        assert measured[1] == plain[1]
        assert json.loads(report.read_text())["total"]["statements"]["covered"] > 0
    else:
        assert "1 process ended without leaving what it covered" in measured[1][0]


def test_an_ignored_signal_stays_ignored(project: Project) -> None:
    project.write("app.py", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint('still here')")
    for command in (f"{sys.executable} app.py", f"{' '.join(RAMIFY)} -o /dev/null app.py"):
        ended = project.execute(["bash", "-c", f"trap '' TERM; {command}"])
        assert (ended.stdout, ended.status) == ("still here\n", 0)


# -- objects of the main module -------------------------------------------------------------------


def test_classes_of_main_can_be_pickled(project: Project) -> None:
    project.write(
        "app.py",
        """
        import pickle, inspect
        class Point:
            def __init__(self, x): self.x = x
        def double(n): return 2 * n
        print(pickle.loads(pickle.dumps(Point(3))).x, pickle.loads(pickle.dumps(double))(4))
        print(pickle.dumps(Point(3), 0), inspect.getsource(Point), inspect.getsourcefile(double))
        """,
    )
    project.alike("app.py")


WORKERS = """
    import multiprocessing, sys

    def work(n):
        if n > 2:
            return "big"
        return "small"

    def only_in_the_parent():
        return 1

    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        pool = context.Pool(2)  # closed, not terminated: that may deadlock in Python itself on a busy machine
        print(pool.map(work, [1, 2, 3, 4]))
        pool.close()
        pool.join()
        only_in_the_parent()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_is_measured(project: Project, method: str) -> None:
    project.write("app.py", WORKERS)
    measured = project.alike("app.py", method)
    assert measured.covered["app.py"] == ["<module>", "work", "only_in_the_parent"]
    expected = ['line 11: `if __name__ == "__main__"` never false'] if method == "fork" else []
    assert [words for words in measured.missing("app.py") if "`with " not in words] == expected


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_of_a_module_is_measured(project: Project, method: str) -> None:
    project.write("pkg/__init__.py", "")
    project.write("pkg/app.py", WORKERS)
    assert "work" in project.alike("-m", "pkg.app", method).covered["app.py"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("ending", ["sys.exit(3)", "os._exit(3)", "1 / 0", "ready.set(); signal.pause()"])
def test_a_child_leaves_its_hits_however_it_ends(project: Project, method: str, ending: str) -> None:
    project.write(
        "app.py",
        f"""
        import multiprocessing, os, signal, sys
        def work(ready):
            {ending}
        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            ready = context.Event()
            child = context.Process(target=work, args=[ready], name="child")
            child.start()
            if "pause" in {ending!r}:
                ready.wait()
                child.terminate()
            child.join()
            print(child.exitcode)
        """,
    )
    plain, measured = project.plain("app.py"), project.ramify("app.py")
    assert (measured.stdout, measured.status) == (plain.stdout, plain.status)
    assert "work" in measured.covered["app.py"]


def test_forked_children_are_measured(project: Project) -> None:
    project.write(
        "app.py",
        """
        import os
        def child(how):
            if how == "exit":
                raise SystemExit(3)
            elif how == "_exit":
                os._exit(3)
            os.execvp("true", ["true"])
        for how in ("exit", "_exit", "exec"):
            pid = os.fork()
            if not pid:
                child(how)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
        """,
    )
    measured = project.alike("app.py")
    assert measured.missing("app.py") == []


CHILD = """
    import sys
    import helper

    def main():
        print(sys.argv, sys.path[0], __name__, helper.half(4))

    main()
"""


@pytest.mark.parametrize(
    "command", [["child.py", "x"], ["-m", "child", "x"], ["-B", "-u", "child.py"], ["-c", "import child"]]
)
def test_python_subprocesses_are_measured(project: Project, command: list[str]) -> None:
    project.write("helper.py", "def half(n):\n    return n / 2 if n else n")
    project.write("child.py", CHILD)
    project.write("app.py", f"import subprocess, sys\nsubprocess.run([sys.executable, *{command!r}])")
    assert project.alike("app.py").covered == {
        "app.py": ["<module>"],
        "child.py": ["<module>", "main"],
        "helper.py": ["<module>", "half"],
    }


RUNS_A_CHILD = "import subprocess, sys\nprint(subprocess.run([sys.executable, 'child.py']).returncode)"


def test_a_failing_child_shows_its_plain_traceback(project: Project) -> None:
    project.write("child.py", "def f():\n    raise ValueError\nf()")
    project.write("app.py", RUNS_A_CHILD)
    assert project.alike("app.py").stdout == "1\n"


def test_a_child_that_does_not_parse_fails_as_plainly(project: Project) -> None:
    project.write("child.py", "def f(:\n  pass")
    project.write("app.py", RUNS_A_CHILD)
    assert "SyntaxError" in project.alike("app.py").stderr


def test_a_child_with_an_environment_of_its_own_runs_unmeasured(project: Project) -> None:
    project.write("child.py", "print('child')")
    project.write("app.py", "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], env={})")
    assert project.alike("app.py").covered == {"app.py": ["<module>"]}


def test_a_killed_child_is_said_to_be_lost(project: Project) -> None:
    project.write("child.py", "import os\nos.kill(os.getpid(), 9)")
    project.write("app.py", RUNS_A_CHILD)
    measured = project.ramify("app.py")
    assert measured.stdout == "-9\n"
    assert "1 process ended without leaving what it covered" in measured.stderr


def test_scripts_run_by_runpy_are_measured(project: Project) -> None:
    project.write("child.py", "import sys\nprint(sys.argv, sys.path[0], __name__, __package__, __spec__)")
    project.write(
        "app.py", "import runpy\nfor n in 'x.y', 'z': print(sorted(runpy.run_path('child.py', run_name=n)))"
    )
    assert "child.py" in project.alike("app.py").covered


# -- what is measured -----------------------------------------------------------------------------


@pytest.fixture
def shop(project: Project) -> Project:
    project.write("app.py", "import shop.cart, tools.text\nprint(shop.cart.total([1]))")
    project.write("shop/__init__.py", "")
    project.write("shop/cart.py", "def total(prices):\n    return sum(p for p in prices if p > 0)")
    project.write("shop/unused.py", "def f(x):\n    return x if x else 1")
    project.write("tools/text.py", "")
    project.write(".venv/lib/site-packages/other.py", "")
    return project


def test_by_default_the_modules_around_the_script(shop: Project) -> None:
    assert set(shop.ramify("app.py").covered) == {"app.py", "__init__.py", "cart.py", "text.py"}


def test_source_and_omit(shop: Project) -> None:
    assert set(shop.ramify("--source", "shop", "app.py").covered) == {"__init__.py", "cart.py", "unused.py"}
    assert set(shop.ramify("--source", "shop", "--omit", "*.unused", "app.py").covered) == {
        "__init__.py",
        "cart.py",
    }
    assert set(shop.ramify("--source", "tools", "app.py").covered) == {"text.py"}
    assert set(shop.ramify("--source", "shop/cart.py", "app.py").covered) == {"cart.py"}
    assert set(shop.ramify("--source", "shop.c*", "--source", "app", "app.py").covered) == {"app.py", "cart.py"}
    assert set(shop.ramify("--source", ".", "--omit", "s*/*", "app.py").covered) == {"app.py", "text.py"}


def test_a_module_never_imported_is_counted_when_it_was_asked_for(shop: Project) -> None:
    covered = shop.ramify("--source", "shop", "app.py").covered
    assert covered["unused.py"] == []


def test_a_tool_run_as_a_module_measures_what_is_here(shop: Project) -> None:
    shop.write("test_shop.py", "import unittest, shop.cart\nclass T(unittest.TestCase):\n    def test(self): pass")
    assert set(shop.ramify("-m", "unittest", "-q").covered) == {"__init__.py", "cart.py", "test_shop.py"}


def test_nothing_measured_is_said(shop: Project) -> None:
    measured = shop.ramify("--source", "absent_package", "app.py")
    assert measured.stderr == (
        "ramify: nothing was measured: the program imported no module selected by absent_package\n"
    )
    assert measured.status == 0


# -- the report -----------------------------------------------------------------------------------


def test_the_text_report_goes_to_stderr(shop: Project) -> None:
    ended = shop.execute([*RAMIFY, "app.py"])
    assert ended.stdout == "1\n"
    assert "shop/cart.py" in ended.stderr
    assert "`if p > 0` never false" in ended.stderr


def test_the_report_goes_where_output_says(shop: Project) -> None:
    ended = shop.execute([*RAMIFY, "-o", "-", "app.py"])
    assert ended.stdout.startswith("1\n")
    assert "never false" in ended.stdout
    assert ended.stderr == ""
    ended = shop.execute([*RAMIFY, "--format", "json", "--output", "out.json", "app.py"])
    assert (ended.stdout, ended.stderr) == ("1\n", "")
    assert json.loads((shop.root / "out.json").read_text())["total"]["branches"]["covered"] > 0


def test_fail_under(shop: Project) -> None:
    assert shop.ramify("--fail-under", "10", "app.py").status == 0
    failed = shop.ramify("--fail-under", "99.5", "app.py")
    assert failed.status == 1
    assert "below the required 99.5%" in failed.stderr
    shop.write("app.py", "import shop.cart, sys\nsys.exit(7)")
    assert shop.ramify("--fail-under", "100", "app.py").status == 7


def test_a_coverage_data_file(shop: Project) -> None:
    pytest.importorskip("coverage")
    shop.ramify("--data-file", "data", "app.py")
    report = shop.execute([sys.executable, "-m", "coverage", "report", "--data-file=data"])
    assert "shop/cart.py" in report.stdout


# -- input errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.py"], "cannot read absent.py: No such file or directory"),
        (["empty"], "empty is a directory without a __main__.py"),
        (["broken.py"], "broken.py:2:"),
        (["nul.py"], "nul.py: does not parse: "),
        (["-m", "absent"], "no module named absent"),
        (["-m", "pkg.absent"], "no module named pkg.absent"),
        (["-m", "pkg"], "pkg is a package without a __main__ module and cannot be run"),
        (["-m", "pkg.broken"], "broken.py:1:"),
        (["-m", "dir/file.py"], "'dir/file.py' is not the name of a module; a script is run without -m"),
        (["--source", "no good", "app.py"], "'no good' is neither a module name"),
        (["--source", "./absent", "app.py"], "no such file or directory: ./absent"),
        (["--source", "", "app.py"], "an empty pattern selects nothing"),
        (["--omit", "a..b", "app.py"], "'a..b' is neither a module name"),
        (["--source", "ramify", "app.py"], "Ramify does not measure itself: ramify"),
        (["--fail-under", "101", "app.py"], "101"),
        (["-o", "absent/report", "app.py"], "cannot write absent/report"),
        (["--data-file", "empty", "app.py"], "cannot write empty"),
        ([], "Missing argument 'TARGET'"),
    ],
)
def test_input_errors_are_one_line_and_status_2(project: Project, arguments: list[str], message: str) -> None:
    (project.root / "empty").mkdir()
    project.write("app.py", "print('must not run')")
    project.write("broken.py", "x = 1\nif x\n")
    (project.root / "nul.py").write_bytes(b"x = 1\n\0")
    project.write("pkg/__init__.py", "print('must not run')")
    project.write("pkg/broken.py", "def")
    ended = project.execute([*RAMIFY, *arguments])
    assert ended.status == 2
    assert ended.stdout == ""
    lines = [line for line in ended.stderr.splitlines() if not line.startswith(("Usage:", "Try ")) and line]
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_script(project: Project) -> None:
    project.write("app.py", "").chmod(0)
    assert project.execute([*RAMIFY, "app.py"]).stderr == "ramify: cannot read app.py: Permission denied\n"


def test_isolated_interpreters_are_refused(project: Project) -> None:
    project.write("app.py", "")
    ended = project.execute([sys.executable, "-E", "-m", "ramify", "run", "app.py"])
    assert ended.status == 2
    assert "run Ramify without -E, -I and -S" in ended.stderr
