"""Concolic values: subclasses of the builtin types that carry a concrete value and a term, one module per
type.
"""

from ramify.runtime.values import formatting as formatting  # complete SymStr
from ramify.runtime.values.core import is_concolic, plain, strip, term_of, wrap
from ramify.runtime.values.dict_ import SymDict, sym_dict
from ramify.runtime.values.list_ import SymList, sym_list
from ramify.runtime.values.numeric.bool_ import SymBool, sym_bool
from ramify.runtime.values.numeric.float_ import SymFloat, sym_float
from ramify.runtime.values.numeric.int_ import SymInt, sym_int
from ramify.runtime.values.range_ import SymRange, sym_range
from ramify.runtime.values.set_ import SymSet, sym_set
from ramify.runtime.values.texts import text_changes as text_changes
from ramify.runtime.values.texts import text_parts as text_parts
from ramify.runtime.values.texts.bytes_ import SymBytes, sym_bytes
from ramify.runtime.values.texts.text import SymStr, sym_str

__all__ = [
    "SymBool", "SymBytes", "SymDict", "SymFloat", "SymInt", "SymList", "SymRange", "SymSet", "SymStr",
    "is_concolic", "plain", "strip", "sym_bool", "sym_bytes", "sym_dict", "sym_float", "sym_int", "sym_list",
    "sym_range", "sym_set", "sym_str", "term_of", "wrap",
]  # fmt: skip
