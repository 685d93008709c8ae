"""Encodings agree with the evaluator: with the inputs fixed, an operation has its value (sat) and no other
(unsat where exact).
"""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.solver import UNSAT, Sat, Stats, Unknown, Unsat
from ramify.runtime.solver.attempts import Attempts
from ramify.runtime.solver.encodings.encoder import Unsupported
from ramify.runtime.solver.encodings.incremental import Incremental
from ramify.runtime.solver.lowered import vectors as V
from ramify.runtime.solver.lowered.lengths import Relaxation
from ramify.runtime.solver.lowered.lowering import Lowering
from ramify.runtime.solver.verdict import Query
from ramify.runtime.terms import Evaluator
from ramify.runtime.terms import language as T
from ramify.runtime.terms.evaluation import EvaluationError

settings.register_profile("fixed", derandomize=True, max_examples=12, deadline=None, database=None)
settings.load_profile("fixed")

RLIMIT = 2_000_000
x, y = T.var("x", T.INT), T.var("y", T.INT)
f, g = T.var("f", T.FLOAT), T.var("g", T.FLOAT)
s, t = T.var("s", T.STR), T.var("t", T.STR)
i, j = T.var("i", T.INT), T.var("j", T.INT)
p = T.var("p", T.BOOL)
numbers, m = T.var("l", T.seq_of(T.INT)), T.var("m", T.seq_of(T.STR))
c = T.const


@pytest.fixture(scope="module")
def solvers():
    stats = Stats()
    return {mode: Incremental(mode, stats) for mode in ("reals", "bits", "ieee", "texts")}


def fixed(assignment, variables):
    return [T.eq(v, T.const(assignment[v.value], v.sort)) for v in variables]


def check(solver, term, assignment, exact):
    """The encoding allows exactly the value that evaluation gives."""
    try:
        value = Evaluator(assignment).value(term)
    except EvaluationError:
        return
    variables = [n for n in T.walk((term,)) if n.op == "var"]
    pinned = fixed(assignment, variables)
    found = solver.check([*pinned, T.eq(term, T.const(value, term.sort))], RLIMIT)
    assert isinstance(found, Sat), (term, assignment, value, found)
    other = solver.check([*pinned, T.ne(term, T.const(value, term.sort))], RLIMIT)
    assert not isinstance(other, Sat), (term, assignment, value, other)
    assert isinstance(other, Unsat) or not exact, (term, assignment, other)


INTEGER_TERMS = {
    "add": T.add(x, y),
    "sub": T.sub(x, y),
    "mul": T.mul(x, y),
    "neg": T.neg(x),
    "abs": T.abs_(x),
    "floordiv": T.floordiv(x, y),
    "mod": T.mod(x, y),
    "floordiv 3": T.floordiv(x, c(3)),
    "floordiv -3": T.floordiv(x, c(-3)),
    "mod 3": T.mod(x, c(3)),
    "mod -3": T.mod(x, c(-3)),
    "cube": T.pow_(x, c(3)),
    "and 255": T.and_bits(x, c(255)),
    "and holes": T.and_bits(x, c(0b101100)),
    "and negative": T.and_bits(x, c(-8)),
    "or 12": T.or_bits(x, c(12)),
    "or -12": T.or_bits(x, c(-12)),
    "xor 7": T.xor_bits(x, c(7)),
    "xor -7": T.xor_bits(x, c(-7)),
    "invert": T.invert(x),
    "lshift 3": T.lshift(x, c(3)),
    "rshift 2": T.rshift(x, c(2)),
    "ite": T.ite(T.lt(x, y), x, T.neg(y)),
    "eq": T.eq(x, y),
    "le": T.le(x, y),
    "bool": T.add(T.lt(x, y), c(1)),
    "not": T.not_(T.and_(T.lt(x, y), T.gt(x, c(0)))),
}
OPEN_TERMS = {
    "2 ** x": T.pow_(c(2), T.abs_(x)),
    "x ** y": T.pow_(x, T.mod(y, c(5))),
    "shift": T.lshift(x, T.mod(y, c(9))),
    "unshift": T.rshift(x, T.mod(y, c(9))),
    "bit_length": T.bit_length(x),
}
integers = st.one_of(st.integers(-9, 9), st.integers(-1000, 1000))


@pytest.mark.parametrize("name", INTEGER_TERMS)
@given(a=integers, b=st.integers(-4, 4))
def test_integers_are_exact(solvers, name, a, b):
    check(solvers["reals"], INTEGER_TERMS[name], {"x": a, "y": b}, exact=True)


@pytest.mark.parametrize("name", OPEN_TERMS)
@settings(max_examples=10)
@given(a=st.integers(-9, 9), b=st.integers(-9, 9))
def test_integers_with_limits_are_right_but_prove_nothing(solvers, name, a, b):
    check(solvers["reals"], OPEN_TERMS[name], {"x": a, "y": b}, exact=False)


BIT_TERMS = {
    **{n: term for n, term in INTEGER_TERMS.items() if n != "cube"},
    "and": T.and_bits(x, y),
    "or": T.or_bits(x, y),
    "xor": T.xor_bits(x, y),
}


@pytest.mark.parametrize("name", BIT_TERMS)
@settings(max_examples=8)
@given(a=integers, b=st.integers(-4, 4))
def test_bit_vectors_are_right(solvers, name, a, b):
    check(solvers["bits"], BIT_TERMS[name], {"x": a, "y": b}, exact=False)


FLOAT_TERMS = {
    "add": T.add(f, g),
    "sub": T.sub(f, g),
    "mul": T.mul(f, g),
    "div": T.truediv(f, g),
    "neg": T.neg(f),
    "abs": T.abs_(f),
    "lt": T.lt(f, g),
    "ge": T.ge(f, g),
    "eq": T.eq(f, g),
    "ne": T.ne(f, g),
    "nan": T.is_nan(f),
    "inf": T.is_inf(f),
    "const": T.lt(f, c(2)),
}
halves = st.integers(-8, 8).map(lambda n: n / 2)
special = st.one_of(halves, st.sampled_from([math.inf, -math.inf, math.nan, -0.0, 0.1, 1e300, 5e-324]))


@pytest.mark.parametrize("name", [n for n in FLOAT_TERMS if n not in ("nan", "inf")])
@given(a=halves, b=halves)
def test_reals_agree_where_nothing_rounds(solvers, name, a, b):
    if name != "div" or b in (1, 2, -2, 0.5):
        check(solvers["reals"], FLOAT_TERMS[name], {"f": a, "g": b}, exact=False)


ROUNDING = {"floor": T.floor_(f), "ceil": T.ceil_(f), "round": T.round_(f), "to_int": T.to_int(f)}


@pytest.mark.parametrize("name", ROUNDING)
@given(a=halves)
def test_rounding_to_integers(solvers, name, a):
    check(solvers["reals"], ROUNDING[name], {"f": a}, exact=False)


@pytest.mark.parametrize("name", FLOAT_TERMS)
@settings(max_examples=8)
@given(a=special, b=special)
def test_binary64_is_exact(solvers, name, a, b):
    term = FLOAT_TERMS[name]
    try:
        value = Evaluator({"f": a, "g": b}).value(term)
    except EvaluationError:
        return
    solver = solvers["ieee"]
    pinned = [same_float(v, n) for v, n in ((f, a), (g, b)) if v.value in term.variables]
    same = same_float(term, value) if term.sort is T.FLOAT else T.eq(term, c(value))
    assert isinstance(solver.check([*pinned, same], RLIMIT), Sat)
    assert isinstance(solver.check([*pinned, T.not_(same)], RLIMIT), Unsat)


def same_float(term, value):
    return T.is_nan(term) if value != value else T.eq(term, c(value))


def test_values_of_a_model_are_read_exactly(solvers):
    for value in (0.1, 5e-324, 1e308, math.inf, -math.inf):
        assert solvers["ieee"].check([T.eq(f, c(value))], RLIMIT) == Sat({"f": value})
    negative_zero = [T.eq(f, c(0.0)), T.lt(T.truediv(c(1.0), f), c(0.0))]
    found = solvers["ieee"].check(negative_zero, RLIMIT)
    assert isinstance(found, Sat)
    assert repr(found.model["f"]) == "-0.0"
    found = solvers["reals"].check([T.eq(x, c(-(10**40)))], RLIMIT)
    assert found == Sat({"x": -(10**40)})
    found = solvers["texts"].check([T.eq(s, c("\\u{41}\x00é\u1234\ud800"))], RLIMIT)
    assert found == Sat({"s": "\\u{41}\x00é\u1234\ud800"})


def test_characters_beyond_z3s_are_refused(solvers):
    with pytest.raises(Unsupported):
        solvers["texts"].check([T.eq(s, c("\U00030000"))], RLIMIT)


# Texts and sequences

alphabet = st.sampled_from("abAB01 ,-é²")
words = st.text(alphabet, max_size=4)
parts = st.text(alphabet, max_size=2)
small = st.integers(-5, 5)
PREDICATES = [
    "is_alnum", "is_alpha", "is_ascii", "is_decimal", "is_digit", "is_identifier", "is_latin", "is_lower",
    "is_numeric", "is_printable", "is_space", "is_upper",
]  # fmt: skip
TEXT_TERMS = {
    "concat": T.concat(s, t),
    "length": T.length(T.concat(s, t)),
    "char_at": T.char_at(s, i),
    "substr": T.substr(s, i, j),
    "stride": T.stride(s, i, j, T.add(T.mod(i, c(5)), c(-2))),
    "every other": T.stride(numbers, i, j, c(2)),
    "backwards": T.stride(s, i, j, c(-1)),
    "every third backwards": T.stride(s, i, j, c(-3)),
    "contains": T.contains(s, t),
    "starts_with": T.starts_with(s, t),
    "ends_with": T.ends_with(s, t),
    "index_of": T.index_of(s, t, i),
    "last_index_of": T.last_index_of(s, t),
    "count": T.count(s, c("a")),
    "count pairs": T.count(s, c("aa")),
    "count nothing": T.count(s, c("")),
    "replace same": T.replace(s, c("a"), c("b")),
    "replace": T.replace(s, c("ab"), t),
    "lt": T.lt(s, t),
    "ge": T.ge(s, t),
    "eq": T.eq(s, t),
    "lower": T.lower(s),
    "upper": T.upper(s),
    "title": T.title(s),
    "capitalize": T.capitalize(s),
    "swapcase": T.swapcase(s),
    "strip": T.strip(s),
    "lstrip": T.lstrip(s),
    "rstrip": T.rstrip(s),
    "strip_chars": T.strip_chars(s, t),
    "lstrip_chars": T.lstrip_chars(s, t),
    "rstrip_chars": T.rstrip_chars(s, t),
    "ord": T.ord_(T.char_at(s, i)),
    "chr": T.chr_(T.abs_(i)),
    "int_to_str": T.int_to_str(T.mul(i, c(1001))),
    "is_int_text": T.is_int_text(s, c(10)),
    "str_to_int": T.str_to_int(s, c(10)),
    "repeat": T.repeat(t, i),
    "ite": T.ite(T.lt(i, j), s, t),
    "select": T.select(numbers, i),
    "store": T.store(numbers, i, j),
    "seq_slice": T.seq_slice(numbers, i, j),
    "seq_concat": T.seq_concat(numbers, T.seq(T.INT, i, j)),
    "seq_lt": T.lt(numbers, T.seq(T.INT, i, j)),
    "seq_contains": T.seq_contains(numbers, i),
    "select text": T.select(m, i),
    "text in list": T.seq_contains(m, s),
    **{name: getattr(T, name)(s) for name in PREDICATES},
}


def spread(name, value, names):
    """The lowered variables of a value."""
    names[f"{name}!len"] = len(value)
    for k in range(8):
        item = value[k] if k < len(value) else ("" if name == "m" else 0)
        if name == "m":
            spread(f"m!{k}", item, names)
        else:
            names[f"{name}!{k}"] = ord(item) - V.LETTER if isinstance(item, str) else item


@pytest.mark.parametrize("name", TEXT_TERMS)
@given(data=st.data())
def test_lowering_keeps_the_value(name, data):
    """The lowered term, evaluated, equals the original: at decided and at open lengths, in ASCII and in
    Unicode.
    """
    assignment = {"s": data.draw(words), "t": data.draw(parts), "i": data.draw(small), "j": data.draw(small)}
    assignment["l"] = data.draw(st.lists(small, max_size=4))
    assignment["m"] = data.draw(st.lists(parts, max_size=3))
    term = TEXT_TERMS[name]
    try:
        value = Evaluator(assignment).value(term)
    except EvaluationError:
        return
    claim = T.eq(term, T.const(value, term.sort))
    texts = {n: assignment[n] for n in "stlm"}
    lowered_names = {"i": assignment["i"], "j": assignment["j"]}
    for n, v in texts.items():
        spread(n, v, lowered_names)
    for lengths in ({n: len(v) for n, v in texts.items()}, {"s": -5, "t": -3, "l": -5, "m": -4}):
        for unicode in (False, True):
            lowering = Lowering(lengths, unicode)
            evaluator = Evaluator(lowered_names)
            try:
                lowered = lowering.lower(claim)
            except V.TooHard:
                continue
            if all(evaluator.holds(a) for a in lowering.assumed(claim)):
                assert evaluator.holds(lowered), (claim, assignment, lengths)
                assert all(evaluator.holds(fact) for fact in lowering.facts_of(lowered))


@pytest.mark.parametrize("name", TEXT_TERMS)
@given(data=st.data())
def test_relaxation_loses_no_solution(solvers, name, data):
    """What holds of the texts holds of their lengths, with some value for every unknown."""
    assignment = {"s": data.draw(words), "t": data.draw(parts), "i": data.draw(small), "j": data.draw(small)}
    assignment["l"] = data.draw(st.lists(small, max_size=4))
    assignment["m"] = data.draw(st.lists(parts, max_size=3))
    term = TEXT_TERMS[name]
    try:
        value = Evaluator(assignment).value(term)
    except EvaluationError:
        return
    relaxation = Relaxation()
    claim = relaxation.relax(T.eq(term, T.const(value, term.sort)))
    pinned = [T.eq(T.var(f"{n}!len", T.INT), c(len(assignment[n]))) for n in "stlm"]
    pinned += [T.eq(i, c(assignment["i"])), T.eq(j, c(assignment["j"]))]
    found = solvers["reals"].check([*pinned, *relaxation.facts_of(claim), claim], RLIMIT)
    assert isinstance(found, Sat), (term, assignment, value)


Z3_TEXT_TERMS = [
    "concat", "length", "char_at", "substr", "contains", "starts_with", "ends_with", "index_of",
    "last_index_of", "lt", "ge", "eq", "ord", "ite", "is_ascii", "is_decimal", "is_digit", "is_latin",
    "is_numeric", "is_space",
]  # fmt: skip


@pytest.mark.parametrize("name", Z3_TEXT_TERMS)
@settings(max_examples=6)
@given(data=st.data())
def test_z3_strings_agree(solvers, name, data):
    assignment = {"s": data.draw(words), "t": data.draw(parts), "i": data.draw(small), "j": data.draw(small)}
    check(solvers["texts"], TEXT_TERMS[name], assignment, exact=name != "ord")


@settings(max_examples=150)
@given(data=st.data())
def test_attempts_never_contradict_a_known_solution(data):
    """Conditions true of some values are never called unsatisfiable, and a model always satisfies them."""
    assignment = {"s": data.draw(words), "t": data.draw(parts), "i": data.draw(small), "j": data.draw(small)}
    assignment["l"] = data.draw(st.lists(small, max_size=4))
    assignment["m"] = data.draw(st.lists(parts, max_size=3))
    constraints = []
    for name in data.draw(st.lists(st.sampled_from(list(TEXT_TERMS)), min_size=1, max_size=3)):
        term = TEXT_TERMS[name]
        try:
            constraints.append(T.eq(term, T.const(Evaluator(assignment).value(term), term.sort)))
        except EvaluationError:
            continue
    constraints = [t for t in constraints if not t.is_const]
    if constraints:
        parent = {"s": "", "t": "", "i": 0, "j": 0, "l": [], "m": []}
        verdict = Attempts(Stats(), 300_000).solve(Query(tuple(constraints), parent))
        assert verdict is not UNSAT, (constraints, assignment)
        if isinstance(verdict, Sat):
            evaluator = Evaluator(verdict.model)
            assert all(evaluator.holds(t) for t in constraints)
        else:
            assert isinstance(verdict, Unknown)
