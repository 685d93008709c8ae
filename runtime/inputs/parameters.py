"""The parameters of a function with the shapes of their inputs, from the strongest source that says something:
the user, a contract, annotations, defaults, the body.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import reduce
from typing import Any

from ramify.cfg.source_file import source_file
from ramify.errors import InputError
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.inputs import guesses
from ramify.runtime.inputs.annotations import (
    ANYTHING,
    INTEGER,
    NOTHING,
    PLAIN,
    READ,
    Context,
    record,
    shape_of,
    shape_of_expression,
)
from ramify.runtime.inputs.classes import instance
from ramify.runtime.inputs.evidence import Evidence, evidence_of
from ramify.runtime.inputs.shapes.base import Shape
from ramify.runtime.inputs.shapes.call import EMPTY, KEYWORDS, REST, Arguments, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Choice, choice
from ramify.runtime.inputs.shapes.containers import ListOf, Record, Settled
from ramify.runtime.inputs.shapes.objects import Blank
from ramify.runtime.inputs.shapes.scalars import Scalar

MAX_KEYWORDS = 4
UNKNOWN_KEYWORD = "other"


def parameters(
    function: Callable[..., Any],
    owner: type | None = None,
    given: Mapping[str, Any] | None = None,
    notes: list[str] | None = None,
) -> list[ShapedParameter]:
    """The parameters of a target. `owner` is the class of a method; `given` types win over all others; `notes`
    receives what the user should know.
    """
    where = getattr(function, "__qualname__", repr(function))
    context = Context(where, scope_of(function, owner), owner=owner)
    found = read_parameters(function, context, given=given or {}, method=owner is not None, notes=notes)
    for parameter in found:
        if parameter.shape is not None:
            check(parameter.shape, f"parameter {parameter.name!r} of {where}", ())
    return found


def read_parameters(
    function: Callable[..., Any],
    context: Context,
    *,
    skip: int = 0,
    given: Mapping[str, Any] = types.MappingProxyType({}),
    method: bool = False,
    notes: list[str] | None = None,
) -> list[ShapedParameter]:
    """The parameters of any function, also of a constructor, without the first `skip` of them."""
    where = context.what
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise InputError(f"{where} has no signature that Python knows; wrap it in a function") from None
    reader = _Reader(function, context, given, method, [] if notes is None else notes)
    return [
        reader.parameter(number, parameter, signature)
        for number, parameter in enumerate(signature.parameters.values())
        if number >= skip
    ]


class _Reader:
    """Reads the parameters of one function."""

    def __init__(
        self,
        function: Callable[..., Any],
        context: Context,
        given: Mapping[str, Any],
        method: bool,
        notes: list[str],
    ) -> None:
        self._where = context.what
        self._context = context
        self._given = given
        self._method = method
        self._notes = notes
        self._constructor = getattr(function, "__name__", "") == "__init__"
        self._made = class_made(function)
        self._contract = contracts.of(function)
        self._hints = hints_of(function, context.scope)
        self._evidence = evidence_of(function)

    def parameter(
        self, number: int, parameter: inspect.Parameter, signature: inspect.Signature
    ) -> ShapedParameter:
        name = parameter.name
        evidence = self._evidence.get(name, Evidence())
        what = f"parameter {name!r} of {self._where}"
        context = replace(self._context, what=what, evidence=evidence)
        try:
            shape = self._shape(number, parameter, context)
        except InputError as error:
            # Without a default there is no call without it.
            if parameter.default is EMPTY and parameter.kind not in (REST, KEYWORDS):
                raise
            self._notes.append(f"{error}. It is always left out")
            return ShapedParameter(name, parameter.kind, None, parameter.default)
        if parameter.kind is REST:
            # `:types: args: list[int]` may mean the whole tuple; an annotation means one argument.
            shape = shape if isinstance(shape, (ListOf, Settled)) and name in self._said else ListOf(shape)
        elif parameter.kind is KEYWORDS:
            shape = shape if isinstance(shape, Record) else self._keywords(shape, evidence, signature)
        given = number == 0 and (self._method or self._made is not None)
        declared = name in self._said or name in self._hints or given
        unchecked = name not in self._said and mentions_any(self._hints.get(name))
        default = parameter.default
        wide = is_wide(self._given.get(name, self._hints.get(name)))
        shape = seeded(shape, default)
        return ShapedParameter(name, parameter.kind, shape, default, not declared, unchecked, wide)

    @property
    def _said(self) -> set[str]:
        return {*self._given, *self._contract.types}

    def _shape(self, number: int, parameter: inspect.Parameter, context: Context) -> Shape:
        name = parameter.name
        if name in self._said:
            kind = self._given[name] if name in self._given else self._contract.types[name]
            said = replace(context, evidence=Evidence())  # what is given is taken literally
            shape = shape_of_expression(kind, said) if isinstance(kind, ast.expr) else shape_of(kind, said)
            if name in self._contract.types:
                return shape
            return guesses.with_tested(shape, context, declared=True)  # as an annotation
        if number == 0 and self._method and context.owner is not None:
            # An Enum is made of its members, never constructed.
            if issubclass(context.owner, Enum):
                return shape_of(context.owner, context)
            if self._constructor:
                return Blank(context.owner)
            return instance(context.owner, (), context, exact=True)
        if name in self._hints:
            declared = self._annotated(self._hints[name], parameter, context)
            if declared is not None:
                return declared
        if number == 0 and self._made is not None:
            return shape_of(type[self._made], context)
        if parameter.default is not EMPTY:
            return guesses.with_tested(self._from_default(parameter.default, context), context, declared=False)
        if parameter.kind in (REST, KEYWORDS):
            return self._element(context)
        return choice(guesses.guessed(context) or list(ANYTHING))

    def _annotated(self, kind: Any, parameter: inspect.Parameter, context: Context) -> Shape | None:
        """The shape of an annotation; None if it cannot be resolved and the body has to do."""
        if isinstance(kind, str):
            self._notes.append(
                f"{context.what}: the annotation {kind!r} cannot be resolved at run time; its type is guessed from"
                " the body (give it with `:types:` or --types)"
            )
            return None
        if parameter.kind is KEYWORDS and typing.get_origin(kind) is typing.Unpack:
            return record(*_parts(typing.get_args(kind)[0]), context)
        shape = shape_of(kind, context)
        return guesses.with_tested(shape, context, declared=kind not in (Any, object))

    def _element(self, context: Context) -> Shape:
        inside = [s for e in context.evidence.elements for s in guesses.guessed(replace(context, evidence=e))]
        return inside[0] if inside else INTEGER

    def _from_default(self, default: Any, context: Context) -> Shape:
        kind = type(default)
        if default is None:
            likely = guesses.guessed(context)
            if not likely and context.evidence.uses:
                likely = list(ANYTHING[:3])
            return choice([NOTHING, *likely])
        # The default's type, and floats where a default of 0 or 1 is used as one.
        if kind in PLAIN or kind in (list, dict, set, frozenset, tuple):
            wider = [s for s in guesses.guessed(context) if kind is int and s.kind is float]
            return choice([shape_of(kind, context), *wider])
        if callable(default) and not isinstance(default, type):
            return choice(guesses.guessed(context) or [shape_of(Callable, context)])
        try:
            return shape_of(kind, context)
        except InputError:
            return choice(guesses.guessed(context) or list(ANYTHING))

    def _keywords(self, shape: Shape, evidence: Evidence, signature: inspect.Signature) -> Record:
        """Keywords that the function looks for, and one that it does not know."""
        keys = [key for key in dict.fromkeys(evidence.keys) if key not in signature.parameters][:MAX_KEYWORDS]
        # What a function does with a keyword it does not know is a path of its own.
        other = UNKNOWN_KEYWORD
        while other in signature.parameters or other in keys:
            other += "_"
        return Record((), tuple((key, shape) for key in [*keys, other]))


def class_made(function: Callable[..., Any]) -> type | None:
    """The class of a `__new__`: a static method whose first argument is nevertheless known."""
    owner, _, name = getattr(function, "__qualname__", "").rpartition(".")
    if name != "__new__" or "<locals>" in owner:
        return None
    scope = getattr(function, "__globals__", {})
    first, *inner = owner.split(".")
    found = reduce(lambda holder, part: getattr(holder, part, None), inner, scope.get(first))
    return found if isinstance(found, type) else None


def mentions_any(kind: Any) -> bool:
    """Whether a type says `Any` somewhere: type checkers then check nothing."""
    if isinstance(kind, (list, tuple)):
        return any(map(mentions_any, kind))
    return kind is Any or any(map(mentions_any, typing.get_args(kind)))


def is_wide(kind: Any) -> bool:
    """Whether a type says `object` or an abstract class somewhere: inputs are of some classes of those only."""
    if isinstance(kind, (list, tuple)):
        return any(map(is_wide, kind))
    origin = typing.get_origin(kind) or kind
    abstract = isinstance(origin, type) and (inspect.isabstract(origin) or getattr(origin, "_is_protocol", False))
    return origin is object or abstract or any(map(is_wide, typing.get_args(kind)))


def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    return typing.get_origin(kind) or kind, typing.get_args(kind)


def seeded(shape: Shape, default: Any) -> Shape:
    """A parameter's default value is the first one to try."""
    if isinstance(shape, Choice):
        return replace(shape, alternatives=tuple(seeded(s, default) for s in shape.alternatives))
    if isinstance(shape, Scalar) and default is not EMPTY and type(default) is shape.kind:
        return replace(shape, default=default)
    return shape


def scope_of(function: Callable[..., Any], owner: type | None = None) -> dict[str, Any]:
    """The names that annotations and contracts of a function may use."""
    # Annotations in contracts may say `Optional` without an import.
    scope = dict(vars(typing))
    scope.update(getattr(function, "__globals__", {}))
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(getattr(getattr(function, "__code__", None), "co_freevars", ()), cells, strict=False):
        try:
            # A local class may be named in the annotations of a local function.
            scope.setdefault(name, cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    for holder in (owner, function):
        scope.update({p.__name__: p for p in getattr(holder, "__type_params__", ())})
    if owner is not None:
        scope.setdefault(owner.__name__, owner)
    return scope


def hints_of(function: Callable[..., Any], scope: dict[str, Any]) -> dict[str, Any]:
    """The annotations of a function; one that cannot be resolved stays a text."""
    raw = dict(getattr(function, "__annotations__", {}))
    raw.pop("return", None)
    hints: dict[str, Any] = {}
    for name, annotation in raw.items():
        hints[name] = annotation
        if isinstance(annotation, str):
            # What only type checkers import is looked for last: importing it runs code.
            for names in (scope, None):
                try:
                    hints[name] = eval(annotation, dict(names or {**scope, **type_checking_names(function)}))
                    break
                except Exception:
                    continue
    return hints


def type_checking_names(function: Callable[..., Any]) -> dict[str, Any]:
    """What the module imports for type checkers only, as far as it can be imported."""
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    file = getattr(module, "__file__", None) or getattr(getattr(function, "__code__", None), "co_filename", None)
    names: dict[str, Any] = {}
    try:
        tree = source_file(file or "").tree
    except InputError:
        return names
    package = getattr(function, "__globals__", {}).get("__package__")
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.body:
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    scope = {"__package__": package, "__name__": f"{package}.x" if package else "x"}
                    try:
                        exec(compile(ast.Module([statement], []), "<type checking>", "exec"), scope)
                    except Exception:
                        continue
                    names.update({k: v for k, v in scope.items() if not k.startswith("__")})
    return names


def check(shape: Shape, what: str, above: tuple[type, ...]) -> None:
    """Whether an input can be built at all: an object that always needs another one of its class cannot."""
    if not ends(shape, above):
        raise InputError(
            f"{what}: every {getattr(shape, 'kind', object).__qualname__} needs another one to be built, so there "
            "is none to start with; give another type with `:types:` or --types"
        )


def ends(shape: Shape, above: tuple[type, ...]) -> bool:
    """Whether building such an input comes to an end somewhere."""
    inner = getattr(shape, "instance", None)
    if inner is not None:
        return ends(inner, above)
    arguments = getattr(shape, "arguments", None)
    if callable(arguments):
        # Its own class again, further out: this way never ends.
        if shape.kind in above:
            return False
        needed: Arguments = arguments()
        return all(p.shape is None or ends(p.shape, (*above, shape.kind)) for p in needed.parameters)
    if hasattr(shape, "alternatives"):
        each = [ends(s, above) for s in shape.alternatives]  # all of them: a problem in any is worth saying
        return any(each)
    if isinstance(shape, (ListOf, Settled)) or hasattr(shape, "value") or not hasattr(shape, "parts"):
        return True
    return all(ends(s, above) for s in shape.parts)


READ.read_parameters = read_parameters
