"""Terms are graphs: whoever reads one visits each node once, however deep it is and however much it shares."""

import re
from contextlib import suppress
from random import Random

import pytest

from ramify.runtime.sandbox import travel
from ramify.runtime.solver.chain import Solver
from ramify.runtime.solver.domain import domain
from ramify.runtime.solver.encodings.encoder import Unsupported
from ramify.runtime.solver.encodings.incremental import ENCODINGS, Incremental
from ramify.runtime.solver.encodings.linear import flatten
from ramify.runtime.solver.guess import changes
from ramify.runtime.solver.inverses import MAX_STEPS, Present
from ramify.runtime.solver.lowered.lengths import Relaxation
from ramify.runtime.solver.lowered.lowering import Lowering
from ramify.runtime.solver.lowered.vectors import TooHard
from ramify.runtime.solver.profile import Profiler
from ramify.runtime.solver.rewrite import propagate, substitute
from ramify.runtime.solver.tidy import tidy
from ramify.runtime.solver.verdict import Sat, Stats, Unknown, Unsat
from ramify.runtime.terms import Evaluator, NamedParts, conjuncts, matching, satisfies, show
from ramify.runtime.terms import language as T
from ramify.runtime.terms.compiled import compiled
from ramify.runtime.terms.evaluation import EvaluationError
from ramify.runtime.terms.meaning import MAX_BITS
from ramify.runtime.terms.nodes import pack, unpack
from ramify.runtime.terms.printing import NAMES

x = T.var("x", T.INT)
s = T.var("s", T.STR)
b = T.var("b", T.BOOL)
items = T.var("l", T.seq_of(T.INT))
c = T.const
PARENT = {"x": 1, "s": "a", "b": False, "l": [1] * 9}


def rounds(start, times, step):
    term = start
    for number in range(times):
        term = step(term, number)
    return term


SHAPES = {
    "arithmetic": (
        x,
        lambda y, i: T.add(T.max_(y, T.add(x, c(i))), T.abs_(T.sub(y, c(i)))),
        lambda y: T.gt(y, c(9)),
    ),
    "sum": (x, lambda y, i: T.add(y, T.mul(x, c(i))), lambda y: T.eq(y, c(77))),
    "sums of sums": (x, lambda y, i: T.add(T.mul(y, c(2)), T.floordiv(y, c(3))), lambda y: T.eq(y, c(77))),
    "products": (x, lambda y, i: T.mul(y, T.add(y, c(1))), lambda y: T.eq(y, c(77))),
    "bits": (x, lambda y, i: T.xor_bits(y, T.lshift(y, c(1))), lambda y: T.eq(y, c(77))),
    "choices": (x, lambda y, i: T.ite(T.gt(y, c(i)), T.add(y, c(1)), T.sub(c(i), y)), lambda y: T.eq(y, c(77))),
    "roots": (x, lambda y, i: T.make("isqrt", T.abs_(y)), lambda y: T.eq(y, c(77))),
    "connectives": (
        b,
        lambda y, i: T.and_(T.or_(y, T.gt(x, c(i))), T.or_(T.not_(y), T.lt(x, c(i)))),
        lambda y: y,
    ),
    "conjunction": (b, lambda y, i: T.and_(y, T.ne(x, c(i))), lambda y: y),
    "exclusive": (b, lambda y, i: T.ne(y, T.gt(x, c(i))), lambda y: y),
    "doubled text": (s, lambda y, i: T.concat(y, y), lambda y: T.eq(y, c("ab" * 50))),
    "text": (s, lambda y, i: T.concat(y, T.substr(s, c(0), c(i % 3))), lambda y: T.eq(T.length(y), c(64))),
    "case": (s, lambda y, i: T.lower(T.upper(y)), lambda y: T.contains(y, c("q"))),
    "doubled list": (items, lambda y, i: T.concat(y, y), lambda y: T.gt(T.length(y), c(1000))),
    "stores": (items, lambda y, i: T.store(y, c(i % 7), c(i)), lambda y: T.eq(T.select(y, c(8)), c(1000))),
}


def shape(name, times):
    start, step, goal = SHAPES[name]
    return goal(rounds(start, times, step))


def size(term):
    return sum(1 for _ in T.walk((term,)))


def relaxed(term):
    Relaxation().relax(term)


def lowered(term):
    low = Lowering({"s": 2, "l": 9})
    try:
        low.conditions(term)
    except TooHard:
        assert size(term) > 30


def encoded(term):
    for mode in ENCODINGS:
        with suppress(Unsupported):
            Incremental(mode, Stats()).check([term], 20_000)


def guessed(term):
    now = Present(PARENT)
    for _ in changes(term, now):
        pass
    assert now.taken <= MAX_STEPS + size(term)


def solved(term):
    assert isinstance(Solver().solve([], term, PARENT), (Sat, Unsat, Unknown))


def printed(term):
    conditions = NamedParts([term, T.not_(term)])
    text = conditions.text(term) + "".join(conditions.where.values())
    assert len(text) < 60 * size(term) + 1000


CONSUMERS = {
    "evaluation": lambda term: Evaluator(PARENT).holds(term),
    "evaluation again": lambda term: [satisfies(PARENT, [term]) for _ in range(10)],
    "compiling": compiled,
    "supposing": lambda term: Evaluator(PARENT).holds_if(term, x, 3),
    "packing": lambda term: unpack(pack([term]))[0] is term or pytest.fail("another term"),
    "travel": lambda term: travel.loads(travel.dumps(term)) is term or pytest.fail("another term"),
    "variables": lambda term: term.variables,
    "negation": lambda term: T.not_(term),
    "conjuncts": lambda term: conjuncts([term]),
    "short text": lambda term: show(term, 70),
    "repr": repr,
    "printing": printed,
    "domain": lambda term: domain([term]),
    "profile": lambda term: Profiler().profile([term]),
    "substitution": lambda term: substitute([term], {"x": 5, "s": "ab", "b": True, "l": [1, 2]}),
    "propagation": lambda term: propagate([T.eq(x, c(3)), term]),
    "relaxation": relaxed,
    "lowering": lowered,
    "encoding": encoded,
    "guesses": guessed,
    "tidying": lambda term: tidy(PARENT, [term], {}),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("consumer", CONSUMERS)
def test_shared_parts_are_visited_once(name, consumer):
    CONSUMERS[consumer](shape(name, 60))


DEEP = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_depth_does_not_matter(name):
    term = shape(name, DEEP if name != "stores" else 3_000)  # each store is a list of its own
    for consumer, consume in CONSUMERS.items():
        if consumer != "evaluation again":
            consume(term)


@pytest.mark.parametrize("name", SHAPES)
def test_the_solver_ends(name):
    solved(shape(name, 60))


def test_parts_have_names_that_can_be_evaluated_in_order():
    term = shape("arithmetic", 60)
    conditions = NamedParts([term, T.gt(x, c(5))])
    assert conditions.text(T.gt(x, c(5))) == "x > 5"
    names = {**NAMES, "x": 3}
    for name, text in conditions.where.items():
        assert len(text) < 1000
        names[name] = eval(text, names)
    assert eval(conditions.text(term), names) is Evaluator({"x": 3}).value(term)
    assert conditions.left_out == 0


def test_names_of_parts_are_no_names_of_inputs():
    t1 = T.var("t1", T.INT)
    term = rounds(t1, 40, lambda y, i: T.add(T.max_(y, x), T.abs_(T.sub(y, c(i)))))
    conditions = NamedParts([T.eq(term, c(0))])
    assert set(conditions.where) == {f"tt{number}" for number in range(1, len(conditions.where) + 1)}


def test_small_conditions_are_written_out():
    twice = T.add(T.mul(x, x), T.mul(x, x))
    conditions = NamedParts([T.gt(twice, c(5)), T.and_(b, T.gt(x, c(1)))])
    text = conditions.conjunction([T.gt(twice, c(5)), T.and_(b, T.gt(x, c(1)))])
    assert text == "x * x + x * x > 5 and (b and x > 1)"
    assert conditions.where == {}


def test_what_is_too_long_says_how_much_is_left_out():
    term = shape("bits", 100_000)
    conditions = NamedParts([term])
    assert conditions.left_out > 10_000
    assert sum(map(len, conditions.where.values())) < 400_000
    assert any("..." in text for text in conditions.where.values())
    assert not any("..." in text for text in NamedParts([shape("bits", 1000)]).where.values())


def test_a_large_constant_is_left_out():
    assert NamedParts([T.eq(s, c("a" * 100_000))]).left_out == 1


def test_sums_of_sums_end():
    term = rounds(x, 60, lambda y, i: T.add(y, T.mul(y, c(2))))
    assert flatten(term) == ([(x, 3**60)], 0)


# -- numbers ----------------------------------------------------------------------------------------

HUGE = c(1 << 150_000)
TOO_MUCH = {
    "shift": T.lshift(HUGE, c(100_000)),
    "shift by a huge number": T.lshift(x, c(10**30)),
    "product": T.mul(HUGE, HUGE),
    "power": T.pow_(HUGE, c(2)),
    "modular power": T.pow_mod(c(3), HUGE, T.add(HUGE, x)),
    "permutations": T.perm(HUGE, c(300)),
    "combinations": T.comb(HUGE, c(300)),
    "factorial": T.factorial(c(10**9)),
    "repetition": T.repeat(s, c(10**12)),
    "joined": rounds(s, 60, lambda y, i: T.concat(y, y)),
    "joined list": rounds(items, 60, lambda y, i: T.concat(y, y)),
    "width": T.format_(x, c("1000000000d")),
    "precision": T.format_(c(1.5), c(".1000000000f")),
    "percent": T.percent(c("%1000000000d"), x),
    "tabs": T.expandtabs(c("\t"), c(10**12)),
    "translation": T.translate(T.concat(s, c("a" * 2000)), c(["a"]), c(["b" * 1000])),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_would_fill_the_memory_is_undefined(name):
    with pytest.raises(EvaluationError):
        Evaluator(PARENT).value(TOO_MUCH[name])


@pytest.mark.parametrize("value", [0, 5, 15, -15, 149, 150, 10**30, -(10**30)])
@pytest.mark.parametrize("digits", [-1, -2, -31, -(10**12)])
def test_rounding_to_powers_of_ten(value, digits):
    expected = round(value, digits) if digits > -100 else 0
    assert Evaluator({"x": value}).value(T.round_to(x, c(digits))) == expected


def test_squares_of_squares_are_not_proposed():
    term = rounds(x, 60, lambda y, i: T.make("isqrt", y))
    found = [value for _, value in changes(T.eq(term, c(7)), Present({"x": 50}))]
    assert all(value.bit_length() <= 2 * MAX_BITS for value in found)


def test_exponents_and_distances_are_guessed():
    for term in (T.lshift(c(1), x), T.pow_(c(2), x)):
        verdict = Solver().solve([], T.eq(term, c(1 << 20_000)), {"x": 0})
        assert isinstance(verdict, Sat)
        assert verdict.model == {"x": 20_000}


def test_a_constant_distance_may_be_any_number():
    for distance in (-1, 10**30):
        for shift in (T.lshift, T.rshift):
            verdict = Solver().solve([], T.eq(shift(x, c(distance)), c(6)), {"x": 0})
            assert isinstance(verdict, (Unknown, Unsat))


# -- regular expressions ----------------------------------------------------------------------------

LONG = 10_000


ANSWERS = {  # a pattern, and one without nested repetitions that is found where it is
    r"(a+)+b$": "b$", r"(a|a)*b": "b", r"(a*)*b": "b", r"(.*a){20}": "a", r"(.*a){20}b": "b",
    r"^(\w+\s?)*$": r"\A[a]*\Z", r"(a|aa)+$": r"a\Z",
}  # fmt: skip


@pytest.mark.parametrize("pattern", ANSWERS)
@pytest.mark.parametrize("kind", ["match", "search", "fullmatch", "finditer"])
def test_patterns_on_long_texts_end(pattern, kind):
    search = c(T.pysem.search_of(pattern, 0, kind))
    for text in ("a" * LONG, "a" * LONG + "!"):
        try:
            found = Evaluator({"s": text}).value(T.re_found(search, s, c(0)))
        except EvaluationError:
            continue  # too many ways even to look at each place once
        assert found is (re.compile(ANSWERS[pattern]).search(text) is not None)


def random_pattern(random, depth):
    kind = random.randrange(10) if depth else 0
    if kind <= 2:
        return random.choice(["a", "b", ".", "[ab]", "[^a]", r"\w", r"\b", "^", "$", "", r"\s"])
    inner = random_pattern(random, depth - 1)
    if kind <= 4:
        return inner + random_pattern(random, depth - 1)
    if kind == 5:
        return f"(?:{inner}|{random_pattern(random, depth - 1)})"
    if kind == 6:
        return f"({inner})"
    if kind == 7:
        return random.choice(["(?=", "(?!", "(?i:"]) + inner + ")"
    return f"(?:{inner})" + random.choice(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?"])


def compared(ours, theirs, groups):
    assert (ours is None) == (theirs is None)
    if ours is None or ours.unsure:
        return 0
    for group in range(groups + 1):
        assert (ours.start(group), ours.end(group)) == theirs.span(group)
    assert ours.lastindex == theirs.lastindex
    return 1


def test_the_matcher_agrees_with_re():
    random = Random(7)
    told = 0
    for _ in range(4000):
        try:
            pattern = re.compile(random_pattern(random, 5), random.choice([0, re.I, re.M, re.S]))
        except re.error:
            continue
        text = "".join(random.choice("ab AB\n") for _ in range(random.randrange(7)))
        for kind in ("match", "search", "fullmatch"):
            at = random.randrange(len(text) + 1)
            try:
                ours = matching._searched(kind, pattern, text, at)
            except EvaluationError:
                continue
            told += compared(ours, getattr(pattern, kind)(text, at), pattern.groups)
        for number, theirs in enumerate([*pattern.finditer(text), None]):
            try:
                ours = matching._numbered(pattern, text, number)
            except EvaluationError:
                break
            told += compared(ours, theirs, pattern.groups)
            if ours is not None and ours.unsure:
                break
    assert told > 5000


def test_groups_of_a_long_text_are_where_re_puts_them():
    pattern, text = r"(\w+)\s*=\s*(\d+)?;", "key = 12;" * 1000
    search = c(T.pysem.search_of(pattern, 0, "finditer"))
    theirs = list(re.finditer(pattern, text))
    for number in (0, 5):
        for group in (0, 1, 2):
            start = T.re_start(search, s, c(number), c(group))
            end = T.re_end(search, s, c(number), c(group))
            evaluator = Evaluator({"s": text})
            assert (evaluator.value(start), evaluator.value(end)) == theirs[number].span(group)
