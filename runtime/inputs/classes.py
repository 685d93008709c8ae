"""From user classes to shapes: constructors, class methods that make objects, subclasses, and generics."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ramify.errors import InputError
from ramify.runtime.inputs.annotations import READ, Context, shape_of
from ramify.runtime.inputs.discovery import is_open, refined
from ramify.runtime.inputs.evidence import Evidence
from ramify.runtime.inputs.shapes.base import Maker, Shape
from ramify.runtime.inputs.shapes.call import POSITIONAL_ONLY, Arguments, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Concrete, Extra, choice
from ramify.runtime.inputs.shapes.objects import Driven, Instance
from ramify.runtime.recording import Rejected, path
from ramify.runtime.terms import Assignment

PROTOCOL_METHODS = ("__len__", "__call__", "__iter__", "__next__", "__getitem__", "__enter__", "__exit__")


def instance(cls: type, arguments: tuple[Any, ...], context: Context, exact: bool = False) -> Shape:
    """An object of a class or, unless it must be `exact`, of a subclass that the module defines."""
    variables = substitution(cls, arguments)
    abstract = is_abstract(cls)
    shapes: list[Shape] = [] if abstract else [_constructed(cls, variables, context)]
    # Inside other objects one way to make it is enough: the ways would multiply.
    if not abstract and not context.nested:
        shapes += [Extra(shape) for shape in _factories(cls, variables, context)]
    others = [] if exact and not abstract else implementations(cls, context)
    for other in others:
        shape = _constructed(other, substitution(other, ()), context)
        shapes.append(shape if abstract else Extra(shape))
    if not shapes:
        what = "a protocol" if getattr(cls, "_is_protocol", False) else "abstract"
        raise context.unsupported(
            cls, f"{cls.__qualname__} is {what}, and no class of the module implements it; name one"
        )
    made = choice(shapes)
    return made if context.nested else Driven(made, lambda: _methods(cls, variables, context))


def is_abstract(cls: type) -> bool:
    return inspect.isabstract(cls) or bool(getattr(cls, "_is_protocol", False))


def concrete_classes(cls: type, context: Context) -> list[type]:
    """A class and those that may stand for it."""
    return ([] if is_abstract(cls) else [cls]) + implementations(cls, context)


def implementations(cls: type, context: Context) -> list[type]:
    """The classes of the module that an object of this class may really have."""
    # A subclass of `dict` in the module is no usual `dict`; of an abstract class somebody has to be one.
    if cls.__module__ in sys.stdlib_module_names and not is_abstract(cls):
        return []
    protocol = bool(getattr(cls, "_is_protocol", False))
    wanted = _members(cls) if protocol else set()
    found: list[type] = []
    for value in list(context.scope.values()):
        if not isinstance(value, type) or value is cls or value in found or is_abstract(value):
            continue
        if value.__module__ != context.scope.get("__name__", value.__module__) or value.__module__ == "typing":
            continue
        try:
            # A protocol needs no inheritance, only its members.
            suits = wanted <= set(dir(value)) if protocol and wanted else issubclass(value, cls)
        # `issubclass` of a protocol with attributes is a TypeError.
        except TypeError:
            suits = False
        if suits:
            found.append(value)
    return found


def _members(protocol: type) -> set[str]:
    """What a protocol asks for."""
    names: set[str] = set()
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False) and base is not typing.Protocol:
            names |= {n for n in (*vars(base), *getattr(base, "__annotations__", {})) if not n.startswith("_")}
            names |= {n for n in PROTOCOL_METHODS if n in vars(base)}
    return names


def substitution(cls: type, arguments: tuple[Any, ...]) -> dict[Any, Any]:
    """What the type variables of a class and its bases stand for."""
    found = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    for base in getattr(cls, "__orig_bases__", ()):
        origin = typing.get_origin(base)
        if isinstance(origin, type) and origin is not typing.Generic:
            given = tuple(found.get(a, a) if isinstance(a, typing.TypeVar) else a for a in typing.get_args(base))
            # What the class itself says wins over its bases.
            found = {**substitution(origin, given), **found}
    return found


def _constructed(cls: type, variables: Mapping[Any, Any], context: Context) -> Instance:
    return Instance(cls, _once(lambda: _constructor(cls, variables, context)))


def _once(compute: Callable[[], Any]) -> Callable[[], Any]:
    """Computed when first needed: a class may contain itself."""
    known: list[Any] = []
    computing: list[bool] = []

    def value() -> Any:
        if not known:
            # Its arguments are being read further up: this way leads back to where it began.
            if computing:
                raise RecursionError("a class that is needed to build itself")
            computing.append(True)
            try:
                known.append(compute())
            finally:
                computing.clear()
        return known[0]

    return value


def _constructor(cls: type, variables: Mapping[Any, Any], context: Context) -> Arguments:
    for name in ("__init__", "__new__"):
        function = inspect.getattr_static(cls, name, None)
        function = inspect.unwrap(getattr(function, "__func__", function))  # decorators may hide parameters
        if isinstance(function, types.FunctionType):
            found = _arguments(function, cls, variables, context, 1)
            # What other modules' constructors do with any value is not ours to find out (they may start programs).
            return _tried_out(found, cls) if cls.__module__ == context.scope.get("__name__") else found
    for base in cls.__mro__:
        if base in (list, dict, set, frozenset, tuple, int, float, str, bytes):
            shape = shape_of(base, replace(context, nested=True, evidence=Evidence()))
            # `int.__new__` copies the concrete value into the subclass.
            loses = base in (int, float, str, bytes)
            return Arguments([ShapedParameter("value", POSITIONAL_ONLY, Concrete(shape) if loses else shape)])
    return Arguments([])


def _tried_out(arguments: Arguments, cls: type) -> Arguments:
    """A constructor without annotations tells by running which types it takes."""
    if not any(map(is_open, arguments.parameters)):
        return arguments

    def attempt(parameters: Sequence[ShapedParameter], assignment: Assignment) -> BaseException | None:
        with path.paused():
            # Trying out types is no run: nothing is recorded.
            try:
                call = Arguments(parameters).build(Maker(assignment, plain=True), 1)
        # Counted as a type that does not fit.
            except (Rejected, RecursionError):
                return TypeError()
            try:
                call.perform(cls)
            except (Rejected, RecursionError):
                return TypeError()
            except Exception as error:  # the target's own
                return error
        return None

    return Arguments(refined(arguments.parameters, attempt))


def _arguments(
    function: types.FunctionType, cls: type, variables: Mapping[Any, Any], context: Context, skip: int
) -> Arguments:
    """The parameters of a function that belongs to a class, without its first."""
    where = f"{cls.__qualname__}.{function.__name__}"
    module = vars(sys.modules.get(cls.__module__) or types.SimpleNamespace())
    own = {k: v for k, v in function.__globals__.items() if k != "__builtins__"}  # a namedtuple's has none
    scope = {**context.scope, **module, **own, cls.__name__: cls}
    inside = replace(context, what=where, scope=scope, variables=variables, owner=cls, nested=True)
    return Arguments(READ.read_parameters(function, inside, skip=skip))


def _factories(cls: type, variables: Mapping[Any, Any], context: Context) -> Iterator[Instance]:
    """The class methods that make an object of the class."""
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", None)
        if name.startswith("_") or not isinstance(value, (classmethod, staticmethod)):
            continue
        if isinstance(function, types.FunctionType) and _makes(function, cls, isinstance(value, classmethod)):
            skip = int(isinstance(value, classmethod))
            try:
                _arguments(function, cls, variables, context, skip)
            except (InputError, RecursionError):
                continue  # one way fewer to make an object
            yield Instance(cls, _once(partial(_arguments, function, cls, variables, context, skip)), name)


def _makes(function: types.FunctionType, cls: type, method: bool) -> bool:
    says = function.__annotations__.get("return")
    if says is not None:
        # Annotations may be texts.
        names = (cls.__name__, cls.__qualname__, "Self", "typing.Self")
        return says is cls or says is typing.Self or (isinstance(says, str) and says in names)
    if not method:
        return False
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return False
    # Without an annotation, the text of the function is all there is to go by.
    return re.search(r"return cls\(", source) is not None


def _methods(cls: type, variables: Mapping[Any, Any], context: Context) -> dict[str, Arguments]:
    """The public methods whose parameters can be built."""
    found: dict[str, Arguments] = {}
    for name in dict.fromkeys(n for base in cls.__mro__ if base is not object for n in vars(base)):
        function = inspect.getattr_static(cls, name, None)
        if name.startswith("_") or not isinstance(function, types.FunctionType):
            continue
        # Calling them runs nothing.
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            continue
        try:
            found[name] = _arguments(function, cls, variables, context, 1)
        except InputError:
            continue  # it cannot be called, the others can
    return found


READ.concrete_classes, READ.instance = concrete_classes, instance
