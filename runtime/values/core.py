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


def strip(value: Any) -> Any:
    """The value with no concolic part left; containers are rebuilt (shared ones once, cycles kept), other objects
    stay.
    """
    return _Stripping().strip(value) if _rebuilt(value) is not None else plain(value)


_MUTABLE = (list, dict, set)
_FROZEN = (tuple, frozenset)


_SCALARS = frozenset((int, str, float, bool, type(None), bytes))


def _is_scalar(value: Any) -> bool:
    """Most elements of most containers: there is nothing inside them."""
    kind = type(value)
    return BUILTIN.get(kind, kind) in _SCALARS


def _rebuilt(value: Any) -> type | None:
    """The builtin type of a container that is rebuilt; of the mutable ones of `collections`, their own."""
    kind = type(value)
    kind = BUILTIN.get(kind, kind)
    if kind in _MUTABLE or kind in _FROZEN:
        return kind
    return kind if kind.__module__ == "collections" and issubclass(kind, (dict, deque)) else None


class _Stripping:
    """One value on its way, without recursion: a program nests as deeply as it likes.

    A mutable container gets its copy at once and its elements at the end, so that one inside itself is no special
    case; a tuple or frozenset is made when its elements are.
    """

    def __init__(self) -> None:
        self._made: dict[int, Any] = {}  # by the id of the original, which stays alive meanwhile
        self._empty: list[tuple[Any, Any]] = []  # mutable originals and their copies, still to be filled

    def strip(self, value: Any) -> Any:
        self._build(value)
        while self._empty:
            original, copied = self._empty.pop()
            for part in _elements(original):
                if not _is_scalar(part):
                    self._build(part)
            self._fill(original, copied)
        return self._get(value)

    def _get(self, value: Any) -> Any:
        return plain(value) if _rebuilt(value) is None else self._made[id(value)]

    def _build(self, value: Any) -> None:
        made = self._made
        stack = [value]
        while stack:
            current = stack[-1]
            kind = _rebuilt(current)
            if kind is None or id(current) in made:
                stack.pop()
            elif kind not in _FROZEN:
                stack.pop()
                if kind in _MUTABLE:
                    copied: Any = kind()
                else:  # those of `collections` keep more than their elements
                    copied = copy.copy(current)
                    copied.clear()
                made[id(current)] = copied
                self._empty.append((current, copied))
            else:
                parts = list(kind.__iter__(current))
                waiting = [p for p in parts if _rebuilt(p) is not None and id(p) not in made]
                if waiting:
                    stack.extend(reversed(waiting))
                else:
                    stack.pop()
                    made[id(current)] = kind(map(self._get, parts))

    def _fill(self, original: Any, copied: Any) -> None:
        if isinstance(copied, dict):
            for key in dict.__iter__(original):
                copied[self._get(key)] = self._get(dict.__getitem__(original, key))
        elif isinstance(copied, set):
            copied.update(map(self._get, set.__iter__(original)))
        else:
            copied.extend([plain(p) if _is_scalar(p) else self._get(p) for p in _elements(original)])


def _elements(value: Any) -> list[Any]:
    """What a mutable container holds, keys and values alike."""
    if isinstance(value, dict):
        return [part for key in dict.__iter__(value) for part in (key, dict.__getitem__(value, key))]
    if isinstance(value, set):
        return list(set.__iter__(value))
    return list(list.__iter__(value) if isinstance(value, list) else deque.__iter__(value))


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
