"""Results of special methods of a program's classes: C code asks for them and keeps only a concrete value."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any

from ramify.runtime.losses.foreign import is_rewritten
from ramify.runtime.recording import path, sites
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.numeric.bool_ import SymBool
from ramify.runtime.values.numeric.int_ import SymInt

_TEXTS = frozenset({"__str__", "__repr__", "__format__"})


def answered(name: str, value: Any) -> Any:
    """The result of a special method on its way to whoever asked; a term that is lost there is recorded."""
    kind = type(value)
    if kind not in core.BUILTIN:
        return value
    if name == "__bool__":
        return bool(value) if kind is SymBool else value
    # Beyond `answered` and the special method stands who asked.
    caller = sys._getframe(2)
    # A text may be handed on with its term, by a model or by an f-string; who asked decides that.
    if name in _TEXTS:
        if path.active() is not None:
            path.shown_to(caller)
        return value
    # `length` below, which keeps the term.
    if caller.f_code is _LENGTH:
        return value
    plain = core.plain(value)
    # `if container:` asks the length for its truth alone: a decision, no loss.
    if name == "__len__" and kind is SymInt and sites.known.of(caller).test:
        path.decide(T.gt(value.term, const(0)), plain > 0)
    else:
        path.concretised(f"{name}()")
    return plain


class _Sized:
    def __init__(self, size: Any) -> None:
        self._size = size

    def __len__(self) -> Any:
        return self._size


def length(value: Any) -> Any:
    """`len(value)` of an object whose class may define its length in rewritten code."""
    method = getattr(type(value), "__len__", None)
    if type(method) is not FunctionType or not is_rewritten(method):
        return len(value)
    size: Any = method(value)
    # A negative length is a ValueError.
    if type(size) is SymInt and path.decide(T.ge(size.term, const(0)), core.plain(size) >= 0):
        return size
    return len(_Sized(core.plain(size)))  # with CPython's word for what is no length


_LENGTH: CodeType = length.__code__
