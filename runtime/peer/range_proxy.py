"""Stand-ins for the builtin types `range`, `enumerate` and `type` inside a target's namespace.

They must still work as types there: `isinstance(x, range)`, `case range()`, `class M(type)`, `type(x) is
range`.
"""

from __future__ import annotations

from typing import Any

from ramify.runtime.values import core
from ramify.runtime.values.range_ import SymRange, sym_range


# `range` cannot be subclassed, so the stand-in answers for it through its metaclass.
class _RangeMeta(type):
    def __call__(cls, *args: Any) -> Any:
        return sym_range(*args)

    def __instancecheck__(cls, value: Any) -> bool:
        return type(value) in (range, SymRange)

    def __subclasscheck__(cls, other: type) -> bool:
        return other in (range, SymRange, cls)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is range

    def __hash__(cls) -> int:
        return hash(range)

    def __repr__(cls) -> str:
        return repr(range)


class range_proxy(metaclass=_RangeMeta):
    """`range`, which keeps symbolic bounds."""

    __doc__ = range.__doc__


class enumerate_proxy(enumerate[Any]):
    """`enumerate`, which keeps a symbolic start."""

    def __new__(cls, iterable: Any, start: Any = 0) -> Any:
        if not core.is_concolic(start):
            return enumerate(iterable, start)
        return ((start + number, item) for number, item in enumerate(iterable))


class _TypeMeta(type):
    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        if cls is type_proxy:
            if len(args) == 1 and not keywords:
                kind = type(args[0])
                # `type(x) is range` then compares the stand-in with itself.
                return range_proxy if kind in (range, SymRange) else core.BUILTIN.get(kind, kind)
            # With three arguments `type` makes a class.
            return type(*args, **keywords)
        return type.__call__(cls, *args, **keywords)

    def __getitem__(cls, item: Any) -> Any:
        if cls is type_proxy:
            return type[item]
        subscript = getattr(cls, "__class_getitem__", None)
        if subscript is None:
            raise TypeError(f"type '{cls.__name__}' is not subscriptable")
        return subscript(item)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type) if cls is type_proxy else type.__instancecheck__(cls, value)

    def __eq__(cls, other: object) -> bool:
        return other is cls or (cls is type_proxy and other is type)

    def __hash__(cls) -> int:
        return hash(type) if cls is type_proxy else type.__hash__(cls)


class type_proxy(type, metaclass=_TypeMeta):
    """`type`, to which a concolic int is an int."""
