"""From annotations to shapes: what each type that Python can write down means as an input.

Long because it has one recogniser for each of the many forms that an annotation may take.
"""

from __future__ import annotations

import ast
import collections
import collections.abc as abc
import decimal
import enum
import fractions
import functools
import inspect
import itertools
import numbers
import operator
import os
import pathlib
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ramify.errors import InputError
from ramify.runtime import models
from ramify.runtime.inputs.evidence import Evidence
from ramify.runtime.inputs.shapes.base import Shape
from ramify.runtime.inputs.shapes.call import POSITIONAL_ONLY, Arguments, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Bounded, Choice, Condition, choice
from ramify.runtime.inputs.shapes.containers import (
    DictOf,
    IteratorOf,
    ListOf,
    Record,
    SetOf,
    Settled,
    TupleOf,
    ViewOf,
)
from ramify.runtime.inputs.shapes.library import (
    MOMENTS,
    DecimalNumber,
    FileOf,
    FractionNumber,
    PathText,
    PatternOf,
    RangeOf,
    SliceOf,
)
from ramify.runtime.inputs.shapes.objects import Instance
from ramify.runtime.inputs.shapes.scalars import Bytes, Complex, Fixed, Scalar
from ramify.runtime.inputs.shapes.stubs import FunctionOf
from ramify.runtime.terms import BOOL, FLOAT, INT, STR

INTEGER, FLAG, REAL, TEXT, NOTHING = Scalar(INT), Scalar(BOOL), Scalar(FLOAT), Scalar(STR), Fixed(None)

PLAIN: dict[Any, Shape] = {
    None: NOTHING, type(None): NOTHING, int: INTEGER, bool: FLAG, float: REAL, str: TEXT, bytes: Bytes(),
    bytearray: Bytes(bytearray), complex: Complex(), range: RangeOf(), slice: SliceOf(),
    decimal.Decimal: DecimalNumber(), fractions.Fraction: FractionNumber(), pathlib.Path: PathText(),
    pathlib.PurePath: PathText(pathlib.PurePath), pathlib.PurePosixPath: PathText(pathlib.PurePosixPath),
    type(pathlib.Path()): PathText(), typing.LiteralString: TEXT,
    numbers.Integral: INTEGER, numbers.Rational: choice([INTEGER, FractionNumber()]),
    numbers.Real: choice([INTEGER, REAL]), numbers.Number: choice([INTEGER, REAL]),
    numbers.Complex: choice([INTEGER, REAL, Complex()]), typing.SupportsInt: INTEGER,
    typing.SupportsIndex: INTEGER, typing.SupportsFloat: REAL, typing.SupportsAbs: REAL,
    typing.SupportsRound: REAL, typing.SupportsComplex: Complex(),
    typing.TextIO: FileOf(TEXT), typing.BinaryIO: FileOf(Bytes()),
    abc.Hashable: choice([INTEGER, TEXT, TupleOf((INTEGER, INTEGER))]),
    **MOMENTS,
}  # fmt: skip

LISTS = (
    list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection, abc.Container, abc.Sized,
    abc.Reversible,
)  # fmt: skip
DICTS = {
    dict: dict, abc.Mapping: dict, abc.MutableMapping: dict, collections.OrderedDict: collections.OrderedDict,
    collections.defaultdict: collections.defaultdict,
}  # fmt: skip
SETS = {set: set, frozenset: frozenset, abc.Set: set, abc.MutableSet: set}
VIEWS = {abc.KeysView: "keys", abc.ValuesView: "values", abc.ItemsView: "items"}
WRAPPERS = tuple(
    form
    for name in ("ClassVar", "Final", "Required", "NotRequired", "ReadOnly")
    if (form := getattr(typing, name, None)) is not None
)
ANYTHING: tuple[Shape, ...] = (
    INTEGER, TEXT, ListOf(INTEGER), REAL, FLAG, NOTHING, DictOf(TEXT, INTEGER),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Context:
    """Where a type is written: for messages, names, type variables, `Self`, and what the body says."""

    what: str
    scope: dict[str, Any]
    variables: Mapping[Any, Any] = field(default_factory=dict)
    owner: type | None = None
    evidence: Evidence = field(default_factory=Evidence)
    nested: bool = False  # inside a constructor's arguments

    def unsupported(self, kind: Any, reason: str = "") -> InputError:
        name = kind.__qualname__ if isinstance(kind, type) else kind
        reason = reason or f"inputs of type {name} are not supported yet"
        return InputError(f"{self.what}: {reason}; give another type with `:types:` or --types")


class Readers:
    """The readers of guesses, classes and parameters. Types are made of classes, classes of parameters, and
    parameters of types again: the modules above this one register their part when they are imported, so that no
    module imports in a circle.
    """

    guessed: Callable[[Context], list[Shape]]
    concrete_classes: Callable[[type, Context], list[type]]
    instance: Callable[[type, tuple[Any, ...], Context], Shape]
    read_parameters: Callable[..., list[ShapedParameter]]


READ = Readers()


def shape_of(kind: Any, context: Context) -> Shape:
    """The shape of a type or annotation."""
    if isinstance(kind, (str, typing.ForwardRef)):
        kind = resolved(kind, context)
    origin, arguments = typing.get_origin(kind) or kind, typing.get_args(kind)
    # `Pattern[str]` and `type[int]` have arguments that matter; the bare types are in the table.
    known = _plain(kind) or (None if arguments else _plain(origin))
    if known is not None:
        return known
    if kind in (Any, object):
        return anything(context)
    for recognise in (_special, _union, _container, _standard, _class):
        shape = recognise(kind, origin, arguments, context)
        if shape is not None:
            return shape
    raise context.unsupported(kind)


def _plain(kind: Any) -> Shape | None:
    try:
        return PLAIN.get(kind)
    except TypeError:  # an annotation without a hash
        return None


def resolved(kind: Any, context: Context) -> Any:
    """What a type written as text means."""
    text = kind.__forward_arg__ if isinstance(kind, typing.ForwardRef) else kind
    try:
        # In a copy: `eval` puts `__builtins__` into the dict it is given.
        return eval(text, dict(context.scope))
    except Exception as error:
        raise InputError(
            f"{context.what}: the annotation {text!r} cannot be resolved ({error}); "
            "import the name at run time, or give the type with `:types:` or --types"
        ) from None


def shape_of_expression(node: ast.expr, context: Context) -> Shape:
    """The shape of a type written in a `:types:` contract, where a list means alternatives."""
    if isinstance(node, ast.List):
        return choice([shape_of_expression(item, context) for item in node.elts])
    text = ast.unparse(node)
    try:
        kind = eval(text, dict(context.scope))
    except Exception as error:
        raise InputError(f"{context.what}: {error}, in `:types:` {text!r}") from None
    return shape_of(kind, context)


def anything(context: Context) -> Shape:
    """An input of any type: what the body speaks of, or a little of everything."""
    return choice(READ.guessed(context) or list(ANYTHING))


# Recognisers: each answers for some forms and leaves the others.


def _special(kind: Any, origin: Any, arguments: tuple[Any, ...], context: Context) -> Shape | None:
    if isinstance(kind, typing.TypeVar):
        return _variable(kind, context)
    # A NewType is its base at run time.
    if hasattr(kind, "__supertype__"):
        return shape_of(kind.__supertype__, context)
    # By name: `type X = ...` exists from 3.12 on.
    if type(origin).__name__ == "TypeAliasType":
        given = dict(zip(origin.__type_params__, arguments, strict=False))
        return shape_of(origin.__value__, replace(context, variables={**context.variables, **given}))
    if kind is getattr(typing, "Self", None) and context.owner is not None:
        return shape_of(context.owner, context)
    if origin in WRAPPERS:
        return shape_of(arguments[0], context) if arguments else anything(context)
    if origin is typing.Annotated:
        return _annotated(shape_of(arguments[0], context), kind.__metadata__, context)
    if type(kind).__name__ == "InitVar":
        return shape_of(kind.type, context)
    return None


def _variable(kind: Any, context: Context) -> Shape:
    # A variable that stands for itself would never end.
    if kind in context.variables and context.variables[kind] is not kind:
        return shape_of(context.variables[kind], context)
    if kind.__constraints__:
        return choice([shape_of(k, context) for k in kind.__constraints__], kind.__name__)
    if kind.__bound__ is not None:
        return shape_of(kind.__bound__, context)
    found = anything(context)
    # The label makes two parameters of one variable take the same type.
    return Choice(found.alternatives, kind.__name__) if isinstance(found, Choice) else found


def _union(kind: Any, origin: Any, arguments: tuple[Any, ...], context: Context) -> Shape | None:
    if origin is typing.Literal:
        return choice([Fixed(a) for a in arguments])
    if origin is not typing.Union and origin is not types.UnionType:
        return None
    shapes: list[Shape] = []
    problem: InputError | None = None
    for argument in arguments:
        try:
            shapes.append(shape_of(argument, context))
        except InputError as error:
            problem = error  # the others are still alternatives
    if problem is not None and not [s for s in shapes if s != NOTHING]:
        raise problem
    return choice(shapes)


def _container(kind: Any, origin: Any, arguments: tuple[Any, ...], context: Context) -> Shape | None:
    if not _hashable(origin):
        return None
    element, *rest = [*arguments, *(Any,) * 2][:2] if arguments else (None, None)
    if origin in LISTS:
        return ListOf(_element(element, context))
    if origin is tuple:
        return _tuple(arguments, context)
    if origin is collections.deque:
        return Settled(_element(element, context), collections.deque)
    if origin in (abc.Iterator, abc.Generator):
        return IteratorOf(ListOf(_element(element, context)), origin is abc.Generator)
    if origin is collections.Counter:
        return DictOf(_key(element, context), INTEGER, collections.Counter)
    if origin in DICTS:
        return DictOf(_key(element, context), _element(rest[0], context), DICTS[origin])
    if origin in SETS:
        return SetOf(_key(element, context), SETS[origin])
    if origin in VIEWS:
        entries = (element, rest[0]) if origin is abc.ItemsView else (element, element)
        return ViewOf(DictOf(_key(entries[0], context), _element(entries[1], context)), VIEWS[origin])
    if origin in (abc.Callable, types.FunctionType, types.LambdaType):
        result = arguments[-1] if arguments else None
        return FunctionOf(INTEGER if result is None and not arguments else shape_of(result, context))
    if origin is type:
        return _classes(element, context)
    return None


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _element(kind: Any, context: Context) -> Shape:
    """Of a container whose annotation says nothing about its elements, the body may."""
    if kind is not None and kind is not Any and not isinstance(kind, typing.TypeVar):
        return shape_of(kind, context)
    if isinstance(kind, typing.TypeVar) and (kind in context.variables or kind.__constraints__ or kind.__bound__):
        return shape_of(kind, context)
    inside = [s for e in context.evidence.elements for s in READ.guessed(replace(context, evidence=e))]
    return inside[0] if inside else INTEGER


def _key(kind: Any, context: Context) -> Shape:
    if kind is None or kind is Any or kind is abc.Hashable:
        return TEXT if context.evidence.keys or not context.evidence.elements else INTEGER
    return shape_of(kind, context) if not isinstance(kind, typing.TypeVar) else _element(kind, context)


def _tuple(arguments: tuple[Any, ...], context: Context) -> Shape:
    if not arguments:
        return Settled(_element(None, context))
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return Settled(shape_of(arguments[0], context))
    return TupleOf(tuple(shape_of(a, context) for a in arguments if a != ()))


def _classes(kind: Any, context: Context) -> Shape:
    if isinstance(kind, typing.TypeVar):
        kind = context.variables.get(kind, kind.__bound__ or (kind.__constraints__ or (None,))[0])
    if kind in (None, Any, object):
        return choice([Fixed(cls) for cls in (int, str, list)])
    if isinstance(kind, (str, typing.ForwardRef)):
        kind = resolved(kind, context)
    kinds = typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,)
    found = [cls for k in kinds if isinstance(k, type) for cls in READ.concrete_classes(k, context)]
    if not found:
        raise context.unsupported(f"type[{kind!r}]")
    return choice([Fixed(cls) for cls in found])


def _standard(kind: Any, origin: Any, arguments: tuple[Any, ...], context: Context) -> Shape | None:
    if origin is re.Pattern:
        return PatternOf(tuple(t.encode() for t in PatternOf().texts)) if arguments == (bytes,) else PatternOf()
    if origin is typing.IO:
        return FileOf(Bytes() if arguments == (bytes,) else TEXT)
    if origin is os.PathLike:
        return PathText()
    if not isinstance(origin, type):
        return None
    if origin.__module__ in ("io", "_io"):
        return {"StringIO": FileOf(TEXT), "BytesIO": FileOf(Bytes())}.get(origin.__name__)
    if origin in (abc.ByteString if hasattr(abc, "ByteString") else bytes, getattr(abc, "Buffer", bytes)):
        return PLAIN[bytes]
    if issubclass(origin, enum.Enum):
        return _enum(origin, context)
    if typing.is_typeddict(origin):
        return record(origin, arguments, context)
    if issubclass(origin, BaseException) and origin.__module__ == "builtins":
        # Builtin exceptions have no signature that `inspect` knows.
        message = Arguments([ShapedParameter("message", POSITIONAL_ONLY, TEXT)])
        return Instance(origin, lambda: message)
    return None


def _enum(cls: Any, context: Context) -> Shape:
    members = [Fixed(member) for member in cls]
    # Flags combine: none, pairs of the first few, and all of them, since 2**n is too many.
    if members and issubclass(cls, enum.Flag):
        single = list(cls)
        pairs = [functools.reduce(operator.or_, pair) for pair in itertools.combinations(single[:4], 2)]
        whole = functools.reduce(operator.or_, single, cls(0))
        more = [Fixed(value) for value in dict.fromkeys([cls(0), *pairs, whole])]
        members += [shape for shape in more if shape not in members]
    if not members:
        raise context.unsupported(cls, f"{cls.__qualname__} has no members")
    return choice(list(members))


def record(cls: Any, arguments: tuple[Any, ...], context: Context) -> Record:
    """A TypedDict."""
    given = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    inside = replace(context, variables={**context.variables, **given})
    module = vars(inspect.getmodule(cls) or types.SimpleNamespace())
    try:
        hints = typing.get_type_hints(cls, {**module, **context.scope}, include_extras=True)
    except NameError as error:
        reason = f"an annotation of {cls.__qualname__} cannot be resolved ({error})"
        raise context.unsupported(cls, reason) from None
    shapes = {key: shape_of(kind, inside) for key, kind in hints.items()}
    needed = [(key, shape) for key, shape in shapes.items() if key in cls.__required_keys__]
    return Record(tuple(needed), tuple((k, s) for k, s in shapes.items() if k not in cls.__required_keys__))


def _class(kind: Any, origin: Any, arguments: tuple[Any, ...], context: Context) -> Shape | None:
    if not isinstance(origin, type) or origin.__module__ in ("builtins", "typing", "types", "collections.abc"):
        return None
    return READ.instance(origin, arguments, context)


# Bounds in `Annotated`, recognised by the names that annotated-types gives them.

BOUNDS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "gt": (">", operator.gt),
    "ge": (">=", operator.ge),
    "lt": ("<", operator.lt),
    "le": ("<=", operator.le),
    "multiple_of": ("a multiple of", lambda value, number: value % number == 0),
    "min_length": ("of length at least", lambda value, number: models.len_(value) >= number),
    "max_length": ("of length at most", lambda value, number: models.len_(value) <= number),
}
CLASSES = ("Gt", "Ge", "Lt", "Le", "Interval", "MultipleOf", "Len", "MinLen", "MaxLen")


def _annotated(shape: Shape, metadata: tuple[Any, ...], context: Context) -> Shape:
    bounds: list[tuple[str, Any]] = []
    conditions: list[Condition] = []
    for note in metadata:
        # By name, so that annotated-types need not be installed.
        if type(note).__name__ == "Predicate" and callable(getattr(note, "func", None)):
            conditions.append(Condition(f"accepted by {note.func!r}", _predicate(note.func)))
        elif isinstance(note, slice):
            bounds += [("min_length", note.start), ("max_length", note.stop)]
        elif type(note).__name__ in CLASSES or hasattr(type(note), "__is_annotated_types_grouped_metadata__"):
            bounds += [(name, getattr(note, name)) for name in BOUNDS if getattr(note, name, None) is not None]
    bounds = [(name, value) for name, value in bounds if value is not None and (name, value) != ("min_length", 0)]
    # Bounds of an int are facts of its variable: no input is ever rejected for them.
    if isinstance(shape, Scalar) and shape.sort is INT and all(type(value) is int for _, value in bounds):
        shape, bounds = _bounded_integer(shape, bounds, context), []
    conditions += [
        Condition(f"{BOUNDS[name][0]} {value!r}", functools.partial(_holds, name, value)) for name, value in bounds
    ]
    if isinstance(shape, Scalar) and bounds:
        # Without a start that fits, the first run would be rejected and teach the search nothing.
        shape = replace(shape, default=_first(shape, conditions))
    return Bounded(shape, tuple(conditions)) if conditions else shape


def _predicate(function: Any) -> Callable[[Any], Any]:
    """`str.islower` asks the value itself, so that a concolic one answers."""
    if isinstance(function, types.MethodDescriptorType):
        return operator.methodcaller(function.__name__)
    called: Callable[[Any], Any] = function
    return called


def _holds(name: str, bound: Any, value: Any) -> Any:
    return BOUNDS[name][1](value, bound)


def _bounded_integer(shape: Scalar, bounds: list[tuple[str, int]], context: Context) -> Scalar:
    low, high, step = shape.low, shape.high, shape.step
    for name, value in bounds:
        if name in ("gt", "ge"):
            bound = value + (name == "gt")
            low = bound if low is None else max(low, bound)
        elif name in ("lt", "le"):
            bound = value - (name == "lt")
            high = bound if high is None else min(high, bound)
        elif name == "multiple_of":
            # Two multiples: their product is one of both, if not the smallest.
            step = step * value
    # The first multiple from the lower bound on.
    if low is not None and high is not None and low + (-low) % step > high:
        raise context.unsupported("", "its bounds leave no value")
    return replace(shape, low=low, high=high, step=step)


def _first(shape: Scalar, conditions: list[Condition]) -> Any:
    """A value that satisfies the conditions, to start from."""
    numbers_ = [0, 1, -1, 0.5, -0.5, 2, 10, 100, 1000, -10, -100]
    near = [float(word) + d for c in conditions for word in [c.words.rpartition(" ")[2]] if _is_number(word)
            for d in (0, 1, -1, 0.5, -0.5)]  # fmt: skip
    sizes = [int(word) for c in conditions for word in [c.words.rpartition(" ")[2]] if word.isdecimal()]
    tries: list[Any] = ["", *("a" * min(n, 1000) for n in sizes)] if shape.sort is STR else [*numbers_, *near]
    for value in tries:
        fitting = value if shape.sort is STR else shape.kind(value)
        if all(condition.holds(fitting) for condition in conditions):
            return fitting
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
