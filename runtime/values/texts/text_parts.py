"""The methods of SymStr that take a text apart: splitting, where every found separator is a decision."""

from __future__ import annotations

from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import ZERO, as_index
from ramify.runtime.values.texts.text import SymStr, plain, sym_str, text


def _part(self: SymStr, low: int, low_term: Term, high: int, high_term: Term) -> Any:
    return sym_str(plain(self)[low:high], T.substr(self.term, low_term, high_term))


def _found(self: SymStr, separator: tuple[str, Term], start: int, start_term: Term) -> tuple[int, Term] | None:
    """Where the separator comes next; whether it does is a decision."""
    place = plain(self).find(separator[0], start)
    place_term = T.index_of(self.term, separator[1], start_term)
    return (place, place_term) if decide(T.ge(place_term, ZERO), place >= 0) else None


def _nonempty(separator: tuple[str, Term]) -> bool:
    return decide(T.ne(T.length(separator[1]), ZERO), separator[0] != "")


def split(self: SymStr, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
    limit = as_index(maxsplit)
    separator = None if sep is None else text(sep)
    if limit is None or (sep is not None and separator is None) or limit[1].op != "const":
        path.concretised("str.split")
        return str.split(plain(self), core.plain(sep), core.plain(maxsplit))
    if separator is None:
        return _words(self, limit[0])
    if not _nonempty(separator):
        # Raises ValueError, as Python does for an empty separator.
        return str.split("", "")
    parts: list[Any] = []
    start, start_term = 0, ZERO
    # One question for every separator: how many parts there are is then part of the path, and the list a plain
    # one.
    while limit[0] < 0 or len(parts) < limit[0]:
        found = _found(self, separator, start, start_term)
        if found is None:
            break
        parts.append(_part(self, start, start_term, *found))
        start, start_term = found[0] + len(separator[0]), T.add(found[1], T.length(separator[1]))
    parts.append(_part(self, start, start_term, len(plain(self)), T.length(self.term)))
    return parts


def _words(self: SymStr, limit: int) -> list[Any]:
    """Splitting at runs of blanks: whether each character is one is a decision."""
    parts: list[Any] = []
    begin: int | None = None
    position = 0
    value, length = plain(self), T.length(self.term)
    while decide(T.lt(const(position), length), position < len(value)):
        blank = decide(T.is_space(T.char_at(self.term, const(position))), value[position].isspace())
        if blank and begin is not None:
            parts.append(_part(self, begin, const(begin), position, const(position)))
            begin = None
        elif not blank and begin is None:
            begin = position
            # The rest keeps the blanks at its end.
            if 0 <= limit <= len(parts):
                return [*parts, self[position:]]
        position += 1
    if begin is not None:
        parts.append(_part(self, begin, const(begin), len(value), length))
    return parts


def rsplit(self: SymStr, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
    # Without a limit, the words are the same from either end.
    if type(maxsplit) is int and maxsplit < 0 and sep is None:
        return _words(self, -1)
    separator = None if sep is None else text(sep)
    if separator is None or type(maxsplit) is not int:
        path.concretised("str.rsplit")
        return str.rsplit(plain(self), core.plain(sep), core.plain(maxsplit))
    if not _nonempty(separator):
        return str.rsplit("", "")
    parts: list[Any] = []
    rest: Any = self
    while (maxsplit < 0 or len(parts) < maxsplit) and type(rest) is SymStr:
        place = plain(rest).rfind(separator[0])
        place_term = T.last_index_of(rest.term, separator[1])
        if not decide(T.ge(place_term, ZERO), place >= 0):
            break
        after = T.add(place_term, T.length(separator[1]))
        parts.append(_part(rest, place + len(separator[0]), after, len(plain(rest)), T.length(rest.term)))
        rest = _part(rest, 0, ZERO, place, place_term)
    return [rest, *reversed(parts)]


def partition(self: SymStr, sep: Any) -> tuple[Any, Any, Any]:
    separator = text(sep)
    if separator is None:
        return str.partition(self, sep)
    if not _nonempty(separator):
        return str.partition("", "")
    found = _found(self, separator, 0, ZERO)
    if found is None:
        return self, "", ""
    after = T.add(found[1], T.length(separator[1]))
    rest = _part(self, found[0] + len(separator[0]), after, len(plain(self)), T.length(self.term))
    return _part(self, 0, ZERO, *found), sep, rest


def rpartition(self: SymStr, sep: Any) -> tuple[Any, Any, Any]:
    separator = text(sep)
    if separator is None:
        return str.rpartition(self, sep)
    parts = rsplit(self, sep, 1)
    return ("", "", parts[0]) if len(parts) == 1 else (parts[0], sep, parts[1])


LINE_ENDS = const("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def splitlines(self: SymStr, keepends: Any = False) -> list[Any]:
    keep = bool(keepends)
    lines: list[Any] = []
    value, length = plain(self), T.length(self.term)
    begin = position = 0
    while decide(T.lt(const(position), length), position < len(value)):
        here = T.char_at(self.term, const(position))
        end = position
        position += 1
        if not decide(T.contains(LINE_ENDS, here), value[end] in LINE_ENDS.value):
            continue
        # "\r\n" is one line end.
        if decide(T.eq(here, const("\r")), value[end] == "\r") and decide(
            T.lt(const(position), length), position < len(value)
        ):
            following = T.char_at(self.term, const(position))
            position += decide(T.eq(following, const("\n")), value[position] == "\n")
        stop = position if keep else end
        lines.append(_part(self, begin, const(begin), stop, const(stop)))
        begin = position
    if begin < position:
        lines.append(_part(self, begin, const(begin), position, const(position)))
    return lines


for _method in (split, rsplit, partition, rpartition, splitlines):
    setattr(SymStr, _method.__name__, _method)
