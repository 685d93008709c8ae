"""Builtin functions of one value or of a few numbers: `len`, `isinstance`, `ord`, `abs`, `pow`, `hex`, `repr`."""

from __future__ import annotations

from typing import Any

from ramify.runtime.losses import SHARED, length
from ramify.runtime.models.registry import NOTHING, models, models_concolic, models_one
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import as_index
from ramify.runtime.values.numeric.bool_ import SymBool, as_int
from ramify.runtime.values.numeric.float_ import SymFloat
from ramify.runtime.values.numeric.int_ import SymInt, nonzero, number, sym_int
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.showing import formatted, repr_of, shown_as
from ramify.runtime.values.sized import SIZES
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr, plain, sym_str

PLAIN_SIZED = frozenset({list, str, tuple, dict, set, bytes})


@models(len)
def len_(value: Any = NOTHING, /, *rest: Any, **keywords: Any) -> Any:
    # The most frequent call of all, answered first.
    if type(value) in PLAIN_SIZED and not rest and not keywords:
        return len(value)
    if type(value) in SIZES:
        with path.paused():
            size = len(value, *rest, **keywords)
        return sym_int(size, SIZES[type(value)](value))
    # Called with the wrong number of arguments: the original says so in its own words.
    if value is NOTHING:
        return len(*rest, **keywords)
    return len(value, *rest, **keywords) if rest or keywords else length(value)


@models(isinstance)
def isinstance_(value: Any = NOTHING, kinds: Any = NOTHING, /, *rest: Any, **keywords: Any) -> bool:
    if rest or keywords or kinds is NOTHING:
        return isinstance(*(part for part in (value, kinds, *rest) if part is not NOTHING), **keywords)
    # The one concolic class that is neither a subclass of its builtin nor lies about its class: `kinds` may be
    # a tuple or a union, so a plain range is asked for.
    if type(value) is SymRange and isinstance(range(0), kinds):
        return True
    return isinstance(value, kinds)


@models(type)
def type_(*args: Any, **keywords: Any) -> Any:
    if len(args) != 1 or keywords:
        return type(*args, **keywords)
    return core.BUILTIN.get(type(args[0]), type(args[0]))


@models_one(ord)
def ord_(character: Any, /) -> Any:
    if type(character) is SymBytes:
        if not decide(T.eq(T.length(character.term), const(1)), len(character) == 1):
            return ord(core.plain(character))
        return sym_int(ord(core.plain(character)), T.ord_(character.term))
    if type(character) is not SymStr:
        return ord(character)
    # `ord` of any other number of characters is a TypeError.
    if not decide(T.eq(T.length(character.term), const(1)), str.__len__(character) == 1):
        return ord(plain(character))
    return sym_int(ord(plain(character)), T.ord_(character.term))


@models_one(chr)
def chr_(code: Any, /) -> Any:
    if type(code) is SymBool:
        code = as_int(code)
    if type(code) is not SymInt:
        return chr(code)
    value, term = core.plain(code), code.term
    # Beyond the last code point `chr` raises ValueError.
    if not decide(T.and_(T.le(const(0), term), T.le(term, const(0x10FFFF))), 0 <= value <= 0x10FFFF):
        return chr(value)
    return sym_str(chr(value), T.chr_(term))


@models_concolic(divmod)
def divmod_(a: Any, b: Any, /) -> Any:
    left, right = number(a), number(b)
    if left is None or right is None:
        return divmod(a, b)
    if not nonzero(right[1], right[0]):
        return divmod(left[0], right[0])
    quotient, remainder = divmod(left[0], right[0])
    return (
        core.wrap(quotient, T.floordiv(left[1], right[1])),
        core.wrap(remainder, T.mod(left[1], right[1])),
    )


@models_concolic(pow)
def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        return _modular_power(base, exp, mod)
    # SymInt is no subclass of float, so Python asks float's own `**`.
    if type(base) is float and type(exp) in (SymInt, SymBool):
        return SymFloat.__rpow__(_as_float(exp), base)  # float's own `**` would take the concrete value
    return pow(base, exp)


def _as_float(value: Any) -> Any:
    value = as_int(value) if type(value) is SymBool else value
    return core.wrap(float(core.plain(value)), T.to_float(value.term))


def _modular_power(base: Any, exp: Any, mod: Any) -> Any:
    parts = [as_index(part) for part in (base, exp, mod)]
    if None in parts or any(isinstance(part, float) for part in (base, exp, mod)):
        return pow(core.plain(base), core.plain(exp), core.plain(mod))
    (left, left_term), (right, right_term), (modulus, modulus_term) = parts  # type: ignore[misc]
    if not nonzero(modulus_term, modulus):
        return pow(left, right, modulus)
    # A negative exponent asks for the inverse modulo `mod`, which may not exist.
    if decide(T.lt(right_term, const(0)), right < 0):
        path.concretised("pow() of an inverse")
        return pow(left, right, modulus)
    return sym_int(pow(left, right, modulus), T.pow_mod(left_term, right_term, modulus_term))


@models_concolic(round)
def round_(number: Any, ndigits: Any = None) -> Any:
    return round(number, ndigits) if ndigits is not None else round(number)


@models_one(abs)
def abs_(value: Any, /) -> Any:
    return abs(as_int(value)) if type(value) is SymBool else abs(value)


@models_one(id)
def id_(value: Any, /) -> int:
    # Whether equal values are one object depends on caches of CPython, and so on the concrete value.
    if core.BUILTIN[type(value)] in SHARED:
        path.concretised("id()")
    return id(value)


@models(hash)
def hash_(*args: Any, **keywords: Any) -> Any:
    if len(args) != 1 or keywords or type(args[0]) not in core.BUILTIN:
        # The hash of a tuple or object is made of the hashes of its parts.
        return path.noting_hashes(hash, *args) if not keywords else hash(*args, **keywords)
    value = args[0]
    if type(value) is SymBool:
        value = as_int(value)
    if type(value) is not SymInt:
        if core.BUILTIN[type(value)] in (str, bytes, float):
            path.concretised("hash()")
        return hash(core.plain(value))
    term = value.term
    # Below this modulus an int is its own hash, except that -1 means an error in C and becomes -2.
    small = T.and_(T.lt(const(-MODULUS), term), T.lt(term, const(MODULUS)))
    if not decide(small, abs(core.plain(value)) < MODULUS):
        path.concretised("hash()")
        return hash(core.plain(value))
    return sym_int(hash(core.plain(value)), T.ite(T.eq(term, const(-1)), const(-2), term))


MODULUS = (1 << 61) - 1  # of CPython's hash of integers


def _in_base(function: Any, spec: str) -> None:
    def model(value: Any, /) -> Any:
        return formatted(as_int(value) if type(value) is SymBool else value, spec, lambda v: function(v))

    models_one(function)(model)


for _function, _spec in ((hex, "#x"), (oct, "#o"), (bin, "#b")):
    _in_base(_function, _spec)


@models(format)
def format_(*args: Any, **keywords: Any) -> Any:
    spec = args[1] if len(args) == 2 else ""
    # A specification is a small language that C code reads.
    if type(spec) is SymStr:
        path.concretised("format() specification")
        spec = plain(spec)
        args = (args[0], spec)
    if len(args) in (1, 2) and not keywords and core.is_concolic(args[0]) and isinstance(spec, str):
        return shown_as(args[0], spec)
    return format(*args, **keywords)


@models(repr)
def repr_(*args: Any, **keywords: Any) -> Any:
    return repr_of(args[0]) if len(args) == 1 and not keywords else repr(*args, **keywords)


@models_one(ascii)
def ascii_(value: Any, /) -> Any:
    if type(value) is SymStr:
        return sym_str(ascii(plain(value)), T.ascii_(value.term))
    return ascii(value)
