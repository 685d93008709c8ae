"""The examples in a module's docstrings: the calls of a function that they show, and the values they mention."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ramify.runtime.inputs import (
    EMPTY,
    KEYWORDS,
    POSITIONAL,
    POSITIONAL_ONLY,
    REST,
    Maker,
    ShapedParameter,
    Unreadable,
    read,
)
from ramify.runtime.terms import Assignment, argument

MAX_CALLS = 60
MAX_MADE = 1000  # elements of a range that is written out
UNKNOWN: Any = object()
"""An argument that is no literal."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Shown:
    """The arguments of a call in an example; UNKNOWN stands for one that is no literal."""

    positional: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass(slots=True)
class Examples:
    """What the docstrings of a module show."""

    calls: list[Shown] = field(default_factory=list)
    literals: list[Any] = field(default_factory=list)


def examples(tree: ast.Module, function: str) -> Examples:
    """The examples for a function of that qualified name; of methods the name alone counts."""
    found = Examples()
    parser = doctest.DocTestParser()
    # Examples call methods on objects whose classes are not known here.
    name = function.rpartition(".")[2]
    for node in ast.walk(tree):
        text = ast.get_docstring(node) if isinstance(node, Documented) else None
        if text is None or ">>>" not in text:
            continue
        try:
            parts = parser.get_examples(text)
        except ValueError:  # indented in a way that doctest refuses
            continue
        # The examples of one docstring are one session: a name given a value in one may be used in the next.
        known: dict[str, Any] = {}
        for part in parts:
            found.literals += _mentioned(part.want)
            _look_at(part.source, name, known, found)
    del found.calls[MAX_CALLS:]
    return found


def _look_at(source: str, name: str, known: dict[str, Any], found: Examples) -> None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    found.literals += _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = _value(node.value, known)
        if isinstance(node, ast.Call) and _callee(node) == name:
            shown = Shown(
                tuple(_value(argument, known) for argument in node.args),
                {k.arg: _value(k.value, known) for k in node.keywords if k.arg is not None},
            )
            # A call without any literal shows nothing.
            if any(value is not UNKNOWN for value in (*shown.positional, *shown.keywords.values())):
                found.calls.append(shown)


def _callee(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    """The value of a literal, of a name that was given one, or of a sequence made of such."""
    if isinstance(node, ast.Name):
        return known.get(node.id, UNKNOWN)
    if isinstance(node, ast.Call) and _callee(node) in _MADE and not node.keywords:
        arguments = [_value(argument, known) for argument in node.args]
        try:
            return UNKNOWN if UNKNOWN in arguments else _MADE[_callee(node)](*arguments)
        except (TypeError, ValueError):
            return UNKNOWN
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN


def _range(*arguments: int) -> list[int]:
    return list(range(*arguments)[:MAX_MADE])


_MADE: dict[str, Callable[..., Any]] = {
    "range": _range,
    "list": list,
    "tuple": tuple,
    # An iterator is written down as the list behind it.
    "iter": list,
    "set": set,
    "frozenset": frozenset,
}


def _mentioned(text: str) -> list[Any]:
    try:
        return _constants(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []


def _constants(tree: ast.AST) -> list[Any]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if type(node.value) in (int, float, str, bytes)]


def assignments(
    shown: Iterable[Shown], parameters: Sequence[ShapedParameter], make: Maker
) -> Iterator[Assignment]:
    """The calls as assignments; what an example leaves open, and what no shape can build, is left out."""
    for call in shown:
        found: Assignment = {}
        for parameter, value in _matched(call, parameters):
            try:
                found |= _argument(parameter, value, make)
            except Unreadable:
                continue
        if found:
            yield found


def _argument(parameter: ShapedParameter, value: Any, make: Maker) -> Assignment:
    if parameter.shape is None or value is UNKNOWN:
        return {}
    name = argument(parameter.name)
    if value is EMPTY and not parameter.covered:
        return {} if parameter.default is EMPTY else {name.omission: True}
    flag = {} if parameter.default is EMPTY or parameter.covered else {name.omission: False}
    value = parameter.default if value is EMPTY else value
    return flag | read(parameter.shape, name, value, make)


def _matched(call: Shown, parameters: Sequence[ShapedParameter]) -> Iterator[tuple[ShapedParameter, Any]]:
    """Each parameter with what the call gives for it; EMPTY for nothing."""
    given = list(call.positional)
    for number, parameter in enumerate(parameters):
        if parameter.kind in (REST, KEYWORDS) or (number == 0 and parameter.name in ("self", "cls")):
            continue
        if parameter.kind in (POSITIONAL_ONLY, POSITIONAL) and given:
            yield parameter, given.pop(0)
        else:
            yield parameter, call.keywords.get(parameter.name, EMPTY)
