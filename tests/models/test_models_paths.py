"""Runs built by reversing a decision inside a model follow their paths, and give what Python gives."""

# ruff: noqa: E501, PT017 - tables in rows

import builtins
from typing import Any

import pytest

import ramify

HEADER = """
from builtins import enumerate, len  # not those of peer mode
import binascii, collections, datetime, math, operator, re, struct
from ramify.runtime.models import BUILTINS as B, LIBRARY as L, METHODS as M
from ramify.runtime.values import lookups as K
from ramify.runtime.values.formatting import percent

def m(receiver, name, *args, **keywords):
    return M[type(receiver), name](receiver, *args, **keywords)
"""

PLAIN = """
import binascii, collections, datetime, math, operator, re, struct

class Same(dict):
    def __missing__(self, key):
        return key

B = L = Same()

class K:
    def contains(table, key): return key in table
    def get_item(table, key, missing): return table.get(key, missing)
    def select_item(values, index): return values[index]
    def mapping_item(table, key): return table[key]
    def set_item(table, key, value): table[key] = value

def percent(template, arguments):
    return template % arguments

def m(receiver, name, *args, **keywords):
    return getattr(receiver, name)(*args, **keywords)
"""

CASES = [
    ("s: str", "B[int](s)"), ("s: str", "B[int](s, 16)"), ("s: str", "B[int](s.strip()) > 40"), ("s: str", "B[float](s) > 2"), ("s: str", "[*B[map](int, s.split(','))]"), ("s: str, t: str", "B[min](s, t) == 'b'"),
    ("i: int, j: int", "B[max](i, j, 3) == 7"), ("i: int", "B[hex](i) == '0x2a'"), ("i: int", "B[format](i, '03d') == '042'"), ("i: int", "B[bin](i).count('1') == 3"), ("i: int", "B[pow](3, i, 17) == 5"),
    ("i: int", "B[hash](i) == -2"), ("x: float", "B[round](x, 1) == 2.5"), ("i: int", "B[round](i, -1) == 40"), ("i: int, j: int", "B[len](B[set]([i, j, 3]))"), ("i: int, j: int", "B[divmod](i, j) == (3, 1)"),
    ("i: int", "K.select_item([5, 6, 7], i)"), ("i: int", "K.select_item([5, 6, 7], i) == 7"), ("i: int", "K.select_item(['a', [1], None], i)"), ("i: int", "K.select_item('abc', i) == 'c'"), ("s: str", "K.contains({'alpha', 'bravo'}, s)"),
    ("s: str", "K.contains('hello', s)"), ("i: int", "K.contains(range(3, 30, 4), i)"), ("i: int", "K.contains((1, 5, 9), i)"), ("s: str", "K.get_item({'one': 1, 'two': 2}, s, 0) == 2"), ("s: str", "K.mapping_item({'a': [1], 'b': [2]}, s)"),
    ("i: int", "K.mapping_item({n: n * n for n in range(20)}, i) == 81"), ("s: str", "K.get_item({c: ord(c) for c in 'abcdefghijklmnop'}, s, 0) == 104"), ("s: str", "m('abc=def', 'find', s)"), ("s: str", "m('a,b', 'split', s)"),
    ("s: str", "m('-', 'join', [s, 'x']) == 'q-x'"), ("s: str", "m('abab', 'replace', s, 'x') == 'xx'"), ("s: str", "m('abcab', 'count', s) == 2"), ("s: str", "m('hello', 'startswith', s)"), ("s: str", "m('xxaxx', 'strip', s) == 'a'"),
    ("i: int", "m('{:>4}', 'format', i) == '  12'"), ("i: int", "m('ab', 'rjust', i) == '   ab'"), ("s: str", "m({'a': 1}, 'get', s)"), ("s: str", "m({'a': 1}, 'pop', s)"), ("i: int", "m([1, 2, 3], 'pop', i)"), ("i: int", "m([1, 2, 3], 'insert', i, 9)"),
    ("s: str", "m({'a', 'b'}, 'add', s)"), ("s: str", "m({'a', 'b'}, 'remove', s)"), ("i: int, j: int", "m({1, 2}, 'issubset', [i, j])"), ("i: int, j: int", "L[collections.Counter]([i, j]).most_common(1)[0][1]"), ("x: float", "L[math.floor](x) == 3"),
    ("x: float", "L[math.sqrt](x) > 3"), ("x: float", "L[math.log](x) > 2"), ("x: float", "L[math.exp](x) > 100"), ("x: float", "L[math.sin](x) > 0.5"), ("i: int", "L[math.gcd](i, 12) == 4"), ("i: int", "L[math.isqrt](i) == 9"), ("i: int", "L[math.factorial](i) == 120"),
    ("i: int", "L[math.comb](i, 2) == 10"), ("x: float", "L[math.isclose](x, 3.0)"), ("y: int, k: int, d: int", "L[datetime.date](y, k, d)"), ("s: str", "L[datetime.date.fromisoformat](s)"), ("s: str", "L[datetime.datetime.strptime](s, '%d/%m/%Y')"),
    ("s: str", "L[re.match](r'(\\d+)-(\\d+)', s) is None"), ("s: str", "L[re.fullmatch](r'[a-z]+@[a-z]+\\.com', s) is None"), ("s: str", "[x.group() for x in L[re.finditer](r'\\d', s)][:2]"), ("s: str", "B[len](L[re.sub](r'\\s', '', s)) == 2"), ("s: str", "L[re.split](r'[,;]', s)[:3]"),
    ("s: str", "B[int](L[re.search](r'x(\\d+)', s).group(1)) > 30"), ("s: str", "L[re.match](r'(?P<a>\\d+)|(?P<b>[a-z]+)', s).lastgroup"), ("s: str", "s.rfind('a', 1, 4) == 2"), ("s: str", "s.count('a', 1) == 2"), ("s: str", "s.find('b', -2) == 1"), ("s: str", "s.replace('a', 'b', 1) == 'bba'"),
    ("s: str", "s.encode() == b'hi'"), ("s: str", "s.casefold() == 'abc'"), ("s: str", "s.translate({97: 'x', 98: None}) == 'xc'"), ("s: str", "s.expandtabs(2) == 'a b'"), ("i: int", "i.to_bytes(2, 'big') == b'ab'"), ("b: bytes", "L[int.from_bytes](b, 'little') == 513"), ("b: bytes", "b.hex() == '0aff'"), ("b: bytes", "L[binascii.hexlify](b)[2:] == b'7e'"), ("b: bytes", "b.startswith((b'GIF8', b'RIFF'))"), ("b: bytes", "L[struct.unpack]('<HB', b) == (513, 7)"), ("b: bytes", "L[struct.unpack_from]('>xh2s', b, 1) == (-2, b'ok')"),
    ("i: int", "i.bit_count() == 5"), ("i: int", "percent('%05d|', i) == '00042|'"), ("x: float", "f'{x:.1f}' == '2.5'"), ("s: str", "B[repr]([s]) == \"['q']\""), ("s: str", "[*B[reversed](s)] == ['b', 'a']"), ("i: int", "[*B[enumerate]('ab', i)] == [(3, 'a'), (4, 'b')]"),
    ("i: int, j: int", "B[dict]([(i, 1), (j, 2)]) == {4: 2}"), ("i: int", "B[sum]([i, 2, 3]) == 9"), ("x: float", "B[sum]([x, 0.5]) == 2.0"), ("s: str", "B[sorted]([s, 'b', 'c'])"), ("i: int", "B[bytes]([i, 65]) == b'BA'"), ("i: int", "K.select_item((1, 'a', None), slice(i, None))"), ("i: int, j: int", "K.select_item((1, 'a', None), slice(i, j)) == ('a',)"), ("i: int", "m(['a', 'b', 'a'], 'index', 'a', i)"), ("i: int", "L[operator.contains]([1, 2], i)"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "expression"), CASES)
def test_runs_follow_their_paths(parameters: str, expression: str, tmp_path: Any) -> None:
    body = f"\ndef f({parameters}):\n    result = {expression}\n    if result:\n        return result\n    return 'nothing'\n"
    file = tmp_path / "subject.py"
    file.write_text(HEADER + body)
    exploration = ramify.explore(f"{file}:f", mode="peer", strategy="generational", max_runs=25, budget=5)
    paths = list(exploration)
    summary = exploration.summary
    if not summary.concretisations:
        assert summary.divergences == 0, [p.call for p in paths if p.outcome == "diverged"]
    assert len(paths) > 1, "no decision was reversed"
    names: dict[str, Any] = {"__builtins__": builtins}
    exec(PLAIN + body, names)
    for path in paths:
        try:
            observed = names["f"](**eval(path.call))
        except Exception as error:
            assert type(path.exception) is type(error), (path.call, path.exception, error)
            assert str(path.exception) == str(error)
        else:
            assert path.exception is None, (path.call, path.exception)
            assert path.result == observed
    if "==" in expression or ">" in expression:
        assert any(p.outcome == "returned" and p.result is not None and p.result != "nothing" for p in paths), "the goal was not reached"


PROGRAMS = {
    "semver": (
        '''
def f(s: str):
    m = L[re.fullmatch](r"v?(\\d+)\\.(\\d+)\\.(\\d+)(?:-([\\w.]+))?", s)
    if not m:
        return "bad"
    major, minor, patch = (B[int](m.group(i)) for i in (1, 2, 3))
    if m.group(4) is not None:
        return "beta" if m.group(4) == "beta" else "other"
    if major > 10:
        return "large"
    if minor == patch and minor > 3:
        return "equal"
    return "version"
''',
        {"bad", "beta", "other", "large", "equal", "version"},
    ),
    "tokens": (
        '''
def f(s: str):
    found = []
    for m in L[re.finditer](r"(?P<num>\\d+)|(?P<op>[-+*/])|(?P<id>[a-z]+)", s):
        found.append(m.lastgroup)
        if B[len](found) > 3:
            return "long"
    if found == ["num", "op", "num"]:
        return "sum"
    return "names" if "id" in found else "else"
''',
        {"long", "sum", "names", "else"},
    ),
    "roman": (
        '''
VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

def f(s: str):
    total = before = 0
    if B[len](s) > 3:
        return "long"
    for letter in B[reversed](s):
        value = K.mapping_item(VALUES, letter)
        total += -value if value < before else value
        before = value
    return "nine" if total == 9 else "large" if total > 100 else "small"
''',
        {"long", "nine", "large", "small", "KeyError"},
    ),
    "color": (
        '''
def f(s: str):
    if not s.startswith("#") or B[len](s) not in (4, 7):
        return "format"
    try:
        value = B[int](s[1:], 16)
    except ValueError:
        return "digits"
    return "red" if value > 0xF00000 else "color"
''',
        {"format", "digits", "red", "color"},
    ),
    "words": (
        '''
def f(s: str):
    counts = {}
    for word in s.split():
        K.set_item(counts, word, K.get_item(counts, word, 0) + 1)
    for word, count in counts.items():
        if count == 2 and word == "ab":
            return "twice"
    return "no"
''',
        {"twice", "no"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_through_a_program_is_found(name: str, tmp_path: Any) -> None:
    source, ways = PROGRAMS[name]
    file = tmp_path / "subject.py"
    file.write_text(HEADER + source)
    exploration = ramify.explore(f"{file}:f", mode="peer", strategy="generational", max_runs=150, budget=20)
    found = set()
    for path in exploration:
        found.add(type(path.exception).__name__ if path.outcome == "raised" else path.result)
        if found >= ways:
            break
    assert found >= ways
    assert exploration.summary.divergences == 0
