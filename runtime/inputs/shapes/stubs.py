"""Functions as inputs: a stub whose results are inputs of their own, equal for equal arguments."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ramify.runtime.inputs.shapes.base import Maker, Shape, building
from ramify.runtime.inputs.shapes.literals import literal, tuple_text
from ramify.runtime.recording import path
from ramify.runtime.terms import BOOL, INT, STR, InputName
from ramify.runtime.values import core

MAX_RESULTS = 16


@dataclass(frozen=True, slots=True)
class FunctionOf:
    """A function that returns inputs of a shape. The arguments it was called with are kept in the assignment, so
    that it can be written down as a table afterwards.
    """

    result: Shape
    kind: type = FunctionType
    decides: bool = True

    @property
    def parts(self) -> tuple[Shape, ...]:
        return (self.result,)

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        rows: list[tuple[tuple[Any, ...], Any]] = []
        order: list[int] = []
        make.assignment[name.note("calls")] = 0
        make.assignment[name.note("named")] = False

        def stub(*args: Any, **kwargs: Any) -> Any:
            key = (*args, *kwargs.items())
            if kwargs:
                make.assignment[name.note("named")] = True
            number = _known(rows, key)
            if number is None:
                # Beyond that many different arguments, the last result is given again.
                number = min(len(rows), MAX_RESULTS - 1)
                if number == len(rows):
                    with building():
                        rows.append((key, self.result.build(name.part(f"result{number}"), make, level + 1)))
                else:
                    path.concretised("a function's results")
                # Written down as it was at the call: the target may change the object later.
                with path.paused():
                    make.assignment[name.note(f"argument{number}")] = _written(core.strip(key))
            make.assignment[name.note(f"call{len(order)}")] = number
            order.append(number)
            make.assignment[name.note("calls")] = len(order)
            return rows[number][1]

        return stub

    def text(self, name: InputName, make: Maker, level: int) -> str:
        order = [
            make.value(name.note(f"call{k}"), INT, 0) for k in range(make.value(name.note("calls"), INT, 0))
        ]
        count = max(order, default=0) + 1
        results = [self.result.text(name.part(f"result{k}"), make, level + 1) for k in range(count)]
        named = make.value(name.note("named"), BOOL, False)
        head, key = ("*args, **kwargs", "(*args, *kwargs.items())") if named else ("*args", "args")
        # The same answer to everything needs no table.
        if len(set(results)) == 1:
            return f"lambda {head}: {results[0]}"
        keys = [str(make.value(name.note(f"argument{k}"), STR, "")) for k in range(count)]
        if all(keys) and len(set(keys)) == count and count < MAX_RESULTS:
            table = ", ".join(f"{row}: {result}" for row, result in zip(keys, results, strict=True))
            return f"lambda {head}: {{{table}}}[{key}]"
        # Arguments that cannot be keys of a table: the results in the order of the calls.
        taken = ", ".join(results[k] for k in order)
        return f"lambda {head.replace('*args', f'*args, results=iter([{taken}])')}: next(results)"


def _known(rows: list[tuple[tuple[Any, ...], Any]], key: tuple[Any, ...]) -> int | None:
    """The earlier call with the same arguments: that they are equal is decided."""
    with building():
        for number, (known, _) in enumerate(rows):
            if len(known) == len(key) and all(a is b or bool(a == b) for a, b in zip(known, key, strict=True)):
                return number
    return None


def _written(key: tuple[Any, ...]) -> str:
    """The arguments as a key that anybody can write down, or nothing."""
    text = tuple_text([literal(value) for value in key])
    try:
        hash(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, RecursionError):
        return ""
    return text
