"""The function of a target in a fresh world: out of its module, executed anew, or out of a copied namespace."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Protocol

from ramify.runtime.worlds.companions import Companions
from ramify.runtime.worlds.isolate import Clone, Recode, Sandbox
from ramify.runtime.worlds.target import Target

Prepare = Callable[[ModuleType], None]
"""What is done to a module between its execution and the run."""


_NOTHING = nullcontext()  # it has no state


class FreshFunction(NamedTuple):
    """A function of a world, and its class if it is a method. `resolve` gives what a class of an earlier run has
    become, in the target's module or in one beside it.
    """

    function: Callable[..., Any]
    owner: type | None
    resolve: Callable[[type], type]


class World(Protocol):
    """Where the runs of a target take place."""

    def late(self) -> set[str]:
        """The files beside the target that should be at the level of this world and are not yet."""

    def renew(self) -> None:
        """Executes the modules beside the target again, those that runs have entered at this world's level."""

    def alone(self) -> bool:
        """Whether no other module than the target's has a copy of its own here."""

    def running(self) -> AbstractContextManager[None]:
        """Around everything that happens in a run."""

    def entered(self) -> AbstractContextManager[None]:
        """Around what counts as the run: the modules that are entered meanwhile should be at this level."""

    def fresh(self, prepare: Prepare | None = None) -> FreshFunction:
        """The function, as if nothing had run before."""


class ModuleWorld:
    """A target that its module's code defines anew for every run."""

    def __init__(
        self, target: Target, builtin_models: Mapping[str, Any], companions: Companions | None = None
    ) -> None:
        self._target = target
        self._companions = companions
        self._sandbox = Sandbox(target.source, builtin_models, companions)
        self._sandbox.first()

    def late(self) -> set[str]:
        return self._companions.late() if self._companions is not None else set()

    def renew(self) -> None:
        if self._companions is not None:
            self._companions.forget()
            self._sandbox.first()

    def alone(self) -> bool:
        return self._companions is None or not self._companions.any()

    def running(self) -> AbstractContextManager[None]:
        return self._sandbox.running()

    def entered(self) -> AbstractContextManager[None]:
        return _NOTHING if self._companions is None else self._companions.entered()

    def fresh(self, prepare: Prepare | None = None) -> FreshFunction:
        module = self._sandbox.fresh()

        def resolve(cls: type) -> type:
            found: Any = module if cls.__module__ == module.__name__ else sys.modules.get(cls.__module__)
            for name in cls.__qualname__.split("."):
                found = getattr(found, name, None)
            return found if isinstance(found, type) else cls

        function, owner = self._target.find(module)
        if prepare is not None:
            prepare(module)
        return FreshFunction(function, owner, resolve)


class FunctionWorld:
    """A target that is only known as an object: there are no modules beside it."""

    def __init__(
        self, function: FunctionType, builtin_models: Mapping[str, Any], recode: Recode | None = None
    ) -> None:
        self._clone = Clone(function, builtin_models, recode)

    def late(self) -> set[str]:
        return set()

    def renew(self) -> None:
        pass

    def alone(self) -> bool:
        return True

    @contextmanager
    def running(self) -> Iterator[None]:
        yield

    def entered(self) -> AbstractContextManager[None]:
        return _NOTHING

    def fresh(self, prepare: Prepare | None = None) -> FreshFunction:
        return FreshFunction(self._clone.fresh(), None, _same)


def _same(cls: type) -> type:
    return cls


def unwrapped(function: Callable[..., Any]) -> Any:
    """The function below its decorators."""
    return inspect.unwrap(function)
