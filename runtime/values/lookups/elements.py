"""`sequence[index]` for plain sequences and concolic indices or slice bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.equality import SCALARS, bytes_term
from ramify.runtime.values.index import ZERO, as_index, in_range
from ramify.runtime.values.list_ import sym_list
from ramify.runtime.values.lookups.concolic_keys import (
    stored_elements,
)
from ramify.runtime.values.texts.bytes_ import as_bytes, as_text
from ramify.runtime.values.texts.text import SymStr

MAX_ASKED = 64  # elements asked one by one for a symbolic index; beyond, the index is concretised


def select_item(sequence: Any, index: Any) -> Any:
    """`sequence[index]` for a list, tuple, str, bytes or range, with a concolic index or slice bound."""
    if type(index) is slice:
        if not any(core.is_concolic(bound) for bound in (index.start, index.stop, index.step)):
            return sequence[index]
        return _cut(sequence, index)
    # A concolic sequence has its own `[]`.
    if not core.is_concolic(index) or core.is_concolic(sequence):
        return sequence[index]
    found = as_index(index)
    if found is None or _builtin_sequence(sequence) is None:
        return sequence[index]
    number, term = found
    length = len(sequence)
    # Outside, Python raises IndexError: a path of its own.
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
    # Elements that are objects have no term: which one it is can only be asked.
    if len(sequence) > MAX_ASKED:
        path.concretised("index")
        return element
    # The last place is what remains.
    for position in range(len(sequence) - 1):
        if decide(T.eq(term, const(position)), place == position):
            break
    return element


def content_term(sequence: Sequence[Any]) -> Term | None:
    """All elements of a plain list or tuple as one sequence term, if they are scalars of one sort."""
    terms = []
    sort = None
    for element in stored_elements(sequence):
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
        return const(tuple(stored_elements(sequence)), T.seq_of(sort))
    return T.seq(sort, *terms)


def _cut(sequence: Any, key: slice) -> Any:
    """A slice with a concolic bound."""
    builtin = _builtin_sequence(sequence)
    # The methods of the concolic types know bounds with terms; the plain sequence borrows them.
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
    # Beyond the ends a bound is clamped, so the last question covers all that is further out.
    places = range(-1, -length, -1) if decide(T.lt(term, ZERO), number < 0) else range(length)
    for place in places:
        if decide(T.eq(term, const(place)), number == place):
            break
    return number


def lifted_text(value: str) -> Any:
    """A plain text in the clothes of a concolic one, so that its methods take concolic arguments."""
    if type(value) is SymStr:
        return value
    # Past the factory, which would give the plain text back for a constant.
    made = str.__new__(SymStr, value)
    made.term = const(core.plain(value) if type(value) is str else str.__str__(value))
    return made
