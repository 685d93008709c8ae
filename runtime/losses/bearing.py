"""The search for concolic values in containers and objects of any class, however deep."""

from __future__ import annotations

import contextlib
import functools
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.values import core

MAX_VISITED = 2_000  # what is larger is taken to hold something
_SYMBOLIC = frozenset(core.BUILTIN)
_SCALARS = frozenset({int, float, str, bool, bytes, complex, type(None), bytearray, range})
# What nobody reads by looking into it.
_CLOSED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
_ITERATED: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
_SLOT = types.MemberDescriptorType


def bears(values: Iterable[Any]) -> bool:
    """Whether a value is concolic, or holds such a value."""
    todo, seen = list(values), set[int]()
    while todo:
        # Level by level, with the types of a whole level looked at in C.
        kinds = set(map(type, todo))
        if not _SYMBOLIC.isdisjoint(kinds):
            return True
        if kinds <= _SCALARS:
            return False
        found: list[Any] = []
        for value in todo:
            if type(value) in _SCALARS or isinstance(value, _CLOSED) or id(value) in seen:
                continue
            # To give up means yes: a loss that is reported too often costs a claim, one that is missed makes it
            # false.
            if id(value) in path.journal.keyed or len(seen) >= MAX_VISITED:
                return True
            seen.add(id(value))
            found.extend(_parts(value))
        todo = found
    return False


def _parts(value: Any) -> Iterator[Any]:
    """What is inside a container or object, read without running any of its own code."""
    # Through the base class: a subclass may override `keys`, and its code must not run here.
    if isinstance(value, dict):
        yield from dict.keys(value)
        yield from dict.values(value)
    for kind in _ITERATED:
        if isinstance(value, kind):
            yield from kind.__iter__(value)
    if isinstance(value, BaseException):
        yield from value.args
    if type(value) is types.MethodType:
        yield value.__self__
    if isinstance(value, functools.partial):
        yield from (*value.args, *value.keywords.values())
    # Read past the object's own `__getattribute__`, which may run code of the program. Not every object has a
    # `__dict__`.
    with contextlib.suppress(AttributeError):
        yield from object.__getattribute__(value, "__dict__").values()
    # Slots are found in the class that declares them. Members of C classes look alike and are left out.
    for cls in type(value).__mro__:
        for member in vars(cls).values():
            if type(member) is _SLOT and "__slots__" in vars(cls):
                with contextlib.suppress(AttributeError):
                    yield member.__get__(value)
