"""From what a body does with a parameter to the shapes it may have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ramify.errors import InputError
from ramify.runtime.inputs.annotations import (
    FLAG,
    INTEGER,
    NOTHING,
    PLAIN,
    READ,
    REAL,
    TEXT,
    Context,
    shape_of,
    shape_of_expression,
)
from ramify.runtime.inputs.evidence import Evidence
from ramify.runtime.inputs.shapes.base import Shape
from ramify.runtime.inputs.shapes.choices import Extra, choice
from ramify.runtime.inputs.shapes.containers import DictOf, ListOf, SetOf, TupleOf
from ramify.runtime.inputs.shapes.stubs import FunctionOf

MAX_GUESSES = 5
MAX_ELEMENTS = 2  # kinds of lists


def guessed(context: Context) -> list[Shape]:
    """What the body makes likely, the likeliest first; nothing if it says nothing."""
    evidence = context.evidence
    shapes: list[Shape] = []
    # Annotations of functions it is passed to: the strongest evidence comes first.
    for kind in evidence.called_with:
        # Without the evidence: the type itself is known, its elements are not those of this parameter.
        shapes += _tried(lambda kind=kind: shape_of(kind, replace(context, evidence=Evidence())))
    shapes += _like_a_class(context)
    shapes += [shape for kind in evidence.ranked() for shape in _of_kind(kind, context)]
    shapes += tested(context)
    shapes = list(dict.fromkeys(shapes))[:MAX_GUESSES] if _hashable_all(shapes) else shapes[:MAX_GUESSES]
    return [*shapes, NOTHING] if passes_every_test(shapes, context) else shapes


def _hashable_all(shapes: list[Shape]) -> bool:
    try:
        hash(tuple(shapes))
    except TypeError:
        return False
    return True


def tested(context: Context) -> list[Shape]:
    """The types that the body asks for by `isinstance`, `type()`, `match` or `is None`."""
    shapes: list[Shape] = []
    for node in context.evidence.tested:
        if node is None:
            shapes.append(NOTHING)
        else:
            shapes += _tried(lambda node=node: shape_of_expression(node, replace(context, evidence=Evidence())))
    # Shapes that hold functions have no hash.
    unique: list[Shape] = []
    return [s for s in shapes if s not in unique and not unique.append(s)]  # type: ignore[func-returns-value]


def _tried(make: Any) -> list[Shape]:
    try:
        return [make()]
    except InputError:
        return []


def with_tested(shape: Shape, context: Context, declared: bool) -> Shape:
    """The shape with the types that the body tests for as further alternatives, marked as outside if the
    declaration excludes them.
    """
    own = list(getattr(shape, "alternatives", (shape,)))
    label = getattr(shape, "label", "")
    added: list[Shape] = []
    for other in tested(context):
        for single in getattr(other, "alternatives", (other,)):
            if not any(_within(mine, single) for mine in own + added):
                inside = any(_subtype(single.kind, mine.kind) for mine in own)
                # A type that the body tests for although the declaration excludes it is shown as such.
                added.append(Extra(single, outside=declared and not inside))
    # Tests that all alternatives pass expect something else as well: None is what it mostly is.
    if passes_every_test([*own, *added], context):
        added.append(Extra(NOTHING, outside=declared))
    return choice(own + added, label) if added else shape


def passes_every_test(shapes: list[Shape], context: Context) -> bool:
    """Whether the body tests for types and none of these fails all tests: then somebody expects others."""
    asked = [single for other in tested(context) for single in getattr(other, "alternatives", (other,))]
    return bool(asked) and all(any(_within(mine, single) for single in asked) for mine in shapes)


def _within(mine: Shape, tested: Shape) -> bool:
    """Whether an alternative already passes that test."""
    mine = mine.shape if isinstance(mine, Extra) else mine
    if mine == tested:
        return True
    return mine.kind is not object and _subtype(mine.kind, tested.kind)


def _subtype(kind: type, other: type) -> bool:
    try:
        return issubclass(kind, other)
    except TypeError:
        return False


def _of_kind(kind: str, context: Context) -> list[Shape]:
    evidence = context.evidence
    simple: dict[str, Shape] = {
        "int": INTEGER, "str": TEXT, "float": REAL, "bool": FLAG, "bytes": PLAIN[bytes],
        "function": FunctionOf(INTEGER), "tuple": TupleOf((INTEGER, INTEGER)),
    }  # fmt: skip
    if kind in simple:
        return [simple[kind]]
    likely = _elements(context)
    if kind == "dict":
        by_text = evidence.keys or not evidence.elements
        return [DictOf(TEXT, likely[0]) if by_text else DictOf(INTEGER, INTEGER)]
    if kind == "set":
        return [SetOf(likely[0])]
    return [ListOf(element) for element in likely[:MAX_ELEMENTS]]


def _elements(context: Context) -> list[Shape]:
    """The likeliest elements of a container. A name that the body binds anew speaks for more than one type."""
    for evidence in context.evidence.elements:
        inside = guessed(replace(context, evidence=replace(evidence, elements=evidence.elements[:1])))
        if inside:
            return inside
    return [INTEGER]


def _like_a_class(context: Context) -> list[Shape]:
    """The classes of the module that have the attributes which the body uses."""
    wanted = context.evidence.attributes
    if not wanted:
        return []
    shapes: list[Shape] = []
    for value in list(context.scope.values()):
        own = isinstance(value, type) and value.__module__ == context.scope.get("__name__")
        own = own and not (context.nested and value is context.owner)  # it would need itself
        if own and wanted <= attributes(value):
            shapes += _tried(lambda value=value: shape_of(value, replace(context, evidence=Evidence())))
    return shapes


def attributes(cls: Any) -> set[str]:
    """The attributes of a class's objects: methods, annotations, and what its methods assign to `self`."""
    names = set(dir(cls))
    for base in cls.__mro__:
        names |= set(getattr(base, "__annotations__", {}))
        for function in vars(base).values():
            code = getattr(function, "__code__", None)
            if code is not None:
                # All names that a method uses: too many rather than too few, since only those wanted are looked
                # for.
                names |= set(code.co_names)
    return names


READ.guessed = guessed
