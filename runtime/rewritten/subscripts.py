"""Subscripts and membership as rewritten code asks for them: `c[k]`, `c[k] = v`, `del c[k]`, `v in c`.

Python's own operation unless a plain container meets a concolic key or holds concolic keys; then the lookups of
`values/lookups/`.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any

from ramify.runtime.losses import is_opaque
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, lookups
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import concolic_inside
from ramify.runtime.values.index import as_index, in_range
from ramify.runtime.values.list_ import SymList, same_sort, strip_list
from ramify.runtime.values.numeric.bool_ import negated, sym_bool
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.texts.text import SymStr

SYMBOLIC = frozenset(core.BUILTIN)
SCALARS = frozenset({int, float, str, bool, bytes, complex, type(None)})
PLAIN = SCALARS | {type}
"""Types whose values are not concolic and hold nothing concolic."""

# Containers that keep any object; what holds for a user's class is found out once for each run.
KEYED = path.journal.keyed

path.journal.always_holding.update((list, dict, deque, defaultdict, OrderedDict, SymList, SymDict))
path.journal.holding.update(path.journal.always_holding)

MAX_STORE = 256  # elements of a plain list that a store at a symbolic place may change
_SEQUENCES = (list, tuple, str, bytes, range)


def item(container: Any, key: Any) -> Any:
    """`container[key]`."""
    kind = type(key)
    # `keyed` is empty unless this run has put a concolic key into a plain dict or set.
    if (kind is int or kind in PLAIN) and not KEYED:
        return container[key]
    where = type(container)
    if where in _SEQUENCES:
        return lookups.select_item(container, key) if kind in SYMBOLIC or kind is slice else container[key]
    if where in SYMBOLIC:
        return container[key]
    # A defaultdict, an OrderedDict, a Counter: they look up as dict does, with `__missing__`.
    if issubclass(where, dict) and where.__getitem__ is dict.__getitem__:
        return _entry(container, key)
    if _lost(where, "__getitem__", key):
        path.concretised(f"{where.__name__}[]")
    return container[key]


def _entry(mapping: Any, key: Any) -> Any:
    found = lookups.get_item(mapping, key, lookups.MISSING)
    if found is not lookups.MISSING:
        return found
    if not hasattr(type(mapping), "__missing__"):
        raise KeyError(key)
    # `defaultdict.__missing__` stores the key.
    made = type(mapping).__missing__(mapping, key)
    if concolic_inside(key):
        lookups.remember_keys(mapping)
    return made


def store(value: Any, container: Any, key: Any) -> None:
    """`container[key] = value`, the arguments in the order in which Python evaluates them."""
    where = type(container)
    if where is list and type(key) in SYMBOLIC:
        _replace(container, key, value)
    elif where not in SYMBOLIC and issubclass(where, dict) and where.__setitem__ is dict.__setitem__:
        lookups.set_item(container, key, value)
    else:
        if _lost(where, "__setitem__", key) or (not _holds_any(where) and _lost(where, "__setitem__", value)):
            path.concretised(f"{where.__name__}[]")
        container[key] = value


def _holds_any(kind: type) -> bool:
    """Whether the containers of a class keep whatever is stored in them."""
    return kind in path.journal.holding or issubclass(kind, (list, dict, deque))


def _replace(values: list[Any], key: Any, value: Any) -> None:
    """After a store at a symbolic place every element of a plain list may be the stored one."""
    found = as_index(key)
    if found is None or not in_range(*found, len(values), const(len(values))):
        values[core.plain(key)] = value
        return
    index, term = found
    # With the new value in it, so that a value of another sort gives no term.
    content = lookups.content_term([*values, value]) if len(values) <= MAX_STORE else None
    values[index] = value
    if content is None:
        _decide_place(index, term, len(values))
        return
    # The sign has been decided: counted from the start or from the end.
    first = 0 if index >= 0 else -len(values)
    new = core.term_of(value)
    assert new is not None
    for place, old in enumerate(values):
        before = T.select(content, const(place))
        chosen = T.ite(T.eq(term, const(first + place)), new, before)
        values[place] = core.wrap(core.plain(old), chosen)


def _decide_place(index: int, term: T.Term, length: int) -> None:
    """Decides which place inside it is; the sign is decided already."""
    # As many paths as places would drown the search.
    if length > lookups.MAX_ASKED:
        path.concretised("list index")
        return
    for place in range(length - 1):
        wanted = place if index >= 0 else place - length
        if decide(T.eq(term, const(wanted)), index == wanted):
            return


def delete(container: Any, key: Any) -> None:
    """`del container[key]`."""
    where = type(container)
    if where is list and type(key) in SYMBOLIC:
        found = as_index(key)
        if found is not None and in_range(*found, len(container), const(len(container))):
            _decide_place(*found, len(container))
        del container[core.plain(key)]
    elif where not in SYMBOLIC and issubclass(where, dict) and where.__delitem__ is dict.__delitem__:
        lookups.delete_item(container, key)
    else:
        if _lost(where, "__delitem__", key):
            path.concretised(f"del {where.__name__}[]")
        del container[key]


def into(container: Any) -> Any:
    """What is stored into at a plain key: the container itself if it keeps any value, else what tells."""
    kind = type(container)
    if kind in path.journal.holding:
        return container
    if _holds_any(kind) or hasattr(getattr(kind, "__setitem__", None), "__code__"):
        path.journal.holding.add(kind)
        return container
    return At(container)


class At:
    """Stands for a container where Python itself stores or deletes: `at(container)[key] = value`."""

    __slots__ = ("_container",)

    def __init__(self, container: Any) -> None:
        self._container = container

    def __setitem__(self, key: Any, value: Any) -> None:
        store(value, self._container, key)

    def __delitem__(self, key: Any) -> None:
        delete(self._container, key)


def contains(value: Any, container: Any) -> Any:
    """`value in container`, as one truth value."""
    where = type(container)
    if where not in SYMBOLIC:
        # Neither side is concolic, and no container of this run holds concolic keys.
        if type(value) in PLAIN and not KEYED:
            return value in container
        if KEYED and where in (list, tuple):
            lookups.keys_read("in", value, container)
        return lookups.contains(container, value)
    if where is SymList and container.term is not None:
        term = same_sort(container, value)
        if term is not None:
            return sym_bool(core.plain(value) in strip_list(container), T.seq_contains(container.term, term))
    term = core.term_of(value)
    if where is SymRange and term is not None and term.sort is T.INT:
        return sym_bool(core.plain(value) in core.plain(container), container.has(term))
    return lookups.contains(container, value) if where is SymStr else value in container


def not_contains(value: Any, container: Any) -> Any:
    return negated(contains(value, container))


def _lost(kind: type, method: str, key: Any) -> bool:
    """Whether C code gets a concolic key, uses its concrete value and does not tell."""
    if kind in SYMBOLIC or not concolic_inside(key):
        return False
    found = getattr(kind, method, None)
    # A method in rewritten Python gets the concolic key as it is.
    return not hasattr(found, "__code__") or is_opaque(found)
