"""Lookups with a concolic key or index in containers that are plain: `k in table`, `table[k]`, `values[i]`.

C code would use the key's hash or the index's value and lose the term. Here whether there is a hit is one
decision over all keys; what is found has a term where all candidates are scalars of one sort, else the
candidates are asked one by one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import FALSE, STR, TRUE, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.bool_ import sym_bool
from ramify.runtime.values.bytes_ import SymBytes, as_bytes, as_text
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import MISSING as MISSING
from ramify.runtime.values.equality import SCALARS, bytes_term, concolic_inside, equality, scalar
from ramify.runtime.values.index import ZERO, as_index, in_range
from ramify.runtime.values.list_ import SymList, sym_list
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.set_ import SymSet
from ramify.runtime.values.text import SymStr

FEW = 8  # keys that are written out as comparisons; more become one table
MAX_REMEMBERED = 1000  # large containers known to hold plain keys only
MAX_CHAIN = 64  # concolic values of one lookup joined in one term
MAX_ASKED = 64  # elements asked one by one for a symbolic index; beyond, the index is concretised

HASHED = (dict, set, frozenset)


# Which containers need to be looked at


def keys_read(symbol: str, left: Any, right: Any) -> None:
    """Records that an operator finds concolic keys by their hashes: of two dicts, or deep inside containers."""
    if _keys_inside(left, 3) or _keys_inside(right, 3):
        path.concretised(f"dict {symbol}")


def _keys_inside(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind in (list, tuple):
        return depth > 0 and any(_keys_inside(part, depth - 1) for part in value)
    if kind in VIEWS:
        return any(map(concolic_inside, value))
    if kind in (set, frozenset):
        return depth < 3 and has_concolic_keys(value)  # those that are operands themselves have models
    if not isinstance(value, dict) or kind is SymDict:
        return False
    return has_concolic_keys(value) or (depth > 0 and any(_keys_inside(v, depth - 1) for v in value.values()))


def remember_keys(container: Any) -> None:
    """Notes for the rest of the run that a plain dict or set holds concolic keys."""
    if path.active() is not None:
        path.journal.keyed[id(container)] = container


def has_concolic_keys(container: Any) -> bool:
    run = path.active()
    if run is None:
        return False
    if id(container) in path.journal.keyed:
        return True
    if len(container) <= FEW:
        return _some_key_concolic(container)
    seen = run.plain_keyed.get(id(container))
    if seen is not None and seen[1] == len(container):
        return False
    if _some_key_concolic(container):
        remember_keys(container)
        return True
    if len(run.plain_keyed) >= MAX_REMEMBERED:
        run.plain_keyed.clear()
    run.plain_keyed[id(container)] = container, len(container)
    return False


def _some_key_concolic(container: Any) -> bool:
    kinds = set(map(type, _elements(container)))
    if not core.BUILTIN.keys().isdisjoint(kinds):
        return True
    return tuple in kinds and any(map(concolic_inside, list(_elements(container))))


def _elements(container: Any) -> Iterator[Any]:
    """The stored elements or keys, whatever `__iter__` a subclass has."""
    kind = type(container)
    for builtin in (dict, set, frozenset, list, tuple):
        if issubclass(kind, builtin):
            return builtin.__iter__(container)
    return iter(container)


# Membership


def contains(container: Any, value: Any) -> Any:
    """`value in container`: a SymBool where a term says it, else Python's own answer."""
    kind = type(container)
    if kind in HASHED and type(value) in SCALARS and not has_concolic_keys(container):
        return value in container
    if kind in (str, SymStr):
        return _contains_text(container, value)
    if kind in (bytes, SymBytes):
        return _contains_bytes(container, value)
    if kind is range:
        return _contains_number(container, value)
    if kind in (SymDict, SymSet, SymList, SymRange):
        return value in container
    builtin = _storage(kind, "__contains__")
    if builtin in HASHED:
        if not concolic_inside(value) and not has_concolic_keys(container):
            _note_frozen(value)
            return path.noting_hashes(_natively_in, value, container)
        return _contains_key(container, value)
    if builtin in (list, tuple) or kind in VIEWS:
        return _contains_element(container, value)
    return path.noting_hashes(_natively_in, value, container)


def _note_frozen(key: Any) -> None:
    """The hash of a frozenset is made of hashes that it has kept since it was built."""
    if type(key) is frozenset and has_concolic_keys(key):
        path.concretised("hash()")


def _natively_in(value: Any, container: Any) -> bool:
    return value in container


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


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
    term = scalar(value) if core.is_concolic(value) else None
    if term is None or term.sort is STR:
        return value in container
    if term.sort is T.FLOAT:
        path.concretised("float in range")
        return core.plain(value) in container
    if not container:
        return False
    number = T.bool_to_int(term) if term.sort is T.BOOL else term
    low, high = min(container[0], container[-1]), max(container[0], container[-1])
    inside = T.and_(T.le(const(low), number), T.le(number, const(high)))
    step = abs(container.step)
    on_grid = T.eq(T.mod(T.sub(number, const(low)), const(step)), ZERO)
    return sym_bool(int(core.plain(value)) in container, T.and_(inside, on_grid))


def _contains_key(container: Any, value: Any) -> Any:
    if isinstance(value, set) and not isinstance(container, dict):
        return frozenset(value) in container  # as Python looks for a set
    value_hash = hash(value)  # raises for what cannot be a key
    terms: list[Term] = []
    candidates = _candidates(container, value)
    for stored in candidates:
        term = equality(stored, value)
        if term is None:
            if hash(stored) == value_hash and stored == value:
                return True
            path.concretised("hash()")
        else:
            terms.append(term)
    found = any(term is TRUE for term in terms) or _stored(container, value) is not MISSING
    return sym_bool(found, _any_of(candidates, value, terms))


def _candidates(container: Any, value: Any) -> list[Any]:
    """The keys that could equal the value, in an order that is the same in every process."""
    elements = list(_elements(container))
    if isinstance(container, (set, frozenset)) and len(elements) <= 1000:
        elements.sort(key=lambda e: (type(e).__name__, repr(core.plain(e)) if scalar(e) is not None else ""))
    return elements


def _stored(container: Any, value: Any) -> Any:
    """The stored key that equals the value here, found without recording anything."""
    with path.paused():
        if isinstance(container, dict):
            if not dict.__contains__(container, value):
                return MISSING
        elif value not in container:
            return MISSING
        for stored in _elements(container):
            if stored is value or stored == value:
                return stored
    return MISSING


def _contains_element(container: Any, value: Any) -> Any:
    elements = list(_elements(container))
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
        same = [e for e in elements if type(e) in SCALARS and T.sort_of(e) is term.sort and e == e]
        others = [t for t in terms if t is not FALSE]
        if len(same) == len(others):
            return one_of(same, term)
    return T.or_(FALSE, *terms)


def one_of(values: Sequence[Any], term: Term) -> Term:
    """`term in values` for plain values of the term's sort."""
    if len(values) <= FEW:
        return T.or_(FALSE, *(T.eq(term, const(v)) for v in values))
    return T.seq_contains(const(tuple(values), T.seq_of(term.sort)), term)


# Dicts and sets


def find_key(container: Any, key: Any) -> Any:
    """The stored key of a dict or set that equals this one, or MISSING. Hit or miss is one decision; which
    one it is, if that is not clear, is asked key by key.
    """
    return _which(container, key) if _decided(contains(container, key)) else MISSING


def _which(container: Any, key: Any) -> Any:
    """The stored key that equals this one, which is there."""
    hit = _stored(container, key)
    if hit is key or hit is MISSING:
        return hit
    possible = [(stored, equality(stored, key)) for stored in _candidates(container, key)]
    open_ = [(stored, term) for stored, term in possible if term is not FALSE and term is not None]
    for stored, term in open_[:-1]:
        if decide(term, stored is hit):
            break
    return hit


def _decided(found: Any) -> bool:
    return decide(found.term, found.value) if type(found) is not bool else found


def get_item(mapping: Any, key: Any, missing: Any) -> Any:
    """`mapping[key]`, or `missing` when no key equals this one."""
    if type(mapping) is SymDict:
        return mapping.get(key, missing)
    if not concolic_inside(key) and not has_concolic_keys(mapping):
        _note_frozen(key)
        return path.noting_hashes(dict.get, mapping, key, missing)
    if not _decided(_contains_key(mapping, key)):
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
    hit = _stored(mapping, key)
    if hit is MISSING or hit is key:
        return MISSING
    value = core.plain(dict.__getitem__(mapping, hit))
    table = _as_table(entries, scalar(key))
    if table is not None:
        return core.wrap(value, table)
    if len(entries) > MAX_CHAIN:
        return MISSING
    chain = terms[-1]
    for (_, condition, _), term in reversed(list(zip(entries[:-1], terms[:-1], strict=True))):
        chain = T.ite(condition, term, chain)  # type: ignore[arg-type]
    return core.wrap(value, chain)  # type: ignore[arg-type]


def _as_table(entries: list[tuple[Any, Any, Any]], key: Term | None) -> Term | None:
    """Many plain entries as one term."""
    if len(entries) <= FEW or key is None:
        return None
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
        mapping[stored] = value


def insert_item(mapping: Any, key: Any, value: Any) -> None:
    """Adds a key that is known not to be there."""
    if concolic_inside(key):
        mapping[key] = value
        remember_keys(mapping)
    else:
        _note_frozen(key)
        path.noting_hashes(operator.setitem, mapping, key, value)


def delete_item(mapping: Any, key: Any) -> None:
    """`del mapping[key]` for a plain dict."""
    if type(mapping) is SymDict or not (concolic_inside(key) or has_concolic_keys(mapping)):
        del mapping[key]
        return
    stored = find_key(mapping, key)
    if stored is MISSING:
        raise KeyError(key)
    del mapping[stored]


# Sequences


def select_item(sequence: Any, index: Any) -> Any:
    """`sequence[index]` for a list, tuple, str, bytes or range, with a concolic index or slice bound."""
    if type(index) is slice:
        if not any(core.is_concolic(bound) for bound in (index.start, index.stop, index.step)):
            return sequence[index]
        return _cut(sequence, index)
    if not core.is_concolic(index) or core.is_concolic(sequence):
        return sequence[index]
    found = as_index(index)
    if found is None or _builtin_sequence(sequence) is None:
        return sequence[index]
    number, term = found
    length = len(sequence)
    if not in_range(number, term, length, const(length)):
        return sequence[number]
    place = term if number >= 0 else T.add(term, const(length))
    return _at(sequence, number if number >= 0 else number + length, place)


def _builtin_sequence(sequence: Any) -> type | None:
    """The builtin sequence whose `[]` this object uses."""
    for builtin in (list, tuple, str, bytes, range):
        if isinstance(sequence, builtin):
            return builtin if type(sequence).__getitem__ is builtin.__getitem__ else None
    return None


def _at(sequence: Any, place: int, term: Term) -> Any:
    """The element at a symbolic place known to be inside."""
    if isinstance(sequence, range):
        return core.wrap(
            sequence[place], T.add(const(sequence.start), T.mul(term, const(sequence.step)))
        )
    if isinstance(sequence, str):
        return core.wrap(str.__getitem__(sequence, place), T.char_at(const(core.plain(sequence)), term))
    if isinstance(sequence, bytes):
        return core.wrap(bytes.__getitem__(sequence, place), T.ord_(T.char_at(bytes_term(sequence), term)))
    content = content_term(sequence)
    element = sequence[place]
    if content is not None:
        return core.wrap(core.plain(element), T.select(content, term))
    if len(sequence) > MAX_ASKED:
        path.concretised("index")
        return element
    for position in range(len(sequence) - 1):
        if decide(T.eq(term, const(position)), place == position):
            break
    return element


def content_term(sequence: Sequence[Any]) -> Term | None:
    """All elements of a plain list or tuple as one sequence term, if they are scalars of one sort."""
    terms = []
    sort = None
    for element in _elements(sequence):
        if core.BUILTIN.get(type(element), type(element)) not in SCALARS:
            return None
        term = core.term_of(element)
        assert term is not None
        if sort is None:
            sort = term.sort
        elif term.sort is not sort:
            return None
        terms.append(term)
    if sort is None:
        return None
    if all(term.op == "const" for term in terms):
        return const(tuple(_elements(sequence)), T.seq_of(sort))
    return T.seq(sort, *terms)


def _cut(sequence: Any, key: slice) -> Any:
    """A slice with a concolic bound."""
    builtin = _builtin_sequence(sequence)
    if builtin is str:
        return lifted_text(sequence)[key]
    if builtin is bytes:
        return as_bytes(lifted_text(as_text(sequence))[key])
    if type(sequence) is list:
        content = content_term(sequence)
        if content is not None:
            return sym_list(list.copy(sequence), const(len(sequence)), content)[key]
    if core.is_concolic(key.step):
        path.concretised("slice step")
    low, high = (settled_bound(bound, len(sequence)) for bound in (key.start, key.stop))
    return sequence[low : high : core.plain(key.step)]


def settled_bound(bound: Any, length: int) -> Any:
    """A bound as a plain number, decided as far as it matters: no term describes a tuple of unknown length."""
    found = as_index(bound) if core.is_concolic(bound) else None
    if found is None:
        return core.plain(bound)
    number, term = found
    if length > MAX_ASKED:
        path.concretised("slice bound")
        return number
    places = range(-1, -length, -1) if decide(T.lt(term, ZERO), number < 0) else range(length)
    for place in places:
        if decide(T.eq(term, const(place)), number == place):
            break
    return number


def lifted_text(value: str) -> Any:
    """A plain text in the clothes of a concolic one, so that its methods take concolic arguments."""
    if type(value) is SymStr:
        return value
    made = str.__new__(SymStr, value)
    made.term = const(core.plain(value) if type(value) is str else str.__str__(value))
    return made
