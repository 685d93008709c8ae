"""What the models ask the solver: each query is solved, and the model satisfies it when evaluated."""

# ruff: noqa: E501 - tables in rows

import itertools
import math
import re

import pytest

from ramify.runtime.solver import Sat, Solver, SolverOptions, Unsat
from ramify.runtime.solver.lowered.lowering import Lowering
from ramify.runtime.solver.lowered.vectors import TooHard
from ramify.runtime.terms import Evaluator, satisfies, search_of, var
from ramify.runtime.terms import language as T

s, t = var("s", T.STR), var("t", T.STR)
x, y = var("x", T.INT), var("y", T.INT)
f, g = var("f", T.FLOAT), var("g", T.FLOAT)
c = T.const
START = {"s": "", "t": "", "x": 0, "y": 0, "f": 0.0, "g": 0.0}


def found(pattern, text=s, kind="search", flags=0):
    return T.re_found(c(search_of(pattern, re.compile(pattern, flags).flags, kind)), text, c(0))


QUERIES = {
    "hex text": ([], T.eq(T.format_(x, c("#x")), c("0x2a"))),
    "padded": ([], T.eq(T.format_(x, c("05d")), c("-0042"))),
    "two decimals": ([], T.eq(T.format_(f, c(".2f")), c("2.50"))),
    "percent": ([], T.eq(T.percent(c("%5.1f"), f), c("  2.5"))),
    "int text with a sign": ([T.starts_with(s, c("-"))], T.is_int_text(s, c(10))),
    "int text with blanks": ([T.starts_with(s, c(" "))], T.is_int_text(s, c(10))),
    "int text with underscores": ([T.contains(s, c("_"))], T.is_int_text(s, c(10))),
    "int text of two digits": ([T.is_int_text(s, c(10)), T.eq(T.length(s), c(2))], T.gt(T.str_to_int(s, c(10)), c(50))),
    "base 16": ([T.is_int_text(s, c(16))], T.eq(T.str_to_int(s, c(16)), c(255))),
    "base 36 of four": ([T.is_int_text(s, c(36)), T.eq(T.length(s), c(4))], T.gt(T.str_to_int(s, c(36)), c(1_000_000))),
    "base 2": ([T.is_int_text(s, c(2))], T.eq(T.str_to_int(s, c(2)), c(5))),
    "float text": ([T.is_float_text(s)], T.gt(T.str_to_float(s), c(1.5))),
    "float text that is nan": ([T.is_float_text(s)], T.is_nan(T.str_to_float(s))),
    "date text": ([], T.is_time_text(s, c("date"))),
    "strptime": ([], T.is_time_text(s, c("%d.%m.%Y %H:%M"))),
    "decimal text": ([], T.is_decimal_text(s)),
    "title": ([], T.is_title(s)),
    "capitalize": ([], T.eq(T.capitalize(s), c("Hello"))),
    "title case": ([], T.eq(T.title(s), c("Ab Cd"))),
    "casefold": ([T.ne(s, c("abc"))], T.eq(T.casefold(s), c("abc"))),
    "translate": ([], T.eq(T.translate(s, c(("a", "b")), c(("x", "y"))), c("xyz"))),
    "expandtabs": ([], T.eq(T.expandtabs(s, c(4)), c("a   b"))),
    "replace once": ([], T.eq(T.replace_some(s, c("a"), c("b"), c(2)), c("bbc"))),
    "all digits": ([T.eq(T.length(s), c(4))], T.is_digit(s)),
    "digit then letter": ([T.eq(T.length(s), c(2)), T.is_digit(T.char_at(s, c(0)))], T.is_alpha(T.char_at(s, c(1)))),
    "part": ([T.eq(T.substr(s, c(4), c(5)), c("-"))], T.eq(T.substr(s, c(0), c(4)), c("2024"))),
    "member of a table": ([], T.seq_contains(c(tuple(f"word{n}" for n in range(40))), s)),
    "not in a table": ([T.seq_contains(c(tuple(range(40))), T.add(x, c(1)))], T.seq_contains(c(tuple(range(20, 60))), x)),
    "value of a table": ([T.seq_contains(c(tuple(range(40))), x)], T.eq(T.table_get(c(tuple(range(40))), c(tuple(n * n for n in range(40))), x), c(81))),
    "text of a table": ([T.seq_contains(c(("ab", "cd", "ef")), s)], T.eq(T.table_get(c(("ab", "cd", "ef")), c(("x", "y", "z")), s), c("y"))),
    "round": ([], T.eq(T.round_to(f, c(1)), c(2.5))),
    "round up": ([T.gt(f, c(2.5))], T.eq(T.round_to(f, c(1)), c(2.5))),
    "round tens": ([T.ne(x, c(40))], T.eq(T.round_to(x, c(-1)), c(40))),
    "sum of floats": ([T.gt(f, c(1.0))], T.eq(T.float_sum(f, g, c(0.5)), c(4.0))),
    "isqrt": ([T.ne(x, c(81))], T.eq(T.isqrt(x), c(9))),
    "gcd": ([T.gt(x, c(12))], T.eq(T.gcd(x, c(12)), c(4))),
    "factorial": ([], T.eq(T.factorial(x), c(720))),
    "comb": ([], T.eq(T.comb(x, c(2)), c(15))),
    "bit count": ([T.gt(x, c(1000))], T.eq(T.bit_count(x), c(3))),
    "modular power": ([], T.eq(T.pow_mod(c(3), x, c(17)), c(5))),
    "exp": ([], T.gt(T.MATH["exp"](f), c(100.0))),
    "log": ([T.gt(f, c(0.0))], T.gt(T.MATH["log"](f), c(2.0))),
    "sin": ([], T.gt(T.MATH["sin"](f), c(0.5))),
    "hypot": ([], T.eq(T.hypot(f, c(3.0)), c(5.0))),
    "radians": ([], T.gt(T.MATH["radians"](f), c(3.0))),
    "regex and length": ([T.eq(T.length(s), c(7))], found(r"^[a-z]+-\d+$")),
    "regex and prefix": ([T.starts_with(s, c("v"))], found(r"^\w+\.\d+$")),
    "regex and no regex": ([found(r"^[a-f]+$")], T.not_(found(r"a|b|c"))),
    "two regexes": ([found(r"\d")], found(r"^[a-z]{2}")),
    "lookahead": ([T.eq(T.length(s), c(6))], found(r"^(?=.*\d)(?=.*[A-Z])\w+$")),
    "ignoring case": ([T.not_(found("sel"))], found("select", flags=re.IGNORECASE)),
    "whole words": ([T.gt(T.length(s), c(5))], found(r"\bab\b")),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_solved(name):
    prefix, goal = QUERIES[name]
    solver = Solver()
    start = dict(START)
    for number, condition in enumerate([*prefix, goal]):
        verdict = solver.solve([*prefix, goal][:number], condition, start)
        assert isinstance(verdict, Sat), (condition, verdict)
        start = verdict.model
    assert satisfies(start, [*prefix, goal])


REFUTED = {
    "found": found("a+", kind="fullmatch"),
    "member": T.or_(T.eq(x, c(0)), T.eq(x, c(1)), T.eq(x, c(2))),
    "contains": T.contains(c("hello"), s),
    "int text": T.is_int_text(s, c(10)),
    "close": T.le(T.abs_(T.sub(f, c(0.0))), c(0.5)),
    "digits": T.is_digit(s),
}


@pytest.mark.parametrize("name", REFUTED)
def test_reversed(name):
    solver = Solver()
    holds = solver.solve([], REFUTED[name], START)
    assert isinstance(holds, Sat)
    fails = solver.solve([], T.not_(REFUTED[name]), holds.model)
    assert isinstance(fails, Sat)
    assert not Evaluator(fails.model).holds(REFUTED[name])


@pytest.mark.parametrize(
    "pattern",
    [
        "", "a", "a*", "a+b", "a|bc", "(a|b)*c", "a{2,3}", "[^a]", ".", "^a", "a$", "a\\Z", "\\ba", "(?=ab)a", "(?!ab)a", "a?b??", "(?:a|)+b", "\\d\\w\\s?", "[a-c]+$", "(a*)*b", "^$", "\\Bb", "(?s).b", "(?m)^b$", "(?a)\\w",
    ],
)  # fmt: skip
def test_patterns_are_lowered_as_re_means_them(pattern):
    for kind in ("match", "search", "fullmatch"):
        condition = found(pattern, kind=kind)
        for length in range(4):
            for letters in itertools.product("ab\n1", repeat=length):
                text = "".join(letters)
                for lengths in ({"s": length}, {"s": -4}):
                    lowering = Lowering(lengths)
                    lowered = lowering.lower(condition)
                    values = {f"s!{k}": ord(letter) - ord("a") for k, letter in enumerate(text)}
                    values |= {f"s!{k}": 0 for k in range(length, 4)} | {"s!len": length}
                    expected = getattr(re.compile(pattern), kind)(text) is not None
                    assert Evaluator(values).value(lowered) is expected, (pattern, kind, text, lengths)


def test_patterns_that_cannot_be_lowered_are_refused():
    for pattern in (r"(a)\1", r"(?<=a)b"):
        with pytest.raises(TooHard):
            Lowering({"s": 2}).lower(found(pattern))


def test_regular_expressions_prove_nothing():
    verdict = Solver().solve([T.eq(T.length(s), c(1))], found("^ab$"), {"s": "a"})
    assert not isinstance(verdict, Unsat)


def test_guesses_are_not_needed_where_an_encoding_exists():
    solver = Solver(SolverOptions(guess=False))
    for name in ("base 16", "round tens", "isqrt", "bit count", "regex and length", "translate", "casefold", "lookahead"):
        prefix, goal = QUERIES[name]
        verdict = solver.solve(prefix, goal, START)
        assert isinstance(verdict, Sat), name


def test_the_largest_arguments_are_those_of_this_machine():
    from ramify.runtime.models.numbers import REFUSED

    for name, refused in REFUSED.items():
        function = getattr(math, name)
        for value in (0.0, 1.0, -1.0, 2.0, 700.0, 709.0, 709.7827128933841, 710.0, 710.4758600739439, 711.0, 1023.0, 1024.0, math.inf, -math.inf, math.nan, -711.0):
            try:
                function(value)
                raised = False
            except (ValueError, OverflowError):
                raised = True
            assert Evaluator({"f": value}).value(refused(f)) is raised, (name, value)
