"""Plain values in the place of concolic ones: constants that answer with terms, and equality as a term."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Any

from ramify.runtime import path
from ramify.runtime import terms as T
from ramify.runtime.nodes import BOOL, FALSE, FLOAT, INT, STR, TRUE, Sort, Term, const
from ramify.runtime.values import core
from ramify.runtime.values.bytes_ import SymBytes
from ramify.runtime.values.float_ import SymFloat
from ramify.runtime.values.int_ import SymInt
from ramify.runtime.values.list_ import SymList, sym_list
from ramify.runtime.values.text import SymStr

SYMBOLIC = frozenset(core.BUILTIN)
PLAIN = frozenset({int, float, str, bool, bytes, type(None), complex})
"""Types whose values hold nothing concolic."""

LOOK_INTO = (list, tuple, set, frozenset, dict, defaultdict, OrderedDict, Counter)
LOOK_AT = 64  # elements of a container that are looked at
MAX_TABLE = 256  # entries of a container that a term may speak of

_NUMBERS = (BOOL, INT, FLOAT)


def constant(value: Any) -> Any:
    """A plain scalar as a concolic value whose term is the constant: its operators and methods give terms."""
    kind = type(value)
    if kind is bool or kind is int:
        made: Any = int.__new__(SymInt, value)
    elif kind is float:
        made = float.__new__(SymFloat, value)
    elif kind is str:
        made = str.__new__(SymStr, value)
    else:
        assert kind is bytes
        made = bytes.__new__(SymBytes, value)
        value = value.decode("latin-1")
    made.term = const(int(value) if kind is bool else value)
    return made


def as_sym_list(values: list[Any], like: Term | None = None) -> SymList:
    """A plain list as a concolic one of the same elements; a term needs elements of one sort."""
    found = scalar_terms(values)
    term: Term | None = None
    if found is not None:
        term = T.seq(*found) if found[1:] else None
    elif like is not None and not values:
        term = const((), like.sort)
    return sym_list(values, const(len(values)), term)


def scalar_terms(values: Iterable[Any]) -> tuple[Any, ...] | None:
    """The common sort of scalars and their terms; None if there are none, or of several sorts."""
    terms: list[Term] = []
    sort: Sort | None = None
    for value in values:
        term = core.term_of(value) if type(value) is not SymList else None
        if term is None or (sort is not None and term.sort is not sort):
            return None
        sort = term.sort
        terms.append(term)
    return None if sort is None or sort.element is not None else (sort, *terms)


def mentions(value: Any) -> bool:
    """Whether a value is concolic or directly contains one; of a large container only a part is looked at."""
    kind = type(value)
    if kind in SYMBOLIC:
        return True
    if kind in LOOK_INTO and value:
        for number, part in enumerate(value.items() if isinstance(value, dict) else value):
            if number >= LOOK_AT:
                return False
            if type(part) in SYMBOLIC or (type(part) is tuple and any(type(p) in SYMBOLIC for p in part)):
                return True
    return False


def key_mentions(key: Any) -> bool:
    """Whether a key is concolic or a tuple, however nested, that contains something concolic."""
    kind = type(key)
    return kind in SYMBOLIC or (kind is tuple and any(key_mentions(part) for part in key))


def equality(a: Any, b: Any) -> Term | None:
    """`a == b` as a term, for values that may be keys; None if only running it could tell."""
    if a is b:
        return TRUE
    if type(a) is tuple and type(b) is tuple:
        if len(a) != len(b):
            return FALSE
        parts = [equality(x, y) for x, y in zip(a, b, strict=True)]
        return None if None in parts else T.and_(*parts)  # type: ignore[arg-type]
    first, second = _term(a), _term(b)
    if first is not None and second is not None:
        comparable = first.sort is second.sort or (first.sort in _NUMBERS and second.sort in _NUMBERS)
        if core.BUILTIN.get(type(a), type(a)) is bytes or core.BUILTIN.get(type(b), type(b)) is bytes:
            comparable = _is_bytes(a) and _is_bytes(b)
        return T.eq(first, second) if comparable else FALSE
    if not key_mentions(a) and not key_mentions(b):
        with path.paused():
            return const(bool(a == b))
    other = b if key_mentions(a) else a
    return FALSE if other is None or type(other) is tuple else None


def _is_bytes(value: Any) -> bool:
    return type(value) in (bytes, SymBytes)


def _term(value: Any) -> Term | None:
    kind = type(value)
    if kind is SymBytes:
        term: Term = value.term
        return term
    if kind is bytes:
        return const(value.decode("latin-1"))
    term_of = core.term_of(value) if kind is not SymList else None
    return term_of if term_of is None or term_of.sort in (*_NUMBERS, STR) else None


def holds(a: Any, b: Any) -> bool:
    """`a is b or a == b`, without recording anything."""
    with path.paused():
        return a is b or bool(a == b)
