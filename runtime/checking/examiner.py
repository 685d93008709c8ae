"""Looks at one input after the other on plain values and says what is wrong; it works in a child process too.

What goes in and out are texts and findings, so nothing of the target has to travel.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, NamedTuple, Protocol

from ramify.errors import InputError
from ramify.runtime.checking import reproduce
from ramify.runtime.checking.blind import blind_spots
from ramify.runtime.checking.findings import (
    CRASH,
    Finding,
    crash,
    documented,
    finding,
    is_blamed_on_type,
    is_of_the_machine,
    is_out_of_memory,
)
from ramify.runtime.checking.replay import SECONDS, Ending, Replay
from ramify.runtime.contracts import defined
from ramify.runtime.inputs import Written, bounds_of, guessed
from ramify.runtime.inputs import parameters as inputs
from ramify.runtime.programs import CRASHED, RAISED, Outcome
from ramify.runtime.recording import ORDINARY, Place, Reason, Why
from ramify.runtime.sandbox import Policy, Worker, WorkerDied
from ramify.runtime.sandbox.child import tell
from ramify.runtime.worlds import Target


class Note(NamedTuple):
    """An exception that is no finding: its type, its line, and why not."""

    exception: str
    line: int
    why: str


class Seen(NamedTuple):
    """What one input showed: a finding, or an exception that is none, or neither; and how the run ended."""

    finding: Finding | None
    note: Note | None
    outcome: Outcome
    reason: Reason = ORDINARY


@dataclass(frozen=True, slots=True)
class About:
    """What a check must know of its target."""

    unreadable: list[str]  # contracts of functions beside it that are in error
    assume: list[str]
    bounds: list[str]  # of the inputs
    blind: list[str]  # operations that may hide decisions


class Examining(Protocol):
    """An examiner, here or in a child process."""

    def examine(self, arguments: Written, seconds: float = SECONDS) -> Seen:
        """What a plain run on these arguments shows."""

    def complete(self, found: Finding, seconds: float) -> None:
        """Adds to a finding what is only worth finding out once: where a crash happened, looked for so long, and
        the line that reproduces it.
        """

    def about(self, rewritten: bool, calls: int) -> About:
        """What must be known of the target, whose program is rewritten or not."""

    def close(self) -> None:
        """Nothing more will be asked."""


class Examiner:
    """Runs a target on plain values."""

    def __init__(
        self,
        target: Target,
        seed: int = 0,
        allowed: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
    ) -> None:
        self._replay = Replay(target, seed)
        self._allowed = allowed
        self._parameters = inputs.parameters(inspect.unwrap(self._replay.function), self._replay.owner, types)
        self._guessed = guessed(self._parameters)
        self._keywords = {p.name for p in self._parameters if p.kind is inspect.Parameter.VAR_KEYWORD}

    def examine(self, arguments: Written, seconds: float = SECONDS) -> Seen:
        replay = self._replay
        ending = replay.run(arguments, seconds)
        loose = {name: text for name, text in arguments.items() if self._is_loose(name, arguments)}
        found = finding(ending, replay.target.source, replay.contract, self._allowed, loose)
        if found is not None:
            found.arguments = arguments
            return Seen(found, None, ending.outcome)
        if is_out_of_memory(ending):
            return Seen(None, None, ending.outcome, Reason(Why.MEMORY, "out of memory"))
        return Seen(None, self._note(ending, loose), ending.outcome)

    def _note(self, ending: Ending, loose: Mapping[str, str]) -> Note | None:
        if documented(ending, self._replay.target.source):
            why = "a `raise` of its own is documented behaviour"
        elif ending.outcome == RAISED and ending.frames and is_blamed_on_type(ending, loose):
            outside = [name for name in loose if name not in self._guessed]
            guesses = [self._guessed[name] for name in loose if name in self._guessed]
            said = [f"{', '.join(outside)} outside the declared type"] if outside else []
            said += [f"no type is declared for {', '.join(guesses)}"] if guesses else []
            why = f"no finding: {' and '.join(said)}"
        elif ending.outcome == RAISED and ending.frames and is_of_the_machine(ending):
            why = "no finding: it depends on what this machine has and allows"
        else:
            return None
        return Note(ending.exception, ending.frames[-1].place.line, why)

    def _is_loose(self, name: str, arguments: Written) -> bool:
        """Whether an argument is of no declared type."""
        none = name in self._keywords and arguments[name] == "{}"  # no keywords at all are nobody's guess
        guess = name in self._guessed and not none
        return guess or any(outside.root == name for outside in arguments.outside)

    def shell(self, found: Finding) -> str:
        return reproduce.shell_line(self._replay, found, self._parameters)

    def start(self) -> Place:
        """Where the target begins."""
        return defined(self._replay.function) or Place(self._replay.target.source.path, 1)

    def locate(self, arguments: Written, seconds: float) -> None:
        """Runs and tells each line before it is executed: the last one is where the process ended."""
        file = self._replay.target.source.path

        def follow(frame: FrameType, event: str, argument: Any) -> Any:
            if frame.f_code.co_filename != file:
                return None
            if event == "line":
                tell(Place(file, frame.f_lineno, function=frame.f_code.co_qualname))
            return follow

        sys.settrace(follow)
        try:
            self._replay.run(arguments, seconds)
        finally:
            sys.settrace(None)

    def about(self, rewritten: bool, calls: int) -> About:
        replay = self._replay
        target, contract = replay.target, replay.contract
        return About(
            list(replay.unreadable.values()),
            [clause.text for clause in contract.assume],
            bounds_of(self._parameters, calls),
            blind_spots(target.source.path, target.qualname, contract, rewritten),
        )


class RemoteExaminer:
    """An examiner in a worker: an input that ends the process is a finding, unless our limits ended it."""

    def __init__(
        self,
        target: Target,
        policy: Policy,
        seed: int = 0,
        allowed: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
    ) -> None:
        self._worker = Worker(lambda: Examiner(target, seed, allowed, types), policy)
        self._policy = policy
        self._start: Place | None = None

    def examine(self, arguments: Written, seconds: float = SECONDS) -> Seen:
        within = min(seconds, self._policy.seconds)
        try:
            seen: Seen = self._worker.call("examine", arguments, within, seconds=within)
        except WorkerDied as death:
            if death.external or death.reason.why is Why.MEMORY:
                return Seen(None, None, CRASHED, death.reason)
            if self._start is None:
                self._start = self._worker.call("start", seconds=self._policy.seconds)
            found = crash(str(death), self._start)
            found.arguments = arguments
            return Seen(found, None, CRASHED, death.reason)
        return seen

    def complete(self, found: Finding, seconds: float) -> None:
        if found.kind == CRASH:
            found.place = self._crash_site(found, min(seconds, self._policy.seconds))
        found.reproduce = self._worker.call("shell", found, seconds=self._policy.seconds)

    def _crash_site(self, found: Finding, seconds: float) -> Place:
        try:
            self._worker.call("locate", found.arguments, seconds, seconds=seconds)
        except WorkerDied as death:
            if crash(str(death), found.place).what == found.what:
                return next((n for n in reversed(self._worker.notes) if isinstance(n, Place)), found.place)
        return found.place

    def about(self, rewritten: bool, calls: int) -> About:
        try:
            found: About = self._worker.call("about", rewritten, calls, seconds=self._policy.seconds)
        except WorkerDied as death:
            raise InputError(f"importing the target: {death}") from None
        return found

    def close(self) -> None:
        self._worker.close()
