"""Looks at one input after the other on plain values and says what is wrong; it works in a child process too.

What goes in and out are texts and findings, so nothing of the target has to travel.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ramify.errors import InputError
from ramify.runtime import inputs, reproduce
from ramify.runtime.blind import blind_spots
from ramify.runtime.findings import Finding, documented, finding
from ramify.runtime.policy import Policy
from ramify.runtime.replay import SECONDS, Replay
from ramify.runtime.target import Target
from ramify.runtime.worker import Worker, WorkerDied


class Seen(NamedTuple):
    """What one input showed: a finding, or an exception that is documented (its type and line), or neither."""

    finding: Finding | None
    documented: tuple[str, int] | None
    outcome: str


@dataclass(frozen=True, slots=True)
class About:
    """What a check must know of its target."""

    unreadable: list[str]  # contracts of functions beside it that are in error
    assume: list[str]
    objects: bool  # whether inputs are objects of classes
    blind: list[str]  # operations that may hide decisions


class Examining(Protocol):
    """An examiner, here or in a child process."""

    def examine(self, arguments: Mapping[str, str], outside: bool = False, seconds: float = SECONDS) -> Seen:
        """What a plain run on these arguments shows."""

    def shell(self, found: Finding) -> str:
        """The line that reproduces a finding."""

    def about(self, rewritten: bool) -> About:
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

    def examine(self, arguments: Mapping[str, str], outside: bool = False, seconds: float = SECONDS) -> Seen:
        replay = self._replay
        ending = replay.run(arguments, seconds)
        found = finding(ending, replay.target.source, replay.contract, self._allowed, outside)
        if found is not None:
            found.arguments = dict(arguments)
            return Seen(found, None, ending.outcome)
        own = documented(ending, replay.target.source)
        return Seen(None, (ending.exception, ending.frames[-1].place.line) if own else None, ending.outcome)

    def shell(self, found: Finding) -> str:
        return reproduce.shell_line(self._replay, found, self._stars())

    def about(self, rewritten: bool) -> About:
        replay = self._replay
        target, contract = replay.target, replay.contract
        return About(
            list(replay.unreadable.values()),
            [clause.text for clause in contract.assume],
            "Instance(" in repr([p.shape for p in self._parameters]),
            blind_spots(target.source.path, target.qualname, contract, rewritten),
        )

    def close(self) -> None:
        pass

    def _stars(self) -> dict[str, str]:
        """How each parameter is written in a call: `*` for the rest, nothing for positional ones, `=` by name."""
        marks: dict[Any, str] = {
            inspect.Parameter.VAR_POSITIONAL: "*",
            inspect.Parameter.VAR_KEYWORD: "**",
            inspect.Parameter.POSITIONAL_ONLY: "",
            inspect.Parameter.KEYWORD_ONLY: "=",
        }
        rest = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in self._parameters)
        return {p.name: marks.get(p.kind, "" if rest else "=") for p in self._parameters}


class RemoteExaminer:
    """An examiner in a worker: an input that ends the process shows nothing but that."""

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

    def examine(self, arguments: Mapping[str, str], outside: bool = False, seconds: float = SECONDS) -> Seen:
        within = min(seconds, self._policy.seconds)
        try:
            seen: Seen = self._worker.call("examine", dict(arguments), outside, within, seconds=within)
        except WorkerDied as death:
            return Seen(None, None, f"ended the process: {death}")
        return seen

    def shell(self, found: Finding) -> str:
        line: str = self._worker.call("shell", found, seconds=self._policy.seconds)
        return line

    def about(self, rewritten: bool) -> About:
        try:
            found: About = self._worker.call("about", rewritten, seconds=self._policy.seconds)
        except WorkerDied as death:
            raise InputError(f"importing the target: {death}") from None
        return found

    def close(self) -> None:
        self._worker.close()
