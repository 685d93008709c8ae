"""The concolic loop: run, reverse decisions, solve, run again, until a stop condition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter
from time import perf_counter
from typing import Any

from ramify.runtime.programs import CRASHED, CUT, REJECTED, VIOLATED, Execution, Runnable
from ramify.runtime.recording import Concretisation, Decision, Phase
from ramify.runtime.sandbox import Refusal, Stopped, closing
from ramify.runtime.search.prefixes import Prefixes
from ramify.runtime.search.strategies import Candidate, DecidedEdge, DepthFirst, Node, Strategy
from ramify.runtime.solver import Sat, Solver, Unknown, Verdict
from ramify.runtime.solver.verdict import Stats
from ramify.runtime.terms import Assignment, NamedParts, Term, collect, not_, show, table_size

DIVERGED = "diverged"
LARGE_TABLE = 500_000  # shared terms, before those nobody uses any more are dropped


class Stop(StrEnum):
    """Why an exploration ended."""

    EXHAUSTED = "exhausted"  # nothing was left undone
    INCOMPLETE = "incomplete"  # nothing was left to try
    COVERED = "covered"  # every goal was
    TIME = "time"
    RUNS = "runs"
    MEMORY = "memory"  # of this process
    INTERRUPTED = "interrupted"



@dataclass(frozen=True, slots=True)
class Path:
    """One explored path, as it is reported."""

    execution: Execution
    outcome: str
    facts: Sequence[Term] = ()

    @property
    def call(self) -> str:
        """The initial arguments as a Python dict expression, to be evaluated in the target's names after `imports`
        and `setup`; what is not in it was left out.
        """
        return "{" + ", ".join(f"{name!r}: {text}" for name, text in self.execution.arguments.items()) + "}"

    @property
    def expression(self) -> str:
        """What stands between the parentheses of the call."""
        return self.execution.arguments.call

    @property
    def setup(self) -> list[str]:
        """Statements that build what `call` names: shared or used objects, and global inputs."""
        return self.execution.arguments.setup

    @property
    def imports(self) -> list[str]:
        """The modules that `setup` and `call` name."""
        return self.execution.arguments.imports

    @property
    def outside(self) -> tuple[str, ...]:
        """The inputs that are not of their declared type."""
        return self.execution.outside

    @property
    def result(self) -> Any:
        return self.execution.result

    @property
    def exception(self) -> BaseException | None:
        return self.execution.exception

    @property
    def output(self) -> str:
        return self.execution.output

    @property
    def decisions(self) -> list[Decision]:
        return self.execution.decisions

    @property
    def path_condition(self) -> str:
        """What an input must satisfy to take this path, as Python text, with the names of `where`."""
        conditions = self.conditions
        return NamedParts(conditions).conjunction(conditions)

    @property
    def where(self) -> dict[str, str]:
        """The parts that the path condition names because it would be too long without, each after those that it
        names itself.
        """
        return NamedParts(self.conditions).where

    @staticmethod
    def as_part(condition: Term) -> str:
        """The text of a condition between two others."""
        return f"({show(condition)})" if condition.op in ("and", "or", "ite") else show(condition)

    @property
    def conditions(self) -> list[Term]:
        """The distinct conditions of the path, in order."""
        taken = zip(self.execution.decisions, self.execution.conditions, strict=True)
        return list(dict.fromkeys(condition for d, condition in taken if d.phase is not Phase.ENSURE))


@dataclass(slots=True)
class Summary:
    """What an exploration did, and what it did not do."""

    solver: Stats
    paths: int = 0
    runs: int = 0
    cut: int = 0
    pruned: int = 0
    rejected: int = 0
    depth: int = 0
    divergences: int = 0
    dropped: int = 0
    unknown: int = 0
    crashed: int = 0
    refused: set[Refusal] = field(default_factory=set)  # what would have come of it is not known
    concretisations: dict[Concretisation, int] = field(default_factory=dict)
    seconds: float = 0.0
    stop: Stop = Stop.INTERRUPTED

    def count_lost(self, execution: Execution) -> None:
        """What a run was refused, and where it lost terms."""
        self.refused.update(execution.refusals)
        for place, times in execution.concretisations.items():
            self.concretisations[place] = self.concretisations.get(place, 0) + times

    def complete(self) -> bool:
        """Whether nothing was left undone: only then may a search that has no candidates left be called
        exhausted.
        """
        return not (
            self.cut
            or self.pruned
            or self.divergences
            or self.dropped
            or self.unknown
            or self.crashed
            or self.refused
            or self.concretisations
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop. None means never."""

    seconds: float | None = None
    runs: int | None = None
    depth: int | None = None


class Exploration(ABC):
    """What every exploration is to its users: iterating yields paths, and `summary` is right at any time."""

    def __init__(self, program: Runnable, solver: Solver, limits: Limits = Limits()) -> None:
        self.program = program
        self.solver = solver
        self.limits = limits
        self.summary = Summary(solver.stats)
        self._started = perf_counter()

    def __iter__(self) -> Generator[Path, None, None]:
        self._started = perf_counter()
        try:
            yield from self._explore()
        except (KeyboardInterrupt, Stopped, MemoryError) as end:
            self.stopped(end)
        finally:
            self._finish()

    def stopped(self, end: BaseException) -> None:
        """Takes note of what ended the search from outside, in the middle of something."""
        closing()
        if isinstance(end, Stopped):
            self.summary.stop = Stop(end.why)
        else:
            self.summary.stop = Stop.MEMORY if isinstance(end, MemoryError) else Stop.INTERRUPTED

    def close(self) -> None:
        """Completes the summary of an exploration that somebody stopped iterating over."""
        self._finish()

    @abstractmethod
    def _explore(self) -> Iterator[Path]:
        """The search itself."""

    def _stop(self) -> Stop | None:
        if self.limits.runs is not None and self.summary.runs >= self.limits.runs:
            return Stop.RUNS
        if self.limits.seconds is not None and self._elapsed() >= self.limits.seconds:
            return Stop.TIME
        return None

    def _elapsed(self) -> float:
        return perf_counter() - self._started

    def _finish(self) -> None:
        self.summary.seconds = self._elapsed()
        self.program.close()


class PathExploration(Exploration):
    """Explores every path of a program, in the order of a strategy."""

    def __init__(
        self, program: Runnable, solver: Solver, strategy: Strategy | None = None, limits: Limits = Limits()
    ) -> None:
        super().__init__(program, solver, limits)
        self.strategy = strategy if strategy is not None else DepthFirst()
        self._seen: set[Any] = set()
        self._prefixes = Prefixes()
        self._bodies = Prefixes(self._prefixes)
        self._seen_bodies: set[int] = set()
        self._edges: set[DecidedEdge] = set()
        self._serial = 0
        self._large = LARGE_TABLE
        self._leaves: list[list[Node]] = []

    def _explore(self) -> Iterator[Path]:
        summary = self.summary
        first = self._run({})
        yield from self._paths_of(first, 0, None)
        while True:
            stop = self._stop()
            candidate = None if stop is not None else self.strategy.take()
            if candidate is None:
                summary.dropped = self.strategy.dropped
                summary.stop = stop or (Stop.EXHAUSTED if summary.complete() else Stop.INCOMPLETE)
                return
            verdict = self._flip(candidate)
            self.strategy.solved(candidate, isinstance(verdict, Sat))
            if isinstance(verdict, Sat):
                candidate.nodes[candidate.index].free = True
                yield from self._paths_of(self._run(verdict.model), candidate.index + 1, candidate)

    def _run(self, assignment: Assignment) -> Execution:
        self.summary.runs += 1
        if self.summary.runs % 256 == 0 and table_size() > self._large:
            collect()
            self._large = max(LARGE_TABLE, 2 * table_size())
        limit = self.limits.seconds
        left = None if limit is None else max(limit - self._elapsed(), 0.1)
        execution: Execution = self.program.run(dict(assignment), seconds=left)
        self.summary.count_lost(execution)
        return execution

    def _flip(self, candidate: Candidate) -> Verdict:
        parent = candidate.parent
        conditions = parent.conditions
        verdict = self.solver.solve(
            parent.facts + conditions[: candidate.index],
            parent.decisions[candidate.index].reversed,
            parent.assignment,
        )
        if isinstance(verdict, Unknown):
            self.summary.unknown += 1
        return verdict

    def _paths_of(self, execution: Execution, bound: int, candidate: Candidate | None) -> Iterator[Path]:
        summary = self.summary
        diverged = candidate is not None and not follows(execution, candidate)
        if diverged:
            summary.divergences += 1
            bound = 0
        whole = self._prefixes.number(execution.decisions)
        if whole in self._seen:
            return
        self._seen.add(whole)
        nodes = list(candidate.nodes[:bound]) if candidate is not None else []
        nodes += [Node() for _ in range(len(execution.decisions) - len(nodes))]
        self._add_candidates(execution, bound, nodes)
        body = whole
        if Phase.ENSURE in map(_phase, execution.decisions):
            body = self._bodies.number([d for d in execution.decisions if d.phase is not Phase.ENSURE])
            if body in self._seen_bodies and execution.outcome != VIOLATED:
                return  # only the postcondition took another way
        self._seen_bodies.add(body)
        if execution.outcome != REJECTED:
            phases = zip(nodes, execution.decisions, strict=True)
            self._leaves.append([node for node, d in phases if d.phase is Phase.BODY])
        yield from self._record(execution, diverged)

    def _record(self, execution: Execution, diverged: bool) -> Iterator[Path]:
        summary = self.summary
        if execution.outcome == REJECTED:
            summary.rejected += 1
            return
        for found in self._falsify(execution) or [execution]:
            summary.cut += found.outcome == CUT
            summary.crashed += found.outcome == CRASHED
            summary.paths += 1
            yield Path(found, DIVERGED if diverged else found.outcome)

    def _add_candidates(self, execution: Execution, bound: int, nodes: list[Node]) -> None:
        decisions, conditions = execution.decisions, execution.conditions
        new = max(bound - 1, 0)  # before it, the path is that of the run whose flip this is: nothing is new there
        edges = [(d.site, d.branch) for d in decisions[new:]]
        before = len(self._edges)
        self._edges.update(edges)
        gained = len(self._edges) - before
        self.strategy.covered(edges, gained)
        added = []
        limit, depth = self.limits.depth, 0
        start = bound if limit is None else 0  # how deep the first flips are matters to a limit only
        known = {
            condition
            for d, condition in zip(decisions[:start], conditions, strict=False)
            if d.phase is not Phase.ASSUMED or not d.outcome
        }
        for index in range(start, len(decisions)):
            decision, condition = decisions[index], conditions[index]
            if decision.phase is Phase.ASSUMED and decision.outcome:
                continue
            if condition in known:
                self._implied(index >= bound)
                continue
            known.add(condition)
            depth += decision.phase is Phase.BODY
            if index < bound:
                continue
            if limit is not None and depth > limit:
                self.summary.pruned += 1
                break
            self._serial += 1
            added.append(Candidate(execution, index, self._serial, gained, nodes))
        self.strategy.add(added)

    def _implied(self, asked: bool) -> None:
        """The path has decided the same condition before: its flip contradicts itself, and no solver is asked."""
        if asked:
            self.solver.stats.queries["unsat"] += 1
            self.solver.stats.cache_hits["unsat_subset"] += 1

    def _falsify(self, execution: Execution) -> list[Execution]:
        """Asks for each postcondition that this input keeps whether another one on the same path breaks it."""
        broken: list[Execution] = []
        for promise in execution.promises:
            if execution.outcome == VIOLATED or promise.op == "const":
                continue
            verdict = self.solver.solve(
                execution.facts + execution.conditions, negation(promise), execution.assignment
            )
            if isinstance(verdict, Unknown):
                self.summary.unknown += 1
            elif isinstance(verdict, Sat):
                again = self._run(verdict.model)
                if again.outcome == VIOLATED:
                    broken.append(again)
                else:
                    self.summary.divergences += 1
        return broken

    def _finish(self) -> None:
        deepest = (sum(node.free for node in leaf) for leaf in self._leaves)
        self.summary.depth = max(self.summary.depth, max(deepest, default=0))
        super()._finish()


def negation(term: Term) -> Term:
    return not_(term)


def path_key(decisions: Sequence[Decision]) -> tuple[Any, ...]:
    """What makes two paths the same: sites, outcomes and conditions, in order."""
    return tuple(map(_key, decisions))


_key, _phase = itemgetter(0, 1, 2), itemgetter(3)


def follows(execution: Execution, candidate: Candidate) -> bool:
    """Whether a run took the decisions it was built for."""
    expected, observed, index = candidate.parent.decisions, execution.decisions, candidate.index
    if len(observed) <= index:
        return False
    if expected[:index] != observed[:index]:  # mostly the same objects; terms and phases need not agree
        for e, o in zip(expected[:index], observed, strict=False):
            if e[0] is not o[0] or e[1] is not o[1]:
                return False
    return observed[index].site is expected[index].site and observed[index].outcome is not expected[index].outcome
