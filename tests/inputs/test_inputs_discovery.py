"""Functions without annotations: types from defaults, from the body, and from running."""

# ruff: noqa: E501 - tables in rows

from pathlib import Path

import pytest
from replaying import explored, found

import ramify
from ramify.runtime.inputs.parameters import parameters

# The body of a function without annotations, and the types (in the order of trying) of its parameters.
GUESSED = [
    ("x", "return x.startswith('a')", ["str"]),
    ("x", "return x + 1", ["int"]),
    ("x", "return x * 2.5", ["float"]),
    ("x", "return x == 'a'", ["str"]),
    ("x", "return x < 10", ["int"]),
    ("x", "return x.items()", ["dict"]),
    ("x", "x.append(1)", ["list"]),
    ("x", "x.add(1)", ["set"]),
    ("x", "return x['key']", ["dict"]),
    ("x", "return x.get('key', 0)", ["dict"]),
    ("x", "return range(x)", ["int"]),
    ("x", "return ord(x)", ["str"]),
    ("x", "return ', '.join(x)", ["list"]),
    ("x", "return x()", ["function"]),
    ("x", "return -x", ["int"]),
    ("x", "return x % 2", ["int"]),
    ("x", "return x in 'abc'", ["str"]),
    ("x", "return x in (1, 2)", ["int"]),
    ("x", "return x is True", ["bool"]),
    ("x", "return helper(x)", ["str"]),
    ("x", "return typed(x)", ["float"]),
    ("x", "match x:\n        case 1: return 2", ["int"]),
    ("x=5", "return x", ["int"]),
    ("x='a'", "return x", ["str"]),
    ("x=None", "return x.upper()", ["NoneType", "str"]),
    ("x=()", "return x", ["tuple"]),
]


@pytest.mark.parametrize(("signature", "body", "kinds"), GUESSED)
def test_types_from_the_body(tmp_path: Path, signature: str, body: str, kinds: list[str]) -> None:
    source = (
        f"def helper(y):\n    return y.upper()\ndef typed(y: float):\n    return y\ndef f({signature}):\n    {body}\n"
    )
    file = tmp_path / "guessed.py"
    file.write_text(source)
    names: dict[str, object] = {"__name__": "guessed"}
    exec(compile(source, str(file), "exec"), names)
    (parameter,) = parameters(names["f"])  # type: ignore[arg-type]
    assert parameter.shape is not None
    alternatives = getattr(parameter.shape, "alternatives", (parameter.shape,))
    assert [shape.kind.__name__ for shape in alternatives][: len(kinds)] == kinds


# Functions that nobody annotated, each with a branch that needs a value of the right type.
REACHED = [
    ("a text", "def f(s):\n    return 'found' if s.startswith('ab') and len(s) == 3 else 0\n"),
    ("a number", "def f(n):\n    return 'found' if n * 3 == 21 else 0\n"),
    ("two numbers", "def f(a, b):\n    return 'found' if a - b == 7 and a > 100 else 0\n"),
    ("a list of numbers", "def f(values):\n    total = 0\n    for v in values:\n        total += v\n    return 'found' if total == 9 else 0\n"),
    ("a list of texts", "def f(words):\n    for word in words:\n        if word.upper() == 'AB':\n            return 'found'\n"),
    ("a list of lists", "def f(rows):\n    for row in rows:\n        for cell in row:\n            if cell == 5:\n                return 'found'\n"),
    ("pairs", "def f(pairs):\n    for key, value in pairs:\n        if key == value == 5:\n            return 'found'\n"),
    ("a dict", "def f(options):\n    return 'found' if options.get('mode') == 3 else 0\n"),
    ("a function", "def f(g, n):\n    return 'found' if g(n) == 5 else 0\n"),
    ("an object of the module", "class A:\n    def __init__(self, n: int):\n        self.n = n\ndef f(a):\n    return 'found' if a.n == 5 else 0\n"),
    ("nothing to see", "def f(x):\n    return 'found' if x else 0\n"),
    ("None or a text", "def f(s=None):\n    if s is None:\n        return 0\n    return 'found' if s.strip() == 'a' else 0\n"),
    ("what a guard asks for", "def f(x):\n    if isinstance(x, bytes):\n        return 'found' if x == b'ab' else 0\n    return x + 1\n"),
    ("through another function", "def size(s):\n    return len(s.split())\ndef f(s):\n    return 'found' if size(s) == 2 else 0\n"),
    ("a name that is bound anew", "def f(lines):\n    for line in lines:\n        line = line.strip().split(':')\n        if len(line) == 2:\n            line[0] = line[0].lower()\n            line[1] = line[1].lower()\n            if line[0] == 'a':\n                return 'found'\n"),
    ("what no guard asks for", "def f(x):\n    if isinstance(x, str):\n        return 1\n    if isinstance(x, int):\n        return 2\n    return 'found'\n"),
    ("what no guard of a default asks for", "def f(x=0):\n    if isinstance(x, int):\n        return 1\n    if isinstance(x, (str, bytes)):\n        return 2\n    return 'found'\n"),
    ("rest", "def f(*values):\n    return 'found' if len(values) == 2 and values[1] == 5 else 0\n"),
    ("keywords", "def f(**options):\n    return 'found' if options.get('level') == 5 else 0\n"),
]  # fmt: skip


@pytest.mark.parametrize("source", [row[1] for row in REACHED], ids=[row[0] for row in REACHED])
def test_functions_without_annotations(tmp_path: Path, source: str) -> None:
    assert found(tmp_path, source).outside == ()


def test_running_tells_what_the_body_does_not(tmp_path: Path) -> None:
    source = (
        "def f(x):\n    y = (lambda a, b: a + b)(x, 'b')\n    if y == 'ab':\n        return 'found'\n    return 0\n"
    )
    paths = explored(tmp_path, source)
    assert {path.result for path in paths} == {0, "found"}
    assert not any(isinstance(path.exception, TypeError) for path in paths)


def test_a_type_that_never_works_is_not_tried_again(tmp_path: Path) -> None:
    source = "def f(x):\n    for y in x:\n        if y.lower() == 'a':\n            return 'found'\n"
    assert not [path for path in explored(tmp_path, source) if path.exception is not None]


def test_a_function_that_fails_with_every_type_is_still_explored(tmp_path: Path) -> None:
    paths = explored(tmp_path, "def f(x):\n    return x.no_such_attribute_anywhere\n")
    assert paths
    assert {type(path.exception).__name__ for path in paths} == {"AttributeError"}


def test_the_first_argument_of_new_is_the_class(tmp_path: Path) -> None:
    source = (
        "class Even(int):\n    def __new__(cls, n: int):\n        if n % 2:\n            raise ValueError(n)\n"
        "        return super().__new__(cls, n)\n"
    )
    file = tmp_path / "even.py"
    file.write_text(source)
    paths = list(ramify.explore(f"{file}:Even.__new__"))
    assert {path.expression: path.outcome for path in paths} == {"cls=Even, n=0": "returned", "cls=Even, n=1": "raised"}
