"""The report people read, the one programs read, and the threshold."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ramify.cfg.hits import FileCoverage
from ramify.instrument import probes
from ramify.instrument.coverage import instrument
from ramify.reports.coverage_report import (
    below_threshold,
    percent_text,
    print_report,
    render_coloured,
    render_json,
    render_text,
)


def ran(source: str, name: str = "shop.py") -> FileCoverage:
    """The coverage of a module that was executed once."""
    content = dedent(source)
    built = instrument(content.encode(), f"<{name} {hash(content)}>")
    probes.activate(built, built.code.co_filename)
    exec(built.code, {"__name__": "shop"})
    return FileCoverage.of(name, content, probes.measured()[built.code.co_filename, built.digest])


def never_ran(source: str, name: str) -> FileCoverage:
    return FileCoverage.of(name, dedent(source), ())


def second_part(text: str) -> str:
    return text.partition("Missing branches\n\n")[2]


SHOP = """\
    def price(total, member):
        if total > 100 and member:
            return total * 0.9
        return total

    def refund(order):
        return order.price

    price(50, True)
    """


# -- text -----------------------------------------------------------------------------------------


def test_the_whole_report() -> None:
    whole = ran("x = [n for n in range(3)]", "complete.py")
    assert render_text([whole, ran(SHOP)]) == dedent("""\
                                branches          statements
        complete.py                  2/2  100.0%         1/1  100.0%
        shop.py                      2/4   50.0%         5/7   71.4%
          price                      2/4   50.0%         2/3   66.6%
          <module>, complete         0/0       -         3/3  100.0%
          refund, never called       0/0       -         0/1    0.0%
        ------------------------------------------------------------
        total of 2 files             4/6   66.6%         6/8   75.0%

        Missing branches

        shop.py
          price
            line 2: `if total > 100 and member` never true
            line 2: `total > 100 and ...` never true
          functions never called: refund
          lines never reached: 3
        """)


def test_a_complete_file_is_one_line() -> None:
    text = render_text([ran("x = [n for n in range(3)]", "complete.py")])
    heading, file, rule, total = text.splitlines()
    assert heading.split() == ["branches", "statements"]
    assert file.split() == ["complete.py", "2/2", "100.0%", "1/1", "100.0%"]
    assert rule == "-" * len(total)
    assert total.startswith("total of 1 file ")


def test_a_place_that_was_not_reached_is_named_once_not_per_outcome() -> None:
    file = ran("""\
        def f(a, b):
            if a:
                if b:
                    return 1
            return 2
        f(0, 0)
        """)
    assert second_part(render_text([file])) == dedent("""\
        shop.py
          f
            line 2: `if a` never true
            line 3: `if b` never reached
          lines never reached: 3-4
        """)


def test_places_in_a_row_that_were_not_reached_are_one_line() -> None:
    file = ran("""\
        def f(a, b):
            if a:
                for x in b:
                    try:
                        x()
                    except ValueError:
                        pass
                return [y for y in b if y]
        f(0, 0)
        """)
    assert second_part(render_text([file])) == dedent("""\
        shop.py
          f
            line 2: `if a` never true
            lines 3-8: `for x in b` and what follows never reached (8 branches)
          lines never reached: 3-8
        """)


def test_a_handler_beside_code_that_ran_is_named_by_its_own_words() -> None:
    file = ran("""\
        try:
            x = 1
        except ValueError:
            x = 2
        """)
    assert "    line 3: `except ValueError` never caught anything\n" in second_part(render_text([file]))


def test_a_file_that_was_never_imported_says_just_that() -> None:
    text = render_text([never_ran(SHOP, "shop.py")])
    assert second_part(text) == "shop.py\n  never imported\n"
    assert re.search(r"shop.py +0/4 +0.0% +0/7 +0.0%", text)
    assert "price" not in text


def test_functions_that_share_a_name_are_told_apart_by_line() -> None:
    file = ran("""\
        class Box:
            @property
            def lid(self):
                return 1

            @lid.setter
            def lid(self, value):
                pass
        Box().lid
        """)
    assert "  functions never called: Box.lid (line 7)\n" in render_text([file])


def test_long_lists_are_wrapped_between_items() -> None:
    file = ran("".join(f"def function_number_{n}(): return {n}\n" for n in range(20)))
    lines = second_part(render_text([file])).splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert sum(line.count("function_number_") for line in lines) == 20


def test_limit_shortens_the_list_of_one_file_and_says_so() -> None:
    source = "def f(x):\n" + "".join(f"    if x == {n}:\n        pass\n" for n in range(9)) + "f(-1)\n"
    text = render_text([ran(source)], limit=4)
    assert second_part(text).splitlines()[1:6] == [
        "  f",
        "    line 2: `if x == 0` never true",
        "    line 4: `if x == 1` never true",
        "    line 6: `if x == 2` never true",
        "    ... and 6 more lines",
    ]


def test_the_table_alone() -> None:
    assert "Missing" not in render_text([ran(SHOP)], show_missing=False)


def test_a_file_without_numbers_is_a_warning_and_not_in_the_total() -> None:
    text = render_text([ran(SHOP), FileCoverage("gone.py", "measured, but its source cannot be read now: gone")])
    assert "\nwarning: gone.py: measured, but its source cannot be read now: gone\n" in text
    assert "total of 1 file " in text


def test_files_here_are_shown_relative_and_modules_elsewhere_as_they_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("/somewhere/lib")
    names = [str(tmp_path / "src" / "shop.py"), "/somewhere/lib/json/decoder.py", "/elsewhere/x.py"]
    lines = render_text([never_ran("x = 1", name) for name in names]).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["src/shop.py", "json/decoder.py", "/elsewhere/x.py"]


@pytest.mark.parametrize(
    ("covered", "total", "shown"),
    [(1999, 2000, "99.9%"), (2000, 2000, "100.0%"), (0, 0, "100.0%"), (1, 3, "33.3%")],
)
def test_percentages_are_rounded_down_so_that_100_means_all(covered: int, total: int, shown: str) -> None:
    from ramify.cfg.hits import Count

    assert percent_text(Count(covered, total)) == shown


# -- terminal or pipe -----------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_plain_text() -> None:
    stream = io.StringIO()
    print_report([ran(SHOP)], stream)
    assert stream.getvalue() == render_text([ran(SHOP)])
    assert "\x1b" not in stream.getvalue()


def test_a_terminal_gets_colours_and_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    files = [ran(SHOP), FileCoverage("gone.py", "vanished")]
    print_report(files, stream)
    assert "\x1b[" in stream.getvalue()

    def words(text: str) -> list[str]:
        return [word for word in re.sub(r"\x1b\[[0-9;]*m", "", text).split() if set(word) - set("-─━ ")]

    assert [word for word in words(stream.getvalue()) if word != "-"] == [
        word for word in words(render_text(files)) if word != "-"
    ]


def test_source_that_looks_like_rich_markup_is_shown_as_it_is() -> None:
    file = ran("x = {'[red]': 1}\nif x['[red]']:\n    pass\n")
    assert "`if x['[red]']` never false" in re.sub(r"\x1b\[[0-9;]*m", "", render_coloured([file]))


def test_rich_is_imported_only_for_a_terminal() -> None:
    render = 'from ramify.reports.coverage_report import render_text; render_text([])'
    code = f"import sys; {render}; print('rich' in sys.modules)"
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


# -- JSON -----------------------------------------------------------------------------------------


def test_json_has_stable_keys() -> None:
    content: dict[str, Any] = json.loads(render_json([ran(SHOP), FileCoverage("gone.py", "vanished")]))
    assert content["format"] == "ramify coverage 1"
    assert content["total"] == {
        "files": 2,
        "branches": {"covered": 2, "total": 4, "percent": 50.0},
        "statements": {"covered": 5, "total": 7, "percent": 71.43},
    }
    shop, gone = content["files"]
    assert list(shop) == ["file", "warning", "branches", "statements", "missing_lines", "functions"]
    assert (shop["file"], shop["warning"], shop["missing_lines"]) == ("shop.py", None, [[3, 3], [7, 7]])
    assert [(f["name"], f["line"], f["end_line"], f["ran"]) for f in shop["functions"]] == [
        ("<module>", 1, 9, True),
        ("price", 1, 4, True),
        ("refund", 6, 7, False),
    ]
    assert shop["functions"][1]["missing"][0] == {
        "id": 0,
        "line": 2,
        "column": 4,
        "kind": "if",
        "text": "if total > 100 and member",
        "outcome": "true",
        "words": "line 2: `if total > 100 and member` never true",
    }
    assert (gone["warning"], gone["functions"]) == ("vanished", [])


# -- the threshold --------------------------------------------------------------------------------


def test_the_threshold_is_about_the_branches_of_all_files() -> None:
    files = [ran(SHOP), ran("x = [n for n in range(3)]", "complete.py")]
    assert below_threshold(files, 66) is None
    assert below_threshold(files, 66.7) == "branch coverage 66.6% is below the required 66.7%"
    assert below_threshold([], 100) is None
