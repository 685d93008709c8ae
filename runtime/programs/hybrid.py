"""A target as the hybrid mode runs it: measured on plain values, and on concolic values at the concolic level.

The measured run says what an input does: outcome, output and edges, exactly as the program would without
Ramify. The concolic run of the same input only says why: its decisions and their terms.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import decode_source
from itertools import islice
from math import inf
from pathlib import Path
from time import perf_counter  # bound before the target, which may replace it
from types import CodeType, FunctionType
from typing import Any

from ramify.cfg.leaves import Place, Span
from ramify.errors import InputError
from ramify.instrument import concolic, measuring
from ramify.instrument.concolic import Switches
from ramify.instrument.render import scope_names
from ramify.instrument.thin import find
from ramify.runtime.contracts import ContractWrappers
from ramify.runtime.inputs import Call, Doubts, Maker, bounds_of
from ramify.runtime.models import BUILTINS
from ramify.runtime.programs.known import UNMEASURED, Ascent, Burst, Climb, Known
from ramify.runtime.programs.program import (
    CUT,
    REJECTED,
    Execution,
    Options,
    Program,
    _Fresh,
    _Function,
    _Module,
    _World,
    ending,
    unwrapped,
)
from ramify.runtime.programs.recorder import Recorder
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.proposals import FOREIGN, Draws, Lessons, Mending, assignments, smaller, tabled, transplanted
from ramify.runtime.proposals.examples import examples
from ramify.runtime.proposals.patterns import patterns
from ramify.runtime.recording import Run, path
from ramify.runtime.rewritten import NAMESPACE
from ramify.runtime.terms import Assignment, InputKind, Sort, kind_of
from ramify.runtime.worlds import (
    TICK,
    Companions,
    Entries,
    Level,
    Source,
    Target,
    beside,
    cost,
    from_spec,
    isolate,
)

MEASURED_STEPS = 3_000_000  # less after runs that were cut: the next one will hardly end either
FEWEST_STEPS = 100_000
BURST_STEPS = 2_000  # what runs longer is not cheap
CONCOLIC_STEPS = 3_000_000
SECONDS_PER_RUN = 2.0  # of processor time, for what does not tick
RELOADS = 5  # runs of one input, each of which enters further modules
SHRINKS = 80
LETTERS = 0.4  # how many letters are foreign where a program asks the Unicode database
REPAIRS = 4  # inputs tried to make equal again what a change made different
NEAR_EXAMPLES = 0.25  # how many of the cheap runs change an example of a docstring
MAX_CONSTANT = 40  # characters of a text that is worth trying

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
    source, path = source_of(target)
    measured_code(source, path)
    concolic_code(source, path, switches_without(without))


def switches_without(part: str | None) -> Switches:
    """The rewritings of the concolic level, without one part of the hybrid."""
    return Switches(
        operands=part != OPERANDS,
        booleans=part != BOOLEANS,
        calls=part != CALLS,
        formats=part != OPERANDS,
    )


class HybridProgram(Program):
    """A program with two worlds: one measured, one concolic."""

    def __init__(
        self,
        target: Target | FunctionType,
        options: Options = Options(),  # noqa: B008 - frozen
        types: Mapping[str, Any] | None = None,
        without: str | None = None,
        include: Sequence[str] = (),
        everything: bool = False,
    ) -> None:
        """With `everything`, the modules beside the target are rewritten before a run has entered them."""
        if isinstance(target, Target):
            target = at_home(target)
        self.source_bytes, self.path = source_of(target)
        self._ticks = Ticks()
        self._entries = Entries(everything)
        self.hosted = False  # whether somebody else sees to it that modules are renewed
        self._patience = MEASURED_STEPS
        self._steps = CONCOLIC_STEPS
        self.announce: Callable[[Assignment], None] = lambda assignment: None
        self.prepare: Callable[[], None] = lambda: None
        self.spoiled: Callable[[], bool] = lambda: False
        built = measured_code(self.source_bytes, self.path)
        self.declined = {"<module>": built.declined} if built.declined else {}
        self._recorder = Recorder(built, self._ticks)
        self.setup = cost(built.code)
        self._lessons = Lessons()
        self._switches = switches_without(without)
        self._namespace = self._ticks.builtins({**NAMESPACE, **(builtin_models() if without != MODELS else {})})
        self._include = include
        self._measured: _World = _recoded(
            target,
            built.code,
            self._ticks.builtins(self._recorder.namespace),
            self._measuring_level,
            include,
            self._entries,
        )
        super().__init__(target, self._namespace, options, types)
        tree = ast.parse(self.source_bytes)
        shown = examples(tree, self.name)
        known = [*constants(tree), *self.contract.constants(), *shown.literals]
        self.draws = Draws(options.seed, known, LETTERS if b"unicodedata" in self.source_bytes else FOREIGN)
        with self._measured.running():
            before = self._ticks.counted
            function = unwrapped(self._measured.fresh()[0])
            self.setup += (self._ticks.counted - before) * TICK
            self.draws.learn(tabled(function))
        self.draws.emphasise(constants(definition(tree, self.code)))
        self.draws.patterns = patterns(getattr(function, "__globals__", {}), tree)
        self._examples = list(assignments(shown.calls, self.parameters, self._maker({})))

    def _make_world(self, target: Target | FunctionType, namespace: Mapping[str, Any]) -> _World:
        built = concolic_code(self.source_bytes, self.path, self._switches)
        self.declined |= built.declined
        return _recoded(target, built.code, namespace, self._concolic_level, self._include, self._entries)

    def _concolic_level(self, source: bytes, filename: str) -> tuple[CodeType, dict[str, Any]]:
        built = concolic_code(source, filename, self._switches)
        self.declined |= {f"{filename}:{name}": reason for name, reason in built.declined.items()}
        return built.code, self._namespace

    def _measuring_level(self, source: bytes, filename: str) -> tuple[CodeType, dict[str, Any]]:
        """Modules beside the target: their loops count and their tests are noted; their edges are no goals."""
        built = measured_code(source, filename)
        recorder = Recorder(built, self._ticks, self._recorder, filename)
        return built.code, self._ticks.builtins(recorder.namespace)

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs on concolic values; again if it entered modules not rewritten yet, where terms are lost."""
        for _ in range(RELOADS):
            self._steps = CONCOLIC_STEPS
            execution = super().run(assignment, limit, seconds)
            execution.ticks = self._ticks.counted
            if self.hosted or not self.renew():
                break
        return execution

    def call_once(self, run: Run, seconds: float | None) -> tuple[Execution, Any, dict[str, Any]]:
        self._steps = CONCOLIC_STEPS
        return super().call_once(run, seconds)

    def _fresh(self, world: _World, guards: ContractWrappers | None = None) -> _Fresh:
        """Loading a module is no part of the run that needs it, so it counts no steps."""
        self._ticks.start(sys.maxsize)
        made = super()._fresh(world, guards)
        self._ticks.start(self._steps)
        return made

    def renew(self) -> bool:
        """Rewrites the modules that runs have entered; whether there were any."""
        late = {world: files for world in (self._world, self._measured) if (files := world.late())}
        self._ticks.start(sys.maxsize)
        for world, files in late.items():
            try:
                world.renew()
            except InputError as error:  # it could be imported as it was written
                self.declined |= dict.fromkeys(files, f"it cannot be imported again: {error}")
                self._entries.refuse(files)
                world.renew()
        return bool(late)

    def _perform(self, *args: Any) -> None:
        with self._entries.counted():
            super()._perform(*args)

    def left_plain(self) -> dict[str, str]:
        """The functions that run without instrumentation, and why."""
        return dict(self.declined)

    def bounds(self) -> list[str]:
        """What the inputs are limited to, in words."""
        where = [f"where {clause.text}" for clause in self.contract.assume]
        return [*bounds_of(self.parameters, self.options.calls), *where]

    def doubts(self) -> Doubts:
        """What the inputs leave out although anybody may pass it."""
        return Doubts.about(self.parameters, self.options.calls)

    @property
    def lessons(self) -> Lessons:
        """What runs have taught: here it is where it is needed."""
        return self._lessons

    def whereabouts(self) -> tuple[str, str]:
        """The file of the target and its name there. A constructor that a dataclass has written calls
        `__post_init__`, if anything.
        """
        if self.name.endswith(".__init__") and self.code.co_filename != self.path:
            owner = self.name.rpartition(".")[0]
            if not hasattr(self.parameters[0].shape and self.parameters[0].shape.kind, "__post_init__"):
                raise InputError(f"{self.path}: nobody wrote {self.name}; name a method, as in {owner}.method")
            return self.path, f"{owner}.__post_init__"
        return self.path, self.name

    def _arguments(self, make: Maker) -> Call:
        arguments = super()._arguments(make)
        self.announce(make.assignment)
        return arguments

    def _confirm(self, execution: Execution, seconds: float | None) -> None:
        """The measured run has said already what the input does."""

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        """Runs on plain values and says what happened and which edges were taken."""
        execution = self._measure(assignment, wanted, seconds, self.draws.usual, self._patience)
        if execution.outcome == CUT:
            self._patience = max(FEWEST_STEPS, self._patience // 4)
        return execution

    def _measure(
        self,
        assignment: Assignment,
        wanted: frozenset[Span],
        seconds: float | None,
        draw: Callable[[str, Sort, Any], Any],
        steps: int,
    ) -> Execution:
        execution = Execution(assignment)
        self.prepare()
        if not self.hosted:
            self.renew()
        self._steps = steps
        recorder = self._recorder
        with self._measured.running(), isolate.captured(self.options.output) as buffer:
            guards = ContractWrappers()
            function, _, resolve = self._fresh(self._measured, guards if self.options.guarded else None)
            isolate.seed_random(self.options.seed)
            make = self._maker(assignment, resolve, draw, plain=True)
            recorder.start(wanted)
            with path.paused():
                limit = SECONDS_PER_RUN if seconds is None else min(seconds, SECONDS_PER_RUN)
                self._perform(function, make, Run(assignment), execution, buffer, limit, guards)
        execution.ticks = self._ticks.counted
        execution.hits, execution.near, execution.seen = recorder.taken(), recorder.near, tuple(recorder.seen)
        execution.describe = self.texts
        return execution

    def burst(
        self, seeds: range, known: Known, wanted: frozenset[Span], seconds: float | None = None
    ) -> Burst:
        """Measured runs on generated inputs, of which those are kept that take a new edge or end in a new way."""
        covered, endings, burst = set(known.covered), set(known.endings), Burst()
        mending = Mending(self.draws.random)
        end = inf if seconds is None else perf_counter() + seconds
        for seed in seeds:
            burst.seeds += 1
            self.draws.restart(seed)
            given: Assignment | None = self._suggested(seed)
            while given is not None:
                execution = self._measure(given, wanted, seconds, self.draws.fresh, BURST_STEPS)
                burst.runs += 1
                burst.ticks += execution.ticks
                if self.spoiled():
                    burst.found.append(execution)
                    return burst
                self.draws.notice(execution.seen)
                if execution.outcome in (REJECTED, CUT):
                    break
                if not covered.issuperset(execution.hits) or ending(execution) not in endings:
                    covered |= execution.hits
                    endings.add(ending(execution))
                    burst.found.append(execution)
                if perf_counter() > end:
                    return burst
                given = mending.mended(execution.assignment, self._recorder.compared)
        return burst

    def _suggested(self, seed: int) -> Assignment:
        """What the docstrings show, one example after the other, then now and then one of them with changes."""
        shown = self._examples
        if seed <= len(shown):
            return dict(shown[seed - 1])
        if not shown or self.draws.random.random() >= NEAR_EXAMPLES:
            return {}
        chosen = self.draws.random.choice(shown)
        return self.draws.mutated(chosen, list(chosen))

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Execution | None:
        """The same in smaller: a run on plainer values that takes these edges too and ends alike; None if there is
        none.
        """
        best: Execution | None = None
        tries, failed = SHRINKS, 0  # ways that did not work before are tried again last
        while tries > 0:
            for number, candidate in enumerate(smaller(assignment)):
                if number < failed:
                    continue
                tries -= 1
                shrunk = self.measure(candidate)
                if self.spoiled():
                    return best
                if edges <= shrunk.hits and ending(shrunk) == end:
                    best, assignment, failed = shrunk, shrunk.assignment, number
                    break
                if tries <= 0:
                    break
            else:
                if not failed:
                    break
                failed = 0
        return best

    def climb(self, ascent: Ascent, known: Known, seconds: float | None = None) -> Climb:
        """Changes an input step by step towards an outcome of a test."""
        place, start = ascent.place, ascent.start
        covered, side = set(known.covered), not ascent.outcome
        wanted = frozenset({place}) if len(place) == 4 else frozenset[Span]()
        climb = Climb(best=start)
        self.draws.restart(ascent.seed)
        end = inf if seconds is None else perf_counter() + seconds
        names = list(start)
        if not names:
            return climb
        again: tuple[str, Any] | None = None
        pending = [start]  # what looks better than a random change
        differing = frozenset[Place]()  # comparisons of the best input whose operands differ
        while climb.runs < ascent.tries and perf_counter() < end:
            random = False
            if again is not None:
                changed = {**climb.best, again[0]: climb.best[again[0]] + again[1]}
            elif pending:
                changed = pending.pop()
            else:
                changed = self.draws.mutated(climb.best, names)
                random = True
            execution = self._measure(changed, wanted, seconds, self.draws.fresh, FEWEST_STEPS)
            climb.runs += 1
            climb.ticks += execution.ticks
            if self.spoiled():
                break
            self.draws.notice(execution.seen)
            if execution.outcome == REJECTED:
                again = None
                continue
            if not covered.issuperset(execution.hits):
                covered |= execution.hits
                climb.found.append(execution)
            near = execution.near.get(place)
            distance = near[side] if near is not None else _unmeasured(execution.hits, ascent.reached)
            step = _step(climb.best, changed) if distance < climb.distance else None
            again = None if step is None else (step[0], step[1] * 2)
            compared = self._recorder.compared
            if distance < climb.distance and place in compared:
                pending = list(transplanted(changed, *compared[place]))
            elif random and distance == float("inf") > climb.distance:
                pending = [
                    repaired
                    for other in compared
                    if other not in differing
                    for repaired in islice(transplanted(changed, *compared[other]), REPAIRS)
                ][:REPAIRS]
            if distance <= climb.distance:
                climb.best, climb.distance, differing = changed, distance, frozenset(compared)
                if distance == 0:
                    if execution not in climb.found:
                        climb.found.append(execution)
                    break
        return climb


def _unmeasured(hits: frozenset[int], reached: frozenset[int]) -> float:
    return float("inf") if reached.isdisjoint(hits) else UNMEASURED


def _step(before: Assignment, after: Assignment) -> tuple[str, Any] | None:
    """The number that changed and by how much, if only one did."""
    changed = [name for name in after if after[name] != before.get(name)]
    if len(changed) != 1:
        return None
    name = changed[0]
    old, new = before.get(name), after[name]
    number = kind_of(name) not in (InputKind.LENGTH, InputKind.CHOICE)
    if number and type(old) is type(new) and type(new) in (int, float):
        return name, new - old  # type: ignore[operator]
    return None


def builtin_models() -> dict[str, Any]:
    """The builtin functions that have models, by name. Types are dispatched where they are called."""
    return {f.__name__: model for f, model in BUILTINS.items() if not isinstance(f, type)}


def at_home(target: Target) -> Target:
    """The target in the module that defines it: a module may only have imported it, a class only inherited it."""
    source, _ = source_of(target)
    if target.qualname in scope_names(decode_source(source)):
        return target
    sandbox = isolate.Sandbox(target.source, {})
    with sandbox.running():
        function = unwrapped(target.find(sandbox.first())[0])
        module = sys.modules.get(function.__module__)
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.origin != function.__code__.co_filename:
            return target
        home = from_spec(spec)
    return Target(replace(home, folder=target.source.folder), function.__qualname__)


def source_of(target: Target | FunctionType) -> tuple[bytes, str]:
    """The source of the module that a target stands in, and its file."""
    name = target.source.path if isinstance(target, Target) else target.__code__.co_filename
    try:
        return Path(name).read_bytes(), name
    except OSError as error:
        raise InputError(f"{name}: its source cannot be read ({error.strerror}); --mode peer needs none") from None


def _recoded(
    target: Target | FunctionType,
    code: CodeType,
    namespace: Mapping[str, Any],
    level: Level,
    include: Sequence[str],
    entries: Entries,
) -> _World:
    """The target's world at some level: its module, and the modules beside it, with that level's code."""
    if isinstance(target, Target):
        source: Source = replace(target.source, code=code)
        companions = Companions(beside(source, include), level, entries)
        return _Module(Target(source, target.qualname), namespace, companions)

    def recode(function: FunctionType) -> CodeType:
        found = find(code, function.__code__.co_qualname, function.__code__.co_firstlineno)
        return function.__code__ if found is None else found

    return _Function(target, namespace, recode)


def definition(tree: ast.Module, code: CodeType) -> ast.AST:
    """Where a function is written; nothing if that cannot be told."""
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == code.co_name
            and code.co_firstlineno in (node.lineno, *(d.lineno for d in node.decorator_list))
        ):
            return node
    return ast.Module([], [])


def constants(tree: ast.AST) -> list[Any]:
    """The values that code mentions: what it compares its inputs with is often among them."""
    found: dict[Any, None] = {}
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and id(node) not in texts
            and type(node.value) in (int, float, str, bytes)
        ):
            found[node.value] = None
    return [value for value in found if not isinstance(value, (str, bytes)) or len(value) <= MAX_CONSTANT]
