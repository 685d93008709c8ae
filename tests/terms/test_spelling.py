"""Values of any size, depth and sharing: written as text, stripped of terms, carried between processes."""

import sys
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass

import pytest

from ramify.runtime.inputs.shapes.literals import literal
from ramify.runtime.sandbox import travel
from ramify.runtime.terms import from_decimal, integer, message, spelled
from ramify.runtime.terms.spelling import _cut
from ramify.runtime.values import core

ORDINARY = [
    1, "a", 1.5, None, [], (), set(), {}, [1, (2,), {"a": [{}]}], {1}, frozenset({2}), (1, 2), {"k": (1, 2)},
    [frozenset(), ()], "x" * 200_000, list(range(50_000)),
]  # fmt: skip


@pytest.mark.parametrize("value", ORDINARY, ids=lambda value: repr(value)[:20])
def test_ordinary_values_are_written_as_repr_does(value):
    assert spelled(value) == repr(value)
    assert _cut(value, 10**7, 0) == repr(value)


@dataclass
class Pair:
    left: object
    right: object


def doubled(make, times=60):
    value = [0]
    for _ in range(times):
        value = make(value)
    return value


SHARED = {
    "lists": lambda v: [v, v],
    "tuples": lambda v: (v, v),
    "dicts": lambda v: {"a": v, "b": v},
    "deques": lambda v: deque([v, v]),
    "ordered dicts": lambda v: OrderedDict(a=v, b=v),
    "dataclasses": lambda v: Pair(v, v),
    "exceptions": lambda v: ValueError(v, v),
    "mixed": lambda v: [(v, {"a": v})],
}


@pytest.mark.parametrize("name", SHARED)
def test_shared_values_are_cut_and_say_so(name):
    text = spelled(doubled(SHARED[name]))
    assert len(text) < 110_000
    assert "(cut here" in text or "too large to show" in text


@pytest.mark.parametrize("name", [n for n in SHARED if n not in ("dataclasses", "exceptions")])
def test_shared_values_stay_shared(name):
    for carry in (core.strip, lambda value: travel.loads(travel.dumps(value))):
        arrived = carry(doubled(SHARED[name]))
        first = list(arrived.values() if isinstance(arrived, dict) else arrived)
        if len(first) == 2:
            assert first[0] is first[1]
        assert core.strip(arrived) is not arrived


def nested(make, times=100_000):
    value = 0
    for _ in range(times):
        value = make(value)
    return value


DEEP = {
    "lists": lambda v: [v],
    "tuples": lambda v: (v,),
    "dicts": lambda v: {"a": v},
    "mixed": lambda v: [({1: v},)],
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_values_arrive(name):
    value = nested(DEEP[name])
    assert "(cut here" in spelled(value)
    for carry in (core.strip, lambda v: travel.loads(travel.dumps(v))):
        arrived, original, depth = carry(value), value, 0
        while type(original) is not int:
            assert type(arrived) is type(original)
            key = next(iter(original)) if isinstance(original, dict) else 0
            arrived, original = arrived[key], original[key]
            depth += 1
        assert arrived == 0
        assert depth >= 100_000


def test_values_inside_themselves():
    inner = [1]
    inner.append(inner)
    pair = (inner, 2)
    inner.append(pair)
    whole = {"l": inner}
    whole["d"] = whole
    for carry in (core.strip, lambda v: travel.loads(travel.dumps(v)), lambda v: travel.loads(travel._flat(v))):
        arrived = carry(whole)
        assert arrived["d"] is arrived
        assert arrived["l"][1] is arrived["l"]
        assert arrived["l"][2][0] is arrived["l"]
        assert spelled(arrived) == repr(whole)
    crowd = [[] for _ in range(30)]
    for one in crowd:
        one.extend(crowd)
    assert len(spelled(crowd)) < 110_000  # `repr` would write every way through it


def test_collections_keep_what_they_are():
    value = [OrderedDict(a=[1]), deque([1, [2]], maxlen=3), Counter("aab")]
    assert repr(core.strip(value)) == repr(value)
    assert core.strip(value)[1].maxlen == 3


@pytest.mark.parametrize("number", [0, -7, 10**4000, 1 << 20_000, -(1 << 200_000)], ids=int.bit_length)
def test_integers_of_any_size(number):
    assert eval(integer(number)) == number
    assert eval(literal([number])) == [number]
    assert eval(spelled({"a": (number,)})) == {"a": (number,)}
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    digits = str(number)
    sys.set_int_max_str_digits(limit)
    assert from_decimal(digits) == number


def test_messages_of_exceptions():
    for error in (ValueError("a"), KeyError("a"), ValueError(1, 2), OSError(2, "gone"), ValueError()):
        assert message(error) == str(error)
    shared = doubled(SHARED["lists"])
    assert "(cut here" in message(ValueError(shared))
    assert "(cut here" in message(KeyError(1, shared))
    assert message(ValueError(1 << 20_000)) == hex(1 << 20_000)
    for packed in (ValueError(shared), ValueError(nested(DEEP["lists"]))):
        arrived = travel.unpack_exception(travel.pack_exception(packed))
        assert type(arrived).__name__ == "ValueError"
        assert "(cut here" in message(arrived)
