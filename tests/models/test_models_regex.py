"""Regular expressions on concolic texts agree with `re`, and reversed matches are found."""

# ruff: noqa: E501 - tables in rows

import re
from typing import Any

import pytest
from differential import agree
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.models import LIBRARY, METHODS
from ramify.runtime.recording import path
from ramify.runtime.solver import Sat
from ramify.runtime.solver.chain import Solver
from ramify.runtime.solver.regexes import matching, not_matching
from ramify.runtime.terms import language as T
from ramify.runtime.terms import re_found, search_of, var
from ramify.runtime.values import core, sym_str

PATTERNS = [
    "", "a", "a+", "(a)|(b)", "(?P<key>\\w+)=(?P<value>\\d*)", "^a*$", "[^,]+", "(\\d{4})-(\\d\\d)", "(a)?b", "(?i)AB", "\\s+", "a*?", "(?=a)", "\\bab\\b", "(.)\\1", "(?:ab)+", "$", "x*", "([ab])([ab])?",
]  # fmt: skip
TEXTS = ["", "a", "b", "ab", "aab", "k=12,v=3", "2024-02", "AB ab", " a  b ", "éé", "a\nb", "bb"]


def facts(match: Any) -> Any:
    """All that a match object says."""
    if match is None:
        return None
    return (
        match.group(), match.groups(), match.groups("-"), match.groupdict(), match.span(), match.start(), match.end(), match[0], match.lastindex, match.lastgroup, str(match.string),
        [match.span(n) for n in range(match.re.groups + 1)], match.pos, match.endpos, isinstance(match, re.Match), bool(match), repr(match), match.re.pattern, match.regs,
    )  # fmt: skip


def call(name: str, pattern: str, *args: Any, **keywords: Any) -> Any:
    concolic = any(map(core.is_concolic, (*args, *keywords.values())))
    return (LIBRARY[getattr(re, name)] if concolic else getattr(re, name))(pattern, *args, **keywords)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_functions_agree(pattern: str) -> None:
    for text in TEXTS:
        for name in ("match", "search", "fullmatch"):
            agree(lambda s, n=name: facts(call(n, pattern, s)), text)
        agree(lambda s: call("findall", pattern, s), text)
        agree(lambda s: [facts(m) for m in call("finditer", pattern, s)], text)
        agree(lambda s: call("split", pattern, s), text)
        agree(lambda s: call("split", pattern, s, maxsplit=1), text)
        for repl in ("", "x", "<\\g<0>>", "\\\\", "\\n", "\\9"):
            agree(lambda s, r=repl: call("sub", pattern, r, s), text)
        agree(lambda s: call("subn", pattern, "x", s, count=1), text)
        agree(lambda s: call("sub", pattern, lambda m: m[0].upper(), s), text)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_methods_of_compiled_patterns_agree(pattern: str) -> None:
    compiled = re.compile(pattern)

    def run(name: str, *args: Any) -> Any:
        concolic = any(map(core.is_concolic, args))
        return METHODS[re.Pattern, name](compiled, *args) if concolic else getattr(compiled, name)(*args)

    for text in TEXTS:
        for name in ("match", "search", "fullmatch"):
            for bounds in ((1,), (-1,), (9,), (0, 2), (1, 9), (1, 0), (0, -1)):
                agree(lambda s, *b, n=name: facts(run(n, s, *b)), text, *bounds, symbolic=1)
            agree(lambda s, p, n=name: run(n, s, p) is None, text, 1)
        agree(lambda s: run("findall", s, 1), text)


def test_bytes_and_wrong_types() -> None:
    for data in (b"", b"a", b"\xe9a1", b"k=1"):
        for pattern in (b"\\w+", b"(?i)A", b"(\\w)=(\\d)"):
            agree(lambda b, p=pattern: (lambda m: m and (m.group(), m.groups(), m.span()))(call("search", p, b)), data)
            agree(lambda b, p=pattern: call("findall", p, b), data)
    agree(lambda s: call("match", "a", s), 3)
    agree(lambda s: call("match", b"a", s), "a")
    agree(lambda p: LIBRARY[re.match](p, "abc") is None if core.is_concolic(p) else re.match(p, "abc") is None, "a")


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(text=st.text("ab1=, -", max_size=6), number=st.integers(0, len(PATTERNS) - 1))
def test_any_text(text: str, number: int) -> None:
    agree(lambda s: facts(call("search", PATTERNS[number], s)), text)
    agree(lambda s: call("split", PATTERNS[number], s), text)


def test_a_match_is_one_decision_and_groups_have_terms() -> None:
    run = path.Run({"s": "k=12"})
    with path.recording(run):
        match = LIBRARY[re.match](r"(\w+)=(\d+)", sym_str("k=12", var("s", T.STR)))
        assert match
        assert len(run.decisions) == 1
        value = match.group(2)
    assert value.term.op == "substr"
    assert not run.concretisations


REALISTIC = [
    r"^\d{4}-\d{2}-\d{2}$", r"[A-Za-z_]\w*", r"^[\w.+-]+@[\w-]+\.[\w.]+$", r"(?:\d{1,3}\.){3}\d{1,3}", r"^#(?:[0-9a-fA-F]{3}){1,2}$", r"^(?=.*\d)(?=.*[a-z]).{6,}$", r"(\w)\1", r"^\s*(\w+)\s*=\s*(.*)$",
    r"^(\+|-)?\d+(\.\d+)?([eE][+-]?\d+)?$", r"<(\w+)>.*</\1>", r"^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$", r"\b(GET|POST) /(\S*) HTTP/1\.[01]\b", r"^(?!-)[a-z-]+$", r"[^\x00-\x7f]", r"^$", r"(?i)select\s+\*", r"(?x) a  b # c",
]  # fmt: skip


@pytest.mark.parametrize("pattern", REALISTIC)
@pytest.mark.parametrize("kind", ["match", "search", "fullmatch", "finditer"])
def test_texts_are_written_from_the_pattern(pattern: str, kind: str) -> None:
    search = search_of(pattern, re.compile(pattern).flags, kind)
    found = list(matching(search, "zz", 0))
    assert found or (kind == "fullmatch" and "\\b" in pattern)
    assert all(re_found(search, text, 0) for text in found)
    others = list(not_matching(search, found[0] if found else "zz", 0))
    assert others or pattern == r"^(?!-)[a-z-]+$"
    assert not any(re_found(search, text, 0) for text in others)


s = var("s", T.STR)


@pytest.mark.parametrize("pattern", REALISTIC)
def test_a_reversed_match_is_solved(pattern: str) -> None:
    condition = T.re_found(T.const(search_of(pattern, re.compile(pattern).flags, "search")), s, T.const(0))
    solver = Solver()
    found = solver.solve([], condition, {"s": ""})
    if not re.search(pattern, ""):
        assert isinstance(found, Sat)
        assert re.search(pattern, found.model["s"])
    start = found.model if isinstance(found, Sat) else {"s": ""}
    missed = solver.solve([], T.not_(condition), start)
    assert isinstance(missed, Sat)
    assert not re.search(pattern, missed.model["s"])


def test_a_group_is_solved_by_putting_the_wanted_text_in_its_place() -> None:
    search = T.const(search_of(r"(\d{4})-(\d{2})-(\d{2})", 0, "fullmatch"))
    at = T.const(0)
    month = T.substr(s, T.re_start(search, s, at, T.const(2)), T.re_end(search, s, at, T.const(2)))
    goal = T.gt(T.str_to_int(month, T.const(10)), T.const(12))
    found = Solver().solve([T.re_found(search, s, at), T.is_int_text(month, T.const(10))], goal, {"s": "2000-01-01"})
    assert isinstance(found, Sat)
    assert found.model["s"] == "2000-13-01"
