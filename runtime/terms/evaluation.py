"""Evaluates terms under an assignment, iteratively and each shared node once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ramify.runtime.terms.compiled import WORTH_IT, Compiled, compiled
from ramify.runtime.terms.nodes import (
    BOOL,
    DOMAIN_ERRORS,
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
)

_UNDEFINED: Any = object()  # value of a node outside its domain; `and`, `or` and `ite` may still not need it


_PYTHON: dict[Sort, tuple[type, ...]] = {BOOL: (bool,), INT: (int,), FLOAT: (float, int), STR: (str,)}

# What most sequences consist of: their elements are as they should be.
_EXACT: dict[Sort, set[type]] = {BOOL: {bool}, INT: {int}, FLOAT: {float}, STR: {str}}


class Evaluator:
    """Values of terms under one assignment; what was computed is remembered between calls."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._values: dict[Term, Value] = {}
        self._inputs: Assignment = {}  # of compiled conditions
        self._defined: set[str] = set()  # those that have a value

    def value(self, term: Term) -> Value:
        """The term's value. Raises EvaluationError where it is undefined or an input is missing."""
        result = self._compute(term)
        if result is _UNDEFINED:
            raise EvaluationError("undefined under the assignment", term)  # its text would cost more than the rest
        return result

    def holds(self, term: Term) -> bool:
        """Whether a condition is defined and true."""
        if term in self._values:
            return self._values[term] is True
        code = term._code
        if code.__class__ is int:
            term._code = code + 1 if code < WORTH_IT else compiled(term)
        elif code is not None:
            result = self._values[term] = self._run(code)
            return result is True
        return self._compute(term) is True

    def all_hold(self, conditions: Iterable[Term]) -> bool:
        """Whether every condition is defined and true; those behind the first that is not are not looked at."""
        values, inputs, defined = self._values, self._inputs, self._defined
        for condition in conditions:
            if condition not in values:
                code = condition._code
                if code.__class__ is Compiled and code.names <= defined:  # most: not worth a call
                    try:
                        values[condition] = code.function(inputs)
                    except DOMAIN_ERRORS:
                        values[condition] = _UNDEFINED
                else:
                    self.holds(condition)
            if values[condition] is not True:
                return False
        return True

    def holds_if(self, term: Term, node: Term, value: Value) -> bool:
        """Whether a condition would be true if one of its nodes had another value."""
        supposing = Evaluator(self._assignment)
        supposing._values[node] = value
        return supposing._compute(term) is True

    def _run(self, code: Compiled) -> Value:
        inputs = self._inputs
        for node in code.inputs:
            if node.value not in inputs:
                inputs[node.value] = self._input(node)
                if inputs[node.value] is not _UNDEFINED:
                    self._defined.add(node.value)
            if inputs[node.value] is _UNDEFINED:
                return _UNDEFINED
        try:
            return code.function(inputs)
        except DOMAIN_ERRORS:
            return _UNDEFINED

    def _compute(self, term: Term) -> Value:
        values = self._values
        stack = [term]
        while stack:
            node = stack[-1]
            if node in values:
                stack.pop()
                continue
            op = node.op
            if op == "const":
                values[node] = node.value
            elif op == "var":
                values[node] = self._input(node)
            else:
                try:
                    args = [values[a] for a in node.args]
                except KeyError:
                    stack.extend(a for a in reversed(node.args) if a not in values)
                    continue
                values[node] = _apply(op, args)
            stack.pop()
        return values[term]

    def _input(self, node: Term) -> Value:
        try:
            value = self._assignment[node.value]
        except KeyError:
            return _UNDEFINED
        sort = node.sort
        exact = None if sort.element is None else _EXACT.get(sort.element)
        if exact is not None and type(value) in (list, tuple) and set(map(type, value)) == exact:
            return tuple(value)
        return plain(value, sort) if _fits(value, sort) else _UNDEFINED


def _fits(value: Value, sort: Sort) -> bool:
    if sort.element is None:
        return isinstance(value, _PYTHON[sort])
    return isinstance(value, (list, tuple)) and all(_fits(v, sort.element) for v in value)


def _apply(op: str, args: list[Value]) -> Value:
    if op == "and" or op == "or":
        return _junction(args, op == "or")
    if op == "ite":
        condition, then, otherwise = args
        return condition if condition is _UNDEFINED else then if condition else otherwise
    for arg in args:
        if arg is _UNDEFINED:
            return _UNDEFINED
    try:
        return OPS[op].evaluate(*args)
    except DOMAIN_ERRORS:
        return _UNDEFINED


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
    return Evaluator(assignment).all_hold(conditions)
