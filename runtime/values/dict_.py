"""SymDict: a dict with symbolic keys and a symbolic size, as an association list whose every comparison is a
decision.

The concrete storage is always right. A lookup asks entry by entry, in order, whether there is one more and
whether its key is the one; so hit and miss are paths of their own whatever the hashes are.
"""

from __future__ import annotations

import collections.abc as abc
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.equality import MISSING, find_among
from ramify.runtime.values.index import ONE, ZERO, has
from ramify.runtime.values.numeric.bool_ import negated


def checked_hash(key: Any) -> None:
    """Raises what Python raises for a key that has no hash, without recording one."""
    # The hash of a concolic number or text is its business alone: taking it would be recorded as a loss.
    if not core.is_concolic(key) or core.BUILTIN[type(key)] in (list, dict, set):
        hash(key)


def equal(stored: Any, key: Any) -> bool:
    return stored is key or bool(stored == key)


class SymDict(dict[Any, Any]):
    """A concolic dict."""

    __slots__ = ("size",)
    size: Term
    __hash__ = None

    def _find(self, key: Any, which: bool = True) -> Any:
        """The stored key that equals this one, or MISSING. Unless asked which, it may be any of them."""
        checked_hash(key)
        # With a known size, hit or miss is one decision; otherwise each entry also is a question of whether it
        # is there at all.
        if self.size.op == "const":
            return find_among(list(dict.__iter__(self)), key, which)
        position = 0
        # A copy: comparing may run code of the program that changes the dict.
        for stored in list(dict.__iter__(self)):
            decide(has(self.size, position), True)
            if equal(stored, key):
                return stored
            position += 1
        decide(has(self.size, position), False)
        return MISSING

    # Reading

    def __bool__(self) -> bool:
        return decide(T.ne(self.size, ZERO), dict.__len__(self) != 0)

    # With this, `__getitem__` and `keys` overridden, `dict(d)` and `{**d}` of C code call them; without any of
    # the three they copy the storage.
    def __iter__(self) -> Iterator[Any]:
        position, length = 0, dict.__len__(self)
        for stored in dict.__iter__(self):
            decide(has(self.size, position), True)
            yield stored
            position += 1
        decide(has(self.size, position), position < length)

    def __reversed__(self) -> Iterator[Any]:
        return list(self).__reversed__()

    def __contains__(self, key: Any) -> bool:
        return self._find(key, which=False) is not MISSING

    def __getitem__(self, key: Any) -> Any:
        stored = self._find(key)
        if stored is MISSING:
            raise KeyError(key)
        return dict.__getitem__(self, stored)

    def get(self, key: Any, default: Any = None) -> Any:
        stored = self._find(key)
        return default if stored is MISSING else dict.__getitem__(self, stored)

    def keys(self) -> Any:
        # `dict_keys` cannot be subclassed or made from Python; the abstract classes of `collections.abc` give
        # the rest.
        return Keys(self)

    def values(self) -> Any:
        return Values(self)

    def items(self) -> Any:
        return Items(self)

    def copy(self) -> SymDict:
        return sym_dict(self, self.size)

    __copy__ = copy

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        theirs = other.size if type(other) is SymDict else T.const(len(other))
        if not decide(T.eq(self.size, theirs), dict.__len__(self) == dict.__len__(other)):
            return False
        # Keys are looked up in a copy, since comparing may run code of the program.
        mine = self.copy()
        for key in list(other):
            stored = mine._find(key)
            if stored is MISSING or not equal(dict.__getitem__(mine, stored), dict.__getitem__(other, key)):
                return False
        return True

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else negated(same)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return sym_dict, (dict.copy(self), self.size)

    def __repr__(self) -> str:
        path.concretised("repr()")
        with path.paused():
            return dict.__repr__(core.strip(self))

    # Changing

    def __setitem__(self, key: Any, value: Any) -> None:
        stored = self._find(key)
        if stored is MISSING:
            dict.__setitem__(self, key, value)
            self.size = T.add(self.size, ONE)
        else:
            dict.__setitem__(self, stored, value)

    def __delitem__(self, key: Any) -> None:
        stored = self._find(key)
        if stored is MISSING:
            raise KeyError(key)
        dict.__delitem__(self, stored)
        self.size = T.sub(self.size, ONE)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        stored = self._find(key)
        if stored is MISSING:
            dict.__setitem__(self, key, default)
            self.size = T.add(self.size, ONE)
            return default
        return dict.__getitem__(self, stored)

    def pop(self, key: Any, *default: Any) -> Any:
        stored = self._find(key)
        if stored is MISSING:
            return dict.pop({}, core.strip(key), *default)
        self.size = T.sub(self.size, ONE)
        return dict.pop(self, stored)

    def popitem(self) -> tuple[Any, Any]:
        # Entries beyond the size do not exist, so which one is last depends on it.
        for _ in self:  # the last entry is known once the size is
            pass
        if dict.__len__(self):
            self.size = T.sub(self.size, ONE)
        return dict.popitem(self)

    def clear(self) -> None:
        dict.clear(self)
        self.size = ZERO

    def update(self, other: Any = (), /, **named: Any) -> None:
        pairs: Iterable[Any] = other
        if hasattr(other, "keys"):
            pairs = ((key, other[key]) for key in other.keys())  # noqa: SIM118 - as Python does
        for key, value in pairs:
            self[key] = value
        for name, value in named.items():
            self[name] = value

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        joined = sym_dict(other, T.const(len(other)))
        joined.update(self)
        return joined

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self


def sym_dict(entries: dict[Any, Any], size: Term) -> SymDict:
    """The concolic dict with these entries."""
    made = SymDict()
    # Straight into the storage: building must not decide. The keys are different already.
    for key in list(dict.__iter__(entries)):
        dict.__setitem__(made, key, dict.__getitem__(entries, key))
    made.size = size
    if path.CHECK_TERMS:
        path.check(size, dict.__len__(made))
    return made


class _View:
    """What the views of a dict have in common: their length is that of the dict."""

    def __bool__(self) -> bool:
        mapping: Any = self._mapping  # type: ignore[attr-defined]
        return decide(T.gt(mapping.size, ZERO), dict.__len__(mapping) > 0)


def _compared(name: str) -> Any:
    """A comparison of keys or items as that of sets: lengths, and which elements are equal, are decided."""

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        as_set = core.MAKERS[set]
        theirs = other if isinstance(other, (set, frozenset)) else as_set(list(other))
        return getattr(operator, name)(as_set(list(self)), theirs)

    return method


class Keys(_View, abc.KeysView[Any]):
    """`d.keys()`, live like Python's."""

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(_compared, ("eq", "ne", "lt", "le", "gt", "ge"))
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        path.concretised("repr()")
        return f"dict_keys({list(core.strip(self._mapping))!r})"  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return list(self).__reversed__()


class Values(_View, abc.ValuesView[Any]):
    """`d.values()`."""

    def __iter__(self) -> Iterator[Any]:
        mapping: Any = self._mapping  # type: ignore[attr-defined]
        for key in mapping:
            yield dict.__getitem__(mapping, key)

    def __repr__(self) -> str:
        path.concretised("repr()")
        return f"dict_values({list(core.strip(self._mapping).values())!r})"  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return list(self).__reversed__()


class Items(_View, abc.ItemsView[Any, Any]):
    """`d.items()`."""

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(_compared, ("eq", "ne", "lt", "le", "gt", "ge"))
    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        mapping: Any = self._mapping  # type: ignore[attr-defined]
        for key in mapping:
            yield key, dict.__getitem__(mapping, key)

    def __repr__(self) -> str:
        path.concretised("repr()")
        return f"dict_items({list(core.strip(self._mapping).items())!r})"  # type: ignore[attr-defined]

    def __reversed__(self) -> Iterator[Any]:
        return list(self).__reversed__()


def _plain(value: SymDict) -> dict[Any, Any]:
    return {key: dict.__getitem__(value, key) for key in dict.__iter__(value)}


core.PLAIN[SymDict] = _plain
core.stands_for(SymDict, dict)
