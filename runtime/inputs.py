"""From types to shapes: what the annotations, the docstring or the defaults of a function say about its
inputs.
"""

from __future__ import annotations

import ast
import collections.abc as abc
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ramify.errors import InputError
from ramify.runtime import contract as contracts
from ramify.runtime.nodes import BOOL, FLOAT, INT, STR
from ramify.runtime.shapes import (
    Bytes,
    Choice,
    DictOf,
    Fixed,
    Instance,
    ListOf,
    Scalar,
    SetOf,
    Shape,
    TupleOf,
    VariadicTuple,
)

SCALARS: dict[Any, Shape] = {
    int: Scalar(INT),
    bool: Scalar(BOOL),
    float: Scalar(FLOAT),
    str: Scalar(STR),
    bytes: Bytes(),
}
LISTS = (list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection)
DICTS = (dict, abc.Mapping, abc.MutableMapping)
SETS = (set, frozenset, abc.Set, abc.MutableSet)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a target with the shape of its input."""

    name: str
    kind: Any  # inspect's kind of parameter
    shape: Shape


def parameters(
    function: Callable[..., Any], owner: type | None = None, given: Mapping[str, Any] | None = None
) -> list[Parameter]:
    """The parameters of a function. `owner` is the class of a method; `given` types win over all others."""
    where = getattr(function, "__qualname__", repr(function))
    contract = contracts.of(function)
    scope = _scope(function, owner)
    hints = _hints(function, scope)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise InputError(f"{where} has no signature that Python knows; wrap it in a function") from None
    found = []
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        what = f"parameter {name!r} of {where}"
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if given is not None and name in given:
            kind = given[name]
            of = shape_of_expression if isinstance(kind, ast.expr) else shape_of
            shape = of(kind, what, scope)
        elif name in contract.types:
            shape = shape_of_expression(contract.types[name], what, scope)
        elif number == 0 and owner is not None:
            shape = shape_of(owner, what, scope)
        elif name in hints:
            shape = shape_of(hints[name], what, scope)
            if parameter.kind is parameter.VAR_POSITIONAL:
                shape = ListOf(shape)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            shape = ListOf(SCALARS[int])
        elif type(parameter.default) in SCALARS or parameter.default is None:
            shape = shape_of(type(parameter.default), what, scope)
        else:
            raise InputError(
                f"{what} has no type; annotate it, or write `:types: {name}: int` in its docstring, or use --types"
            )
        found.append(Parameter(name, parameter.kind, _seeded(shape, parameter.default)))
    return found


def _seeded(shape: Shape, default: Any) -> Shape:
    """A parameter's default value is the first one to try."""
    if (
        isinstance(shape, Scalar)
        and default is not inspect.Parameter.empty
        and SCALARS.get(type(default)) == shape
    ):
        return Scalar(shape.sort, default)
    return shape


def _scope(function: Callable[..., Any], owner: type | None) -> dict[str, Any]:
    scope = dict(vars(typing))
    scope.update(getattr(function, "__globals__", {}))
    if owner is not None:
        scope.setdefault(owner.__name__, owner)
    return scope


def _hints(function: Callable[..., Any], scope: dict[str, Any]) -> dict[str, Any]:
    raw = getattr(function, "__annotations__", {})
    try:
        return typing.get_type_hints(function, scope)
    except Exception:  # one bad annotation must not hide the others
        hints = {}
        for name, annotation in raw.items():
            try:
                hints[name] = eval(annotation, scope) if isinstance(annotation, str) else annotation
            except Exception:
                continue
        return hints


def shape_of_expression(node: ast.expr, what: str, scope: dict[str, Any]) -> Shape:
    """The shape of a type written in a `:types:` contract, where a list means alternatives."""
    if isinstance(node, ast.List):
        return choice([shape_of_expression(item, what, scope) for item in node.elts])
    text = ast.unparse(node)
    try:
        return shape_of(eval(text, scope), what, scope)
    except NameError as error:
        raise InputError(f"{what}: {error}, in `:types:` {text!r}") from None


def shape_of(kind: Any, what: str, scope: dict[str, Any]) -> Shape:
    """The shape of a type or annotation."""
    if isinstance(kind, str):
        kind = eval(kind, scope)
    if kind is None or kind is type(None):
        return Fixed(None)
    if kind in SCALARS:
        return SCALARS[kind]
    origin, arguments = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is typing.Union or origin is types.UnionType:
        return choice([shape_of(a, what, scope) for a in arguments])
    if origin is typing.Literal:
        return choice([Fixed(a) for a in arguments])
    if origin is typing.Annotated:
        return shape_of(arguments[0], what, scope)
    if origin in LISTS:
        return ListOf(shape_of(arguments[0], what, scope) if arguments else SCALARS[int])
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        return TupleOf(tuple(shape_of(a, what, scope) for a in arguments if a != ()))
    if origin is tuple:
        return VariadicTuple(shape_of(arguments[0], what, scope) if arguments else SCALARS[int])
    if origin in DICTS:
        return DictOf(*(shape_of(a, what, scope) for a in arguments or (int, int)))
    if origin in SETS:
        return SetOf(shape_of(arguments[0], what, scope) if arguments else SCALARS[int], origin is frozenset)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return choice([Fixed(member) for member in kind])
    if isinstance(kind, type) and kind.__module__ != "builtins":
        return instance(kind, what)
    raise InputError(f"{what}: inputs of type {kind!r} are not supported yet; give another type with `:types:`")


def choice(alternatives: list[Shape]) -> Shape:
    return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))


def instance(cls: type, what: str) -> Instance:
    """An object of a class, its constructor's parameters found when they are first needed (a class may
    contain itself).
    """
    cache: dict[str, Shape] = {}

    def constructor() -> dict[str, Shape]:
        if not cache:
            init = vars(cls).get("__init__") or cls.__init__  # type: ignore[misc]
            init = inspect.unwrap(init)
            if isinstance(init, types.FunctionType):
                given = None
                found = parameters(_bound_to(init, cls), None, given)
                cache.update(
                    {p.name: p.shape for p in found[1:] if p.kind is not inspect.Parameter.VAR_POSITIONAL}
                )
        return cache

    return Instance(cls, constructor)


def _bound_to(init: types.FunctionType, cls: type) -> types.FunctionType:
    """The constructor with `self` annotated, so that it needs no special case; its names resolve in the
    class's module.
    """
    module = sys.modules.get(cls.__module__)
    scope = (
        init.__globals__
        if cls.__name__ in init.__globals__ or module is None
        else {**vars(module), **init.__globals__}
    )
    copy = types.FunctionType(
        init.__code__, {**scope, cls.__name__: cls}, init.__name__, init.__defaults__, init.__closure__
    )
    copy.__kwdefaults__ = init.__kwdefaults__
    copy.__doc__ = init.__doc__
    copy.__qualname__ = f"{cls.__qualname__}.{init.__name__}"
    first = next(iter(inspect.signature(init).parameters), "self")
    copy.__annotations__ = {**init.__annotations__, first: None}
    copy.__annotations__.pop("return", None)
    return copy
