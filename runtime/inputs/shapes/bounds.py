"""Says in words which inputs of a type are never built, and which types nobody declared."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType

from ramify.runtime.inputs.shapes.base import MAX_DEPTH, MAX_ENTRIES, MAX_ITEMS, Shape
from ramify.runtime.inputs.shapes.call import KEYWORDS, Arguments, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Extra
from ramify.runtime.inputs.shapes.containers import DictOf, ListOf, SetOf, Settled, sequence_sort
from ramify.runtime.inputs.shapes.library import DecimalNumber, Moment, PatternOf, RangeOf
from ramify.runtime.inputs.shapes.objects import Blank, Driven, Instance
from ramify.runtime.inputs.shapes.stubs import MAX_RESULTS, FunctionOf


@dataclass(frozen=True, slots=True)
class Doubts:
    """What the inputs of a target leave out although anybody may pass it."""

    types: tuple[str, ...] = ()  # where nobody declared a type, or one that more classes have than can be built
    untouched: tuple[str, ...] = ()  # classes on whose objects no method was called before

    @classmethod
    def about(cls, parameters: Sequence[ShapedParameter], calls: int) -> Doubts:
        shapes = _all(p.shape for p in parameters if p.shape is not None)
        objects = [shape.kind for shape in shapes if isinstance(shape, Instance) and not calls]
        changing = dict.fromkeys(kind.__qualname__ for kind in objects if _may_change(kind))
        unsure = _those(parameters, lambda parameter: is_loose(parameter) or parameter.wide)
        return cls(tuple(unsure.values()), tuple(changing))


def _may_change(kind: type) -> bool:
    """Whether methods may give an object a state that no constructor gives it."""
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    members = (member for base in kind.__mro__ for member in vars(base).items())
    methods = any(isinstance(value, FunctionType) and not name.startswith("_") for name, value in members)
    # A named tuple and a frozen dataclass are what their constructors made.
    return methods and not frozen and not issubclass(kind, tuple)


def bounds_of(parameters: Sequence[ShapedParameter], calls: int = 0) -> list[str]:
    """What the inputs of a target are limited to, each said once; their types first."""
    guesses = guessed(parameters)
    declared = [p for p in parameters if p.name not in guesses and not isinstance(p.shape, Blank)]
    types = ["inputs of the declared types"] if declared or not guesses else []
    types += [f"types as guessed for {', '.join(guesses.values())}"] if guesses else []
    said = dict.fromkeys([", ".join(types)])
    for shape in _all(p.shape for p in parameters if p.shape is not None):
        said |= dict.fromkeys(_limits(shape, calls))
    left_out = [p.name for p in parameters if p.shape is None]
    return [*said, *(f"{name} left at its default" for name in left_out)]


def guessed(parameters: Sequence[ShapedParameter]) -> dict[str, str]:
    """The parameters with an input whose type was guessed, and where: `self`, in its constructor's `n`."""
    return _those(parameters, is_loose)


def _those(parameters: Sequence[ShapedParameter], suits: Callable[[ShapedParameter], bool]) -> dict[str, str]:
    found: dict[str, str] = {}
    for parameter in parameters:
        if suits(parameter):
            found[parameter.name] = parameter.name
            continue
        inner = [p.name for p in _inside(parameter) if suits(p)]
        if inner:
            found[parameter.name] = f"{parameter.name}.{inner[0]}"
    return found


def is_loose(parameter: ShapedParameter) -> bool:
    """Whether no declaration says what an input is; of keywords none says which."""
    unsaid = parameter.guessed or parameter.unchecked or parameter.kind is KEYWORDS
    return parameter.shape is not None and unsaid


def _inside(parameter: ShapedParameter) -> Iterator[ShapedParameter]:
    """The parameters of the constructors that an input needs."""
    for shape in _all([parameter.shape] if parameter.shape is not None else []):
        if isinstance(shape, Instance):
            yield from shape.arguments().parameters


def _limits(shape: Shape, calls: int) -> Iterator[str]:
    if isinstance(shape, Instance):
        yield f"objects as their constructors make them, nested at most {MAX_DEPTH} deep"
    elif isinstance(shape, Driven) and calls:
        yield f"at most {calls} method{'s' if calls > 1 else ''} called on an object before"
    elif isinstance(shape, (DictOf, SetOf)) or (isinstance(shape, ListOf) and sequence_sort(shape) is None):
        most = MAX_ITEMS if any(part.decides for part in shape.parts) else MAX_ENTRIES
        yield f"at most {most} elements of a {shape.kind.__name__}"
    elif isinstance(shape, Settled):
        yield f"at most {MAX_ITEMS} elements of a {shape.kind.__name__}"
    elif isinstance(shape, FunctionOf):
        yield f"functions that answer equal arguments alike, at most {MAX_RESULTS} different ones"
    elif isinstance(shape, DecimalNumber):
        yield "decimals with two digits behind the point, up to 10 trillion"
    elif isinstance(shape, Moment) and shape.kind in (datetime.datetime, datetime.time):
        yield "times without a time zone"
    elif isinstance(shape, RangeOf):
        yield f"ranges with a step of {', '.join(map(str, shape.steps))}"
    elif isinstance(shape, PatternOf):
        yield f"{len(shape.texts)} regular expressions"


def _all(shapes: Iterable[Shape]) -> Iterator[Shape]:
    """Shapes with everything inside them, each class once."""
    todo, seen = list(shapes), set[object]()
    while todo:
        shape = todo.pop(0)
        if isinstance(shape, Instance):
            # A class may contain itself.
            if (shape.cls, shape.factory) in seen:
                continue
            seen.add((shape.cls, shape.factory))
            needed: Arguments = shape.arguments()
            todo += [p.shape for p in needed.parameters if p.shape is not None]
        elif isinstance(shape, (Driven, Extra)):
            todo.append(shape.instance if isinstance(shape, Driven) else shape.shape)
        else:
            todo += getattr(shape, "parts", ())
        yield shape
