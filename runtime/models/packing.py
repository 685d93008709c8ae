"""Binary records: the fields that `struct` reads from concolic bytes."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ramify.runtime.models.conversions import number_of
from ramify.runtime.models.registry import LIBRARY, METHODS, models_concolic
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.numeric.int_ import sym_int
from ramify.runtime.values.texts.bytes_ import SymBytes

SIGNED, UNSIGNED = "bhilqn", "BHILQNP"
_PART = re.compile(r"\s*(\d*)([a-zA-Z?])")


@dataclass(frozen=True, slots=True)
class _Field:
    """A value of a record: its code, where it begins, and how many bytes it takes."""

    code: str
    start: int
    size: int


def _fields(form: str) -> Iterator[_Field]:
    """The fields of a format that `struct` accepts. It knows itself where alignment puts them."""
    order = form[0] if form[:1] in tuple("@=<>!") else "@"
    seen = order
    for count, code in _PART.findall(form):
        seen += count + code
        # With each field added, `calcsize` includes the padding in front of it. A count before "s" is a length,
        # before others a repetition.
        end, times = struct.calcsize(seen), int(count or 1)
        if code in "sp":
            yield _Field(code, end - times, times)
        elif code != "x":
            size = struct.calcsize(order + code)
            for number in range(times):
                yield _Field(code, end - (times - number) * size, size)


def _record(form: str | bytes, data: SymBytes, offset: int) -> tuple[Any, ...]:
    """The fields of the record that begins there, all of whose bytes there are."""
    text = form.decode() if isinstance(form, bytes) else form
    # Without a prefix, "=" and "@" mean the order of this machine.
    little = text[:1] == "<" or (text[:1] not in (">", "!") and sys.byteorder == "little")
    values = struct.unpack_from(form, core.plain(data), offset)
    return tuple(
        _field(field, offset + field.start, data, little, value)
        for field, value in zip(_fields(text), values, strict=True)
    )


def _field(field: _Field, start: int, data: SymBytes, little: bool, value: Any) -> Any:
    places = range(start, start + field.size)
    if field.code in SIGNED + UNSIGNED:
        term = number_of(data.term, places[::-1] if little else places, field.code in SIGNED)
        return sym_int(value, term)
    if field.code in "cs":
        return data[start : start + field.size]
    if field.code == "?":
        return decide(T.ne(number_of(data.term, places, False), const(0)), value)
    # Floats and half floats.
    path.concretised(f"struct, a field {field.code!r}")
    return value


def unpack(form: Any, data: Any, /) -> Any:
    """`struct.unpack`: the record is all there is."""
    form = _plain_format(form)
    if type(data) is not SymBytes:
        return struct.unpack(form, core.plain(data))
    size, held = struct.calcsize(form), len(core.plain(data))
    # Any other length raises `struct.error`.
    if not decide(T.eq(T.length(data.term), const(size)), held == size):
        return struct.unpack(form, core.plain(data))  # says what is wrong
    return _record(form, data, 0)


def unpack_from(form: Any, /, buffer: Any, offset: Any = 0) -> Any:
    """`struct.unpack_from`: a record in the middle."""
    form = _plain_format(form)
    if core.is_concolic(offset):
        path.concretised("struct.unpack_from")
        offset = core.plain(offset)
    if type(buffer) is not SymBytes or not isinstance(offset, int) or offset < 0:
        if type(buffer) is SymBytes:
            path.concretised("struct.unpack_from")
        return struct.unpack_from(form, core.plain(buffer), offset)
    needed, held = offset + struct.calcsize(form), len(core.plain(buffer))
    if not decide(T.le(const(needed), T.length(buffer.term)), needed <= held):
        return struct.unpack_from(form, core.plain(buffer), offset)
    return _record(form, buffer, offset)


def _plain_format(form: Any) -> Any:
    if core.is_concolic(form):
        path.concretised("struct, the format")
    return core.plain(form)


for _function in (unpack, unpack_from):
    models_concolic(getattr(struct, _function.__name__), LIBRARY)(_function)


def _method(name: str) -> None:
    """The method of a compiled format is the function with that format."""
    function = LIBRARY[getattr(struct, name)]

    def model(receiver: struct.Struct, *args: Any, **keywords: Any) -> Any:
        return function(receiver.format, *args, **keywords)

    model.__name__ = name
    METHODS[struct.Struct, name] = model


_method("unpack")
_method("unpack_from")
