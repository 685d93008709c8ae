"""What values are made of: terms over the inputs, their meaning in Python, evaluation and printing."""

from ramify.runtime.terms.evaluation import Evaluator, satisfies
from ramify.runtime.terms.input_names import InputKind, InputName, argument, kind_of, named
from ramify.runtime.terms.language import not_
from ramify.runtime.terms.meaning import (
    MAX_BITS,
    MAX_FACTORIAL,
    MAX_LENGTH,
    compiled_search,
    largest_accepted,
    re_found,
    re_match,
    search_of,
)
from ramify.runtime.terms.naming import NamedParts, TreeLengths
from ramify.runtime.terms.nodes import (
    BOOL,
    DOMAIN_ERRORS,
    FALSE,
    FLOAT,
    INT,
    STR,
    TRUE,
    Assignment,
    Sort,
    Term,
    collect,
    conjuncts,
    const,
    make,
    seq_of,
    table_size,
    var,
    variable_sets,
    variables_of,
    walk,
)
from ramify.runtime.terms.printing import show
from ramify.runtime.terms.spelling import MAX_DECIMAL_BITS, from_decimal, integer, message, spelled

__all__ = [
    "BOOL", "DOMAIN_ERRORS", "FALSE", "FLOAT", "INT", "MAX_BITS", "MAX_DECIMAL_BITS", "MAX_FACTORIAL",
    "MAX_LENGTH", "STR", "TRUE", "Assignment", "Evaluator", "InputKind", "InputName", "NamedParts", "Sort",
    "Term", "TreeLengths", "argument", "collect", "compiled_search", "conjuncts", "const", "from_decimal",
    "integer", "kind_of", "largest_accepted", "make", "message", "named", "not_", "re_found", "re_match",
    "satisfies", "search_of", "seq_of", "show", "spelled", "table_size", "var",
    "variable_sets", "variables_of", "walk",
]  # fmt: skip
