"""Whatever a target does ends as an outcome, the search goes on, and what was found is kept: a table of faults,
one row each, and of operations that are refused.

Every snippet is the body of `if x == 7:` in a function that otherwise returns "fine", so a row shows both: what
became of the fault, and that the other path was found.
"""

# ruff: noqa: E501 - tables in rows

import os
import textwrap
from pathlib import Path
from typing import Any

import pytest

import ramify
from ramify.runtime.policy import MIB, Policy

LIMITS = Policy(memory=128 * MIB, seconds=0.3, output=10_000)

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
    paths = {eval(path.call)["x"] == 7: path for path in ramify.explore(f"{file}:target", policy=policy)}
    assert paths[False].result == "fine"
    assert set(paths) == {True, False}, "the fault's path was not found"
    return {"fault": paths[True], "file": str(file)}


def seen(path: Any) -> str:
    """A path in one line."""
    if path.exception is not None:
        return f"{path.outcome} {type(path.exception).__name__}: {path.exception}"
    reason = path.execution.reason
    return f"{path.outcome} {reason if reason else repr(path.result)}"


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
    "a nested result": ("a = []\nfor _ in range(10**5): a = [a]\nreturn a", "returned <list whose repr raised RecursionError>"),
    "a result that contains itself": ("a = [1]\na.append(a)\nreturn a", "returned [1, [...]]"),
    "a large result": ("return 'a' * 10**7", "returned <str of 10000009 bytes, too large to keep>"),
    # time
    "an endless loop": ("while True: pass", "cut no end after"),
    "an endless loop in a bare except": ("while True:\n    try:\n        while True: pass\n    except: pass", "crashed killed after 0.3 s: no answer|cut no end after"),
    "an endless loop in C": ("sum(range(10**12))", "crashed killed after 0.3 s: no answer"),
    "sleeping": ("time.sleep(3600)", "cut no end after"),
    "waiting for a lock": ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "cut no end after"),
    "waiting for input": ("input()", "raised EOFError: "),
    "an endless repr": ("class A:\n    def __repr__(self):\n        while True: pass\nreturn A()", "crashed killed after 0.3 s: no answer"),
    # output
    "a million lines": ("for _ in range(10**6): print('line')", "cut wrote more than 9.766 KiB of output"),
    "a million lines to the real stdout": ("for _ in range(10**5): print('line', file=sys.__stdout__)\nos.write(1, b'raw')\nos.system", "returned 'fine'"),
    "closing stdout": ("sys.stdout.close()", "returned 'fine'"),
    "printing to a closed stdout": ("sys.stdout.close()\nprint('x')", "raised ValueError: I/O operation on closed file."),
    "closing descriptor 1": ("os.close(1)\nos.close(2)", "returned 'fine'"),
    "closing all descriptors": ("os.closerange(0, 100000)", "crashed "),
    "replacing stdout": ("sys.stdout = sys.stderr = None", "returned 'fine'"),
    # special methods
    "repr that raises": ("class A:\n    def __repr__(self): raise ValueError\nreturn A()", "returned <A whose repr raised ValueError>"),
    "repr that is no text": ("class A:\n    def __repr__(self): return 5\nreturn [A()]", "returned [<A whose repr raised TypeError>]"),
    "eq that raises": ("class A:\n    def __eq__(self, o): raise ValueError\n    __hash__ = object.__hash__\n    def __repr__(self): return 'A'\nreturn {A(), A()}", "returned {A, A}"),
    "hash that raises": ("class A:\n    n = 0\n    def __hash__(self):\n        A.n += 1\n        if A.n > 1: raise ValueError\n        return 1\n    def __repr__(self): return 'A'\nreturn {A()}", "returned {A}"),
    "del that raises": ("class A:\n    def __del__(self): raise ValueError\nA()", "returned 'fine'"),
    "str of an exception that raises": ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E", "raised E: <E without text>"),
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
    "open and os.write": ("builtins.open = os.write = os.read = os._exit = lambda *a: 1 / 0", "returned 'fine'"),
    "pickle": ("import pickle\npickle.dumps = pickle.loads = pickle.Pickler = lambda *a: 1 / 0", "returned 'fine'"),
    "the working directory": ("os.chdir('/')", "returned 'fine'"),
    "the environment": ("os.environ['PATH'] = 'x'", "returned 'fine'"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "outcome"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_an_outcome_and_the_search_goes_on(body: str, outcome: str, tmp_path: Path) -> None:
    fault = explored(tmp_path, body)["fault"]
    assert seen(fault).startswith(tuple(outcome.split("|")))
    assert fault.path_condition == "x == 7"
