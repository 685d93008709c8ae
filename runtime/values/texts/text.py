"""SymStr: a str that knows how it was computed from the inputs. Methods that give several texts are in
`text_parts.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import MAX_LENGTH, STR, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import ONE, ZERO, as_index, bounds, in_range
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import sym_int

_new: Callable[[type, str], Any] = str.__new__
EMPTY = const("")
MINUS_ONE = const(-1)


class SymStr(str):
    """A concolic str. `plain(s)` is its exact value; `len(s)` in C code is the concrete length."""

    __slots__ = ("term",)
    term: Term

    def __bool__(self) -> bool:
        return decide(T.ne(T.length(self.term), ZERO), str.__len__(self) != 0)

    def __hash__(self) -> int:
        path.hashed()
        return str.__hash__(self)

    # `str(x)` keeps a subclass that `__str__` returns, so the term survives C code that only asks for the text.
    def __str__(self) -> str:
        path.shown()
        return self

    def __repr__(self) -> str:
        path.shown()
        return sym_str(str.__repr__(self), T.repr_(self.term))  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return core.wrap, (plain(self), self.term)

    def __copy__(self) -> SymStr:
        return self

    def __deepcopy__(self, memo: Any) -> SymStr:
        return self

    # Parts

    def __iter__(self) -> Iterator[str]:
        position, length, term = 0, str.__len__(self), T.length(self.term)
        while decide(T.lt(const(position), term), position < length):
            yield sym_str(str.__getitem__(self, position), T.char_at(self.term, const(position)))
            position += 1

    def __getitem__(self, key: Any) -> Any:
        length = T.length(self.term)
        if isinstance(key, slice):
            found = bounds(key, length)
            if found is None:
                return str.__getitem__(self, key)
            part = str.__getitem__(self, found.plain)
            if found.step is ONE:
                # With step 1 a slice is a substring, which solvers know.
                return sym_str(part, T.substr(self.term, found.low, found.high))
            return sym_str(part, T.stride(self.term, found.low, found.high, found.step))
        index = as_index(key)
        if index is None or not in_range(*index, str.__len__(self), length):
            return str.__getitem__(self, core.plain(key))
        return sym_str(str.__getitem__(self, index[0]), T.char_at(self.term, index[1]))

    def __contains__(self, part: Any) -> bool:
        found = text(part)
        if found is None:
            return str.__contains__(self, part)
        return decide(T.contains(self.term, found[1]), str.__contains__(self, found[0]))

    # Joining

    def __add__(self, other: Any) -> Any:
        found = text(other)
        if found is None:
            return str.__add__(self, other)
        return sym_str(str.__add__(self, found[0]), T.concat(self.term, found[1]))

    def __radd__(self, other: Any) -> Any:
        found = text(other)
        if found is None:
            return NotImplemented
        return sym_str(str.__add__(found[0], self), T.concat(found[1], self.term))

    def __mul__(self, times: Any) -> Any:
        found = as_index(times)
        if found is None:
            return plain(self) * times  # Python says what is wrong
        repeated = str.__mul__(self, found[0])
        # A solver may ask for a repetition that fills the memory; the term has the same limit.
        if len(repeated) > MAX_LENGTH:
            path.concretised("long text")
            return repeated
        return sym_str(repeated, T.repeat(self.term, found[1]))

    def __rmul__(self, times: Any) -> Any:
        return NotImplemented if as_index(times) is None else self * times

    def join(self, parts: Iterable[Any]) -> Any:
        try:
            found = list(parts)
        except TypeError:
            return str.join(plain(self), parts)  # says what is wrong
        terms = [text(part) for part in found]
        if None in terms:
            # Raises: C code says which item is no text.
            return str.join(plain(self), found)
        joined = EMPTY
        for number, part in enumerate(terms):
            assert part is not None
            joined = T.concat(T.concat(joined, self.term) if number else joined, part[1])
        return sym_str(str.join(plain(self), [plain(p) for p in found]), joined)

    # Searching

    def startswith(self, prefix: Any, start: Any = None, end: Any = None) -> Any:
        return _affix(self, prefix, start, end, str.startswith, T.starts_with)

    def endswith(self, suffix: Any, start: Any = None, end: Any = None) -> Any:
        return _affix(self, suffix, start, end, str.endswith, T.ends_with)

    def find(self, part: Any, start: Any = None, end: Any = None) -> Any:
        return _searched(self, part, start, end, str.find, lambda s, sub: T.index_of(s, sub, ZERO))

    def index(self, part: Any, start: Any = None, end: Any = None) -> Any:
        if text(part) is None:
            return str.index(self, part, start, end)
        found = self.find(part, start, end)
        if found < 0:
            return str.index("", " ")
        return found

    def rfind(self, part: Any, start: Any = None, end: Any = None) -> Any:
        return _searched(self, part, start, end, str.rfind, T.last_index_of)

    def rindex(self, part: Any, start: Any = None, end: Any = None) -> Any:
        if text(part) is None:
            return str.rindex(self, part, start, end)
        found = self.rfind(part, start, end)
        if found < 0:
            return str.rindex("", " ")
        return found

    def count(self, part: Any, start: Any = None, end: Any = None) -> Any:
        found, window = text(part), window_of(self, start, end)
        if found is None or window is None:
            return str.count(plain(self), core.plain(part), core.plain(start), core.plain(end))
        value = str.count(self, found[0], *window.plain)
        return sym_int(value, T.ite(window.valid, T.count(window.part, found[1]), ZERO))

    # Changing

    def replace(self, old: Any, new: Any, count: Any = -1) -> Any:
        before, after, times = text(old), text(new), as_index(count)
        if before is None or after is None or times is None:
            return str.replace(plain(self), core.plain(old), core.plain(new), core.plain(count))
        value = str.replace(plain(self), before[0], after[0], times[0])
        # Three terms for one method, since solvers have the first two built in.
        if times[1].op == "const" and times[0] < 0:
            return sym_str(value, T.replace(self.term, before[1], after[1]))
        if times[1].op == "const" and times[0] == 1:
            return sym_str(value, _replaced_once(self.term, before[1], after[1]))
        return sym_str(value, T.replace_some(self.term, before[1], after[1], times[1]))

    def strip(self, chars: Any = None) -> Any:
        return _stripped(self, chars, str.strip, T.strip, T.strip_chars)

    def lstrip(self, chars: Any = None) -> Any:
        return _stripped(self, chars, str.lstrip, T.lstrip, T.lstrip_chars)

    def rstrip(self, chars: Any = None) -> Any:
        return _stripped(self, chars, str.rstrip, T.rstrip, T.rstrip_chars)

    def removeprefix(self, prefix: Any) -> Any:
        found = text(prefix)
        if found is None:
            return str.removeprefix(self, prefix)
        # An `ite`, not a decision: the program did not branch here.
        rest = T.substr(self.term, T.length(found[1]), T.length(self.term))
        changed = T.ite(T.starts_with(self.term, found[1]), rest, self.term)
        return sym_str(str.removeprefix(self, found[0]), changed)

    def removesuffix(self, suffix: Any) -> Any:
        found = text(suffix)
        if found is None:
            return str.removesuffix(self, suffix)
        rest = T.substr(self.term, ZERO, T.sub(T.length(self.term), T.length(found[1])))
        return sym_str(str.removesuffix(self, found[0]), T.ite(T.ends_with(self.term, found[1]), rest, self.term))

    def ljust(self, width: Any, fill: Any = " ") -> Any:
        return _padded(self, width, fill, str.ljust, lambda pad, width: ZERO)

    def rjust(self, width: Any, fill: Any = " ") -> Any:
        return _padded(self, width, fill, str.rjust, lambda pad, width: pad)

    def center(self, width: Any, fill: Any = " ") -> Any:
        two = const(2)
        return _padded(
            self,
            width,
            fill,
            str.center,
            # CPython's rule for an odd number of blanks: `pad // 2 + (pad & width & 1)` to the left.
            lambda pad, width: T.add(T.floordiv(pad, two), T.mul(T.mod(pad, two), T.mod(width, two))),
        )

    def zfill(self, width: Any) -> Any:
        found = as_index(width)
        if found is None:
            return str.zfill(self, width)
        length = T.length(self.term)
        zeros = T.repeat(const("0"), T.max_(T.sub(found[1], length), ZERO))
        # The zeros go behind a sign.
        signed = T.or_(T.starts_with(self.term, const("+")), T.starts_with(self.term, const("-")))
        one = const(1)
        after_sign = T.concat(T.substr(self.term, ZERO, one), T.concat(zeros, T.substr(self.term, one, length)))
        return sym_str(str.zfill(self, found[0]), T.ite(signed, after_sign, T.concat(zeros, self.term)))


def plain(value: Any) -> Any:
    """The text as an exact str; other values as they are."""
    return str.__str__(value) if type(value) is SymStr else value


@core.checked
def sym_str(value: str, term: Term) -> Any:
    """The concolic str, or the plain one if the term says nothing."""
    if term.op == "const":
        return value
    made = _new(SymStr, value)
    made.term = term
    return made


def text(value: Any) -> tuple[str, Term] | None:
    """A text as its plain value and term; None for what is no str."""
    if type(value) is SymStr:
        return str.__str__(value), value.term
    if isinstance(value, str):
        exact = str.__str__(value) if type(value) is not str else value
        return exact, const(exact)
    return None


def _affix(
    self: SymStr,
    affix: Any,
    start: Any,
    end: Any,
    concrete: Callable[..., bool],
    build: Callable[[Term, Term], Term],
) -> Any:
    affixes = affix if isinstance(affix, tuple) else (affix,)
    found = [text(a) for a in affixes]
    window = window_of(self, start, end)
    if None in found or window is None:
        return concrete(self, affix, start, end)
    plains = tuple(f[0] for f in found if f is not None)
    hits = T.or_(T.FALSE, *(build(window.part, f[1]) for f in found if f is not None))
    return sym_bool(concrete(plain(self), plains, *window.plain), T.and_(window.valid, hits))


class Window(NamedTuple):
    """The part of a text that a search with bounds looks at."""

    plain: tuple[Any, Any]
    part: Term
    low: Term
    # `"abc".find("", 4)` is -1, though the empty text is at the end of every part.
    valid: Term  # the bounds are in order: otherwise not even the empty text is found


def window_of(self: SymStr, start: Any, end: Any) -> Window | None:
    """The window of a search, or None for bounds that Python refuses."""
    low, high = as_index(0 if start is None else start), None if end is None else as_index(end)
    if low is None or (end is not None and high is None):
        return None
    length = T.length(self.term)
    if low[1] is ZERO and high is None:
        return Window((None, None), self.term, ZERO, T.TRUE)
    first = _position(low[1], length)
    if high is None:
        part = T.substr(self.term, first, length)
        return Window((low[0], None), part, first, T.le(first, length))
    last = T.min_(_position(high[1], length), length)
    return Window((low[0], high[0]), T.substr(self.term, first, last), first, T.le(first, last))


def _position(bound: Term, length: Term) -> Term:
    """A bound counted from the end as one counted from the start."""
    if bound.op == "const":
        return bound if bound.value >= 0 else T.max_(T.add(length, bound), ZERO)
    return T.ite(T.lt(bound, ZERO), T.max_(T.add(length, bound), ZERO), bound)


def _searched(
    self: SymStr,
    part: Any,
    start: Any,
    end: Any,
    concrete: Callable[..., int],
    build: Callable[[Term, Term], Term],
) -> Any:
    found, window = text(part), window_of(self, start, end)
    if found is None or window is None:
        return concrete(self, part, start, end)
    value = concrete(plain(self), found[0], *window.plain)
    # Without an upper bound, a search from a place on is one term.
    if window.plain[1] is None and concrete is str.find:
        return sym_int(value, T.index_of(self.term, found[1], window.low))
    place = build(window.part, found[1])
    if window.low is ZERO and window.valid is T.TRUE:
        return sym_int(value, place)
    hit = T.and_(window.valid, T.ge(place, ZERO))
    return sym_int(value, T.ite(hit, T.add(place, window.low), MINUS_ONE))


def _replaced_once(s: Term, old: Term, new: Term) -> Term:
    place = T.index_of(s, old, ZERO)
    rest = T.substr(s, T.add(place, T.length(old)), T.length(s))
    changed = T.concat(T.concat(T.substr(s, ZERO, place), new), rest)
    return T.ite(T.ge(place, ZERO), changed, s)


def _stripped(
    self: SymStr,
    chars: Any,
    concrete: Callable[..., str],
    build: Callable[[Term], Term],
    of: Callable[[Term, Term], Term],
) -> Any:
    if chars is None:
        return sym_str(concrete(self), build(self.term))
    found = text(chars)
    if found is None:
        return concrete(self, chars)
    return sym_str(concrete(plain(self), found[0]), of(self.term, found[1]))


def _padded(
    self: SymStr, width: Any, fill: Any, concrete: Callable[..., str], left_of: Callable[[Term, Term], Term]
) -> Any:
    found, filler = as_index(width), text(fill)
    if found is None or filler is None or len(filler[0]) != 1 or found[0] > MAX_LENGTH:
        return concrete(plain(self), core.plain(width), core.plain(fill))
    # It has one character here; an input with another number of them would raise TypeError.
    if filler[1].op != "const":
        decide(T.eq(T.length(filler[1]), const(1)), True)
    pad = T.max_(T.sub(found[1], T.length(self.term)), ZERO)
    left = left_of(pad, found[1])
    before, after = T.repeat(filler[1], left), T.repeat(filler[1], T.sub(pad, left))
    return sym_str(concrete(plain(self), found[0], filler[0]), T.concat(T.concat(before, self.term), after))


def _mapped(name: str, build: Callable[[Term], Term]) -> None:
    """Defines a method without arguments that gives a text."""
    concrete: Callable[[str], str] = getattr(str, name)

    def method(self: SymStr) -> Any:
        return sym_str(concrete(self), build(self.term))

    setattr(SymStr, name, method)


def _asked(name: str, build: Callable[[Term], Term]) -> None:
    """Defines a method without arguments that gives a truth value."""
    concrete: Callable[[str], bool] = getattr(str, name)

    def method(self: SymStr) -> Any:
        return sym_bool(concrete(self), build(self.term))

    setattr(SymStr, name, method)


def _comparison(name: str, build: Callable[[Term, Term], Term]) -> None:
    concrete: Callable[[str, Any], Any] = getattr(str, f"__{name}__")

    def method(self: SymStr, other: Any) -> Any:
        found = text(other)
        if found is None:
            return NotImplemented
        return sym_bool(concrete(self, found[0]), build(self.term, found[1]))

    setattr(SymStr, f"__{name}__", method)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name, getattr(T, _name))
for _name in ("lower", "upper", "title", "capitalize", "swapcase"):
    _mapped(_name, getattr(T, _name))
for _name in (
    "alnum", "alpha", "ascii", "decimal", "digit", "identifier",
    "lower", "numeric", "printable", "space", "title", "upper",
):  # fmt: skip
    _asked(f"is{_name}", getattr(T, f"is_{_name}"))

_mapped("casefold", T.casefold)

core.FACTORIES[STR] = sym_str
core.TERM_OF[SymStr] = operator.attrgetter("term")
core.PLAIN[SymStr] = plain
core.stands_for(SymStr, str)
