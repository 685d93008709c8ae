"""Which groups of rewritings the concolic level does; switching one off shows what it is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Switches:
    """All on: the concolic level as it is meant."""

    operands: bool = True  # operators, comparisons and subscripts whose left side hides a concolic right side
    booleans: bool = True  # `not`, `is` and `in` as terms
    calls: bool = True  # types, methods and library functions called with concolic arguments
    formats: bool = True  # f-strings and `%`


ALL = Switches()
