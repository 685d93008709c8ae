"""A target's two worlds: one whose code is measured, one whose code is concolic, each with the modules beside it.

Both are compiled from the same source, once per process; a child inherits what its parent has compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ramify.errors import InputError
from ramify.instrument import concolic, measuring
from ramify.instrument.concolic.switches import Switches
from ramify.instrument.thin import find
from ramify.runtime.models import BUILTINS
from ramify.runtime.programs.recorder import Recorder
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.rewritten import NAMESPACE
from ramify.runtime.worlds import (
    Companions,
    Entries,
    FunctionWorld,
    Level,
    ModuleWorld,
    Source,
    Target,
    World,
    beside,
    cost,
    file_of,
)

OPERANDS, BOOLEANS, CALLS, MODELS, SEARCH, CHEAP_RUNS = (
    "operand wrapping", "boolean operators", "call rewriting", "builtin models", "local search", "cheap runs",
)  # fmt: skip
PARTS = (OPERANDS, BOOLEANS, CALLS, MODELS, SEARCH, CHEAP_RUNS)
"""What the hybrid has beyond proxies; each can be switched off to see what it is good for."""

# A child inherits what its parent has compiled, and so does the next one if it dies.
measured_code = lru_cache(maxsize=32)(measuring.instrument)
concolic_code = lru_cache(maxsize=32)(concolic.instrument)


def prepare(target: Target, without: str | None = None) -> None:
    """Compiles a target's module for both worlds, without running any of it."""
    file = file_of(target)
    measured_code(file.content, file.path)
    concolic_code(file.content, file.path, switches_without(without))


def switches_without(part: str | None) -> Switches:
    """The rewritings of the concolic level, without one part of the hybrid."""
    return Switches(
        operands=part != OPERANDS,
        booleans=part != BOOLEANS,
        calls=part != CALLS,
        formats=part != OPERANDS,
    )


def builtin_models() -> dict[str, Any]:
    """The builtin functions that have models, by name. Types are dispatched where they are called."""
    return {f.__name__: model for f, model in BUILTINS.items() if not isinstance(f, type)}


class HybridWorlds:
    """The measured and the concolic world of a target; they share ticks, and which modules runs have entered."""

    def __init__(
        self,
        target: Target | FunctionType,
        without: str | None = None,
        include: Sequence[str] = (),
        everything: bool = False,
    ) -> None:
        """With `everything`, the modules beside the target are rewritten before a run has entered them."""
        self.file = file = file_of(target)
        file.check()  # a child may come long after the one that its parent's goals are about
        self.ticks = Ticks()
        self._switches = switches_without(without)
        models = builtin_models() if without != MODELS else {}
        self._namespace = self.ticks.builtins({**NAMESPACE, **models})
        self._entries = Entries(everything)
        built = measured_code(file.content, file.path)
        rewritten = concolic_code(file.content, file.path, self._switches)
        self.recorder = Recorder(built, self.ticks)
        self.cost = cost(built.code)  # of a fresh module
        self.declined = {"<module>": built.declined} if built.declined else {}
        self.declined |= rewritten.declined
        measuring = self.ticks.builtins(self.recorder.namespace)
        self.measured = self._world(target, built.code, measuring, self._measuring_level, include)
        self.concolic = self._world(target, rewritten.code, self._namespace, self._concolic_level, include)

    def late(self) -> bool:
        """Whether runs have entered modules that are still to be rewritten."""
        return bool(self.concolic.late() or self.measured.late())

    def renew(self) -> bool:
        """Rewrites the modules that runs have entered; whether there were any."""
        late = {world: files for world in (self.concolic, self.measured) if (files := world.late())}
        self.ticks.start(sys.maxsize)
        for world, files in late.items():
            try:
                world.renew()
            except InputError as error:  # it could be imported as it was written
                self.declined |= dict.fromkeys(files, f"it cannot be imported again: {error}")
                self._entries.refuse(files)
                world.renew()
        return bool(late)

    def _concolic_level(self, source: bytes, filename: str) -> tuple[CodeType, dict[str, Any]]:
        built = concolic_code(source, filename, self._switches)
        self.declined |= {f"{filename}:{name}": reason for name, reason in built.declined.items()}
        return built.code, self._namespace

    def _measuring_level(self, source: bytes, filename: str) -> tuple[CodeType, dict[str, Any]]:
        """Modules beside the target: their loops count and their tests are noted; their edges are no goals."""
        built = measured_code(source, filename)
        recorder = Recorder(built, self.ticks, self.recorder, filename)
        return built.code, self.ticks.builtins(recorder.namespace)

    def _world(
        self,
        target: Target | FunctionType,
        code: CodeType,
        namespace: Mapping[str, Any],
        level: Level,
        include: Sequence[str],
    ) -> World:
        """The target's world at some level: its module, and the modules beside it, with that level's code."""
        if isinstance(target, Target):
            source: Source = replace(target.source, code=code)
            companions = Companions(beside(source, include), level, self._entries)
            return ModuleWorld(Target(source, target.qualname), namespace, companions)

        def recode(function: FunctionType) -> CodeType:
            found = find(code, function.__code__.co_qualname, function.__code__.co_firstlineno)
            return function.__code__ if found is None else found

        return FunctionWorld(target, namespace, recode)
