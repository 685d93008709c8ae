"""`value in container` for plain containers and concolic values: one term over everything that is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FALSE, STR, TRUE, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import MISSING, SCALARS, bytes_term, concolic_inside, equality, scalar
from ramify.runtime.values.index import ZERO
from ramify.runtime.values.list_ import SymList
from ramify.runtime.values.lookups.concolic_keys import (
    HASHED,
    VIEWS,
    has_concolic_keys,
    note_frozen,
    stored_elements,
)
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.set_ import SymSet
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr

FEW = 8  # values that are written out as comparisons; more become one table


def contains(container: Any, value: Any) -> Any:
    """`value in container`: a SymBool where a term says it, else Python's own answer."""
    kind = type(container)
    # By far the most frequent question, and the only one asked in loops over large tables.
    if kind in HASHED and type(value) in SCALARS and not has_concolic_keys(container):
        return value in container
    if kind in (str, SymStr):
        return _contains_text(container, value)
    if kind in (bytes, SymBytes):
        return _contains_bytes(container, value)
    if kind is range:
        return _contains_number(container, value)
    # They decide in their own `__contains__`.
    if kind in (SymDict, SymSet, SymList, SymRange):
        return value in container
    # A subclass that does not override `in` is looked into like the builtin.
    builtin = _storage(kind, "__contains__")
    if builtin in HASHED:
        if not concolic_inside(value) and not has_concolic_keys(container):
            note_frozen(value)
            return path.noting_hashes(_natively_in, value, container)
        return contains_key(container, value)
    if builtin in (list, tuple) or kind in VIEWS:
        return _contains_element(container, value)
    return path.noting_hashes(_natively_in, value, container)


def _natively_in(value: Any, container: Any) -> bool:
    return value in container


def _storage(kind: type, method: str) -> type | None:
    """The builtin container whose method this type uses unchanged."""
    for builtin in (*HASHED, list, tuple):
        if issubclass(kind, builtin):
            return builtin if getattr(kind, method, None) is getattr(builtin, method, None) else None
    return None


def _contains_text(container: str, value: Any) -> Any:
    if not isinstance(value, str) or (type(container) is str and type(value) is not SymStr):
        return value in container
    whole, part = scalar(container), scalar(value)
    if whole is None or part is None:
        return value in container
    return sym_bool(core.plain(value) in core.plain(container), T.contains(whole, part))


def _contains_bytes(container: Any, value: Any) -> Any:
    kind: Any = core.BUILTIN.get(type(value), type(value))
    if type(container) is bytes and type(value) is kind:
        return value in container
    if kind is bytes:
        found = core.plain(value) in core.plain(container)
        return sym_bool(found, T.contains(bytes_term(container), bytes_term(value)))
    if type(container) is SymBytes or kind is not int:
        return value in container
    number, term = core.plain(value), value.term
    if not decide(T.and_(T.le(ZERO, term), T.lt(term, const(256))), 0 <= number < 256):
        return number in container
    return sym_bool(number in container, one_of(sorted(set(container)), term))


def _contains_number(container: range, value: Any) -> Any:
    # CPython computes `n in range(...)` only for exact ints; with a subclass it goes through the range element
    # by element.
    term = scalar(value) if core.is_concolic(value) else None
    if term is None or term.sort is STR:
        return value in container
    if term.sort is T.FLOAT:
        # Equal to an int in the range only if it is whole; floats and ints are different sorts.
        path.concretised("float in range")
        return core.plain(value) in container
    if not container:
        return False
    number = T.bool_to_int(term) if term.sort is T.BOOL else term
    low, high = min(container[0], container[-1]), max(container[0], container[-1])
    inside = T.and_(T.le(const(low), number), T.le(number, const(high)))
    step = abs(container.step)
    # Counted from the lower end, whichever way the range goes.
    on_grid = T.eq(T.mod(T.sub(number, const(low)), const(step)), ZERO)
    return sym_bool(int(core.plain(value)) in container, T.and_(inside, on_grid))


def contains_key(container: Any, value: Any) -> Any:
    if isinstance(value, set) and not isinstance(container, dict):
        return frozenset(value) in container  # as Python looks for a set
    # Taken before anything else: Python hashes the key even if the table is empty.
    value_hash = hash(value)  # raises for what cannot be a key
    terms: list[Term] = []
    candidates = candidates_for(container, value)
    for stored in candidates:
        term = equality(stored, value)
        if term is None:
            # As the table does it: `==` is asked only if the hashes are equal.
            if hash(stored) == value_hash and stored == value:
                return True
            path.concretised("hash()")
        else:
            terms.append(term)
    found = any(term is TRUE for term in terms) or stored_equal(container, value) is not MISSING
    return sym_bool(found, _any_of(candidates, value, terms))


def candidates_for(container: Any, value: Any) -> list[Any]:
    """The keys that could equal the value, in an order that is the same in every process."""
    elements = list(stored_elements(container))
    # The order of a set of texts differs from process to process; the questions asked along it must not.
    if isinstance(container, (set, frozenset)) and len(elements) <= 1000:
        elements.sort(key=lambda e: (type(e).__name__, repr(core.plain(e)) if scalar(e) is not None else ""))
    return elements


def stored_equal(container: Any, value: Any) -> Any:
    """The stored key that equals the value here, found without recording anything."""
    with path.paused():
        if isinstance(container, dict):
            if not dict.__contains__(container, value):
                return MISSING
        elif value not in container:
            return MISSING
        for stored in stored_elements(container):
            if stored is value or stored == value:
                return stored
    return MISSING


def _contains_element(container: Any, value: Any) -> Any:
    elements = list(stored_elements(container))
    if not concolic_inside(value) and not any(map(concolic_inside, elements)):
        return value in container
    terms = [equality(element, value) for element in elements]
    if None in terms:
        return value in container
    with path.paused():
        found = value in elements
    return sym_bool(found, _any_of(elements, value, terms))  # type: ignore[arg-type]


def _any_of(elements: Sequence[Any], value: Any, terms: list[Term]) -> Term:
    """The value equals one of the elements: written out, or as membership in one table when they are many."""
    if TRUE in terms:
        return TRUE
    term = scalar(value)
    if len(terms) > FEW and term is not None:
        # nan is left out: it equals nothing, not even in a table.
        same = [e for e in elements if type(e) in SCALARS and T.sort_of(e) is term.sort and e == e]
        others = [t for t in terms if t is not FALSE]
        if len(same) == len(others):
            return one_of(same, term)
    # FALSE first, so that no elements at all are a term too.
    return T.or_(FALSE, *terms)


def one_of(values: Sequence[Any], term: Term) -> Term:
    """`term in values` for plain values of the term's sort."""
    if len(values) <= FEW:
        return T.or_(FALSE, *(T.eq(term, const(v)) for v in values))
    return T.seq_contains(const(tuple(values), T.seq_of(term.sort)), term)
