"""Lost terms: which code uses the concrete value of an input without a record, and how that is noticed."""

from ramify.runtime.losses.answers import answered, length
from ramify.runtime.losses.bearing import bears
from ramify.runtime.losses.caught import looking
from ramify.runtime.losses.foreign import (
    C_FUNCTIONS,
    LOOKING_BACK,
    SHARED,
    holds,
    inside,
    is_c_type,
    is_iterator,
    is_opaque,
    is_output,
    is_partial,
    is_rewritten,
    loses,
    makes_plain,
    reads,
    watched,
)

__all__ = [
    "C_FUNCTIONS", "LOOKING_BACK", "SHARED", "answered", "bears", "holds", "inside", "is_c_type", "is_iterator",
    "is_opaque", "is_output", "is_partial", "is_rewritten", "length", "looking", "loses", "makes_plain", "reads",
    "watched",
]  # fmt: skip
