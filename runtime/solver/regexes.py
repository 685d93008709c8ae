"""Texts that match a regular expression, read off the parse tree of Python's own `re`; and texts that do not.

A proposal is only that: lookarounds, anchors inside and case folding are approximated, and whoever asks checks
the text with `re`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

from ramify.runtime.terms import compiled_search, re_found, re_match

_T = TypeVar("_T")

POOL = "a0 b1-_.A:/@x9,Z+z2\n\té"
VARIANTS = 8
MAX_REPEATED = 30

CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


class Writer:
    """Writes one text that should match. The variant decides between alternatives, counts and characters."""

    def __init__(self, variant: int) -> None:
        self._variant = variant
        self._extra = (0, 1, 2, 3, 0, 1, 5, 12)[variant % VARIANTS]
        self._groups: dict[int, str] = {}
        self._required: list[str] = []  # what lookaheads ask for, put at the end

    def text(self, pattern: re.Pattern[str]) -> str:
        tree = parser.parse(pattern.pattern, pattern.flags)
        return self._sequence(tree) + "".join(self._required)

    def _sequence(self, tree: Any) -> str:
        return "".join(self._item(op, argument) for op, argument in tree)

    def _item(self, op: Any, argument: Any) -> str:
        if op is codes.LITERAL:
            return chr(argument)
        if op is codes.NOT_LITERAL:
            return next(c for c in self._pool() if ord(c) != argument)
        if op is codes.ANY:
            return next(c for c in self._pool() if c != "\n")
        if op is codes.IN:
            return self._of_class(argument)
        if op is codes.BRANCH:
            return self._sequence(self._one_of(argument[1]))
        if op is codes.SUBPATTERN:
            written = self._sequence(argument[-1])
            if argument[0] is not None:
                self._groups[argument[0]] = written
            return written
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            low, high, part = argument
            times = min(int(low) + self._more(), int(high), max(int(low), MAX_REPEATED))
            return "".join(self._sequence(part) for _ in range(times))
        if op is codes.ATOMIC_GROUP:
            return self._sequence(argument)
        if op is codes.GROUPREF:
            return self._groups.get(argument, "")
        if op is codes.GROUPREF_EXISTS:
            group, present, absent = argument
            chosen = present if group in self._groups else absent
            return self._sequence(chosen) if chosen is not None else ""
        if op is codes.ASSERT and argument[0] > 0:
            self._required.append(self._sequence(argument[1]))
        return ""

    def _pool(self) -> str:
        turn = self._variant % 3
        return POOL[turn:] + POOL[:turn]

    def _of_class(self, items: Any) -> str:
        """A character of a class such as `[^a-z_]`."""
        negated = items[0][0] is codes.NEGATE
        members = items[1:] if negated else items
        if negated:
            return next((c for c in self._pool() if not _among(c, members)), "~")
        own = [_first_of(item) for item in members]
        chosen = [c for c in self._pool() if _among(c, members)] or [c for c in own if c]
        return self._one_of(chosen) if chosen else "a"

    def _one_of(self, choices: Sequence[_T]) -> _T:
        return choices[self._variant % len(choices)]

    def _more(self) -> int:
        """How often more than it must something is repeated."""
        return self._extra


class RandomWriter(Writer):
    """Chooses anew at every place, so that no two parts of a text need be alike."""

    def __init__(self, source: Random) -> None:
        super().__init__(0)
        self._random = source

    def _pool(self) -> str:
        turn = self._random.randrange(len(POOL))
        return POOL[turn:] + POOL[:turn]

    def _one_of(self, choices: Sequence[_T]) -> _T:
        return self._random.choice(choices)

    def _more(self) -> int:
        return self._random.choice((0, 0, 1, 1, 2, 3))


def written(pattern: re.Pattern[str], source: Random) -> str:
    """A text that should match, another one each time; empty where none can be written."""
    try:
        return RandomWriter(source).text(pattern)
    except (StopIteration, RecursionError):
        return ""


def _among(character: str, members: Any) -> bool:
    return any(_is_in(character, op, argument) for op, argument in members)


def _is_in(character: str, op: Any, argument: Any) -> bool:
    if op is codes.LITERAL:
        return bool(ord(character) == argument)
    if op is codes.RANGE:
        return bool(argument[0] <= ord(character) <= argument[1])
    if op is codes.CATEGORY and argument in CATEGORIES:
        return re.match(CATEGORIES[argument], character) is not None
    return False


def _first_of(item: Any) -> str:
    op, argument = item
    if op is codes.LITERAL:
        return chr(argument)
    return chr(argument[0]) if op is codes.RANGE else ""


MAX_TEXT = 80  # characters of a proposal: matching may take time that grows with every character


def matching(search: str, text: str, at: int) -> Iterator[str]:
    """Texts in which the search finds something, like the given text where possible."""
    kind, pattern = compiled_search(search)
    seen = set()
    for variant in range(VARIANTS):
        try:
            written = Writer(variant).text(pattern)
        except (StopIteration, RecursionError):
            continue
        if kind == "finditer":
            last = re_match(search, text, at - 1) if at else None
            kept = text[: last.end()] if last is not None else written * at
            proposals = [kept + written, kept + " " + written, kept + "," + written]
        else:
            kept = text[: max(0, at)]
            proposals = [kept + written, kept + written + text[max(0, at) :], text + written]
        for proposal in proposals:
            if len(proposal) <= MAX_TEXT and proposal not in seen and re_found(search, proposal, at):
                seen.add(proposal)
                yield proposal


def not_matching(search: str, text: str, at: int) -> Iterator[str]:
    """Texts in which the search finds nothing, like the given text where possible."""
    seen = set()
    kept = text[: max(0, at)]
    for proposal in (text[:-1], text + "!", "!" + text, text[1:], kept, *(kept + c for c in "!a0"), "", "!", "\n"):
        if proposal not in seen and not re_found(search, proposal, at):
            seen.add(proposal)
            yield proposal
    for place in islice(range(len(text)), 12):
        proposal = text[:place] + "!" + text[place + 1 :]
        if proposal not in seen and not re_found(search, proposal, at):
            seen.add(proposal)
            yield proposal
