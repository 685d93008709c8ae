"""Types found by running: of the types that an un-annotated parameter may have, those a function accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ramify.runtime.inputs.annotations import ANYTHING
from ramify.runtime.inputs.shapes.base import Shape
from ramify.runtime.inputs.shapes.call import EMPTY, KEYWORDS, REST, ShapedParameter
from ramify.runtime.inputs.shapes.choices import Choice, choice
from ramify.runtime.inputs.shapes.containers import DictOf, ListOf, SetOf, Settled, sequence_sort
from ramify.runtime.inputs.shapes.scalars import Scalar
from ramify.runtime.terms import BOOL, FLOAT, INT, STR, Assignment, InputName, Sort, argument

Attempt = Callable[[Sequence[ShapedParameter], Assignment], BaseException | None]
"""Runs the target with these parameters on these inputs and says what it raised."""

SAMPLES = {INT: 2, STR: "ab", FLOAT: 1.5, BOOL: True}
MAX_PARAMETERS = 6


def refined(parameters: Sequence[ShapedParameter], attempt: Attempt) -> list[ShapedParameter]:
    """The parameters, the guessed ones narrowed down to types that raise no TypeError or AttributeError."""
    found = list(parameters)
    # One after the other: all combinations would be too many runs.
    for number in [number for number, p in enumerate(found) if is_open(p)][:MAX_PARAMETERS]:
        parameter = found[number]
        assert parameter.shape is not None
        alternatives = list(getattr(parameter.shape, "alternatives", (parameter.shape,)))
        working = _working(alternatives, number, found, attempt)
        # The guesses were all wrong: then whatever else there is.
        if not working:
            others = [shape for shape in ANYTHING if shape not in alternatives]
            working = _working(others, number, found, attempt)
        if working:
            found[number] = replace(parameter, shape=choice(working))
    return found


def is_open(parameter: ShapedParameter) -> bool:
    """Whether nothing says what type a parameter has. `*args` and `**kwargs` hold several."""
    several = parameter.kind in (REST, KEYWORDS)
    return parameter.guessed and parameter.shape is not None and parameter.default is EMPTY and not several


def _working(
    alternatives: list[Shape], number: int, parameters: list[ShapedParameter], attempt: Attempt
) -> list[Shape]:
    scores: list[tuple[int, int, Shape]] = []
    for place, shape in enumerate(alternatives):
        tried = [_first(p) for p in parameters]
        tried[number] = replace(parameters[number], shape=shape)
        # Once with an input that is not empty and once with the defaults: an empty list passes every loop.
        filled: Assignment = {}
        for parameter in tried:
            if parameter.shape is not None:
                filled.update(sample(parameter.shape, argument(parameter.name)))
        passed = sum(
            # Any other exception may be a matter of the value.
            not isinstance(attempt(tried, dict(inputs)), (TypeError, AttributeError)) for inputs in (filled, {})
        )
        if passed:
            # Ties keep the order of likelihood.
            scores.append((-passed, place, shape))
    return [shape for _, _, shape in sorted(scores, key=lambda score: score[:2])]


def _first(parameter: ShapedParameter) -> ShapedParameter:
    """While one type is tried, the other guesses stand at their likeliest."""
    if parameter.guessed and isinstance(parameter.shape, Choice):
        return replace(parameter, shape=parameter.shape.alternatives[0])
    return parameter


def sample(shape: Shape, name: InputName) -> Assignment:
    """An input that is not empty, so that what a function does with it is seen."""
    sort = sequence_sort(shape)
    if sort is not None:
        return {name: _sample_of(sort)}
    if isinstance(shape, (ListOf, Settled)):
        return {name.length: 1, **sample(shape.element, name.item(0))}
    if isinstance(shape, DictOf):
        values = sample(shape.value, name.value(0))
        return {name.length: 1, **sample(shape.key, name.key(0)), **values}
    if isinstance(shape, SetOf):
        return {name.length: 1, **sample(shape.element, name.key(0))}
    return {name: SAMPLES[shape.sort]} if isinstance(shape, Scalar) else {}


def _sample_of(sort: Sort) -> object:
    return SAMPLES[sort] if sort.element is None else [_sample_of(sort.element)] * 2
