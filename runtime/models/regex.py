"""Regular expressions on concolic texts: whether there is a match is one decision, what was matched has terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime.models.registry import LIBRARY, METHODS, binds
from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const, search_of
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import ZERO, as_index
from ramify.runtime.values.match import SymMatch, expansion
from ramify.runtime.values.showing import concatenated
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr

MAX_MATCHES = 1000  # of one text


def _search(pattern: re.Pattern[Any], kind: str) -> Term:
    """The search as a constant. A pattern of bytes means what the same text means for ASCII."""
    # `\w` of bytes means ASCII, of a text every letter.
    if isinstance(pattern.pattern, bytes):
        return const(search_of(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII, kind))
    return const(search_of(pattern.pattern, pattern.flags, kind))


def modelled(pattern: re.Pattern[Any], text: Any) -> bool:
    """Whether pattern and text go together and the pattern depends on nothing else."""
    wanted = SymBytes if isinstance(pattern.pattern, bytes) else SymStr
    # With LOCALE the meaning of a pattern depends on the process.
    return type(text) is wanted and not pattern.flags & re.LOCALE


def found(
    pattern: re.Pattern[Any], kind: str, text: Any, at: Term, match: re.Match[Any] | None, whole: Any = None
) -> SymMatch | None:
    """The match as a concolic one, or None; `text` is the part of the `whole` text that was searched."""
    search = _search(pattern, kind)
    # The concrete match comes from `re` itself; the term means the same and is what a solver reverses.
    if not decide(T.re_found(search, text.term, at), match is not None):
        return None
    assert match is not None
    return SymMatch(match, search, text, at, text if whole is None else whole)


# Methods of compiled patterns


def _one(kind: str) -> Callable[..., Any]:
    original: Callable[..., Any] = getattr(re.Pattern, kind)

    def model(pattern: re.Pattern[Any], string: Any, pos: Any = 0, endpos: Any = None) -> Any:
        start = as_index(pos)
        if not modelled(pattern, string) or start is None:
            return _lost(kind, original, pattern, string, pos, *(() if endpos is None else (endpos,)))
        searched = string
        bounds = () if endpos is None else (core.plain(endpos),)
        if endpos is not None:
            searched = string[: max(endpos, 0)] if type(endpos) is int else string[:endpos]
            if not core.is_concolic(searched):
                return original(pattern, core.plain(string), start[0], *bounds)
        place = start[1]
        # A position before the text counts as its start.
        if place.op != "const":
            decide(T.lt(place, ZERO), start[0] < 0)
        if start[0] < 0:
            place = ZERO
        if endpos is not None:
            first = T.min_(place, T.length(string.term))
            inside = min(max(start[0], 0), len(string)) <= len(searched)
            if not decide(T.le(first, T.length(searched.term)), inside):
                return _lost(kind, original, pattern, string, start[0], *bounds)  # even then "" is found
        match = original(pattern, core.plain(string), start[0], *bounds)
        return found(pattern, kind, searched, place, match, string)

    return model


def _lost(name: str, original: Callable[..., Any], *args: Any) -> Any:
    path.concretised(f"re.{name}")
    return original(*map(core.plain, args))


def finditer(pattern: re.Pattern[Any], string: Any, pos: Any = 0, endpos: Any = None) -> Any:
    if endpos is not None or type(pos) is not int or pos != 0 or not modelled(pattern, string):
        return _lost("finditer", re.Pattern.finditer, pattern, string, pos, *(() if endpos is None else (endpos,)))
    return _matches(pattern, string)


def _matches(pattern: re.Pattern[Any], string: Any) -> Iterator[Any]:
    """The matches one after the other; whether there is one more is a decision."""
    matches = re.Pattern.finditer(pattern, core.plain(string))
    for number in range(MAX_MATCHES):
        # The n-th match as a term of its own: where it begins depends on all those before.
        match = found(pattern, "finditer", string, const(number), next(matches, None))
        if match is None:
            return
        yield match
    path.concretised("many matches")
    # More than that is read on with concrete values.
    yield from matches


def findall(pattern: re.Pattern[Any], string: Any, pos: Any = 0, endpos: Any = None) -> Any:
    if endpos is not None or type(pos) is not int or pos != 0 or not modelled(pattern, string):
        return _lost("findall", re.Pattern.findall, pattern, string, pos, *(() if endpos is None else (endpos,)))
    empty = b"" if type(string) is SymBytes else ""
    results: list[Any] = []
    for match in _matches(pattern, string):
        groups = match.groups(empty) if pattern.groups else (match.group(),)
        results.append(groups if len(groups) > 1 else groups[0])
    return results


def split(pattern: re.Pattern[Any], string: Any, maxsplit: Any = 0) -> Any:
    if type(maxsplit) is not int or not modelled(pattern, string):
        return _lost("split", re.Pattern.split, pattern, string, maxsplit)
    parts: list[Any] = []
    position: Any = 0
    for match in _matches(pattern, string) if maxsplit >= 0 else ():
        # Groups of the pattern are parts of the result as well.
        parts += [string[position : match.start()], *match.groups()]
        position = match.end()
        if maxsplit and len(parts) >= maxsplit * (1 + pattern.groups):
            break
    parts.append(string[position:])
    return parts


def subn(pattern: re.Pattern[Any], repl: Any, string: Any, count: Any = 0) -> Any:
    if type(count) is not int or not modelled(pattern, string) or type(string) is not SymStr:
        return _lost("sub", re.Pattern.subn, pattern, repl, string, count)
    if not callable(repl) and type(repl) is not SymStr:
        # Before anything is decided: a template with a bad reference raises even if nothing matches.
        re.Pattern.subn(pattern, repl, core.plain(string), count)  # raises for a replacement that is none
    pieces: list[Any] = []
    position: Any = 0
    times = 0
    for match in _matches(pattern, string) if count >= 0 else ():
        new = _replacement(match, repl)
        if new is None:
            return _lost("sub", re.Pattern.subn, pattern, repl, string, count)
        pieces += [string[position : match.start()], new]
        position = match.end()
        times += 1
        if count and times >= count:
            break
    return concatenated(*pieces, string[position:]), times


def _replacement(match: SymMatch, repl: Any) -> Any:
    new = repl(match) if callable(repl) else expansion(match, repl)
    return new if isinstance(new, str) else None


def sub(pattern: re.Pattern[Any], repl: Any, string: Any, count: Any = 0) -> Any:
    return subn(pattern, repl, string, count)[0]


PATTERN_METHODS: dict[str, Callable[..., Any]] = {
    "match": _one("match"),
    "search": _one("search"),
    "fullmatch": _one("fullmatch"),
    "finditer": finditer,
    "findall": findall,
    "split": split,
    "sub": sub,
    "subn": subn,
}


def _method(name: str) -> None:
    """The method of a compiled pattern, and the function of the module."""
    model = PATTERN_METHODS[name]
    original: Callable[..., Any] = getattr(re.Pattern, name)
    function: Callable[..., Any] = getattr(re, name)
    rest = ("string",) if name not in ("sub", "subn") else ("repl", "string")

    def method(pattern: re.Pattern[Any], *args: Any, **keywords: Any) -> Any:
        if not _touched(args, keywords) or not binds(model, (pattern, *args), keywords):
            return original(pattern, *args, **keywords)
        return model(pattern, *args, **keywords)

    def of_module(*args: Any, **keywords: Any) -> Any:
        if not _touched(args, keywords):
            return function(*args, **keywords)
        # `re.sub` takes `count` and `flags` by position too, which 3.13 deprecates.
        given = dict(zip(_parameters(name), args, strict=False)) | keywords
        pattern, flags = given.pop("pattern", None), given.pop("flags", 0)
        if core.is_concolic(pattern) or core.is_concolic(flags) or not set(rest) <= given.keys():
            path.concretised(f"re.{name}")
            return function(*map(core.plain, args), **{k: core.plain(v) for k, v in keywords.items()})
        return method(re.compile(pattern, flags), *(given.pop(part) for part in rest), **given)

    METHODS[re.Pattern, name] = method
    LIBRARY[function] = of_module
    LIBRARY[original] = method


def _touched(args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return any(map(core.is_concolic, args)) or any(map(core.is_concolic, keywords.values()))


def _parameters(name: str) -> tuple[str, ...]:
    if name in ("sub", "subn"):
        return ("pattern", "repl", "string", "count", "flags")
    return ("pattern", "string", "maxsplit", "flags") if name == "split" else ("pattern", "string", "flags")


for _name in PATTERN_METHODS:
    _method(_name)


def escape(*args: Any) -> Any:
    if len(args) == 1 and core.is_concolic(args[0]):
        path.concretised("re.escape")
        return re.escape(core.plain(args[0]))
    return re.escape(*args)


LIBRARY[re.escape] = escape
