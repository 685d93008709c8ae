"""From a plain run that ended badly to a finding: what went wrong, where, and why it counts.

An exception that the program raises with a `raise` statement of its own module is documented behaviour;
one that Python or a library raises is a bug, because nobody decided that it should happen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ramify.runtime.checking.replay import Ending
from ramify.runtime.contracts import INVARIANT, POSTCONDITION, PRECONDITION, RAISES, Broken, Contract
from ramify.runtime.inputs import NOTHING_WRITTEN, Written
from ramify.runtime.programs import RAISED, VIOLATED
from ramify.runtime.recording import Frame, Place
from ramify.runtime.worlds import Source

EXCEPTION, ASSERTION, CRASH = "exception", "assertion", "crash"
KINDS = {
    EXCEPTION: "an exception that nothing catches",
    ASSERTION: "an assertion that fails",
    PRECONDITION: "a call that breaks the precondition of what it calls",
    POSTCONDITION: "a postcondition that does not hold",
    INVARIANT: "an object that breaks its invariant",
    RAISES: "an exception that the contract does not allow",
    CRASH: "an end of the process",
}
ENDED = "the process ended"
SIZES = ("index-sized integer", "C ssize_t")  # of what Python says when an object would be larger than memory
WRONG_TYPE = {"TypeError", "AttributeError"}


class Key(NamedTuple):
    """What makes two findings the same."""

    kind: str
    file: str
    line: int
    what: str


@dataclass(slots=True)
class Finding:
    """One thing that is wrong, with an input that shows it."""

    kind: str
    what: str
    why: str
    place: Place
    arguments: Written = field(default_factory=lambda: NOTHING_WRITTEN)
    result: str = ""
    name: str = ""  # of the exception, or of a crash
    clause: str = ""
    whose: str = ""  # the function whose promise was broken
    trace: list[str] = field(default_factory=list)
    reproduce: str = ""
    seconds: float = 0.0  # until it was found

    @property
    def key(self) -> Key:
        return Key(self.kind, self.place.file, self.place.line, self.clause or self.short)

    @property
    def short(self) -> str:
        """What is wrong, without the message of an exception."""
        return self.name or self.what


def finding(
    ending: Ending,
    source: Source,
    contract: Contract,
    allowed: Sequence[str] = (),
    loose: Mapping[str, str] = MappingProxyType({}),
) -> Finding | None:
    """The finding that an ending is, or None if it is fine. `allowed` are exceptions the user expects; `loose` are
    the arguments that are of no declared type.
    """
    if ending.outcome == VIOLATED and ending.broken is not None:
        return _broken(ending, ending.broken, source)
    expected = {*_plain_names(allowed), *_plain_names(contract.documented)}
    if ending.outcome != RAISED or expected & set(ending.mro) or is_out_of_memory(ending):
        return None
    if contract.raises:
        return None  # a clause allowed it, else the promise were broken
    own = [frame for frame in ending.frames if is_own(frame, source)]
    if not own:
        return None
    what = f"{ending.exception}: {ending.message}" if ending.message else ending.exception
    last = own[-1]
    if "AssertionError" in ending.mro:
        why = "an assertion states what must always hold"
        return Finding(ASSERTION, what, why, last.place, name=ending.exception)
    if "SystemExit" in ending.mro or (ending.frames[-1] is last and last.raised):
        return None
    if is_blamed_on_type(ending, loose) or is_of_the_machine(ending):
        return None
    return Finding(EXCEPTION, what, _why(ending, last), last.place, name=ending.exception)


def is_out_of_memory(ending: Ending) -> bool:
    """Whether a run met a limit of memory, ours or the size that any object can have: no more is known then."""
    if "OverflowError" in ending.mro:
        return any(size in ending.message for size in SIZES)
    return "MemoryError" in ending.mro


def is_of_the_machine(ending: Ending) -> bool:
    """Whether an exception speaks of files, networks or processes: what is there is not for the code to say, and a
    run here may not touch everything.
    """
    return "OSError" in ending.mro


def is_blamed_on_type(ending: Ending, loose: Mapping[str, str]) -> bool:
    """Whether an exception may come from an argument whose type nobody declared. A None that the program itself
    came upon does not.
    """
    unpacked = "ValueError" in ending.mro and "values to unpack" in ending.message
    if not loose or not (WRONG_TYPE & set(ending.mro) or unpacked):
        return False
    return "NoneType" not in ending.message or any("None" in text for text in loose.values())


def crash(reason: str, place: Place) -> Finding:
    """The finding that a run is which ended its process."""
    what, why = f"{ENDED}: {reason}", "no handler can catch this; the program is gone"
    return Finding(CRASH, what, why, place, name=ENDED)


def documented(ending: Ending, source: Source) -> bool:
    """Whether the program itself raised the exception, with a `raise` of its own."""
    return (
        ending.outcome == RAISED
        and bool(ending.frames)
        and ending.frames[-1].raised
        and is_own(ending.frames[-1], source)
    )


def is_own(frame: Frame, source: Source) -> bool:
    """Whether a frame belongs to the target's module, or to its package."""
    if frame.place.file == source.path or frame.module == source.name:
        return True
    top = (source.package or "").partition(".")[0]
    return bool(top) and (frame.module == top or frame.module.startswith(top + "."))


def _plain_names(names: Sequence[str]) -> set[str]:
    return {name.rpartition(".")[2] for name in names}


def _why(ending: Ending, last: Frame) -> str:
    inner = ending.frames[-1]
    if ending.exception == "RecursionError":
        return "the recursion does not end in time; Python gave up, no `raise` asked for it"
    if inner is last or inner.place == last.place:
        return "Python raised it; no `raise` of this module asked for it"
    return f"{inner.module or inner.place.file} raised it; no `raise` of this module asked for it"


def _broken(ending: Ending, broken: Broken, source: Source) -> Finding:
    own = [frame for frame in ending.frames if is_own(frame, source)]
    place = broken.place
    if broken.kind == RAISES and own:
        place = own[-1].place
    place = place or Place(source.path, 1)
    whose = f"{broken.function}: " if broken.function else ""
    detail = f" ({broken.detail})" if broken.detail else ""
    if broken.kind == RAISES:
        raised = f"{ending.exception}: {ending.message}" if ending.message else ending.exception
        what, why = raised, f"{whose}`:raises: {broken.clause}`{detail}"
        if not ending.exception:
            what, why = f"{broken.function} raised what its contract does not allow", why
    elif broken.kind == PRECONDITION:
        what = f"{broken.function or 'a call'} is called against its precondition `{broken.clause}`"
        why = f"who calls it has to make sure that this holds{detail}"
    elif broken.kind == INVARIANT:
        what = (
            f"{broken.function} breaks the invariant `{broken.clause}`"
            if broken.function
            else (f"the invariant `{broken.clause}` does not hold")
        )
        why = f"it must hold after construction and after each public method{detail}"
    else:
        what = f"postcondition of {broken.function}: `{broken.clause}` does not hold"
        why = f"it must hold whenever the function returns{detail}"
        if ending.result:
            why += f"; returned {_short(ending.result)}"
    return Finding(
        broken.kind,
        what,
        why,
        place,
        result=ending.result,
        name=ending.exception if broken.kind == RAISES else "",
        clause=broken.clause,
        whose=broken.function,
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
