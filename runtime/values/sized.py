"""The length of any concolic container or text, as a term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ramify.runtime.terms import Term
from ramify.runtime.terms import language as T
from ramify.runtime.values.dict_ import Items, Keys, SymDict, Values
from ramify.runtime.values.list_ import SymList
from ramify.runtime.values.range_ import SymRange
from ramify.runtime.values.set_ import SymSet
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr

SIZES: dict[type, Callable[[Any], Term]] = {
    SymStr: lambda text: T.length(text.term),
    SymBytes: lambda data: T.length(data.term),
    SymList: lambda values: values.size,
    SymDict: lambda entries: entries.size,
    SymSet: lambda values: values.size,
    Keys: lambda view: view._mapping.size,
    Values: lambda view: view._mapping.size,
    Items: lambda view: view._mapping.size,
    SymRange: lambda r: r.size(),
}


def size_term(value: Any) -> Term | None:
    """The length as a term, or None for what has a concrete length or none."""
    find = SIZES.get(type(value))
    return find(value) if find is not None else None
