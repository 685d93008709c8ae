"""Builtins that go through iterables: `range`, `enumerate`, `map`, `filter`, `reversed`, `min`, `max`, `sum`,
`sorted`.

What is handed over as a function (`map(int, words)`, `key=len`) is replaced by its model.
"""

from __future__ import annotations

import functools
import heapq
import itertools
from collections.abc import Callable
from typing import Any

from ramify.runtime.models.registry import BUILTINS, COMPLETE, CONCOLIC, LIBRARY, concolic_among, model_of, models
from ramify.runtime.recording import path
from ramify.runtime.terms import FLOAT, INT, STR, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, lookups
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.list_ import SymList, sym_list
from ramify.runtime.values.range_ import sym_range
from ramify.runtime.values.texts.bytes_ import SymBytes
from ramify.runtime.values.texts.text import SymStr


@models(range)
def range_(*args: Any, **keywords: Any) -> Any:
    return range(*args, **keywords) if keywords else sym_range(*args)


@models(enumerate)
def enumerate_(*args: Any, **keywords: Any) -> Any:
    start = args[1] if len(args) == 2 else keywords.get("start", 0)
    if core.BUILTIN.get(type(start)) not in (int, bool):
        return enumerate(*args, **keywords)
    iterable = args[0] if args else keywords["iterable"]
    # Only for a concolic start, since this is a generator and no `enumerate` object.
    return ((start + number, item) for number, item in enumerate(iterable))


@models(map)
def map_(*args: Any, **keywords: Any) -> Any:
    # Lazily, as Python does: elements are asked for one by one.
    return map(model_of(args[0]), *args[1:], **keywords) if args else map(*args, **keywords)


@models(filter)
def filter_(*args: Any, **keywords: Any) -> Any:
    return filter(model_of(args[0]), *args[1:], **keywords) if args else filter(*args, **keywords)


@models(reversed)
def reversed_(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and type(args[0]) in (SymStr, SymBytes):
        return reversed(list(args[0]))  # going through it decides the length
    return reversed(*args, **keywords)


@models(sorted)
def sorted_(*args: Any, **keywords: Any) -> Any:
    if keywords.get("key") is not None:
        keywords["key"] = model_of(keywords["key"])
    # C code would read the storage of a dict, whose number of entries is not decided.
    if len(args) == 1 and type(args[0]) is SymDict:
        args = (list(args[0]),)
    return sorted(*args, **keywords)


@models(sum)
def sum_(*args: Any, **keywords: Any) -> Any:
    """Floats are added the way this Python adds them, which from 3.12 on is not one after the other."""
    first = [*args[1:], *keywords.values()]
    if not args or len(first) > 1 or keywords.keys() - {"start"}:
        return sum(*args, **keywords)
    if type(args[0]) is range or (type(args[0]) in (list, tuple) and not concolic_among([*first, *args[0]])):
        return sum(args[0], *first)
    values = list(args[0])
    # Sums of ints add one by one; those of floats are one term, because 3.12 compensates rounding errors.
    kinds = {core.BUILTIN.get(type(v), type(v)) for v in [*first, *values]}
    if list in kinds:
        return functools.reduce(_chained, values, *first) if first else sum(values)
    if float not in kinds or not concolic_among([*first, *values]):
        return sum(values, *first)
    terms = [core.term_of(v) if _is_number(v) else None for v in [*first, *values]]
    # `sum([-0.0])` is 0.0, unless -0.0 is the start.
    if None in terms or any(str(core.plain(v)) == "-0.0" for v in first):
        path.concretised("sum()")
        return sum(map(core.plain, values), *map(core.plain, first))
    return core.wrap(sum(map(core.plain, values), *map(core.plain, first)), T.float_sum(*terms))


def _is_number(value: Any) -> bool:
    return core.BUILTIN.get(type(value), type(value)) in (int, float)


def _chained(left: Any, right: Any) -> Any:
    """`left + right`, where a list of symbolic length to the right of a plain one keeps its length."""
    if type(left) is list and type(right) is SymList:
        return sym_list(list(left), const(len(left)), lookups.content_term(left)) + right
    return left + right


def _extreme(function: Callable[..., Any], build: Callable[[Term, Term], Term]) -> None:
    """`min` and `max`: one term for values of one sort; else Python compares, which decides."""

    def model(*args: Any, **keywords: Any) -> Any:
        # Plain arguments, the usual case: nothing to model.
        if len(args) > 1 and not keywords and CONCOLIC.isdisjoint(map(type, args)):
            return function(*args)
        if keywords.get("key") is not None:
            return function(*args, **{**keywords, "key": model_of(keywords["key"])})
        if len(args) == 1:
            if type(args[0]) in (list, tuple, set, frozenset, dict) and not concolic_among(args[0]):
                return function(*args, **keywords)
            # `min(values)` reads an iterator once, and the terms have to be looked at before.
            try:
                iterator = iter(args[0])
            except TypeError:
                return function(*args, **keywords)
            args = (list(iterator),)
        values = args[0] if len(args) == 1 else args
        terms = _of_one_sort(values)
        if terms is None:
            return function(*args, **keywords)
        best = terms[0]
        for term in terms[1:]:
            best = build(best, term)
        return core.wrap(function(map(core.plain, values)), best)

    model.__name__ = function.__name__
    BUILTINS[function] = model
    COMPLETE.add(model)


def _of_one_sort(values: Any) -> list[Term] | None:
    """The terms of several numbers or texts of one sort, if at least one is concolic."""
    # A single value is its own minimum; Python returns that very object.
    if len(values) < 2 or not concolic_among(values):
        return None
    sort = None
    terms = []
    for value in values:
        term = core.term_of(value) if core.BUILTIN.get(type(value), type(value)) in (int, float, str) else None
        if term is None or (sort is not None and term.sort is not sort) or term.sort not in (INT, FLOAT, STR):
            return None
        sort = term.sort
        terms.append(term)
    return terms


_extreme(min, T.min_)
_extreme(max, T.max_)


def _handed_over(original: Callable[..., Any]) -> None:
    """A function of the library that calls functions: it gets their models."""

    def model(*args: Any, **keywords: Any) -> Any:
        return original(*map(model_of, args), **{name: model_of(value) for name, value in keywords.items()})

    LIBRARY[original] = model
    COMPLETE.add(model)


for _original in (
    functools.reduce, functools.partial, itertools.accumulate, itertools.dropwhile, itertools.filterfalse,
    itertools.groupby, itertools.starmap, itertools.takewhile, heapq.merge, heapq.nlargest, heapq.nsmallest,
):  # fmt: skip
    _handed_over(_original)
