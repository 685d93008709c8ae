"""Objects as inputs: constructors, factories, subclasses, generics, recursion, state built up by calls."""

# ruff: noqa: E501 - tables in rows

from pathlib import Path

import pytest
from replaying import explored, found

import ramify
from ramify.errors import InputError

# What stands in a module, the target, and what the call that finds it must contain.
OBJECTS = [
    (
        "a constructor that computes",
        "class A:\n    def __init__(self, n: int):\n        self.twice = 2 * n\n"
        "def f(a: A):\n    return 'found' if a.twice == 84 else 0\n",
        "f",
        "A(n=42)",
    ),
    (
        "a constructor that branches and refuses",
        "class A:\n    def __init__(self, n: int):\n        if n < 10:\n            raise ValueError\n        self.n = n\n"
        "def f(a: A):\n    return 'found' if a.n < 11 else 0\n",
        "f",
        "A(n=10)",
    ),
    (
        "an inherited constructor",
        "class A:\n    def __init__(self, n: int):\n        self.n = n\nclass B(A):\n    pass\n"
        "def f(b: B):\n    return 'found' if b.n == 5 else 0\n",
        "f",
        "B(n=5)",
    ),
    (
        "__new__",
        "class A:\n    def __new__(cls, n: int):\n        made = super().__new__(cls)\n        made.n = n\n        return made\n"
        "def f(a: A):\n    return 'found' if a.n == 5 else 0\n",
        "f",
        "A(n=5)",
    ),
    (
        "__slots__ and a property",
        "class A:\n    __slots__ = ('_n',)\n    def __init__(self, n: int):\n        self._n = n\n"
        "    @property\n    def n(self):\n        return self._n + 1\n"
        "def f(a: A):\n    return 'found' if a.n == 5 else 0\n",
        "f",
        "A(n=4)",
    ),
    (
        "a dataclass with __post_init__, kw_only and a field that is not initialised",
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    n: int\n    tags: list[str] = field(default_factory=list)\n"
        "    size: int = field(init=False)\n    scale: int = field(default=1, kw_only=True)\n"
        "    def __post_init__(self):\n        self.size = self.n * self.scale\n"
        "def f(a: A):\n    return 'found' if a.size == 35 and a.scale == 7 and 'x' in a.tags else 0\n",
        "f",
        "A(n=5, tags=['x'], scale=7)",
    ),
    (
        "a frozen dataclass with slots",
        "from dataclasses import dataclass\n@dataclass(frozen=True, slots=True)\nclass A:\n    n: int\n"
        "def f(a: A):\n    return 'found' if a.n == 5 else 0\n",
        "f",
        "A(n=5)",
    ),
    (
        "annotations as text, and a forward reference",
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "def f(a: A):\n    return 'found' if a.inner.n == 5 else 0\n"
        "@dataclass\nclass A:\n    inner: B\n@dataclass\nclass B:\n    n: int\n",
        "f",
        "A(inner=B(n=5))",
    ),
    (
        "a class method as constructor",
        "class A:\n    def __init__(self):\n        self.n = 0\n    @classmethod\n    def of(cls, n: int) -> 'A':\n"
        "        made = cls()\n        made.n = n\n        return made\n"
        "def f(a: A):\n    return 'found' if a.n == 5 else 0\n",
        "f",
        "A.of(n=5)",
    ),
    (
        "a subclass of the module",
        "class A:\n    def area(self):\n        return 0\nclass B(A):\n    def __init__(self, side: int):\n        self.side = side\n"
        "    def area(self):\n        return self.side ** 2\ndef f(a: A):\n    return 'found' if a.area() == 49 else 0\n",
        "f",
        "B(side=",
    ),
    (
        "an abstract class",
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def area(self): ...\n"
        "class B(A):\n    def __init__(self, side: int):\n        self.side = side\n    def area(self):\n        return self.side\n"
        "def f(a: A):\n    return 'found' if a.area() == 49 else 0\n",
        "f",
        "B(side=49)",
    ),
    (
        "a protocol",
        "from typing import Protocol\nclass P(Protocol):\n    def area(self) -> int: ...\n"
        "class B:\n    def __init__(self, side: int):\n        self.side = side\n    def area(self):\n        return self.side\n"
        "def f(a: P):\n    return 'found' if a.area() == 49 else 0\n",
        "f",
        "B(side=49)",
    ),
    (
        "a generic class",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def __init__(self, value: T):\n        self.value = value\n"
        "def f(box: Box[str]):\n    return 'found' if box.value == 'ab' else 0\n",
        "f",
        "Box(value='ab')",
    ),
    (
        "a base class with its type variable filled in",
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def __init__(self, value: T):\n        self.value = value\nclass Name(Box[str]):\n    pass\n"
        "def f(box: Name):\n    return 'found' if box.value == 'ab' else 0\n",
        "f",
        "Name(value='ab')",
    ),
    (
        "a recursive class",
        "class Node:\n    def __init__(self, value: int, next: 'Node | None'):\n        self.value, self.next = value, next\n"
        "def f(node: Node):\n    return 'found' if node.next and node.next.value == 7 and not node.next.next else 0\n",
        "f",
        "next=Node(value=7, next=None)",
    ),
    (
        "a tree in lists",
        "from __future__ import annotations\nclass Tree:\n    def __init__(self, value: int, children: list[Tree]):\n"
        "        self.value, self.children = value, children\n"
        "def f(tree: Tree):\n    return 'found' if len(tree.children) == 2 and tree.children[1].value == 7 else 0\n",
        "f",
        "Tree(value=7",
    ),
    (
        "Self in a constructor",
        "from typing import Self\nclass Node:\n    def __init__(self, value: int, next: Self | None = None):\n"
        "        self.value, self.next = value, next\n"
        "def f(node: Node):\n    return 'found' if node.next is not None and node.next.value == 7 else 0\n",
        "f",
        "Node(value=7",
    ),
    (
        "an un-annotated constructor",
        "class A:\n    def __init__(self, name, size):\n        self.name = name.upper()\n        self.size = size + 1\n"
        "def f(a: A):\n    return 'found' if a.name == 'AB' and a.size == 5 else 0\n",
        "f",
        "A(name=",
    ),
    (
        "an exception",
        "def f(error: ValueError):\n    return 'found' if error.args[0] == 'ab' else 0\n",
        "f",
        "ValueError('ab')",
    ),
    (
        "a method of a nested class",
        "class A:\n    class B:\n        def __init__(self, n: int):\n            self.n = n\n"
        "        def f(self, m: int):\n            return 'found' if self.n + m == 5 and m > 7 else 0\n",
        "A.B.f",
        "A.B(n=-",
    ),
    (
        "a static method",
        "class A:\n    @staticmethod\n    def f(n: int):\n        return 'found' if n == 5 else 0\n",
        "A.f",
        "5",
    ),
    (
        "a class method",
        "class A:\n    limit = 5\n    @classmethod\n    def f(cls, n: int):\n        return 'found' if n == cls.limit else 0\n",
        "A.f",
        "5",
    ),
    (
        "a property",
        "class A:\n    def __init__(self, n: int):\n        self.n = n\n    @property\n    def f(self):\n"
        "        return 'found' if self.n == 5 else 0\n",
        "A.f",
        "A(n=5)",
    ),
    (
        "a method of an abstract class",
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def size(self): ...\n"
        "    def f(self):\n        return 'found' if self.size() == 5 else 0\n"
        "class B(A):\n    def __init__(self, n: int):\n        self.n = n\n    def size(self):\n        return self.n\n",
        "A.f",
        "B(n=5)",
    ),
]


@pytest.mark.parametrize(("source", "target", "call"), [row[1:] for row in OBJECTS], ids=[row[0] for row in OBJECTS])
def test_objects(tmp_path: Path, source: str, target: str, call: str) -> None:
    assert call in found(tmp_path, source, target).call


QUEUE = """
class Queue:
    def __init__(self):
        self.items = []

    def push(self, item: int) -> None:
        if item < 0:
            raise ValueError(item)
        self.items.append(item)

    def pop(self) -> int:
        return self.items.pop(0)

    def f(self) -> str:
        return "found" if self.items == [3, 4] else "no"
"""


def test_state_is_built_up_by_calls(tmp_path: Path) -> None:
    assert {path.result for path in explored(tmp_path, QUEUE, "Queue.f")} == {"no"}
    path = found(tmp_path, QUEUE, "Queue.f", calls=2)
    assert path.setup == ["self = Queue()", "self.push(item=3)", "self.push(item=4)"]
    assert path.call == "{'self': self}"


def test_a_call_that_raises_makes_no_input(tmp_path: Path) -> None:
    paths = explored(tmp_path, QUEUE, "Queue.f", calls=1, max_runs=40)
    assert paths
    assert not any("item=-" in statement for path in paths for statement in path.setup)


ATTRS = """
def define(cls):
    def __init__(self, size, label="x"):
        self._size, self.label = size, label
    __init__.__annotations__ = {"size": int, "label": str, "return": None}
    cls.__init__ = __init__
    cls.__attrs_attrs__ = ()
    return cls

@define
class Box:
    _size: int
    label: str

def f(box: Box):
    return "found" if box._size == 5 and box.label == "q" else 0
"""


def test_classes_with_a_generated_constructor_need_no_package(tmp_path: Path) -> None:
    assert "Box(size=5, label='q')" in found(tmp_path, ATTRS).call


def test_attrs_classes(tmp_path: Path) -> None:
    pytest.importorskip("attrs")
    source = (
        "import attrs\n@attrs.define\nclass Box:\n    _size: int\n    tags: list[str] = attrs.field(factory=list)\n"
        "def f(box: Box):\n    return 'found' if box._size == 5 and box.tags == ['q'] else 0\n"
    )
    assert "Box(size=5, tags=['q'])" in found(tmp_path, source).call


REFUSED = [
    ("class A:\n    def __init__(self, other: 'A'):\n        self.other = other\ndef f(a: A):\n    return 1\n", "needs another one"),
    ("from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def g(self): ...\ndef f(a: A):\n    return 1\n",
     "parameter 'a' of f: A is abstract, and no class of the module implements it"),
    ("from typing import Protocol\nclass P(Protocol):\n    def unheard_of(self): ...\ndef f(a: P):\n    return 1\n", "P is a protocol"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "words"), REFUSED)
def test_what_cannot_be_built_is_said(tmp_path: Path, source: str, words: str) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(source)
    with pytest.raises(InputError, match=words):
        ramify.explore(f"{file}:f")


def test_depth_is_bounded(tmp_path: Path) -> None:
    source = (
        "class Node:\n    def __init__(self, next: 'Node | None'):\n        self.next = next\n"
        "def f(node: Node):\n    depth = 0\n    while node is not None:\n        depth, node = depth + 1, node.next\n    return depth\n"
    )
    assert {path.result for path in explored(tmp_path, source) if not path.outside} == {1, 2, 3}
