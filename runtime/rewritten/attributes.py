"""Attributes that are stored: Python code keeps the value as it is, C code may read it and keep something else.

Rewritten code stores into `onto(receiver)`. That is the receiver itself if its class leaves all its attributes to
Python, which is found out once for each class and run; else what notes a concolic value that goes to C code.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from ramify.runtime.losses import holds, is_c_type, is_opaque
from ramify.runtime.recording import path
from ramify.runtime.rewritten.subscripts import item, store
from ramify.runtime.values import core

# One set for all runs, which is emptied between them: rewritten code holds it under a name and asks inline.
KEEPING = path.journal.keeping

# C code that keeps any object as it is.
_KEPT: dict[type, frozenset[str]] = {
    BaseException: frozenset({"__cause__", "__context__", "__traceback__", "__notes__"}),
    SystemExit: frozenset({"code"}),
    StopIteration: frozenset({"value"}),
    # Data descriptors in C: a cell that is stored and read back unchanged.
    types.FunctionType: frozenset({"__defaults__", "__kwdefaults__", "__dict__"}),
}
_GENERIC = (object.__setattr__, type.__setattr__, types.ModuleType.__setattr__)


def onto(receiver: Any) -> Any:
    """What an attribute of a receiver is to be stored into."""
    kind = type(receiver)
    # Found out before: this is what loops pay.
    if kind in KEEPING:
        return receiver
    if _keeps_all(kind):
        KEEPING.add(kind)
        return receiver
    return Onto(receiver)


class Onto:
    """Stands for the receiver where Python itself stores an attribute: `onto(receiver).name = value`."""

    __slots__ = ("receiver",)

    def __init__(self, receiver: Any) -> None:
        # The class overrides `__setattr__` for what the program stores.
        object.__setattr__(self, "receiver", receiver)

    def __getattribute__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "receiver"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        receiver = object.__getattribute__(self, "receiver")
        setattr(receiver, name, stored(receiver, name, value))

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "receiver"), name)


class Within(Onto):
    """Stands for a container or receiver in `within(container)[key] += value`: models compute the sum."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        return Held(super().__getattribute__(name))

    def __getitem__(self, key: Any) -> Any:
        return Held(item(object.__getattribute__(self, "receiver"), key))

    def __setitem__(self, key: Any, value: Any) -> None:
        store(value, object.__getattribute__(self, "receiver"), key)


class Held:
    """What `within(container)[key]` holds: an operator of an augmented assignment gives what is stored."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def operators(functions: Mapping[str, Callable[[Any, Any], Any]]) -> None:
    """Gives `Held` the operators that work in place, by name."""
    for name, function in functions.items():
        setattr(Held, f"__i{name}__", lambda held, right, function=function: function(held.value, right))


def stored(receiver: Any, name: str, value: Any) -> Any:
    """A value on its way into an attribute; if C code takes it there, a term is lost on record."""
    if isinstance(receiver, type):
        # `Class.attribute = property(...)`, for one.
        KEEPING.clear()  # what a class does with attributes may change with it
    if not holds((value,)) or not takes(type(receiver), name):
        return value
    path.concretised(f"{type(receiver).__name__}.{name} =")
    return bool(value) if core.BUILTIN.get(type(value)) is bool else value


def loses_attribute(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call of `setattr`, or of a method that does the same, gives its value to C code."""
    name, receiver = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    if function is setattr or (name == "__setattr__" and type(function) is types.WrapperDescriptorType):
        return len(args) == 3 and isinstance(args[1], str) and takes(type(args[0]), args[1])
    if name == "__setattr__":
        return len(args) == 2 and isinstance(args[0], str) and takes(type(receiver), args[0])
    if name == "__set__" and receiver is not None:
        cls: Any = getattr(receiver, "__objclass__", object)
        return _reads(cls, getattr(receiver, "__name__", ""), receiver)
    return False


def takes(kind: type, name: str) -> bool:
    """Whether C code, or Python code that is not rewritten, reads what is stored in an attribute."""
    setter: Any = kind.__setattr__
    if type(setter) is types.FunctionType:
        return is_opaque(setter)
    # `threading.local` has a setter in C that stores into a dict of the thread.
    if setter not in _GENERIC and kind.__name__ != "_local":
        return True
    for cls in kind.__mro__:
        if name in vars(cls):
            return _reads(cls, name, vars(cls)[name])
    return False


def _keeps_all(kind: type) -> bool:
    """Whether no attribute of the instances of a class is read by code that does not tell."""
    setter: Any = kind.__setattr__
    if type(setter) is types.FunctionType:
        return not is_opaque(setter)
    return setter in _GENERIC and not any(
        # Without `object`: its only data descriptor is `__class__`.
        _reads(cls, name, value) for cls in kind.__mro__[:-1] for name, value in vars(cls).items()
    )


def _reads(cls: type, name: str, descriptor: Any) -> bool:
    """Whether what a class has under a name is a data descriptor that reads the value."""
    setter: Any = getattr(type(descriptor), "__set__", None)
    if setter is None or name in ("__dict__", "__weakref__"):
        return False
    if type(descriptor) is property:
        setter = descriptor.fset
    # A member of a C class may be a C int or char.
    elif type(descriptor) is types.MemberDescriptorType and not is_c_type(cls):
        return False  # a slot of a class in Python
    if type(setter) is types.FunctionType:
        return is_opaque(setter)
    return setter is not None and name not in _KEPT.get(cls, ())
