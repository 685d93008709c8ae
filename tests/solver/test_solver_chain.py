"""The solver chain: what it answers, what each link saves, and that no link changes a verdict."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.solver import Query, Sat, Solver, SolverOptions, Stats, Unknown, Unsat
from ramify.runtime.solver.attempts import Attempts
from ramify.runtime.solver.chain import Deduplicate
from ramify.runtime.solver.guess import Guess
from ramify.runtime.solver.independence import Independence
from ramify.runtime.solver.remembered import Cache
from ramify.runtime.solver.tidy import tidy
from ramify.runtime.terms import language as T
from ramify.runtime.terms import satisfies

x, y, z = (T.var(n, T.INT) for n in "xyz")
f = T.var("f", T.FLOAT)
s, t = T.var("s", T.STR), T.var("t", T.STR)
numbers = T.var("l", T.seq_of(T.INT))
c = T.const
PARENT = {"x": 0, "y": 0, "z": 0, "f": 0.0, "s": "", "t": "", "l": []}
PLAIN = SolverOptions(guess=False)


class Recorder:
    """The end of a chain under test: remembers queries, gives prepared answers."""

    def __init__(self, *answers):
        self.queries = []
        self._answers = list(answers)

    def solve(self, query):
        self.queries.append(query)
        return self._answers.pop(0) if self._answers else Unknown("recorded")


def asked(recorder):
    return [list(q.constraints) for q in recorder.queries]


# The examples of the thesis


def test_duplicates_are_dropped():
    end = Recorder()
    a, b, d = T.gt(T.add(x, y), c(10)), T.lt(y, c(12)), T.gt(z, c(0))
    Deduplicate(end).solve(Query((a, b, d, b), PARENT))
    assert asked(end) == [[a, d, b]]


def test_conjunctions_are_taken_apart_and_contradictions_end_early():
    end = Recorder()
    a, b, d = T.gt(x, c(0)), T.lt(y, c(12)), T.gt(z, c(0))
    Deduplicate(end).solve(Query((T.and_(a, b), a, T.and_(b, d)), PARENT))
    assert asked(end) == [[a, b, d]]
    assert Deduplicate(end).solve(Query((a, T.FALSE, b), PARENT)) == Unsat()


def test_irrelevant_constraints_are_dropped():
    end = Recorder()
    a, b, d = T.gt(T.add(x, y), c(10)), T.gt(z, c(0)), T.ge(y, c(12))
    parent = {**PARENT, "x": 11, "z": 1}
    Independence(end).solve(Query((a, b, d), parent))
    assert asked(end) == [[a, d]]


def test_a_constraint_the_parent_violates_is_kept():
    end = Recorder()
    a, b = T.gt(z, c(0)), T.gt(x, c(0))
    Independence(end).solve(Query((a, b), PARENT))
    assert asked(end) == [[a, b]]


def test_dropped_inputs_keep_the_parents_values():
    parent = {**PARENT, "x": 11, "z": 7}
    prefix = [T.gt(T.add(x, y), c(10)), T.gt(z, c(0))]
    verdict = Solver().solve(prefix, T.ge(y, c(12)), parent)
    assert isinstance(verdict, Sat)
    assert verdict.model["z"] == 7
    assert satisfies(verdict.model, [*prefix, T.ge(y, c(12))])


def test_a_model_of_a_superset_is_projected():
    """Cached x > 10, z > 0, y + z >= 3; asked x < 6, z > 0, y + z >= 3: x must not become 11."""
    solver = Solver(SolverOptions(guess=False, independence=False))
    positive, total = T.gt(z, c(0)), T.ge(T.add(y, z), c(3))
    first = solver.solve([T.gt(x, c(10)), positive], total, PARENT)
    assert isinstance(first, Sat)
    chain = Cache(Recorder(), solver.stats)
    chain._remember(frozenset((T.gt(x, c(10)), positive, total)), Sat({"x": 11, "y": 2, "z": 1}))
    verdict = Independence(chain).solve(Query((T.lt(x, c(6)), positive, total), {"x": 5, "y": 0, "z": 1}))
    assert verdict == Sat({"y": 2, "z": 1})
    assert solver.stats.cache_hits["sat_superset"] == 1


def test_an_unsat_subset_decides():
    solver = Solver(SolverOptions(differences=False))
    size = T.length(numbers)
    assert solver.solve([T.gt(size, c(2))], T.le(size, c(1)), {**PARENT, "l": [0, 0, 0]}) == Unsat()
    calls = solver.stats.z3_calls
    verdict = solver.solve([T.gt(size, c(2)), T.gt(size, c(1))], T.le(size, c(1)), {**PARENT, "l": [0, 0, 0]})
    assert verdict == Unsat()
    assert solver.stats.cache_hits["unsat_subset"] == 1
    assert solver.stats.z3_calls == calls


def test_exact_answers_are_reused_and_unknown_stays_unknown():
    stats = Stats()
    end = Recorder(Unsat(), Unknown("hard"))
    cache = Cache(end, stats)
    a, b = Query((T.gt(x, c(0)), T.lt(x, c(0))), PARENT), Query((T.gt(T.mul(x, y), c(7)),), PARENT)
    assert [cache.solve(q) for q in (a, b, a, b)] == [Unsat(), Unknown("hard")] * 2
    assert stats.cache_hits == {"exact": 2}
    longer = Query((*b.constraints, T.gt(z, c(0))), PARENT)
    assert isinstance(cache.solve(longer), Unknown)
    assert len(end.queries) == 3


def test_earlier_models_are_evaluated_before_z3_is_asked():
    stats = Stats()
    end = Recorder(Sat({"x": 50}))
    cache = Cache(end, stats)
    cache.solve(Query((T.gt(x, c(40)),), PARENT))
    assert cache.solve(Query((T.gt(x, c(20)), T.ne(x, c(30))), PARENT)) == Sat({"x": 50})
    assert stats.cache_hits == {"model": 1}


# Verdicts


def solve(*constraints, parent=PARENT, options=None):
    solver = Solver(options)
    verdict = solver.solve(constraints[:-1], constraints[-1], parent)
    if isinstance(verdict, Sat):
        assert satisfies(verdict.model, constraints)
    return verdict


SATISFIABLE = {
    "equation": [T.eq(T.add(T.mul(x, c(3)), y), c(17)), T.gt(y, x)],
    "square": [T.eq(T.mul(x, x), c(49)), T.lt(x, c(0))],
    "product": [T.eq(T.mul(x, y), c(391)), T.gt(x, c(1)), T.gt(y, c(1))],
    "power": [T.eq(T.pow_(c(2), x), c(1024))],
    "negative divisor": [T.eq(T.floordiv(c(7), x), c(-4))],
    "remainder": [T.eq(T.mod(x, c(-3)), c(-2)), T.gt(x, c(0))],
    "mask": [T.eq(T.and_bits(x, c(0xF0)), c(0x50)), T.eq(T.and_bits(x, c(0x0F)), c(3))],
    "xor": [T.eq(T.xor_bits(x, y), c(17)), T.gt(x, y), T.ne(y, c(0))],
    "shift": [T.eq(T.lshift(c(1), x), c(64))],
    "float": [T.eq(T.add(f, c(0.1)), c(0.3))],
    "float square": [T.eq(T.mul(f, f), c(2.25))],
    "absorbed": [T.gt(f, c(2.0)), T.eq(T.add(f, c(1.0)), f)],
    "nan": [T.ne(f, f)],
    "infinite": [T.is_inf(f), T.lt(f, c(0.0))],
    "mixed": [T.lt(x, f), T.lt(f, T.add(x, c(1)))],
    "true division": [T.eq(T.truediv(x, c(4)), c(2.25))],
    "rounding": [T.eq(T.round_(f), c(2)), T.gt(f, c(2.25))],
    "text": [T.eq(s, c("hello"))],
    "prefix and suffix": [T.starts_with(s, c("http://")), T.ends_with(s, c(".org"))],
    "two parts": [T.contains(s, c("ab")), T.contains(s, c("cd"))],
    "case": [T.eq(T.lower(s), c("abc")), T.ne(s, c("abc"))],
    "digits": [T.is_digit(s), T.gt(T.length(s), c(3)), T.ne(T.char_at(s, c(0)), c("0"))],
    "other digits": [T.is_digit(s), T.not_(T.is_decimal(s))],
    "number text": [T.is_int_text(s, c(10)), T.gt(T.str_to_int(s, c(10)), c(1233)), T.lt(T.length(s), c(5))],
    "text of number": [T.eq(T.int_to_str(x), c("-42"))],
    "float text": [T.eq(T.str_to_float(s), c(1.5))],
    "split": [T.eq(T.concat(s, t), c("abc")), T.gt(T.length(s), T.length(t))],
    "long": [T.eq(T.length(s), c(300)), T.contains(s, c("xyz"))],
    "order": [T.gt(s, c("abb")), T.lt(s, c("abc"))],
    "count": [T.gt(T.count(s, c(",")), c(2))],
    "find": [T.gt(T.index_of(s, c("="), c(0)), c(2))],
    "replace": [T.eq(T.replace(s, c("a"), c("bb")), c("bbcbb"))],
    "blanks": [T.eq(T.strip(s), c("x")), T.gt(T.length(s), c(1))],
    "beyond Z3's characters": [T.eq(T.ord_(T.char_at(s, c(0))), c(0x10FFFF)), T.gt(T.length(s), c(0))],
    "surrogate": [T.eq(s, c("\ud800"))],
    "element": [T.gt(T.length(numbers), c(2)), T.eq(T.select(numbers, c(2)), c(3))],
    "symbolic index": [
        T.ge(x, c(0)),
        T.lt(x, T.length(numbers)),
        T.eq(T.select(numbers, x), c(7)),
        T.eq(x, c(3)),
    ],
    "stored": [
        T.ge(x, c(0)),
        T.lt(x, T.length(numbers)),
        T.eq(T.select(T.store(numbers, x, c(9)), c(1)), c(9)),
        T.ne(T.select(numbers, c(1)), c(9)),
    ],
    "huge": [T.gt(x, c(10**30)), T.eq(T.mod(x, c(10)), c(7))],
    "guarded division": [T.or_(T.eq(x, c(0)), T.gt(T.floordiv(c(10), x), c(4))), T.ne(x, c(0))],
}
UNSATISFIABLE = {
    "parity": [T.eq(T.mul(y, c(2)), c(3))],
    "bounds": [T.gt(x, c(5)), T.lt(x, c(5))],
    "remainder": [T.eq(T.mod(x, c(4)), c(5))],
    "mask": [T.eq(T.and_bits(x, c(0xF0)), c(1))],
    "text": [T.eq(s, c("abc")), T.ne(s, c("abc"))],
    "length": [T.gt(T.length(s), c(2)), T.starts_with(c("ab"), s)],
    "characters": [
        T.gt(T.length(s), c(0)),
        T.eq(T.char_at(s, c(0)), c("a")),
        T.eq(T.char_at(s, c(0)), c("b")),
    ],
    "prefix": [T.starts_with(s, c("ab")), T.ne(T.char_at(s, c(0)), c("a"))],
    "element": [T.gt(T.length(numbers), c(2)), T.le(T.length(numbers), c(1))],
    "float": [T.gt(f, c(1.0)), T.lt(f, c(1.0))],
    "two contents": [T.eq(T.length(s), c(1)), T.contains(s, c("a")), T.contains(s, c("b"))],
}


@pytest.mark.parametrize("name", SATISFIABLE)
def test_satisfiable(name):
    assert isinstance(solve(*SATISFIABLE[name], options=PLAIN), Sat) or name == "float text"
    assert isinstance(solve(*SATISFIABLE[name]), Sat)


@pytest.mark.parametrize("name", UNSATISFIABLE)
def test_unsatisfiable(name):
    assert solve(*UNSATISFIABLE[name]) == Unsat()


def test_what_cannot_be_decided_is_unknown_with_a_reason():
    cubes = T.add(T.add(T.pow_(x, c(3)), T.pow_(y, c(3))), T.pow_(z, c(3)))
    verdict = solve(T.eq(cubes, c(33)), options=SolverOptions(rlimit=200_000))
    assert isinstance(verdict, Unknown)
    assert verdict.reason


def test_an_irrational_root_is_not_called_unsatisfiable():
    verdict = solve(T.eq(T.mul(f, f), c(2.0)), options=SolverOptions(rlimit=100_000))
    assert isinstance(verdict, Unknown)


def test_the_same_query_costs_the_same_in_every_solver():
    answers = [solve(*SATISFIABLE[name], options=PLAIN) for name in ("product", "order", "symbolic index")]
    again = [solve(*SATISFIABLE[name], options=PLAIN) for name in ("product", "order", "symbolic index")]
    assert answers == again


# Links can be switched off

LINKS = ["deduplicate", "independence", "differences", "cache", "guess", "incremental"]


def comparisons():
    left = st.sampled_from([x, y, z, T.add(x, y), T.sub(y, z), T.mul(x, c(2)), T.mod(y, c(3)), T.length(s)])
    build = st.sampled_from([T.lt, T.le, T.gt, T.ge, T.eq, T.ne])
    numeric = st.builds(lambda op, a, k: op(a, c(k)), build, left, st.integers(-5, 5))
    textual = st.builds(
        lambda op, word: op(s, c(word)),
        st.sampled_from([T.eq, T.starts_with, T.contains]),
        st.sampled_from(["", "a", "ab"]),
    )
    return st.one_of(numeric, textual, textual.map(T.not_)).filter(lambda term: not term.is_const)


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(queries=st.lists(st.lists(comparisons(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_every_link_can_be_switched_off(queries):
    """The same verdicts come out of the whole chain, of the chain without one link, and of the bare end."""
    variants = [SolverOptions(), *(SolverOptions(**{link: False}) for link in LINKS)]
    variants.append(SolverOptions(**dict.fromkeys(LINKS, False)))
    answers = []
    for options in variants:
        solver = Solver(options)
        kinds = []
        for query in queries:
            verdict = solver.solve(query[:-1], query[-1], PARENT)
            kinds.append(type(verdict))
            if isinstance(verdict, Sat):
                assert satisfies(verdict.model, query)
        answers.append(kinds)
        assert sum(solver.stats.queries.values()) == len(queries)
    assert all(kinds == answers[0] for kinds in answers)


# Readable models


def test_parents_values_are_kept_unless_a_constraint_asks_otherwise():
    parent = {**PARENT, "x": 37, "y": -5, "s": "hello"}
    verdict = solve(T.lt(T.add(x, y), c(100)), T.gt(y, c(0)), parent=parent, options=PLAIN)
    assert isinstance(verdict, Sat)
    assert verdict.model["x"] == 37
    verdict = solve(T.gt(T.length(s), c(3)), T.eq(T.char_at(s, c(0)), c("H")), parent=parent, options=PLAIN)
    assert verdict == Sat({**parent, "s": "Hello"})


def test_new_values_are_small_and_printable():
    verdict = solve(T.gt(T.mul(x, y), c(11)), T.lt(y, x), options=PLAIN)
    assert isinstance(verdict, Sat)
    assert abs(verdict.model["x"]) <= 16
    assert abs(verdict.model["y"]) <= 16
    for constraint in (
        T.gt(T.length(s), c(4)),
        T.is_decimal(s),
        T.lt(s, c("b")),
        T.contains(s, c("=")),
        T.ne(s, t),
    ):
        verdict = solve(T.ne(s, c("")), constraint, options=PLAIN)
        assert isinstance(verdict, Sat)
        assert verdict.model["s"].isprintable()
        assert verdict.model["s"].isascii()


def test_tidying_never_breaks_a_model():
    constraints = [T.gt(x, c(1000)), T.eq(T.mod(x, c(7)), c(3)), T.ne(s, c("a")), T.ge(T.length(s), c(1))]
    model = tidy({"x": 1200 * 7 + 3, "s": "\x00"}, constraints, PARENT)
    assert satisfies(model, constraints)
    assert model["s"] == "b"


@pytest.mark.parametrize(
    ("goal", "parent", "changed"),
    [
        (T.gt(x, y), {"x": 1, "y": 5}, {"x": 6}),
        (T.eq(T.add(x, c(3)), T.length(s)), {"x": 0, "s": "abcd"}, {"x": 1}),
        (T.eq(T.select(numbers, c(1)), c(7)), {"l": [1, 2, 3]}, {"l": [1, 7, 3]}),
        (T.eq(T.char_at(s, c(-1)), c("z")), {"s": "abc"}, {"s": "abz"}),
        (T.gt(T.length(s), c(4)), {"s": "xy"}, {"s": "xyaaa"}),
        (T.eq(T.str_to_int(s, c(10)), c(-12)), {"s": "0"}, {"s": "-12"}),
        (T.eq(T.mod(x, c(10)), c(3)), {"x": 48}, {"x": 43}),
        (T.eq(T.concat(s, c("!")), c("hey!")), {"s": ""}, {"s": "hey"}),
        (T.eq(T.mul(f, c(2.0)), c(3.0)), {"f": 0.0}, {"f": 1.5}),
        (T.contains(T.table_get(c(("a", "b")), c(("x", "y@")), T.lower(s)), c("@")), {"s": "a"}, {"s": "b"}),
    ],
)
def test_guesses_undo_operations(goal, parent, changed):
    end = Recorder()
    assert Guess(end, Stats()).solve(Query((goal,), parent)) == Sat({**parent, **changed})
    assert not end.queries


def test_importing_the_solver_does_not_load_z3():
    import subprocess
    import sys

    code = "import sys, ramify.runtime.solver, ramify.runtime.terms.language; print('z3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# Extremes


def test_long_sums_are_flattened():
    total = x
    for _ in range(20_000):
        total = T.sub(T.add(total, y), z)
    verdict = solve(T.eq(total, c(7)), T.gt(y, c(0)), T.gt(z, y), options=PLAIN)
    assert isinstance(verdict, Sat)


def test_enormous_terms_are_unknown_not_a_crash():
    deep = x
    for k in range(6_000):
        deep = T.ite(T.gt(deep, c(k)), T.add(deep, c(1)), y)
    assert isinstance(solve(T.eq(deep, c(7)), T.gt(x, c(3)), options=SolverOptions(rlimit=10_000)), (Sat, Unknown))
    big = x
    for _ in range(6_000):
        big = T.add(T.mul(big, c(3)), y)
    assert isinstance(solve(T.eq(big, c(7)), options=SolverOptions(rlimit=10_000)), (Sat, Unknown))


def test_numbers_longer_than_python_prints():
    verdict = solve(T.gt(x, c(10**4000)), options=PLAIN)
    assert isinstance(verdict, Sat)
    assert isinstance(solve(T.eq(T.mul(x, c(2)), c(1 << 20_000)), options=PLAIN), (Sat, Unknown))


def test_terms_of_finished_explorations_are_forgotten():
    T.collect()
    before = T.table_size()
    for round_ in range(3):
        solver = Solver()
        for k in range(60):
            solver.solve([T.gt(T.mul(x, c(1000 + k)), c(-7))], T.contains(s, c(f"<{round_}{k}>")), PARENT)
        del solver
    T.collect()
    assert T.table_size() <= before + 50


def test_known_values_are_propagated_but_not_through_floats():
    from ramify.runtime.solver.rewrite import propagate

    part = T.substr(s, c(0), c(4))
    assert T.FALSE in propagate([T.not_(T.is_alpha(part)), T.eq(part, c("port"))])
    assert T.FALSE in propagate([T.eq(x, c(1)), T.eq(x, c(2))])
    negative_zero = [T.lt(T.truediv(c(1.0), f), c(0.0)), T.eq(f, c(0.0))]
    assert propagate(negative_zero) == negative_zero


def test_models_are_the_same_in_every_process():
    """Neither hash seeds nor addresses decide which model is found."""
    import subprocess
    import sys
    from pathlib import Path

    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_solver_chain as here\n"
        "solver = here.Solver(here.PLAIN)\n"
        "for name, query in here.SATISFIABLE.items():\n"
        "    if name not in ('float text', 'long'):\n"
        "        print(name, ascii(solver.solve(query[:-1], query[-1], here.PARENT)))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"Sat(") > 30


@pytest.mark.parametrize("element", [T.INT, T.STR])
def test_an_input_that_is_a_text_or_a_list_is_each_in_its_own_query(element):
    """A union has one name, whichever alternative a run builds."""
    attempts = Attempts(Stats(), 300_000)
    as_list, as_text = T.var("u", T.seq_of(element)), T.var("u", T.STR)
    low, high = (c(-500), c(-400)) if element is T.INT else (c("b"), c("c"))
    first = T.select(as_list, c(0))
    listed = (T.eq(T.length(as_list), c(2)), T.lt(low, first), T.lt(first, high))
    texts = (T.eq(T.length(as_text), c(2)), T.starts_with(as_text, c("q")), T.ends_with(as_text, c("r")))
    for _ in range(2):
        for query, parent, expected in ((texts, "ab", "qr"), (listed, [], None)):
            verdict = attempts.solve(Query(query, {"u": parent}))
            assert isinstance(verdict, Sat)
            assert expected is None or verdict.model["u"] == expected


def test_of_several_models_around_a_query_the_first_is_taken(monkeypatch):
    stats = Stats()
    cache = Cache(Recorder(), stats)
    a, b = T.gt(x, c(3)), T.lt(y, c(5))
    around = [(a, T.ge(z, c(n)), b) for n in range(6)]
    for n, constraints in enumerate(around):
        cache._remember(frozenset(constraints), Sat({"x": 10 + n, "y": -n, "z": n}))
    cache._remember(frozenset((b, T.eq(x, c(1)))), Sat({"x": 1, "y": 0}))
    query = Query((a, b), PARENT)
    assert cache.solve(query) == Sat({"x": 10, "y": 0})
    assert stats.cache_hits == {"sat_superset": 1}
    monkeypatch.setattr("ramify.runtime.solver.remembered.MAX_ENTRIES", 8)
    for n in (20, 21):
        cache._remember(frozenset((T.gt(z, c(n)),)), Sat({"z": n + 1}))
    assert cache.solve(query) == Sat({"x": 14, "y": -4})  # the older half has gone
    assert stats.cache_hits == {"sat_superset": 2}
