"""Models of builtins, methods and library functions: what a call gives when an argument is concolic.

`BUILTINS`, `LIBRARY` and `METHODS` are the tables that whoever rewrites calls looks into. A model gives exactly
Python's result, exception and message; without a concolic argument it is the original. Methods of concolic
receivers are modelled in their own class (`values/`).
"""

from ramify.runtime.models import (
    building,
    conversions,
    date_calls,
    functions_of_values,
    heaps,
    iteration,
    methods,
    numbers,
    packing,
    regex,
    text_methods,
)
from ramify.runtime.models.conversions import bool_, complex_, float_, int_, str_
from ramify.runtime.models.functions_of_values import chr_, isinstance_, len_, ord_, type_
from ramify.runtime.models.registry import BUILTINS, LIBRARY, METHODS, model_of

THEMES = (
    building, conversions, date_calls, functions_of_values, heaps, iteration, methods, numbers, packing, regex,
    text_methods,
)  # fmt: skip
"""The modules whose import fills the tables."""

__all__ = [
    "BUILTINS", "LIBRARY", "METHODS", "THEMES", "bool_", "chr_", "complex_", "float_", "int_", "isinstance_",
    "len_", "model_of", "ord_", "str_", "type_",
]  # fmt: skip
