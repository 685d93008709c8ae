"""No module, class or room of the project is larger than it may be."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
try:
    import sizes
finally:
    sys.path.remove(str(ROOT / "benchmarks"))


def test_modules_and_classes_are_small() -> None:
    found = sizes.modules(ROOT)
    assert sizes.long_modules(found) == {}, "modules above 450 lines say why"
    assert sizes.large_classes(found) == {}
    # The whole project was read.
    assert {"app", "app/commands", "cfg", "instrument", "runtime/terms"} <= {module.room for module in found}


def planted(docstring: str, lines: int) -> sizes.Module:
    text = f'"""{docstring}"""\n'
    return sizes.Module("cfg/planted.py", text + "x = 1\n" * (lines - len(text.splitlines())))


@pytest.mark.parametrize(
    ("docstring", "lines", "found"),
    [
        ("One.", 450, {}),
        ("One.", 451, {"cfg/planted.py": 451}),
        ("One.\n\nLong because the table of operations is one thing.", 451, {}),
        ("One.\n\nLong because", 451, {"cfg/planted.py": 451}),
        ("One. It is not Long because of anything.", 451, {"cfg/planted.py": 451}),
    ],
)
def test_a_long_module_without_a_reason_is_found(docstring: str, lines: int, found: dict[str, int]) -> None:
    assert sizes.long_modules([planted(docstring, lines)]) == found


def test_a_reason_stands_in_the_docstring() -> None:
    text = planted("One.", 460).text + "# Long because nobody looked\ny = '''Long because of text'''\n"
    assert sizes.long_modules([sizes.Module("cfg/planted.py", text)]) == {"cfg/planted.py": 462}


def methods(names: list[str]) -> str:
    return "".join(f"    def {name}(self): pass\n" for name in names)


def counted(text: str) -> dict[str, int]:
    return sizes.large_classes([sizes.Module("cfg/planted.py", dedent(text))])


SIXTEEN = [f"m{n}" for n in range(16)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class C:\n" + methods(SIXTEEN[:15]), {}),
        ("class C:\n" + methods(SIXTEEN), {"C": 16}),
        ("class C:\n" + methods([*SIXTEEN[:15], "_private", "__len__"]), {}),
        ("class C:\n" + methods([*SIXTEEN[:15], "m0"]), {}),  # a property and its setter
        ("class C:\n" + methods(SIXTEEN).replace("def", "async def"), {"C": 16}),
        ("class C:\n    if True:\n" + methods(SIXTEEN).replace("    def", "        def"), {"C": 16}),
        ("class C:\n    def m(self):\n" + methods(SIXTEEN).replace("    def", "        def"), {}),
        ("class Outer:\n    class C:\n" + methods(SIXTEEN).replace("    def", "        def"), {"C": 16}),
        # Parts
        (f"class A:\n{methods(SIXTEEN[:8])}class B:\n{methods(SIXTEEN[8:])}class C(A, B): pass", {"C": 16}),
        ("class A:\n" + methods(SIXTEEN) + "class B(A):\n" + methods(["more"]), {"A": 16}),
        ("class P(Protocol):\n" + methods(SIXTEEN), {"P": 16}),
        # Names that a foreign base prescribes
        ("class C(str):\n" + methods([n for n in dir(str) if n[0] != "_"]), {}),
        ("class C:\n" + methods([n for n in dir(str) if n[0] != "_"][:20]), {"C": 20}),
        ("class C(str):\n" + methods(["upper", *SIXTEEN]), {"C": 16}),
        ("class C(ast.NodeVisitor):\n" + methods(["visit_If", "visit_For", *SIXTEEN[:15]]), {}),
        ("class C(NodeVisitor):\n" + methods(["visit_all", *SIXTEEN[:15]]), {"C": 16}),
        ("class C:\n" + methods(["visit_If", *SIXTEEN[:15]]), {"C": 16}),
    ],
)
def test_a_large_class_is_found(text: str, found: dict[str, int]) -> None:
    assert counted(text) == {f"cfg/planted.py:{name}": count for name, count in found.items()}


def test_a_base_is_found_in_another_module() -> None:
    parts = [sizes.Module("cfg/part.py", "class A:\n" + methods(SIXTEEN[:10]))]
    whole = sizes.Module("cfg/whole.py", "from part import A\nclass C(A):\n" + methods(SIXTEEN[10:]))
    assert sizes.large_classes([*parts, whole]) == {"cfg/whole.py:C": 16}


def test_the_table_counts_lines_of_each_kind() -> None:
    text = '"""One.\n\nTwo.\n"""\n\n# Why.\nx = 1  # noqa: E501\ny = 2  # because\n\n'
    text += 'def f():\n    """Three."""\n'
    [room] = sizes.rooms([sizes.Module("cfg/planted.py", text)])
    assert (room.name, room.modules, room.lines, room.comments, room.docstrings) == ("cfg", 1, 8, 2, 5)
    table = "\n".join(sizes.report([sizes.Module("cfg/planted.py", text), planted("One.", 451)]))
    assert "| cfg | 2 |" in table
    assert "| cfg/planted.py | 451 | none given |" in table
