"""A target as the hybrid mode runs it: measured on plain values, and on concolic values at the concolic level.

The measured run says what an input does: outcome, output and edges, exactly as the program would without
Ramify. The concolic run of the same input only says why: its decisions and their terms.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from ramify.cfg.leaves import Span
from ramify.runtime.inputs import Doubts, Written
from ramify.runtime.programs.concolic_runs import ConcolicRunner
from ramify.runtime.programs.execution import Execution, Options
from ramify.runtime.programs.knowledge import Ascent, Burst, Climb, Knowledge
from ramify.runtime.programs.levels import HybridWorlds
from ramify.runtime.programs.local_search import LocalSearch
from ramify.runtime.programs.measured_runs import Attendant, MeasuredRunner
from ramify.runtime.programs.program import TRIAL_SECONDS, home_of
from ramify.runtime.programs.subject import Facts, Subject, Whereabouts
from ramify.runtime.proposals import FOREIGN, Draws, Lessons, assignments, tabled
from ramify.runtime.proposals.examples import examples
from ramify.runtime.proposals.mentioned import constants, definition
from ramify.runtime.proposals.patterns import patterns
from ramify.runtime.recording import Run
from ramify.runtime.terms import Assignment
from ramify.runtime.worlds import TICK, Target, at_home, unwrapped

CONCOLIC_STEPS = 1_500_000  # fewer than fit into the seconds of a run: those depend on the machine
RELOADS = 5  # runs of one input, each of which enters further modules
LETTERS = 0.4  # how many letters are foreign where a program asks the Unicode database


class HybridProgram:
    """A program with two worlds: one measured, one concolic; and with searches in the measured one."""

    def __init__(
        self,
        target: Target | FunctionType,
        options: Options = Options(),  # noqa: B008 - frozen
        types: Mapping[str, Any] | None = None,
        without: str | None = None,
        include: Sequence[str] = (),
        everything: bool = False,
        attendant: Attendant = Attendant(),  # noqa: B008 - has no state
    ) -> None:
        """With `everything`, the modules beside the target are rewritten before a run has entered them."""
        if isinstance(target, Target):
            target = at_home(target)
        self._attendant = attendant
        self._worlds = worlds = HybridWorlds(target, without, include, everything)
        with worlds.concolic.running():
            self.subject = subject = Subject(worlds.concolic.fresh(), home_of(target), options, types)
        self.name, self.notes = subject.name, subject.notes
        self.lessons = Lessons()  # what runs have taught is here where it is needed, in `draws`
        self._concolic = ConcolicRunner(
            subject, worlds.concolic, worlds.ticks, CONCOLIC_STEPS, attendant.announce
        )
        self._measured = MeasuredRunner(subject, worlds, attendant)
        subject.discover(lambda assignment: self.run(assignment, seconds=TRIAL_SECONDS))
        shown = examples(worlds.file.tree, self.name)
        self.draws = self._drawing(worlds.file.tree, shown.literals)
        made = list(assignments(shown.calls, subject.parameters, subject.maker({})))
        self._search = LocalSearch(self._measured, self.draws, made)

    def _drawing(self, tree: ast.Module, literals: Sequence[Any]) -> Draws:
        """What values are drawn from: what the program mentions, looks up and matches."""
        worlds, subject = self._worlds, self.subject
        known = [*constants(tree), *subject.contract.constants(), *literals]
        draws = Draws(subject.options.seed, known, LETTERS if b"unicodedata" in worlds.file.content else FOREIGN)
        with worlds.measured.running():
            before = worlds.ticks.counted
            function = unwrapped(worlds.measured.fresh().function)
            self.setup = worlds.cost + (worlds.ticks.counted - before) * TICK
            draws.learn(tabled(function))
        draws.emphasise(constants(definition(tree, subject.code)))
        draws.patterns = patterns(getattr(function, "__globals__", {}), tree)
        return draws

    # -- what it is --------------------------------------------------------------------------------

    def facts(self) -> Facts:
        return replace(self.subject.facts(), setup=self.setup)

    def texts(self, assignment: Assignment, qualified: bool = False) -> Written:
        """The initial arguments as Python expressions."""
        return self.subject.texts(assignment, qualified)

    def left_plain(self) -> dict[str, str]:
        """The functions that run without instrumentation, and why."""
        return dict(self._worlds.declined)

    def bounds(self) -> list[str]:
        """What the inputs are limited to, in words."""
        return self.subject.bounds()

    def doubts(self) -> Doubts:
        """What the inputs leave out although anybody may pass it."""
        return self.subject.doubts()

    def whereabouts(self) -> Whereabouts:
        """Where the target is written."""
        file = self._worlds.file
        return Whereabouts(file.path, file.digest, self.subject.written_in(file.path))

    def close(self) -> None:
        """Nothing is left behind by runs in this process."""

    # -- runs --------------------------------------------------------------------------------------

    def late(self) -> bool:
        """Whether runs have entered modules that are still to be rewritten."""
        return self._worlds.late()

    def renew(self) -> bool:
        """Rewrites the modules that runs have entered; whether there were any."""
        return self._worlds.renew()

    def run(self, assignment: Assignment, limit: int | None = None, seconds: float | None = None) -> Execution:
        """Runs on concolic values; again if it entered modules not rewritten yet, where terms are lost."""
        for _ in range(RELOADS):
            execution = self._concolic.run(assignment, limit, seconds)
            if not self._attendant.renews or not self.renew():
                break
        return execution

    def call_once(self, run: Run, seconds: float | None) -> tuple[Execution, Any, dict[str, Any]]:
        """One call as part of a larger run: how it ended, its result, and its arguments afterwards."""
        return self._concolic.call_once(run, seconds)

    def measure(
        self, assignment: Assignment, wanted: frozenset[Span] = frozenset(), seconds: float | None = None
    ) -> Execution:
        """Runs on plain values and says what happened and which edges were taken."""
        return self._measured.patiently(assignment, wanted, seconds, self.draws.usual)

    def burst(
        self, seeds: range, known: Knowledge, wanted: frozenset[Span], seconds: float | None = None
    ) -> Burst:
        """Measured runs on generated inputs, of which those are kept that take a new edge or end in a new way."""
        return self._search.burst(seeds, known, wanted, seconds)

    def shrink(self, assignment: Assignment, end: tuple[Any, ...], edges: frozenset[int]) -> Execution | None:
        """The same in smaller: a run on plainer values that takes these edges too and ends alike; None if there is
        none.
        """
        return self._search.shrink(assignment, end, edges)

    def climb(self, ascent: Ascent, known: Knowledge, seconds: float | None = None) -> Climb:
        """Changes an input step by step towards an outcome of a test."""
        return self._search.climb(ascent, known, seconds)
