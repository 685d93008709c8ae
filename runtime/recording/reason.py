"""Why a run ended as it did: a kind, which code may ask for, and a text, which is for people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """The kinds of reasons."""

    ORDINARY = "ordinary"  # it ran to its end
    DECISIONS = "decisions"
    STEPS = "steps"
    TIME = "time"  # how long that took says nothing about the input
    OUTPUT = "output"
    MEMORY = "memory"
    SIZE = "size"  # of an input
    PROCESS = "process"  # the process of the run ended
    MACHINE = "machine"  # somebody else ended that process
    PROMISE = "promise"  # of a contract, that was not kept
    INPUT = "input"  # it is none
    VERSIONS = "versions"  # they differ


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; false if there is nothing to say."""

    why: Why = Why.ORDINARY
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text


ORDINARY = Reason()


class Cut(BaseException):
    """Ends a run that exceeded a budget. Not an Exception: the target's handlers should not swallow it."""

    def __init__(self, why: Why, text: str) -> None:
        super().__init__(why, text)
        self.reason = Reason(why, text)

    def __str__(self) -> str:
        return self.reason.text


class Rejected(BaseException):
    """Ends a run whose inputs are not inputs: a precondition or a constructor refused them."""

    @property
    def reason(self) -> Reason:
        return Reason(Why.INPUT, str(self))
