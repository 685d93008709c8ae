"""What a term is: an immutable node of a shared expression graph, its sort, and the table that makes equal
terms one object.

Building a term that already exists is one dictionary lookup; everything else (coercion, constant folding,
simplification) happens once per new key, in `make`. Operations are declared in `terms.py`, one entry each.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

Value = Any  # bool, int, float, str, or a (nested) tuple of these: what a term evaluates to
Assignment = dict[str, Any]  # variable name -> value; sequences may be given as lists or tuples


class Sort:
    """The type of a term. Sorts are interned, so compare them with `is`."""

    __slots__ = ("element", "name")

    def __init__(self, name: str, element: Sort | None = None) -> None:
        self.name = name
        self.element = element

    def __repr__(self) -> str:
        return self.name if self.element is None else f"{self.name}[{self.element!r}]"

    def __reduce__(self) -> tuple[Callable[..., Sort], tuple[str, Sort | None]]:
        return _sort, (self.name, self.element)


@cache
def _sort(name: str, element: Sort | None) -> Sort:
    return Sort(name, element)


BOOL, INT, FLOAT, STR = (_sort(name, None) for name in ("bool", "int", "float", "str"))


def seq_of(element: Sort) -> Sort:
    """The sort of sequences (Python lists) whose elements have the given sort."""
    return _sort("list", element)


class Term:
    """One node. Terms are only made by `make`, `var` and `const`; equal terms are the same object, so `is`
    and `==` agree.
    """

    __slots__ = ("_code", "_variables", "args", "op", "sort", "uid", "value")

    op: str  # "var", "const", or a key of OPS
    args: tuple[Term, ...]
    sort: Sort
    value: Value  # the constant's value, the variable's name, else None
    uid: int  # order of creation: arguments always have smaller numbers than their users
    _variables: frozenset[str] | None
    _code: Any  # how often it was evaluated as a condition, then what was compiled (see evaluate.py)

    @property
    def is_const(self) -> bool:
        return self.op == "const"

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables that occur in the term (computed once per node)."""
        if self._variables is None:
            for node in walk((self,), skip=lambda t: t._variables is not None):
                sets = {a._variables for a in node.args if a._variables}
                node._variables = sets.pop() if len(sets) == 1 else frozenset().union(*(s for s in sets if s))
        assert self._variables is not None
        return self._variables

    def __repr__(self) -> str:
        return PRINTER[0](self, limit=2000)

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[Any]]:
        return _load_one, (pack((self,)),)


_names, _operations = attrgetter("_variables"), attrgetter("op")


def variables_of(terms: Iterable[Term]) -> frozenset[str]:
    """The names of the variables that occur in any of the terms."""
    sets = variable_sets(tuple(terms))
    return sets.pop() if len(sets) == 1 else frozenset().union(*sets)


def variable_sets(terms: Sequence[Term]) -> set[frozenset[str]]:
    """The distinct sets of names that the terms have, each as `Term.variables` gives it."""
    sets = set(map(_names, terms))  # most are one object, and it knows its hash
    return {term.variables for term in terms} if None in sets else sets


@dataclass(frozen=True, slots=True)
class Op:
    """All there is to know about an operation except how solvers see it."""

    name: str
    sort: Sort | Callable[[tuple[Term, ...]], Sort]
    evaluate: Callable[..., Value]
    text: Any  # how it is printed: see show.py
    simplify: Callable[..., Term | None] | None = None
    coerce: Callable[[tuple[Term, ...]], tuple[Term, ...]] | None = None


class EvaluationError(ArithmeticError):
    """A term was evaluated outside the domain of one of its operations (Python would have raised), or grew
    too large.
    """


DOMAIN_ERRORS: tuple[type[Exception], ...] = (
    ArithmeticError,  # the signals of `decimal` too
    LookupError,
    TypeError,
    ValueError,  # UnicodeError too
    MemoryError,
    RecursionError,  # patterns nest
    re.error,
    Warning,  # where warnings are errors
)
"""What Python raises for operands outside an operation's domain: the term has no value there. Whatever else an
operation raises is a mistake in it.
"""

OPS: dict[str, Op] = {}
PRINTER: list[Callable[..., str]] = []  # filled by printing.py, which needs the operations, which need this
# One table for the whole process, since equal terms must be one object, and a plain global: making a term that is
# known costs little more than the look into it.
_table: dict[tuple[Any, ...], Term] = {}
_numbers = itertools.count()


def _new(key: tuple[Any, ...], op: str, args: tuple[Term, ...], sort: Sort, value: Value) -> Term:
    term = Term()
    term.op = op
    term.args = args
    term.sort = sort
    term.value = value
    term.uid = next(_numbers)
    term._code = 0
    term._variables = None if args else frozenset((value,)) if op == "var" else frozenset()
    _table[key] = term
    return term


def var(name: str, sort: Sort) -> Term:
    """The input variable of that name."""
    key = ("var", name, sort)
    found = _table.get(key)
    return found if found is not None else _new(key, "var", (), sort, name)


def sort_of(value: Value) -> Sort:
    """The sort of a Python value; an empty sequence counts as a sequence of integers."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, str):
        return STR
    if isinstance(value, (list, tuple)):
        return seq_of(sort_of(value[0]) if value else INT)
    raise TypeError(f"no sort for {type(value).__name__}")


def plain(value: Value, sort: Sort) -> Value:
    """The value as exactly the builtin type of its sort: subclasses are stripped, sequences become tuples."""
    if sort is INT:
        return int.__add__(value, 0)
    if sort is STR:
        return value if type(value) is str else str.__str__(value)
    if sort is FLOAT:
        return float.__mul__(value, 1.0) if isinstance(value, float) else float(int.__add__(value, 0))
    if sort is BOOL:
        return bool(value)
    assert sort.element is not None
    storage = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
    return tuple(plain(v, sort.element) for v in storage)


def const(value: Value, sort: Sort | None = None) -> Term:
    """The constant of that value; give the sort for empty sequences and for integers meant as floats."""
    kind = type(value)
    if kind is int and (sort is None or sort is INT):
        key: tuple[Any, ...] = ("const", INT, value)
        found = _table.get(key)
        return found if found is not None else _new(key, "const", (), INT, value)
    sort = sort or sort_of(value)
    value = plain(value, sort)
    # Floats by their text, since 0.0 == -0.0 and nan != nan; sequences by their elements' constants likewise.
    if sort.element is not None:
        element = sort.element
        key = ("const", sort, *(const(v, element) for v in value))
    else:
        key = ("const", sort, repr(value) if sort is FLOAT else value)
    found = _table.get(key)
    return found if found is not None else _new(key, "const", (), sort, value)


TRUE, FALSE = const(True), const(False)


def make(name: str, *args: Term) -> Term:
    """The term `name(*args)`, for callers that have the operation's name; others use the constructors of
    `terms.py`.
    """
    key = (name, *args)
    found = _table.get(key)
    return found if found is not None else build(key, OPS[name], args)


def build(key: tuple[Any, ...], op: Op, args: tuple[Term, ...]) -> Term:
    """The term for a key that the table does not know yet: coerced, folded, simplified."""
    if op.coerce is not None:
        coerced = op.coerce(args)
        if coerced is not args:
            result = _table[key] = make(op.name, *coerced)
            return result
    sort = op.sort if op.sort.__class__ is Sort else op.sort(args)  # type: ignore[operator]
    for arg in args:
        if arg.op != "const":
            break
    else:
        try:
            result = _table[key] = const(op.evaluate(*[a.value for a in args]), sort)
        except DOMAIN_ERRORS:  # the node stays, evaluating it raises
            return _new(key, op.name, args, sort, None)
        return result
    if op.simplify is not None:
        simpler = op.simplify(*args)
        if simpler is not None:
            _table[key] = simpler
            return simpler
    return _new(key, op.name, args, sort, None)


def walk(roots: Iterable[Term], skip: Callable[[Term], bool] | None = None) -> Iterator[Term]:
    """Every distinct node under the roots, arguments before users, without recursion."""
    seen: set[Term] = set()
    stack = list(roots)
    stack.reverse()
    while stack:
        term = stack[-1]
        if term in seen or (skip is not None and skip(term)):
            stack.pop()
            continue
        waiting = [a for a in term.args if a not in seen and not (skip is not None and skip(a))]
        if waiting:
            waiting.reverse()
            stack.extend(waiting)
        else:
            stack.pop()
            seen.add(term)
            yield term


def pack(terms: Iterable[Term]) -> tuple[Any, ...]:
    """Terms as one flat picklable tuple, shared nodes once. `unpack` gives the same terms back, in any
    process.
    """
    roots = list(terms)
    place: dict[Term, int] = {}
    nodes: list[tuple[Any, ...]] = []
    for node in walk(roots):
        place[node] = len(nodes)
        if node.args:
            nodes.append((node.op, *(place[a] for a in node.args)))
        else:
            nodes.append((node.op, node.value, node.sort))
    return tuple(nodes), tuple(place[r] for r in roots)


def unpack(packed: tuple[Any, ...]) -> list[Term]:
    """The terms that `pack` was given."""
    nodes, roots = packed
    built: list[Term] = []
    for op, *rest in nodes:
        if op == "var":
            built.append(var(*rest))
        elif op == "const":
            built.append(const(*rest))
        else:
            built.append(make(op, *(built[i] for i in rest)))
    return [built[i] for i in roots]


def _load_one(packed: tuple[Any, ...]) -> Term:
    return unpack(packed)[0]


def table_size() -> int:
    """How many entries the interning table holds."""
    return len(_table)


def collect() -> int:
    """Forget the terms nobody uses any more and say how many entries went.

    Entries are visited from the newest to the oldest, so users go before their arguments and one pass
    suffices. A term that somebody still holds stays in the table: equal terms remain one object for ever.
    """
    before = len(_table)
    for key in [k for k, t in _table.items() if k[0] != t.op or (t.args and k[1:] != t.args)]:
        del _table[key]  # only remembers what a simplification answered
    term = Term()
    unused = sys.getrefcount(term)
    keys = list(_table)
    while keys:
        key = keys.pop()
        term = _table.pop(key)
        if sys.getrefcount(term) > unused:
            _table[key] = term
    del term
    entries = list(_table.items())
    _table.clear()
    _table.update(reversed(entries))
    return before - len(_table)


def conjuncts(terms: Sequence[Term]) -> list[Term]:
    """The terms with top-level `and` taken apart, `True` and repetitions dropped, order kept."""
    if "and" not in map(_operations, terms):
        distinct = dict.fromkeys(terms)
        distinct.pop(TRUE, None)
        return list(distinct)
    found: dict[Term, None] = {}
    apart: set[Term] = set()
    stack = list(reversed(terms))
    while stack:
        term = stack.pop()
        if term.op == "and":
            if term not in apart:  # conjunctions share parts too
                apart.add(term)
                stack.extend(reversed(term.args))
        elif term is not TRUE:
            found[term] = None
    return list(found)
