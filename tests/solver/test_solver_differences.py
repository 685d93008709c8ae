"""Orders among integers: the same verdicts as Z3 and as trying all values, and models near the parent."""

from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.solver import Query, Sat, Solver, SolverOptions, Stats, Unknown, Unsat
from ramify.runtime.solver.differences import ZERO, Differences, bounds_of, lowered, solutions
from ramify.runtime.terms import language as T
from ramify.runtime.terms import satisfies

x, y, z, w = (T.var(n, T.INT) for n in "xyzw")
numbers = T.var("l", T.seq_of(T.INT))
size = T.length(numbers)
c = T.const
PARENT = {"x": 0, "y": 0, "z": 0, "w": 0, "l": [0, 0, 0]}
Z3_ALONE = SolverOptions(differences=False, guess=False, cache=False, rlimit=10_000_000)


def item(k):
    return T.select(numbers, c(k))


class Refusing:
    """The end of the chain: what arrives here was not decided."""

    def __init__(self):
        self.asked = 0

    def solve(self, query):
        self.asked += 1
        return Unknown("asked")


def decided(*constraints, parent=PARENT):
    return Differences(Refusing(), Stats()).solve(Query(constraints, parent))


COMPARISONS = [T.lt, T.le, T.gt, T.ge, T.eq]
NODES = [x, y, z, w, item(0), item(1), item(2), item(4), size]


def orders(nodes, largest=4):
    """Bounds of differences, in the forms in which programs write them."""
    op, node, number = st.sampled_from(COMPARISONS), st.sampled_from(nodes), st.integers(-largest, largest)
    forms = st.one_of(
        st.builds(lambda op, a, k: op(a, c(k)), op, node, number),
        st.builds(lambda op, a, b, k: op(a, T.add(b, c(k))), op, node, node, number),
        st.builds(lambda op, a, b, k: op(T.sub(a, b), c(k)), op, node, node, number),
        st.builds(lambda op, a, b, k: op(T.add(T.neg(a), c(k)), T.neg(b)), op, node, node, number),
        st.builds(lambda op, a, b: T.not_(op(a, b)), st.sampled_from(COMPARISONS[:4]), node, node),
    )
    return forms.filter(lambda term: not term.is_const)


def parents():
    return st.builds(
        lambda values, items: {**dict(zip("xyzw", values, strict=True)), "l": items},
        st.lists(st.integers(-6, 6), min_size=4, max_size=4),
        st.lists(st.integers(-6, 6), max_size=6),
    )


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(query=st.lists(orders(NODES), min_size=1, max_size=12), parent=parents())
def test_the_verdicts_of_z3(query, parent):
    verdict = decided(*query, parent=parent)
    assert not isinstance(verdict, Unknown)
    expected = Solver(Z3_ALONE).solve(query[:-1], query[-1], parent)
    if not isinstance(expected, Unknown):  # of elements beyond a list's length Z3 proves little
        assert type(verdict) is type(expected)
    if isinstance(verdict, Sat):
        assert satisfies({**parent, **verdict.model}, query)
        assert verdict == decided(*query, parent=parent)


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(query=st.lists(orders([x, y, z], 2), min_size=2, max_size=7))
def test_the_verdicts_of_trying_all_values(query):
    """Three unknowns, each sum of bounds at most 6 from 0: a query without a solution there has none."""
    found = any(
        satisfies({"x": a, "y": b, "z": d}, query) for a, b, d in product(range(-9, 10), repeat=3)
    )
    assert isinstance(decided(*query), Sat if found else Unsat)


def test_a_model_changes_as_little_as_possible():
    parent = {**PARENT, "x": 37, "y": 40, "z": -5}
    assert decided(T.ge(z, c(-5)), T.gt(x, y), parent=parent) == Sat({"x": 41, "y": 40, "z": -5})
    assert decided(T.le(x, c(37)), T.gt(x, y), parent=parent) == Sat({"x": 37, "y": 36})
    assert decided(T.lt(size, c(6)), T.gt(size, c(3))) == Sat({"l": [0, 0, 0, 0]})
    assert decided(T.lt(item(1), item(0)), parent={"l": [5, 7, 9]}) == Sat({"l": [5, 4, 9]})


def test_constants_in_the_way_of_either_direction():
    bounded = [b for v in (x, y) for b in (T.ge(v, c(0)), T.le(v, c(10)))]
    verdict = decided(*bounded, T.lt(x, y), parent={"x": 10, "y": 0})
    assert isinstance(verdict, Sat)
    assert satisfies(verdict.model, [*bounded, T.lt(x, y)])


def test_an_element_that_is_compared_exists():
    assert decided(T.le(size, c(3)), T.lt(item(3), c(0))) == Unsat()
    assert decided(T.le(size, c(3)), T.lt(T.sub(T.add(item(3), x), item(3)), c(0))) == Unsat()
    assert decided(T.lt(item(4), c(0))) == Sat({"l": [0, 0, 0, 0, -1]})
    assert decided(T.lt(item(0), c(0)), parent={"l": (3, 4)}) == Sat({"l": (-1, 4)})


def test_differences_of_two_values():
    different = T.ne(x, y)
    assert decided(different, T.gt(x, c(3))) == Sat({"x": 4, "y": 0})
    assert decided(different, T.le(x, y), T.ge(x, y)) == Unknown("asked")  # `!=` proves nothing here
    assert decided(different, T.lt(x, y), T.gt(x, y)) == Unsat()


OTHERS = [
    T.lt(T.mul(x, c(2)), y),
    T.lt(T.add(x, y), z),
    T.lt(T.add(x, x), y),
    T.or_(T.lt(x, y), T.lt(y, x)),
    T.lt(T.var("f", T.FLOAT), c(1.0)),
    T.lt(x, T.var("f", T.FLOAT)),
    T.lt(T.select(numbers, c(-1)), x),
    T.lt(T.select(numbers, x), y),
    T.lt(T.length(T.var("s", T.STR)), x),
    T.lt(T.length(T.var("t", T.seq_of(T.STR))), x),
    T.var("b", T.BOOL),
    T.eq(numbers, T.var("m", T.seq_of(T.INT))),
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_anything_else_goes_on(other):
    assert bounds_of(other) is None
    rest = Refusing()
    query = Query((T.lt(x, y), T.gt(x, y), other), PARENT)
    assert Differences(rest, Stats()).solve(query) == Unknown("asked")
    assert rest.asked == 1


@pytest.mark.parametrize("value", ["text", None, [[1], 0, 0], ["a", 0, 0]], ids=repr)
def test_a_parent_of_another_type_proves_nothing_wrong(value):
    """Elsewhere the same input may be a text; a model is checked against what the terms say it is."""
    verdict = decided(T.lt(item(1), c(0)), parent={"l": value})
    assert isinstance(verdict, Unknown) or satisfies(verdict.model, [T.lt(item(1), c(0))])


def test_lists_do_not_become_huge():
    assert decided(T.gt(size, c(10**9))) == Unknown("asked")


def test_values_of_any_size():
    huge = 10**400
    assert decided(T.gt(x, c(huge)), T.lt(x, c(huge + 2))) == Sat({"x": huge + 1})
    assert decided(T.gt(x, c(huge)), T.lt(x, c(huge + 1))) == Unsat()


def test_shortest_paths_round_by_round():
    """A chain whose bounds stand in the worst order needs as many rounds as it has nodes, and no more."""
    chain = [T.var(f"n{k}", T.INT) for k in range(30)]
    bounds = [(b, a, -1) for a, b in pairwise(chain)]
    start = {ZERO: 0, **dict.fromkeys(chain, 0)}
    for order in (bounds, bounds[::-1]):
        values = lowered(order, start, len(start))
        assert values == {ZERO: 0, **{node: -k for k, node in enumerate(chain)}}
        assert solutions([*order, (chain[0], chain[-1], 28)], start) == []
        assert solutions([*order, (chain[0], chain[-1], 29)], start)
