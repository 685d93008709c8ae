"""Records the path of a run: every decision that an input took part in, and every place where an input's term
was lost.

Concolic values call `decide` where Python asks them for a truth value. Outside a run nothing is recorded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from opcode import opmap, opname
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple, TypeVar

from ramify.runtime.terms import TRUE, Assignment, Evaluator, Term, make

CHECK_TERMS = os.environ.get("RAMIFY_CHECK_TERMS", "") not in ("", "0")
"""Whether every operation checks that its term evaluates to its concrete value (set before the first import).
"""

MAX_DECISIONS = 20_000
MARK = "__ramify_call__"  # stands in the builtins of rewritten modules


_F = TypeVar("_F", bound=Callable[..., Any])


class Phase(Enum):
    """What the run was doing when a decision was taken."""

    BUILD = "build"  # choosing between the alternatives of an input's type
    ASSUME = "assume"  # evaluating a precondition
    ASSUMED = "assumed"  # the precondition's own truth: only worth reversing when it failed
    BODY = "body"  # the target, and constructors of its arguments
    ENSURE = "ensure"  # evaluating a postcondition


@dataclass(frozen=True, slots=True, eq=False)
class DecisionSite:
    """A place in the source that can branch. One object per place and process."""

    file: str
    function: str
    line: int
    column: int
    end_line: int = 0
    end_column: int = 0
    test: bool = False  # the instruction there asks for a truth value, or for one more item
    negated: bool = False  # the instruction is `not in`: the container is asked for the opposite

    @property
    def span(self) -> tuple[int, int, int, int]:
        """The position as `Concolic.edges` has it."""
        return self.line, self.column, self.end_line, self.end_column

    def __str__(self) -> str:
        return f"{self.function}:{self.line}"

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, tuple(getattr(self, name) for name in self.__slots__)


class Decision(NamedTuple):
    """One taken alternative: the condition that was tested, where, and how it came out."""

    site: DecisionSite
    outcome: bool
    term: Term
    phase: Phase = Phase.BODY

    @property
    def branch(self) -> bool:
        """How the test in the source came out."""
        return self.outcome is not self.site.negated

    @property
    def condition(self) -> Term:
        """The condition as it held on this path."""
        return self.term if self.outcome else make("not", self.term)

    @property
    def reversed(self) -> Term:
        return make("not", self.term) if self.outcome else self.term


class Cut(BaseException):
    """Ends a run that exceeded a budget. Not an Exception: the target's handlers should not swallow it."""


class Rejected(BaseException):
    """Ends a run whose inputs are not inputs: a precondition or a constructor refused them."""


class Concretisation(NamedTuple):
    """A place where an operation without a model used the concrete value, and the operation's name."""

    file: str
    line: int
    operation: str


@dataclass(slots=True)
class Run:
    """What is being recorded."""

    assignment: Assignment
    limit: int = MAX_DECISIONS
    decisions: list[Decision] = field(default_factory=lambda: _new_log("decisions"))
    facts: list[Term] = field(default_factory=lambda: _new_log("facts"))  # hold for every input by construction
    concretisations: dict[Concretisation, int] = field(default_factory=dict)
    plain_keyed: dict[int, tuple[Any, int]] = field(default_factory=dict)  # large, with plain keys: their sizes
    phase: Phase = Phase.BODY
    evaluator: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.assignment)


keyed: dict[int, Any] = {}
"""The plain dicts and sets that came to hold concolic keys in this run, by id: looking a key up there decides.

One object for all runs: rewritten code asks it inline whether there are any.
"""

keeping: set[type] = set()
"""The classes whose instances keep whatever is stored in an attribute, as far as this run has found out."""

holding: set[type] = set()
"""The same of containers and what is stored in their items; those of `always_holding` are known for every run."""

always_holding: set[type] = set()

_run: Run | None = None
_sites: dict[tuple[int, int], DecisionSite] = {}
_places: dict[tuple[int, int, int, int, int, bool], DecisionSite] = {}
_foreign: dict[tuple[Any, ...], DecisionSite] = {}  # sites found in other processes, by their fields
_boundaries: set[int] = set()
_codes: list[CodeType] = []  # keeps the code objects alive whose ids are keys
_CACHE = opmap["CACHE"]
_TESTS = {"TO_BOOL", "UNARY_NOT", "COMPARE_OP", "CONTAINS_OP", "FOR_ITER"}
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_own_files: dict[str, bool] = {}


def _plain_log(kind: str) -> list[Any]:
    return []


_new_log: Callable[[str], list[Any]] = _plain_log


@contextmanager
def logging_to(make_log: Callable[[str], list[Any]]) -> Iterator[None]:
    """Runs in between keep their "decisions" and "facts" in lists that are made so, for somebody who must know
    of each at once.
    """
    global _new_log
    before, _new_log = _new_log, make_log
    try:
        yield
    finally:
        _new_log = before


def active() -> Run | None:
    """The run that is being recorded now, if any."""
    return _run


@contextmanager
def recording(run: Run) -> Iterator[Run]:
    """Makes `run` the active one; whatever concolic values decide in between is recorded there."""
    global _run
    before, _run = _run, run
    _forget()
    try:
        yield run
    finally:
        _run = before
        _forget()


def _forget() -> None:
    """What was found out about objects and classes of one run does not concern the next."""
    keyed.clear()
    keeping.clear()
    holding.intersection_update(always_holding)


@contextmanager
def paused() -> Iterator[None]:
    """Nothing is recorded in between."""
    global _run
    before, _run = _run, None
    try:
        yield
    finally:
        _run = before


def interned(*fields: Any) -> DecisionSite:
    """The one object in this process for a site that was found in another."""
    site = _foreign.get(fields)
    if site is None:
        site = _foreign[fields] = DecisionSite(*fields) if any(fields) else NOWHERE
    return site


def is_own(filename: str) -> bool:
    """Whether a source file belongs to the engine (or is a model inside it), so that it is never a site."""
    known = _own_files.get(filename)
    if known is None:
        known = _own_files[filename] = os.path.abspath(filename).startswith(_OWN + os.sep)
    return known


def site_of(frame: FrameType | None) -> DecisionSite:
    """The place where the nearest frame outside the engine stands."""
    while frame is not None:
        code = frame.f_code
        key = (id(code), frame.f_lasti)
        site = _sites.get(key)
        if site is not None:
            return site
        if id(code) in _boundaries:
            return NOWHERE
        if not is_own(code.co_filename):
            site = _sites[key] = _place(code, frame.f_lasti)
            return site
        frame = frame.f_back
    return NOWHERE


def _place(code: CodeType, offset: int) -> DecisionSite:
    """The site of an instruction. Specialised bytecode moves offsets about, so the position in the source
    identifies it.
    """
    line, end_line, column, end = next(islice(code.co_positions(), offset // 2, None), (0, 0, 0, 0))
    test = _is_test(code, offset)
    key = (id(code), line or 0, column or 0, end_line or 0, end or 0, test)
    site = _places.get(key)
    if site is None:
        first = line or code.co_firstlineno
        site = _places[key] = DecisionSite(
            code.co_filename, code.co_qualname, first, column or 0, end_line or 0, end or 0, test,
            _is_not_in(code, offset),
        )  # fmt: skip
        _codes.append(code)
    return site


def _is_test(code: CodeType, offset: int) -> bool:
    name = _operation(code, offset)
    return ("JUMP" in name and "_IF_" in name) or name in _TESTS


def _operation(code: CodeType, offset: int) -> str:
    """The name of the instruction there."""
    raw = code.co_code
    if not 0 <= offset < len(raw):
        return ""
    while offset and raw[offset] == _CACHE:  # a generator that is run inline finds its caller behind FOR_ITER
        offset -= 2
    return opname[raw[offset]]


def _is_not_in(code: CodeType, offset: int) -> bool:
    raw = code.co_code
    return 0 <= offset < len(raw) and opname[raw[offset]] == "CONTAINS_OP" and raw[offset + 1] == 1


def site_at(frame: FrameType, span: tuple[int, int, int, int]) -> DecisionSite:
    """The site of a truth test that a function of the engine makes for code at another position."""
    code = frame.f_code
    line, column, end_line, end_column = span
    key = (id(code), line, column, end_line, end_column, True)
    site = _places.get(key)
    if site is None:
        site = _places[key] = DecisionSite(code.co_filename, code.co_qualname, *span, True)
        _codes.append(code)
    return site


def origin(error: BaseException) -> tuple[str, int] | None:
    """The file and line of the innermost frame outside the engine that an exception passed through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if not is_own(filename):
            found = filename, trace.tb_lineno
        trace = trace.tb_next
    return found


def boundary(function: _F) -> _F:
    """Marks the function of the engine that starts runs: what is decided with only the engine above has no
    site.
    """
    code: CodeType = function.__code__
    _boundaries.add(id(code))
    _codes.append(code)
    return function


def is_boundary(code: CodeType) -> bool:
    """Whether a code object is that of such a function."""
    return id(code) in _boundaries


NOWHERE = DecisionSite("", "", 0, 0)
_choices: dict[tuple[str, int], DecisionSite] = {}


def choice_site(name: str, number: int) -> DecisionSite:
    """The site of a choice that is made while an input is built: which input, and which of its alternatives."""
    site = _choices.get((name, number))
    if site is None:
        site = _choices[name, number] = DecisionSite("", name, 0, number)
    return site


_tuple = tuple.__new__  # a NamedTuple's own constructor costs three times as much


def decide(term: Term, outcome: bool, site: DecisionSite | None = None) -> bool:
    """Records that a condition came out as `outcome`, and returns it."""
    run = _run
    if run is None or term.op == "const":
        return outcome
    decisions = run.decisions
    if len(decisions) >= run.limit:
        raise Cut(f"more than {run.limit} decisions")
    if CHECK_TERMS:
        check(term, outcome)
    decisions.append(_tuple(Decision, (site or site_of(sys._getframe(1)), outcome, term, run.phase)))
    return outcome


def fact(term: Term) -> None:
    """Records a condition that every input satisfies by construction."""
    run = _run
    if run is not None and term is not TRUE:
        run.facts.append(term)


def concretised(operation: str) -> None:
    """Records that an operation used the concrete value of an input because it has no model."""
    run = _run
    if run is not None:
        site = site_of(sys._getframe(1))
        key = Concretisation(site.file, site.line, operation)
        run.concretisations[key] = run.concretisations.get(key, 0) + 1


_hashes = 0  # of concolic values, asked for by anybody


def noting_hashes(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, called for the target: if it uses the hash of an input, that is recorded."""
    before = _hashes
    try:
        return function(*args)
    finally:
        if _hashes != before:
            concretised("hash()")


def hashed() -> None:
    """Records that the target used the hash of an input: a miss in its table is no decision."""
    global _hashes
    _hashes += 1
    if _run is not None and not is_own(sys._getframe(2).f_code.co_filename):
        concretised("hash()")


# Where rewritten code itself gets a text: parts of f-strings, and methods it calls. C code is called by a model.
_GETTING = {
    "FORMAT_VALUE", "CONVERT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CALL", "CALL_KW", "CALL_FUNCTION_EX",
}  # fmt: skip
_keeping_texts: set[int] = set()


def keeps_texts(function: _F) -> _F:
    """Marks a function of the engine that asks concolic values for their texts and keeps the terms of these."""
    code: CodeType = function.__code__
    _keeping_texts.add(id(code))
    _codes.append(code)
    return function


def shown() -> None:
    """Records that a text was made of an input, unless a model or rewritten code did it: whoever else did, C code
    or Python code that is not rewritten, keeps characters only.
    """
    if _run is not None:
        shown_to(sys._getframe(2))


def shown_to(frame: FrameType) -> None:
    """The same of a text that code in this frame has asked for."""
    if id(frame.f_code) not in _keeping_texts and not _gets(frame) and _is_below_rewritten(frame):
        concretised("str()")


def _gets(frame: FrameType) -> bool:
    """Whether a frame of rewritten code is given a text as it is."""
    code = frame.f_code
    rewritten = MARK in frame.f_builtins and not code.co_filename.startswith("<")  # as what dataclasses generate
    return rewritten and _operation(code, frame.f_lasti) in _GETTING


def _is_below_rewritten(frame: FrameType | None) -> bool:
    """Whether rewritten code runs, in this frame or further up."""
    while frame is not None and id(frame.f_code) not in _boundaries:
        if MARK in frame.f_builtins:
            return True
        frame = frame.f_back
    return False


_ORDERLESS = {"sorted_", "min_", "max_", "sum_", "any_", "all_", "set_", "frozenset_", "update", "_extreme"}


def is_orderless(frame: FrameType | None) -> bool:
    """Whether the code that goes through a set is the engine's, and gives the same in any order."""
    while frame is not None and is_own(frame.f_code.co_filename):
        if not _ORDERLESS.isdisjoint(frame.f_code.co_qualname.split(".")):
            return True
        frame = frame.f_back
    return False


def raises(trace: TracebackType | None) -> bool:
    """Whether an exception that came from there was raised by a `raise` of rewritten code."""
    if trace is None or MARK not in trace.tb_frame.f_builtins:
        return False
    return _operation(trace.tb_frame.f_code, trace.tb_lasti) in ("RAISE_VARARGS", "RERAISE")


class TermMismatch(BaseException):
    """The debug check failed: a model is wrong. Nothing in a target may swallow that."""


def check(term: Term, value: Any) -> None:
    """The invariant: under the run's assignment a term evaluates to its concrete value."""
    run = _run
    if run is None:
        return
    try:
        evaluated = run.evaluator.value(term)
    except ArithmeticError as error:
        raise TermMismatch(f"{term!r} is undefined, the concrete value is {value!r}") from error
    if not same(evaluated, value):
        raise TermMismatch(f"{term!r} evaluates to {evaluated!r}, the concrete value is {value!r}")


def same(a: Any, b: Any) -> bool:
    """Equality that tells 0.0 from -0.0, 1 from True and 1.0, and that finds nan equal to itself."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return list.__len__(list(a)) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return float.__repr__(a) == float.__repr__(b)
    return (
        isinstance(a, bool) == isinstance(b, bool)
        and isinstance(a, float) == isinstance(b, float)
        and bool(a == b)
    )
