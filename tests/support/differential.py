"""Compares an operation on concolic values with the same on plain ones: result, exception, message and
mutation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.terms import const, seq_of, var
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, sym_bytes, sym_dict, sym_list, sym_set

Outcome = tuple[str, Any]


def lifted(name: str, value: Any, assignment: dict[str, Any], arrays: bool = True) -> Any:
    """The value as a concolic input of that name."""
    if isinstance(value, (bool, int, float, str)):
        assignment[name] = value
        return core.wrap(value, var(name, T.sort_of(value)))
    if type(value) is bytes:
        assignment[name] = value.decode("latin-1")
        return sym_bytes(value, var(name, T.STR))
    if type(value) is list:
        return _list(name, value, assignment, arrays)
    if type(value) is dict:
        assignment[f"len({name})"] = len(value)
        entries = {lifted(f"{name}.{n}", k, assignment): v for n, (k, v) in enumerate(value.items())}
        return sym_dict(entries, var(f"len({name})", T.INT))
    if type(value) is set:
        assignment[f"len({name})"] = len(value)
        return sym_set(
            [lifted(f"{name}.{n}", v, assignment) for n, v in enumerate(value)], var(f"len({name})", T.INT)
        )
    return value


def _list(name: str, value: list[Any], assignment: dict[str, Any], arrays: bool) -> Any:
    sorts = {T.sort_of(v) for v in value if isinstance(v, (bool, int, float, str))}
    if not arrays or len(sorts) > 1 or any(not isinstance(v, (bool, int, float, str)) for v in value):
        assignment[f"len({name})"] = len(value)
        elements = [lifted(f"{name}[{n}]", v, assignment, arrays) for n, v in enumerate(value)]
        return sym_list(elements, var(f"len({name})", T.INT), None)
    term = var(name, seq_of(sorts.pop() if sorts else T.INT))
    assignment[name] = value
    cells = [core.wrap(v, T.select(term, const(n))) for n, v in enumerate(value)]
    return sym_list(cells, T.length(term), term)


def outcome(operation: Callable[..., Any], arguments: list[Any]) -> Outcome:
    """What the operation gives: `("returned", value)` or `("raised", (type, message))`. Iterators are run to
    the end.
    """
    try:
        result = operation(*arguments)
        if hasattr(result, "__next__"):
            result = list(result)
        return "returned", result
    except Exception as error:
        return "raised", (type(error), core.strip(str(error)))


def agree(
    operation: Callable[..., Any], *arguments: Any, symbolic: int | None = None, arrays: bool = True
) -> path.Run:
    """Asserts that CPython and the concolic values agree. `symbolic`: only that many arguments are lifted,
    from the left.
    """
    expected_arguments = [copy.deepcopy(a) for a in arguments]
    expected = outcome(operation, expected_arguments)
    assignment: dict[str, Any] = {}
    run = path.Run(assignment)
    count = len(arguments) if symbolic is None else symbolic
    with path.recording(run):
        values = [lifted(f"a{n}", a, assignment, arrays) if n < count else a for n, a in enumerate(arguments)]
        observed = outcome(operation, values)
    kind, value = observed
    stripped = core.strip(value) if kind == "returned" else value
    assert kind == expected[0], f"{observed} for {expected}"
    assert same(stripped, expected[1]), f"{stripped!r} for {expected[1]!r}"
    for after, before in zip(values, expected_arguments, strict=True):
        assert same(core.strip(after), before), f"left as {core.strip(after)!r}, not {before!r}"
    return run


def agree_on_either_side(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> None:
    """The same with both operands lifted, and with only the left or the right one."""
    agree(operation, a, b)
    agree(operation, a, b, symbolic=1)
    agree(lambda x, y: operation(y, x), a, b, symbolic=1)


def same(a: Any, b: Any) -> bool:
    """The same type and value, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return bool(a == b)
