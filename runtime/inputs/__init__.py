"""The inputs of a target: from annotations, contracts and bodies to the shapes of its parameters."""

from ramify.runtime.inputs.shapes.base import MAX_DEPTH, MAX_ENTRIES, MAX_ITEMS, MAX_TEXT, Maker
from ramify.runtime.inputs.shapes.bounds import Doubts, bounds_of, guessed
from ramify.runtime.inputs.shapes.call import (
    EMPTY,
    KEYWORD,
    KEYWORDS,
    NOTHING_WRITTEN,
    POSITIONAL,
    POSITIONAL_ONLY,
    REST,
    Arguments,
    Call,
    ShapedParameter,
    Written,
)
from ramify.runtime.inputs.shapes.literals import literal
from ramify.runtime.inputs.shapes.reading import Unreadable, read

__all__ = [
    "EMPTY", "KEYWORD", "KEYWORDS", "MAX_DEPTH", "MAX_ENTRIES", "MAX_ITEMS", "MAX_TEXT", "NOTHING_WRITTEN",
    "POSITIONAL", "POSITIONAL_ONLY", "REST", "Arguments", "Call", "Doubts", "Maker", "ShapedParameter",
    "Unreadable", "Written", "bounds_of", "guessed", "literal", "read",
]  # fmt: skip
