"""Methods of texts and bytes: of a plain receiver with a concolic argument (`"abc".find(s)`), and taken from the
class (`map(str.strip, lines)`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.runtime.models.registry import CONCOLIC, LIBRARY, METHODS, binds, concolic_among
from ramify.runtime.recording import path
from ramify.runtime.terms import const
from ramify.runtime.values import core, formatting, lookups
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr

TEXT_METHODS = (
    "find", "index", "rfind", "rindex", "count", "startswith", "endswith", "replace", "split", "rsplit",
    "partition", "rpartition", "join", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "center",
    "ljust", "rjust", "zfill", "expandtabs", "translate",
)  # fmt: skip
BYTES_METHODS = (
    "find", "index", "rfind", "rindex", "count", "startswith", "endswith", "replace", "split", "rsplit",
    "partition", "rpartition", "join", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "center",
    "ljust", "rjust", "zfill",
)  # fmt: skip


def _method(kind: type, name: str, lift: Callable[[Any], Any]) -> None:
    """The method of a plain receiver is that of a concolic one with a constant term."""
    original: Callable[..., Any] = getattr(kind, name)

    def model(receiver: Any, *args: Any, **keywords: Any) -> Any:
        # Plain texts with plain arguments are what programs mostly have.
        touched = any(map(_touched, args)) or not CONCOLIC.isdisjoint(map(type, keywords.values()))
        if not touched or not isinstance(receiver, kind):
            return original(receiver, *args, **keywords)
        method = getattr(lift(receiver), name)
        try:
            return settled(method(*args, **keywords))
        except TypeError:
            # Bytes have methods without a model, which refuse here what the original accepts.
            if kind is str and binds(method, args, keywords):
                raise
        result = original(receiver, *map(core.strip, args), **keywords)  # mostly says what is wrong
        path.concretised(f"{kind.__name__}.{name}")
        return result

    model.__name__ = name
    METHODS[kind, name] = model


def _touched(value: Any) -> bool:
    """Whether an argument is concolic, or a collection that may hold concolic values."""
    if type(value) in (list, tuple, set, frozenset, dict):
        return concolic_among(value) or (type(value) is dict and concolic_among(value.values()))
    # An iterator may give concolic texts: `",".join(generator)`.
    return type(value) in CONCOLIC or hasattr(value, "__next__")


def settled(value: Any) -> Any:
    """A result without values that are concolic in name only."""
    if type(value) in (SymStr, SymBytes):
        return core.plain(value) if value.term.op == "const" else value
    if type(value) in (list, tuple):
        return type(value)(map(settled, value))
    return value


def lifted_bytes(value: bytes) -> Any:
    """Plain bytes in the clothes of concolic ones."""
    if type(value) is SymBytes:
        return value
    made = bytes.__new__(SymBytes, value)
    made.term = const(bytes.decode(value, "latin-1"))
    return made


for _name in TEXT_METHODS:
    _method(str, _name, lookups.lifted_text)
for _name in BYTES_METHODS:
    _method(bytes, _name, lifted_bytes)


def _format(receiver: Any, *args: Any, **keywords: Any) -> Any:
    return formatting.format_(receiver, *args, **keywords)


def _format_map(receiver: Any, *args: Any) -> Any:
    return formatting.format_map(receiver, *args) if len(args) == 1 else str.format_map(receiver, *args)


METHODS[str, "format"] = _format
METHODS[str, "format_map"] = _format_map


def _unbound(kind: type, concolic: type, name: str) -> None:
    """`str.strip(s)`, where C code would take the concrete value."""
    original: Callable[..., Any] = getattr(kind, name)

    def model(*args: Any, **keywords: Any) -> Any:
        if not args or not isinstance(args[0], kind):
            return original(*args, **keywords)
        # The method of the concolic class, which keeps the term; `str.strip` is C code and would not.
        if type(args[0]) is concolic:
            return getattr(args[0], name)(*args[1:], **keywords)
        found = METHODS.get((kind, name))
        return original(*args, **keywords) if found is None else found(*args, **keywords)

    model.__name__ = name
    LIBRARY[original] = model


for _kind, _concolic in ((str, SymStr), (bytes, SymBytes)):
    for _name in dir(_kind):
        if not _name.startswith("_") and _name not in ("maketrans", "fromhex"):
            _unbound(_kind, _concolic, _name)
