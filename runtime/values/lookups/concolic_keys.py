"""Which plain containers hold concolic keys, so that their hashes must not decide a lookup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import concolic_inside

FEW = 8  # keys looked at every time; what is known of a larger container is remembered
MAX_REMEMBERED = 1000  # large containers known to hold plain keys only

HASHED = (dict, set, frozenset)
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


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
    # An operand itself is at depth 3.
    if kind in (set, frozenset):
        return depth < 3 and has_concolic_keys(value)  # those that are operands themselves have models
    if not isinstance(value, dict) or kind is SymDict:
        return False
    return has_concolic_keys(value) or (depth > 0 and any(_keys_inside(v, depth - 1) for v in value.values()))


def remember_keys(container: Any) -> None:
    """Notes for the rest of the run that a plain dict or set holds concolic keys."""
    if path.active() is not None:
        # The container is kept with its id: another object could get the id of one that is gone.
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
    # Rewritten code tells of every concolic key it stores; C code that stores one also makes the container
    # grow, so an unchanged length is taken for an unchanged content.
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
    kinds = set(map(type, stored_elements(container)))
    # By types, in one pass of C code: tables of a program are large and mostly plain.
    if not core.BUILTIN.keys().isdisjoint(kinds):
        return True
    return tuple in kinds and any(map(concolic_inside, list(stored_elements(container))))


def stored_elements(container: Any) -> Iterator[Any]:
    """The stored elements or keys, whatever `__iter__` a subclass has."""
    kind = type(container)
    for builtin in (dict, set, frozenset, list, tuple):
        if issubclass(kind, builtin):
            # A subclass's own `__iter__` may do anything, and would be run once more than the program asked
            # for.
            return builtin.__iter__(container)
    return iter(container)


def note_frozen(key: Any) -> None:
    """The hash of a frozenset is made of hashes that it has kept since it was built."""
    if type(key) is frozenset and has_concolic_keys(key):
        path.concretised("hash()")
