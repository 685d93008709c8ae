"""Instrumented code does what the plain code does, and its probes say what happened, no more and no less."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import warnings

import pytest
from instrumenting import FILENAME, instrumented, plainly, same_behaviour

from ramify.instrument.coverage import instrument

NEW_SYNTAX = sys.version_info >= (3, 12)  # PEP 695 and PEP 701

TALKING = '''
class T:
    """An object that tells what is done to it."""
    def __init__(self, name, truth=True):
        self.name, self.truth = name, truth
    def __repr__(self):
        return self.name
    def __bool__(self):
        print("bool", self.name)
        if self.truth is None:
            raise ValueError(self.name)
        return self.truth
    def _compare(sign):
        def compare(self, other):
            print(self, sign, other)
            if isinstance(self.truth, Exception):
                raise self.truth
            return T(f"{self}{sign}{other}", self.truth)
        return compare
    __lt__, __le__, __gt__, __ge__ = map(_compare, ("<", "<=", ">", ">="))
    def __contains__(self, other):
        print(other, "in", self)
        return self.truth
    def __iter__(self):
        print("iter", self)
        return iter((1, 2))
    def __enter__(self):
        print("enter", self)
        return self
    def __exit__(self, kind, value, trace):
        print("exit", self, kind and kind.__name__)
        if isinstance(self.truth, Exception):
            raise self.truth
        return self.truth
    def __call__(self):
        print("call", self)
        return self
def t(name, truth=True):
    print(name)
    return T(name, truth)
def boom(error=ValueError):
    raise error("boom")
'''

# -- what is recorded ----------------------------------------------------------------------------------

# (the program; what happens, one outcome to a line). What is not listed must not be recorded.
OUTCOMES = {
    "if taken": ("if t('a'): pass", "if t('a'): true"),
    "if not taken": ("if t('a', False): pass", "if t('a', False): false"),
    "if whose test fails": ("if boom(): pass", ""),
    "elif": (
        """
        x = 2
        if x == 1: pass
        elif x == 2: pass
        elif x == 3: pass
        else: pass
        """,
        """
        if x == 1: false
        if x == 2: true
        """,
    ),
    "constant tests are no sites": ("if 1: pass\nwhile False: pass\nif not 0: pass\nx = 1 if True else 2", ""),
    "while that ends": (
        """
        n = 0
        while n < 2:
            n += 1
        else:
            n = 9
        """,
        """
        while n < 2: true
        while n < 2: false
        """,
    ),
    "while left by break": (
        """
        n = 0
        while n < 2:
            break
        else:
            n = 9
        """,
        "while n < 2: true",
    ),
    "while never entered": ("while t('a', False): pass", "while t('a', False): false"),
    "for that ends": (
        "for i in (1, 2): pass\nelse: i = 3",
        """
        for i in (1, 2): entered
        for i in (1, 2): exhausted
        """,
    ),
    "for left by break": ("for i in (1, 2): break", "for i in (1, 2): entered"),
    "for left by an exception": ("for i in (1, 2): boom()", "for i in (1, 2): entered"),
    "for over nothing": ("for i in (): pass", "for i in (): exhausted"),
    "for whose target fails": ("for a, b in [1]: pass", ""),
    "for whose iterator fails": ("for a in boom(): pass", ""),
    "assert that holds": ("assert t('a')", "assert t('a'): true"),
    "assert that fails": ("assert t('a', False), t('message')", "assert t('a', False): false"),
    "assert whose test fails": ("assert boom()", ""),
    "conditional": (
        "x = t('a') if t('b') else t('c')\ny = t('a') if t('d', False) else t('c')",
        """
        ... if t('b') else ...: true
        ... if t('d', False) else ...: false
        """,
    ),
    "and in a value": (
        "x = t('a') and t('b', False) and t('c')",
        """
        t('a') and ...: true
        t('b', False) and ...: false
        """,
    ),
    "and in a value stopped at once": ("x = t('a', False) and t('b')", "t('a', False) and ...: false"),
    "or in a value": ("x = t('a', False) or t('b')", "t('a', False) or ...: false"),
    "or in a value stopped at once": ("x = t('a') or t('b')", "t('a') or ...: true"),
    "operand that fails": ("x = t('a') and boom() and t('b')", "t('a') and ...: true"),
    "operand without truth": ("x = t('a') and t('b', None) and t('c')", "t('a') and ...: true"),
    "and in a test": (
        "if t('a') and t('b', False): pass",
        """
        if t('a') and t('b', False): false
        t('a') and ...: true
        """,
    ),
    "or in a test": (
        "while t('a', False) or t('b', False): pass",
        """
        while t('a', False) or t('b', False): false
        t('a', False) or ...: false
        """,
    ),
    "not, and, or in a test": (
        "if not (t('a', False) and t('b') or t('c', False)): pass",
        """
        if not (t('a', False) and t('b') or t('c', False)): true
        t('a', False) and ...: false
        t('a', False) and t('b') or ...: false
        """,
    ),
    "operands that are locals": (
        """
        def f(a, b):
            return a and b
        f(0, 1)
        g = lambda a, b: a or b
        g(3, 4)
        """,
        """
        a and ...: false
        a or ...: true
        """,
    ),
    "and in a class body": (
        "class A:\n    x = 1\n    y = x and 0 or x",
        """
        x and ...: true
        x and 0 or ...: false
        """,
    ),
    "chain with a local in the middle": (
        """
        def f(x):
            if 0 < x < 10: pass
            return 20 < x < 30
        f(5)
        """,
        """
        if 0 < x < 10: true
        0 < x ...: true
        20 < x ...: false
        """,
    ),
    "chain with a call in the middle": (
        """
        def f(x):
            if 0 < x() < 10: pass
            return 20 < x() < 30
        f(lambda: 5)
        """,
        """
        if 0 < x() < 10: true
        0 < x() ...: true
        20 < x() ...: false
        """,
    ),
    "chain of four": (
        "x = 1\ny = 0 < x < int(5) < int(3) < int(9)",
        """
        0 < x ...: true
        x < int(5) ...: true
        int(5) < int(3) ...: false
        """,
    ),
    "chain that fails in the first link": ("x = t('a', ValueError('no')) < t('b') < t('c')", ""),
    "chain that fails in the second link": (
        "x = t('a') < t('b', ValueError('no')) < t('c')",
        "t('a') < t('b', ValueError('no')) ...: true",
    ),
    "chain after one that failed": (
        """
        def f(a, b, c):
            for x in (a, 9):
                try:
                    if x < int(b) < c: pass
                except TypeError: pass
        f(1, 2, '')
        """,
        """
        for x in (a, 9): entered
        for x in (a, 9): exhausted
        try: completed
        except TypeError: caught
        if x < int(b) < c: false
        x < int(b) ...: true
        x < int(b) ...: false
        """,
    ),
    "chain in a class body": ("class A:\n    x = 3\n    y = 1 < x < 2", "1 < x ...: true"),
    "chain with in and is": (
        "x = 1\ny = x in [1] is not None\nz = x is None in [1]",
        """
        x in [1] ...: true
        x is None ...: false
        """,
    ),
    "chain as a comprehension's iterable": (
        "x = [i for i in [3 < int(4) < 5]]",
        """
        3 < int(4) ...: true
        for i in [3 < int(4) < 5]: entered
        for i in [3 < int(4) < 5]: exhausted
        """,
    ),
    "chain with a yield in the middle": (
        """
        def g():
            x = 1 < (yield) < 9
        a, b = g(), g()
        next(a), next(b)
        for gen, value in ((a, 0), (b, 5)):
            try: gen.send(value)
            except StopIteration: pass
        """,
        """
        1 < (yield) ...: true
        1 < (yield) ...: false
        for gen, value in ((a, 0), (b, 5)): entered
        for gen, value in ((a, 0), (b, 5)): exhausted
        except StopIteration: caught
        """,
    ),
    "list comprehension": (
        "x = [i for i in (1, 2) if i > 1]",
        """
        for i in (1, 2): entered
        for i in (1, 2): exhausted
        if i > 1: true
        if i > 1: false
        """,
    ),
    "comprehension over nothing": ("x = {i: i for i in ()}", "for i in (): exhausted"),
    "comprehension cut short": ("x = {boom() for i in (1,)}", "for i in (1,): entered"),
    "comprehension with two loops": (
        "x = [j for i in (1, 2) for j in range(i - 1)]",
        """
        for i in (1, 2): entered
        for i in (1, 2): exhausted
        for j in range(i - 1): entered
        for j in range(i - 1): exhausted
        """,
    ),
    "inner loop cut short": (
        "x = [boom() for i in (1, 2) for j in (1,)]",
        """
        for i in (1, 2): entered
        for j in (1,): entered
        """,
    ),
    "generator expression left unfinished": ("x = next(i for i in (1, 2))", "for i in (1, 2): entered"),
    "generator expression never started": ("x = (i for i in (1, 2))", ""),
    "generator expression exhausted": (
        "x = list(i for i in (1, 2))",
        """
        for i in (1, 2): entered
        for i in (1, 2): exhausted
        """,
    ),
    "match": (
        """
        match [1, 2]:
            case []: pass
            case [a, b] if a > b: pass
            case [a, b]: pass
            case _: pass
        """,
        """
        case []: unmatched
        case [a, b]: unmatched
        if a > b: false
        case [a, b]: matched
        """,
    ),
    "match of the first case": ("match 1:\n    case 1: pass\n    case 2: pass", "case 1: matched"),
    "match that falls through": (
        "match 3:\n    case 1: pass\n    case 2: pass",
        """
        case 1: unmatched
        case 2: unmatched
        """,
    ),
    "match taken by the wildcard": (
        "match 3:\n    case 1: pass\n    case x: pass",
        """
        case 1: unmatched
        case x: matched
        """,
    ),
    "match whose guard fails": ("match 3:\n    case x if boom(): pass\n    case _: pass", ""),
    "try that completes": ("try: x = 1\nexcept ValueError: pass\nelse: x = 2", "try: completed"),
    "try that catches": ("try: boom()\nexcept ValueError: pass\nelse: x = 2", "except ValueError: caught"),
    "handlers passed over": (
        """
        try: boom(KeyError)
        except ValueError: pass
        except TypeError: pass
        except LookupError: pass
        except OSError: pass
        """,
        """
        except ValueError: passed
        except TypeError: passed
        except LookupError: caught
        """,
    ),
    "handler passed over before a bare one": (
        "try: boom(KeyError)\nexcept ValueError: pass\nexcept: pass",
        """
        except ValueError: passed
        except: caught
        """,
    ),
    "no handler fits": (
        "try: boom(KeyError)\nexcept ValueError: pass\nexcept TypeError: pass",
        "except ValueError: passed",
    ),
    "try/finally is no site": ("try: x = 1\nfinally: x = 2", ""),
    "else that fails": ("try: x = 1\nexcept ValueError: pass\nelse: boom()", "try: completed"),
    "return inside try": (
        """
        def f(x):
            try: return 1 // x
            except ZeroDivisionError: return 0
        f(1)
        """,
        "try: completed",
    ),
    "return whose value fails": (
        """
        def f(x):
            try: return 1 // x
            except ZeroDivisionError: return 0
        f(0)
        """,
        "except ZeroDivisionError: caught",
    ),
    "return through nested tries": (
        """
        def f():
            try:
                try: return
                except KeyError: pass
            except ValueError: pass
        f()
        """,
        "try: completed",
    ),
    "return through a finally that raises": (
        """
        def f():
            try:
                try: return 1
                finally: boom()
            except ValueError: pass
        f()
        """,
        "except ValueError: caught",
    ),
    "return through a with whose exit raises": (
        """
        def f():
            try:
                with T('a', KeyError('no')): return 1
            except KeyError: pass
        f()
        """,
        "except KeyError: caught",
    ),
    "break through a finally": (
        """
        for i in (1, 2):
            try:
                try: break
                finally: print(i)
            except ValueError: pass
        """,
        """
        for i in (1, 2): entered
        try: completed
        """,
    ),
    "break and continue inside try": (
        """
        for i in (1, 2, 3):
            try:
                if i == 1: continue
                if i == 2: break
                boom()
            except ValueError: pass
        """,
        """
        for i in (1, 2, 3): entered
        if i == 1: true
        if i == 1: false
        if i == 2: true
        try: completed
        """,
    ),
    "a loop's own break does not leave the try": (
        """
        try:
            for i in (1, 2): break
            boom()
        except ValueError: pass
        """,
        """
        for i in (1, 2): entered
        except ValueError: caught
        """,
    ),
    "finally that swallows": (
        """
        def f():
            try:
                try: boom()
                finally: return 1
            except ValueError: pass
        f()
        """,
        "try: completed",
    ),
    "except*": (
        """
        try: raise ExceptionGroup('g', [ValueError(), TypeError()])
        except* ValueError: pass
        except* KeyError: pass
        except* TypeError: pass
        """,
        """
        except* ValueError: caught
        except* TypeError: caught
        """,
    ),
    "except* and no exception": ("try: pass\nexcept* ValueError: pass", "try: completed"),
    "with left normally": ("with T('a', False): pass", "with T('a', False): left"),
    "with left by an exception": ("with T('a', False): boom()", ""),
    "with that suppresses": ("with T('a'): boom()", "with T('a'): suppressed"),
    "with whose exit raises": ("with T('a', KeyError('no')): pass", ""),
    "with that turns an exception into another": ("with T('a', KeyError('no')): boom()", ""),
    "with whose target fails": ("with T('a', False) as (x, y, z): pass", ""),
    "with two items, the inner one suppresses": (
        "with T('a', False), T('b', True): boom()",
        "with T('a', False), T('b', True): suppressed",
    ),
    "with whose second item fails and the first suppresses": (
        "with T('a', True), boom(): pass",
        "with T('a', True), boom(): suppressed",
    ),
    "with whose target fails and which suppresses": (
        "with T('a', True) as (x, y, z): pass",
        "with T('a', True): suppressed",
    ),
    "with left by return": (
        "def f():\n    with T('a', False): return 1\nf()",
        "with T('a', False): left",
    ),
    "with left by break": (
        "for i in (1, 2):\n    with T('a', False): break",
        """
        for i in (1, 2): entered
        with T('a', False): left
        """,
    ),
    "with entered recursively": (
        """
        def f(n):
            with T('a', True):
                if n: f(n - 1)
                else: boom()
        f(1)
        """,
        """
        if n: true
        if n: false
        with T('a', True): left
        with T('a', True): suppressed
        """,
    ),
    "with inside a generator that is closed": (
        """
        def g():
            with T('a', False): yield 1
        x = g()
        next(x)
        x.close()
        """,
        "",
    ),
    "lambda": ("f = lambda x: x or 1\nf(0)", "x or ...: false"),
    "async statements": (
        """
        import asyncio
        class A:
            def __init__(self, swallow=False): self.swallow = swallow
            async def __aenter__(self): return self
            async def __aexit__(self, *a): return self.swallow
            async def __aiter__(self):
                yield 1
        async def main():
            async for i in A(): pass
            async for j in A(): break
            async with A(): pass
            async with A(True): boom()
            return [k async for k in A() if k]
        asyncio.run(main())
        """,
        """
        async for i in A(): entered
        async for i in A(): exhausted
        async for j in A(): entered
        async with A(): left
        async with A(True): suppressed
        async for k in A(): entered
        if k: true
        """,
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcome(name: str) -> None:
    source, expected = OUTCOMES[name]
    recorded = same_behaviour(TALKING + textwrap.dedent(source))
    prelude = instrumented(TALKING)[1]
    # The prelude's own sites are not the matter here.
    happened = recorded.happened - prelude.happened - prelude.missing
    assert happened == {line.strip() for line in expected.strip().splitlines()}


def executed(source: str) -> list[int]:
    """The statements a program reached, by line, counted from the first line after the prelude."""
    recorded = same_behaviour(TALKING + source)
    start = TALKING.count("\n")
    return sorted(line - start for line in recorded.lines if line > start)


def test_a_line_that_did_not_run_is_never_claimed() -> None:
    assert executed("x = 1\ny = 2\nboom()\nz = 3\n") == [1, 2, 3]
    assert executed("if t('a'):\n    x = 1\n    boom()\n    y = 2\nz = 3\n") == [1, 2, 3]
    assert executed("for i in (1, 2):\n    pass\n    boom()\n    pass\n") == [1, 2, 3]
    assert executed("try:\n    boom()\n    x = 1\nexcept ValueError:\n    x = 2\nelse:\n    x = 3\n") == [1, 2, 5]
    assert executed("def f():\n    return 1\n    x = 2\n\nf()\n") == [1, 2, 5]
    assert executed("f = lambda: 0\ng = lambda: (\n    1)\nf()\n") == [1, 2, 4]


def test_a_class_namespace_may_refuse_a_name() -> None:
    source = """
class D(dict):
    def __setitem__(self, name, value):
        if name == "bad": raise ValueError(name)
        dict.__setitem__(self, name, value)
class M(type):
    __prepare__ = classmethod(lambda *a: D())
class A(metaclass=M):
    bad = 1
    good = 2
"""
    lines = executed(source)
    assert 9 in lines
    assert 10 not in lines


# -- what is observed ----------------------------------------------------------------------------------

BEHAVIOUR = {
    "truth is tested as often": """
        def f(a, b, c):
            x = a and b
            y = a or b
            if a and b or c: print(1)
            if not (a or b) and c: print(2)
            z = (a if b else c) or a
            assert a or b
            v = [1 for _ in "x" if a and b]
            while a and not b: break
            return not (a and b)
        f(T("a"), T("b"), T("c"))
        f(T("a", False), T("b"), T("c"))
        f(T("a", False), T("b"), T("c", False))
        print(t("a") and t("b"), t("a", False) and t("b"), t("a") or t("b"), t("a", False) or t("b", False))
        """,
    "comparisons are made as often": """
        def f(a, b, c):
            print(a < b < c, a() < b() <= c(), a < b() > c < a)
            if a() < b() < c(): print(1)
            if a < b < c: print(2)
            print(a < b() in c, a is b() is c)
        for i in range(8):
            f(T("a", bool(i & 1)), T("b", bool(i & 2)), T("c", bool(i & 4)))
        """,
    "errors of truth and order": """
        def attempt(f):
            try: f()
            except Exception as error:
                import traceback
                traceback.print_exc()
        N, Y = T("N", None), T("Y")
        attempt(lambda: N and Y)
        attempt(lambda: (Y and
            N and
            Y))
        attempt(lambda n=N: n or 1)
        attempt(lambda: 1 if N else 2)
        attempt(lambda: Y < N < 3)
        attempt(lambda: (1
            < Y() <
            "" < 3))
        def many():
            x = (Y
                and not N)
        attempt(many)
        def test():
            if (Y
                and N): pass
        attempt(test)
        def unbound():
            if 0: x = 1
            return 1 < x < 2
        attempt(unbound)
        attempt(lambda: undefined and 1)
        attempt(lambda: 1 < undefined < 2)
        """,
    "errors of iteration": """
        import traceback
        class I:
            def __iter__(self): print("iter"); return self
            def __next__(self): raise KeyError("next")
        class Odd:
            def __iter__(self): return OnlyNext()
        class OnlyNext:
            n = 0
            def __next__(self):
                self.n += 1
                if self.n > 2: raise StopIteration
                return self.n
        for f in (
            lambda: [x for x in 5],
            lambda: list(x for x in
                5),
            lambda: [y for x in [1]
                for y in 5],
            lambda: [y for x in [1] for y in
                I()],
            lambda: {y: 1 for x in [1] for y in I()},
            lambda: sum(x for x in I()),
            lambda: [x for x, y in [(1, 2), 3]],
            lambda: print(list(i for i in Odd()), [i for _ in (1,) for i in Odd()]),
        ):
            try: f()
            except Exception: traceback.print_exc()
        """,
    "assertion": "def f(x):\n    assert x and not t('b'), (\n        'message', x)\nf(1)",
    "failed assertion without a message": "assert (t('a')\n    and t('b', False))",
    "chaining and notes": """
        def f():
            try:
                with T("a", False):
                    boom()
            except ValueError as error:
                error.add_note("noted")
                try:
                    with T("b", KeyError("exit")): raise RuntimeError from error
                finally:
                    print("finally")
        f()
        """,
    "error in a handler's type": "try: boom()\nexcept KeyError: pass\nexcept undefined: pass",
    "reraised": "def f():\n    try: boom()\n    except ValueError:\n        raise\nf()",
    "exception groups": """
        try: raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
        except* ValueError as error: print(repr(error))
        except* TypeError as error: raise OSError from error
        """,
    "locals, globals, vars and dir": """
        def f(a):
            b = a and 2
            if 0 < a < 5 or a: c = 3
            try: return sorted(locals())
            except KeyError: pass
        print(f(1), sorted(vars()), sorted(globals()), dir())
        class A:
            x = [i for i in (1, 2) if i and i]
            y = 1 < len(x) < 3
            print(sorted(locals()))
        print(sorted(A.__dict__))
        """,
    "custom namespaces of classes": """
        class D(dict):
            def __getitem__(self, name):
                print("get", name)
                return dict.__getitem__(self, name)
            def __missing__(self, name):
                if name.startswith("__") or name in ("print", "range", "T", "boom", "len"): raise KeyError(name)
                return name
            def __setitem__(self, name, value):
                print("set", name)
                dict.__setitem__(self, name, value)
        class M(type):
            @classmethod
            def __prepare__(cls, *a): return D()
        class A(metaclass=M):
            "documentation"
            x = 1
            y = zoo and x or (2 if x else 3)
            z = 0 < x < 3
            for i in [1]: print(i)
            else: i = 9
            v = [j and x for j in range(2) if j]
            with T("w", True): boom()
            try: q = 5
            except ValueError: pass
            match y:
                case 1: pass
                case 2: pass
            f = lambda self: missing
        print(A.__doc__, A.x, A.y, A.z, A.v)
        """,
    "mangling and super": """
        class A:
            __x = 5
            def f(self):
                return self.__x and self.__y(lambda __z: __z or __class__.__name__)
            def __y(self, g): return g(0)
        class B(A):
            def f(self):
                return super().f() or 1 if super() else 2
            @property
            def g(self): return [super(B, self).f() for _ in range(1) if super(B, self)]
        print(B().f(), B().g)
        """,
    "global and nonlocal": """
        def f():
            "doc"
            global G
            G = 1
            x = 0
            def g():
                nonlocal x
                x = x or 5
                return x and G
            return g() < 9 > x
        print(f(), G, f.__doc__)
        """,
    "reading a name has its moment": """
        class R:
            def __bool__(self):
                global G
                G = 7
                return True
            def __gt__(self, other):
                global G
                G = 99
                return True
        G = R()
        print(type(G or 5).__name__)
        G = R()
        try: print(1 < G < 9)
        except TypeError as error: print(error)
        def f():
            x = None
            class R:
                def __bool__(self):
                    nonlocal x
                    x = 3
                    return True
            x = R()
            return type(x or 1).__name__
        print(f())
        """,
    "walrus": """
        def f(data):
            if (n := len(data)) > 1 and (m := n + 1): print(n, m)
            print([y for x in data if (y := x) and (z := y) > 1], y, z)
            while (n := n - 1) and n: pass
            return (a := 0) or (b := 5), 0 < (c := 3) < 9, a, b, c
        print(f([1, 2, 3]))
        """,
    "generators": """
        def g(n):
            try:
                while True:
                    x = yield n and (yield n + 1)
                    if x: n = x
                    with T("w", False):
                        y = 1 < (yield) < 5
                        print(y)
            except ValueError as error:
                yield repr(error)
            finally:
                print("closed")
            return 5
        x = g(3)
        print(next(x), next(x), x.send(4), x.send(2), x.send(3))
        print(x.throw(ValueError("thrown")))
        try: next(x)
        except StopIteration as stop: print(stop.value)
        y = g(1); next(y); y.close()
        def outer(): return (yield from g(1))
        z = outer(); next(z); z.close()
        e = (i for i in (1, 2, 3) if i > 1)
        print(next(e)); e.close(); print(list(e))
        def stops():
            yield from (next(iter(())) for _ in range(1))
        try: list(stops())
        except RuntimeError as error: print(error)
        """,
    "async": """
        import asyncio
        async def ticks(n):
            for i in range(n):
                yield i
                await asyncio.sleep(0)
        class C:
            def __init__(self, swallow): self.swallow = swallow
            async def __aenter__(self): await asyncio.sleep(0); print("in"); return 1
            async def __aexit__(self, *a): await asyncio.sleep(0); print("out", a[0]); return self.swallow
        async def yes(x=1): return x
        async def f(n):
            async for i in ticks(n):
                if i > 1 and await yes(): break
            else: print("else")
            async with C(True) as c, C(False): boom()
            print([i async for i in ticks(3) if i], {i: j async for i in ticks(2) for j in (1, 2)})
            print([await yes(i) for i in range(3) if await yes(i)], 0 < await yes() < 2)
            print([i for i in [1] if await yes() and await yes(0)])
            try: return await yes(0) or await yes()
            except KeyError: pass
        async def main(): print(await asyncio.gather(f(1), f(5), f(0)))
        asyncio.run(main())
        """,
    "decorators": """
        def deco(x):
            print("deco", x)
            return lambda f: f
        @deco(1 and 2)
        @deco(0 or 3)
        def f(a=1 or 2, *, b=[i for i in (1,)], c: int or str = 3): return a, b, c
        @deco("class")
        class A(object if f else int, metaclass=type and type): pass
        print(f(), f.__annotations__["c"], A.__mro__[1].__name__)
        """,
    "match": """
        class P:
            __match_args__ = ("x", "y")
            def __init__(self, x, y): self.x, self.y = x, y
        def f(v):
            match v:
                case 0 | 1: return "low"
                case int(n) if n > 5 and n < 9: return f"int {n}"
                case [a, *rest] if rest: return a, rest
                case {"k": k, **more}: return k, more
                case P(x=0, y=y) | P(y, 0): return y
                case str() as s: return s
                case None: pass
                case [T()]: return "T"
            return "none"
        for v in (0, 7, 50, [1], [1, 2], {"k": 1, "l": 2}, P(0, 5), P(6, 0), P(1, 1), "s", None, [T("x")]):
            print(f(v))
        def g(v):
            match v:
                case (1, x) if t("guard", x): return x
                case (1, x): return -x
                case _: return 9
        print(g((1, True)), g((1, False)), g(1))
        """,
    "lifetimes": """
        import weakref
        class X:
            def __lt__(self, other): return True
            def __gt__(self, other): raise ValueError
            def __bool__(self): return bool(flag)
        born = []
        def make():
            x = X()
            born.append(weakref.ref(x))
            return x
        def alive(): return [ref() is not None for ref in born]
        for flag in (0, 1):
            make() and print(alive())
            make() or print(alive())
            if make() and make() or make(): pass
            print(alive())
            x = make() and make()
            print(alive())
            del x
            print(alive())
            for _ in [1]:
                try: make() < make() < 5 < make()
                except ValueError: pass
                try: print(1 < make() < 5)
                except ValueError: pass
                print(alive())
            def f(y):
                z = y and y
                del y
                print(alive())
                return z < make() < z
            f(make())
            print(alive())
            [i for i in (make(), make()) if i and i]
            print(alive())
            e = (j for i in [make()] for j in [make()])
            next(e)
            print(alive())
            list(e)
            print(alive())
            try:
                with T("a", False): raise ValueError(make())
            except ValueError: pass
            print(alive())
        """,
    "inspect": '''
        import inspect
        def f(a, b: "int or str" = 1 or 2, *c, **d) -> "x and y":
            """Documentation."""
            return a and b
        class A:
            """More."""
            def g(self):
                # a comment
                return [x for x in self if x]
        print(inspect.signature(f), inspect.getdoc(f), inspect.getdoc(A))
        print(inspect.getsource(f), inspect.getsource(A.g))
        print(inspect.getsource(A), f.__code__.co_firstlineno, A.g.__code__.co_firstlineno, f.__code__.co_varnames)
        print(inspect.getclosurevars(f).nonlocals, f.__annotations__)
        g = (lambda x:
            x or 1)
        print(g.__code__.co_firstlineno, g.__doc__, g.__name__, inspect.getsource(g))
        ''',
    "frames": """
        import sys
        def here():
            frame = sys._getframe(1)
            return frame.f_lineno, frame.f_code.co_name, sorted(k for k in frame.f_locals if not k.startswith("_"))
        def f(x):
            print(here() and here(), here() or 1)
            print(0 < len(here()) < 9, [here() for _ in (1,) if here()], list(here() for _ in (1,)))
            with T(here(), False) as y, T(
                here(), False): z = here()
            try: return here(), (
                here())
            except KeyError: pass
        print(f(1))
        """,
    "pickling": """
        import pickle, copy
        class A:
            def __init__(self): self.x = 1 and 2
        def f(): return 1 or 2
        print(pickle.loads(pickle.dumps(f)) is f, pickle.loads(pickle.dumps(A())).x, copy.deepcopy(A()).x)
        """,
    "doctest": '''
        def f(x):
            """
            >>> f(1)
            2
            >>> f(0)
            7
            """
            return x and x + 1
        import doctest, sys
        for test in doctest.DocTestFinder().find(f, "f", globs={"f": f}):
            print(test.lineno, test.filename, doctest.DocTestRunner(verbose=False).run(test))
        ''',
    "threads": """
        import threading
        results = []
        def work(n):
            for i in range(50):
                if 0 < int(i) < n and (i or n): results.append(1)
                with T_(): pass
        class T_:
            def __enter__(self): pass
            def __exit__(self, *a): pass
        threads = [threading.Thread(target=work, args=(n,)) for n in (5, 9, 30)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(len(results))
        """,
    "recursion": """
        import sys
        def f(n): return n and f(n - 1) + 1
        def g(n): return 0 if 0 < int(n) < 2 else g(n - 1)
        print(f(300), g(300))
        def endless(n):
            return endless(n + 1) or 1
        try: endless(0)
        except RecursionError as error: print(str(error)[:32])
        """,
    "future and documentation": '"""Documentation."""\nfrom __future__ import annotations\n'
    "def f(x: int or str): return x\nprint(f.__annotations__, __doc__)",
    "deletion": """
        def f():
            x = 1
            del x
            try: return x and 2
            except UnboundLocalError as error: print(error)
            for i in (1, 2):
                del i
            class A:
                y = 1
                del y
                print("y" in locals())
        f()
        """,
    "f-strings": """
        x, y = 0, 5
        print(f"{x or y} {x and y=} {y if x else x!r:>{y and 4}} {[i for i in (1, 2) if i > 1]} {1 < y < 9}")
        """,
    "returns and cleanup": """
        def f(n):
            for i in range(3):
                try:
                    try:
                        if n == 0: return t("value")
                        if n == 1: break
                        if n == 2: continue
                        if n == 3: boom()
                        with T("w", n == 4):
                            if n == 4: boom(KeyError)
                            return i
                    finally:
                        print("inner", i)
                        if n == 5: return "swallowed"
                        if n == 6: boom(OSError)
                except ValueError: print("caught")
                else: print("else")
                finally: print("outer", i)
            else: return "exhausted"
            return "broken"
        for n in range(8):
            try: print(n, f(n))
            except OSError as error: print(n, error)
        """,
    "trace function of the program": """
        import sys
        lines = []
        def tracer(frame, event, arg):
            if frame.f_code.co_filename != __file__: return None
            if event == "line": lines.append(frame.f_lineno)
            return tracer
        def f(x):
            if (x and
                x > 1): y = 1
            for i in (1, 2):
                y = i
            while x:
                x -= 1
            with T("w", False):
                y = 2
            try: y = 3
            except ValueError: y = 4
            match x:
                case 1: y = 5
                case 2: y = 6
            return 0 < y < 9
        sys.settrace(tracer)
        f(2)
        sys.settrace(None)
        print(sorted(set(lines)))
        del lines
        """,
}
if NEW_SYNTAX:
    BEHAVIOUR["type parameters"] = """
        type A[T: (int, str)] = list[T] | dict[str, T]
        type B = int if A else str
        def f[T: int, *Ts, **P](x: T or int, y: T = 1 or 2) -> T: return x and y
        class C[T](list[T] if A else object):
            type D = T
            x: T = 1 and 2
            def g[U](self, u: U) -> T | U: return [T and u for _ in (1,)]
        print(A.__value__, B.__value__, f(1), f.__type_params__, f.__annotations__)
        print(C().g(1)[0], C.D.__value__, C.x)
        class D(dict):
            def __getitem__(self, name):
                print("get", name)
                return dict.__getitem__(self, name)
        class M(type):
            @classmethod
            def __prepare__(cls, *a): return D()
        class E(metaclass=M):
            y = int
            class F[T: y](list[T] if T else object): pass
            def h[T](self, x=1 and 2): return x
        print(f'{'nested' and "quotes"}', E().h())
    """


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_behaviour(name: str) -> None:
    source = textwrap.dedent(BEHAVIOUR[name])
    same_behaviour(source if "__future__" in source else TALKING + source)


# -- size ----------------------------------------------------------------------------------------------


def nested(template: str, depth: int, body: str) -> str:
    """A block statement within itself."""
    lines = [" " * level + template for level in range(depth)]
    return "\n".join([*lines, " " * depth + body])


def test_many_operands() -> None:
    for word in ("and", "or"):
        chain = f" {word} ".join(f"t('{n}', {word == 'and'})" for n in range(500))
        same_behaviour(f"{TALKING}x = {chain}\nif {chain}: print(1)")
    same_behaviour(f"{TALKING}if (t('a', False) and t('b')) or {' or '.join(['t(0, False)'] * 70)}: pass")
    same_behaviour(f"x = 5\ny = {' < '.join(map(str, range(200)))}\nz = 0 {'< x' * 100}")


def test_many_arms() -> None:
    arms = "\n".join(f"    elif x == {n}: return {n}" for n in range(400))
    same_behaviour(f"def f(x):\n    if x == -1: return -1\n{arms}\nprint(f(0), f(399), f(400))")
    cases = "\n".join(f"        case {n}: return {n}" for n in range(400))
    same_behaviour(f"def f(x):\n    match x:\n{cases}\nprint(f(0), f(399), f(400))")


@pytest.mark.parametrize("template", ["with T('a', False):", "for i in (1,):", "while t('a'):", "if t('a'):"])
@pytest.mark.parametrize("depth", [9, 10, 19, 20])
def test_nested_blocks(template: str, depth: int) -> None:
    # `while` and `for` need a way out; the innermost one leaves everything.
    source = textwrap.indent(nested(template, depth, "return 1"), " ")
    same_behaviour(f"{TALKING}def f():\n{source}\nprint(f())")


@pytest.mark.parametrize("depth", [5, 10, 19])
def test_nested_tries(depth: int) -> None:
    source = "return 1"
    for _ in range(depth):
        source = "try:\n" + textwrap.indent(source, " ") + "\nexcept KeyError: print('no')"
    same_behaviour(f"def f():\n{textwrap.indent(source, ' ')}\nprint(f())")
    same_behaviour(f"def f():\n{textwrap.indent(source.replace('return 1', 'raise ValueError'), ' ')}\nprint(f())")


def test_nested_tries_and_withs() -> None:
    source = "return 1"
    for _ in range(6):
        source = f"try:\n with T('a', False):\n{textwrap.indent(source, '  ')}\nexcept KeyError: pass"
        same_behaviour(f"{TALKING}def f():\n{textwrap.indent(source, ' ')}\nprint(f())")


def test_a_deep_expression_runs() -> None:
    deep = "1" + " + 1" * 900
    same_behaviour(f"x = {deep}\n")
    deep = "0 or (" * 60 + "1" + ")" * 60
    same_behaviour(f"x = {deep}\n")


def test_too_deep_for_the_probes_is_declined_with_a_reason() -> None:
    source = "x = 1\ny = " + "x or (" * 180 + "1" + ")" * 180
    result = instrument(source.encode(), FILENAME)
    if result.declined:
        assert result.probes == 0
        exec(result.code, {})
    else:
        same_behaviour(source)


# -- around the rewriting ------------------------------------------------------------------------------


def test_errors_are_those_of_plain_compilation() -> None:
    for source in ("x = (", "return 1", "def f():\n    nonlocal x", "x = 1\nfrom __future__ import annotations"):
        with pytest.raises(SyntaxError) as plain:
            compile(source, FILENAME, "exec")
        with pytest.raises(SyntaxError) as ours:
            instrument(source.encode(), FILENAME)
        assert str(ours.value) == str(plain.value)


def test_compiler_warnings_are_shown_once() -> None:
    source = b"x = 1\nprint(x is 1)\nassert (x, 2)\ny = '\\d'\n"
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        compile(source, FILENAME, "exec")
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        instrument(source, FILENAME)
    assert [str(warning.message) for warning in ours] == [str(warning.message) for warning in plain]


def test_instrumenting_leaves_the_process_as_it_was() -> None:
    limit, filters = sys.getrecursionlimit(), warnings.filters
    source = b"\n".join(b"if x and y < z() < 3: pass" for _ in range(300))
    threads = [threading.Thread(target=instrument, args=(source, f"{n}.py")) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.getrecursionlimit() == limit
    assert warnings.filters is filters


def test_line_sequence_of_a_tracer() -> None:
    """Probes make no lines of their own; without expressions over several lines the sequence is the very same."""
    source = TALKING + textwrap.dedent(
        """
        def f(x):
            if x:
                y = 1
            elif x or not x:
                y = 2
            while x > 0:
                x -= 1
            for i in (1, 2):
                if i > 1: continue
                y = i
            z = [i for i in (1, 2)]
            try:
                y = 1
            except ValueError:
                y = 2
            return x and y
        f(2)
        f(0)
        """
    )

    def lines(run: object) -> list[int]:
        seen: list[int] = []

        def trace(frame: object, event: str, arg: object) -> object:
            if event == "line" and frame.f_code.co_filename == FILENAME:  # type: ignore[attr-defined]
                seen.append(frame.f_lineno)  # type: ignore[attr-defined]
            return trace

        run(source, None, trace)  # type: ignore[operator]
        return [line for index, line in enumerate(seen) if index == 0 or seen[index - 1] != line]

    assert lines(instrumented) == lines(plainly)


DRIVER = """
import sys
from ramify.instrument import probes
from ramify.instrument.coverage import instrument
source = sys.argv[1].encode()
result = instrument(source, "f.py")
probes.activate(result, "f.py")
exec(result.code if sys.argv[2] == "instrumented" else compile(source, "f.py", "exec"), {})
"""


@pytest.mark.parametrize("flag", ["-O", "-OO", "-Werror", "-Xdev"])
def test_interpreter_flags(flag: str) -> None:
    source = textwrap.dedent(
        '''
        def f(x):
            """Documentation."""
            assert x and not x, "dropped by -O"
            if __debug__: print("debug")
            return x or 1
        try: print(f(1))
        except AssertionError as error: print(error)
        print(f.__doc__)
        '''
    )
    runs = [
        subprocess.run([sys.executable, flag, "-c", DRIVER, source, how], capture_output=True, text=True)
        for how in ("plain", "instrumented")
    ]
    assert runs[0].returncode == 0
    assert (runs[0].stdout, runs[0].stderr, 0) == (runs[1].stdout, runs[1].stderr, runs[1].returncode)
