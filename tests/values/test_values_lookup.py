"""Lookups in plain containers with concolic keys and indices agree with CPython and keep their terms."""

# ruff: noqa: E501 - tables in rows

import enum
from collections import OrderedDict, defaultdict
from typing import Any

import pytest
from differential import agree

from ramify.runtime.recording import path
from ramify.runtime.terms import language as T
from ramify.runtime.terms import var
from ramify.runtime.values import core, lookups, sym_int, sym_str


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


def nothing() -> int:
    return 0


TABLES: list[Any] = [
    {}, {"a": 1, "b": 2}, {1: "x", 2: "y"}, {1: [1], 2: [2]}, {"a": nothing, "": None}, {1.5: 1, 2: 2, True: 3}, {(1, "a"): 5, (2, "b"): 6},
    {n: n * n for n in range(30)}, {chr(97 + n): n for n in range(26)}, {chr(97 + n): chr(65 + n) for n in range(26)}, {n: [n] for n in range(20)}, {None: 1, "a": 2},
    OrderedDict([("a", 1), ("b", 2)]), defaultdict(int, {"a": 1}), {Level.LOW: 3, Color.RED: 4}, {float("nan"): 1, 0.0: 2}, {b"a": 1, b"b": 2}, {"ab": 1.5, "c": -0.0},
]  # fmt: skip
KEYS: list[Any] = ["a", "b", "", "zz", "ab", 0, 1, 2, 29, -1, 1.0, 1.5, float("nan"), True, False, None, b"a", b"", [1], (1, "a"), (1, "b")]


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_dict_lookups(number: int) -> None:
    table = TABLES[number]
    for key in KEYS:
        agree(lambda k: lookups.get_item(table, k, "missing"), key)
        agree(lambda k: bool(lookups.contains(table, k)), key)
        agree(lambda k: bool(lookups.contains(table.keys(), k)), key) if not isinstance(key, list) else None
        agree(lambda k: bool(lookups.contains(table.values(), k)), key)
        agree(lambda k: lookups.set_item(table.copy(), k, 7), key)
        copied = table.copy()
        try:
            expected: Any = table.copy()
            expected[key] = 7
        except TypeError:
            continue
        lookups.set_item(copied, key, 7)
        assert list(copied.items()) == list(expected.items()) or key != key


@pytest.mark.parametrize(
    "container",
    [
        [], [1, 2, 3], ("a", "b"), {"a", "b", "ab"}, frozenset({1, 2.5, "a"}), set(range(50)), list(range(40)), "abcab", "", b"abc", range(0), range(10),
        range(9, -3, -2), range(1, 100, 7), [None, True, 1.5], [[1], [2]], [(1, "a"), (2, "b")], {(1, "a")}, [Color.RED, Level.LOW], [float("nan")], {chr(97 + n) for n in range(20)},
    ],
)  # fmt: skip
def test_membership(container: Any) -> None:
    for key in KEYS:
        agree(lambda k: bool(lookups.contains(container, k)), key)
        if isinstance(container, (list, tuple, set, frozenset)):
            agree(lambda k: bool(lookups.contains([k, *container], k)), key)


@pytest.mark.parametrize(
    "sequence",
    [
        [], [3, 1, 2], (3, 1, 2), ["a", "bc"], [1, "a"], [[1], [2], [3]], "hello", "", b"hello", range(5), range(9, 0, -2), [1.5, 2.5], [True, False],
        list(range(300)), [None] * 3, ["x"] * 70,
    ],
)  # fmt: skip
def test_items_of_sequences(sequence: Any) -> None:
    for index in (0, 1, -1, 2, 5, -5, 299, -300, 10**20, True, "a", None, 1.5):
        agree(lambda i: lookups.select_item(sequence, i), index)
    for low in (0, 1, -2, 9):
        for high in (2, -1, 9, None):
            for step in (1, -1, 2, 0):
                agree(lambda i, j, k: lookups.select_item(sequence, slice(i, j, k)), low, high, step)
        agree(lambda i: lookups.select_item(sequence, slice(i, None)), low)


def term_of_lookup(operation: Any, **inputs: Any) -> tuple[Any, path.Run]:
    run = path.Run(dict(inputs))
    with path.recording(run):
        values = [core.wrap(v, var(n, T.sort_of(v))) for n, v in inputs.items()]
        result = operation(*values)
    return result, run


def test_what_is_found_is_a_term_and_a_hit_is_one_decision() -> None:
    found, run = term_of_lookup(lambda k: lookups.get_item({"a": 1, "b": 2}, k, None), k="b")
    assert str(found.term) == "1 if k == 'a' else 2"
    assert [str(d.term) for d in run.decisions] == ["k == 'a' or k == 'b'"]


def test_a_large_table_is_one_term() -> None:
    table = {n: str(n) for n in range(100)}
    found, run = term_of_lookup(lambda k: lookups.get_item(table, k, None), k=42)
    assert found.term.op == "table_get"
    assert len(run.decisions) == 1
    assert not run.concretisations


def test_values_without_a_common_sort_are_asked_key_by_key() -> None:
    found, run = term_of_lookup(lambda k: lookups.get_item({"a": [1], "b": [2], "c": [3]}, k, None), k="b")
    assert found == [2]
    assert [str(d.term) for d in run.decisions][1:] == ["k == 'a'", "k == 'b'"]


def test_an_element_at_a_symbolic_index_is_a_term() -> None:
    found, _ = term_of_lookup(lambda i: lookups.select_item([5, 6, 7], i), i=1)
    assert str(found.term) == "[5, 6, 7][i]"
    found, _ = term_of_lookup(lambda i: lookups.select_item("abc", i), i=1)
    assert str(found.term) == "'abc'[i]"


def test_concolic_keys_in_a_plain_dict_are_decided() -> None:
    def count(a: Any, b: Any) -> int:
        table: dict[Any, int] = {}
        for word in (a, b):
            lookups.set_item(table, word, lookups.get_item(table, word, 0) + 1)
        return len(table)

    result, run = term_of_lookup(count, a="x", b="y")
    assert result == 2
    assert "a == b" in [str(d.term) for d in run.decisions]


def test_a_plain_key_missing_among_concolic_keys_is_decided() -> None:
    run = path.Run({"a": "x"})
    with path.recording(run):
        table: dict[Any, int] = {}
        lookups.set_item(table, sym_str("x", var("a", T.STR)), 1)
        assert not lookups.contains(table, "y")
    assert [str(d.term) for d in run.decisions] == ["a == 'y'"]


def test_concolic_keys_are_seen_in_a_large_table_too() -> None:
    run = path.Run({"a": "x"})
    with path.recording(run):
        table: dict[Any, int] = {str(n): n for n in range(50)}
        assert not lookups.contains(table, "y")
        assert not run.decisions
        table[sym_str("x", var("a", T.STR))] = 1  # behind our back
        assert not lookups.contains(table, "y")
    assert [str(d.term) for d in run.decisions] == ["a == 'y'"]


def test_missing_keys_of_a_default_dict() -> None:
    def count(a: Any, b: Any) -> int:
        table: dict[Any, int] = defaultdict(int)
        for word in (a, b):
            lookups.set_item(table, word, lookups.mapping_item(table, word) + 1)
        return max(table.values())

    result, run = term_of_lookup(count, a="x", b="x")
    assert result == 2
    assert "a == b" in [str(d.term) for d in run.decisions]
    with pytest.raises(KeyError, match="'z'"):
        term_of_lookup(lambda k: lookups.mapping_item({"a": 1}, k), k="z")


def test_an_object_that_is_its_own_key_needs_no_decision() -> None:
    run = path.Run({"a": 1})
    with path.recording(run):
        key = sym_int(1, var("a", T.INT))
        assert lookups.get_item({key: [1]}, key, None) == [1]
    assert run.decisions == []
