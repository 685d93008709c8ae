"""What all concolic values share: how they are made from a concrete value and a term, and how they are taken
apart again.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.terms import Sort, Term, const

# Filled by the module of each type. The keys are exact types: a user's subclass of int is no concolic value.
# A registry instead of imports: comparing ints gives bools and adding bools gives ints, and neither module
# could import the other.
FACTORIES: dict[Sort, Callable[[Any, Term], Any]] = {}
TERM_OF: dict[type, Callable[[Any], Term | None]] = {}
PLAIN: dict[
    type, Callable[[Any], Any]
] = {}  # concolic type -> its value as exactly the builtin type, one level deep
# What modules below must make of types above them; bytes have no sort of their own.
MAKERS: dict[type, Callable[..., Any]] = {}
BUILTIN: dict[type, type] = {}  # concolic type -> the builtin type it stands for


def wrap_bytes(value: bytes, term: Term) -> Any:
    """Concolic bytes from the term of the text of the same code points."""
    return MAKERS[bytes](value, term)


def stands_for(cls: type, builtin: type) -> None:
    """Registers a concolic class. It takes the builtin's name, which Python puts into the messages of its
    exceptions.
    """
    # `cls.__name__` is what `TypeError: can only concatenate list (not "int") to list` quotes, so a name of
    # ours would show.
    BUILTIN[cls] = builtin
    cls.__name__ = cls.__qualname__ = builtin.__name__
    if builtin.__module__ in ("datetime", "decimal"):
        cls.__name__ = f"{builtin.__module__}.{builtin.__name__}"  # as C types spell themselves there


def wrap(value: Any, term: Term) -> Any:
    """The concolic value of any sort; a plain value when the term is a constant."""
    return FACTORIES[term.sort](value, term)


def term_of(value: Any) -> Term | None:
    """The term of a concolic or plain scalar, or None if the value has no term."""
    find = TERM_OF.get(type(value))
    return find(value) if find is not None else None


def is_concolic(value: Any) -> bool:
    # Not `isinstance`: that asks `__class__`, which SymBool and SymMatch answer with the builtin.
    return type(value) in BUILTIN


def plain(value: Any) -> Any:
    """The value itself as exactly the builtin type, without recording anything. Elements of containers stay
    as they are.
    """
    convert = PLAIN.get(type(value))
    return value if convert is None else convert(value)


def strip(value: Any, _seen: dict[int, Any] | None = None) -> Any:
    """The value with no concolic part left; containers are rebuilt (cycles kept), other objects stay."""
    kind = type(value)
    kind = BUILTIN.get(kind, kind)
    if kind not in _REBUILT:
        return _strip_collection(value) if kind.__module__ == "collections" else plain(value)
    seen = {} if _seen is None else _seen
    if id(value) in seen:
        return seen[id(value)]
    if kind is tuple:
        return tuple(strip(v, seen) for v in tuple.__iter__(value))
    if kind is frozenset:
        return frozenset(strip(v, seen) for v in frozenset.__iter__(value))
    if kind is list:
        # Known before it is filled: a list may hold itself. A tuple can only do so through something mutable
        # inside it.
        copied: list[Any] = []
        seen[id(value)] = copied
        copied.extend(strip(v, seen) for v in list.__iter__(value))
        return copied
    if kind is dict:
        mapping: dict[Any, Any] = {}
        seen[id(value)] = mapping
        for key in dict.__iter__(value):
            mapping[strip(key, seen)] = strip(dict.__getitem__(value, key), seen)
        return mapping
    return {strip(v, seen) for v in set.__iter__(value)}


_REBUILT = (list, dict, set, tuple, frozenset)


def _strip_collection(value: Any) -> Any:
    """The same for the mutable types of `collections`, which keep more than their elements."""
    if not isinstance(value, (dict, deque)):
        return value
    # The copy keeps what is not an element: the length limit of a deque, the factory of a defaultdict.
    made = copy.copy(value)
    made.clear()
    if isinstance(made, dict) and isinstance(value, dict):
        for key, item in value.items():
            made[strip(key)] = strip(item)
    elif isinstance(made, deque):
        made.extend(strip(item) for item in value)
    return made


def constant(value: Any) -> Term:
    return const(value)


# Bytes are missing: their term is that of a text, and one sort would then mean two types.
for _kind in (bool, int, float, str):
    TERM_OF[_kind] = constant


if path.CHECK_TERMS:

    def checked(make: Callable[[Any, Term], Any]) -> Callable[[Any, Term], Any]:
        """The factory, checking in debug mode that value and term agree."""

        def checking(value: Any, term: Term) -> Any:
            path.check(term, value)
            return make(value, term)

        return checking

else:

    def checked(make: Callable[[Any, Term], Any]) -> Callable[[Any, Term], Any]:
        return make
