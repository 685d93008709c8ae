"""Calls whose callee is C code, or Python code that is not rewritten: a model takes over when an argument is
concolic, else the loss is recorded.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import operator
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

from ramify.runtime.losses import (
    C_FUNCTIONS,
    LOOKING_BACK,
    bears,
    holds,
    inside,
    is_c_type,
    is_iterator,
    is_opaque,
    is_output,
    is_partial,
    is_rewritten,
    looking,
    loses,
    makes_plain,
    reads,
    watched,
)
from ramify.runtime.models import BUILTINS, LIBRARY, METHODS
from ramify.runtime.models.registry import COMPLETE, dispatch_with
from ramify.runtime.recording import path
from ramify.runtime.rewritten.attributes import loses_attribute
from ramify.runtime.rewritten.subscripts import SCALARS, SYMBOLIC
from ramify.runtime.terms import const
from ramify.runtime.values import core, lookups
from ramify.runtime.values.formatting import format_
from ramify.runtime.values.showing import str_of
from ramify.runtime.values.texts.bytes_ import SymBytes

_CONTAINERS = (list, tuple, set, frozenset, dict)
_LISTS = (list, tuple)
# What these make of a container depends on its own type and length.
_OUTSIDE = frozenset({type, bool})
# Whatever a list holds, these hand it on.
_HANDING_ON = frozenset({enumerate, list, tuple, reversed, zip})
# What a list holds is compared by its own methods.
_COMPARING = frozenset({
    heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop,
    bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right,
})  # fmt: skip
# Methods that look for their first argument and hand on the others.
_FINDING = frozenset({(dict, "get"), (dict, "setdefault"), (dict, "pop")})
# Methods that only put a value into a container.
_STORING = frozenset({(list, "append"), (deque, "append"), (deque, "appendleft")})
_LOOKING_UP = (operator.attrgetter, operator.methodcaller)
_NEW: Any = object.__new__
_EXCEPTION = getattr(sys, "exception", None)
# Code that may be called as it is; by id, which costs less than its hash, and a plain global, since every call of
# rewritten code asks.
_direct: dict[int, Any] = {}
_KEYED = path.journal.keyed


def call(function: Any, /, *args: Any, **keywords: Any) -> Any:
    """`function(*args, **keywords)`; models are asked if an argument is concolic or holds such values."""
    # Every call of a loop comes through here, nearly all with plain values.
    if not keywords and not _KEYED and _needs_no_look(function, args):
        return function(*args)
    # `partial` calls what it holds from C: opened here, models see the arguments.
    if is_partial(function):
        return call(function.func, *function.args, *args, **{**function.keywords, **keywords})
    if function is print:
        return _printed(args, keywords)
    for arg in args:
        if type(arg) in SYMBOLIC or (type(arg) in _CONTAINERS and arg and inside(arg)):
            return _modelled(function, args, keywords)
    if keywords and holds(keywords.values()):
        return _modelled(function, args, keywords)
    # Nothing concolic shows, but an iterator may give it later, or the receiver may hold it.
    model = _regardless(function, args)
    if model is not None:
        return model(*args, **keywords)
    # Arguments whose insides nobody has looked at: an object may hold concolic attributes, an iterator gives
    # them only when asked.
    if path.active() is not None and loses(function, args, keywords):
        name = _name(function)
        if bears((*args, *keywords.values())):
            path.concretised(name)
        if not (args and _is_receiver(function, args[0])):
            args = tuple(_overheard(arg, function, name) for arg in args)
            keywords = {key: _overheard(value, function, name) for key, value in keywords.items()}
    return function(*args, **keywords)


def _is_receiver(function: Any, first: Any) -> bool:
    """Whether a method taken from its class gets the object it is for: `type(it).__next__(it)`."""
    return isinstance(first, getattr(function, "__objclass__", ())) or type(function) in _LOOKING_UP


def _printed(args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """`print(...)`: the standard streams of a run are not read again, other streams keep characters."""
    shown = list(map(_Shown, args))
    print(*shown, **{name: core.plain(value) for name, value in keywords.items()})
    symbolic = any(one.symbolic for one in shown) or any(type(value) in SYMBOLIC for value in keywords.values())
    if symbolic and not is_output(keywords.get("file") or sys.stdout):
        path.concretised("print()")


# `print` writes as it goes: the texts of later arguments are not asked for if an earlier one raises.
class _Shown:
    """What `print` writes of an argument, asked for when its turn comes: if it raises, those before are out."""

    __slots__ = ("symbolic", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.symbolic = False

    def __str__(self) -> str:
        text = str_of(self.value)
        self.symbolic = type(text) in SYMBOLIC
        return core.plain(text)  # type: ignore[no-any-return]


def _overheard(value: Any, function: Any, name: str) -> Any:
    """An argument of code that loses terms; what an iterator gives to that, or a function answers, is noticed."""
    if is_iterator(value):
        # A C function only asks for the next value, so it is enough to watch what it gets.
        if not is_opaque(function):
            return watched(value, name)
        path.concretised(name)  # it may send to a generator, close it, or ask what it is
        return value
    kind = type(value)
    # A callback in rewritten code decides properly; what it answers goes to code that does not.
    if (kind is types.FunctionType and is_rewritten(value)) or (
        kind is types.MethodType and type(value.__func__) is types.FunctionType and is_rewritten(value.__func__)
    ):
        return _answering(value, name)
    return value


def _answering(function: Any, name: str) -> Any:
    @functools.wraps(function)
    def answering(*args: Any, **keywords: Any) -> Any:
        answer = function(*args, **keywords)
        if bears((answer,)):
            path.concretised(name)
        return answer

    return answering


def _needs_no_look(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether it shows, without a look into containers, that a model would do what the function itself does.

    No dict or set holds concolic keys. This is for speed alone, and most calls end here.
    """
    kind = type(function)
    for arg in args:
        if type(arg) not in SCALARS:
            break
    else:
        # Scalars only; a partial or the `indices` of a slice may hold concolic values of their own.
        return kind is not functools.partial and type(getattr(function, "__self__", None)) is not slice
    first = type(args[0])
    if kind is type:
        return first in _CONTAINERS and len(args) == 1 and (
            function in _OUTSIDE or (function in _HANDING_ON and first in _LISTS)
        )
    if kind is types.BuiltinFunctionType:
        if first in SCALARS:
            # `d.get(1, xs)` hands `xs` on without a look inside.
            return (type(function.__self__), function.__name__) in _FINDING
        return first is list and function in _COMPARING and SCALARS.issuperset(map(type, args[1:]))
    return False


def pick(function: Any) -> Any:
    """What to call in the place of a function: C code through a model, rewritten Python code itself.

    That is called by the program's own frame, at which it may look.
    """
    kind = type(function)
    if kind is types.FunctionType or kind is types.MethodType:
        # By id, kept alive in the value: hashing a code object hashes all of it.
        if id(getattr(function, "__code__", None)) in _direct:
            return function
        # `heapq.merge`, for one: Python code that has a model.
        if function in LIBRARY:
            return functools.partial(call, function)
        if is_opaque(function):
            return functools.partial(_enter, function)
        # It reads the exception that is being handled, and so its message.
        if function.__module__ == "traceback":
            looking()
            return function
        known = getattr(function, "__code__", None)
        if known is not None:
            _direct[id(known)] = known
        return function
    if kind is type and _is_made_here(function):
        return function
    if issubclass(kind, C_FUNCTIONS) or is_c_type(function):
        if kind is types.BuiltinFunctionType and _only_stores(function):
            return function
        if function in (eval, exec):
            return code(function)
        if function is sys.exc_info or function is _EXCEPTION:
            looking()
        # What looks at its caller's frame must be called by the program's own.
        return function if function in LOOKING_BACK else functools.partial(call, function)
    try:
        modelled = function in LIBRARY
    except TypeError:
        return function
    if modelled or is_partial(function):
        return functools.partial(call, function)
    if isinstance(function, type):
        if makes_plain(function):
            return functools.partial(call, function)
        if is_opaque(function):
            return functools.partial(_enter, function)
        _remember(function)
        return function
    return functools.partial(call, function) if is_c_type(kind) else function


def _only_stores(function: types.BuiltinFunctionType) -> bool:
    return function is _NEW or (type(function.__self__), function.__name__) in _STORING


def _is_made_here(cls: type) -> bool:
    """Whether the instances of a class are made by code that is known to be rewritten."""
    new: Any = cls.__new__
    init: Any = cls.__init__  # type: ignore[misc]
    # The usual class: `object.__new__` and an `__init__` of its own.
    if new is _NEW:
        return type(init) is types.FunctionType and id(init.__code__) in _direct and cls not in LIBRARY
    if init is not object.__init__ and (type(init) is not types.FunctionType or id(init.__code__) not in _direct):
        return False
    return type(new) is types.FunctionType and id(new.__code__) in _direct and cls not in LIBRARY


def _remember(cls: type) -> None:
    for function in (cls.__new__, cls.__init__):  # type: ignore[misc]
        if type(function) is types.FunctionType and is_rewritten(function):
            _direct[id(function.__code__)] = function.__code__


def code(function: Any) -> Any:
    """`eval` or `exec`: what they run is not rewritten."""
    path.concretised(_name(function))
    return function


def _enter(function: Any, /, *args: Any, **keywords: Any) -> Any:
    """Calls Python code that is not rewritten: what it does with a concolic value is not all seen."""
    if path.active() is None:
        return function(*args, **keywords)
    name = f"{_name(function)}, which is not instrumented"
    given = (*args, *keywords.values())
    seen = bears((*given, getattr(function, "__self__", None))) or any(map(is_iterator, given))
    if seen and reads(function, args, keywords):
        path.concretised(name)
        return function(*args, **keywords)
    plain = {key: _overheard(value, function, name) for key, value in keywords.items()}
    return function(*(_overheard(arg, function, name) for arg in args), **plain)


def _regardless(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The model of a call whose arguments show nothing concolic, where an iterator may give such values later
    or the receiver holds them.
    """
    receiver = getattr(function, "__self__", None)
    bound = isinstance(function, types.BuiltinFunctionType)
    if not bound or receiver is None or isinstance(receiver, types.ModuleType):
        # Only a model that is the original for every argument may be called on a guess.
        return _complete(function) if any(map(is_iterator, args)) else None
    if _KEYED and id(receiver) in _KEYED:
        return _method(function, receiver)
    if type(receiver) is slice and holds((receiver.start, receiver.stop, receiver.step)):
        path.concretised(_name(function))
    # Read into a list first, which is what `join` does itself.
    if type(receiver) in (str, bytes) and function.__name__ == "join" and args and hasattr(args[0], "__next__"):
        return lambda parts: call(function, list(parts))
    return None


def _complete(function: Any) -> Callable[..., Any] | None:
    """The model of a function, if it also is one for arguments that only give concolic values when asked."""
    try:
        model = BUILTINS.get(function) or LIBRARY.get(function)
    except TypeError:
        return None
    return model if model in COMPLETE else None


def _modelled(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    kind = type(function)
    receiver = getattr(function, "__self__", None)
    bound = issubclass(kind, (types.BuiltinFunctionType, types.MethodWrapperType))  # C classes may have their own
    if bound and receiver is not None and not isinstance(receiver, (types.ModuleType, type)):
        model = _method(function, receiver)
    elif kind in (types.MethodDescriptorType, types.WrapperDescriptorType):
        model = _unbound(function, args)
    else:
        try:
            model = BUILTINS.get(function) or LIBRARY.get(function)
        except TypeError:
            model = None
    if model is not None:
        return model(*args, **keywords)
    if loses(function, args, keywords) or loses_attribute(function, args):
        path.concretised(_name(function))
        # The concolic part is inside a container, which C code reads on its own.
        if not any(type(arg) in SYMBOLIC for arg in args):
            return function(*args, **keywords)
        return function(*map(_exact, args), **{k: _exact(v) for k, v in keywords.items()})
    return function(*args, **keywords)


def _exact(value: Any) -> Any:
    """Truth values as real ones, since C code insists on them; the rest works as it is."""
    return bool(value) if core.BUILTIN.get(type(value)) is bool else value


def _method(function: Any, receiver: Any) -> Callable[..., Any] | None:
    """The model of a bound method; methods of plain texts are those of a concolic text of that constant."""
    name = function.__name__
    model = METHODS.get((type(receiver), name))
    if model is not None:
        return functools.partial(model, receiver)
    if type(receiver) is str:
        if name == "format":
            return functools.partial(format_, receiver)
        found: Callable[..., Any] | None = getattr(lookups.lifted_text(receiver), name, None)
        return found
    if type(receiver) is bytes and name in vars(SymBytes):
        # Past the factory, which gives plain bytes for a constant term.
        made = bytes.__new__(SymBytes, receiver)
        made.term = const(receiver.decode("latin-1"))
        lifted: Callable[..., Any] = getattr(made, name)
        return lifted
    return None


def _unbound(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """`str.upper(text)`: the method of the concolic receiver."""
    model = LIBRARY.get(function)
    if model is None and args and core.BUILTIN.get(type(args[0])) is function.__objclass__:
        name = function.__name__
        return lambda receiver, *rest, **keywords: getattr(receiver, name)(*rest, **keywords)
    return model


def _name(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__name__
    module = getattr(function, "__module__", None)
    return f"{module}.{name}()" if module not in (None, "builtins") else f"{name}()"


dispatch_with(call)
