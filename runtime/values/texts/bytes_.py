"""SymBytes: bytes as the text of the same code points (latin-1), so that the models of SymStr serve both.

Where the two types differ (letters and blanks beyond ASCII, what an element is, messages) the method is
written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import as_index
from ramify.runtime.values.method import concrete_methods
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import SymInt, sym_int
from ramify.runtime.values.texts.text import SymStr, sym_str
from ramify.runtime.values.texts.text import plain as plain_text

_new: Callable[[type, bytes], Any] = bytes.__new__
MAX_HEX = 64  # bytes whose digits have a term
# Of bytes; a text also counts \x1c to \x1f, \x85, \xa0 and others.
BLANKS = " \t\n\r\x0b\x0c"


class SymBytes(bytes):
    """Concolic bytes. The term lives in `__dict__`, since bytes allow no slots."""

    term: Term

    def __bool__(self) -> bool:
        return bool(as_text(self))

    def __hash__(self) -> int:
        path.hashed()
        return bytes.__hash__(self)

    def __copy__(self) -> SymBytes:
        return self

    def __deepcopy__(self, memo: Any) -> SymBytes:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return sym_bytes, (plain(self), self.term)

    def __iter__(self) -> Iterator[Any]:
        for character in as_text(self):
            yield _code(character)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return as_bytes(as_text(self)[key])
        index = as_index(key)
        if index is None or not _inside(self, key):
            return bytes.__getitem__(plain(self), core.plain(key))
        return _code(as_text(self)[key])

    def __contains__(self, part: Any) -> bool:
        if type(part) is SymInt:
            decide(T.and_(T.le(const(0), part.term), T.lt(part.term, const(256))), 0 <= core.plain(part) < 256)
        # Other numbers raise ValueError, which is left to Python below.
        if isinstance(part, int) and 0 <= part < 256:
            return any(code == part for code in self)
        return as_text(part) in as_text(self) if is_bytes(part) else part in plain(self)

    def __add__(self, other: Any) -> Any:
        if not is_bytes(other):
            return bytes.__add__(plain(self), other)
        return as_bytes(as_text(self) + as_text(other))

    def __radd__(self, other: Any) -> Any:
        # `__radd__` of a subclass is asked before the left side's own `+=`.
        if type(other) is not bytes:
            return NotImplemented  # a bytearray's `+=` must stay in place
        return as_bytes(as_text(other) + as_text(self))

    def __mul__(self, times: Any) -> Any:
        if as_index(times) is None:
            return plain(self) * times  # Python says what is wrong
        return as_bytes(as_text(self) * times)

    def __rmul__(self, times: Any) -> Any:
        return NotImplemented if as_index(times) is None else self * times

    def index(self, *args: Any) -> Any:
        found = self.find(*args)
        return found if found >= 0 else bytes.index(b"", b" ")

    def rindex(self, *args: Any) -> Any:
        found = self.rfind(*args)
        return found if found >= 0 else bytes.rindex(b"", b" ")

    def join(self, parts: Any) -> Any:
        try:
            found = list(parts)
        except TypeError:
            return bytes.join(plain(self), parts)  # says what is wrong
        if not all(map(is_bytes, found)):
            path.concretised("bytes.join")
            return bytes.join(plain(self), map(core.plain, found))
        return as_bytes(_as_receiver(self).join([as_text(part) for part in found]))

    def hex(self, *args: Any, **keywords: Any) -> Any:
        written = None if args or keywords else hex_digits(self)
        if written is None:
            path.concretised("bytes.hex")
            return bytes.hex(plain(self), *args, **keywords)
        return sym_str(bytes.hex(plain(self)), written)

    def isspace(self) -> Any:
        stripped = T.strip_chars(self.term, const(BLANKS))
        blank = T.and_(T.ne(T.length(self.term), const(0)), T.eq(T.length(stripped), const(0)))
        return sym_bool(bytes.isspace(plain(self)), blank)

    def decode(self, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
        name = str(core.plain(encoding)).lower().replace("_", "-")
        text = as_text(self)
        # Latin-1 is how bytes are modelled: the text is the term itself.
        if name in ("latin-1", "iso-8859-1", "latin1"):
            return text
        # For these encodings, bytes below 128 are the characters of the same numbers. Others may raise, or be
        # several bytes of one character.
        ascii_only = name in ("utf-8", "utf8", "ascii", "us-ascii")
        if ascii_only and decide(T.is_ascii(self.term), plain_text(text).isascii()):
            return text
        path.concretised("bytes.decode")
        return bytes.decode(plain(self), core.plain(encoding), core.plain(errors))


def is_bytes(value: Any) -> bool:
    return type(value) in (bytes, SymBytes)


def plain(value: Any) -> Any:
    # A whole slice of a subclass is an exact copy.
    return bytes.__getitem__(value, slice(None)) + b"" if type(value) is SymBytes else value


def decided_length(data: SymBytes) -> int:
    """The length of bytes of which every one is needed, asked the same way on every run."""
    held, size = len(plain(data)), T.length(data.term)
    for position in range(held + 1):
        decide(T.lt(const(position), size), position < held)
    return held


def hex_digits(data: SymBytes) -> Term | None:
    """The text of two digits for every byte, if they are not too many."""
    if len(plain(data)) > MAX_HEX:
        return None
    written = const("")
    for place in range(decided_length(data)):
        code = T.ord_(T.char_at(data.term, const(place)))
        for digit in (T.floordiv(code, const(16)), T.mod(code, const(16))):
            first = T.ite(T.lt(digit, const(10)), const(ord("0")), const(ord("a") - 10))
            written = T.concat(written, T.chr_(T.add(first, digit)))
    return written


def as_text(value: Any) -> Any:
    """The text of the same code points."""
    if type(value) is SymBytes:
        return sym_str(bytes.decode(value, "latin-1"), value.term)
    return bytes.decode(value, "latin-1")


def _as_receiver(value: SymBytes) -> SymStr:
    """The same text with a term even if that is constant: the methods of a plain text would not see those of
    their arguments.
    """
    # Past the factory, which gives a plain text for a constant term.
    made: SymStr = str.__new__(SymStr, bytes.decode(value, "latin-1"))
    made.term = value.term
    return made


def sym_bytes(value: bytes, term: Term) -> Any:
    """The concolic bytes whose code points, as a text, have that term."""
    if path.CHECK_TERMS:
        path.check(term, bytes.decode(value, "latin-1"))
    if term.op == "const":
        return value
    made = _new(SymBytes, value)
    made.term = term
    return made


core.MAKERS[bytes] = sym_bytes


def as_bytes(value: Any) -> Any:
    """What a method of the text gave, as a method of bytes gives it."""
    if type(value) is SymStr:
        return sym_bytes(plain_text(value).encode("latin-1"), value.term)
    if type(value) is str:
        return value.encode("latin-1")
    if type(value) in (list, tuple):
        return type(value)(as_bytes(v) for v in value)
    return value


def _code(character: Any) -> Any:
    if type(character) is SymStr:
        return sym_int(ord(plain_text(character)), T.ord_(character.term))
    return ord(character)


def _inside(self: SymBytes, key: Any) -> bool:
    try:
        as_text(self)[key]
    except IndexError:
        return False
    return True


def _through_text(name: str) -> None:
    """Defines a method as that of the text, for arguments that are bytes or numbers."""
    concrete: Callable[..., Any] = getattr(bytes, name)
    several = name in ("startswith", "endswith")

    def method(self: SymBytes, *args: Any, **keywords: Any) -> Any:
        if several and args and type(args[0]) is tuple and all(map(is_bytes, args[0])):
            args = (tuple(map(as_text, args[0])), *args[1:])
        elif keywords or not all(is_bytes(a) or isinstance(a, int) or a is None for a in args):
            path.concretised(f"bytes.{name}")
            return concrete(plain(self), *map(core.plain, args), **keywords)
        # `b"abc".find(97)` looks for a byte, a text has no such thing.
        if args and isinstance(args[0], int):
            path.concretised(f"bytes.{name}")
            return concrete(plain(self), *map(core.plain, args))
        if not args and name in ("strip", "lstrip", "rstrip"):
            # Said explicitly: the text's own default would strip more.
            args = (BLANKS.encode(),)
        if not args and name in ("split", "rsplit"):
            path.concretised(f"bytes.{name}")
            return concrete(plain(self))
        return as_bytes(getattr(_as_receiver(self), name)(*(as_text(a) if is_bytes(a) else a for a in args)))

    setattr(SymBytes, name, method)


def _ascii_only(name: str) -> None:
    """Defines a method that bytes define for ASCII: the text's own if all is ASCII, which is a decision."""
    concrete: Callable[..., Any] = getattr(bytes, name)

    def method(self: SymBytes) -> Any:
        text = as_text(self)
        if decide(T.is_ascii(self.term), plain_text(text).isascii()):
            return as_bytes(getattr(text, name)())
        path.concretised(f"bytes.{name}")
        return concrete(plain(self))

    setattr(SymBytes, name, method)


def _comparison(name: str, build: Callable[[Term, Term], Term]) -> None:
    concrete: Callable[[bytes, Any], Any] = getattr(bytes, f"__{name}__")

    def method(self: SymBytes, other: Any) -> Any:
        if not is_bytes(other):
            return NotImplemented
        term = other.term if type(other) is SymBytes else const(as_text(other))
        return sym_bool(concrete(plain(self), plain(other)), build(self.term, term))

    setattr(SymBytes, f"__{name}__", method)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name, getattr(T, _name))
for _name in (
    "find", "rfind", "count", "startswith", "endswith", "replace", "split", "rsplit", "partition", "rpartition",
    "strip", "lstrip", "rstrip", "removeprefix", "removesuffix",
):  # fmt: skip
    _through_text(_name)
for _name in ("lower", "upper", "isalpha", "isalnum", "isdigit", "islower", "isupper", "isascii", "swapcase"):
    _ascii_only(_name)
concrete_methods(
    SymBytes, bytes, "capitalize", "center", "expandtabs", "istitle", "ljust", "rjust",
    "splitlines", "title", "translate", "zfill", "__mod__", "__rmod__", "__repr__", "__str__",
)  # fmt: skip

core.PLAIN[SymBytes] = plain
core.stands_for(SymBytes, bytes)
