"""SymRange: a range with a symbolic bound. Iterating decides at every step whether there is one more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ramify.runtime.recording import decide, path
from ramify.runtime.terms import Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.index import ZERO, as_index, in_range
from ramify.runtime.values.numeric.bool_ import sym_bool
from ramify.runtime.values.numeric.int_ import sym_int


# No subclass: `range` cannot be subclassed. `isinstance` in rewritten code is a model that knows.
class SymRange:
    """A concolic range: its three numbers as plain values and as terms. The sign of the step is decided, its
    size is concrete.
    """

    __slots__ = ("_range", "_start", "_stop")

    def __init__(self, start: tuple[int, Term], stop: tuple[int, Term], step: int) -> None:
        self._range = range(start[0], stop[0], step)
        self._start = start[1]
        self._stop = stop[1]

    @property
    def start(self) -> Any:
        return sym_int(self._range.start, self._start)

    @property
    def stop(self) -> Any:
        return sym_int(self._range.stop, self._stop)

    @property
    def step(self) -> int:
        return self._range.step

    def __iter__(self) -> Iterator[Any]:
        value, step, stop = self._range.start, self._range.step, self._range.stop
        term = self._start
        while self._more(value, term, stop, step):
            yield sym_int(value, term)
            value += step
            term = T.add(term, const(step))

    # Asked before every element rather than deriving a length: each number of rounds is a path.
    def _more(self, value: int, term: Term, stop: int, step: int) -> bool:
        if step > 0:
            return decide(T.lt(term, self._stop), value < stop)
        return decide(T.gt(term, self._stop), value > stop)

    def size(self) -> Term:
        """The number of elements."""
        step = self._range.step
        distance = T.sub(self._stop, self._start) if step > 0 else T.sub(self._start, self._stop)
        whole = T.floordiv(T.add(distance, const(abs(step) - 1)), const(abs(step)))
        return T.max_(whole, ZERO)

    def __len__(self) -> int:
        return len(self._range)

    def __bool__(self) -> bool:
        return decide(T.ne(self.size(), ZERO), bool(self._range))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            path.concretised("slice of a range")
            # Python's own range, of concrete numbers.
            return self._range[slice(*(core.plain(v) for v in (key.start, key.stop, key.step)))]
        index = as_index(key)
        if index is None or not in_range(*index, len(self._range), self.size()):
            return self._range[core.plain(key)]
        # `in_range` has decided the sign.
        place = index[1] if index[0] >= 0 else T.add(index[1], self.size())
        return sym_int(self._range[index[0]], T.add(self._start, T.mul(place, const(self._range.step))))

    def __contains__(self, value: Any) -> bool:
        term = core.term_of(value)
        if term is None or term.sort is not T.INT:
            return any(v == value for v in self)
        return decide(self.has(term), core.plain(value) in self._range)

    def has(self, term: Term) -> Term:
        """Whether a number is one of the range's."""
        step = const(self._range.step)
        upward = self._range.step > 0
        low = T.le(self._start, term) if upward else T.ge(self._start, term)
        high = T.lt(term, self._stop) if upward else T.gt(term, self._stop)
        return T.and_(low, high, T.eq(T.mod(T.sub(term, self._start), step), ZERO))

    def index(self, value: Any) -> Any:
        if value not in self:
            return self._range.index(core.plain(value))
        return (value - self.start) // self.step

    def count(self, value: Any) -> int:
        return int(value in self)

    def __reversed__(self) -> Iterator[Any]:
        return list(self).__reversed__()

    def __eq__(self, other: object) -> Any:
        if type(other) is range:
            other = SymRange((other.start, const(other.start)), (other.stop, const(other.stop)), other.step)
        if type(other) is not SymRange:
            return NotImplemented
        if not decide(T.eq(self.size(), other.size()), len(self._range) == len(other._range)):
            return False
        if not self:
            return True
        value = self._range.start == other._range.start
        first = sym_bool(value, T.eq(self._start, other._start))
        return bool(first) and (self.step == other.step or bool(sym_int(len(self._range), self.size()) == 1))

    def __hash__(self) -> int:
        path.concretised("hash()")
        return hash(self._range)

    def __repr__(self) -> str:
        path.concretised("repr()")
        with path.paused():
            return repr(self._range)


def sym_range(*args: Any) -> Any:
    """`range(...)`: Python's own unless an argument is concolic."""
    # C code takes the concrete value of an int subclass: without this, the loop would never depend on the
    # input.
    if not 1 <= len(args) <= 3 or not any(core.is_concolic(a) for a in args):
        return range(*args)
    numbers = [as_index(a) for a in args]
    if None in numbers:
        return range(*(core.plain(a) for a in args))
    first, second, *rest = ((0, ZERO), *numbers) if len(numbers) == 1 else numbers
    step = rest[0] if rest else (1, const(1))
    assert first is not None
    assert second is not None
    assert step is not None
    if step[1].op != "const":
        if decide(T.eq(step[1], ZERO), step[0] == 0):
            return range(first[0], second[0], 0)
        decide(T.gt(step[1], ZERO), step[0] > 0)
        # A symbolic step would be multiplied by a symbolic index in every element; its value is fixed, its sign
        # decided.
        path.concretised("range step")
    if step[0] == 0:
        return range(first[0], second[0], 0)
    return SymRange(first, second, step[0])


core.PLAIN[SymRange] = lambda r: r._range
core.stands_for(SymRange, range)
