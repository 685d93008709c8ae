"""Terms: shared, folded, simplified, printed, pickled, collected."""

import math
import pickle
import subprocess
import sys

import pytest

from ramify.runtime.terms import Evaluator, satisfies, show
from ramify.runtime.terms import language as T
from ramify.runtime.terms.evaluation import EvaluationError, evaluate
from ramify.runtime.terms.printing import NAMES

x, y = T.var("x", T.INT), T.var("y", T.INT)
f = T.var("f", T.FLOAT)
s, t = T.var("s", T.STR), T.var("t", T.STR)
p, q = T.var("p", T.BOOL), T.var("q", T.BOOL)
numbers = T.var("l", T.seq_of(T.INT))


def c(value):
    return T.const(value)


def test_equal_terms_are_one_object():
    assert T.add(x, c(3)) is T.add(T.var("x", T.INT), c(3))
    assert T.add(x, c(3)) is not T.add(x, c(4))


def test_constants_are_told_apart_by_type_and_sign():
    kinds = [c(0), c(False), c(0.0), c(-0.0), c(1), c(True), c(1.0), c("1"), c([1]), c([1.0]), c([True])]
    assert len(set(kinds)) == len(kinds)
    assert c(math.nan) is c(float("nan"))
    assert c([math.nan]) is c((float("nan"),))


def test_constants_are_exact_builtins():
    class Number(int):
        pass

    class Text(str):
        __slots__ = ()

    assert type(c(Number(3)).value) is int
    assert type(c(Text("a")).value) is str
    assert type(c([Number(1)]).value[0]) is int


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (T.gt(T.add(x, c(3)), T.length(s)), "x + 3 > len(s)"),
        (T.add(T.add(x, c(1)), c(2)), "x + 3"),
        (T.sub(x, c(3)), "x - 3"),
        (T.sub(T.add(x, c(3)), c(3)), "x"),
        (T.sub(x, T.sub(y, x)), "x - (y - x)"),
        (T.sub(T.sub(x, y), x), "x - y - x"),
        (T.mul(T.add(x, y), c(2)), "(x + y) * 2"),
        (T.pow_(T.neg(x), c(2)), "(-x) ** 2"),
        (T.neg(T.pow_(x, c(2))), "-x ** 2"),
        (T.pow_(c(-2), x), "(-2) ** x"),
        (T.pow_(c(2), T.neg(x)), "2 ** -x"),
        (T.add(x, T.neg(y)), "x + -y"),
        (T.mul(x, c(-1)), "x * -1"),
        (T.eq(T.and_bits(x, c(255)), c(17)), "x & 255 == 17"),
        (T.and_bits(T.eq(x, y), p), "x == y and p"),
        (T.add(T.eq(x, y), c(1)), "int(x == y) + 1"),
        (T.not_(T.lt(x, c(5))), "x >= 5"),
        (T.not_(T.lt(f, c(5.0))), "not f < 5.0"),
        (T.not_(T.eq(f, c(5.0))), "f != 5.0"),
        (T.lt(c(5), x), "x > 5"),
        (T.not_(T.not_(p)), "p"),
        (T.or_(T.and_(p, q), T.not_(p)), "p and q or not p"),
        (T.and_(T.or_(p, q), p), "(p or q) and p"),
        (T.not_(T.and_(p, q)), "not (p and q)"),
        (T.eq(T.not_(p), q), "(not p) == q"),
        (T.ite(p, x, T.ite(q, y, x)), "x if p else y if q else x"),
        (T.ite(p, T.ite(q, y, x), y), "(y if q else x) if p else y"),
        (T.contains(T.concat(s, t), c("b")), "'b' in s + t"),
        (T.substr(s, c(1), T.length(s)), "s[1:]"),
        (T.substr(s, c(0), c(-1)), "s[:-1]"),
        (T.index_of(T.lower(s), c("="), c(0)), "s.lower().find('=', 0)"),
        (T.select(numbers, T.sub(x, c(1))), "l[x - 1]"),
        (T.bit_length(T.add(x, c(1))), "(x + 1).bit_length()"),
        (T.lt(x, f), "x < f"),
        (T.add(x, f), "float(x) + f"),
        (T.seq(T.INT, x, c(2)), "[x, 2]"),
    ],
)
def test_prints_as_python_with_few_parentheses(built, text):
    assert show(built) == text


@pytest.mark.parametrize(
    ("built", "simple"),
    [
        (T.add(x, c(0)), x),
        (T.mul(x, c(1)), x),
        (T.mul(x, c(0)), c(0)),
        (T.sub(x, x), c(0)),
        (T.neg(T.neg(x)), x),
        (T.eq(x, x), T.TRUE),
        (T.lt(s, s), T.FALSE),
        (T.and_(p, T.TRUE), p),
        (T.and_(p, T.FALSE), T.FALSE),
        (T.and_(), T.TRUE),
        (T.or_(p, p), p),
        (T.eq(p, T.TRUE), p),
        (T.eq(p, T.FALSE), T.not_(p)),
        (T.eq(T.bool_to_int(p), c(1)), p),
        (T.gt(T.bool_to_int(p), c(0)), p),
        (T.lt(T.bool_to_int(p), c(7)), T.TRUE),
        (T.ite(p, x, x), x),
        (T.ite(p, T.TRUE, T.FALSE), p),
        (T.eq(s, x), T.FALSE),
        (T.concat(c(""), s), s),
        (T.concat(T.concat(s, c("a")), c("b")), T.concat(s, c("ab"))),
        (T.length(T.concat(s, c("ab"))), T.add(T.length(s), c(2))),
        (T.ge(T.length(s), c(0)), T.TRUE),
        (T.lt(T.length(s), c(0)), T.FALSE),
        (T.ord_(T.chr_(x)), x),
        (T.is_space(T.char_at(T.strip(s), c(0))), T.FALSE),
        (T.is_space(T.char_at(T.rstrip(s), c(-1))), T.FALSE),
        (T.select(T.store(numbers, x, y), x), y),
        (T.select(T.store(numbers, c(1), y), c(2)), T.select(numbers, c(2))),
        (T.length(T.store(numbers, x, y)), T.length(numbers)),
        (T.select(T.seq(T.INT, x, y), c(-1)), y),
        (T.xor_bits(p, q), T.ne(p, q)),
        (T.floordiv(c(7), c(-2)), c(-4)),
        (T.mod(c(-7), c(3)), c(2)),
    ],
)
def test_simplifies(built, simple):
    assert built is simple


def test_floats_are_not_simplified_wrongly():
    assert not T.eq(f, f).is_const
    assert not T.add(f, c(0.0)).is_const
    assert evaluate(T.add(f, c(0.0)), {"f": -0.0}) == 0.0
    assert evaluate(T.eq(f, f), {"f": math.nan}) is False
    assert evaluate(T.not_(T.lt(f, c(1.0))), {"f": math.nan}) is True


def test_integers_and_floats_compare_exactly():
    big = 2**53 + 1
    assert T.eq(c(big), c(float(big))) is T.FALSE
    assert evaluate(T.lt(f, x), {"f": float(2**53), "x": big}) is True


def test_outside_the_domain_nothing_is_folded_and_evaluation_raises():
    quotient = T.floordiv(c(1), c(0))
    assert not quotient.is_const
    for term in (
        quotient,
        T.char_at(c("ab"), c(5)),
        T.select(numbers, x),
        T.pow_(x, c(-1)),
        T.lshift(c(1), x),
    ):
        with pytest.raises(EvaluationError):
            evaluate(term, {"x": 10**9, "l": [1]})


def test_connectives_do_not_need_what_python_would_not_evaluate():
    guarded = T.and_(T.ne(x, c(0)), T.gt(T.floordiv(c(10), x), c(2)))
    assert evaluate(guarded, {"x": 0}) is False
    assert evaluate(T.or_(T.eq(x, c(0)), T.gt(T.floordiv(c(10), x), c(2))), {"x": 0}) is True
    assert evaluate(T.ite(T.eq(x, c(0)), c(1), T.floordiv(c(10), x)), {"x": 0}) == 1
    assert not satisfies({"x": 0}, [T.or_(T.gt(T.floordiv(c(10), x), c(2)), T.eq(x, c(0)))])


def test_a_missing_or_ill_typed_variable_is_undefined():
    assert not satisfies({}, [T.gt(x, c(0))])
    assert not satisfies({"x": "text"}, [T.eq(x, x), T.gt(x, c(0))])


def test_variables():
    assert T.gt(T.add(x, c(3)), T.length(s)).variables == {"x", "s"}
    assert c(3).variables == frozenset()


def chain_of(n):
    term = x
    for k in range(n):
        term = T.mod(T.add(T.mul(term, x), y), c(1000 + k % 7))
    return term


def test_deep_terms_need_no_recursion():
    deep = T.lt(chain_of(40_000), c(0))
    assert deep.variables == {"x", "y"}
    assert evaluate(deep, {"x": 3, "y": 5}) is False
    assert pickle.loads(pickle.dumps(deep)) is deep
    assert show(deep, limit=100)
    assert len(repr(deep)) < 10_000


def test_pickling_gives_the_same_terms_in_another_process():
    path = [T.gt(x, c(0)), T.lt(T.add(x, y), c(2.5)), T.contains(s, c("\ud800é")), T.eq(numbers, c([1, 2]))]
    packed = pickle.dumps(T.pack(path))
    code = (
        "import pickle, sys; from ramify.runtime.terms import language as T;"
        "print('\\n'.join(ascii(repr(t)) for t in T.unpack(pickle.loads(sys.stdin.buffer.read()))))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=packed, capture_output=True, check=True)
    assert done.stdout.decode().split("\n")[:-1] == [ascii(repr(term)) for term in path]
    assert T.unpack(pickle.loads(packed)) == path


def test_creation_order_does_not_depend_on_the_hash_seed():
    code = (
        "from ramify.runtime.terms import language as T;"
        "x = T.var('x', T.INT); s = T.var('s', T.STR);"
        "parts = [T.or_(T.gt(T.add(x, T.const(k)), T.length(s)), T.eq(s, T.const('a'))) for k in range(7)];"
        "t = T.and_(*parts);"
        "print(t.uid, t, sorted(t.variables))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_collect_forgets_only_what_nobody_holds():
    held = T.gt(T.add(T.var("held", T.INT), c(12345)), c(54321))
    T.collect()
    before = T.table_size()
    for k in range(1000):
        T.eq(T.mul(T.var("lost", T.INT), c(k)), c(-k))
    assert T.table_size() > before + 1000
    T.collect()
    assert T.table_size() <= before + 5
    assert T.gt(T.add(T.var("held", T.INT), c(12345)), c(54321)) is held
    assert held.args[0].args[1] is c(12345)


def test_one_evaluator_remembers_shared_nodes():
    calls = []
    T.OPS["spy"] = T.Op("spy", T.INT, lambda a: calls.append(a) or a, None)
    try:
        node = T.make("spy", x)
        evaluator = Evaluator({"x": 3})
        assert evaluator.value(T.add(node, node)) == 6
        assert evaluator.holds(T.eq(node, c(3)))
        assert calls == [3]
    finally:
        del T.OPS["spy"]


def test_huge_results_are_refused_not_computed():
    with pytest.raises(EvaluationError):
        evaluate(T.pow_(x, x), {"x": 10**6})
    with pytest.raises(EvaluationError):
        evaluate(T.repeat(s, x), {"s": "abc", "x": 10**9})
    assert evaluate(T.pow_(c(7), x), {"x": 5000}) == 7**5000


def test_printed_text_of_special_values_evaluates():
    for value in (math.inf, -math.inf, -0.0, 10**40, -5, "\ud800'\"\n", [[1], []]):
        term = T.const(value)
        assert repr(eval(show(term), dict(NAMES))) == repr(value)


def test_conjuncts_are_taken_apart_once():
    assert T.conjuncts([T.and_(p, q), q, T.TRUE, T.and_(T.gt(x, c(0)), p)]) == [p, q, T.gt(x, c(0))]


def test_all_hold_says_what_each_condition_says():
    x, missing = T.var("x", T.INT), T.var("nobody", T.INT)
    numbers = T.var("l", T.seq_of(T.INT))
    conditions = [
        T.lt(x, T.const(5)),
        T.gt(x, T.const(9)),
        T.eq(T.floordiv(T.const(1), x), T.const(0)),  # undefined for 0
        T.ne(missing, x),
        T.lt(T.select(numbers, T.const(1)), x),  # undefined for short lists
        T.ge(T.length(numbers), T.const(2)),
    ]
    values = [{"x": n, "l": list(range(k))} for n in (0, 3, 12) for k in (0, 1, 3)]
    values += [{"x": 3, "l": (0, True, 2)}, {"x": "3", "l": [0, 1]}, {"l": [1, 2]}, {"x": 7, "l": [0, "a"]}]
    for _ in range(4):  # conditions are compiled after some evaluations
        for assignment in values:
            for chosen in ([a, b, d] for a in conditions for b in conditions for d in conditions):
                expected = all(T_holds(assignment, condition) for condition in chosen)
                evaluator = Evaluator(assignment)
                assert evaluator.all_hold(chosen) is expected
                assert evaluator.all_hold(reversed(chosen)) is expected


def T_holds(assignment, condition):
    return Evaluator(assignment)._compute(condition) is True
