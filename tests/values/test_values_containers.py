"""Concolic lists, dicts and sets behave as CPython's, in both representations, mutation included."""

# ruff: noqa: B905, C414, C416, E501, E741, RUF005, SIM118 - tables in rows, odd spellings on purpose

import bisect
import heapq
import operator
from typing import Any

import pytest
from differential import agree
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime import models

SMALL = st.integers(-3, 3)
ITEMS = st.one_of(st.lists(SMALL, max_size=5), st.lists(st.text("ab", max_size=2), max_size=4))
NESTED = st.lists(st.lists(SMALL, max_size=3), max_size=3)
INDEX = st.integers(-7, 7)
BOUND = st.one_of(st.none(), INDEX)
many = settings(max_examples=25, derandomize=True, deadline=None)
both = pytest.mark.parametrize("arrays", [True, False])


def then(change: Any) -> Any:
    """The operation, and then the list read in every way: what was changed must read right afterwards."""

    def operation(values: list[Any], *arguments: Any) -> Any:
        alias = values
        result = change(values, *arguments)
        return result, [v for v in alias], models.len_(alias), alias[:2], alias == list(alias)

    return operation


READ = [
    lambda l, i: l[i], lambda l, i: i in l, lambda l, i: l.index(i), lambda l, i: l.count(i), lambda l, i: l * (i % 3),
    lambda l, i: (i % 3) * l, lambda l, i: l.index(i, 1), lambda l, i: l.index(i, -2, 3), lambda l, i: l[i:], lambda l, i: l[:i],
    lambda l, i: l["x"], lambda l, i: l + [i], lambda l, i: [i] + l, lambda l, i: l + (i,), lambda l, i: l < [i, 1],
    lambda l, i: [l[0] if l else i] <= l, lambda l, i: l == [i], lambda l, i: l != i, lambda l, i: l >= l,
]  # fmt: skip
WHOLE = [
    list, tuple, sorted, sum, min, max, any, all, bool, reversed, enumerate, set, repr, lambda l: list(zip(l, l)), list.copy,
    lambda l: l.copy(), lambda l: [*l], lambda l: "".join(l), lambda l: dict.fromkeys(l, 1), lambda l: [e for e in l if e],
    lambda l: l[::-1], lambda l: l[::2], lambda l: models.len_(l), len, hash, lambda l: next(iter(l)),
    lambda l: (lambda a, b: a)(*l), lambda l: type(l.nonsense), lambda l: not l, lambda l: l is l,
]  # fmt: skip
CHANGE = [
    lambda l, i: l.append(i), lambda l, i: l.extend([i, i]), lambda l, i: l.insert(i, 9), lambda l, i: l.pop(i), lambda l, i: l.pop(),
    lambda l, i: l.remove(i), lambda l, i: l.__setitem__(i, 9), lambda l, i: l.__delitem__(i), lambda l, i: l.reverse(),
    lambda l, i: l.sort(), lambda l, i: l.sort(reverse=True, key=lambda e: e), lambda l, i: l.clear(),
    lambda l, i: operator.iadd(l, [i]), lambda l, i: operator.iadd(l, l), lambda l, i: operator.imul(l, i % 3),
    lambda l, i: operator.iadd(l, "ab"), lambda l, i: l.__setitem__(slice(0, 1), [i, i]), lambda l, i: l.__delitem__(slice(1, None)),
    lambda l, i: heapq.heappush(l, i), lambda l, i: bisect.insort(l, i), lambda l, i: l.pop(0), lambda l, i: l.__setitem__("x", i),
    lambda l, i: l.extend(5), lambda l, i: (l.pop(i), l.append(i), l[i]), lambda l, i: (l.__setitem__(i, 7), l[0], l[-1]),
]  # fmt: skip


@both
@pytest.mark.parametrize("number", range(len(READ)))
@many
@given(values=ITEMS, index=INDEX)
def test_list_reading(number: int, arrays: bool, values: list[Any], index: int) -> None:
    agree(READ[number], values, index, arrays=arrays)
    agree(READ[number], values, index, symbolic=1, arrays=arrays)


@both
@pytest.mark.parametrize("number", range(len(WHOLE)))
@many
@given(values=st.one_of(ITEMS, NESTED))
def test_whole_lists(number: int, arrays: bool, values: list[Any]) -> None:
    agree(WHOLE[number], values, arrays=arrays)


@both
@pytest.mark.parametrize("number", range(len(CHANGE)))
@many
@given(values=ITEMS, index=INDEX)
def test_list_changes(number: int, arrays: bool, values: list[Any], index: int) -> None:
    agree(then(CHANGE[number]), values, index, arrays=arrays)
    agree(then(CHANGE[number]), values, index, symbolic=1, arrays=arrays)


@both
@many
@given(values=ITEMS, low=BOUND, high=BOUND, step=st.sampled_from([None, 1, 2, -1, 0]), other=ITEMS)
def test_list_slices(
    arrays: bool, values: list[Any], low: Any, high: Any, step: Any, other: list[Any]
) -> None:
    agree(lambda l, a, b, c: l[a:b:c], values, low, high, step, arrays=arrays)
    agree(lambda l, a, b: (l[a:b], models.len_(l[a:b])), values, low, high, arrays=arrays)
    agree(then(lambda l, a, b, o: l.__setitem__(slice(a, b), o)), values, low, high, other, arrays=arrays)
    agree(then(lambda l, a, b: l.__delitem__(slice(a, b))), values, low, high, arrays=arrays)
    for compare in (operator.lt, operator.le, operator.eq, operator.ge, operator.add):
        agree(compare, values, other, arrays=arrays)


KEYS = st.one_of(SMALL, st.text("ab", max_size=1))
DICTS = st.one_of(
    st.dictionaries(SMALL, SMALL, max_size=4), st.dictionaries(st.text("ab", max_size=2), SMALL, max_size=3)
)
DICT_OPERATIONS = [
    lambda d, k: d[k], lambda d, k: d.get(k), lambda d, k: d.get(k, 5), lambda d, k: k in d, lambda d, k: d.__setitem__(k, 9),
    lambda d, k: d.__delitem__(k), lambda d, k: d.pop(k), lambda d, k: d.pop(k, 7), lambda d, k: d.setdefault(k, 8),
    lambda d, k: d.setdefault(k), lambda d, k: d.update({k: 1, 2: 3}), lambda d, k: d.update([(k, 1)], a=2), lambda d, k: d.clear(),
    lambda d, k: d.popitem(), lambda d, k: d | {k: 1}, lambda d, k: {k: 1} | d, lambda d, k: operator.ior(d, {k: 1}),
    lambda d, k: d == {k: 1}, lambda d, k: d != {}, lambda d, k: list(d.keys()), lambda d, k: list(d.values()),
    lambda d, k: list(d.items()), lambda d, k: k in d.keys(), lambda d, k: (k, 1) in d.items(), lambda d, k: list(reversed(d)),
    lambda d, k: repr(d), lambda d, k: [d[x] for x in d], lambda d, k: dict(d), lambda d, k: {**d}, lambda d, k: d[[]],
    lambda d, k: bool(d), lambda d, k: models.len_(d), lambda d, k: d.copy(), lambda d, k: sorted(d.items(), key=str),
    lambda d, k: [(d.__setitem__(k, 1), d.get(k)), d.pop(k), k in d], lambda d, k: d.keys() & {k}, lambda d, k: hash(d),
    lambda d, k: repr(d.items()), lambda d, k: d < d, lambda d, k: (lambda **kw: kw)(**d), lambda d, k: d.nonsense,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(DICT_OPERATIONS)))
@many
@given(entries=DICTS, key=KEYS)
def test_dicts(number: int, entries: dict[Any, Any], key: Any) -> None:
    agree(DICT_OPERATIONS[number], entries, key)
    agree(DICT_OPERATIONS[number], entries, key, symbolic=1)


SETS = st.sets(SMALL, max_size=4)
SET_OPERATIONS = [
    lambda s, x, o: x in s, lambda s, x, o: s.add(x), lambda s, x, o: s.remove(x), lambda s, x, o: s.discard(x),
    lambda s, x, o: s.clear(), lambda s, x, o: s.update(o, [x]), lambda s, x, o: s | o, lambda s, x, o: s & o, lambda s, x, o: s - o,
    lambda s, x, o: s ^ o, lambda s, x, o: o - s, lambda s, x, o: o | s, lambda s, x, o: o & s, lambda s, x, o: o ^ s,
    lambda s, x, o: s == o, lambda s, x, o: s != o, lambda s, x, o: s <= o, lambda s, x, o: s < o, lambda s, x, o: s >= o,
    lambda s, x, o: s > o, lambda s, x, o: s.issubset([x]), lambda s, x, o: s.issuperset(o), lambda s, x, o: s.isdisjoint(o),
    lambda s, x, o: s.union([x], o), lambda s, x, o: s.intersection(o), lambda s, x, o: s.difference([x]),
    lambda s, x, o: s.symmetric_difference(o), lambda s, x, o: operator.ior(s, o), lambda s, x, o: operator.iand(s, o),
    lambda s, x, o: operator.isub(s, o), lambda s, x, o: operator.ixor(s, o), lambda s, x, o: sorted(s), lambda s, x, o: bool(s),
    lambda s, x, o: models.len_(s), lambda s, x, o: s.copy(), lambda s, x, o: s | [x], lambda s, x, o: s.add([]),
    lambda s, x, o: (s.add(x), s.discard(x), x in s), lambda s, x, o: hash(s), lambda s, x, o: sum(s), lambda s, x, o: s < 5,
    lambda s, x, o: set(list(s)), lambda s, x, o: frozenset(s) == s, lambda s, x, o: s == [x], lambda s, x, o: set().pop(),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(SET_OPERATIONS)))
@many
@given(values=SETS, element=SMALL, other=SETS)
def test_sets(number: int, values: set[int], element: int, other: set[int]) -> None:
    agree(SET_OPERATIONS[number], values, element, other)
    agree(SET_OPERATIONS[number], values, element, other, symbolic=1)


def test_pop_of_a_set_gives_one_of_its_elements() -> None:
    agree(lambda s: s.pop() in {1, 2, 3}, {1, 2, 3})
    agree(lambda s: s.pop(), set())


def test_an_index_is_two_decisions_its_sign_and_its_bound() -> None:
    run = agree(lambda l, i: l[i], [5, 6], 1)
    assert [str(d.condition) for d in run.decisions] == ["a1 >= 0", "a1 < len(a0)"]


def test_cells_give_up_a_symbolic_index_and_say_so() -> None:
    run = agree(lambda l, i: l[i] == 6, [5, 6], 1, arrays=False)
    assert [place.operation for place in run.concretisations] == ["list index"]


def test_aliases_of_a_changed_list_see_the_change() -> None:
    def change(values: list[int]) -> Any:
        alias = values
        values += [1]
        values.insert(0, 2)
        return alias is values, alias

    agree(change, [7])
