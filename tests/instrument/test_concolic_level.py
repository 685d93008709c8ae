"""The concolic level leaves a program what it was: traps of rewriting, ticks, and functions it must decline."""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest
from concolic_level import FILENAME, Level
from instrumenting import same_behaviour
from sweeping import LIBRARY, SAMPLE, code_objects, concolic_differences, library_files

from ramify.instrument import concolic
from ramify.instrument.positions import TESTS_STAND_AT_OPERANDS
from ramify.runtime.recording import Cut, Why

# Programs that rewriting could break; each prints what it computes.
TRAPS = {
    "docstrings": '''
        """Module."""
        from __future__ import annotations
        def f():
            """Function."""
        class C:
            """Class."""
            def m(self):
                """Method."""
                return 1
        print(__doc__, f.__doc__, C.__doc__, C.m.__doc__, f())
    ''',
    "annotations": '''
        from __future__ import annotations
        from typing import Literal, get_type_hints
        def f(x: Literal["a" + "b"[0]], y: dict["k", 1 + 2] = {}["z":] if False else 3) -> 1 + 1:
            z: Literal["x"[0]] = x
            w: undefined[1 + x]
            return z, y
        print(f.__annotations__, f("p"))
    ''',
    "literal types": '''
        from typing import Literal, Optional
        def f(x):
            kinds = Literal["a", "b"], Optional[int], list[int], dict[str, x]
            return kinds
        print(f(int))
    ''',
    "slots, enums and class bodies": '''
        import enum
        class C:
            __slots__ = ("a", "b" + "c")
            table = {"x": 1}["x"] + 2.5
            names = [n for n in ("p", "q") if n in "pq"]
        class E(enum.IntEnum):
            A = 1 + 1
            B = A + True
        class F(enum.Enum):
            X = "x"[0]
        print(C.__slots__, C.table, C.names, list(E), F("x"), E.A + 2.5, E(3))
    ''',
    "defaults and decorators": '''
        def twice(n=2 * 1.5):
            return lambda f: lambda *a, k={"z": 1}["z"]: (f(*a), n, k)
        @twice(3 + 1)
        def f(x=[1, 2][1], *, y="a" + "b"):
            return x, y
        print(f(), f(5))
    ''',
    "format specs": '''
        def f(x, w, s):
            return f"{x:>{w}}|{x!r:^{w}.{2}}|{s:{'<' + str(w)}}|{x=}|{{}}|{s!a}", f"{x:05d}{w:x}", f"{s}" f"{s}"
        print(f("ab", 5, "c") if False else f(12, 8, "c") if False else "", "%5.2f|%x|%c|%s" % (1.5, 255, "q", None))
        def g(a, b):
            return "%(k)s-%(l)05d" % {"k": a, "l": b}, "%s" % (a,), "%d%%" % b, b"%d" % b
        print(g("x", 3))
    ''',
    "starred arguments": '''
        def f(*a, **k):
            return a, k
        def g(xs, d):
            return f(*xs, *[1], **d), int(*["12"]), "{}{}".format(*xs), [*xs, *xs], {**d}, max(*xs), dict(**d)
        print(g([1, 2], {"z": 3}))
    ''',
    "walrus": '''
        def f(xs):
            if (n := len(xs)) > 1 and (m := n + 0.5) < 9:
                total = [last := x for x in xs if (y := x * 2) > 2]
                return n, m, total, last, y, xs[(k := 0)], (k := k + 1) + k * 2.5
            return n
        print(f([1, 2, 3]), f([]))
    ''',
    "yield and await": '''
        import asyncio
        def g():
            x = 2.5 + (yield 1)
            y = (yield x) in (1, 2)
            z = [0, 1, 2][(yield y)]
            return f"{z}-{(yield z)}"
        def run():
            i = g()
            out = [next(i)]
            try:
                for v in (4, 2, 1, "end"):
                    out.append(i.send(v))
            except StopIteration as stop:
                out.append(stop.value)
            return out
        async def h(n):
            async def inner():
                return n
            return 1.5 * await inner() + [7][await inner() - n], [x async for x in agen() if x in (1, await inner())]
        async def agen():
            for n in range(3):
                yield n
        print(run(), asyncio.run(h(2)))
    ''',
    "scopes": '''
        N = 1.5
        def outer(k):
            count = 0
            def add(n):
                nonlocal count
                count += n
                global N
                N *= n
                return N + count
            class Inner:
                k = k * 2
                table = [k]
                def m(self, __private=3):
                    self.__x = __private + k
                    self.__x += 0.5
                    return self.__x, __class__.__name__
            return add(k), add(2), Inner().m(), Inner.table, (lambda a, b=k: a * b + count)(3)
        print(outer(2), N)
    ''',
    "super and locals": '''
        class A:
            def get(self, k, d=None):
                return k, d, sorted(n for n in locals() if n != "self")
        class B(A):
            def get(self, k, d=None):
                x = super().get(k, d)
                return x, [n for n in sorted(locals()) if not n.startswith(".")]
        print(B().get(1, d=2), eval("1 + 2.5", {}, {}), vars(type("T", (), {"a": 1}))["a"])
    ''',
    "frames": '''
        import sys, warnings, collections, inspect
        from collections import namedtuple
        P = namedtuple("P", "x y")
        def f():
            Q = namedtuple("Q", ["a"])
            frame = sys._getframe(0)
            name = inspect.currentframe().f_code.co_name
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.warn("careful " + name, stacklevel=1)
            return Q.__module__ == P.__module__, frame.f_code.co_name, name, caught[0].lineno
        print(f())
        del __warningregistry__
    ''',
    "iterators handed to other code": '''
        import contextlib, copy, inspect, operator
        def echo():
            got = yield 1
            while True:
                got = yield got
        def f(xs):
            it, g = iter(xs), echo()
            with contextlib.closing(g) as same:
                sent = next(same), same.send(5)
            kinds = inspect.isgenerator(g), inspect.isgenerator(it), inspect.getgeneratorstate(g), same is g
            return sent, kinds, list(copy.copy(it)), type(it).__length_hint__(it), type(it).__next__(it), list(it)
        def g(xs):
            it = iter(xs)
            return operator.methodcaller("__length_hint__")(it), operator.attrgetter("__class__")(it).__name__, list(it)
        print(f([1, 2, 3]), g("abc"), g((1, 2)))
    ''',
    "shadowed builtins": '''
        def f(int, str, list):
            return int(1), str(2), list([3])
        def g(x):
            def set(v):
                return "mine", v
            return set(x), type(x)
        print(f(lambda x: x + 10, float, tuple), g(4))
    ''',
    "evaluation order": '''
        log = []
        def t(x):
            log.append(x)
            return x
        def f():
            d = {1: 2}
            d[t(1)] = t(5)
            d[t(3)], d[t(4)] = t(6), t(7)
            d[t(1)] += t(2)
            x = t(1) < t(2) < t(3), t(5) < t(4) < t(9), t(1.5) + t(2) * t(3), t("a") in t("abc"), [t(8)][t(0)]
            y = t(1) < t(0) <= 5, 1 <= t(3) < 7
            del d[t(3)]
            return d, x, y
        print(f(), log)
    ''',
    "exceptions": '''
        def attempt(*fs):
            for f in fs:
                try:
                    print(f())
                except Exception as e:
                    print(type(e).__name__, e, e.__context__)
        def f(a, b):
            attempt(lambda: a + b, lambda: a[b], lambda: a % b, lambda: a < b, lambda: b in a, lambda: a.get(b), lambda: int(b),
                    lambda: {}[b], lambda: [][0], lambda: a.index(b), lambda: a(b), lambda: undefined + b, lambda: b + undefined,
                    lambda: a[undefined], lambda: f"{a}{undefined}", lambda: a[b:], lambda: not undefined)
        f([1], "x"); f("x", 1); f({1: 2}, 1); f(None, None); f(2.5, [1])
        def unbound():
            if False:
                x = 1
            return 2.5 + x
        attempt(unbound)
    ''',
    "mutable operands": '''
        def f():
            a = b = [1]
            a += (2, 3)
            a *= 2
            t = ([1],)
            try:
                t[0] += [2]
            except TypeError as e:
                print(e)
            d = {"k": [1]}
            d["k"] += [5]
            s = {1}; r = s
            s |= {2}
            m = bytearray(b"a"); n = m
            m += b"b"
            return a, a is b, t, d, s is r, m is n, n
        print(f())
    ''',
    "own operators": '''
        class V:
            def __init__(self, v): self.v = v
            def __add__(self, o): return V((self.v, "+", o if not isinstance(o, V) else o.v))
            def __radd__(self, o): return V((o, "r+", self.v))
            def __iadd__(self, o): self.v = (self.v, "+=", o); return self
            def __lt__(self, o): return ("lt", o)
            def __contains__(self, o): return o == 3
            def __getitem__(self, k): return ("got", k)
            def __setitem__(self, k, v): print("set", k, v)
            def __delitem__(self, k): print("del", k)
            def __mod__(self, o): return ("mod", o)
            def __bool__(self): print("bool"); return False
            def find(self, x, **k): return ("found", x, k)
            def get(self, *a): return ("get", a)
        def f(v, n, i):
            v[i] = n; v[i, 1] = n; v[i:n] = n
            del v[i]
            v[n] += 1
            out = [(v + n).v, (n + v).v, v < n, n in v, 4 in v, v[i], v[i, n], v[1:n], v % n, not v, v.find(n, k=i), v.get(n, i)]
            v += n
            return out, v.v, (v and n).v, (v or n)
        print(f(V(1), 3, 0))
    ''',
    "generator expression over a changing name": '''
        def f(xs):
            k = 2
            g = (x + k * 1.5 for x in xs if x in [1, k])
            k = 3
            return list(g)
        print(f([1, 2, 3]))
    ''',
    "match": '''
        def f(x):
            match x:
                case []: return "empty"
                case [1, 2]: return "pair"
                case [a, *rest] if len(rest) > 1: return a, rest
                case {"k": v, **more}: return v, more
                case True | None: return "single"
                case str() as s: return s + "!"
                case int(n) if n in (3, 4): return n * 2.5
                case (1 | 2.5) as y: return "or", y
            return "none"
        print([f(x) for x in ([], [1, 2], [1, 2, 3], (1, 2), {"k": 1, "l": 2}, True, None, "a", 3, 1, 2.5, 9, [9])])
    ''',
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_programs_stay_as_they_are(name: str) -> None:
    same_behaviour(textwrap.dedent(TRAPS[name]))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_stay_as_they_are() -> None:
    same_behaviour(
        "type Pair[T: (int, str)] = tuple[T, 'x'[0]]\n"
        "def first[T](items: list[T]) -> T:\n    return items[0]\n"
        "class Box[T]:\n    def get(self, k: T) -> T:\n        return k\n"
        "print(Pair.__value__, first([2.5]), Box[int]().get(3))\n"
    )


def test_a_deep_function_is_declined_and_the_others_are_not() -> None:
    deep = " + ".join(f"g({'(' * 40}x{')' * 40})" for _ in range(2)) + "".join(f" + (x[{n}]" for n in range(180)) + ")" * 180
    source = f"def f(x):\n    return 2.5 + x\ndef g(x):\n    return {deep}\n"
    level = Level(source)
    assert list(level.built.declined) in ([], ["g"])
    level.run(3)
    assert "__ramify_add__" in level.rewritten()["f"].__code__.co_names


def test_a_module_of_deep_expressions_still_compiles() -> None:
    chain = " + ".join(["x"] * 900)
    built = concolic.instrument(f"def f(x):\n    return {chain}\ndef g(x):\n    return 2.5 + x\n".encode(), FILENAME)
    names = {c.co_name: c.co_names for c in built.code.co_consts if hasattr(c, "co_names")}
    assert "__ramify_add__" in names["g"]
    assert "__ramify_add__" in names["f"] or "f" in built.declined


def test_ticks_stand_in_functions_and_loops() -> None:
    level = Level("def f(x):\n    '''Doc.'''\n    while x > 0:\n        for _ in range(2):\n            x -= 1\n    return x\n")
    ticks: list[int] = []
    level.names["__ramify_tick__"] = lambda: ticks.append(1)
    assert level.rewritten()["f"](4) == 0
    assert len(ticks) == 1 + 2 + 4


def test_a_tick_can_end_a_loop_that_swallows_it_once() -> None:
    level = Level("def f():\n    while True:\n        try:\n            x = 1\n        except:\n            pass\n")

    def spent() -> None:
        raise Cut(Why.STEPS, "spent")

    module = level.rewritten()
    module["__builtins__"]["__ramify_tick__"] = spent
    with pytest.raises(Cut):
        module["f"]()


def test_module_code_is_not_rewritten_but_its_lambdas_are() -> None:
    level = Level("TABLE = {'+': lambda a, b: a + b}\nX = [1, 2][0]\ndef f(x):\n    return TABLE['+'](2.5, x)\n")
    assert not [name for name in level.built.code.co_names if name.startswith("__ramify")]
    level.run(3)
    assert repr(level.returned.term) == "2.5 + float(a0)"


def test_names_in_the_builtins_of_the_module_only() -> None:
    import builtins

    level = Level("def f(x):\n    return sorted(n for n in globals() if 'ramify' in n)\n")
    assert level.rewritten()["f"](1) == []
    assert not [name for name in vars(builtins) if "ramify_item" in name]


def _concerning_lines(difference: str) -> bool:
    # 3.11 tests a name at the line of its statement; the concolic level, at its own.
    return " lines " in difference and not TESTS_STAND_AT_OPERANDS


def _found(files: list[Path]) -> list[str]:
    found = [difference for path in files for difference in concolic_differences(path)]
    return [difference for difference in found if not _concerning_lines(difference)]


def test_code_objects_look_untouched() -> None:
    files = [LIBRARY / name for name in SAMPLE.split() if (LIBRARY / name).exists()]
    assert len(files) >= 30
    assert _found(files[::3]) == []


# Files with a dict display whose constant entries become constant pairs: the values' lines then have no code.
KNOWN = ("test/test_base64.py: ", "test/test_platform.py: ")


def test_a_declaration_that_opens_a_handler_still_has_no_line_of_its_own() -> None:
    level = Level("def f():\n    try: g()\n    except E as e:\n        global h\n        h = str(e)\n")
    lines = {line for code in code_objects(level.built.code) for _, _, line in code.co_lines()}
    assert (4 in lines, 5 in lines) == (False, True)


@pytest.mark.slow
def test_whole_library() -> None:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(concolic_differences, library_files(), chunksize=20))
    found = [difference for result in results for difference in result if not _concerning_lines(difference)]
    assert [difference for difference in found if not difference.startswith(KNOWN)] == []
