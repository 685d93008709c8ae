"""SymMatch: what a regular expression found in a concolic text; its groups and places carry terms."""

from __future__ import annotations

import re
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import ZERO
from ramify.runtime.values.numeric.int_ import sym_int
from ramify.runtime.values.showing import concatenated
from ramify.runtime.values.texts.bytes_ import SymBytes, sym_bytes
from ramify.runtime.values.texts.text import sym_str

REFERENCE = re.compile(r"\\(?:g<(?P<name>\w+)>|(?P<number>[1-9]\d?))")


class SymMatch:
    """A concolic match object: the real one, and the search that found it in which text."""

    __slots__ = ("_at", "_match", "_search", "_text", "_whole")

    def __init__(self, match: re.Match[Any], search: Term, text: Any, at: Term, whole: Any) -> None:
        self._match = match
        self._search = search
        self._text = text  # a SymStr or SymBytes, up to where it was searched
        self._whole = whole
        self._at = at

    @property  # type: ignore[misc]
    # `re.Match` cannot be subclassed; with this, `isinstance` takes the object for one.
    def __class__(self) -> type:
        return re.Match

    # Places

    def _number(self, group: Any) -> int:
        """The number of a group; raises what Python raises for one that does not exist."""
        group = core.plain(group)
        self._match.start(group)
        return self._match.re.groupindex[group] if isinstance(group, str) else int(group)

    def _place(self, build: Any, group: int) -> Term:
        if self._match.re.groups == 0 or group == 0:
            kind = self._search.value.split(":", 1)[0]
            # What is known without the pattern: such a match begins where the search began, and a full match
            # ends with the text.
            if build is T.re_start and kind in ("match", "fullmatch") and self._at is ZERO:
                return ZERO
            if build is T.re_end and kind == "fullmatch":
                return T.length(self._text.term)
        made: Term = build(self._search, self._text.term, self._at, const(group))
        return made

    def start(self, group: Any = 0, /) -> Any:
        number = self._number(group)
        return sym_int(self._match.start(number), self._place(T.re_start, number))

    def end(self, group: Any = 0, /) -> Any:
        number = self._number(group)
        return sym_int(self._match.end(number), self._place(T.re_end, number))

    def span(self, group: Any = 0, /) -> tuple[Any, Any]:
        return self.start(group), self.end(group)

    # Groups

    def _group(self, group: Any, default: Any = None) -> Any:
        """The text of a group; whether an optional group took part is a decision."""
        number = self._number(group)
        value = self._match[number]
        start = self._place(T.re_start, number)
        # A group that took no part in the match starts at -1, in Python as in the term. Group 0 always took
        # part.
        if number and not decide(T.ge(start, ZERO), value is not None):
            return default
        term = T.substr(self._text.term, start, self._place(T.re_end, number))
        return sym_bytes(value, term) if type(self._text) is SymBytes else sym_str(value, term)

    def group(self, *groups: Any) -> Any:
        if len(groups) <= 1:
            return self._group(groups[0] if groups else 0)
        return tuple(self._group(group) for group in groups)

    def __getitem__(self, group: Any) -> Any:
        return self._group(group)

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        return tuple(self._group(number, default) for number in range(1, self._match.re.groups + 1))

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        return {name: self._group(name, default) for name in self._match.re.groupindex}

    @property
    def lastindex(self) -> Any:
        last = T.re_last(self._search, self._text.term, self._at)
        value = self._match.lastindex
        if self._match.re.groups == 0 or decide(T.eq(last, ZERO), value is None):
            return None
        return sym_int(value or 0, last)

    @property
    def lastgroup(self) -> str | None:
        """Which named group it is, is asked name by name."""
        last = T.re_last(self._search, self._text.term, self._at)
        for number in self._match.re.groupindex.values():
            if decide(T.eq(last, const(number)), self._match.lastindex == number):
                break
        return self._match.lastgroup

    def expand(self, template: Any) -> Any:
        pieces = expansion(self, template)
        if pieces is None:
            path.concretised("Match.expand")
            return self._match.expand(core.plain(template))
        return pieces

    # The rest is as the real one has it

    @property
    def string(self) -> Any:
        return self._whole

    @property
    def re(self) -> Any:
        return self._match.re

    @property
    def pos(self) -> int:
        return self._match.pos

    @property
    def endpos(self) -> Any:
        return sym_int(self._match.endpos, T.length(self._text.term))

    @property
    def regs(self) -> Any:
        return tuple(self.span(number) for number in range(self._match.re.groups + 1))

    def __copy__(self) -> SymMatch:
        return self

    def __deepcopy__(self, memo: Any) -> SymMatch:
        return self

    def __repr__(self) -> str:
        path.concretised("repr()")
        return repr(self._match)


def expansion(match: SymMatch, template: Any) -> Any:
    """A replacement with its references filled in, or None for one that only Python can read."""
    if type(template) is not str or type(match.string) is SymBytes:
        return None
    pieces: list[Any] = []
    position = 0
    for reference in REFERENCE.finditer(template):
        pieces.append(template[position : reference.start()])
        name = reference["name"] or reference["number"]
        pieces.append(match._group(int(name) if name.isdigit() else name, ""))
        position = reference.end()
    pieces.append(template[position:])
    # An escape that is no reference (`\n`, an octal number): only Python's own parser of templates reads these.
    if any("\\" in piece for piece in pieces[::2]):
        return None
    return concatenated(*pieces)


core.PLAIN[SymMatch] = lambda match: match._match
core.stands_for(SymMatch, re.Match)
