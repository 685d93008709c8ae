"""Regular expressions in bounded time: what `re` would answer, also where its backtracking takes for ever.

Evaluation runs in the process of the search, which nothing can interrupt inside `re`. A pattern whose worst case
is small for the length at hand goes to `re`. For others the parse tree becomes a program whose states are visited
once per position, in the order in which `re` tries them: the first way to the end is then the one that `re` finds.
What that cannot say, as references to groups, is undefined, which is honest. Where a part is repeated that may be
empty, `re` enters it once more to find nothing, and what it makes of the choices inside is not imitated: there
only whether anything matches is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Protocol

from ramify.runtime.terms.nodes import EvaluationError

MAX_STEPS = 200_000  # of one search here
MAX_TRIED = 20_000_000  # of one in `re`, in the worst case
MAX_PROGRAM = 3_000  # instructions: repetitions with a count are written out
FEW = 8  # times that something is repeated without counting as a repetition
CHOICES = 2  # ways for each character that nested repetitions may have


class Match(Protocol):
    """What is asked of a match."""

    @property
    def lastindex(self) -> int | None: ...

    def start(self, group: int = 0, /) -> int: ...

    def end(self, group: int = 0, /) -> int: ...


def found(kind: str, pattern: re.Pattern[str], s: str, at: int) -> Match | None:
    """The match that `match`, `search` or `fullmatch` finds from position `at` on; of `finditer`, the one of that
    number.
    """
    if kind != "finditer":
        if is_cheap(kind, pattern, len(s)):
            match: Match | None = getattr(pattern, kind)(s, at)
            return match
        return _searched(kind, pattern, s, min(max(at, 0), len(s)))
    if is_cheap(kind, pattern, len(s)):
        return next((m for number, m in enumerate(pattern.finditer(s)) if number == at), None)
    return _numbered(pattern, s, at)


def is_cheap(kind: str, pattern: re.Pattern[str], length: int) -> bool:
    """Whether `re` surely ends soon on a text of that length."""
    cost = _cost(pattern.pattern, pattern.flags)
    tries = 1 if kind in ("match", "fullmatch") else length + 1
    if cost.exponential and length > 12:
        return False
    ways = CHOICES**length if cost.exponential else 1
    return bool(cost.size * tries * ways * (length + 1) ** cost.degree <= MAX_TRIED)


@dataclass(frozen=True, slots=True)
class Cost:
    """The worst case of `re`: so many instructions times the length to the power of the degree."""

    size: int
    degree: int
    exponential: bool


@lru_cache(maxsize=512)
def _cost(pattern: str, flags: int) -> Cost:
    return _cost_of(parser.parse(pattern, flags))


def _cost_of(tree: Any) -> Cost:
    size, degree, exponential = 1, 0, False
    for op, argument in tree:
        parts = [_cost_of(part) for part in _inner(op, argument)]
        size += 1 + sum(part.size for part in parts)
        inner = max((part.degree for part in parts), default=0)
        exponential = exponential or any(part.exponential for part in parts)
        if op in REPEATS:
            low, high = int(argument[0]), int(argument[1])
            if high > FEW or inner:
                exponential = exponential or inner > 0 or _may_choose(argument[2])
                inner += high > FEW
            elif high > low:
                size *= high  # a few more ways at each place
        degree += inner
    return Cost(size, degree, exponential)


def _may_choose(part: Any) -> bool:
    """Whether there may be several ways through a part for one text: repeated, they multiply."""
    for op, argument in part:
        if op is codes.BRANCH or op in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            return True
        if op in REPEATS and int(argument[0]) != int(argument[1]):
            return True
        if any(map(_may_choose, _inner(op, argument))):
            return True
    return False


REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def _inner(op: Any, argument: Any) -> list[Any]:
    """The patterns inside an item."""
    if op is codes.BRANCH:
        return list(argument[1])
    if op in REPEATS:
        return [argument[2]]
    if op is codes.SUBPATTERN:
        return [argument[3]]
    if op in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    if op is codes.ATOMIC_GROUP:
        return [argument]
    if op is codes.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part is not None]
    return []


# -- programs ---------------------------------------------------------------------------------------

Accepts = Callable[[str], bool]
Anchor = Callable[[str, int], bool]
CHAR, SPLIT, JUMP, MARK, AT, AHEAD, MATCH = range(7)


@dataclass(slots=True)
class Instructions:
    """Instructions: a kind and what it needs. Of two places that a SPLIT leads to, the first is tried first."""

    code: list[tuple[Any, ...]] = field(default_factory=list)
    unsure: bool = False  # something is repeated that may be empty: where matches end is not said


@lru_cache(maxsize=128)
def _program(pattern: str, flags: int) -> Instructions:
    tree = parser.parse(pattern, flags)
    program = Instructions()
    _Writer(program, tree.state.flags | flags).sequence(tree)
    program.code.append((MATCH,))
    return program


class _Writer:
    """Writes the program of a parse tree."""

    def __init__(self, program: Instructions, flags: int) -> None:
        self._program = program
        self._code = program.code
        self._flags = flags

    def sequence(self, tree: Any) -> None:
        for op, argument in tree:
            self._item(op, argument)
            if len(self._code) > MAX_PROGRAM:
                raise EvaluationError("so large a pattern")

    def _item(self, op: Any, argument: Any) -> None:
        code = self._code
        if op in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            code.append((CHAR, _test(op, _frozen(argument), self._flags)))
        elif op is codes.AT:
            code.append((AT, _anchor(argument, self._flags)))
        elif op is codes.BRANCH:
            self._branches(argument[1])
        elif op is codes.SUBPATTERN:
            self._group(*argument)
        elif op in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            self._repeat(op is codes.MAX_REPEAT, *argument)
        elif op in (codes.ASSERT, codes.ASSERT_NOT) and argument[0] > 0:
            self._ahead(op is codes.ASSERT, argument[1])
        else:
            raise EvaluationError(f"{op} on so long a text")

    def _branches(self, branches: Any) -> None:
        ends = []
        for branch in branches[:-1]:
            split = self._hole()
            self.sequence(branch)
            ends.append(self._hole())
            self._code[split] = SPLIT, split + 1, len(self._code)
        self.sequence(branches[-1])
        for end in ends:
            self._code[end] = JUMP, len(self._code)

    def _hole(self) -> int:
        self._code.append(())
        return len(self._code) - 1

    def _group(self, group: int | None, add: int, remove: int, part: Any) -> None:
        before, self._flags = self._flags, (self._flags | add) & ~remove
        if group is not None:
            self._code.append((MARK, 2 * group))
        self.sequence(part)
        if group is not None:
            self._code.append((MARK, 2 * group + 1))
        self._flags = before

    def _repeat(self, greedy: bool, low: Any, high: Any, part: Any) -> None:
        if part.getwidth()[0] == 0:
            self._program.unsure = True
        for _ in range(int(low)):
            self.sequence(part)
        if high is codes.MAXREPEAT:
            split = self._hole()
            self.sequence(part)
            self._code.append((JUMP, split))
            self._split(split, greedy, len(self._code))
            return
        splits = []
        for _ in range(int(high) - int(low)):
            splits.append(self._hole())
            self.sequence(part)
        for split in splits:
            self._split(split, greedy, len(self._code))

    def _split(self, place: int, greedy: bool, after: int) -> None:
        self._code[place] = (SPLIT, place + 1, after) if greedy else (SPLIT, after, place + 1)

    def _ahead(self, wanted: bool, part: Any) -> None:
        inner = Instructions()
        _Writer(inner, self._flags).sequence(part)
        inner.code.append((MATCH,))
        if any(instruction[0] == MARK for instruction in inner.code):
            raise EvaluationError("a group in an assertion on so long a text")
        self._code.append((AHEAD, inner, wanted))


def _frozen(argument: Any) -> Any:
    return tuple(argument) if isinstance(argument, list) else argument


@lru_cache(maxsize=1024)
def _test(op: Any, argument: Any, flags: int) -> Accepts:
    """Whether one character fits, as `re` sees it."""
    single = _alone(op, list(argument) if isinstance(argument, tuple) else argument, flags)
    known: dict[str, bool] = {}

    def test(character: str) -> bool:
        if character not in known:
            known[character] = single.match(character) is not None
        return known[character]

    return test


@lru_cache(maxsize=64)
def _anchor(argument: Any, flags: int) -> Anchor:
    single = _alone(codes.AT, argument, flags)
    return lambda s, at: single.match(s, at) is not None


def _alone(op: Any, argument: Any, flags: int) -> re.Pattern[str]:
    """A pattern of one item, compiled by `re` itself: so case, classes and anchors are its own."""
    state = parser.State()
    state.flags = flags
    made: re.Pattern[str] = compiler.compile(parser.SubPattern(state, [(op, argument)]), flags)
    return made


# -- running them -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """A match that was found here: where the groups are, and the number of the one that ended last."""

    marks: dict[int, int]
    last: int | None
    unsure: bool

    @property
    def lastindex(self) -> int | None:
        self._check()
        return self.last

    def start(self, group: int = 0, /) -> int:
        return self._mark(2 * group, group)

    def end(self, group: int = 0, /) -> int:
        return self._mark(2 * group + 1, group)

    def _mark(self, mark: int, group: int) -> int:
        self._check()
        # A group counts only if both of its ends were met.
        return self.marks[mark] if {2 * group, 2 * group + 1} <= self.marks.keys() else -1

    def _check(self) -> None:
        if self.unsure:
            raise EvaluationError("the place of what is repeated and may be empty")


class _Runner:
    """One text, and the states that were visited in it: none of them leads to a match."""

    def __init__(self, program: Instructions, s: str, whole: bool) -> None:
        self._program = program
        self._s = s
        self._whole = whole
        self._visited: set[int] = set()
        self._inner = 0  # steps of assertions

    def steps(self) -> int:
        return len(self._visited) + self._inner

    def match(self, start: int, advance: bool = False) -> Found | None:
        """The match that begins there; `advance`: it must not be empty."""
        code, s, visited = self._program.code, self._s, self._visited
        width, size = len(code), len(s)
        marks: dict[int, int] = {0: start}
        last: int | None = None
        stack: list[tuple[int, int, Any]] = [(0, start, None)]
        while stack:
            pc, at, undo = stack.pop()
            if pc < 0:  # a mark as it was before
                last = undo[2]
                if undo[1] is None:
                    del marks[undo[0]]
                else:
                    marks[undo[0]] = undo[1]
                continue
            while True:
                state = at * width + pc
                if state in visited:
                    break
                visited.add(state)
                if len(visited) > MAX_STEPS:
                    raise EvaluationError("so long a search")
                instruction = code[pc]
                kind = instruction[0]
                if kind == CHAR:
                    if at >= size or not instruction[1](s[at]):
                        break
                    at += 1
                    pc += 1
                elif kind == SPLIT:
                    stack.append((instruction[2], at, None))
                    pc = instruction[1]
                elif kind == JUMP:
                    pc = instruction[1]
                elif kind == MARK:
                    mark = instruction[1]
                    stack.append((-1, 0, (mark, marks.get(mark), last)))
                    marks[mark] = at
                    last = mark // 2 if mark & 1 else last
                    pc += 1
                elif kind == MATCH:
                    if (self._whole and at != size) or (advance and at == start):
                        visited.discard(state)  # it may match from elsewhere
                        break
                    marks[1] = at
                    return Found(marks, last, self._program.unsure)
                elif not self._holds(instruction, at):
                    break
                else:
                    pc += 1
        return None

    def _holds(self, instruction: tuple[Any, ...], at: int) -> bool:
        if instruction[0] == AT:
            return bool(instruction[1](self._s, at))
        runner = _Runner(instruction[1], self._s, False)  # visited states tell of failures only
        hit = runner.match(at) is not None
        self._inner += runner.steps()
        if self._inner > MAX_STEPS:
            raise EvaluationError("so long a search")
        return hit is instruction[2]


@lru_cache(maxsize=64)
def _searched(kind: str, pattern: re.Pattern[str], s: str, at: int) -> Found | None:
    runner = _Runner(_program(pattern.pattern, pattern.flags), s, kind == "fullmatch")
    starts = range(at, len(s) + 1) if kind == "search" else (at,)
    return next((match for start in starts if (match := runner.match(start)) is not None), None)


@lru_cache(maxsize=64)
def _numbered(pattern: re.Pattern[str], s: str, number: int) -> Found | None:
    for place, match in enumerate(_all(pattern, s)):
        if place == number:
            return match
    return None


def _all(pattern: re.Pattern[str], s: str) -> Iterator[Found]:
    """The matches one after the other; after an empty one the next is not empty or begins later."""
    program = _program(pattern.pattern, pattern.flags)
    at, empty, steps = 0, False, 0
    while at <= len(s):
        runner = _Runner(program, s, False)
        match = None
        for start in range(at, len(s) + 1):
            match = runner.match(start, empty and start == at)
            if match is not None:
                break
        steps += runner.steps()
        if steps > MAX_STEPS:
            raise EvaluationError("so long a search")
        if match is None:
            return
        yield match
        empty = match.end() == match.start()
        at = match.end()
