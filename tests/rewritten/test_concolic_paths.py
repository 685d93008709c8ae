"""At the concolic level, too, a run built by reversing a decision takes the path it was built for, and finds the
branches that hide behind what Python does not dispatch.
"""

# ruff: noqa: E501 - tables in rows

from __future__ import annotations

from typing import Any

import pytest
from concolic_level import FILENAME, FUNCTIONS, Level

from ramify.instrument.concolic import ALL, Switches
from ramify.runtime.programs import Program
from ramify.runtime.rewritten import NAMESPACE
from ramify.runtime.search import Exploration, Limits, PathExploration
from ramify.runtime.search.strategies import Generational
from ramify.runtime.solver import Solver
from ramify.runtime.worlds import Source, Target


def explored(source: str, runs: int = 40, switches: Switches = ALL) -> tuple[set[Any], Exploration]:
    """What a function returns on the paths that are found."""
    level = Level(source, switches)
    target = Target(Source("level", FILENAME, level.built.code), "f")
    program = Program(target, {**FUNCTIONS, **NAMESPACE})
    exploration = PathExploration(program, Solver(), Generational(), Limits(10.0, runs))
    results: set[Any] = set()
    plain = level.plain()["f"]
    for path in exploration:
        arguments = eval(path.call)
        if path.outcome == "returned":
            results.add(path.result)
            assert plain(**arguments) == path.result, path.call
        else:
            results.add(type(path.exception).__name__)
            with pytest.raises(type(path.exception)):
                plain(**arguments)
    return results, exploration


# A function, and all that it can return or raise.
FOUND: dict[str, tuple[str, set[Any]]] = {
    "float + x": ("def f(x: int):\n    if 2.5 + x == 10.5:\n        return 'hit'\n    return 'miss'", {"hit", "miss"}),
    "table": ("T = [3, 1, 4, 1, 5]\ndef f(x: int):\n    if T[x] == 5:\n        return 'five'\n    return 'other'", {"five", "other", "IndexError"}),
    "mixed table": ("T = [None, 'a', 3]\ndef f(x: int):\n    return T[x]", {None, "a", 3, "IndexError"}),
    "dict": ("D = {'red': 1, 'green': 2}\ndef f(s: str):\n    return 'two' if D[s] == 2 else 'one'", {"one", "two", "KeyError"}),
    "dict of objects": ("D = {'red': (1,), 'green': None}\ndef f(s: str):\n    return D[s]", {(1,), None, "KeyError"}),
    "get": ("def f(s: str):\n    return 'bb' if {'a': 1, 'bb': 2}.get(s, 0) == 2 else 'other'", {"bb", "other"}),
    "set": ("def f(s: str):\n    if s in {'alpha', 'bravo'}:\n        return 'known'\n    return 'unknown'", {"known", "unknown"}),
    "int of text": ("def f(s: str):\n    if int(s) == 4711:\n        return 'hit'\n    return 'miss'", {"hit", "miss", "ValueError"}),
    "percent": ("def f(n: int):\n    if '%d-%s' % (n, 'x') == '42-x':\n        return 'hit'\n    return 'miss'", {"hit", "miss"}),
    "f-string": ("def f(n: int, s: str):\n    if f'{s}:{n}' == 'ab:7':\n        return 'hit'\n    return 'miss'", {"hit", "miss"}),
    "find": ("def f(s: str):\n    i = 'hello world'.find(s)\n    if i == 6:\n        return 'world'\n    return 'other'", {"world", "other"}),
    "join": ("def f(s: str):\n    if ','.join([s, 'b']) == 'a,b':\n        return 'hit'\n    return 'miss'", {"hit", "miss"}),
    "memo": ("def f(a: int, b: int):\n    seen = {}\n    seen[a] = 1\n    if b in seen:\n        return 'again'\n    return 'new'", {"again", "new"}),
    "memo with constant": ("def f(a: int):\n    seen = {}\n    seen[a] = 1\n    if 17 in seen:\n        return 'seen'\n    return 'new'", {"seen", "new"}),
    "seen set": ("def f(a: int, b: int):\n    seen = set()\n    seen.add(a)\n    if b in seen:\n        return 'again'\n    return 'new'", {"again", "new"}),
    "distinct": ("def f(a: int, b: int, c: int):\n    return len({a, b, c})", {1, 2, 3}),
    "flag is True": ("def f(a: int):\n    ok = a > 5\n    if ok is True:\n        return 1\n    return 0", {0, 1}),
    "not kept": ("def f(a: int):\n    ok = not a > 5\n    return 1 if ok else 0", {0, 1}),
    "stored": ("def f(i: int):\n    t = [0, 0, 0]\n    t[i] = 1\n    if t[2]:\n        return 'last'\n    return 'other'", {"last", "other", "IndexError"}),
    "counting": ("def f(s: str):\n    counts = {}\n    for c in s[:3]:\n        counts[c] = counts.get(c, 0) + 1\n    return max(counts.values(), default=0)", {0, 1, 2, 3}),
    "type": ("def f(x: int):\n    if type(x) is int and x > 3:\n        return 1\n    return 0", {0, 1}),
    "range": ("def f(x: int):\n    return 1 if x in range(10, 20, 3) else 0", {0, 1}),
    "sequence": ("def f(xs: list[int]):\n    match xs:\n        case []:\n            return 0\n        case [a]:\n            return 1\n        case [1, 2, *_]:\n            return 2\n    return 3", {0, 1, 2, 3}),
    "slice": ("def f(i: int):\n    if 'abcdef'[i:i + 2] == 'de':\n        return 'hit'\n    return 'miss'", {"hit", "miss"}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_every_way_is_found_and_followed(name: str) -> None:
    source, expected = FOUND[name]
    results, exploration = explored(source)
    assert results == expected
    if not exploration.summary.concretisations:
        assert exploration.summary.divergences == 0


# Switching a group of rewritings off shows what it is worth.
WORTH = {
    "operands": "def f(x: int):\n    if 2.5 + x == 10.5:\n        return 1\n    return 0",
    "booleans": "def f(s: str):\n    return 1 if s in {'alpha', 'bravo'} else 0",
    "calls": "def f(s: str):\n    return 1 if 'hello world'.find(s) == 6 else 0",
    "formats": "def f(n: int):\n    return 1 if f'{n}:' == '42:' else 0",
}


@pytest.mark.parametrize("group", WORTH)
def test_each_group_of_rewritings_can_be_switched_off(group: str) -> None:
    with_it, _ = explored(WORTH[group])
    without, _ = explored(WORTH[group], switches=Switches(**{group: False}))
    assert with_it == {0, 1}
    assert without == {0}
