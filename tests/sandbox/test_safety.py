"""Whatever a target does ends as an outcome, the search goes on, and what was found is kept: a table of faults,
one row each, and of operations that are refused.

Every snippet is the body of `if x == 7:` in a function that otherwise returns "fine", so a row shows both: what
became of the fault, and that the other path was found.
"""

# ruff: noqa: E501 - tables in rows

import json
import os
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ramify
from ramify.commands.explore_command import command
from ramify.errors import InputError
from ramify.exploring import targets
from ramify.runtime.sandbox import MIB, Policy
from ramify.runtime.terms import spelled

LIMITS = Policy(memory=128 * MIB, seconds=1.0, output=10_000)

TEMPLATE = """
import builtins, ctypes, os, random, shutil, signal, socket, subprocess, sys, threading, time, faulthandler

{setup}

def target(x: int):
    if x == 7:
{body}
    return "fine"
"""


def explored(folder: Path, body: str, setup: str = "", policy: Policy = LIMITS) -> dict[str, Any]:
    """The path with x == 7 and the other one."""
    file = folder / "subject.py"
    file.write_text(TEMPLATE.format(setup=textwrap.dedent(setup), body=textwrap.indent(textwrap.dedent(body), " " * 8)))
    paths: dict[bool, Any] = {}
    for path in ramify.explore(f"{file}:target", policy=policy):
        paths.setdefault(eval(path.call)["x"] == 7, path)
        if len(paths) == 2:  # the rest of the time would go into inputs that reach what was refused
            break
    assert paths[False].result == "fine"
    assert set(paths) == {True, False}, "the fault's path was not found"
    return {"fault": paths[True], "file": str(file)}


def seen(path: Any) -> str:
    """A path in one line."""
    if path.exception is not None:
        return f"{path.outcome} {type(path.exception).__name__}: {path.exception}"
    reason = path.execution.reason
    return f"{path.outcome} {reason if reason else spelled(path.result)}"


FAULTS = {
    # leaving
    "sys.exit": ("sys.exit(3)", "raised SystemExit: 3"),
    "os._exit": ("os._exit(3)", "crashed exited with status 3 by os._exit"),
    "os.abort": ("os.abort()", "crashed aborted"),
    "a fault in C": ("faulthandler._sigsegv()", "crashed segmentation fault"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "raised KeyboardInterrupt: "),
    "its own BaseException": ("class Own(BaseException): pass\nraise Own('mine')", "raised Own: mine"),
    "its own exception with a strange constructor": ("class Own(ValueError):\n    def __init__(self, a, b): super().__init__(a + b)\nraise Own('m', 'n')", "raised Own: mn"),
    # memory and depth
    "a huge text": ("return 'a' * 10**11", "raised MemoryError: "),
    "a huge list": ("return [0] * 10**10", "raised MemoryError: "),
    "growing for ever": ("kept = [0]\nwhile True: kept += kept", "raised MemoryError: "),
    "recursion": ("def f(n): return f(n + 1)\nreturn f(0)", "raised RecursionError: "),
    "recursion with a raised limit": ("sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nreturn f(0)", "raised MemoryError|crashed |raised RecursionError|cut "),
    "recursion through operators": ("sys.setrecursionlimit(10**9)\nclass A:\n    def __add__(self, o): return self + o\nreturn A() + A()", "crashed |raised RecursionError"),
    "comparing nested lists": ("a = b = []\nfor _ in range(10**5): a, b = [a], [b]\nreturn a == b", "raised RecursionError: "),
    "repr of nested lists": ("a = []\nfor _ in range(10**5): a = [a]\nreturn len(repr(a))", "raised RecursionError: "),
    "json of nested lists": ("import json\na = []\nfor _ in range(10**5): a = [a]\nreturn len(json.dumps(a))", "raised RecursionError: "),
    "deepcopy of nested lists": ("import copy\na = []\nfor _ in range(10**5): a = [a]\nreturn len(copy.deepcopy(a))", "raised RecursionError: "),
    "a nested result": ("a = []\nfor _ in range(10**5): a = [a]\nreturn a", "returned [[[[["),
    "a result that contains itself": ("a = [1]\na.append(a)\nreturn a", "returned [1, [...]]"),
    "a large result": ("return 'a' * 10**7", "returned <str of 100000"),
    # time
    "an endless loop": ("while True: pass", "cut more than 1,500,000 steps|cut no end after"),
    "an endless loop in a bare except": ("while True:\n    try:\n        while True: pass\n    except: pass", "crashed killed after|cut more than 1,500,000 steps|cut no end after"),
    "an endless loop in C": ("sum(range(10**12))", "crashed killed after"),
    "sleeping": ("time.sleep(3600)", "cut no end after"),
    "waiting for a lock": ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "cut no end after"),
    "waiting for input": ("input()", "raised EOFError: "),
    "an endless repr": ("class A:\n    def __repr__(self):\n        while True: pass\nreturn A()", "returned <A whose repr raised Cut>"),
    # output
    "a million lines": ("for _ in range(10**6): print('line')", "cut wrote more than 9.766 KiB of output"),
    "a million lines to the real stdout": ("for _ in range(10**5): print('line', file=sys.__stdout__)\nos.write(1, b'raw')\nos.system", "returned 'fine'"),
    "closing stdout": ("sys.stdout.close()", "returned 'fine'"),
    "printing to a closed stdout": ("sys.stdout.close()\nprint('x')", "raised ValueError: I/O operation on closed file."),
    "closing descriptor 1": ("os.close(1)\nos.close(2)", "returned 'fine'"),
    "closing standard input and a descriptor that restores it": ("import ramify.runtime.sandbox.child as c\nos.close(c._here.state._nowhere)\nos.close(0)\nraise ValueError", "raised ValueError: "),
    "closing all descriptors": ("os.closerange(0, 100000)", "crashed closed its connection to ramify"),
    "replacing stdout": ("sys.stdout = sys.stderr = None", "returned 'fine'"),
    # special methods
    "repr that raises": ("class A:\n    def __repr__(self): raise ValueError\nreturn A()", "returned <A whose repr raised ValueError>"),
    "repr that is no text": ("class A:\n    def __repr__(self): return 5\nreturn [A()]", "returned [<A whose repr raised TypeError>]"),
    "eq that raises": ("class A:\n    def __eq__(self, o): raise ValueError\n    __hash__ = object.__hash__\n    def __repr__(self): return 'A'\nreturn {A(), A()}", "returned {A, A}"),
    "hash that raises": ("class A:\n    n = 0\n    def __hash__(self):\n        A.n += 1\n        if A.n > 1: raise ValueError\n        return 1\n    def __repr__(self): return 'A'\nreturn {A()}", "returned {A}"),
    "del that raises": ("class A:\n    def __del__(self): raise ValueError\nA()", "returned 'fine'"),
    "str of an exception that raises": ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "raised E: <E without text>"),
    "repr that leaves": ("class A:\n    def __repr__(self): raise SystemExit\nreturn A()", "returned <A whose repr raised SystemExit>"),
    "a metaclass that raises": ("class M(type):\n    __name__ = __module__ = property(lambda c: 1 / 0)\n    def __hash__(c): raise ValueError\n    def __eq__(c, o): raise ValueError\nclass A(metaclass=M):\n    def __repr__(self): return 'A'\nreturn A()", "returned A"),
    "a huge exception": ("raise ValueError('a' * 10**7)", "raised ValueError: aaa"),
    "getattr that raises": ("class A:\n    def __getattribute__(self, n): raise ValueError(n)\n    def __repr__(self): return 'A'\nreturn A()", "returned A"),
    "reduce that raises": ("class A(dict):\n    def __reduce_ex__(self, p): raise ValueError\nreturn A(a=1)", "returned {'a': 1}"),
    # what is left behind
    "a thread": ("threading.Thread(target=time.sleep, args=(3600,)).start()", "returned 'fine'"),
    "an open generator": ("def g():\n    try: yield 1\n    finally: print('closed')\nit = g()\nnext(it)\nbuiltins.kept = it", "returned 'fine'"),
    "an exit handler": ("import atexit\natexit.register(os._exit, 5)", "returned 'fine'"),
    "an open file": ("builtins.kept = open(__file__)", "returned 'fine'"),
    "a trace function": ("sys.settrace(lambda *a: 1 / 0)\nsys.setprofile(lambda *a: None)", "returned 'fine'"),
    "a low recursion limit": ("depth, frame = 25, sys._getframe()\nwhile frame: depth, frame = depth + 1, frame.f_back\nsys.setrecursionlimit(depth)", "returned 'fine'"),
    # what is replaced
    "time": ("time.time = time.perf_counter = time.monotonic = lambda: 1 / 0", "returned 'fine'"),
    "random": ("random.random = random.seed = lambda *a: 1 / 0", "returned 'fine'"),
    "print": ("builtins.print = lambda *a: 1 / 0", "returned 'fine'"),
    "builtins that the engine uses": ("builtins.len = builtins.isinstance = builtins.__import__ = builtins.setattr = None", "returned 'fine'"),
    "the modules": ("sys.modules.clear()", "returned 'fine'"),
    "another table of modules": ("sys.modules = {}", "returned 'fine'"),
    "open and os.write": ("builtins.open = os.write = os.read = os._exit = lambda *a: 1 / 0", "returned 'fine'"),
    "pickle": ("import pickle\npickle.dumps = pickle.loads = pickle.Pickler = lambda *a: 1 / 0", "returned 'fine'"),
    "the working directory": ("os.chdir('/')", "returned 'fine'"),
    "the environment": ("os.environ['PATH'] = 'x'", "returned 'fine'"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "outcome"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_an_outcome_and_the_search_goes_on(body: str, outcome: str, tmp_path: Path) -> None:
    fault = explored(tmp_path, body)["fault"]
    assert seen(fault).startswith(tuple(outcome.split("|")))
    if "killed after" not in seen(fault) and "setrecursionlimit(10" not in body:  # these may end before they tell
        assert fault.path_condition == "x == 7"


REFUSED = {
    "open for writing": ("open({p!r}, 'w')", "write", "write {p}"),
    "open for appending": ("open({p!r}, 'a')", "write", "write {p}"),
    "open for changing": ("open(__file__, 'r+')", "write", "write {f}"),
    "exclusive creation": ("open({p!r}, 'x')", "write", "write {p}"),
    "os.open": ("os.open({p!r}, os.O_CREAT | os.O_WRONLY)", "write", "write {p}"),
    "pathlib": ("import pathlib\npathlib.Path({p!r}).write_text('x')", "write", "write {p}"),
    "os.remove": ("os.remove(__file__)", "write", "delete {f}"),
    "os.unlink": ("os.unlink(__file__)", "write", "delete {f}"),
    "os.rename": ("os.rename(__file__, {p!r})", "write", "rename {f}"),
    "os.replace": ("os.replace(__file__, {p!r})", "write", "rename {f}"),
    "os.mkdir": ("os.mkdir({p!r})", "write", "make the directory {p}"),
    "os.makedirs": ("os.makedirs({p!r})", "write", "make the directory {p}"),
    "os.rmdir": ("os.rmdir({p!r})", "write", "delete the directory {p}"),
    "os.chmod": ("os.chmod(__file__, 0)", "write", "change the mode of {f}"),
    "os.chown": ("os.chown(__file__, 0, 0)", "write", "change the owner of {f}"),
    "os.link": ("os.link(__file__, {p!r})", "write", "link {f}"),
    "os.symlink": ("os.symlink(__file__, {p!r})", "write", "link {f}"),
    "os.truncate": ("os.truncate(__file__, 0)", "write", "truncate {f}"),
    "os.utime": ("os.utime(__file__)", "write", "change the times of {f}"),
    "os.mkfifo": ("os.mkfifo({p!r})", "write", "call os.mkfifo"),
    "os.mknod": ("os.mknod({p!r})", "write", "call os.mknod"),
    "shutil.rmtree": ("shutil.rmtree(os.path.dirname(__file__))", "write", "delete the tree "),
    "shutil.copy": ("shutil.copy(__file__, {p!r})", "write", "copy {f}"),
    "shutil.move": ("shutil.move(__file__, {p!r})", "write", "move {f}"),
    "tempfile": ("import tempfile\ntempfile.mkdtemp(dir={d!r})", "write", "make the directory {d}"),
    "sqlite3": ("import sqlite3\nsqlite3.connect({p!r})", "write", "open the database {p}"),
    "dbm": ("import dbm\ndbm.open({p!r}, 'c')['a'] = 'b'", "write", ""),
    "logging to a file": ("import logging\nlogging.FileHandler({p!r})", "write", "write {p}"),
    "os.fork": ("os.fork()", "subprocess", "fork the process"),
    "os.execv": ("os.execv('/bin/true', ['true'])", "subprocess", "execute /bin/true"),
    "os.system": ("os.system('true')", "subprocess", "execute true"),
    "os.popen": ("os.popen('true')", "subprocess", "execute /bin/sh"),
    "os.posix_spawn": ("os.posix_spawn('/bin/true', ['true'], os.environ)", "subprocess", "execute /bin/true"),
    "subprocess": ("subprocess.run(['true'])", "subprocess", "execute true"),
    "fork_exec": ("import _posixsubprocess\n_posixsubprocess.fork_exec()", "subprocess", "call posixsubprocess.fork_exec"),
    "multiprocessing": ("import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()", "subprocess", "fork the process"),
    "webbrowser": ("import webbrowser\nwebbrowser.GenericBrowser('true').open('about:blank')", "subprocess", "open about:blank"),
    "connect": ("socket.socket().connect(('127.0.0.1', 9))", "network", "connect a socket 127.0.0.1 9"),
    "bind": ("socket.socket().bind(('127.0.0.1', 0))", "network", "bind a socket"),
    "sendto": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))", "network", "send from a socket"),
    "getaddrinfo": ("socket.getaddrinfo('localhost', 80)", "network", "look up localhost"),
    "urllib": ("import urllib.request\nurllib.request.urlopen('http://localhost/')", "network", "request http://localhost/"),
    "http.client": ("import http.client\nhttp.client.HTTPConnection('localhost').connect()", "network", "connect to localhost"),
    "ctypes.CDLL": ("ctypes.CDLL('libc.so.6')", "ctypes", "load the C library libc.so.6"),
    "ctypes.pythonapi": ("ctypes.pythonapi.Py_GetVersion", "ctypes", "call the C function Py_GetVersion"),
    "ctypes.string_at": ("ctypes.string_at(0)", "ctypes", "read memory at 0"),
    "os.kill": ("os.kill(os.getppid(), 9)", "signal", "send a signal to process "),
    "os.killpg": ("os.killpg(0, 9)", "signal", "send a signal to process group 0"),
    "signal.signal": ("signal.signal(signal.SIGALRM, signal.SIG_IGN)", "signal", "call signal.signal"),
    "signal.alarm": ("signal.alarm(1)", "signal", "call signal.alarm"),
    "signal.setitimer": ("signal.setitimer(signal.ITIMER_REAL, 1)", "signal", "call signal.setitimer"),
    "signal.raise_signal": ("signal.raise_signal(signal.SIGKILL)", "signal", "call signal.raise_signal"),
    "setrlimit": ("import resource\nresource.setrlimit(resource.RLIMIT_AS, (1, 1))", "system", "change the limit"),
    "gc.get_objects": ("import gc\ngc.get_objects()", "gc", "list all objects"),
    "the guard itself": ("import ramify.runtime.sandbox.guard as g\ng._culprit.__code__ = (lambda frame: 1 / 0).__code__", "system", "change _culprit of ramify itself"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "kind", "action"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_told_with_its_line_even_if_it_is_swallowed(
    body: str, kind: str, action: str, tmp_path: Path
) -> None:
    names = {"p": str(tmp_path / "new"), "d": str(tmp_path), "f": str(tmp_path / "subject.py")}
    tried = textwrap.indent(body.format(**names), "    ")
    before = sorted(os.listdir(tmp_path))
    found = explored(tmp_path, f"try:\n{tried}\nexcept PermissionError as error:\n    return str(error)")
    path = found["fault"]
    refusals = path.execution.refusals
    assert {refusal.kind for refusal in refusals} == {kind}
    assert refusals[0].action.startswith(action.format(**names))
    text = Path(found["file"]).read_text().splitlines()
    assert text[refusals[0].line - 1].strip() == body.format(**names).splitlines()[-1]
    assert refusals[0].file == found["file"]
    assert f"--allow {kind}" in path.result
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "subject.py"])


HARMLESS = {
    "reading": ("with open(__file__) as file: return file.readline()", "'\\n'"),
    "the null device": ("with open(os.devnull, 'w') as file: return file.write('x')", "1"),
    "a database in memory": ("import sqlite3\nreturn sqlite3.connect(':memory:').execute('select 1').fetchone()", "(1,)"),
    "a pipe": ("r, w = os.pipe()\nos.write(w, b'x')\nreturn os.read(r, 1)", "b'x'"),
    "a pair of sockets": ("a, b = socket.socketpair()\na.send(b'x')\nreturn b.recv(1)", "b'x'"),
    "an event loop": ("import asyncio\nasync def f(): return await asyncio.sleep(0, 5)\nreturn asyncio.run(f())", "5"),
    "a pool of threads": ("from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool: return list(pool.map(abs, [-1, 2]))", "[1, 2]"),
    "importing ctypes": ("return ctypes.sizeof(ctypes.c_int8)", "1"),
    "the environment": ("os.environ['RAMIFY_X'] = '1'\nreturn os.environ['RAMIFY_X']", "'1'"),
    "asking for the temporary folder": ("import tempfile\nreturn bool(tempfile.gettempdir())", "True"),
    "the buffer of stdout": ("sys.stdout.buffer.write(b'x')\nreturn 1", "1"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "result"), HARMLESS.values(), ids=HARMLESS)
def test_what_harms_nobody_is_not_refused(body: str, result: str, tmp_path: Path) -> None:
    path = explored(tmp_path, body)["fault"]
    assert (seen(path), path.execution.refusals) == (f"returned {result}", [])


def test_what_is_allowed_is_done(tmp_path: Path) -> None:
    policy = Policy(allow=frozenset({"write", "subprocess"}))
    body = f"open({str(tmp_path / 'new')!r}, 'w').close()\nreturn subprocess.run(['true']).returncode"
    path = explored(tmp_path, body, policy=policy)["fault"]
    assert (path.result, path.execution.refusals) == (0, [])
    assert (tmp_path / "new").exists()
    with pytest.raises(InputError, match="nothing called 'everything' can be allowed; there is write, subprocess"):
        Policy(allow=frozenset({"everything"}))


def test_a_crash_on_the_very_first_run_still_leads_to_the_other_paths(tmp_path: Path) -> None:
    file = tmp_path / "first.py"
    file.write_text(
        "import os\ndef f(x: int, values: list[int]):\n    if x == 5:\n        return 'five'\n"
        "    if len(values) == 2 and values[1] > 3:\n        return 'two'\n    os.abort()\n"
    )
    assert {path.result for path in ramify.explore(f"{file}:f")} == {"five", "two", None}
    for strategy in (None, "generational"):
        exploration = ramify.explore(f"{file}:f", mode="peer", strategy=strategy)
        paths = list(exploration)
        assert {path.result for path in paths} == {"five", "two", None}
        crashes = [path for path in paths if path.outcome == "crashed"]
        assert len({path.path_condition for path in crashes}) == len(crashes) > 1
        assert exploration.summary.crashed == len(crashes)
        assert exploration.summary.divergences == 0
        assert exploration.summary.stop in ("incomplete", "time")  # on a busy machine the second


def test_what_lies_behind_a_refusal_is_not_called_infeasible(tmp_path: Path) -> None:
    file = tmp_path / "refused.py"
    file.write_text(
        "import os\ndef f(x: int):\n    if x == 7:\n        if os.fork() == 0:\n            return 1\n    return 0\n"
    )
    exploration = ramify.explore(f"{file}:f", budget=3)
    ends = [(path.outcome, path.call) for path in exploration]
    assert sorted(ends) == [("raised", "{'x': 7}"), ("returned", "{'x': 0}")]
    behind = [verdict for verdict in exploration.edge_verdicts() if verdict.edge.line == 4]
    assert {verdict.kind for verdict in behind} == {"unsolved"}
    assert all(v.reason.endswith("; something was refused at line 4 (--allow subprocess)") for v in behind)
    assert exploration.summary.stop in ("incomplete", "time")  # on a busy machine the second


def test_crashes_that_end_alike_are_inputs_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "alike.py"
    file.write_text("import os\ndef f(x: int):\n" + "".join(f"    if x == {n}: os.abort()\n" for n in (7, 8, 9)))
    exploration = ramify.explore(f"{file}:f")
    crashed = {path.call for path in exploration if path.outcome == "crashed"}
    assert crashed == {"{'x': 7}", "{'x': 8}", "{'x': 9}"}
    assert exploration.summary.crashed == 3
    assert {verdict.kind for verdict in exploration.edge_verdicts()} == {"covered"}


def test_the_way_into_a_run_that_never_answers_is_known(tmp_path: Path) -> None:
    file = tmp_path / "silent.py"
    file.write_text("def f(x: int):\n    if x == 7:\n        if x > 0:\n            sum(range(10**12))\n    return x\n")
    exploration = ramify.explore(f"{file}:f", policy=replace(LIMITS, seconds=0.5), max_runs=6)
    (killed,) = [path for path in exploration if path.outcome == "crashed"]
    assert killed.path_condition == "x == 7 and x > 0"
    taken = {verdict.edge.line for verdict in exploration.edge_verdicts() if verdict.kind == "covered"}
    assert taken == {2, 3}


def test_the_text_shows_some_of_a_flood_and_jsonl_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "flood.py"
    file.write_text("def f():\n    for n in range(5000): print(n)\n    return 'a' * 5000\n")
    text = CliRunner().invoke(command, [f"{file}:f"]).stdout
    assert "    | 19\n    | ... (4,980 more lines)\n" in text
    assert "a... (4,002 more characters)\n" in text
    assert len(text.splitlines()) < 30
    record = json.loads(CliRunner().invoke(command, [f"{file}:f", "--format", "jsonl"]).stdout.splitlines()[0])
    assert len(record["output"].splitlines()) == len(record["result"]) - 2 == 5000


def test_the_path_to_a_crash_is_known_decision_for_decision(tmp_path: Path) -> None:
    file = tmp_path / "long.py"
    file.write_text(
        "import os\ndef f(x: int, y: int | None):\n    \"\"\"\n    :assume: x >= 0\n    :ensure: returnv == 0\n    \"\"\"\n"
        "    total = x\n    for i in range(40):\n        total = total + x\n        if total > 5 * i:\n            continue\n"
        "    if y is not None and y > 3:\n        os.abort()\n    return 0\n"
    )
    exploration = ramify.explore(f"{file}:f", strategy="bfs", max_runs=12)
    paths = list(exploration)
    crashed = next(path for path in paths if path.outcome == "crashed")
    assert len(crashed.decisions) > 40
    assert [d.phase.value for d in crashed.decisions].count("build") == 1
    assert exploration.summary.divergences == 0


def test_what_one_run_changes_the_next_does_not_see(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(
        "import builtins, os, random, sys, time, threading\n"
        "def f(x: int):\n"
        "    state = (hasattr(builtins, 'left'), os.getcwd(), os.environ.get('LEFT'), time.time is real[0],\n"
        "             random.random is real[1], threading.active_count(), sys.getrecursionlimit() > 90)\n"
        "    builtins.left = 1\n    os.chdir('/')\n    os.environ['LEFT'] = '1'\n    time.time = random.random = None\n"
        "    threading.Thread(target=real[2], args=(3600,), daemon=True).start()\n"
        "    return (state, 'a' if x > 3 else 'b' if x < -3 else 'c')\n"
        "real = time.time, random.random, time.sleep\n"
    )
    results = [path.result for path in ramify.explore(f"{file}:f", policy=LIMITS)]
    assert sorted(result[1] for result in results) == ["a", "b", "c"]
    assert {result[0] for result in results} == {(False, os.getcwd(), None, True, True, 1, True)}


IMPORTS = {
    "exit": ("import sys\nsys.exit('no')", "importing it raised SystemExit: no"),
    "os._exit": ("import os\nos._exit(4)", "importing it: exited with status 4 by os._exit"),
    "crash": ("import os\nos.abort()", "importing it: aborted"),
    "endless": ("while True: pass", "importing it: killed after 0.2 s: no answer"),
    "writing": ("open('x', 'w')", r"importing it raised PermissionError: write x: refused by ramify \(allow with --allow write\)"),
    "its own BaseException": ("class Own(BaseException): pass\nraise Own('mine')", "importing it: Own: mine"),
    "what a refusal led to": ("try: open('/x', 'w')\nexcept OSError: raise KeyError('here') from None", "importing it raised KeyError: 'here' .*bad.py:2.; before that, line 1 tried to write /x: refused .allow with --allow write"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "words"), IMPORTS.values(), ids=IMPORTS)
def test_a_module_that_cannot_be_imported_is_one_line(source: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"{source}\ndef f(x: int): return x\n")
    policy = Policy(import_seconds=0.2)
    with pytest.raises(InputError, match=f"bad.py: {words}"):
        ramify.explore(f"{file}:f", policy=policy)
    with pytest.raises(InputError, match=f"bad.py: {words}"):
        list(targets(str(file), policy))


def test_the_command_tells_crashes_and_refusals(tmp_path: Path) -> None:
    file = tmp_path / "harm.py"
    file.write_text(
        "import os\ndef f(x: int):\n    if x == 7:\n        os._exit(3)\n    if x == 8:\n        open('/x', 'w')\n"
    )
    text = CliRunner().invoke(command, [f"{file}:f"]).stdout
    assert "f(x=7) crashes: exited with status 3 by os._exit\n" in text
    assert "f(x=8) raises PermissionError: write /x: refused by ramify (allow with --allow write)\n" in text
    assert "    line 6 tried to write /x: refused (allow with --allow write)\n" in text
    assert "1 crashed" in text
    result = CliRunner().invoke(command, [f"{file}:f", "--format", "jsonl", "--memory", "500", "--run-seconds", "5"])
    records = [json.loads(line) for line in result.stdout.splitlines()]
    crash = next(record for record in records if record.get("outcome") == "crashed")
    assert (crash["reason"], crash["result"]) == ("exited with status 3 by os._exit", None)
    refused = next(record["refused"] for record in records if "refused" in record)
    assert refused == [{"kind": "write", "action": "write /x", "file": str(file), "line": 6}]
    assert records[-1]["crashed"] == 1
    wrong = CliRunner().invoke(command, [f"{file}:f", "--allow", "all"])
    assert isinstance(wrong.exception, InputError)
