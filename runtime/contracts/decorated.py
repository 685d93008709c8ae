"""Understands what the contract packages icontract and deal raise, without importing them.

Their decorators run as part of the program, on concolic values too, so their conditions are decisions like
any other. What is left to do is to tell whose promise was broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any

from ramify.runtime.contracts.promises import INVARIANT, POSTCONDITION, PRECONDITION, RAISES, Broken
from ramify.runtime.recording import Place, is_own, position

PACKAGES = ("icontract", "deal")
DEAL = {
    "PreContractError": PRECONDITION,
    "PostContractError": POSTCONDITION,
    "InvContractError": INVARIANT,
    "RaisesContractError": RAISES,
    "ReasonContractError": RAISES,
}
LOCATION = re.compile(r"File (.+), line (\d+) in ")
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def broken_promise(error: BaseException, target: CodeType | None) -> tuple[Broken, bool] | None:
    """The promise whose breach an exception reports, and whether it is the target's own precondition: then the
    input was none. None if the exception comes from elsewhere.
    """
    # Frames of ours stand between those of the program.
    steps = [step for step in _steps(error.__traceback__) if not is_own(step.tb_frame.f_code.co_filename)]
    if not steps or _package(steps[-1]) not in PACKAGES:
        return None
    kind = _kind(error, steps[-1])
    if kind is None:
        return None
    callers = [step for step in steps if _package(step) not in PACKAGES]
    # Raised below the target: then it was the target's call that broke somebody's promise.
    entered = any(step.tb_frame.f_code is target for step in callers)
    text, place = _clause(error), _written(error)
    if kind in (PRECONDITION, RAISES) or place is None:
        called = position(callers[-1].tb_frame.f_code, callers[-1].tb_lasti) if callers else None
        place = called if called is not None else place
    if place is None and target is not None:
        place = Place(target.co_filename, target.co_firstlineno, function=target.co_qualname)
    function = target.co_qualname if target is not None and not entered else ""
    return Broken(kind, text, function, place), kind == PRECONDITION and not entered


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _package(step: TracebackType) -> str:
    name: str = step.tb_frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def _kind(error: BaseException, last: TracebackType) -> str | None:
    """What kind of promise it was. Users may choose the exception that reports it."""
    # By name and module: the packages are not imported, and users may derive from their exceptions.
    for cls in type(error).__mro__:
        if cls.__name__ in DEAL and cls.__module__.partition(".")[0] == "deal":
            return DEAL[cls.__name__]
    if _package(last) != "icontract":
        return None
    if "invariant" in last.tb_frame.f_code.co_name:
        return INVARIANT
    # icontract has one exception for both; its checker of postconditions has the result at hand.
    return POSTCONDITION if "result" in last.tb_frame.f_locals else PRECONDITION


def _clause(error: BaseException) -> str:
    cause: Any = error.__cause__ or error.__context__
    text = COLOUR.sub("", str(error))
    lines = text.splitlines()
    if lines and LOCATION.match(lines[0]):
        lines = lines[1:]
    # Both packages put the condition first, and values behind a colon.
    shown = lines[0].removeprefix("expected ").split(": ")[0].rstrip(":").strip() if lines else ""
    if not shown and cause is not None:
        return f"{type(cause).__name__} is not among the exceptions it may raise"
    return shown or type(error).__name__


def _written(error: BaseException) -> Place | None:
    """Where the contract stands, as icontract says it."""
    match = LOCATION.match(str(error))
    return None if match is None else Place(match[1], int(match[2]))
