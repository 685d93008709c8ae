"""Checks a contract around a call: preconditions before it, postconditions, `:raises:` and invariants after.

The values may be concolic or plain. A condition that holds now but has a term is handed on, so that somebody
can ask a solver whether another input on the same path breaks it.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from ramify.runtime.contracts.clause import RESULT, Clause, Olds, final_names
from ramify.runtime.contracts.contract import Contract, Raises
from ramify.runtime.recording import Place
from ramify.runtime.terms import Term
from ramify.runtime.values.numeric.bool_ import SymBool

PRECONDITION, POSTCONDITION, INVARIANT, RAISES = "precondition", "postcondition", "invariant", "raises"
INVARIANTS = ("repok", "invariant", "__invariant__")


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that was not kept: whose, which, and where."""

    kind: str
    clause: str
    function: str  # whose promise it is
    place: Place | None = None  # where it was broken: a call, or the line of the clause
    detail: str = ""

    @property
    def text(self) -> str:
        return f"{self.clause} ({self.detail})" if self.detail else self.clause

    @property
    def reason(self) -> str:
        """The same for a run's outcome: two that differ are two ways to break."""
        if self.kind == PRECONDITION:
            where = f" in line {self.place.line}" if self.place is not None else ""
            return f"precondition of {self.function}, called{where}: {self.text}"
        if self.kind == INVARIANT:
            return f"invariant {self.text} after {self.function}"
        return self.text


class Violation(BaseException):
    """Ends a run in which a called function's contract was broken. The target's handlers should not swallow
    it.
    """

    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.text)
        self.broken = broken


Promise = Callable[[Term], None]


@dataclass(slots=True)
class PromiseWatch:
    """A call whose contract is checked: what must be remembered from before it."""

    contract: Contract
    function: str
    scope: dict[str, Any]
    initial: dict[str, Any]
    final: dict[str, Any]
    olds: dict[Clause, Olds] = field(default_factory=dict)

    def begin(self) -> None:
        for clause in self.contract.ensure:
            # Most clauses speak of no state before the call, and taking it may be slow.
            if clause.olds:
                self.olds[clause] = clause.before(self.scope, self.initial)

    def returned(self, result: Any, promise: Promise | None = None) -> Broken | None:
        """What a call that returned broke."""
        names = {**self.initial, **final_names(self.final), RESULT: result}
        for clause in self.contract.ensure:
            broken = self._broken(clause, names, promise)
            if broken is not None:
                return replace(broken, kind=POSTCONDITION)
        return None

    def raised(self, error: BaseException, promise: Promise | None = None) -> Broken | None:
        """What a call that raised broke: the first clause that matches decides, and one must."""
        if not self.contract.raises:
            return None
        for item in self.contract.raises:
            # In the order in which they are written, as `except` clauses are.
            if item.matches(error, self.scope):
                return self._unexpected(item, error, promise)
        text = "; ".join(item.text for item in self.contract.raises)
        return Broken(
            RAISES,
            text,
            self.function,
            self._place(self.contract.raises[0].line),
            f"no clause allows {type(error).__name__}",
        )

    def _unexpected(self, item: Raises, error: BaseException, promise: Promise | None) -> Broken | None:
        for clause in item.condition:
            broken = self._broken(clause, self.initial, promise)
            if broken is not None:
                detail = broken.detail or f"{type(error).__name__} though the condition is false"
                return replace(broken, kind=RAISES, clause=item.text, detail=detail)
        return None

    def _broken(self, clause: Clause, names: dict[str, Any], promise: Promise | None) -> Broken | None:
        return broken_by(clause, self.scope, names, self.olds.get(clause), self.function, self._place, promise)

    def _place(self, line: int) -> Place | None:
        return Place(self.contract.file, line, function=self.function) if self.contract.file else None


def broken_by(
    clause: Clause,
    scope: dict[str, Any],
    names: dict[str, Any],
    olds: Olds | None,
    function: str,
    place: Callable[[int], Place | None],
    promise: Promise | None = None,
) -> Broken | None:
    """Whether a clause is false, or cannot be evaluated."""
    try:
        holds = _truth(clause.evaluate(scope, names, olds), promise)
    except Exception as error:
        detail = f"raised {type(error).__name__}: {error}"
        # A clause that raises promises nothing: that is an error in the function or in its contract, and is
        # shown.
        return Broken(POSTCONDITION, clause.text, function, _written(place(clause.line), clause.text), detail)
    if holds:
        return None
    return Broken(POSTCONDITION, clause.text, function, _written(place(clause.line), clause.text))


def _written(place: Place | None, text: str) -> Place | None:
    """The place of a clause in its line, if it is written there as we would write it."""
    start = place.source.find(text) if place is not None and not place.end_column else -1
    if place is None or start < 0:
        return place
    return place._replace(column=start, end_column=start + len(text))


def _truth(value: Any, promise: Promise | None) -> bool:
    if type(value) is SymBool and promise is not None:
        # It holds for this input; a solver may find one on the same path for which it does not.
        promise(value.term)
        return value.value
    return bool(value)


def invariant_of(cls: type) -> str | None:
    """The name of the method that says whether an object of the class is well formed."""
    for name in INVARIANTS:
        for base in cls.__mro__:
            found = vars(base).get(name)
            # An `invariant` that takes more than the object is another method of that name.
            if isinstance(found, FunctionType) and found.__code__.co_argcount == 1:
                return name
    return None


def broken_invariant(target: Any, by: Any, promise: Promise | None = None) -> Broken | None:
    """What an object's invariant says after the method `by`. One that only asserts returns None, which is fine."""
    cls = type(target)
    name = invariant_of(cls)
    if name is None:
        return None
    function = getattr(cls, name)
    place = defined(by)
    detail = ""
    try:
        value = function(target)
        holds = value is None or _truth(value, promise)
    except Exception as error:
        holds = False
        detail = f"raised {type(error).__name__}: {error}" if str(error) else f"raised {type(error).__name__}"
    return None if holds else Broken(INVARIANT, f"{cls.__qualname__}.{name}()", by.__qualname__, place, detail)


def defined(function: Any) -> Place | None:
    """The line of `def`, or the class's if Python wrote the function, as for dataclasses."""
    code = inspect.unwrap(function).__code__
    line, text = code.co_firstlineno, linecache.getline(code.co_filename, code.co_firstlineno)
    # `co_firstlineno` is the line of the first decorator.
    while text.lstrip().startswith("@"):
        line += 1
        text = linecache.getline(code.co_filename, line)
    return Place(code.co_filename, line, function=function.__qualname__) if text else None
