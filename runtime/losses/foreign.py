"""Which code takes concolic values without telling: C code that reads them, and Python code that is not rewritten.

What is not known to hand values on, or to compare them by their own methods, is taken to lose them.
"""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import itertools
import operator
import sys
import types
import warnings
from collections import deque
from collections.abc import Iterable
from typing import Any

from ramify.runtime.recording import frames, path
from ramify.runtime.values import core

# All types are registered by now: this room stands above the values.
SYMBOLIC = frozenset(core.BUILTIN)
C_FUNCTIONS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)
SHARED = frozenset({int, float, str, bytes, tuple, complex, frozenset})
"""Types of which equal values may be one object, as CPython likes."""
MAX_NESTING = 6  # of containers that are looked into
_CONTAINERS = frozenset({list, tuple, set, frozenset, dict, deque})
_IMMUTABLE_TYPE, _HEAP_TYPE = 1 << 8, 1 << 9  # in `__flags__`: classes in Python are heap types and can be changed

# C functions that look at their caller's frame.
LOOKING_BACK: tuple[Any, ...] = (
    sys._getframe, sys.exc_info, sys.settrace, warnings.warn, builtins.locals, builtins.globals, builtins.vars,
    builtins.eval, builtins.exec, builtins.dir, builtins.__import__, builtins.super,
    getattr(sys, "_getframemodulename", None),
)  # fmt: skip

# C code that hands values on or compares them by their own methods: nothing is lost there.
_TRANSPARENT = frozenset({
    "_heapq", "_bisect", "itertools", "_functools", "functools", "_collections", "collections", "_operator",
    "_abc", "copy", "_queue", "_asyncio", "_weakref", "gc", "_thread", "types", "inspect", "atexit",
})  # fmt: skip
_TRANSPARENT_TYPES = frozenset({
    list, tuple, dict, zip, map, filter, reversed, enumerate, type, object, staticmethod, classmethod, property,
    types.SimpleNamespace, types.MappingProxyType, types.MethodType,
})  # fmt: skip
_TRANSPARENT_FUNCTIONS = frozenset(
    {next, iter, any, all, callable, issubclass, aiter, anext, getattr}
)
_TRANSPARENT_METHODS = frozenset({
    "append", "appendleft", "extend", "extendleft", "add", "put", "setdefault", "update", "index", "count",
    "remove", "send", "throw", "rotate", "get", "pop", "insert", "set", "write", "with_traceback", "add_note",
})  # fmt: skip
_TRANSPARENT_SLOTS = frozenset({
    "__init__", "__new__", "__setattr__", "__getattribute__", "__delattr__", "__init_subclass__", "__call__",
    "__enter__", "__exit__", "__get__", "__set__",
})  # fmt: skip
# Python code that does the same. What it writes to a log is never read again.
_TRANSPARENT_MODULES = frozenset({
    "copy", "dataclasses", "enum", "functools", "contextlib", "collections", "abc", "_collections_abc", "types",
    "typing", "operator", "heapq", "weakref", "numbers", "inspect", "warnings", "traceback", "logging",
    "threading", "queue", "_weakrefset", "atexit", "reprlib", "bisect", "keyword",
})  # fmt: skip
# Methods that hand an index, a number or a text to C code.
_OPAQUE_CLASSES = ("UserList.", "UserString.", "Counter.elements", "LogRecord.getMessage", "Formatter.format")

# Arguments that code otherwise transparent reads itself: places, and names of keywords.
_READS: dict[Any, tuple[range, frozenset[str]]] = {}


def _reads(function: Any, first: int, *keywords: str, last: int = 9) -> None:
    _READS[function] = range(first, last), frozenset(keywords)


_reads(itertools.islice, 1)
_reads(itertools.count, 0, "start", "step")
_reads(itertools.repeat, 1, "times")
_reads(itertools.combinations, 1, "r")
_reads(itertools.combinations_with_replacement, 1, "r")
_reads(itertools.permutations, 1, "r")
_reads(itertools.product, 9, "repeat")
_reads(itertools.tee, 1, "n")
_reads(deque, 1, "maxlen")
_reads(heapq.nlargest, 0, "n", last=1)
_reads(heapq.nsmallest, 0, "n", last=1)
_reads(operator.itemgetter, 0)
_reads(operator.attrgetter, 0)
_reads(operator.methodcaller, 0)
for _function in (bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right):
    _reads(_function, 2, "lo", "hi", last=4)
if hasattr(itertools, "batched"):
    _reads(itertools.batched, 1, "n")
_READING_METHODS = {"rotate": range(0, 9), "insert": range(0, 1), "index": range(1, 3), "pop": range(0, 1)}


def is_c_type(function: Any) -> bool:
    # A class statement makes a heap type that is not immutable; many types in C are heap types too.
    return isinstance(function, type) and function.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) != _HEAP_TYPE


def is_rewritten(function: types.FunctionType) -> bool:
    """Whether a function of Python code is at the concolic level, or one of ours."""
    names: dict[str, Any] = getattr(function, "__builtins__", {})  # which the type stubs do not know
    # A function's `__builtins__` are those of the module it was defined in, whoever calls it.
    return frames.MARK in names or frames.is_own(function.__code__.co_filename)


def is_opaque(function: Any) -> bool:
    """Whether a callable is Python code that is not rewritten, in which C code may get values unseen."""
    if isinstance(function, type):
        return any(map(_is_opaque_function, (getattr(function, "__init__", None), _new_of(function))))
    return _is_opaque_function(getattr(function, "__func__", function))


def _is_opaque_function(function: Any) -> bool:
    if type(function) is not types.FunctionType or is_rewritten(function):
        return False
    module = function.__module__ or ""
    # Their `__new__` is generated source that calls `tuple.__new__`.
    if module.startswith("namedtuple_"):
        return False
    if module.partition(".")[0] in _TRANSPARENT_MODULES:
        return function in _READS or function.__qualname__.startswith(_OPAQUE_CLASSES)
    return True


def _new_of(cls: type) -> Any:
    return getattr(cls, "__new__", None)


def makes_plain(cls: type) -> bool:
    """Whether a class in Python inherits the making of its instances from a type that copies a concrete value."""
    return any(getattr(cls, "__new__", None) is kind.__new__ for kind in (int, float, str, bytes, complex))


def loses(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether C code uses the concrete value of its arguments without telling."""
    kind = type(function)
    if is_c_type(function):
        # Checked first: `itertools.islice` hands elements on and reads its bounds.
        if function in _READS:
            return _read(function, args, keywords)
        # An exception keeps its arguments as they are.
        transparent = function in _TRANSPARENT_TYPES or function.__module__ in _TRANSPARENT
        return not transparent and not issubclass(function, BaseException)
    if isinstance(function, type):
        return makes_plain(function) or (is_opaque(function) and reads(function, args, keywords))
    if kind is types.FunctionType or kind is types.MethodType:
        return is_opaque(function) and reads(function, args, keywords)
    if not issubclass(kind, C_FUNCTIONS):
        return _is_c_callable(kind)
    if function is id:
        return any(core.BUILTIN.get(type(arg)) in SHARED for arg in args)
    # The name must be an exact text; what is stored is asked elsewhere (`takes`).
    if function is setattr or function is delattr:
        return len(args) > 1 and type(args[1]) in SYMBOLIC
    if function in _TRANSPARENT_FUNCTIONS:
        return False
    receiver, name = getattr(function, "__self__", None), function.__name__
    if kind is types.MethodDescriptorType and function.__objclass__ in _CONTAINERS:
        return name not in _TRANSPARENT_METHODS
    # `object.__setattr__` and the like only pass on.
    if getattr(function, "__objclass__", None) is object:
        return False
    if name in _TRANSPARENT_SLOTS:
        return isinstance(receiver, type) and name == "__new__" and makes_plain(receiver)
    if receiver is None or isinstance(receiver, types.ModuleType):
        if function in _READS:
            return _read(function, args, keywords)
        return getattr(function, "__module__", None) not in _TRANSPARENT
    if isinstance(receiver, type):
        return receiver not in _TRANSPARENT_TYPES
    # A method of a concolic value knows what it does.
    if type(receiver) in SYMBOLIC:
        return False
    module = type(receiver).__module__
    if name == "write" and is_output(receiver):
        return False
    # A buffer copies numbers; a container of a module that is not listed may do anything.
    if type(receiver) is bytearray or not (module in _TRANSPARENT or module == "builtins"):
        return True
    if name not in _TRANSPARENT_METHODS:
        return True
    # An index, as in `deque.rotate(n)`, is read as a C integer.
    places = _READING_METHODS.get(name) if isinstance(receiver, (list, tuple, deque)) else None
    return places is not None and any(type(a) in SYMBOLIC for n, a in enumerate(args) if n in places)


def _is_c_callable(kind: type) -> bool:
    """Whether calling an instance runs C code that is not known to hand its arguments on."""
    return is_c_type(kind) and kind.__module__ not in _TRANSPARENT and kind is not types.MethodType


def _read(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    places, names = _READS[function]
    if any(type(arg) in SYMBOLIC for n, arg in enumerate(args) if n in places):
        return True
    return any(type(value) in SYMBOLIC for name, value in keywords.items() if name in names)


def reads(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether Python code that is otherwise transparent reads a concolic argument."""
    return function not in _READS or _read(function, args, keywords)


def holds(values: Iterable[Any], depth: int = MAX_NESTING) -> bool:
    """Whether something concolic is among values, or inside the plain containers among them."""
    kinds = set(map(type, values))
    if not SYMBOLIC.isdisjoint(kinds):
        return True
    if _CONTAINERS.isdisjoint(kinds) or not depth:
        return False
    return any(inside(value, depth - 1) for value in values if type(value) in _CONTAINERS)


def inside(container: Any, depth: int = MAX_NESTING) -> bool:
    """Whether a plain container holds something concolic, however deep."""
    if id(container) in path.journal.keyed:
        return True
    if type(container) is dict:
        return holds(container, depth) or holds(container.values(), depth)
    return holds(container, depth)


def watched(iterator: Any, operation: str) -> Any:
    """The values of an iterator on their way to C code; the first concolic one is recorded as lost."""
    for value in iterator:
        if type(value) in SYMBOLIC or (type(value) in _CONTAINERS and inside(value)):
            path.concretised(operation)
            yield value
            break
        yield value
    # Once is enough: the loss is recorded by place and name.
    yield from iterator


def is_output(stream: Any) -> bool:
    """Whether what is written there is never read again by the program: the standard streams as it found them."""
    # By name: the room of worlds stands beside this one and must not be imported here.
    return type(stream).__module__ == "ramify.runtime.worlds.isolate"


def is_partial(function: Any) -> bool:
    return type(function) is functools.partial


def is_iterator(value: Any) -> bool:
    """Whether a value is an iterator of Python's own, whose values nobody has seen yet."""
    kind = type(value)
    # A generator's values are computed only when somebody asks; C code that goes through it would be the first
    # to see them.
    if kind is types.GeneratorType:
        return True
    return kind not in SYMBOLIC and hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools")
