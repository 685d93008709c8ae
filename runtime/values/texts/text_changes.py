"""The methods of SymStr that give a text or bytes character by character: encoding, tabs, translation tables."""

from __future__ import annotations

from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import STR, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import as_index
from ramify.runtime.values.texts.text import SymStr, plain, sym_str

ASCII_COMPATIBLE = ("utf-8", "utf8", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "cp1252")


def encode(self: SymStr, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
    value = plain(self)
    name = str(core.plain(encoding)).lower().replace("_", "-")
    # Beyond ASCII the number of bytes for one character depends on the encoding.
    if name in ASCII_COMPATIBLE and decide(T.is_ascii(self.term), value.isascii()):
        return core.wrap_bytes(value.encode("ascii"), self.term)
    path.concretised("str.encode")
    return str.encode(value, core.plain(encoding), core.plain(errors))


def expandtabs(self: SymStr, tabsize: Any = 8) -> Any:
    size = as_index(tabsize)
    value = str.expandtabs(plain(self), core.plain(tabsize))
    # The concrete call stands first: what it refuses, it refuses in Python's words.
    if size is None or len(value) > 10_000:
        path.concretised("str.expandtabs")
        return value
    return sym_str(value, T.expandtabs(self.term, size[1]))


def translate(self: SymStr, table: Any) -> Any:
    value = str.translate(plain(self), table)
    entries = _entries(table) if type(table) is dict else None
    if entries is None:
        path.concretised("str.translate")
        return value
    keys, replacements = entries
    return sym_str(value, T.translate(self.term, const(keys, T.seq_of(STR)), const(replacements, T.seq_of(STR))))


def _entries(table: dict[Any, Any]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """A translation table as characters and their replacements, if it has no concolic part."""
    keys, replacements = [], []
    for key, replacement in table.items():
        # `str.translate` looks up code points; other keys are never found, but may be concolic.
        if type(key) is not int or not 0 <= key <= 0x10FFFF:
            return None
        if type(replacement) is int:
            replacement = chr(replacement)
        if replacement is not None and type(replacement) is not str:
            return None
        keys.append(chr(key))
        # None deletes the character, as does the empty text.
        replacements.append(replacement or "")
    return tuple(keys), tuple(replacements)


for _method in (encode, expandtabs, translate):
    setattr(SymStr, _method.__name__, _method)
