"""`ramify.diff`: inputs on which two versions of a function differ."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, ParamSpec

from ramify.errors import InputError
from ramify.runtime.checking import PATIENCE, Deeds, Known, RemotePlain, RemoteVersions, bounds, unexplored
from ramify.runtime.inputs import Written
from ramify.runtime.programs import CRASHED, VIOLATED, Options
from ramify.runtime.proposals import smallest
from ramify.runtime.sandbox import Policy, Stopped, Watch
from ramify.runtime.search import Exploration, Limits, Path, PathExploration, Stop, strategy
from ramify.runtime.solver import Solver
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import Target, parse

DIFFERENT, NOTHING, EQUIVALENT = "different", "no difference found", "equivalent within bounds"
SECONDS = 10.0
PLAIN = 5.0  # for a plain run of both
SHRINKING = 1.0
P = ParamSpec("P")


@dataclass(slots=True)
class Difference:
    """An input on which the versions differ, and what each of them does."""

    arguments: Written
    old: str
    new: str


@dataclass(slots=True)
class Diff:
    """What is known about two versions of a function."""

    function: str
    verdict: str
    differences: list[Difference] = field(default_factory=list)
    unexplored: list[str] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    paths: int = 0
    runs: int = 0
    interrupted: bool = False


class Diffing:
    """A comparison of two versions: the differences one by one, then `result`."""

    def __init__(self, exploration: Exploration, versions: RemoteVersions, plain: RemotePlain) -> None:
        self._exploration = exploration
        self._plain = plain
        self._found: dict[tuple[str, str], Difference] = {}
        self._started = time.perf_counter()
        self.result = Diff(versions.name, NOTHING)
        # Asked before the time runs: at the end a new child would have to load both versions for it.
        self._known: Known = versions.known()

    def run(self) -> Diff:
        """The whole comparison at once."""
        for _ in self.differences():
            pass
        return self.result

    def differences(self) -> Iterator[Difference]:
        """What the versions do differently, each kind of difference with the smallest input found."""
        told: list[Difference] = []
        try:
            for found in Watch(self._exploration.limits.seconds).over(self._search()):
                told.append(found)
                yield found
            for found in self._found.values():
                if found not in told:  # the time was up while it was made smaller
                    yield found
            self._conclude()
        finally:
            self._exploration.close()
            self._plain.close()

    def _search(self) -> Generator[Difference, None, None]:
        self._started = time.perf_counter()
        last = None
        try:
            for path in self._exploration:
                if last is not None and time.perf_counter() - last > PATIENCE:
                    break
                found = self._shown(path) if path.execution.outcome in (VIOLATED, CRASHED) else None
                if found is not None:
                    last = time.perf_counter()
                    yield found
            else:
                self.result.interrupted = self._exploration.summary.stop == Stop.INTERRUPTED
        except (KeyboardInterrupt, Stopped, MemoryError) as end:
            self._exploration.stopped(end)
            self.result.interrupted = isinstance(end, KeyboardInterrupt)

    def _shown(self, path: Path) -> Difference | None:
        """The difference that a path shows, if it is of a new kind."""
        plain, texts = self._plain, self._exploration.program.texts
        shown = plain.difference(path.execution.arguments, self._left(PLAIN))
        if shown is None or _kind(shown) in self._found:
            return None
        kind = _kind(shown)
        self._found[kind] = Difference(path.execution.arguments, shown[0].text, shown[1].text)

        def shows(assignment: Assignment) -> bool:
            again = plain.difference(texts(dict(assignment)), self._left(SHRINKING))
            return again is not None and _kind(again) == kind

        def size(assignment: Assignment) -> int:
            written = texts(dict(assignment))
            return sum(map(len, [*written.values(), *written.setup]))

        arguments = texts(smallest(dict(path.execution.assignment), shows, size, self._left(SHRINKING)))
        old, new = plain.difference(arguments, self._left(PLAIN)) or shown
        self._found[kind] = Difference(arguments, old.text, new.text)
        return self._found[kind]

    def _left(self, most: float) -> float:
        """So many seconds, if the budget has them."""
        limit = self._exploration.limits.seconds
        if limit is None:
            return most
        return min(most, max(limit - (time.perf_counter() - self._started), 0.05))

    def _conclude(self) -> None:
        """The verdict, which claims no more than was done."""
        summary, result = self._exploration.summary, self.result
        result.differences, result.paths, result.runs = list(self._found.values()), summary.paths, summary.runs
        if self._found:
            result.verdict = DIFFERENT
            return
        known = self._known
        result.unexplored = [*unexplored(summary, self._exploration), *known.unseen]
        if result.interrupted:
            result.unexplored.insert(0, "it was interrupted before all paths were explored")
        if summary.stop == Stop.EXHAUSTED and summary.complete() and not result.unexplored:
            result.verdict = EQUIVALENT
            result.bounds = bounds(known.assume, known.bounds)


def diffing(
    old: str,
    new: str,
    *,
    mode: str = "hybrid",
    budget: float | None = SECONDS,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
) -> Diffing:
    """The comparison of two functions, each named as in `"file.py:function"`, on inputs that the old one's types
    allow; it is still to be run.
    """
    targets = [target_of(old), target_of(new)]
    policy = policy or Policy()
    if budget is not None:
        policy = replace(policy, seconds=min(policy.seconds, max(budget, 1.0)))
    options = Options(seed=seed, output=policy.output)
    versions = RemoteVersions(targets, mode, options, types, policy, f"{old}, {new}")
    exploration = PathExploration(versions, Solver(), strategy("generational", seed), Limits(budget, max_runs))
    return Diffing(exploration, versions, RemotePlain(targets, policy, seed))


def _at_once(make: Callable[P, Diffing]) -> Callable[P, Diff]:
    @wraps(make)
    def run(*args: P.args, **kwargs: P.kwargs) -> Diff:
        return make(*args, **kwargs).run()

    return run


diff = _at_once(diffing)
diff.__name__ = "diff"
diff.__doc__ = "Compares two functions, each named as in `file.py:function`, on inputs of the old one's types."


def _kind(deeds: Deeds) -> tuple[str, str]:
    """What makes two differences the same: how the versions ended, not with what."""
    old, new = deeds
    return old.kind, new.kind


def target_of(text: str) -> Target:
    """The function that a text names."""
    source, name = parse(text)
    if name is None:
        raise InputError(f"{text}: name a function in it, as in {text}:function")
    return Target(source, name)
