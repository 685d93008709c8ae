"""`str` and `repr` of any value as a text with a term, and texts put together from pieces."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ramify.runtime.recording import keeps_texts
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.list_ import SymList
from ramify.runtime.values.texts.text import EMPTY, sym_str, text

MAX_VISITED = 200  # parts of a container searched for concolic ones


def str_of(value: Any) -> Any:
    """`str(value)`."""
    shown = _container(value)
    return _text(str, "__str__", value) if shown is None else shown


def repr_of(value: Any) -> Any:
    """`repr(value)`."""
    shown = _container(value)
    return _text(repr, "__repr__", value) if shown is None else shown


@keeps_texts
def _text(function: Callable[[Any], str], name: str, value: Any) -> Any:
    """What a concolic value says, or an object whose class has a method in Python: these keep their terms."""
    kind = type(value)
    if kind in core.BUILTIN:
        return getattr(value, name)()
    method = getattr(kind, name)
    # What C code does for exceptions of one argument, done here with the argument's term. A KeyError shows the
    # `repr` of it.
    if method is BaseException.__str__ and len(value.args) == 1:
        return str_of(value.args[0])
    if method is KeyError.__str__ and len(value.args) == 1:
        return repr_of(value.args[0])
    # `object.__str__` calls the class's `__repr__`.
    if method is object.__str__ and type(kind.__repr__) is FunctionType:
        method = kind.__repr__
    if type(method) is FunctionType:
        text = method(value)
        if isinstance(text, str):
            return text
    return _native(function, value)


def _native(function: Callable[[Any], str], value: Any) -> str:
    """What C code says; if it shows concolic values inside, that is noticed."""
    # A frame of its own: `_text` is known to keep terms, and what C code shows below this one does not.
    return function(value)


@keeps_texts
def shown_as(value: Any, spec: str) -> Any:
    """`format(value, spec)` of a concolic value."""
    return value.__format__(spec)


def _container(value: Any) -> Any:
    """The text of a list, tuple or dict that holds concolic values; None for other values."""
    if type(value) is SymList:
        # Going through it decides its length; what it holds is then shown one by one.
        value = [*value]
    elif type(value) is SymDict:
        value = dict([*value.items()])
    if type(value) not in BRACKETS or not _holds_concolic(value):
        return None
    if type(value) is dict:
        parts = [concatenated(repr_of(k), ": ", repr_of(v)) for k, v in value.items()]
    else:
        parts = [repr_of(v) for v in value]
    pieces = [piece for n, part in enumerate(parts) for piece in ((", ", part) if n else (part,))]
    # A tuple of one element shows a comma.
    brackets = BRACKETS[type(value)]
    last = "," if type(value) is tuple and len(parts) == 1 else ""
    return concatenated(brackets[0], *pieces, last + brackets[1])


BRACKETS: dict[type, str] = {list: "[]", tuple: "()", dict: "{}"}


def _holds_concolic(value: Any) -> bool:
    """Whether a concolic value is inside. No, if the container is large or may hold itself: Python shows it."""
    todo, seen, found = [value], set[int](), False
    for _ in range(MAX_VISITED):
        if not todo:
            return found
        item = todo.pop()
        if core.is_concolic(item):
            found = True
        elif type(item) in BRACKETS:
            # The same object twice is harmless, an object inside itself would never end; telling them apart is
            # not worth it.
            if id(item) in seen:
                return False
            seen.add(id(item))
            todo.extend(item.keys() if type(item) is dict else item)
            todo.extend(item.values() if type(item) is dict else ())
    return False


def concatenated(*pieces: Any) -> Any:
    """The joined texts, with the joined terms."""
    found = [text(piece) for piece in pieces]
    values = [part[0] for part in found if part is not None]
    return joined("".join(values), [part[1] for part in found if part is not None])


def joined(value: str, pieces: list[Term]) -> Any:
    result = EMPTY
    for piece in pieces:
        result = T.concat(result, piece)
    return sym_str(value, result)


def formatted(value: Any, spec: str, concrete: Callable[[Any], str]) -> Any:
    """The text of a number or text in a format, as a term."""
    return sym_str(concrete(core.plain(value)), T.format_(value.term, const(spec)))
