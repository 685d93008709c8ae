"""What all shapes share: the Maker that knows a run's inputs, and how much may be built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from ramify.runtime.recording import Cut, Phase, Why, path, sites
from ramify.runtime.terms import BOOL, INT, Assignment, InputName, Sort, Term, const, var
from ramify.runtime.terms import language as T
from ramify.runtime.values import core

MAX_TEXT = 5000
MAX_ENTRIES = 64
MAX_ITEMS = 16
MAX_DEPTH = 3


@dataclass(slots=True)
class Maker:
    """What building and writing down inputs needs to know.

    The assignment is completed with defaults as variables are met. `plain` builds exactly the values that
    anybody would write down: no concolic part, nothing recorded.
    """

    assignment: Assignment
    resolve: Callable[[type], type] = field(default=lambda cls: cls)
    arrays: bool = True
    max_size: int = MAX_TEXT  # of a text, or of a list with one sequence variable
    max_depth: int = MAX_DEPTH  # of objects inside objects
    max_entries: int = MAX_ENTRIES  # of a dict, a set, or a list kept as cells
    max_items: int = MAX_ITEMS  # of a container whose elements take decisions to build
    draw: Callable[[InputName, Sort, Any], Any] | None = None  # gives the values that the assignment does not have
    plain: bool = False
    alternatives: bool = True  # also omitted defaults, shared objects, and types that only the body speaks of
    calls: int = 0  # of public methods before an object is handed over
    home: str = ""  # the module whose names need no prefix
    outside: list[InputName] = field(default_factory=list)  # inputs that are not of their declared type
    setup: list[str] = field(default_factory=list)  # statements that a text needs before it
    imports: set[str] = field(default_factory=set)  # modules that a text names

    def value(self, name: InputName, sort: Sort, default: Any) -> Any:
        """The value of a variable; if the assignment has none, or one of another sort, the default."""
        value = self.assignment.get(name)
        # Another alternative of a union may have used the name for a value of its own.
        if value is None or not fits(value, sort):
            value = self.assignment[name] = default if self.draw is None else self.draw(name, sort, default)
        return value

    def size(self, name: InputName, length: int) -> int:
        # Refused rather than built: a solver may ask for a text of a gigabyte.
        if length > self.max_size:
            raise Cut(Why.SIZE, f"{name} would have {length} elements")
        return length

    def wrap(self, value: Any, term: Term) -> Any:
        return value if self.plain else core.wrap(value, term)

    def fact(self, term: Term) -> None:
        if not self.plain:
            path.fact(term)

    def choose(self, name: InputName, term: Term, outcome: bool, number: int = 0) -> bool:
        """Decides something about an input: a choice of the search, no branch of the target."""
        if not self.plain:
            with building():
                # A site of its own for every input and alternative: no line of the program chooses.
                path.decide(term, outcome, sites.known.of_choice(name, number))
        return outcome

    def flag(self, name: InputName, default: bool) -> bool:
        """A yes or no of that name, decided now."""
        return self.choose(name, var(name, BOOL), bool(self.value(name, BOOL, default)))

    def pick(self, name: InputName, count: int) -> int:
        """A number below `count`, decided now, 0 first."""
        chosen = self.picked(name, count)
        variable = var(name, INT)
        self.fact(T.le(const(0), variable))
        self.fact(T.lt(variable, const(count)))
        # Asked one by one, so that each alternative is a flip of its own; the last one is what remains.
        for number in range(count - 1):
            if self.choose(name, T.eq(variable, const(number)), number == chosen, number):
                break
        return chosen

    def picked(self, name: InputName, count: int) -> int:
        """The same number, already decided or for a text."""
        value = self.value(name, INT, 0)
        if not 0 <= value < count:
            # Kept in the assignment: it must say what was built.
            value = self.assignment[name] = value % count
        return int(value)

    def module(self, name: str) -> str:
        """A module as a text names it."""
        self.imports.add(name)
        return name

    def named(self, thing: Any) -> str:
        """A class as a text names it: bare if it is the target's own or a builtin, else with its module."""
        own = defined(thing)
        name: str = own.__qualname__
        if "<locals>" in name:
            return name.rpartition(".")[2]
        if own.__module__ in ("builtins", self.home):
            return name
        return f"{self.module(own.__module__)}.{name}"


def defined(thing: Any) -> Any:
    """The class as its module wrote it: the package deal puts one of its own in place of one with an invariant."""
    bases = getattr(thing, "__mro__", (thing,))
    return next((base for base in bases if base.__module__.partition(".")[0] != "deal"), thing)


class Shape(Protocol):
    """The type of an input."""

    @property
    def kind(self) -> type:
        """The Python type of what is built; `object` if that depends."""

    @property
    def decides(self) -> bool:
        """Whether building one may take decisions, so that how many are built must be decided first."""

    def build(self, name: InputName, make: Maker, level: int) -> Any:
        """The value of the input of that name; `level` counts the objects that it is inside of."""

    def text(self, name: InputName, make: Maker, level: int) -> str:
        """The same value as a Python expression, which needs `make.setup` and `make.imports`."""


_INTEGERS = {int}


def fits(value: Any, sort: Sort) -> bool:
    """Whether a value can be read as one of that sort (an alternative of another type may have used the
    name).
    """
    if sort.element is not None:
        element = sort.element
        if element is INT and type(value) in (list, tuple) and set(map(type, value)) == _INTEGERS:
            return True  # most lists: not worth a call for each element
        return isinstance(value, (list, tuple)) and all(fits(v, element) for v in value)
    return T.sort_of(value) is sort


@contextmanager
def building() -> Iterator[None]:
    """What is decided in between chooses an input; it is no branch of the target."""
    run = path.active()
    if run is None:
        yield
        return
    before, run.phase = run.phase, Phase.BUILD
    try:
        yield
    finally:
        run.phase = before


@contextmanager
def assumed() -> Iterator[None]:
    """What is decided in between says whether an input is one: only worth reversing when it is not."""
    run = path.active()
    if run is None:
        yield
        return
    before, run.phase = run.phase, Phase.ASSUMED
    try:
        yield
    finally:
        run.phase = before


def length_of(name: InputName, make: Maker, most: int) -> int:
    """The length of a container kept as cells, as the assignment says."""
    length = int(make.value(name.length, INT, 0))
    if not 0 <= length <= most:
        length = make.assignment[name.length] = min(max(length, 0), most)
    return length


def counted(name: InputName, make: Maker, most: int, settled: bool) -> tuple[int, Term]:
    """The length variable of a container kept as cells; `settled`: its value is decided now, and the length a
    constant.
    """
    variable = var(name.length, INT)
    length = length_of(name, make, most)
    make.fact(T.le(const(0), variable))
    make.fact(T.le(variable, const(most)))
    if not settled:
        return length, variable
    # The questions that going through a list of symbolic length would ask.
    for position in range(min(length + 1, most)):
        make.choose(name.length, T.lt(const(position), variable), position < length, position)
    return length, const(length)
