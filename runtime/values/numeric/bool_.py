"""SymBool: the truth value of a comparison with an input, until somebody asks for it.

`bool` cannot be subclassed, so this is an ordinary object with the whole protocol of `bool`; asking for
its truth is a decision.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from ramify.runtime.recording import Cut, Why, journal, known, path
from ramify.runtime.terms import BOOL, Term
from ramify.runtime.terms import language as T
from ramify.runtime.values import core


class SymBool:
    """A concolic truth value."""

    __slots__ = ("term", "value")
    value: bool
    term: Term

    def __bool__(self) -> bool:
        # The body of `path.decide`, repeated here because every branch of a target comes through it.
        run = journal.run
        if run is None:
            return self.value
        decisions = run.decisions
        if len(decisions) >= run.limit:
            raise Cut(Why.DECISIONS, f"more than {run.limit} decisions")
        # Keyed by the identity of the code: hashing a code object hashes its bytecode and constants.
        frame = sys._getframe(1)
        site = known.by_offset.get((id(frame.f_code), frame.f_lasti)) or known.of(frame)
        decisions.append(_tuple(path.Decision, (site, self.value, self.term, run.phase)))
        return self.value

    @property  # type: ignore[misc]
    # With this `isinstance(flag, bool)` holds. `flag is True`, `type(flag)` and `case True` do not ask: the
    # rewriting does.
    def __class__(self) -> type:
        return bool

    def __hash__(self) -> int:
        return hash(bool(self))

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(bool(self), spec)

    def __index__(self) -> int:
        return int(bool(self))

    __int__ = __index__

    def __float__(self) -> float:
        return float(bool(self))

    # Whoever pickles a truth value gets a real one: outside of the run nobody could ask this one.
    def __reduce__(self) -> tuple[type, tuple[bool]]:
        return bool, (self.value,)

    def __copy__(self) -> SymBool:
        return self

    def __deepcopy__(self, memo: Any) -> SymBool:
        return self

    # What bool inherits from int: `real`, `bit_length`, `to_bytes` and whatever a later Python adds.
    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(as_int(self), name)
        except AttributeError:
            raise AttributeError(f"'bool' object has no attribute {name!r}", name=name, obj=self) from None


_tuple = tuple.__new__


@core.checked
def sym_bool(value: bool, term: Term) -> Any:
    """The concolic truth value, or the plain one if the term says nothing."""
    if term.op == "const":
        return value
    made = _new(SymBool)
    made.value = value
    made.term = term
    return made


_new: Callable[[type[SymBool]], SymBool] = object.__new__


def as_int(flag: SymBool) -> Any:
    """The number that the flag counts as in arithmetic."""
    return core.wrap(int(flag.value), T.bool_to_int(flag.term))


def negated(value: Any) -> Any:
    """`not value`, without a decision for a SymBool."""
    if type(value) is SymBool:
        return sym_bool(not value.value, T.not_(value.term))
    return not value


def _arithmetic(name: str) -> Callable[..., Any]:
    """A special method of int, applied to the flag as a number."""

    def method(self: SymBool, *others: Any) -> Any:
        return getattr(as_int(self), name)(*others)

    return method


def _logical(name: str, term: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    """`&`, `|`, `^`: a truth value for two truth values, a number otherwise."""
    function: Callable[..., Any] = getattr(operator, name)

    def method(self: SymBool, other: Any) -> Any:
        if type(other) is SymBool:
            return sym_bool(function(self.value, other.value), term(self.term, other.term))
        if type(other) is bool:
            return sym_bool(function(self.value, other), term(self.term, T.const(other)))
        return getattr(as_int(self), f"__{name.strip('_')}__")(other)

    return method


def _comparison(name: str, term: Callable[[Term, Term], Term]) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(operator, name)

    def method(self: SymBool, other: Any) -> Any:
        if name in ("eq", "ne") and (type(other) is SymBool or type(other) is bool):
            value, other_term = (other.value, other.term) if type(other) is SymBool else (other, T.const(other))
            return sym_bool(function(self.value, value), term(self.term, other_term))
        return getattr(as_int(self), f"__{name}__")(other)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lshift", "rshift", "pow"):
    setattr(SymBool, f"__{_name}__", _arithmetic(f"__{_name}__"))
    setattr(SymBool, f"__r{_name}__", _arithmetic(f"__r{_name}__"))
for _name in ("neg", "pos", "abs", "invert", "trunc", "floor", "ceil", "round", "divmod", "rdivmod"):
    setattr(SymBool, f"__{_name}__", _arithmetic(f"__{_name}__"))
for _name, _term in (("and_", T.and_bits), ("or_", T.or_bits), ("xor", T.xor_bits)):
    setattr(SymBool, f"__{_name.strip('_')}__", _logical(_name, _term))
    setattr(SymBool, f"__r{_name.strip('_')}__", _logical(_name, _term))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(SymBool, f"__{_name}__", _comparison(_name, getattr(T, _name)))

core.FACTORIES[BOOL] = sym_bool
core.TERM_OF[SymBool] = operator.attrgetter("term")
core.PLAIN[SymBool] = operator.attrgetter("value")
core.stands_for(SymBool, bool)
