"""`table[key]`, and changes of plain dicts, for concolic keys."""

from __future__ import annotations

import operator
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FALSE, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import MISSING, SCALARS, concolic_inside, equality, scalar
from ramify.runtime.values.lookups.concolic_keys import (
    has_concolic_keys,
    note_frozen,
    remember_keys,
)
from ramify.runtime.values.lookups.membership import FEW, candidates_for, contains, contains_key, stored_equal

MAX_CHAIN = 64  # concolic values of one lookup joined in one term


def find_key(container: Any, key: Any) -> Any:
    """The stored key of a dict or set that equals this one, or MISSING. Hit or miss is one decision; which
    one it is, if that is not clear, is asked key by key.
    """
    return _which(container, key) if _decided(contains(container, key)) else MISSING


def _which(container: Any, key: Any) -> Any:
    """The stored key that equals this one, which is there."""
    hit = stored_equal(container, key)
    if hit is key or hit is MISSING:
        return hit
    possible = [(stored, equality(stored, key)) for stored in candidates_for(container, key)]
    open_ = [(stored, term) for stored, term in possible if term is not FALSE and term is not None]
    # The last one need not be asked: that there is a hit has been decided.
    for stored, term in open_[:-1]:
        if decide(term, stored is hit):
            break
    return hit


def _decided(found: Any) -> bool:
    return decide(found.term, found.value) if type(found) is not bool else found


def get_item(mapping: Any, key: Any, missing: Any) -> Any:
    """`mapping[key]`, or `missing` when no key equals this one."""
    # A concolic dict decides entry by entry in its own methods.
    if type(mapping) is SymDict:
        return mapping.get(key, missing)
    if not concolic_inside(key) and not has_concolic_keys(mapping):
        note_frozen(key)
        return path.noting_hashes(dict.get, mapping, key, missing)
    if not _decided(contains_key(mapping, key)):
        return missing
    chosen = _chosen_value(mapping, key)
    if chosen is not MISSING:
        return chosen
    return dict.__getitem__(mapping, _which(mapping, key))


def mapping_item(mapping: Any, key: Any) -> Any:
    """`mapping[key]` for a dict that uses dict's own `[]`: with `__missing__`, or KeyError."""
    found = get_item(mapping, key, MISSING)
    if found is not MISSING:
        return found
    if hasattr(type(mapping), "__missing__"):
        made = type(mapping).__missing__(mapping, key)
        if concolic_inside(key):
            remember_keys(mapping)
        return made
    raise KeyError(key)


def _chosen_value(mapping: Any, key: Any) -> Any:
    """The value found as one term, or MISSING unless all possible values are scalars of one sort."""
    possible = [(stored, equality(stored, key)) for stored in dict.__iter__(mapping)]
    if any(term is None for _, term in possible):
        return MISSING
    entries = [(stored, term, dict.__getitem__(mapping, stored)) for stored, term in possible if term is not FALSE]
    terms = [core.term_of(value) if core.BUILTIN.get(type(value), type(value)) in SCALARS else None
             for _, _, value in entries]  # fmt: skip
    if not entries or None in terms or len({t.sort for t in terms if t is not None}) > 1:
        return MISSING
    hit = stored_equal(mapping, key)
    # The very key object that is stored: whichever entry it is, no other could be meant.
    if hit is MISSING or hit is key:
        return MISSING
    value = core.plain(dict.__getitem__(mapping, hit))
    table = _as_table(entries, scalar(key))
    if table is not None:
        return core.wrap(value, table)
    # A chain is as deep as the table is long, and every question to the solver carries all of it.
    if len(entries) > MAX_CHAIN:
        return MISSING
    # The last entry needs no condition: that one of them matches has been decided.
    chain = terms[-1]
    for (_, condition, _), term in reversed(list(zip(entries[:-1], terms[:-1], strict=True))):
        chain = T.ite(condition, term, chain)  # type: ignore[arg-type]
    return core.wrap(value, chain)  # type: ignore[arg-type]


def _as_table(entries: list[tuple[Any, Any, Any]], key: Term | None) -> Term | None:
    """Many plain entries as one term."""
    if len(entries) <= FEW or key is None:
        return None
    # `k != k` is nan.
    if any(type(k) not in SCALARS or T.sort_of(k) is not key.sort or k != k for k, _, _ in entries):
        return None
    if any(type(v) not in SCALARS for _, _, v in entries):
        return None
    values = tuple(v for _, _, v in entries)
    sort = T.sort_of(values[0])
    return T.table_get(
        const(tuple(k for k, _, _ in entries), T.seq_of(key.sort)), const(values, T.seq_of(sort)), key
    )


def set_item(mapping: Any, key: Any, value: Any) -> None:
    """`mapping[key] = value` for a plain dict; whether a stored key is replaced is decided."""
    if type(mapping) is SymDict:
        mapping[key] = value
        return
    stored = find_key(mapping, key) if concolic_inside(key) or has_concolic_keys(mapping) else MISSING
    if stored is MISSING:
        insert_item(mapping, key, value)
    else:
        # Python keeps the old key when a value is replaced.
        mapping[stored] = value


def insert_item(mapping: Any, key: Any, value: Any) -> None:
    """Adds a key that is known not to be there."""
    if concolic_inside(key):
        mapping[key] = value
        remember_keys(mapping)
    else:
        note_frozen(key)
        path.noting_hashes(operator.setitem, mapping, key, value)


def delete_item(mapping: Any, key: Any) -> None:
    """`del mapping[key]` for a plain dict."""
    if type(mapping) is SymDict or not (concolic_inside(key) or has_concolic_keys(mapping)):
        del mapping[key]
        return
    stored = find_key(mapping, key)
    if stored is MISSING:
        raise KeyError(key)
    # As above: the stored key finds itself.
    del mapping[stored]
