"""The names of input variables: what each stands for, by field, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any


class InputKind(Enum):
    """What a variable says of its owner."""

    ARGUMENT = "argument"  # the value of a parameter or a global itself: without an owner
    PART = "part"  # the value of an attribute, or of an argument of what makes the owner
    ITEM = "item"  # the value at a position of a sequence
    ENTRY = "entry"  # the value of a known key of a dict
    KEY = "key"  # the key of a dict, or the element of a set, at a position
    VALUE = "value"  # the value of a dict at a position
    CALLS = "calls"  # the methods called on an object before it is handed over
    LENGTH = "length"
    CHOICE = "choice"  # which of several alternatives
    PRESENCE = "presence"  # whether a dict has a key
    OMISSION = "omission"  # whether an argument is left out
    IDENTITY = "identity"  # whether it is the same object as another argument
    NOTE = "note"  # what was written down of the calls of a function


_TEXTS: dict[InputKind, Callable[[str, Any], str]] = {
    InputKind.PART: lambda owner, place: f"{owner}.{place}",
    InputKind.ITEM: lambda owner, place: f"{owner}[{'' if place is None else place}]",
    InputKind.ENTRY: lambda owner, place: f"{owner}[{place!r}]",
    InputKind.KEY: lambda owner, place: f"list({owner})[{place}]",
    InputKind.VALUE: lambda owner, place: f"list({owner}.values())[{place}]",
    InputKind.CALLS: lambda owner, place: f"calls({owner})",
    InputKind.LENGTH: lambda owner, place: f"len({owner})",
    InputKind.CHOICE: lambda owner, place: f"choice({owner})",
    InputKind.PRESENCE: lambda owner, place: f"{place!r} in {owner}",
    InputKind.OMISSION: lambda owner, place: f"omitted({owner})",
    InputKind.IDENTITY: lambda owner, place: f"{owner} is {place}",
    InputKind.NOTE: lambda owner, place: f"{owner}.{place}",
}


class InputName(str):
    """The name of an input variable; as a text it is what people are shown.

    A text, so that it hashes and compares in C and an Assignment may be written with plain texts for keys. One
    object per name and process, so that looking one up in an Assignment ends at its identity.
    """

    __slots__ = ("_made", "kind", "owner", "place")

    kind: InputKind
    owner: InputName | None
    place: Any  # a position, a key, or a label
    _made: dict[tuple[InputKind, Any], InputName]

    def of(self, kind: InputKind, place: Any = None) -> InputName:
        """The name of something about this input."""
        found = self._made.get((kind, place))
        if found is None:
            found = self._made[kind, place] = _named(_TEXTS[kind](self, place), kind, self, place)
        return found

    @property
    def root(self) -> InputName:
        """The argument or global that it belongs to."""
        name = self
        while name.owner is not None:
            name = name.owner
        return name

    def part(self, label: str) -> InputName:
        return self.of(InputKind.PART, label)

    def item(self, position: int | None) -> InputName:
        """Of the element at a position, or of any."""
        return self.of(InputKind.ITEM, position)

    def entry(self, key: Any) -> InputName:
        return self.of(InputKind.ENTRY, key)

    def key(self, position: int) -> InputName:
        return self.of(InputKind.KEY, position)

    def value(self, position: int) -> InputName:
        return self.of(InputKind.VALUE, position)

    def presence(self, key: Any) -> InputName:
        return self.of(InputKind.PRESENCE, key)

    def note(self, label: str) -> InputName:
        return self.of(InputKind.NOTE, label)

    @property
    def length(self) -> InputName:
        return self.of(InputKind.LENGTH)

    @property
    def choice(self) -> InputName:
        return self.of(InputKind.CHOICE)

    @property
    def omission(self) -> InputName:
        return self.of(InputKind.OMISSION)

    def __reduce__(self) -> tuple[Callable[..., InputName], tuple[Any, ...]]:
        if self.owner is None:
            return argument, (str(self),)
        return _part_of, (self.owner, self.kind.value, self.place)


def _named(text: str, kind: InputKind, owner: InputName | None, place: Any) -> InputName:
    name = InputName(text)
    name.kind, name.owner, name.place, name._made = kind, owner, place, {}
    return name


def _part_of(owner: InputName, kind: str, place: Any) -> InputName:
    return owner.of(InputKind(kind), place)


@cache
def argument(text: str) -> InputName:
    """The name of a parameter, a global, or whatever else is an input by itself."""
    return _named(text, InputKind.ARGUMENT, None, None)


def named(name: str) -> InputName:
    """The same name with its fields. Who writes an Assignment by hand, in plain texts, names arguments."""
    return name if isinstance(name, InputName) else argument(name)


def kind_of(name: str) -> InputKind:
    """What a key of an Assignment stands for."""
    return named(name).kind
