"""Evaluates terms under an assignment, iteratively and each shared node once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ramify.runtime.nodes import (
    BOOL,
    FLOAT,
    INT,
    OPS,
    STR,
    Assignment,
    EvaluationError,
    Sort,
    Term,
    Value,
    plain,
    walk,
)

_UNDEFINED: Any = object()  # value of a node outside its domain; `and`, `or` and `ite` may still not need it


_PYTHON: dict[Sort, tuple[type, ...]] = {BOOL: (bool,), INT: (int,), FLOAT: (float, int), STR: (str,)}


class Evaluator:
    """Values of terms under one assignment; what was computed is remembered between calls."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._values: dict[Term, Value] = {}

    def value(self, term: Term) -> Value:
        """The term's value. Raises EvaluationError outside an operation's domain or when a variable has no
        value.
        """
        result = self._compute(term)
        if result is _UNDEFINED:
            raise EvaluationError(f"undefined under the assignment: {term!r}")
        return result

    def holds(self, term: Term) -> bool:
        """Whether a condition is defined and true."""
        return self._compute(term) is True

    def _compute(self, term: Term) -> Value:
        values = self._values
        if term in values:
            return values[term]
        for node in walk((term,), skip=values.__contains__):
            op = node.op
            if op == "const":
                values[node] = node.value
            elif op == "var":
                values[node] = self._input(node)
            elif op == "and" or op == "or":
                values[node] = _junction([values[a] for a in node.args], op == "or")
            elif op == "ite":
                condition = values[node.args[0]]
                values[node] = (
                    condition if condition is _UNDEFINED else values[node.args[1 if condition else 2]]
                )
            else:
                args = [values[a] for a in node.args]
                if _UNDEFINED in args:
                    values[node] = _UNDEFINED
                else:
                    try:
                        values[node] = OPS[op].evaluate(*args)
                    except Exception:  # whatever Python raises for these operands
                        values[node] = _UNDEFINED
        return values[term]

    def _input(self, node: Term) -> Value:
        try:
            value = self._assignment[node.value]
        except KeyError:
            return _UNDEFINED
        sort = node.sort
        return plain(value, sort) if isinstance(value, _PYTHON.get(sort, (list, tuple))) else _UNDEFINED


def _junction(values: list[Value], absorbing: bool) -> Value:
    for value in values:
        if value is _UNDEFINED or value is absorbing:
            return value
    return not absorbing


def evaluate(term: Term, assignment: Assignment) -> Value:
    """The value of one term (see Evaluator.value)."""
    return Evaluator(assignment).value(term)


def satisfies(assignment: Assignment, conditions: Iterable[Term]) -> bool:
    """Whether every condition is defined and true under the assignment."""
    evaluator = Evaluator(assignment)
    return all(evaluator.holds(c) for c in conditions)
