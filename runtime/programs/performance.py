"""One call of a target's function, from its inputs to how it ended, with the contracts around it."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from types import CoroutineType, GeneratorType
from typing import Any

from ramify.runtime.contracts import (
    INVARIANT,
    ContractWrappers,
    PromiseWatch,
    Violation,
    broken_invariant,
    broken_promise,
)
from ramify.runtime.inputs import Call, Maker, global_inputs
from ramify.runtime.programs.execution import CUT, RAISED, REJECTED, RETURNED, Execution
from ramify.runtime.programs.subject import Subject
from ramify.runtime.recording import Cut, Phase, Rejected, Run, TermMismatch, frames, path
from ramify.runtime.terms import Assignment
from ramify.runtime.values import core
from ramify.runtime.worlds import isolate, unwrapped

MAX_VALUES = 1000
"""How many values of a generator a run takes."""

_NOTHING: AbstractContextManager[None] = nullcontext()  # it has no state
_BUILTINS, _MODULES = vars(builtins), sys.modules
_len, _reversed, _next = len, reversed, next  # a target may replace these too
_setrecursionlimit, _settrace, _setprofile = sys.setrecursionlimit, sys.settrace, sys.setprofile


class Surroundings:
    """What all modules share, as it was before a call. Copying it costs a tenth of a short run, so one object may
    serve many calls, of which each finds most of it as the one before did.
    """

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._modules: dict[str, Any] = {}
        self._imported: tuple[int, str] | None = None

    def note(self) -> None:
        if self._names != _BUILTINS:
            self._names = _BUILTINS.copy()
        imported = _len(_MODULES), _next(_reversed(_MODULES), "")  # what is imported comes last
        if imported != self._imported:
            self._modules, self._imported = _MODULES.copy(), imported

    def restore(self) -> None:
        """Nothing of ours runs before this: it calls no builtin by its name, and imports nothing."""
        if self._names != _BUILTINS:
            _BUILTINS.clear()
            _BUILTINS.update(self._names)
        if _MODULES.get("sys") is not sys or sys.modules is not _MODULES:
            sys.modules = _MODULES
            _MODULES.update(self._modules)


@dataclass(slots=True)
class Performance:
    """A run of a subject in a world that is fresh; `execution` says what it came to."""

    subject: Subject
    function: Callable[..., Any]
    make: Maker
    execution: Execution
    buffer: isolate.Output
    guards: ContractWrappers
    surroundings: Surroundings = field(default_factory=Surroundings)

    def whole(self, run: Run, seconds: float | None, announce: Callable[[Assignment], None] | None) -> None:
        """Everything: inputs, preconditions, the call, postconditions and invariants. Once its inputs stand, the
        run is announced.
        """
        execution, subject, guards = self.execution, self.subject, self.guards
        try:
            values = subject.globals.build(self.make)
            with global_inputs.installed(self._scope, values) if values else _NOTHING:
                arguments = subject.arguments(self.make)
                if announce is not None:
                    announce(self.make.assignment)
                execution.outside = tuple(dict.fromkeys(self.make.outside))
                watch = None
                if subject.promising:
                    watch = self._watch(self._initial(run), arguments.names)
                if subject.contract.assume:
                    self._check_assumptions(arguments.names, run)
                if watch is not None:
                    with guards.checking():
                        watch.begin()
                self.buffer.clear()  # what constructors print belongs to no path
                receiver = arguments.names[subject.receiver] if subject.receiver is not None else None
                inside = _NOTHING if receiver is None else guards.within(receiver)
                with isolate.deadline(seconds), inside:
                    result = self._attempt(arguments)
                    if watch is not None and execution.broken is None:
                        self._check_promises(watch, result)
                    if subject.has_invariant and execution.outcome == RETURNED:
                        self._check_invariant(receiver)
            with path.paused():
                execution.result = _stripped(result)
        except Cut as cut:
            execution.end(CUT, cut.reason)
        except Violation as violation:
            execution.break_promise(violation.broken)
        except Rejected as rejected:
            self._reject(rejected)

    def part(self, run: Run, seconds: float | None) -> tuple[Any, dict[str, Any]]:
        """The call as part of a larger run: its result, and its arguments afterwards. Only the preconditions of
        its contract count.
        """
        arguments = self.subject.arguments(self.make)
        if self.subject.contract.assume:
            self._check_assumptions(arguments.names, run)
        with isolate.deadline(seconds):
            return self._attempt(arguments), arguments.names

    def again(self, kind: type, seconds: float | None) -> bool:
        """The call on plain values; whether it raised another exception than one of that kind. Promises are
        checked then.
        """
        execution, subject = self.execution, self.subject
        with global_inputs.installed(self._scope, subject.globals.build(self.make)):
            arguments = subject.arguments(self.make)
            self.buffer.clear()
            with isolate.deadline(seconds):
                execution.result = self._attempt(arguments)
            if type(execution.exception) is kind:
                return False
            if subject.promising and execution.broken is None:
                watch = self._watch(subject.arguments(self.make).names, arguments.names)
                self._check_promises(watch, execution.result)
        return True

    @property
    def _scope(self) -> dict[str, Any]:
        found: dict[str, Any] = getattr(unwrapped(self.function), "__globals__", {})
        return found

    def _attempt(self, arguments: Call) -> Any:
        """The call itself: whatever the target raises is an outcome."""
        execution = self.execution
        limit, trace, profile = sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()
        surroundings = self.surroundings
        surroundings.note()
        try:
            try:
                result = arguments.perform(self.function)
                # No function of ours is called for an ordinary result: the target may have left a trace function.
                kind = type(result)
                return finished(result) if kind is CoroutineType or kind is GeneratorType else result
            finally:  # nothing of ours runs before these are as they were
                _setrecursionlimit(limit)
                _settrace(trace)
                _setprofile(profile)
                surroundings.restore()
        except (Cut, Rejected, TermMismatch, Violation):
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and isolate.interruptible():
                raise
            found = broken_promise(error, getattr(unwrapped(self.function), "__code__", None))
            if found is not None and found[1]:
                raise Rejected(f"precondition: {found[0].text}") from None
            execution.raised_at = frames.origin(error)
            execution.outcome, execution.exception = RAISED, _bare(error)
            if found is not None:
                execution.break_promise(found[0])
        finally:
            execution.output = self.buffer.text()
        return None

    def _initial(self, run: Run) -> dict[str, Any]:
        """The inputs once more, for contracts that speak of their initial values. Building them decides
        nothing new.
        """
        decisions, facts = len(run.decisions), len(run.facts)
        again = self.subject.arguments(self.make).names
        del run.decisions[decisions:], run.facts[facts:]
        return again

    def _watch(self, initial: dict[str, Any], arguments: dict[str, Any]) -> PromiseWatch:
        return PromiseWatch(self.subject.contract, self.subject.name, self._scope, initial, arguments)

    def _check_assumptions(self, arguments: dict[str, Any], run: Run) -> None:
        for clause in self.subject.contract.assume:
            run.phase = Phase.ASSUME
            try:
                holds = clause.evaluate(self._scope, arguments)
            except Exception as error:  # the user's expression: an input for which it means nothing
                raise Rejected(f"precondition {clause.text} raised {type(error).__name__}") from error
            run.phase = Phase.ASSUMED
            if not holds:
                raise Rejected(f"precondition: {clause.text}")
        run.phase = Phase.BODY

    def _check_promises(self, watch: PromiseWatch, result: Any) -> None:
        execution = self.execution
        with self.guards.checking():
            if execution.exception is not None:
                execution.break_promise(watch.raised(execution.exception, execution.promises.append))
            else:
                execution.break_promise(watch.returned(result, execution.promises.append))

    def _check_invariant(self, receiver: Any) -> None:
        execution = self.execution
        with self.guards.checking():
            execution.break_promise(
                broken_invariant(receiver, unwrapped(self.function), execution.promises.append)
            )

    def _reject(self, rejected: Rejected) -> None:
        """An input that is none; unless a constructor made an object that breaks its own invariant."""
        cause = rejected.__cause__
        found = broken_promise(cause, None) if cause is not None else None
        if found is not None and found[0].kind == INVARIANT:
            self.execution.break_promise(found[0])
        else:
            self.execution.end(REJECTED, rejected.reason)


def finished(result: Any) -> Any:
    """What a call comes to: a coroutine is awaited, and of a generator the first values are taken."""
    # By the type itself: `isinstance` asks the object, and a target's object may answer with an exception.
    kind = type(result)
    if kind is not CoroutineType and kind is not GeneratorType:
        return result
    if kind is CoroutineType:
        import asyncio

        return asyncio.run(result)
    return list(islice(result, MAX_VALUES))


def _bare(error: BaseException) -> BaseException:
    """The exception without the frames it came through, which would keep what they hold alive."""
    try:
        return error.with_traceback(None)
    except Exception:  # a class of the target may define even that
        return error


def _stripped(result: Any) -> Any:
    """The result without terms; as it is, if rebuilding it fails (nested too deeply, elements that cannot be
    hashed).
    """
    try:
        return core.strip(result)
    except Exception:  # elements of the target's own classes are asked for their hashes
        return result
