"""What a target is, however it is run: its function, parameters, contract and global inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, NamedTuple

from ramify.cfg.source_file import SourceFile, changed, source_file
from ramify.errors import InputError
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.contracts import invariant_of
from ramify.runtime.inputs import (
    Arguments,
    Call,
    Doubts,
    Maker,
    ShapedParameter,
    Written,
    bounds_of,
    discovery,
    global_inputs,
)
from ramify.runtime.inputs import parameters as inputs
from ramify.runtime.programs.execution import Execution, Options
from ramify.runtime.terms import Assignment, Sort
from ramify.runtime.worlds import FreshFunction, unwrapped


@dataclass(frozen=True, slots=True)
class ParameterFact:
    """A parameter by name and kind."""

    name: str
    kind: Any


class Whereabouts(NamedTuple):
    """Where a target is written: the file, which version of it, and the name there."""

    path: str
    digest: str
    name: str

    def file(self) -> SourceFile:
        """The file, here; it must be the same version."""
        found = source_file(self.path)
        if found.digest != self.digest:
            raise changed(self.path)
        return found


@dataclass(slots=True)
class Facts:
    """What a program is, for those who cannot see it."""

    name: str
    parameters: list[ParameterFact]
    assume: list[str]
    ensure: list[str]
    notes: list[str]
    setup: float = 0.0  # nominal seconds of a fresh world

    @classmethod
    def of(
        cls, name: str, parameters: Sequence[ShapedParameter], contract: contracts.Contract, notes: list[str]
    ) -> Facts:
        return cls(
            name,
            [ParameterFact(p.name, p.kind) for p in parameters],
            [clause.text for clause in contract.assume],
            [clause.text for clause in contract.ensure],
            notes,
        )


class Subject:
    """What is known of a target's function; it is the same in all worlds."""

    def __init__(
        self, fresh: FreshFunction, home: str, options: Options, types: Mapping[str, Any] | None = None
    ) -> None:
        function, owner, _ = fresh
        inner = unwrapped(function)
        self.home = home  # the module that written arguments are read in
        self.options = options
        self.name = function.__qualname__
        self.code: CodeType = inner.__code__
        self.notes: list[str] = []  # what the user should know about the inputs
        self.parameters: list[ShapedParameter] = inputs.parameters(inner, owner, types, self.notes)
        names = [p.name for p in self.parameters]
        self.globals = global_inputs.global_inputs(inner, options.symbolic_globals, names)
        self.contract = contracts.of(function)
        signature = inspect.signature(inner).parameters
        self.defaults = {name for name, p in signature.items() if p.default is not inspect.Parameter.empty}
        self.receiver = self.parameters[0].name if owner is not None else None
        self.has_invariant = options.guarded and owner is not None and invariant_of(owner) is not None
        self.promising = bool(self.contract.ensure or self.contract.raises)

    def discover(self, run: Callable[[Assignment], Execution]) -> None:
        """Finds out by running which types the parameters get on with of which nothing says the type."""

        def trial(parameters: Sequence[ShapedParameter], assignment: Assignment) -> BaseException | None:
            self.parameters = list(parameters)
            return run(assignment).exception

        if any(map(discovery.is_open, self.parameters)):
            self.parameters = discovery.refined(self.parameters, trial)

    def maker(
        self,
        assignment: Assignment,
        resolve: Callable[[type], type] = lambda cls: cls,
        draw: Callable[[str, Sort, Any], Any] | None = None,
        plain: bool = False,
        home: str | None = None,
    ) -> Maker:
        options = self.options
        return Maker(
            assignment,
            resolve,
            options.arrays,
            options.max_size,
            options.max_depth,
            options.max_entries,
            options.max_items,
            draw,
            plain,
            options.alternatives,
            options.calls,
            self.home if home is None else home,
        )

    def arguments(self, make: Maker) -> Call:
        return Arguments(self.parameters, target=True).build(make, 0)

    def texts(self, assignment: Assignment, qualified: bool = False) -> Written:
        """The initial arguments as Python expressions, in the names of the target's module; `qualified`: as
        another file would write them, with the module in front.
        """
        make = self.maker(assignment, home="" if qualified else None)
        module = f"{make.module(self.home)}." if qualified else ""
        statements = self.globals.statements(make, module)
        arguments = Arguments(self.parameters, target=True)
        texts = arguments.texts(make, 0)
        return Written(
            texts,
            arguments.written(texts),
            [*statements, *make.setup],
            sorted(make.imports),
            [name for name in self.globals.shapes if "." not in name],
            list(dict.fromkeys(make.outside)),
        )

    def facts(self) -> Facts:
        return Facts.of(self.name, self.parameters, self.contract, self.notes)

    def bounds(self) -> list[str]:
        """What the inputs are limited to, in words."""
        where = [f"where {clause.text}" for clause in self.contract.assume]
        return [*bounds_of(self.parameters, self.options.calls), *where]

    def doubts(self) -> Doubts:
        """What the inputs leave out although anybody may pass it."""
        return Doubts.about(self.parameters, self.options.calls)

    def written_in(self, path: str) -> str:
        """The name of the function in the file of its module. A constructor that a dataclass has written calls
        `__post_init__`, if anything.
        """
        if not self.name.endswith(".__init__") or self.code.co_filename == path:
            return self.name
        owner = self.name.rpartition(".")[0]
        if not hasattr(self.parameters[0].shape and self.parameters[0].shape.kind, "__post_init__"):
            raise InputError(f"{path}: nobody wrote {self.name}; name a method, as in {owner}.method")
        return f"{owner}.__post_init__"
