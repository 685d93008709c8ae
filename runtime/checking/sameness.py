"""Whether two results are the same, as somebody who only sees values would say.

Classes of two versions of a module are different objects: they count as the same if they have the same name,
and their instances are compared by their attributes.
"""

from __future__ import annotations

from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ramify.runtime.contracts import Promise
from ramify.runtime.values import core
from ramify.runtime.values.numeric.bool_ import SymBool

NAMED = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


class Sameness:
    """One comparison of two values, which may contain themselves."""

    def __init__(self, promise: Promise | None = None) -> None:
        self._promise = promise
        self._seen: set[tuple[int, int]] = set()

    def same(self, a: Any, b: Any) -> bool:
        """Whether two values are the same. Where that has a term, the term is promised and the values of this
        run are compared.
        """
        kind = core.BUILTIN.get(type(a), type(a))
        other = core.BUILTIN.get(type(b), type(b))
        if kind.__qualname__ != other.__qualname__:
            return False
        if a is b or (id(a), id(b)) in self._seen:
            return True
        if kind in (int, bool, str, bytes, complex, type(None)):
            return self._truth(a == b)
        if kind is float:
            return self._truth(a == b) or bool(a != a and b != b)
        self._seen.add((id(a), id(b)))
        if kind in (list, tuple):
            return self._sequences(list(a), list(b))
        if kind is dict:
            return self._sequences(list(a), list(b)) and self._sequences(list(a.values()), list(b.values()))
        if kind in (set, frozenset):
            return len(a) == len(b) and all(any(self.same(x, y) for y in b) for x in a)
        return self._objects(a, b)

    def _sequences(self, a: list[Any], b: list[Any]) -> bool:
        return len(a) == len(b) and all(self.same(x, y) for x, y in zip(a, b, strict=True))

    def _objects(self, a: Any, b: Any) -> bool:
        if isinstance(a, Enum):
            return bool(a.name == b.name)
        if isinstance(a, BaseException):
            return True
        if isinstance(a, NAMED):
            return getattr(a, "__qualname__", None) == getattr(b, "__qualname__", None)
        state, other = attributes(a), attributes(b)
        if state or other:
            return state.keys() == other.keys() and all(self.same(state[name], other[name]) for name in state)
        return bool(a == b) or not any("__eq__" in vars(cls) for cls in type(a).__mro__[:-1])

    def _truth(self, value: Any) -> bool:
        if type(value) is SymBool and self._promise is not None:
            self._promise(value.term)
            return value.value
        return bool(value)


def attributes(value: Any) -> dict[str, Any]:
    """The attributes of an object itself, with those in slots."""
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name) and name not in ("__dict__", "__weakref__"):
                found[name] = getattr(value, name)
    return found
