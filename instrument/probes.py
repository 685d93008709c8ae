"""The recorders behind the probes: what instrumented code calls while it runs.

Every instrumented file has four names in `builtins`, made of its `key`, so that its own `globals()` stay
untouched and monkeypatched builtins stay visible:

- a list with one cell per probe: `hits[5] = 1` is the cheapest store there is, for probes that are statements;
- the `add` method of a set, for probes inside expressions: it returns None, so `add(5) or value` is `value`;
- `enter`, at the top of every function: it counts entries and removes the probes that are spent;
- the `Tools` of the file, for what needs more than a store.

Nothing here may raise, call code of the program, or appear in its tracebacks.
"""

from __future__ import annotations

import builtins
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CodeType, FunctionType, TracebackType
from typing import Any, Protocol, TypeVar
from weakref import ref

from ramify.instrument.instrumented import Instrumented
from ramify.instrument.names import Names
from ramify.instrument.thin import find, without

# Bound here: a program may replace the one in `sys`.
_getframe = sys._getframe

_Add = Callable[[int], None]
_T = TypeVar("_T")


# Spent probes are removed when a function is entered for the n-th time; the last time, so is the counter.
_THIN_AT = (2, 16, 128)


class _Recorders:
    """All that is recorded of one file."""

    def __init__(self, module: Instrumented, filename: str) -> None:
        self.names = Names.of(module.key)
        self.filename = filename
        self.digest = module.digest
        self.module = module
        # A store into a list costs half of one into a set or bytearray.
        self.hits = [0] * module.probes
        self.added: set[int] = set()
        self.add = self.added.add  # one object: `pick` knows its own marker by identity
        functions = _Functions(self)
        self.tools = Tools(self, functions)
        setattr(builtins, self.names.hits, self.hits)
        setattr(builtins, self.names.add, self.add)
        setattr(builtins, self.names.enter, functions.enter)
        setattr(builtins, self.names.tools, self.tools)

    def is_hit(self, probe: int) -> bool:
        return probe in self.added or self.hits[probe] == 1

    def is_spent(self, entry: int) -> bool:
        """Whether all probes of a function are hit."""
        edge, last_edge, statement, last_statement = self.module.spans[entry]
        return all(map(self.is_hit, range(statement, last_statement))) and all(
            map(self.is_hit, range(edge, last_edge))
        )


# By key of the file, for the life of the process: rewritten code finds its recorders in the
# builtins, of which there is one as well.
_active: dict[str, _Recorders] = {}


def activate(module: Instrumented, filename: str) -> None:
    """Put a file's recorders where its probes find them; call it before the code runs, as often as you like."""
    # A reloaded module goes on with the recorders, and the hits, it had.
    if module.key not in _active and not module.declined:
        _active[module.key] = _Recorders(module, filename)


def measured() -> dict[tuple[str, str], set[int]]:
    """What this process has hit so far: the numbers of the probes, by file and digest of its source.

    A file that was edited and reloaded has several versions.
    """
    return {
        (file.filename, file.digest): {probe for probe, hit in enumerate(file.hits) if hit} | file.added
        for file in list(_active.values())
    }


def reset() -> None:
    """Forget all hits and put removed probes back; functions that are running now keep the code they have."""
    for file in list(_active.values()):
        file.hits[:] = [0] * len(file.hits)
        file.added.clear()
        for function in file.tools.functions.values():
            function.restore()


class Marks(Protocol):
    """Where the tools of a file leave their marks."""

    add: _Add


class Tools:
    """The parts of a probe that are more than one store."""

    __slots__ = (
        "_add", "_links", "chain", "completions", "ends", "functions", "given", "guards", "iter", "one",
        "strict_guards",
    )  # fmt: skip

    def __init__(self, file: Marks, functions: Any) -> None:
        self._add = add = file.add
        self._links: dict[tuple[int, int], int] = {}
        self.functions = functions
        self.guards = _Made(_Guard, add)
        self.strict_guards = _Made(partial(_Guard, strict=True), add)
        self.completions = _Made(_Completion, add)
        self.ends = _Made(_AtEnd, add)
        self.chain = itertools.chain
        self.iter = iter
        self.given = _Given
        self.one = (1,)

    def pick(self, stopped: int, value: Any) -> Any:
        """The value of `value and (add(n), add, rest)`: `rest` if it was reached, else what stopped there.

        The truth of `value` was tested once, by the `and` or `or` itself.
        """
        # `type`, not `isinstance`, and identity: no code of the program is asked.
        if type(value) is tuple and len(value) == 3 and value[1] is self._add:
            return value[2]
        self._add(stopped)
        return value

    # In `low <= f() < high` the operand in the middle must be evaluated once, so the chain stays one
    # expression, and its operands tell how far it has come. A frame evaluates one chain at a time; the
    # state is the `true` edge of the link in question, and edges of a chain are numbered in a row.

    def started(self, chain: int) -> None:
        # An entry may stay behind if an operand raises; the next chain in a frame of that id begins anew.
        self._links[id(_getframe(1)), chain] = chain

    def went_on(self, chain: int) -> None:
        key = id(_getframe(1)), chain
        link = self._links[key]
        self._links[key] = link + 2
        self._add(link)

    def ended(self, chain: int, last: int) -> None:
        link = self._links.pop((id(_getframe(1)), chain))
        if link <= last:
            self._add(link + 1)

    def ended_with(self, chain: int, last: int, value: Any) -> Any:
        link = self._links.pop((id(_getframe(1)), chain))
        if link <= last:
            self._add(link + 1)
        return value


class _Functions(dict[int, "_FunctionProbes"]):
    """The functions of a file, by the number of their entry probe."""

    def __init__(self, file: _Recorders) -> None:
        self._file = file

    def __missing__(self, probe: int) -> _FunctionProbes:
        function = self[probe] = _FunctionProbes(self._file, probe)
        return function

    def enter(self, probe: int) -> None:
        """The probe at the top of a function."""
        self._file.added.add(probe)
        function = self[probe]
        function.entries += 1
        if function.entries in _THIN_AT:
            function.thin()


class _FunctionProbes:
    """The function objects that one `def` has made, and the code they should have by now."""

    __slots__ = ("_current", "_file", "_made", "_original", "_probe", "_thinned", "entries")

    def __init__(self, file: _Recorders, probe: int) -> None:
        self._file = file
        self._probe = probe
        self._made: list[ref[FunctionType]] = []
        self._original: CodeType | None = None
        self._current: CodeType | None = None
        self._thinned: CodeType | None = None
        self.entries = 0

    def __call__(self, function: FunctionType) -> FunctionType:
        """Used as the innermost decorator of the `def`: takes note of the function and returns it."""
        made = self._made
        # A function defined in a loop: those that are gone need no new code.
        if len(made) > 64:
            made[:] = [known for known in made if known() is not None]
        made.append(ref(function))
        if self._current is None:
            self._original = self._current = function.__code__
        # A later object of the same `def` starts with what is known by now.
        elif function.__code__ is not self._current:
            function.__code__ = self._current
        return function

    def thin(self) -> None:
        if self._original is not None:
            # The plain code is the fastest form, and what remains once nothing is left to mark.
            twin = self._twin() if self._file.is_spent(self._probe) else None
            # Counting goes on until the last thinning; then the counter itself is a spent probe.
            entry = self._probe if self.entries >= _THIN_AT[-1] else None
            self._thinned = twin or without(self._original, self._file.names, self._file.is_hit, entry)
            self._use(self._thinned)

    def _twin(self) -> CodeType | None:
        """The function's code in the module as it was before instrumentation."""
        assert self._original is not None
        return find(self._file.module.plain, self._original.co_qualname, self._original.co_firstlineno)

    def restore(self) -> None:
        self.entries = 0
        if self._thinned is not None and self._original is not None:
            self._thinned = None
            self._use(self._original)

    def _use(self, code: CodeType) -> None:
        for known in self._made:
            function = known()
            # A function to which the program has given other code keeps that.
            # Frames that are running keep their code object; only the next call gets the new one.
            if function is not None and function.__code__ is self._current:
                function.__code__ = code
        self._current = code


class _Made(dict[int, _T]):
    """The helper of each edge that needs one, made when first needed."""

    def __init__(self, make: Callable[[_Add, int], _T], add: _Add) -> None:
        self._make = make
        self._add = add

    def __missing__(self, edge: int) -> _T:
        helper = self[edge] = self._make(self._add, edge)
        return helper


class _Guard:
    """Stands around a `with` and, as `.body`, inside it, to tell a suppressed exception from none.

    The body notes the frames it was left in by an exception or, if `strict`, without one. The latter
    costs more, and also knows exceptions from between the outer guard and the body.
    """

    __slots__ = ("_add", "_left", "_noted", "_strict", "body")

    def __init__(self, add: _Add, left: int, strict: bool = False) -> None:
        self._add = add
        self._left = left
        self._strict = strict
        self._noted: set[int] = set()
        self.body = _GuardBody(self._noted, strict)

    __enter__ = bool  # takes no argument and does nothing, in C

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        noted = False
        if self._noted:
            # The frame of the `with` statement: a generator may be suspended inside while another runs through
            # the same lines.
            frame = id(_getframe(1))
            noted = frame in self._noted
            self._noted.discard(frame)
        if kind is None:
            # No exception arrived here: either none was raised in the body, or a manager between the two guards
            # took it.
            self._add(self._left if noted is self._strict else self._left + 1)


class _GuardBody:
    __slots__ = ("_noted", "_strict")

    def __init__(self, noted: set[int], strict: bool) -> None:
        self._noted = noted
        self._strict = strict

    __enter__ = bool

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (kind is None) is self._strict:
            self._noted.add(id(_getframe(1)))


class _Completion:
    """Stands around the body of a `try` that may be left through the cleanup of another statement."""

    __slots__ = ("_add", "_completed")

    def __init__(self, add: _Add, completed: int) -> None:
        self._add = add
        self._completed = completed

    __enter__ = bool

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._add(self._completed)


class _AtEnd(Iterable[Any]):
    """Chained behind an iterable: being asked for an iterator means the iterable ran to its end."""

    __slots__ = ("_add", "_exhausted")

    def __init__(self, add: _Add, exhausted: int) -> None:
        self._add = add
        self._exhausted = exhausted

    def __iter__(self) -> Iterator[Any]:
        self._add(self._exhausted)
        # Nothing is added to what the program iterates over.
        return iter(())


class _Given:
    """An iterable that is an iterator already made: the iterator itself is not asked for one again."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def __iter__(self) -> Iterator[Any]:
        return self._iterator
