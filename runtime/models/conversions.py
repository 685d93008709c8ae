"""Types called to convert one value: `int`, `float`, `bool`, `str`, `complex`, `bytes`, `bytearray`."""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any

from ramify.runtime.models.registry import LIBRARY, models, models_concolic
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import as_index
from ramify.runtime.values.numeric.bool_ import SymBool, as_int, sym_bool
from ramify.runtime.values.numeric.float_ import SymFloat, sym_float
from ramify.runtime.values.numeric.int_ import SymInt, sym_int
from ramify.runtime.values.showing import concatenated, repr_of, str_of
from ramify.runtime.values.sized import size_term
from ramify.runtime.values.texts.bytes_ import SymBytes, as_text, decided_length, hex_digits, sym_bytes
from ramify.runtime.values.texts.text import SymStr, plain


@models(bool)
def bool_(*args: Any, **keywords: Any) -> Any:
    """Without a decision where the truth has a term."""
    if len(args) != 1 or keywords or not core.is_concolic(args[0]):
        return bool(*args, **keywords)
    return truth(args[0])


def truth(value: Any) -> Any:
    """`bool(value)` of a concolic value."""
    if type(value) is SymBool:
        return value
    # A term instead of a decision: `bool(x)` may be stored, returned or compared without branching on it.
    if type(value) in (SymInt, SymFloat):
        zero = const(0) if type(value) is SymInt else const(0.0)
        return sym_bool(core.plain(value) != 0, T.ne(value.term, zero))
    size = size_term(value)
    if size is None:
        return bool(value)
    # `len` of a container of symbolic length must not record anything; its term says it all.
    with path.paused():
        return sym_bool(len(value) != 0, T.ne(size, const(0)))


@models(int)
def int_(*args: Any, **keywords: Any) -> Any:
    given = (*args, *keywords.values())
    if not args or len(args) > 2 or not any(map(core.is_concolic, given)):
        return int(*args, **keywords)
    value = args[0]
    kind = type(value)
    if len(args) == 1 and not keywords:
        if kind is SymInt:
            return value
        if kind is SymBool:
            return as_int(value)
        if kind is SymFloat:
            return value.__trunc__()
    # `int(text, base)` takes the base by position or by name.
    base = as_index(args[1] if len(args) == 2 else keywords.get("base", 10))
    if kind is SymBytes:
        kind, value = SymStr, as_text(value)
        if not decide(T.is_ascii(value.term), plain(value).isascii()):
            return int(*map(core.plain, args), **keywords)  # digits of a text beyond ASCII are no digits of bytes
    if kind is not SymStr or base is None or base[1].op != "const" or keywords.keys() - {"base"}:
        path.concretised("int()")
        return int(*map(core.plain, args), **{name: core.plain(v) for name, v in keywords.items()})
    # Blanks, underscores, signs, prefixes and the digits of every script: what `int` accepts is an operation of
    # its own.
    numeral = T.is_int_text(value.term, base[1])
    if not decide(numeral, accepted(int, plain(value), base[0])):
        return _refused(value, f"invalid literal for int() with base {base[0]}: ", int, *args, **keywords)
    return sym_int(int(plain(value), base[0]), T.str_to_int(value.term, base[1]))


def accepted(convert: Callable[..., Any], *args: Any) -> bool:
    """Whether a conversion does not refuse these values."""
    try:
        convert(*args)
    except ValueError:
        return False
    return True


def _refused(value: Any, words: str, convert: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """The conversion that raises; the text is part of the message, with its term."""
    try:
        return convert(*map(core.plain, args), **keywords)
    except ValueError as error:
        message = concatenated(words, repr_of(value))
        # Only if the message is the one expected: other versions of Python may word it otherwise.
        if error.args == (plain(message),):
            error.args = (message,)
        raise


@models_concolic(float)
def float_(value: Any = 0.0, /) -> Any:
    if type(value) is SymBool:
        value = as_int(value)
    if type(value) is SymInt:
        return sym_float(float(core.plain(value)), T.to_float(value.term))
    if type(value) is SymStr:
        # The texts that are refused are a path of their own.
        if not decide(T.is_float_text(value.term), accepted(float, plain(value))):
            return _refused(value, "could not convert string to float: ", float, value)
        return sym_float(float(plain(value)), T.str_to_float(value.term))
    if type(value) is SymFloat:
        return value
    path.concretised("float()")
    return float(core.plain(value))


@models(complex)
def complex_(*args: Any, **keywords: Any) -> Any:
    if any(map(core.is_concolic, args)) or any(map(core.is_concolic, keywords.values())):
        # Parts of a complex number have terms (`numeric/complex_.py`), but only for inputs of that type.
        path.concretised("complex()")
    return complex(*map(core.plain, args), **{name: core.plain(v) for name, v in keywords.items()})


@models(str)
def str_(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and not keywords:
        return str_of(args[0])
    # `str(b"...", "ascii")` decodes; with one argument it shows the `repr`.
    if args and type(args[0]) is SymBytes:
        encoding = args[1] if len(args) > 1 else keywords.get("encoding", "utf-8")
        errors = args[2] if len(args) > 2 else keywords.get("errors", "strict")
        return args[0].decode(encoding, errors)
    return str(*args, **keywords)


@models(bytes)
def bytes_(*args: Any, **keywords: Any) -> Any:
    if not args or keywords:
        return bytes(*map(core.plain, args), **keywords)
    value = args[0]
    # An iterator can be read once only, and both the look for concolic values and the making need it.
    if len(args) == 1 and hasattr(type(value), "__next__"):
        value, *_ = args = (list(value),)
    if len(args) == 1 and type(value) is SymBytes:
        return value
    if type(value) is SymStr and len(args) > 1:
        return value.encode(*args[1:])
    if type(value) in (list, tuple) and len(args) == 1 and any(type(v) is SymInt for v in value):
        return _from_codes(value)
    if core.is_concolic(value) or any(map(core.is_concolic, args)):
        if type(value) not in (SymStr, SymFloat):
            path.concretised("bytes()")
        return bytes(*map(core.plain, args))
    return bytes(*args)


def _from_codes(codes: Any) -> Any:
    """`bytes([...])` of numbers, each of which is decided to be a byte."""
    term = const("")
    for code in codes:
        number = as_index(code)
        if number is None:
            return bytes(map(core.plain, codes))
        # Outside, `bytes` raises ValueError.
        if not decide(T.and_(T.le(const(0), number[1]), T.lt(number[1], const(256))), 0 <= number[0] < 256):
            return bytes(map(core.plain, codes))
        term = T.concat(term, T.chr_(number[1]))
    return sym_bytes(bytes(map(core.plain, codes)), term)


@models(bytearray)
def bytearray_(*args: Any, **keywords: Any) -> Any:
    if args and (core.is_concolic(args[0]) or (type(args[0]) is list and any(map(core.is_concolic, args[0])))):
        path.concretised("bytearray()")
    return bytearray(*map(core.plain, args), **keywords)


def from_bytes(data: Any, byteorder: Any = "big", *, signed: Any = False) -> Any:
    """`int.from_bytes` of concolic bytes, whose length is decided."""
    order = core.plain(byteorder)
    if type(data) is not SymBytes or order not in ("big", "little"):
        return int.from_bytes(core.plain(data), order, signed=bool(signed))
    value = core.plain(data)
    places = range(decided_length(data))
    term = number_of(data.term, places if order == "big" else places[::-1], bool(signed))
    return sym_int(int.from_bytes(value, order, signed=bool(signed)), term)


def number_of(data: Term, places: range, signed: bool) -> Term:
    """The number whose bytes stand at these places, the highest first."""
    term = const(0)
    for place in places:
        term = T.add(T.mul(term, const(256)), T.ord_(T.char_at(data, const(place))))
    if signed and places:
        # Two's complement: from the sign bit on the number counts down from zero.
        half = 1 << (8 * len(places) - 1)
        term = T.ite(T.ge(term, const(half)), T.sub(term, const(2 * half)), term)
    return term


models_concolic(int.from_bytes, LIBRARY)(from_bytes)


def _hexlify(data: Any, *args: Any, **keywords: Any) -> Any:
    """`binascii.hexlify`, which is `hex` in bytes."""
    written = hex_digits(data) if type(data) is SymBytes and not args and not keywords else None
    if written is not None:
        return sym_bytes(binascii.hexlify(core.plain(data)), written)
    path.concretised("binascii.hexlify")
    return binascii.hexlify(core.plain(data), *args, **keywords)


models_concolic(binascii.hexlify, LIBRARY)(_hexlify)
models_concolic(binascii.b2a_hex, LIBRARY)(_hexlify)


def _from_hex(text: Any, /) -> Any:
    path.concretised("bytes.fromhex")
    return bytes.fromhex(core.plain(text))


models_concolic(bytes.fromhex, LIBRARY)(_from_hex)
