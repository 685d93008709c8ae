"""`ramify show`: instrumented source that people can read and Python can parse."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ramify.cli import cli
from ramify.errors import InputError
from ramify.instrument import render

SOURCE = '''\
class Till:
    def price(self, total):
        """In cents."""
        return total - 20 if total > 500 else total


def price():
    pass
'''


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.py"
    path.write_text(SOURCE)
    return str(path)


def show(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["show", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


METHOD = '''\
@__ramify_tools__.functions[4]
def price(self, total):
    """In cents."""
    __ramify_enter__(4)
    return __ramify_add__(0) or total - 20 if total > 500 else __ramify_add__(1) or total
'''


def test_a_method_is_shown_with_its_probes(shop: str) -> None:
    assert show(f"{shop}:Till.price") == METHOD


CONCOLIC = '''\
def price(self, total):
    """In cents."""
    __ramify_tick__()
    return total - 20 if total > 500 else total
'''


def test_the_concolic_level_is_shown(shop: str) -> None:
    assert show("--level", "concolic", f"{shop}:Till.price") == CONCOLIC


def test_a_whole_file_parses_and_keeps_its_names(shop: str) -> None:
    names = [getattr(node, "name", None) for node in ast.parse(show(shop)).body]
    assert [name for name in names if name] == ["Till", "price"]


def test_a_module_is_found_by_name() -> None:
    assert "def wrap(" in show("textwrap")


def test_an_unknown_function_is_an_input_error(shop: str) -> None:
    with pytest.raises(InputError, match=r"shop\.py: no function or class 'Till\.prize' there; did you mean"):
        CliRunner().invoke(cli, ["show", f"{shop}:Till.prize"], catch_exceptions=False)


ASTOR_CANNOT = [
    "match x:\n    case [1, *rest] if rest:\n        pass\n",
    "try:\n    pass\nexcept* ValueError:\n    pass\n",
    "f'{x!r:>{width}} {y=}'\n",
    "(a if b else c) if d else e\n",
    "lambda x, /, y=1, *, z: (yield)\n",
    "not (x if y else z)\n",
    "u'kind'\n",
]


@pytest.mark.parametrize("source", ASTOR_CANNOT)
def test_what_is_printed_always_means_the_same_tree(source: str) -> None:
    tree = ast.parse(source)
    assert ast.dump(ast.parse(render.to_source(tree))) == ast.dump(tree)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_are_printed() -> None:
    tree = ast.parse("def first[T](items: list[T]) -> T:\n    return items[0]\ntype Pair[T] = tuple[T, T]\n")
    assert ast.dump(ast.parse(render.to_source(tree))) == ast.dump(tree)


def test_a_broken_astor_is_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "astor", None)
    assert render.to_source(ast.parse("x = 1 + 2")) == "x = 1 + 2\n"
