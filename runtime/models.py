"""Models of builtin functions and types: what a call gives when an argument is concolic. One short function
each.

`BUILTINS` maps a builtin to its model; whoever rewrites calls looks there. Types are never replaced by
these functions: their calls are dispatched at the call site. A model gives exactly Python's result when no
argument is concolic. Methods are modelled in the concolic class itself (`values/`); functions of other
modules go into LIBRARY the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime import path
from ramify.runtime import terms as T
from ramify.runtime.nodes import const
from ramify.runtime.path import decide
from ramify.runtime.values import core
from ramify.runtime.values.bool_ import SymBool, as_int, sym_bool
from ramify.runtime.values.float_ import SymFloat, finite, sym_float
from ramify.runtime.values.index import as_index
from ramify.runtime.values.int_ import SymInt, sym_int
from ramify.runtime.values.range_ import SymRange, sym_range
from ramify.runtime.values.sized import size_term
from ramify.runtime.values.text import SymStr, plain, sym_str

BUILTINS: dict[Any, Callable[..., Any]] = {}
LIBRARY: dict[Any, Callable[..., Any]] = {}
METHODS: dict[tuple[type, str], Callable[..., Any]] = {}


def models(
    builtin: Any, table: dict[Any, Callable[..., Any]] = BUILTINS
) -> Callable[..., Callable[..., Any]]:
    """Registers the model of a builtin."""

    def register(model: Callable[..., Any]) -> Callable[..., Any]:
        table[builtin] = model
        return model

    return register


BUILTINS[range] = sym_range


@models(len)
def len_(value: Any, /) -> Any:
    size = size_term(value)
    if size is None:
        return len(value)
    with path.paused():
        return sym_int(len(value), size)


@models(isinstance)
def isinstance_(value: Any, kinds: Any, /) -> bool:
    if type(value) is SymRange and isinstance(range(0), kinds):
        return True
    return isinstance(value, kinds)


@models(type)
def type_(value: Any, *rest: Any, **keywords: Any) -> Any:
    if rest or keywords:
        return type(value, *rest, **keywords)
    return core.BUILTIN.get(type(value), type(value))


@models(enumerate)
def enumerate_(iterable: Any, start: Any = 0) -> Iterator[Any]:
    if not core.is_concolic(start):
        return enumerate(iterable, start)
    return ((start + number, item) for number, item in enumerate(iterable))


@models(ord)
def ord_(character: Any, /) -> Any:
    if type(character) is not SymStr:
        return ord(character)
    if not decide(T.eq(T.length(character.term), const(1)), str.__len__(character) == 1):
        return ord(plain(character))
    return sym_int(ord(plain(character)), T.ord_(character.term))


@models(chr)
def chr_(code: Any, /) -> Any:
    if type(code) is not SymInt:
        return chr(code)
    term = code.term
    valid = T.and_(T.le(const(0), term), T.le(term, const(0x10FFFF)))
    value = core.plain(code)
    if not decide(valid, 0 <= value <= 0x10FFFF):
        return chr(value)
    return sym_str(chr(value), T.chr_(term))


@models(bool)
def bool_(value: Any = False, /) -> Any:
    """Without a decision where the truth has a term."""
    if type(value) is SymBool:
        return value
    if type(value) in (SymInt, SymFloat):
        zero = const(0) if type(value) is SymInt else const(0.0)
        return sym_bool(core.plain(value) != 0, T.ne(value.term, zero))
    size = size_term(value)
    if size is not None:
        with path.paused():
            return sym_bool(len(value) != 0, T.ne(size, const(0)))
    return bool(value)


@models(int)
def int_(*args: Any, **keywords: Any) -> Any:
    value: Any = args[0] if args else 0
    kind = type(value)
    if len(args) == 1 and not keywords:
        if kind is SymInt:
            return value
        if kind is SymBool:
            return as_int(value)
        if kind is SymFloat:
            return value.__trunc__()
    base = as_index(args[1] if len(args) == 2 else keywords.get("base", 10))
    if kind is not SymStr or base is None or base[1].op != "const":
        if any(map(core.is_concolic, args)):
            path.concretised("int()")
        return int(*map(core.plain, args), **keywords)
    numeral = T.is_int_text(value.term, base[1])
    if not decide(numeral, _accepted(int, plain(value), base[0])):
        return int(plain(value), base[0])
    return sym_int(int(plain(value), base[0]), T.str_to_int(value.term, base[1]))


@models(float)
def float_(value: Any = 0.0, /) -> Any:
    kind = type(value)
    if kind is SymFloat:
        return value
    if kind is SymBool:
        value = as_int(value)
        kind = type(value)
    if kind is SymInt:
        return sym_float(float(core.plain(value)), T.to_float(value.term))
    if kind is SymStr:
        if not decide(T.is_float_text(value.term), _accepted(float, plain(value))):
            return float(plain(value))
        return sym_float(float(plain(value)), T.str_to_float(value.term))
    return float(value)


@models(str)
def str_(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and not keywords and core.is_concolic(args[0]):
        return args[0].__str__()
    return str(*args, **keywords)


@models(format)
def format_(value: Any, spec: Any = "", /) -> Any:
    return value.__format__(spec) if core.is_concolic(value) else format(value, spec)


def _accepted(convert: Callable[..., Any], *args: Any) -> bool:
    try:
        convert(*args)
    except ValueError:
        return False
    return True


# math: those with exact terms. sqrt is correctly rounded, so its term is exact too.


def _rounding(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def model(value: Any, /) -> Any:
        return getattr(value, name)() if core.is_concolic(value) else function(value)

    return model


for _function, _name in ((math.floor, "__floor__"), (math.ceil, "__ceil__"), (math.trunc, "__trunc__")):
    LIBRARY[_function] = _rounding(_function, _name)


def _as_float(value: Any) -> Any:
    return float_(value) if type(value) in (SymInt, SymBool) else value


@models(math.sqrt, LIBRARY)
def sqrt_(value: Any, /) -> Any:
    value = _as_float(value)
    if type(value) is not SymFloat:
        return math.sqrt(value)
    number = core.plain(value)
    if decide(T.lt(value.term, const(0.0)), number < 0):
        return math.sqrt(number)
    return sym_float(math.sqrt(number), T.sqrt(value.term))


@models(math.fabs, LIBRARY)
def fabs_(value: Any, /) -> Any:
    value = _as_float(value)
    return abs(value) if type(value) is SymFloat else math.fabs(value)


@models(math.isnan, LIBRARY)
def isnan_(value: Any, /) -> Any:
    if type(value) is not SymFloat:
        return math.isnan(value)
    return sym_bool(math.isnan(core.plain(value)), T.is_nan(value.term))


@models(math.isinf, LIBRARY)
def isinf_(value: Any, /) -> Any:
    if type(value) is not SymFloat:
        return math.isinf(value)
    return sym_bool(math.isinf(core.plain(value)), T.is_inf(value.term))


@models(math.isfinite, LIBRARY)
def isfinite_(value: Any, /) -> Any:
    if type(value) is not SymFloat:
        return math.isfinite(value)
    return finite(core.plain(value), value.term)
