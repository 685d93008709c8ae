"""`ramify cfg`: text, dot, mermaid and JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from ramify.cfg.build import ModuleGraphs
from ramify.cfg.drawing import FORMATS, render
from ramify.commands.cfg_command import command
from ramify.errors import InputError

SOURCE = dedent(
    """\
    def price(total, code):
        if code == "a\\"b" and total > 3:
            return total | 1
        while True:
            total += "\\n".count("<%s>")
        print("never")
    """
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(SOURCE + "class Cart:\n    def total(self):\n        return [x for x in self if x]\n")
    return path


def show(*args: str) -> str:
    result = CliRunner().invoke(command, list(args), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_text(shop: Path) -> None:
    assert show(f"{shop}:price") == dedent(
        """\
        function price, lines 1-6: 8 blocks, 4 branches, complexity 3
          never runs: line 6, because the loop on line 4 never ends

          entry
              next -> B2: the scope was entered

          exit

          B2, line 2
              2  if code == "a\\"b" and total > 3
              2    code == "a\\"b"
              true [2] -> B4: the operand `code == "a\\"b"` on line 2 was true
              false [3] -> B3: the operand `code == "a\\"b"` on line 2 was false

          B3
              false [1] -> B6: the condition `code == "a\\"b" and total > 3` on line 2 was false

          B4, line 2
              2    total > 3
              true [0] -> B5: the condition `code == "a\\"b" and total > 3` on line 2 was true
              false -> B3: the operand `total > 3` on line 2 was false

          B5, line 3
              3  return total | 1
              return -> exit: the return on line 3 was executed

          B6, lines 4-5
              4  while True
              5  total += "\\n".count("<%s>")
              next -> B6: the body of the loop on line 4 finished

          B7, line 6  (never reached)
              6  print("never")
              next -> exit: the end of the body was reached
        """
    )


QUOTED = r'"(?:[^"\\]|\\.)*"'
DOT_LINE = re.compile(
    rf"""\s*(?:
        digraph\s{QUOTED}\s{{ | node\s\[[^\]]*\]; | subgraph\scluster_\d+\s{{ | label={QUOTED}; | }}
      | \w+(?:\s->\s\w+)?\s\[\w+=(?:{QUOTED}|\w+)(?:,\s\w+=(?:{QUOTED}|\w+))*\];
    )""",
    re.VERBOSE,
)
MERMAID_LINE = re.compile(
    r'\s*(?:flowchart TD|subgraph \w+\["[^"]*"\]|end|\w+(?:\["[^"]*"\]|\(\["[^"]*"\]\))'
    r'|\w+ (?:-->|-\.->)\|"\w+"\| \w+)'
)


@pytest.mark.parametrize(("output_format", "line"), [("dot", DOT_LINE), ("mermaid", MERMAID_LINE)])
def test_pictures_keep_to_the_grammar(shop: Path, output_format: str, line: re.Pattern[str]) -> None:
    for row in show(str(shop), "--format", output_format).splitlines():
        assert line.fullmatch(row), row


def test_json_is_the_graph(shop: Path) -> None:
    document = json.loads(show(f"{shop}:Cart", "--format", "json"))
    assert (document["version"], document["target"]) == (1, f"{shop}:Cart")
    assert [graph["name"] for graph in document["graphs"]] == [
        "Cart",
        "Cart.total",
        "Cart.total.<locals>.<listcomp>",
    ]
    method = document["graphs"][1]
    assert set(method) == {
        "name", "kind", "line", "end_line", "complexity", "blocks", "edges", "loops", "dead_code",
    }  # fmt: skip
    assert method["blocks"][2] == {
        "index": 2,
        "kind": "code",
        "label": "B2",
        "reachable": True,
        "parts": [
            {
                "role": "statement",
                "text": "return [x for x in self if x]",
                "line": 9,
                "column": 8,
                "end_line": 9,
                "end_column": 37,
            }
        ],
    }
    assert method["edges"][1] == {
        "source": 2,
        "target": 1,
        "kind": "return",
        "line": 9,
        "branch": None,
        "cause": "the return on line 9 was executed",
        "never": "the return on line 9 was never executed",
        "enter": None,
        "leave": None,
        "implicit": False,
    }


def test_every_format_takes_every_graph() -> None:
    source = (Path(__file__).parents[1] / "data" / "corpus.py").read_text("utf-8")
    graphs = list(ModuleGraphs.of_source(source))
    for output_format in FORMATS:
        assert render(graphs, output_format, 'a "name"')


def test_unknown_function_suggests(shop: Path) -> None:
    with pytest.raises(InputError, match=r"no function or class 'prise' there; did you mean price"):
        CliRunner().invoke(command, [f"{shop}:prise"], catch_exceptions=False, standalone_mode=False)


def test_command_line_reports_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("x = (\n")
    code = "import sys; from ramify.cli import main; main(['cfg', 'broken.py'])"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr == "ramify: broken.py:1:5: does not parse: '(' was never closed\n"


def test_text_needs_no_networkx() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from ramify.commands.cfg_command import command;"
        "CliRunner().invoke(command, ['bisect']); sys.exit('networkx' in sys.modules or 'rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
