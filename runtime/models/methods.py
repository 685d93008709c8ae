"""Methods of plain lists, tuples, dicts and sets with a concolic argument, or with concolic keys inside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ramify.runtime.models.registry import LIBRARY, METHODS, binds, model_of, models_method
from ramify.runtime.recording import decide
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, lookups
from ramify.runtime.values.equality import MISSING, concolic_inside
from ramify.runtime.values.index import as_index, in_range
from ramify.runtime.values.set_ import SymSet, as_set

# Lists and tuples


@models_method(list, "pop")
def list_pop(values: list[Any], *args: Any) -> Any:
    # C code would pop at the concrete index.
    found = as_index(args[0]) if len(args) == 1 and core.is_concolic(args[0]) else None
    if found is None:
        return values.pop(*args)
    # Decided although the length is known, so that the path is the same as for a list of symbolic length.
    if not decide(T.ne(const(len(values)), const(0)), bool(values)):
        return values.pop(found[0])
    if not in_range(*found, len(values), const(len(values))):
        return values.pop(found[0])
    return values.pop(_place(*found, len(values)))


def _place(number: int, term: T.Term, length: int) -> int:
    """A symbolic position of a plain list, decided: no term describes a plain list without an element."""
    for position in range(length - 1):
        index = const(position if number >= 0 else position - length)
        if decide(T.eq(term, index), number == index.value):
            break
    return number


@models_method(list, "insert")
def list_insert(values: list[Any], *args: Any) -> None:
    found = as_index(args[0]) if len(args) == 2 and core.is_concolic(args[0]) else None
    if found is None:
        return values.insert(*args)
    number, term = found
    length = len(values)
    # Positions outside are clamped to the ends; inside, each one is a path.
    if decide(T.le(const(length), term), length <= number):
        return values.append(args[1])
    if decide(T.le(term, const(-length)), number <= -length):
        return values.insert(0, args[1])
    decide(T.lt(term, const(0)), number < 0)
    return values.insert(_place(number, term, length), args[1])


@models_method(list, "sort")
def list_sort(values: list[Any], *args: Any, **keywords: Any) -> None:
    if keywords.get("key") is not None:
        # The comparisons of the elements decide by themselves; a key that is a builtin would lose the terms
        # before.
        keywords["key"] = model_of(keywords["key"])
    return values.sort(*args, **keywords)


def _search(kind: type) -> None:
    """`index` with concolic bounds: the bounds are decided, the comparisons decide natively."""
    original: Callable[..., Any] = getattr(kind, "index")  # noqa: B009

    def index(values: Any, *args: Any) -> Any:
        return original(values, *args[:1], *(lookups.settled_bound(b, len(values)) for b in args[1:]))

    METHODS[kind, "index"] = index


_search(list)
_search(tuple)


# Dicts


@models_method(dict, "get")
def dict_get(table: dict[Any, Any], *args: Any) -> Any:
    if not 1 <= len(args) <= 2:
        return table.get(*args)
    found = lookups.get_item(table, args[0], MISSING)
    if found is MISSING:
        return args[1] if len(args) == 2 else None
    return found


@models_method(dict, "pop")
def dict_pop(table: dict[Any, Any], *args: Any) -> Any:
    if not 1 <= len(args) <= 2 or not table:
        return table.pop(*map(core.strip, args[:1]), *args[1:])  # an empty dict asks for no hash
    stored = lookups.find_key(table, args[0])
    return dict.pop(table, core.strip(args[0]) if stored is MISSING else stored, *args[1:])


@models_method(dict, "setdefault")
def dict_setdefault(table: dict[Any, Any], *args: Any) -> Any:
    if not 1 <= len(args) <= 2:
        return table.setdefault(*args)
    stored = lookups.find_key(table, args[0])
    if stored is MISSING:
        default = args[1] if len(args) == 2 else None
        lookups.insert_item(table, args[0], default)
        return default
    return dict.__getitem__(table, stored)


@models_method(dict, "update")
def dict_update(table: dict[Any, Any], *args: Any, **keywords: Any) -> None:
    if len(args) != 1:
        return table.update(*args, **keywords)
    source = args[0]
    # As `dict.update` tells a mapping from an iterable of pairs.
    if hasattr(source, "keys"):
        pairs: list[Any] = [(key, source[key]) for key in source.keys()]  # noqa: SIM118 - as Python does
    else:
        pairs = list(source)
    if not all(type(pair) in (tuple, list) and len(pair) == 2 for pair in pairs):
        return table.update(pairs, **keywords)
    for key, value in pairs:
        lookups.set_item(table, key, value)
    for name, value in keywords.items():
        lookups.set_item(table, name, value)
    return None


@models_method(dict, "__contains__")
def dict_contains(table: dict[Any, Any], *args: Any) -> Any:
    return lookups.contains(table, *args) if len(args) == 1 else dict.__contains__(table, *args)


def fromkeys(*args: Any) -> Any:
    """`dict.fromkeys(keys)`, where equal keys are decided."""
    if not 1 <= len(args) <= 2:
        return dict.fromkeys(*args)
    made: dict[Any, Any] = {}
    for key in args[0]:
        lookups.set_item(made, key, args[1] if len(args) == 2 else None)
    return made


LIBRARY[dict.fromkeys] = fromkeys
METHODS[dict, "fromkeys"] = lambda receiver, *args: fromkeys(*args)


# Sets


def _decided_set(name: str, changes: bool) -> None:
    """A method of sets in which membership is decided, through the concolic set that models it."""

    def model(values: Any, *args: Any) -> Any:
        original: Callable[..., Any] = getattr(values, name)
        if not _touches(values, args):
            return original(*args)
        mine = as_set(list(_in_order(values)))
        method = getattr(mine, name)
        # A wrong number of arguments: the original says what is wrong.
        if not binds(method, args, {}):
            return original(*args)
        result = method(*args)
        if changes:
            # The plain set keeps its identity: aliases must see the change.
            _become(values, mine)
            return result
        # Sets made of a frozenset are frozensets.
        if type(result) is SymSet and type(values) is not set:
            made = frozenset(result.order)
            lookups.remember_keys(made)
            return made
        return result

    model.__name__ = name
    METHODS[set, name] = model
    if not changes:
        METHODS[frozenset, name] = model


def _touches(values: Any, args: Iterable[Any]) -> bool:
    # Otherwise C code does it: most sets of a program never meet an input.
    if lookups.has_concolic_keys(values) or any(map(concolic_inside, args)):
        return True
    return any(
        type(a) in (list, tuple, set, frozenset, dict) and any(map(concolic_inside, a))
        for a in args
        if not concolic_inside(a)
    )


def _in_order(values: Any) -> list[Any]:
    """The elements of a plain set, in an order that is the same in every process where they have one."""
    elements = list(values)
    try:
        # Sorting concolic values would decide.
        return sorted(elements) if not any(map(concolic_inside, elements)) else elements
    except TypeError:
        return elements


def _become(values: set[Any], other: SymSet) -> None:
    """Takes over what a concolic set has become."""
    set.clear(values)
    for element in other.order:
        set.add(values, element)
    if any(map(concolic_inside, other.order)):
        lookups.remember_keys(values)


for _name in (
    "add", "discard", "remove", "update", "difference_update", "intersection_update",
    "symmetric_difference_update",
):  # fmt: skip
    _decided_set(_name, changes=True)
for _name in (
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint",
):  # fmt: skip
    _decided_set(_name, changes=False)


@models_method(set, "__contains__")
def set_contains(values: set[Any], *args: Any) -> Any:
    return lookups.contains(values, *args) if len(args) == 1 else values.__contains__(*args)


METHODS[frozenset, "__contains__"] = set_contains
