"""`ramify.explore`: runs a function down its paths, each with its inputs and what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ramify.errors import InputError
from ramify.runtime.peer import NAMESPACE, PeerLoop
from ramify.runtime.programs import (
    CHEAP_RUNS,
    PARTS,
    SEARCH,
    HybridProgram,
    Options,
    RemoteHybrid,
    RemoteProgram,
    Runnable,
    Whereabouts,
    function_names,
    prepare,
    program_of,
)
from ramify.runtime.sandbox import Policy
from ramify.runtime.search import (
    BURST,
    Ambition,
    Exploration,
    Goals,
    GuidedExploration,
    Limits,
    PathExploration,
)
from ramify.runtime.search import strategy as strategy_named
from ramify.runtime.solver import Solver
from ramify.runtime.solver.chain import SolverOptions
from ramify.runtime.worlds import Target, located, parse

MODES = ("hybrid", "peer")
STRATEGY_NAMES = ("coverage", "generational", "dfs", "bfs", "random", "smart-paths", "all-paths")
QUICK = SolverOptions(rlimit=1_000_000, steps=3_000_000)
"""What a query may cost where a local search is there to fall back to."""
SECONDS = 10.0
"""The budget of a search for coverage when nobody gives one: its paths may have no end."""


def explore(
    target: Callable[..., Any] | str,
    *,
    mode: str = "hybrid",
    strategy: str | None = None,
    budget: float | None = None,
    depth: int | None = None,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    arrays: bool = True,
    calls: int = 0,
    symbolic_globals: Sequence[str] = (),
    thorough: bool = False,
    include: Sequence[str] = (),
    without: str | None = None,
    policy: Policy | None = None,
) -> Exploration:
    """Explores a function, or a target like `"file.py:func"`; iterate over the result to get its paths one by
    one.

    >>> def sign(x: int) -> int:
    ...     return 1 if x > 0 else -1 if x < 0 else 0
    >>> for path in explore(sign, mode="peer"):
    ...     print(path.call, path.result, path.path_condition)
    {'x': 1} 1 x > 0
    {'x': -1} -1 x <= 0 and x < 0
    {'x': 0} 0 x <= 0 and x >= 0

    `mode="hybrid"` rewrites the program and searches for coverage: it yields an input for every branch and for
    every way to break. A target given as text runs in a child process under a `Policy`; a function object where
    it lives, here. With another strategy it yields every path. `mode="peer"` leaves the program untouched
    and searches as PEF did: depth first, true side first, at most `depth` (10) free branches on a path. With a
    strategy, `depth` limits the decisions that are reversed. `without` switches off one of `PARTS` of the
    hybrid, to see what it is good for. `thorough` is for finding what breaks: every path, not only every branch,
    and the contracts of called functions and of classes are checked. `summary` of the result tells what was done
    and what was left.
    """
    if mode not in MODES:
        raise InputError(f"no mode {mode!r}; there are {', '.join(MODES)}")
    policy = policy or Policy()
    options = Options(
        arrays=arrays,
        seed=seed,
        output=policy.output,
        calls=calls,
        symbolic_globals=tuple(symbolic_globals),
        guarded=thorough,
    )
    limits = Limits(budget, max_runs, depth)
    named = _named(target) if isinstance(target, str) else target
    if mode == "peer":
        return _peer(named, options, types, strategy or ("generational" if thorough else None), limits, policy)
    if without is not None and without not in PARTS:
        raise InputError(f"the hybrid has no part {without!r}; there are {', '.join(PARTS)}")
    return _hybrid(named, options, types, strategy, limits, include, without, policy)


def _named(text: str) -> Target:
    source, name = parse(text)
    if name is None:
        raise InputError(f"{text}: name a function in it, as in {text}:function")
    return Target(source, name)


def _peer(
    target: Any, options: Options, types: Any, strategy: str | None, limits: Limits, policy: Policy
) -> Exploration:
    if strategy == "coverage":
        raise InputError(
            "the strategy 'coverage' needs --mode hybrid: untouched programs do not tell their branches"
        )
    if strategy is None:  # PEF's inputs are what the types say, no more
        options = replace(options, alternatives=False)
    program: Runnable
    if isinstance(target, Target):
        program = RemoteProgram(
            lambda: program_of(target, NAMESPACE, options, types), policy, target.source.path
        )
    else:
        program = program_of(target, NAMESPACE, options, types)
    if strategy is None:
        return PeerLoop(program, Solver(), None, limits)
    return PathExploration(program, Solver(), strategy_named(strategy, options.seed), limits)


def _hybrid(
    target: Any,
    options: Options,
    types: Any,
    strategy: str | None,
    limits: Limits,
    include: Sequence[str],
    without: str | None,
    policy: Policy,
) -> Exploration:
    program: Any
    if isinstance(target, Target):
        prepare(target, without)
        program = RemoteHybrid(
            lambda attendant: HybridProgram(target, options, types, without, include, attendant=attendant),
            policy,
            target.source.path,
        )
    else:
        program = HybridProgram(located(target), options, types, without, include)
    if strategy not in (None, "coverage"):
        return PathExploration(program, Solver(), strategy_named(str(strategy), options.seed), limits)
    if limits.seconds is None and limits.runs is None:
        limits = replace(limits, seconds=SECONDS)
    where: Whereabouts = program.whereabouts()
    goals = Goals(where.file(), where.name)
    ambition = Ambition(options.guarded, without != SEARCH, 0 if without == CHEAP_RUNS else BURST)
    return GuidedExploration(program, goals, Solver(QUICK), limits, ambition)


def targets(text: str, policy: Policy) -> Iterator[str]:
    """The functions that a target names: one, or all that a file or module defines."""
    source, name = parse(text)
    if name is not None:
        yield text
        return
    found = function_names(source, policy)
    if not found:
        raise InputError(f"{text}: defines no functions{_modules_beside(source.path)}")
    yield from (f"{text}:{function}" for function in found)


def _modules_beside(path: str) -> str:
    """A hint for packages, whose functions mostly stand in their modules."""
    file = FilePath(path)
    if file.name != "__init__.py":
        return ""
    modules = sorted(module.stem for module in file.parent.glob("*.py") if module.name != file.name)
    return f"; its modules are {', '.join(modules[:8])}" if modules else ""
