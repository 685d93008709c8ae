"""Runs a target on plain values, without the engine, to see what really happens and where.

What is reported to people is only what this run shows.
"""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import CoroutineType, FunctionType, GeneratorType, ModuleType
from typing import Any

from ramify.cfg.source_file import check_known
from ramify.runtime.checking.rebuilding import called, rebuilt, with_defaults
from ramify.runtime.contracts import (
    INVARIANT,
    Broken,
    Clause,
    Contract,
    ContractWrappers,
    PromiseWatch,
    Violation,
    broken_invariant,
    broken_promise,
    invariant_of,
)
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.inputs import Written
from ramify.runtime.programs import CUT, RAISED, REJECTED, RETURNED, VIOLATED, Outcome, finished
from ramify.runtime.recording import Cut, Frame, Rejected, path, place
from ramify.runtime.sandbox import MIB
from ramify.runtime.terms import message, spelled
from ramify.runtime.worlds import Target, isolate

SECONDS = 5.0
LAZY: dict[type, str] = {GeneratorType: "list", CoroutineType: "asyncio.run"}
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a plain run ended."""

    outcome: Outcome
    result: str = ""  # what it returned, as text
    exception: str = ""  # the type's name
    message: str = ""
    frames: tuple[Frame, ...] = ()
    broken: Broken | None = None
    mro: tuple[str, ...] = ()  # names of the exception's classes


class Replay:
    """A target that can be run on arguments written as Python expressions."""

    def __init__(self, target: Target, seed: int = 0) -> None:
        self.target = target
        self._seed = seed
        linecache.checkcache(target.source.path)
        check_known(target.source.path)
        self._sandbox = isolate.Sandbox(target.source, {})
        guards = ContractWrappers()
        self._sandbox.first()
        with self._sandbox.running():
            module = self._sandbox.fresh()
            function, owner = target.find(module)
            guards.install(module)
        self.unreadable = guards.unreadable  # functions beside the target whose contracts are in error
        self.function = function
        self.contract: Contract = contracts.of(function)
        self.owner = owner
        self.lazy = ""  # what makes the target run to its end, if calling it does not
        self.is_property = owner is not None and not isinstance(
            inspect.getattr_static(owner, target.qualname.rpartition(".")[2], None), FunctionType
        )
        self.data = {name for name, value in vars(module).items() if _is_data(value)}

    def guarding(self, qualname: str, clause: str) -> tuple[str, str] | None:
        """The parameters of a function with that precondition, as written in `def` and in a call of it; None if it
        has no such precondition.
        """
        with self._sandbox.running():
            found: Any = self._sandbox.fresh()
        for name in qualname.split("."):
            found = getattr(found, name, None)
        if not callable(found) or clause not in [c.text for c in contracts.of(found).assume]:
            return None
        parameters = inspect.signature(found).parameters.values()
        plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
        marks: dict[Any, str] = {
            inspect.Parameter.VAR_POSITIONAL: "*{0}",
            inspect.Parameter.VAR_KEYWORD: "**{0}",
            inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
        }
        passed = [marks.get(p.kind, "{0}").format(p.name) for p in plain]
        return str(inspect.Signature(plain))[1:-1], ", ".join(passed)

    def run(self, arguments: Written, seconds: float = SECONDS) -> Ending:
        """Runs the target; what a recursion through our own wrappers raised is looked at again without them."""
        ending = self._run(arguments, seconds, True)
        if ending.exception == "RecursionError":
            return self._run(arguments, seconds, False)
        return ending

    def _run(self, arguments: Written, seconds: float, guarded: bool) -> Ending:
        with self._sandbox.running(), isolate.captured(MIB), path.paused():
            module = self._sandbox.fresh()
            function, owner = self.target.find(module)
            guards = ContractWrappers()
            if guarded:
                guards.install(module)
            isolate.seed_random(self._seed)
            try:
                with isolate.deadline(seconds):
                    values = rebuilt(arguments, module)
                    initial = with_defaults(function, rebuilt(arguments, module, installing=False), fresh=True)
                    if self._refused(function, initial, guards):
                        return Ending(REJECTED)
                    return self._call(function, owner, values, initial, guards)
            except Cut as cut:
                return Ending(CUT, message=str(cut))
            except Violation as violation:
                return Ending(VIOLATED, broken=violation.broken)
            except (Rejected, Exception, SystemExit) as error:
                return _unbuilt(error)

    def _refused(self, function: Callable[..., Any], values: dict[str, Any], guards: ContractWrappers) -> bool:
        scope = inspect.unwrap(function).__globals__
        with guards.checking():
            return not all(_holds(clause, scope, values) for clause in self.contract.assume)

    def _call(
        self,
        function: Callable[..., Any],
        owner: type | None,
        values: dict[str, Any],
        initial: dict[str, Any],
        guards: ContractWrappers,
    ) -> Ending:
        plain = inspect.unwrap(function)
        final = with_defaults(function, values)
        watch = PromiseWatch(self.contract, plain.__qualname__, plain.__globals__, initial, final)
        receiver = next(iter(values.values())) if owner is not None else None
        with guards.checking():
            watch.begin()
        with guards.within(receiver):
            try:
                returned = called(function, values)
                self.lazy = LAZY.get(type(returned), "")
                result = finished(returned)
            except (Exception, SystemExit, GeneratorExit) as error:
                return self._raised(error, plain, watch, guards)
            with guards.checking():
                broken = watch.returned(result)
                if broken is None and owner is not None and invariant_of(owner) is not None:
                    broken = broken_invariant(receiver, plain)
        if broken is not None:
            return Ending(VIOLATED, shown(result), broken=broken)
        return Ending(RETURNED, shown(result))

    def _raised(self, error: BaseException, plain: Any, watch: PromiseWatch, guards: ContractWrappers) -> Ending:
        found = broken_promise(error, plain.__code__)
        if found is not None and found[1]:
            return Ending(REJECTED)
        with guards.checking():
            broken = found[0] if found is not None else watch.raised(error)
        kinds = tuple(cls.__name__ for cls in type(error).__mro__)
        frames = tuple(place.frames(error.__traceback__))
        outcome = RAISED if broken is None else VIOLATED
        return Ending(outcome, "", type(error).__name__, text_of(error), frames, broken, kinds)


def _is_data(value: Any) -> bool:
    return not callable(value) and not isinstance(value, ModuleType)


def _holds(clause: Clause, scope: dict[str, Any], names: dict[str, Any]) -> bool:
    try:
        return bool(clause.evaluate(scope, names))
    except Exception:
        return False


def _unbuilt(error: BaseException) -> Ending:
    """An argument that cannot be built is no input, unless its constructor broke a decorator's invariant."""
    found = broken_promise(error, None) if isinstance(error, Exception) else None
    if found is not None and found[0].kind == INVARIANT:
        return Ending(VIOLATED, broken=found[0])
    return Ending(REJECTED, message=text_of(error))


def shown(value: Any, depth: int = 3) -> str:
    """A value as text; an object without a `repr` of its own by its attributes."""
    try:
        text = spelled(value)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    state = getattr(value, "__dict__", None)
    if not (text.startswith("<") and " at 0x" in text) or not isinstance(state, dict) or not depth:
        return ADDRESS.sub("", text)
    return f"{type(value).__qualname__}({', '.join(f'{k}={shown(v, depth - 1)}' for k, v in state.items())})"


def text_of(error: BaseException) -> str:
    try:
        return message(error)
    except Exception:
        return ""
