"""How results and exceptions travel from a worker to its parent, where no code of the target may run.

Values of builtin and standard types arrive as they are; anything else as a stand-in that has the same `repr`,
an exception as one of a class with the same name, the same text and the nearest builtin base.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from copyreg import dispatch_table
from dataclasses import dataclass
from functools import cache
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ramify.runtime.terms import message, spelled
from ramify.runtime.values import core

MAX_SIZE = 4 * 1024 * 1024
"""Bytes of one result that the parent keeps; of a larger one it learns the type and the size."""

MAX_TEXT = 110_000  # more than is left of a value that was cut
_STDLIB = os.path.dirname(os.__file__) + os.sep
_loads = pickle.loads
# Classes that the parent has too, and whether they are our own. No cache of a function: classes of the target,
# which are made anew in every run, must not be kept.
_known: dict[type, bool] = {}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Standin:
    """What is left of an object that cannot leave its process: its type's name and its repr."""

    type_name: str
    text: str

    def __repr__(self) -> str:
        return self.text


class UnknownException:
    """Base of exception classes that exist only in a worker; the text is what `str` gave there."""

    text: str

    def __str__(self) -> str:
        return self.text


def dumps(value: Any, most: int | None = None) -> bytes:
    """The value as bytes, whatever it is; if that would be more than `most`, only what it is."""
    try:
        data, sure = _pickled(value)
        if not sure:
            _loads(data)
    except MemoryError:
        raise
    except RecursionError:  # pickle is recursive
        data = _flat(value)
    except BaseException:
        data, _ = _pickled(standin(value))
    if most is not None and len(data) > most:
        name = _attribute(type(value), "__name__")
        data, _ = _pickled(Standin(name, f"<{name} of {len(data)} bytes, too large to keep>"))
    return data


def loads(data: bytes) -> Any:
    return _loads(data)


def _pickled(value: Any) -> tuple[bytes, bool]:
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    return file.getvalue(), pickler.sure


class _Pickler(pickle.Pickler):
    """Replaces what the parent cannot or must not rebuild. `sure`: nothing was met that might fail there."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.sure = True

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if kind in core.BUILTIN:
            return _itself, (core.plain(obj),)
        if kind is type and obj in _known:
            return NotImplemented
        if issubclass(kind, (type, FunctionType, BuiltinFunctionType)):
            return NotImplemented if _importable(obj) else _as_standin(obj)
        if kind not in _known:
            if not _importable(kind):
                return _as_standin(obj)
            _known[kind] = kind.__module__.startswith("ramify.")
        self.sure = self.sure and _known[kind]
        if kind in dispatch_table:
            return NotImplemented
        try:
            return obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except BaseException:  # a file, a generator, a lock
            return _as_standin(obj)


def _itself(value: Any) -> Any:
    return value


# -- what is nested too deeply for pickle -----------------------------------------------------------

_EMPTY: tuple[type, ...] = (list, dict, set)  # made before their elements are
_WHOLE: tuple[type, ...] = (tuple, frozenset)


@dataclass(frozen=True, slots=True, eq=False)
class _Flat:
    """Builtin containers as a table: the type of each and the numbers of its elements, those of `_WHOLE` after
    what they hold. The rest stands in `leaves`, which have the numbers before.
    """

    leaves: list[Any]
    nodes: list[tuple[int, list[int]]]
    root: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _nested, (self.leaves, self.nodes, self.root)


def _flat(value: Any) -> bytes:
    try:
        data, sure = _pickled(_flattened(value))
        if not sure:
            _loads(data)
    except MemoryError:
        raise
    except BaseException:
        data, _ = _pickled(standin(value))
    return data


def _flattened(value: Any) -> _Flat:
    """The value as a table, without recursion."""
    order: list[Any] = []  # containers, elements before those of `_WHOLE` that hold them
    leaves: list[Any] = []
    number: dict[int, int] = {}  # by id: of a container from 0 up, of a leaf from -1 down
    stack = [(value, False)]
    while stack:
        current, ready = stack.pop()
        if id(current) in number:
            continue
        kind = type(current)
        if kind not in _EMPTY and kind not in _WHOLE:
            leaves.append(current)
            number[id(current)] = -len(leaves)
        elif kind in _WHOLE and not ready:
            stack.append((current, True))
            stack.extend((part, False) for part in current)
        else:
            number[id(current)] = len(order)
            order.append(current)
            if kind in _EMPTY:
                stack.extend((part, False) for part in _listed(current))
    nodes = [((*_EMPTY, *_WHOLE).index(type(c)), [number[id(part)] for part in _listed(c)]) for c in order]
    return _Flat(leaves, nodes, number[id(value)])


def _listed(container: Any) -> list[Any]:
    if type(container) is dict:
        return [part for pair in container.items() for part in pair]
    return list(container)


def _nested(leaves: list[Any], nodes: list[tuple[int, list[int]]], root: int) -> Any:
    kinds: tuple[Any, ...] = (*_EMPTY, *_WHOLE)
    made: list[Any] = [kinds[kind]() if kind < len(_EMPTY) else None for kind, _ in nodes]

    def get(number: int) -> Any:
        return leaves[-number - 1] if number < 0 else made[number]

    for place, (kind, parts) in enumerate(nodes):
        if kind >= len(_EMPTY):
            made[place] = kinds[kind](map(get, parts))
    for place, (kind, parts) in enumerate(nodes):
        if kinds[kind] is list:
            made[place].extend(map(get, parts))
        elif kinds[kind] is set:
            made[place].update(map(get, parts))
        elif kinds[kind] is dict:
            made[place].update(zip(map(get, parts[::2]), map(get, parts[1::2]), strict=True))
    return made[root]


def _as_standin(obj: Any) -> tuple[Any, ...]:
    made = standin(obj)
    return Standin, (made.type_name, made.text)


def standin(obj: Any) -> Standin:
    name = _attribute(type(obj), "__name__")
    try:
        # A repr may return a text of a class of the target, which must stay here.
        text = _some(str.__str__(spelled(obj)))
    except BaseException as error:
        text = f"<{name} whose repr raised {_attribute(type(error), '__name__')}>"
    return Standin(name, text)


def _some(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}... (cut here; {len(text):,} characters in all)"


def _attribute(kind: type, name: str) -> str:
    """A name of a class, whatever its metaclass says."""
    try:
        return str.__str__(type.__dict__[name].__get__(kind))
    except (AttributeError, TypeError):
        return "?"


def _importable(obj: Any) -> bool:
    """Whether a class or function belongs to Python or to the engine, so that the parent finds the same one."""
    try:
        return _found(obj)
    except Exception:  # a metaclass of the target
        return False


def _found(obj: Any) -> bool:
    module = sys.modules.get(getattr(obj, "__module__", None) or "")
    if module is None:
        return False
    name = module.__name__
    if name.partition(".")[0] != "ramify" and name not in sys.builtin_module_names:
        file = os.path.abspath(getattr(module, "__file__", None) or "")
        if not file.startswith(_STDLIB) or "site-packages" in file[len(_STDLIB) :]:
            return False
    found: Any = module
    for name in str(getattr(obj, "__qualname__", "")).split("."):
        found = getattr(found, name, None)
    return found is obj


# -- exceptions -------------------------------------------------------------------------------------


def pack_exception(error: BaseException) -> tuple[Any, ...]:
    """The exception in a form that `unpack_exception` can raise again in the parent."""
    kind = type(error)
    text = _text(error)
    if _importable(kind):
        try:
            data, _ = _pickled(error)
            again = _loads(data)
            if type(again) is kind and _text(again) == text and len(data) <= MAX_SIZE:
                return (data,)
        except BaseException:  # its constructor wants something else than its args: it is described instead
            data = b""
    bases = type.__dict__["__mro__"].__get__(kind)[1:]
    base = next((b for b in bases if issubclass(b, BaseException) and _importable(b)), Exception)
    return _attribute(kind, "__module__"), _attribute(kind, "__qualname__"), base, text


def unpack_exception(packed: tuple[Any, ...]) -> BaseException:
    if len(packed) == 1:
        error: BaseException = _loads(packed[0])
        return error
    module, qualname, base, text = packed
    kind = _class(module, qualname, base)
    made: Any = kind.__new__(kind, text)
    made.text = text
    described: BaseException = made
    return described


@cache
def _class(module: str, qualname: str, base: type) -> type:
    """The class of the stand-ins for exceptions of one class."""
    names = {"__module__": module, "__qualname__": qualname}
    return type(qualname.rpartition(".")[2], (UnknownException, base), names)


def _text(error: BaseException) -> str:
    try:
        return _some(str.__str__(message(error)))
    except BaseException:
        return f"<{_attribute(type(error), '__name__')} without text>"
