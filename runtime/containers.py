"""Subscripts and membership of plain containers with concolic indices, keys and elements.

A plain dict or set finds keys by their hash, so that a miss asks no key. Here a lookup is one decision, whether
any key is the one, and only where a term cannot say more the key itself is decided.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from ramify.runtime import path
from ramify.runtime import terms as T
from ramify.runtime.lifting import (
    LOOK_INTO,
    MAX_TABLE,
    PLAIN,
    SYMBOLIC,
    as_sym_list,
    constant,
    equality,
    holds,
    key_mentions,
    scalar_terms,
)
from ramify.runtime.nodes import INT, STR, Term, const
from ramify.runtime.path import decide, tainted
from ramify.runtime.values import core
from ramify.runtime.values.bool_ import negated, sym_bool
from ramify.runtime.values.bytes_ import SymBytes
from ramify.runtime.values.index import as_index, in_range
from ramify.runtime.values.list_ import SymList
from ramify.runtime.values.list_ import same_sort as element_term
from ramify.runtime.values.list_ import strip_list
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.text import SymStr, text

DICTS = (dict, defaultdict, OrderedDict, Counter)
SETS = (set, frozenset)
MISSING: Any = object()
_VIEWS = (type({}.keys()), type({}.values()))


def taint(container: Any) -> None:
    """Notes that a plain container holds concolic keys."""
    if path.active() is not None:
        tainted[id(container)] = container


def item(container: Any, key: Any) -> Any:
    """`container[key]`."""
    kind = type(key)
    if kind in PLAIN and not tainted:
        return container[key]
    where = type(container)
    if where in DICTS:
        if id(container) in tainted or key_mentions(key):
            return _entry(container, key)
    elif where in (list, tuple, str, bytes, range) and (kind in SYMBOLIC or kind is slice):
        return _part(container, key) if kind is slice else _element(container, key)
    elif key_mentions(key) and where not in SYMBOLIC and _is_c(where, "__getitem__"):
        path.concretised(f"index of {where.__name__}")
    return container[key]


def _element(container: Any, key: Any) -> Any:
    """An element of a plain sequence at a symbolic place."""
    found = as_index(key)
    if found is None:
        return container[key]
    if type(container) in (str, bytes):
        return constant(container)[key]
    index, term = found
    if not in_range(index, term, len(container), const(len(container))):
        return container[index]
    if type(container) is range:
        return _symbolic(container)[key]
    terms = scalar_terms(container) if len(container) <= MAX_TABLE else None
    if terms is not None:
        return core.wrap(core.plain(container[index]), T.select(T.seq(*terms), term))
    return container[_decided_index(index, term, len(container))]


def _decided_index(index: int, term: Term, length: int) -> int:
    """Decides which of the places inside it is; the sign is decided already."""
    if length > MAX_TABLE:
        path.concretised("index of a large list")
        return index
    for place in range(length) if index >= 0 else range(-1, -length - 1, -1):
        if decide(T.eq(term, const(place)), index == place):
            break
    return index


def _part(container: Any, key: slice) -> Any:
    """A slice of a plain sequence."""
    if not any(type(bound) in SYMBOLIC for bound in (key.start, key.stop, key.step)):
        return container[key]
    if type(container) in (str, bytes):
        return constant(container)[key]
    if type(container) is list and len(container) <= MAX_TABLE:
        return as_sym_list(container)[key]
    path.concretised("slice bound")
    return container[slice(*map(core.plain, (key.start, key.stop, key.step)))]


# Keys of dicts and sets


def lookup(container: Any, key: Any) -> tuple[bool, list[tuple[Any, Term]] | None]:
    """Whether a dict or set has a key, and each of its keys with the term of their equality.

    No terms: the key's hash decided, which is recorded.
    """
    if type(key) in SYMBOLIC and core.BUILTIN[type(key)] in (list, dict, set):
        hash(key)
    with path.paused():
        hit = key in container
    found: list[tuple[Any, Term]] = []
    if len(container) <= MAX_TABLE:
        for stored in _in_order(container):
            term = equality(stored, key)
            if term is None:
                break
            if term is not T.FALSE:
                found.append((stored, term))
        else:
            return hit, found
    path.concretised("hash()")
    return hit, None


def _in_order(container: Any) -> Iterable[Any]:
    if type(container) not in SETS:
        return list(container)
    # The order of a set depends on hashes, and those of texts on the process.
    return sorted(container, key=lambda value: (type(value).__name__, repr(core.strip(value))))


def find(container: Any, key: Any) -> Any:
    """The stored key that equals this one, or MISSING; both are decided."""
    hit, keys = lookup(container, key)
    if keys is None:
        return key if hit else MISSING
    if not decide(T.or_(*(term for _, term in keys)), hit):
        return MISSING
    for stored, term in keys:
        if decide(term, holds(stored, key)):
            return stored
    return key


def _entry(container: Any, key: Any) -> Any:
    """The value of a key in a plain dict: one decision, and a term that chooses, if all values are scalars."""
    hit, keys = lookup(container, key)
    if keys is None:
        return container[key]
    if not decide(T.or_(*(term for _, term in keys)), hit):
        return _missing(container, key)
    values = [container[stored] for stored, _ in keys]
    terms = scalar_terms(values)
    if terms is None:
        for (stored, term), value in zip(keys, values, strict=True):
            if decide(term, holds(stored, key)):
                return value
        with path.paused():
            return container[key]
    chosen = terms[-1]
    for (_, term), value_term in zip(reversed(keys[:-1]), reversed(terms[1:-1]), strict=True):
        chosen = T.ite(term, value_term, chosen)
    with path.paused():
        value = container[key]
    return core.wrap(core.plain(value), chosen)


def _missing(container: Any, key: Any) -> Any:
    if type(container) is dict:
        raise KeyError(core.strip(key))
    if type(container) is defaultdict and container.default_factory is not None:
        value = container.default_factory()
        insert(container, key, value)
        return value
    return container[key]


def insert(container: Any, key: Any, value: Any) -> None:
    """A new key of a plain dict."""
    with path.paused():
        container[key] = value
    if key_mentions(key):
        taint(container)


# Storing and deleting


def store(value: Any, container: Any, key: Any) -> None:
    """`container[key] = value`, in the order in which Python evaluates them."""
    where = type(container)
    if where in DICTS:
        if id(container) in tainted or key_mentions(key):
            stored = find(container, key)
            insert(container, key if stored is MISSING else stored, value)
            return
    elif type(key) in SYMBOLIC and where is list:
        _replace(container, key, value)
        return
    elif key_mentions(key) and where not in SYMBOLIC and _is_c(where, "__setitem__"):
        path.concretised(f"index of {where.__name__}")
    container[key] = value


def _replace(container: list[Any], key: Any, value: Any) -> None:
    """After a store at a symbolic place every element of a plain list may be the stored one."""
    found = as_index(key)
    if found is None or not in_range(*found, len(container), const(len(container))):
        container[core.plain(key)] = value
        return
    index, term = found
    terms = scalar_terms([*container, value]) if len(container) <= MAX_TABLE else None
    if terms is None:
        container[_decided_index(index, term, len(container))] = value
        return
    *before, new = terms[1:]
    first = 0 if index >= 0 else -len(container)
    container[index] = value
    for place, old in enumerate(before):
        chosen = T.ite(T.eq(term, const(first + place)), new, old)
        container[place] = core.wrap(core.plain(container[place]), chosen)


def delete(container: Any, key: Any) -> None:
    """`del container[key]`."""
    where = type(container)
    if where in DICTS and (id(container) in tainted or key_mentions(key)):
        stored = find(container, key)
        if stored is MISSING:
            raise KeyError(core.strip(key))
        key = stored
        with path.paused():
            del container[key]
        return
    if where is list and type(key) in SYMBOLIC:
        found = as_index(key)
        if found is not None and in_range(*found, len(container), const(len(container))):
            _decided_index(*found, len(container))
        key = core.plain(key)
    del container[key]


class At:
    """Stands for a container where Python itself stores or deletes: `at(container)[key] = value`."""

    __slots__ = ("_container",)

    def __init__(self, container: Any) -> None:
        self._container = container

    def __getitem__(self, key: Any) -> Any:
        return item(self._container, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        store(value, self._container, key)

    def __delitem__(self, key: Any) -> None:
        delete(self._container, key)


# Membership


def contains(value: Any, container: Any) -> Any:
    """`value in container`, as one truth value."""
    where = type(container)
    if where in SYMBOLIC:
        return _in_symbolic(value, container)
    if type(value) in PLAIN and id(container) not in tainted:
        return value in container
    if where is str:
        return constant(container).__contains__(value) if type(value) is not SymStr else _in_text(value, container)
    if where is bytes and type(value) is SymBytes:
        return sym_bool(core.plain(value) in container, T.contains(const(container.decode("latin-1")), value.term))
    if where is range and core.term_of(value) is not None:
        return _in_range(value, container)
    if where in LOOK_INTO or where in _VIEWS:
        return _among(value, list(container) if where in _VIEWS else container)
    if where is bytes and type(value) in SYMBOLIC:
        path.concretised("in bytes")
        return core.plain(value) in container
    return value in container


def not_contains(value: Any, container: Any) -> Any:
    return negated(contains(value, container))


def _in_text(value: SymStr, container: str) -> Any:
    return sym_bool(core.plain(value) in container, T.contains(const(container), value.term))


def _in_symbolic(value: Any, container: Any) -> Any:
    if type(container) is SymStr:
        found = text(value)
        if found is not None:
            return sym_bool(found[0] in core.plain(container), T.contains(container.term, found[1]))
    if type(container) is SymList:
        term = element_term(container, value)
        if term is not None and container.term is not None:
            return sym_bool(core.plain(value) in strip_list(container), T.seq_contains(container.term, term))
    if type(container) is SymRange and core.term_of(value) is not None:
        return _in_range(value, container)
    return value in container


def _in_range(value: Any, container: Any) -> Any:
    whole = container if type(container) is SymRange else _symbolic(container)
    term = core.term_of(value)
    assert term is not None
    if term.sort is not INT:
        if term.sort is STR:
            return False
        path.concretised("in range")
        return core.plain(value) in core.plain(whole)
    return sym_bool(core.plain(value) in core.plain(whole), whole.has(term))


def _symbolic(whole: range) -> SymRange:
    return SymRange((whole.start, const(whole.start)), (whole.stop, const(whole.stop)), whole.step)


def _among(value: Any, container: Any) -> Any:
    if type(container) in DICTS or type(container) in SETS:
        if not key_mentions(value) and id(container) not in tainted:
            return value in container
        hit, keys = lookup(container, value)
        return hit if keys is None else sym_bool(hit, T.or_(*(term for _, term in keys)))
    terms = [equality(element, value) for element in container] if len(container) <= MAX_TABLE else [None]
    if None in terms:
        return value in container  # Python asks element by element, each a decision
    with path.paused():
        hit = value in container
    return sym_bool(hit, T.or_(*terms))  # type: ignore[arg-type]


def _is_c(kind: type, method: str) -> bool:
    """Whether a type's special method is C code, which uses the concrete value without telling."""
    found: Callable[..., Any] | None = getattr(kind, method, None)
    return found is not None and not hasattr(found, "__code__")
