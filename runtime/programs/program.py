"""Runs a target once on the inputs of an Assignment and says what happened: the unit of work of every
exploration.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter as _clock
from types import CodeType, CoroutineType, FunctionType, GeneratorType, ModuleType
from typing import Any, Protocol

from ramify.cfg.leaves import Place
from ramify.errors import InputError
from ramify.runtime.contracts import (
    INVARIANT,
    Broken,
    ContractWrappers,
    Violation,
    Watch,
    broken_invariant,
    broken_promise,
    invariant_of,
)
from ramify.runtime.contracts import contract as contracts
from ramify.runtime.inputs import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_ITEMS,
    MAX_TEXT,
    NOTHING_WRITTEN,
    Arguments,
    Call,
    Maker,
    ShapedParameter,
    Written,
    discovery,
    global_inputs,
)
from ramify.runtime.inputs import parameters as inputs
from ramify.runtime.recording import (
    MAX_DECISIONS,
    Concretisation,
    Cut,
    Decision,
    Phase,
    Rejected,
    Run,
    TermMismatch,
    frames,
    path,
)
from ramify.runtime.sandbox import MIB, Refusal
from ramify.runtime.terms import Assignment, Sort, Term
from ramify.runtime.values import core
from ramify.runtime.worlds import Companions, Source, Target, from_spec, isolate

TRIAL_SECONDS = 0.5
"""How long a run may take that only finds out which types a function gets on with."""

MAX_VALUES = 1000
"""How many values of a generator a run takes."""

RETURNED, RAISED, VIOLATED, CUT, REJECTED = "returned", "raised", "violated", "cut", "rejected"
CRASHED = "crashed"  # the process of the run ended before the run did

_BUILTINS, _MODULES = vars(builtins), sys.modules
_setrecursionlimit, _settrace, _setprofile = sys.setrecursionlimit, sys.settrace, sys.setprofile


@dataclass(slots=True)
class Execution:
    """One run: its inputs, its decisions and how it ended."""

    assignment: Assignment
    decisions: list[Decision] = field(default_factory=list)
    facts: list[Term] = field(default_factory=list)
    outcome: str = RETURNED
    result: Any = None
    exception: BaseException | None = None
    output: str = ""
    describe: Callable[[Assignment], Written] = field(default=lambda assignment: NOTHING_WRITTEN)
    reason: str = ""
    concretisations: dict[Concretisation, int] = field(default_factory=dict)
    promises: list[Term] = field(default_factory=list)  # postconditions that held, still to be falsified
    broken: Broken | None = None  # the promise that was not kept, if one was not
    raised_at: tuple[str, int] | None = None  # file and line of the program that the exception came from
    hits: frozenset[int] = frozenset()  # probes of the target's file, in a measured run
    near: dict[Place, tuple[float, float]] = field(default_factory=dict)  # of tests, from true and from false
    seen: tuple[Any, ...] = ()  # values that were compared
    refusals: list[Refusal] = field(default_factory=list)  # what it tried to do and was not allowed to
    ticks: int = 0  # rounds of loops and calls of functions
    outside: tuple[str, ...] = ()  # inputs that are not of their declared type

    _conditions: list[Term] | None = None

    @property
    def conditions(self) -> list[Term]:
        """The path condition, one term for each decision."""
        if self._conditions is None:
            self._conditions = [d.condition for d in self.decisions]
        return self._conditions

    @property
    def hung(self) -> bool:
        """Whether it had to be killed because it did not end."""
        return self.outcome == CRASHED and self.reason.startswith("killed after")

    @property
    def arguments(self) -> Written:
        """The initial arguments as Python expressions, with the statements and imports they need."""
        return self.describe(self.assignment)


@dataclass(frozen=True, slots=True)
class Options:
    """How inputs are represented and how far a run may go."""

    arrays: bool = True
    max_size: int = MAX_TEXT  # of a text, or of a list with one sequence variable
    max_depth: int = MAX_DEPTH  # of objects inside objects
    max_entries: int = MAX_ENTRIES  # of a dict, a set, or a list kept as cells
    max_items: int = MAX_ITEMS  # of a container whose elements take decisions to build
    max_decisions: int = MAX_DECISIONS
    seed: int = 0
    output: int = MIB  # bytes that a run may print
    alternatives: bool = True  # also omitted defaults, shared objects, and types that only the body speaks of
    calls: int = 0  # of public methods before an object is handed over
    symbolic_globals: tuple[str, ...] = ()  # module globals and class attributes that are inputs
    guarded: bool = False  # whether the contracts of called functions and of classes are checked


def ending(execution: Execution) -> tuple[Any, ...]:
    """What makes two runs end alike."""
    refused = frozenset((r.kind, r.file, r.line) for r in execution.refusals)
    error = type(execution.exception).__name__
    reason = execution.reason
    if reason.startswith(("killed after", "no end after")):  # how long that took says nothing about the input
        reason = reason.partition(" after")[0]
    return execution.outcome, error, execution.raised_at, reason, refused


class Runnable(Protocol):
    """What an exploration needs to know of a program, wherever it runs."""

    name: str
    notes: list[str]

    def run(
        self, assignment: Assignment, limit: int | None = None, seconds: float | None = None
    ) -> Execution:
        """One run from an assignment."""

    def texts(self, assignment: Assignment) -> Written:
        """The initial arguments as Python expressions."""

    def close(self) -> None:
        """No more runs will be asked for."""


class Program:
    """A target that can be run any number of times, each time as if it were the first."""

    def __init__(
        self,
        target: Target | FunctionType,
        builtin_models: Mapping[str, Any],
        options: Options = Options(),
        types: Mapping[str, Any] | None = None,
    ) -> None:
        self.options = options
        self._world = self._make_world(target, builtin_models)
        self.home = target.source.name if isinstance(target, Target) else target.__module__ or ""
        self.notes: list[str] = []  # what the user should know about the inputs
        with self._world.running():
            function, owner, _ = self._world.fresh()
            self.name = function.__qualname__
            inner = unwrapped(function)
            self.code: CodeType = inner.__code__
            self.parameters: list[ShapedParameter] = inputs.parameters(inner, owner, types, self.notes)
            names = [p.name for p in self.parameters]
            self.globals = global_inputs.global_inputs(inner, options.symbolic_globals, names)
        self.contract = contracts.of(function)
        signature = inspect.signature(inner).parameters
        self.defaults = {name for name, p in signature.items() if p.default is not inspect.Parameter.empty}
        self._receiver = self.parameters[0].name if owner is not None else None
        self._invariant = options.guarded and owner is not None and invariant_of(owner) is not None
        self._promising = bool(self.contract.ensure or self.contract.raises)
        if any(map(discovery.is_open, self.parameters)):
            self.parameters = discovery.refined(self.parameters, self._trial)

    @property
    def ensure(self) -> Sequence[Any]:
        """The postconditions."""
        return self.contract.ensure

    def _trial(self, parameters: Sequence[ShapedParameter], assignment: Assignment) -> BaseException | None:
        """What the target raises with parameters of these types."""
        self.parameters = list(parameters)
        return self.run(assignment, seconds=TRIAL_SECONDS).exception

    def _make_world(self, target: Target | FunctionType, builtin_models: Mapping[str, Any]) -> _World:
        if isinstance(target, Target):
            return _Module(target, builtin_models)
        return _Function(target, builtin_models)

    def _fresh(self, world: _World, guards: ContractWrappers | None = None) -> _Fresh:
        """The world of one run, before any of the run itself."""
        return world.fresh(guards)

    @frames.boundary
    def run(
        self, assignment: Assignment, limit: int | None = None, seconds: float | None = None
    ) -> Execution:
        """Runs on these inputs, completing the assignment with defaults.

        At most `limit` decisions are taken, and a run that takes longer than `seconds` is cut.
        """
        options = self.options
        execution = Execution(assignment)
        run = Run(assignment, options.max_decisions if limit is None else limit)
        started = _clock()
        with self._world.running(), isolate.captured(options.output) as buffer:
            guards = ContractWrappers()
            function, _, resolve = self._fresh(self._world, guards if options.guarded else None)
            isolate.seed_random(options.seed)
            make = self._maker(assignment, resolve)
            with path.recording(run):
                self._perform(function, make, run, execution, buffer, seconds, guards)
        execution.decisions, execution.facts = run.decisions, run.facts
        execution.concretisations = run.concretisations
        execution.describe = self.texts
        if execution.exception is not None:
            # The time left, but enough to see an ordinary exception again.
            self._confirm(execution, None if seconds is None else max(seconds - (_clock() - started), 0.1))
        return execution

    def close(self) -> None:
        """Nothing is left behind by runs in this process."""

    def _maker(
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

    def _confirm(self, execution: Execution, seconds: float | None) -> None:
        """Repeat a run that raised, on plain values: an exception counts only if the program really raises it.

        C code that insists on a real bool refuses the result of a comparison with an input.
        """
        assignment = execution.assignment
        plain = Execution(assignment)
        with self._world.running(), isolate.captured(self.options.output) as buffer:
            function, _, resolve = self._world.fresh()
            isolate.seed_random(self.options.seed)
            make = self._maker(assignment, resolve, plain=True)
            try:
                with global_inputs.installed(_globals(function), self.globals.build(make)):
                    arguments = self._arguments(make)
                    buffer.clear()
                    with isolate.deadline(seconds):
                        plain.result = self._attempt(function, arguments, plain, buffer)
                    if type(plain.exception) is type(execution.exception):
                        return
                    if self._promising and plain.broken is None:
                        watch = self._watch(function, self._arguments(make).names, arguments.names)
                        self._check_promises(watch, plain.result, plain, ContractWrappers())
            except (Cut, Rejected, Exception):  # inputs that cannot be built plainly, or an endless run: as it was
                return
        execution.outcome, execution.result, execution.exception = plain.outcome, plain.result, plain.exception
        execution.output, execution.reason, execution.broken = plain.output, plain.reason, plain.broken
        code = unwrapped(function).__code__
        lost = Concretisation(code.co_filename, code.co_firstlineno, "a truth value given to C code")
        execution.concretisations[lost] = execution.concretisations.get(lost, 0) + 1

    def texts(self, assignment: Assignment, qualified: bool = False) -> Written:
        """The initial arguments as Python expressions, in the names of the target's module; `qualified`: as
        another file would write them, with the module in front.
        """
        make = self._maker(assignment, home="" if qualified else None)
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

    def _perform(
        self,
        function: Callable[..., Any],
        make: Maker,
        run: Run,
        execution: Execution,
        buffer: isolate.Output,
        seconds: float | None,
        guards: ContractWrappers,
    ) -> None:
        try:
            with global_inputs.installed(_globals(function), self.globals.build(make)):
                arguments = self._arguments(make)
                execution.outside = tuple(dict.fromkeys(make.outside))
                watch = None
                if self._promising:
                    watch = self._watch(function, self._initial(make, run), arguments.names)
                if self.contract.assume:
                    self._check_assumptions(function, arguments.names, run)
                if watch is not None:
                    with guards.checking():
                        watch.begin()
                buffer.clear()  # what constructors print belongs to no path
                receiver = arguments.names[self._receiver] if self._receiver is not None else None
                with isolate.deadline(seconds), guards.within(receiver):
                    result = self._attempt(function, arguments, execution, buffer)
                    if watch is not None and execution.broken is None:
                        self._check_promises(watch, result, execution, guards)
                    if self._invariant and execution.outcome == RETURNED:
                        with guards.checking():
                            broken = broken_invariant(receiver, unwrapped(function), execution.promises.append)
                            self._break(execution, broken)
            with path.paused():
                execution.result = _stripped(result)
        except Cut as cut:
            execution.outcome, execution.reason = CUT, str(cut)
        except Violation as violation:
            self._break(execution, violation.broken)
        except Rejected as rejected:
            self._reject(rejected, execution)

    def call_once(self, run: Run, seconds: float | None) -> tuple[Execution, Any, dict[str, Any]]:
        """One call as part of a larger run: how it ended, its result, and its arguments afterwards. Only the
        preconditions of its contract count.
        """
        execution = Execution(run.assignment)
        with self._world.running(), isolate.captured(self.options.output) as buffer:
            function, _, resolve = self._fresh(self._world)
            isolate.seed_random(self.options.seed)
            with path.recording(run):
                arguments = self._arguments(self._maker(run.assignment, resolve))
                if self.contract.assume:
                    self._check_assumptions(function, arguments.names, run)
                with isolate.deadline(seconds):
                    result = self._attempt(function, arguments, execution, buffer)
        return execution, result, arguments.names

    def _reject(self, rejected: Rejected, execution: Execution) -> None:
        """An input that is none; unless a constructor made an object that breaks its own invariant."""
        cause = rejected.__cause__
        found = broken_promise(cause, None) if cause is not None else None
        if found is not None and found[0].kind == INVARIANT:
            self._break(execution, found[0])
        else:
            execution.outcome, execution.reason = REJECTED, str(rejected)

    @staticmethod
    def _break(execution: Execution, broken: Broken | None) -> None:
        if broken is not None:
            execution.outcome, execution.reason, execution.broken = VIOLATED, broken.reason, broken

    def _watch(
        self, function: Callable[..., Any], initial: dict[str, Any], arguments: dict[str, Any]
    ) -> Watch:
        return Watch(self.contract, self.name, _globals(function), initial, arguments)

    def _attempt(
        self,
        function: Callable[..., Any],
        arguments: Call,
        execution: Execution,
        buffer: isolate.Output,
    ) -> Any:
        """The call itself: whatever the target raises is an outcome."""
        limit, trace, profile = sys.getrecursionlimit(), sys.gettrace(), sys.getprofile()
        names, modules = _BUILTINS.copy(), _MODULES.copy()
        try:
            try:
                return self._call(function, arguments)
            finally:  # nothing of ours runs before these are as they were
                _setrecursionlimit(limit)
                _settrace(trace)
                _setprofile(profile)
                if names != _BUILTINS:  # no builtin is called by name before this
                    _BUILTINS.clear()
                    _BUILTINS.update(names)
                if _MODULES.get("sys") is not sys or sys.modules is not _MODULES:  # nothing could be imported
                    sys.modules = _MODULES
                    _MODULES.update(modules)
        except (Cut, Rejected, TermMismatch, Violation):
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and isolate.interruptible():
                raise
            found = broken_promise(error, getattr(unwrapped(function), "__code__", None))
            if found is not None and found[1]:
                raise Rejected(f"precondition: {found[0].text}") from None
            execution.raised_at = frames.origin(error)
            execution.outcome, execution.exception = RAISED, _bare(error)
            if found is not None:
                self._break(execution, found[0])
        finally:
            execution.output = buffer.text()
        return None

    def _call(self, function: Callable[..., Any], arguments: Call) -> Any:
        result = arguments.perform(function)
        # No function of ours is called for an ordinary result: the target may have left a trace function.
        kind = type(result)
        return finished(result) if kind is CoroutineType or kind is GeneratorType else result

    def _arguments(self, make: Maker) -> Call:
        return Arguments(self.parameters, target=True).build(make, 0)

    def _initial(self, make: Maker, run: Run) -> dict[str, Any]:
        """The inputs once more, for contracts that speak of their initial values. Building them decides
        nothing new.
        """
        decisions, facts = len(run.decisions), len(run.facts)
        again = self._arguments(make).names
        del run.decisions[decisions:], run.facts[facts:]
        return again

    def _check_assumptions(self, function: Callable[..., Any], arguments: dict[str, Any], run: Run) -> None:
        for clause in self.contract.assume:
            run.phase = Phase.ASSUME
            try:
                holds = clause.evaluate(_globals(function), arguments)
            except Exception as error:  # an input for which the precondition means nothing
                raise Rejected(f"precondition {clause.text} raised {type(error).__name__}") from error
            run.phase = Phase.ASSUMED
            if not holds:
                raise Rejected(f"precondition: {clause.text}")
        run.phase = Phase.BODY

    def _check_promises(self, watch: Watch, result: Any, execution: Execution, guards: ContractWrappers) -> None:
        with guards.checking():
            if execution.exception is not None:
                self._break(execution, watch.raised(execution.exception, execution.promises.append))
            else:
                self._break(execution, watch.returned(result, execution.promises.append))


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
    except Exception:
        return result


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = getattr(unwrapped(function), "__globals__", {})
    return found


def unwrapped(function: Callable[..., Any]) -> Any:
    """The function below its decorators."""
    return inspect.unwrap(function)


_Fresh = tuple[Callable[..., Any], type | None, Callable[[type], type]]
"""A function of a world, its class if it is a method, and what classes of earlier runs have become."""


class _Module:
    """A target that its module's code defines anew for every run."""

    def __init__(
        self, target: Target, builtin_models: Mapping[str, Any], companions: Companions | None = None
    ) -> None:
        self._target = target
        self._companions = companions
        self._sandbox = isolate.Sandbox(target.source, builtin_models, companions)
        self._sandbox.first()

    def late(self) -> set[str]:
        """The files beside the target that should be at the level of this world and are not yet."""
        return self._companions.late() if self._companions is not None else set()

    def renew(self) -> None:
        """Executes the modules beside the target again, those that runs have entered at this world's level."""
        if self._companions is not None:
            self._companions.forget()
            self._sandbox.first()

    def running(self) -> Any:
        return self._sandbox.running()

    def fresh(self, guards: ContractWrappers | None = None) -> _Fresh:
        module = self._sandbox.fresh()

        def resolve(cls: type) -> type:
            """The class that a class of an earlier run has become, in the target's module or one beside it."""
            found: Any = module if cls.__module__ == module.__name__ else sys.modules.get(cls.__module__)
            for name in cls.__qualname__.split("."):
                found = getattr(found, name, None)
            return found if isinstance(found, type) else cls

        found = self._target.find(module)
        if guards is not None:
            guards.install(module)
        return (*found, resolve)


class _Function:
    """A target that is only known as an object."""

    def __init__(
        self, function: FunctionType, builtin_models: Mapping[str, Any], recode: isolate.Recode | None = None
    ) -> None:
        self._clone = isolate.Clone(function, builtin_models, recode)

    def late(self) -> set[str]:
        """There are no modules beside it."""
        return set()

    def renew(self) -> None:
        """Nor is there anything to execute again."""

    @contextmanager
    def running(self) -> Iterator[None]:
        yield

    def fresh(self, guards: ContractWrappers | None = None) -> _Fresh:
        return self._clone.fresh(), None, lambda cls: cls


_World = _Module | _Function


def program_of(
    function: Callable[..., Any] | Target,
    builtin_models: Mapping[str, Any],
    options: Options = Options(),
    types: Mapping[str, Any] | None = None,
) -> Program:
    """The program of a target or a function object."""
    return Program(located(function), builtin_models, options, types)


def located(function: Callable[..., Any] | Target) -> Target | FunctionType:
    """A function object as a target of its module, which can be executed anew, if that is possible."""
    if isinstance(function, Target):
        return function
    if not isinstance(function, FunctionType):
        raise InputError(f"{function!r} is not a Python function")
    module = sys.modules.get(function.__module__ or "")
    source = _source_of(module) if module is not None and "<locals>" not in function.__qualname__ else None
    if source is not None and module is not None and _reachable(module, function):
        return Target(source, function.__qualname__)
    return function


def _source_of(module: ModuleType) -> Source | None:
    spec = getattr(module, "__spec__", None)
    if spec is None or module.__name__ == "__main__":
        return None
    try:
        return from_spec(spec)
    except (InputError, ImportError, OSError):
        return None


def _reachable(module: ModuleType, function: FunctionType) -> bool:
    found: Any = module
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function
