"""What rewritten code calls: operators, subscripts, stores of attributes, calls."""

from ramify.runtime.rewritten.operations import NAMESPACE

__all__ = ["NAMESPACE"]
