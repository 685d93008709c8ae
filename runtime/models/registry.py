"""The tables of models, and how a function becomes one."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

from ramify.runtime.values import core

Model = Callable[..., Any]

# Not put into `builtins`: replacing a type there breaks `isinstance`, base classes and `case int()`.
BUILTINS: dict[Any, Model] = {}
"""By builtin function or type. Types are never replaced: whoever rewrites calls dispatches them there."""

LIBRARY: dict[Any, Model] = {}
"""By function of any module, class of any module, or method of a class taken from it (`str.upper`)."""

METHODS: dict[tuple[type, str], Model] = {}
"""By type of a plain receiver and name of the method; the model's first argument is the receiver."""

COMPLETE: set[Model] = set()
"""The models that are the original for every argument, also for iterators that give concolic values later."""

NOTHING: Any = object()
CONCOLIC = core.BUILTIN.keys()
# Set by the room above (`rewritten`), which imports this one.
_dispatcher: list[Model] = []


def models(original: Any, table: dict[Any, Model] = BUILTINS) -> Callable[[Model], Model]:
    """Registers a function as it is: it must itself behave as the original for every argument."""

    def register(model: Model) -> Model:
        table[original] = named_like(original, model)
        COMPLETE.add(model)
        return model

    return register


def models_concolic(original: Any, table: dict[Any, Model] = BUILTINS) -> Callable[[Model], Model]:
    """Registers a function that is only called when an argument is concolic; else the original runs.

    The function may have a plain signature: what the original would refuse to be called with, it refuses.
    """

    def register(model: Model) -> Model:
        table[original] = named_like(original, guarded(original, model))
        return table[original]

    return register


def models_one(original: Any, table: dict[Any, Model] = BUILTINS) -> Callable[[Model], Model]:
    """The same for a function of one value, which costs less when the value is plain."""

    def register(model: Model) -> Model:
        @functools.wraps(model)
        def call(value: Any = NOTHING, /, *rest: Any, **keywords: Any) -> Any:
            # The concolic case is looked for, not tried: an exception of the model must come through as it is.
            if type(value) in core.BUILTIN and not rest and not keywords:
                return model(value)
            if rest or keywords or value is NOTHING:
                return original(*(() if value is NOTHING else (value,)), *rest, **keywords)
            return original(value)

        table[original] = named_like(original, call)
        return call

    return register


def named_like(original: Any, model: Model) -> Model:
    """The model under the name that a program, or a traceback, may show."""
    model.__name__ = model.__qualname__ = original.__name__
    return model


def models_method(kind: type, name: str) -> Callable[[Model], Model]:
    """Registers the model of a method with a plain receiver."""

    def register(model: Model) -> Model:
        METHODS[kind, name] = model
        return model

    return register


def guarded(original: Callable[..., Any], model: Model) -> Model:
    @functools.wraps(model)
    def call(first: Any = NOTHING, /, *rest: Any, **keywords: Any) -> Any:
        if not rest and not keywords and type(first) not in CONCOLIC and first is not NOTHING:
            return original(first)  # the most frequent call, and the one that must cost little
        args = () if first is NOTHING else (first, *rest)
        if CONCOLIC.isdisjoint(map(type, args)) and (
            not keywords or CONCOLIC.isdisjoint(map(type, keywords.values()))
        ):
            return original(*args, **keywords)
        try:
            return model(*args, **keywords)
        except TypeError:
            if binds(model, args, keywords):
                raise
        return original(*map(core.plain, args), **{k: core.plain(v) for k, v in keywords.items()})

    return call


def binds(model: Model, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether the function can be called like this."""
    try:
        inspect.signature(model).bind(*args, **keywords)
    except TypeError:
        return False
    return True


def dispatch_with(call: Model) -> None:
    """Says who calls C functions without a model of their own that are handed over."""
    _dispatcher[:] = [call]


def model_of(function: Any) -> Any:
    """What stands for a function that is handed to another one: `map(int, words)`, `sorted(words, key=len)`."""
    try:
        # A callable without a hash raises TypeError.
        model = BUILTINS.get(function) or LIBRARY.get(function)
    except TypeError:
        return function
    # A C function that another C function will call: nobody else would see what it is given.
    if model is None and isinstance(function, HANDED_OVER) and _dispatcher:
        return functools.partial(_dispatcher[0], function)
    return model or function


HANDED_OVER = (types.BuiltinFunctionType, types.MethodDescriptorType, types.MethodWrapperType)


def concolic_among(values: Iterable[Any]) -> bool:
    """Whether one of the values is concolic, without looking further in."""
    return not CONCOLIC.isdisjoint(map(type, values))
