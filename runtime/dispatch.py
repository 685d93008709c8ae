"""Calls whose callee is C code: a model takes over when an argument is concolic, else the loss is recorded."""

from __future__ import annotations

import builtins
import functools
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from ramify.runtime import path
from ramify.runtime.models import BUILTINS, LIBRARY, METHODS
from ramify.runtime.nodes import const
from ramify.runtime.subscripts import SYMBOLIC
from ramify.runtime.values import core, lookup
from ramify.runtime.values.bytes_ import SymBytes
from ramify.runtime.values.equality import concolic_inside
from ramify.runtime.values.formatting import format_

_C_FUNCTIONS = (types.BuiltinFunctionType, types.MethodDescriptorType)
LOOK_AT = 64  # elements of an argument that are looked at
_CONTAINERS = (list, tuple, set, frozenset, dict)
_IMMUTABLE_TYPE, _HEAP_TYPE = 1 << 8, 1 << 9  # in `__flags__`: classes in Python are heap types and can be changed

# C functions that look at their caller's frame.
_LOOKING_BACK: tuple[Any, ...] = (
    sys._getframe, sys.exc_info, sys.settrace, warnings.warn, builtins.locals, builtins.globals, builtins.vars,
    builtins.eval, builtins.exec, builtins.dir, builtins.__import__, builtins.super,
    getattr(sys, "_getframemodulename", None),
)  # fmt: skip

# C code that hands values on or compares them by their own methods: nothing is lost there.
_TRANSPARENT = frozenset({
    "_heapq", "_bisect", "itertools", "_functools", "functools", "_collections", "collections", "_operator",
    "_abc", "copy", "_queue", "_asyncio", "_weakref", "gc", "_thread", "types", "inspect", "atexit",
})  # fmt: skip
_TRANSPARENT_TYPES = frozenset(
    {list, tuple, dict, zip, map, filter, reversed, enumerate, type, object, staticmethod, classmethod, property}
)
_TRANSPARENT_METHODS = frozenset({
    "append", "appendleft", "extend", "extendleft", "add", "put", "setdefault", "update", "index", "count",
    "remove", "send", "throw", "rotate", "get", "pop", "insert", "set", "write",
})  # fmt: skip


def call(function: Any, /, *args: Any, **keywords: Any) -> Any:
    """`function(*args, **keywords)`; models are asked if an argument is concolic or holds such values."""
    for arg in args:
        if type(arg) in SYMBOLIC or (type(arg) in _CONTAINERS and arg and _holds(arg)):
            return _modelled(function, args, keywords)
    if keywords and any(type(v) in SYMBOLIC or (type(v) in _CONTAINERS and _holds(v)) for v in keywords.values()):
        return _modelled(function, args, keywords)
    model = _regardless(function, args)
    return function(*args, **keywords) if model is None else model(*args, **keywords)


def pick(function: Any) -> Any:
    """What to call in the place of a function: C code through a model, Python code itself.

    Python code is called by the program's own frame, at which it may look.
    """
    kind = type(function)
    if issubclass(kind, _C_FUNCTIONS) or _is_c_type(function):
        return function if function in _LOOKING_BACK else functools.partial(call, function)
    try:
        model = LIBRARY.get(function)
    except TypeError:
        return function
    return function if model is None else functools.partial(call, function)


def _is_c_type(function: Any) -> bool:
    return isinstance(function, type) and function.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) != _HEAP_TYPE


def _holds(container: Any) -> bool:
    """Whether a plain container directly holds something concolic; of a large one only a part is looked at."""
    if id(container) in path.keyed:
        return True
    if type(container) is dict:
        return any(type(v) in SYMBOLIC for v, _ in zip(container.values(), range(LOOK_AT), strict=False)) or any(
            concolic_inside(k) for k, _ in zip(container, range(LOOK_AT), strict=False)
        )
    for part, _ in zip(container, range(LOOK_AT), strict=False):
        if type(part) in SYMBOLIC or (type(part) is tuple and concolic_inside(part)):
            return True
    return False


def _regardless(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """A model that is wanted although no argument shows anything concolic: what iterators give, what is inside."""
    receiver = getattr(function, "__self__", None)
    bound = isinstance(function, types.BuiltinFunctionType)
    if not bound or receiver is None or isinstance(receiver, types.ModuleType):
        if not (isinstance(function, type) and args and hasattr(args[0], "__next__")):
            return None
        return BUILTINS.get(function)
    if path.keyed and id(receiver) in path.keyed:
        return _method(function, receiver)
    if type(receiver) in (str, bytes) and function.__name__ == "join" and args and hasattr(args[0], "__next__"):
        return lambda parts: call(function, list(parts))
    return None


def _modelled(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    kind = type(function)
    receiver = getattr(function, "__self__", None)
    bound = issubclass(kind, types.BuiltinFunctionType)  # methods of C classes may have a type of their own
    if bound and receiver is not None and not isinstance(receiver, (types.ModuleType, type)):
        model = _method(function, receiver)
    elif kind is types.MethodDescriptorType:
        model = _unbound(function, args)
    else:
        try:
            model = BUILTINS.get(function) or LIBRARY.get(function)
        except TypeError:
            model = None
    if model is not None:
        return model(*args, **keywords)
    if _loses(function, kind, receiver):
        path.concretised(f"{_name(function, receiver)}()")
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
        found: Callable[..., Any] | None = getattr(lookup.lifted_text(receiver), name, None)
        return found
    if type(receiver) is bytes and name in vars(SymBytes):
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


def _loses(function: Any, kind: type, receiver: Any) -> bool:
    """Whether C code uses the concrete value of its arguments without telling."""
    if _is_c_type(function):
        return function not in _TRANSPARENT_TYPES and not issubclass(function, BaseException)
    if not issubclass(kind, _C_FUNCTIONS):
        return False
    if receiver is None or isinstance(receiver, (types.ModuleType, type)):
        return getattr(function, "__module__", None) not in _TRANSPARENT
    if type(receiver) in SYMBOLIC:
        return False
    passes_on = type(receiver).__module__ in _TRANSPARENT or type(receiver).__module__ == "builtins"
    return not (passes_on and function.__name__ in _TRANSPARENT_METHODS)


def _name(function: Any, receiver: Any) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__name__
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module not in (None, "builtins") else str(name)
