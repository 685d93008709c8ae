"""Values of Python as text, whatever their size: huge integers, containers that share parts, contain themselves or
are nested deeply.

An ordinary value is written as `repr` does. What `repr` refuses, or would take for ever over because it writes
a shared part once for every way that leads there, is cut, and the text says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType
from typing import Any

MAX_DECIMAL_BITS = 14_000
"""Larger integers are written in hexadecimal: CPython converts at most 4,300 digits to or from decimal, but any
number of hexadecimal ones.
"""

MAX_WHOLE = 4_000_000  # characters, about, of a value that is written in full
MAX_CUT = 100_000  # characters that are left of a larger one
MAX_DEPTH = 100  # of containers, beyond which `repr` may reach the limit of recursion
MAX_SEEN = 1_000_000  # objects looked at to tell how large a text will be
ENDLESS = 10**15  # where counting characters stops
_FEW, _SHORT = 100, 10**18
_PIECE = 4_000  # decimal digits converted at once

_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    dict: ("{", "}"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}
_AGAIN: dict[type, str] = {list: "[...]", tuple: "(...)", dict: "{...}"}
_LEAVES = (
    int, float, complex, str, bytes, bytearray, type(None), type, FunctionType, BuiltinFunctionType, ModuleType,
)  # fmt: skip


def integer(value: int) -> str:
    """A literal that Python reads back, of an integer of any size."""
    if value.bit_length() > MAX_DECIMAL_BITS:
        return hex(value)
    try:
        return int.__repr__(value)
    except ValueError:  # a lower limit than usual was set
        return hex(value)


def from_decimal(digits: str) -> int:
    """What `int(digits)` would be without CPython's limit."""
    if digits.startswith("-"):
        return -from_decimal(digits[1:])
    value = 0
    for start in range(0, len(digits), _PIECE):
        piece = digits[start : start + _PIECE]
        value = value * 10 ** len(piece) + int(piece)
    return value


def spelled(value: Any, most: int = MAX_CUT) -> str:
    """`repr(value)`; of a value that is too large or too deep for that, its beginning and how large it is.

    Raises what a `repr` of somebody else's class raises.
    """
    kind = type(value)
    if kind is int:
        return integer(value)
    if type(kind) is type and (kind in _LEAVES or kind is bool):  # a metaclass may refuse to be compared
        return repr(value)
    if kind is list and len(value) <= _FEW and all(type(n) is int and -_SHORT < n < _SHORT for n in value):
        return repr(value)  # what most functions give: nothing to measure
    size = _Size(value)
    if size.ordinary:
        return repr(value)
    return _cut(value, most, None if size.circular else size.characters)


def message(error: BaseException) -> str:
    """`str(error)`, unless that is Python's own text of arguments that are too large for it."""
    if type(error).__str__ in _OWN_MESSAGES and not _Size(error.args).ordinary:
        only = error.args[0] if len(error.args) == 1 else error.args
        if type(only) is str and not isinstance(error, KeyError):  # which alone quotes it
            return f"{only[:MAX_CUT]}... (cut here; {len(only):,} characters)"
        return spelled(only)
    return str(error)


_OWN_MESSAGES = (BaseException.__str__, KeyError.__str__)


class _Size:
    """How long the text of a value would be, counted over shared parts as often as they would be written, in a
    time that grows with the number of its objects only.
    """

    def __init__(self, value: Any) -> None:
        self.circular = False  # then `repr` may write a part once for every way through the circle
        self.huge = False  # an integer inside that `repr` refuses
        self.seen = 0
        self.depth = 0
        self.characters = self._count(value)

    @property
    def ordinary(self) -> bool:
        if self.huge or self.depth > MAX_DEPTH or self.characters > MAX_WHOLE:
            return False
        return not self.circular or self.seen <= 20

    def _count(self, value: Any) -> int:
        known: dict[int, tuple[int, int]] = {}  # of an object that is done: characters and depth
        path: dict[int, None] = {}
        kept: list[Any] = []  # ids stay what they mean
        stack = [(value, iter(_parts(value)), [2, 0])]
        path[id(value)] = None
        while True:
            current, parts, total = stack[-1]
            part = next(parts, _DONE)
            if part is not _DONE:
                self.seen += 1
                if issubclass(type(part), _LEAVES):  # `isinstance` may ask the object itself
                    total[0] += self._leaf(part)
                elif id(part) in path:
                    self.circular = True
                    total[0] += 5
                elif id(part) in known:
                    characters, depth = known[id(part)]
                    total[0] += characters
                    total[1] = max(total[1], depth)
                elif self.seen < MAX_SEEN:
                    path[id(part)] = None
                    stack.append((part, iter(_parts(part)), [2, 0]))
                continue
            stack.pop()
            del path[id(current)]
            kept.append(current)
            done = min(total[0], ENDLESS), total[1] + 1
            known[id(current)] = done
            if not stack:
                self.depth = done[1]
                return done[0]
            above = stack[-1][2]
            above[0] += done[0]
            above[1] = max(above[1], done[1])

    def _leaf(self, value: Any) -> int:
        if isinstance(value, (str, bytes, bytearray)):
            return 4 + len(value)
        if isinstance(value, int) and value.bit_length() > MAX_DECIMAL_BITS:
            self.huge = True
            return value.bit_length() // 4
        return 4


_DONE = object()


def _parts(value: Any) -> Iterable[Any]:
    """The objects whose texts are parts of a value's text, as far as that can be known."""
    kind = type(value)
    if kind is dict:
        return _pairs(value)
    if type(kind) is type and kind in _BRACKETS:
        return kind.__iter__(value)  # type: ignore[no-any-return]
    for base, parts in _INSIDE:
        if issubclass(kind, base):
            return parts(value)
    if "__dataclass_fields__" in vars(kind):
        return [getattr(value, name, None) for name in kind.__dataclass_fields__]
    return ()  # an address, or what the class's own code makes of it


# How to look into what C code writes out. `gc.get_referents` would do for all, but a guarded child refuses it.
_INSIDE: tuple[tuple[type | tuple[type, ...], Callable[[Any], Iterable[Any]]], ...] = (
    (dict, lambda value: _pairs(value)),
    (list, list.__iter__),
    (tuple, tuple.__iter__),
    (set, set.__iter__),
    (frozenset, frozenset.__iter__),
    (deque, deque.__iter__),
    (BaseException, lambda error: error.args),
    (partial, lambda made: (made.func, *made.args, *made.keywords.values())),
    ((type({}.keys()), type({}.values()), type({}.items()), MappingProxyType), list),
    (slice, lambda part: (part.start, part.stop, part.step)),
)


def _pairs(mapping: dict[Any, Any]) -> Iterator[Any]:
    for key, value in dict.items(mapping):
        yield key
        yield value


def _cut(value: Any, most: int, characters: int | None) -> str:
    """The text of containers up to so many characters, without recursion."""
    written: list[str] = []
    left = most
    open_: set[int] = set()
    stack: list[tuple[Iterator[Any], str, int]] = []

    def write(text: str) -> None:
        nonlocal left
        written.append(text[:left] if len(text) > left else text)
        left -= len(text)

    def enter(item: Any) -> None:
        kind = type(item)
        if type(kind) is not type or kind not in _BRACKETS:
            write(_leaf_text(item))
        elif not item:
            write(repr(item))
        elif id(item) in open_:
            write(_AGAIN.get(kind, "..."))
        else:
            opening, closing = _BRACKETS[kind]
            write(opening)
            open_.add(id(item))
            stack.append((_tokens(item, kind), ",)" if kind is tuple and len(item) == 1 else closing, id(item)))

    enter(value)
    while stack and left > 0:
        tokens, closing, key = stack[-1]
        token = next(tokens, None)
        if token is None:
            stack.pop()
            open_.discard(key)
            write(closing)
        elif type(token) is str:
            write(token)
        else:
            enter(token())
    text = "".join(written)
    if left >= 0 and not stack:
        return text
    if characters is None:
        return f"{text}... (cut here)"
    whole = f"more than {ENDLESS:,}" if characters >= ENDLESS else f"about {characters:,}"
    return f"{text}... (cut here; {whole} characters in all)"


def _tokens(item: Any, kind: type) -> Iterator[Any]:
    """What stands between the brackets: texts, and functions that give a value."""
    first = True
    for part in kind.__iter__(item):  # type: ignore[attr-defined]
        if not first:
            yield ", "
        first = False
        yield partial(_itself, part)
        if kind is dict:
            yield ": "
            yield partial(_itself, dict.__getitem__(item, part))


def _itself(value: Any) -> Any:
    return value


def _leaf_text(value: Any) -> str:
    if type(value) is int:
        return integer(value)
    if issubclass(type(value), _LEAVES) or _Size(value).ordinary:
        try:
            return repr(value)
        except Exception as error:
            return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return f"<{type(value).__name__}, too large to show>"

