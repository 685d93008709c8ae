"""Every branch here can be taken: by what C code writes into texts and messages, keeps inside objects or is answered."""

import contextlib
import dataclasses
import enum
import heapq
import io
import json
import operator
import pprint
import reprlib
import sys
import traceback
from collections import Counter, OrderedDict, defaultdict, deque
from typing import NamedTuple


class Box:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Box({self.v})"


class Mute:
    def __init__(self, v):
        self.v = v


@dataclasses.dataclass
class Record:
    a: int


class Pair(NamedTuple):
    a: int
    b: str = ""


class Color(enum.Enum):
    RED = 4711


class Told:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and "xyzzy" in str(error)


# Texts that C code, or code that is not rewritten, makes of what it finds inside


def text_of_a_dataclass(x: int):
    return 1 if repr(Record(x)) == "Record(a=4711)" else 0


def text_of_a_list_of_objects(x: int):
    return 1 if str([Record(x)]) == "[Record(a=4711)]" else 0


def text_of_a_dict_of_objects(x: int):
    return 1 if str({"k": Box(x)}) == "{'k': Box(4711)}" else 0


def text_of_a_deque(x: int):
    return 1 if repr(deque([x])) == "deque([4711])" else 0


def text_of_a_set(x: int):
    return 1 if str({x}) == "{4711}" else 0


def text_of_a_frozenset(x: int):
    return 1 if str(frozenset([x])) == "frozenset({4711})" else 0


def text_of_an_ordered_dict(x: int):
    return 1 if "4711" in str(OrderedDict(a=x)) else 0


def text_of_a_default_dict(x: int):
    d = defaultdict(int)
    d["a"] = x
    return 1 if "4711" in repr(d) else 0


def text_of_a_named_tuple(x: int):
    return 1 if f"{Pair(x)}" == "Pair(a=4711, b='')" else 0


def text_of_an_exception(x: int):
    return 1 if repr(KeyError(x)) == "KeyError(4711)" else 0


def text_of_a_dict_that_is_an_input(d: dict[str, int]):
    return 1 if repr(d.keys()) == "dict_keys(['q'])" else 0


def text_of_a_set_that_is_an_input(s: set[int]):
    return 1 if str(s) == "{4711}" else 0


def text_of_a_range(n: int):
    return 1 if str(range(n)) == "range(0, 4711)" else 0


def part_of_an_f_string(x: int):
    return 1 if f"{[x]}" == "[4711]" else 0


def converted_part_of_an_f_string(x: int):
    return 1 if f"<{ {x}!r}>" == "<{4711}>" else 0


def field_of_a_format(x: int):
    return 1 if "{}".format(deque([x])) == "deque([4711])" else 0  # noqa: UP032


def text_by_the_library(x: int):
    if pprint.pformat(Pair(x)) == "Pair(a=4711, b='')":
        return 1
    return 2 if reprlib.repr([x]) == "[4712]" else 0


def printed_elsewhere(x: int):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print(x, end="")
    return 1 if out.getvalue() == "4711" else 0


# Exceptions that C code raises


def key_of_an_error(s: str):
    try:
        return {"b": 1}[s]
    except KeyError as error:
        return 1 if error.args[0] == "xyzzy" else 0


def text_of_a_key_error(s: str):
    try:
        return {"b": 1}[s]
    except KeyError as error:
        return 1 if str(error) == "'xyzzy'" else 0


def message_of_a_conversion(s: str):
    try:
        return int(s)
    except ValueError as error:
        return 1 if "xyzzy" in str(error) else 0


def message_of_an_enum(x: int):
    try:
        return Color(x)
    except ValueError as error:
        return 1 if "4712" in str(error) else 0


def message_of_index(x: int):
    try:
        return [1].index(x)
    except ValueError as error:
        return 1 if "4712" in str(error) else 0


def message_asked_for(s: str):
    try:
        return int(s)
    except ValueError:
        return 1 if "xyzzy" in str(sys.exc_info()[1]) else 0


def message_in_a_traceback(s: str):
    try:
        return int(s)
    except ValueError:
        return 1 if "xyzzy" in traceback.format_exc().splitlines()[-1] else 0


def message_of_the_context(s: str):
    try:
        try:
            return int(s)
        except ValueError:
            raise KeyError from None
    except KeyError as error:
        return 1 if "xyzzy" in str(error.__context__) else 0


def message_told_to_a_context_manager(s: str):
    try:
        with Told():
            int(s)
        return 1
    except ValueError:
        return 0


# What is handed over, inside objects or as the answer of a function


def inside_many_lists(x: int):
    return 1 if json.dumps([[[[[[[[[x]]]]]]]]]) == "[[[[[[[[[4711]]]]]]]]]" else 0


def inside_an_object(x: int):
    return 1 if json.dumps([Mute(x)], default=vars) == '[{"v": 4711}]' else 0


def answer_of_a_function(x: int):
    return 1 if json.dumps(Mute(0), default=lambda mute: x) == "4711" else 0


def name_of_an_attribute(s: str):
    mute = Mute(1)
    try:
        setattr(mute, s, 5)
    except (TypeError, UnicodeEncodeError):
        return 2
    return 1 if hasattr(mute, "xyzzy") else 0


def member_of_a_proxy(s: str):
    return 1 if s in Color.__members__ else 0


def identity_by_number(x: int):
    y = 5
    return 1 if id(x) == id(y) else 0


def identity_by_function(x: int):
    return 1 if operator.is_(x, 5) else 0


def joined_by_function(s: str):
    return 1 if operator.concat("a", s) == "axy" else 0


def hinted_length(xs: list[int]):
    return 1 if operator.length_hint(xs) == 3 else 0


def base_by_keyword(x: int):
    try:
        return 1 if int("11", base=x) == 13 else 0
    except ValueError:
        return 2


# Lists, sets, dicts and numbers


def heap_replaced(xs: list[int], v: int, i: int):
    if len(xs) == 1 and i == 0:
        return 1 if heapq.heapreplace(xs, v) == 9 and xs[i] == 4711 else 2
    return 0


def heap_reordered(xs: list[int], i: int):
    if len(xs) == 3 and 0 <= i < 3:
        heapq.heapify(xs)
        return 1 if xs[i] == 5 and i == 0 and xs[1] == 4711 else 2
    return 0


def order_of_a_set(x: int, y: int):
    first = list({x, y})[0]
    return 1 if first != y else 0


def texts_in_a_list(xs: list[str]):
    return 1 if len(xs) == 2 and xs[0] + xs[1] == "xyzzy" and len(xs[0]) == 2 else 0


def shortest_text(xs: list[str]):
    return 1 if len(xs) == 2 and min(xs, key=len) == "z" and xs[0] == "abc" else 0


def keys_as_a_set(d: dict[str, int]):
    return 1 if d.keys() == {"xyzzy"} else 0


def number_of_keys(d: dict[str, int]):
    return 1 if len(d.keys()) == 3 and d.values() else 0


def root_of_a_negative(a: float):
    return 1 if isinstance(a**0.5, complex) else 0


def power_too_large(a: float):
    try:
        return a**2
    except OverflowError:
        return 1


def counted(xs: list[str]):
    return 1 if str(Counter(xs)) == "Counter({'a': 2})" else 0
