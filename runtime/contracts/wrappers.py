"""Checks the contracts of the functions that a target calls: each is wrapped in the module of one run.

The target itself is called unwrapped; whoever runs it checks its own contract. A function that calls itself
goes through the wrapper, so its recursive calls are checked as calls.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, FunctionType, ModuleType
from typing import Any

from ramify.errors import InputError
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.contracts.contract import Contract
from ramify.runtime.contracts.promises import (
    INVARIANTS,
    PRECONDITION,
    Broken,
    PromiseWatch,
    Violation,
    broken_by,
    broken_invariant,
    invariant_of,
)
from ramify.runtime.recording import Phase, Rejected, frames, of_frame, path
from ramify.runtime.worlds import copied

CHANGING = {"__setitem__", "__delitem__", "__iadd__", "__isub__", "__ior__", "__enter__", "__exit__", "__call__"}
SCALARS = (int, float, str, bytes, bool, type(None))


class ContractWrappers:
    """The wrappers of one run, and the objects that are inside one of their own methods now."""

    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._checking = False
        self.unreadable: dict[str, str] = {}  # functions whose contracts are in error, and what is wrong

    def install(self, module: ModuleType) -> None:
        """Wraps the functions and methods of a module that have a contract, and the methods of classes that have
        an invariant.
        """
        for name, value in list(vars(module).items()):
            # What a module imports is not its own to wrap.
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                contract = self._contract(value)
                if contract:
                    setattr(module, name, self._guarded(value, contract))
            elif isinstance(value, type) and value.__module__ == module.__name__:
                self._install_class(value)

    def _install_class(self, cls: type) -> None:
        invariant = invariant_of(cls) is not None
        for name, value in list(vars(cls).items()):
            # The function inside is wrapped, and the wrapping kind put around it again.
            inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if not isinstance(inner, FunctionType) or name in INVARIANTS:
                continue
            contract = self._contract(inner)
            public = name == "__init__" or name in CHANGING or not name.startswith("_")
            keeps = invariant and public and inner is value
            if contract or keeps:
                guarded = self._guarded(inner, contract, keeps)
                setattr(cls, name, guarded if inner is value else type(value)(guarded))

    def _contract(self, function: FunctionType) -> Contract:
        try:
            return contracts.of(function)
        except InputError as error:
            self.unreadable[function.__qualname__] = str(error)
            return Contract()

    def _guarded(self, function: FunctionType, contract: Contract, keeps: bool = False) -> Callable[..., Any]:
        @functools.wraps(function)
        def guarded(*args: Any, **keywords: Any) -> Any:
            # A clause may call functions that have contracts themselves.
            if self._checking:
                return function(*args, **keywords)
            watch = None
            if contract:
                try:
                    bound = inspect.signature(function).bind(*args, **keywords)
                except TypeError:
                    return function(*args, **keywords)  # raises Python's own message
                bound.apply_defaults()
                # The caller's frame is where a broken precondition is reported.
                watch = self._entered(function, contract, bound.arguments, sys._getframe(1))
            # Inside of its own methods an object may be out of order for a while.
            outermost = keeps and id(args[0]) not in self._inside
            with self.within(args[0]) if outermost else _nothing():
                try:
                    result = function(*args, **keywords)
                except Exception as error:
                    if watch is not None:
                        with self.checking():
                            _refuse(watch.raised(error))
                    raise
                with self.checking():
                    if watch is not None:
                        _refuse(watch.returned(result))
                    if outermost:
                        _refuse(broken_invariant(args[0], function))
            return result

        return guarded

    def _entered(
        self, function: FunctionType, contract: Contract, names: dict[str, Any], caller: FrameType
    ) -> PromiseWatch:
        """Checks the preconditions of a call and remembers what its postconditions need."""
        place, scope = of_frame(caller), function.__globals__
        with self.checking():
            for clause in contract.assume:
                broken = broken_by(clause, scope, names, None, function.__qualname__, lambda line: place)
                if (
                    broken is not None
                    and frames.is_own(caller.f_code.co_filename)
                    and function.__name__ == "__init__"
                ):
                    # Called by us, to build an input: then there is no such input.
                    raise Rejected(f"precondition of {function.__qualname__}: {broken.text}")
                if broken is not None:
                    raise Violation(
                        Broken(PRECONDITION, broken.clause, function.__qualname__, place, broken.detail)
                    )
            initial = names
            if contract.ensure or contract.raises:
                with path.paused():
                    # Postconditions speak of the arguments as they were; the function may change them.
                    initial = {k: v if isinstance(v, SCALARS) else copied(v) for k, v in names.items()}
            watch = PromiseWatch(contract, function.__qualname__, scope, initial, names)
            watch.begin()
        return watch

    @contextmanager
    def within(self, target: Any) -> Iterator[None]:
        """Around a method of an object: what it calls on itself does not check the invariant."""
        self._inside.add(id(target))
        try:
            yield
        finally:
            self._inside.discard(id(target))

    @contextmanager
    def checking(self) -> Iterator[None]:
        """What is decided in between is no branch of the program, and what is called there is not checked."""
        before, self._checking = self._checking, True
        run = path.active()
        phase = run.phase if run is not None else Phase.BODY
        if run is not None:
            run.phase = Phase.ENSURE
        try:
            yield
        finally:
            self._checking = before
            if run is not None:
                run.phase = phase


def _refuse(broken: Broken | None) -> None:
    if broken is not None:
        raise Violation(broken)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
