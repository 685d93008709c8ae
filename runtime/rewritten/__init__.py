"""The functions that rewritten code calls: for operators, subscripts, stores of attributes, calls."""

from ramify.runtime.rewritten.operations import NAMESPACE

__all__ = ["NAMESPACE"]
