"""Types called to build a container: `list`, `tuple`, `set`, `frozenset`, `dict`, `Counter`; and operators as
functions.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from ramify.runtime.models.conversions import truth
from ramify.runtime.models.registry import LIBRARY, models, models_concolic
from ramify.runtime.terms import const
from ramify.runtime.values import core, lookups
from ramify.runtime.values.dict_ import SymDict, sym_dict
from ramify.runtime.values.equality import concolic_inside
from ramify.runtime.values.index import ZERO
from ramify.runtime.values.list_ import SymList
from ramify.runtime.values.numeric.bool_ import negated
from ramify.runtime.values.set_ import SymSet, as_set


@models(list)
def list_(*args: Any, **keywords: Any) -> Any:
    # `list(xs)` would go through the elements, which decides the length; a copy keeps it open.
    if len(args) == 1 and not keywords and type(args[0]) is SymList:
        return args[0].copy()
    return list(*args, **keywords)


@models(set)
def set_(*args: Any, **keywords: Any) -> Any:
    """Which elements are equal is decided."""
    if len(args) != 1 or keywords:
        return set(*args, **keywords)
    if type(args[0]) is SymSet:
        return args[0].copy()
    values = _listed(args[0])
    return as_set(values) if any(map(concolic_inside, values)) else set(values)


@models(frozenset)
def frozenset_(*args: Any, **keywords: Any) -> Any:
    if len(args) != 1 or keywords or type(args[0]) is frozenset:
        return frozenset(*args, **keywords)
    # There is no concolic frozenset: that its elements are concolic is remembered for the rest of the run.
    values = list(args[0].ordered()) if type(args[0]) is SymSet else _listed(args[0])
    if not any(map(concolic_inside, values)):
        return frozenset(values)
    made = frozenset(as_set(values).order)
    lookups.remember_keys(made)
    return made


def _listed(iterable: Any) -> Any:
    """Something to go through twice."""
    return iterable if type(iterable) in (list, tuple, str, bytes, range, set, frozenset, dict) else list(iterable)


@models(dict)
def dict_(*args: Any, **keywords: Any) -> Any:
    """A dict with concolic keys is a SymDict; which keys are equal is decided."""
    if len(args) != 1:
        return dict(*args, **keywords)
    source = args[0]
    if type(source) is SymDict:
        made = source.copy()
    elif type(source) is dict:
        if not any(map(concolic_inside, source)):
            return dict(source, **keywords)
        made = sym_dict(source, const(len(source)))
    # As `dict` tells a mapping from an iterable of pairs.
    elif hasattr(source, "keys"):
        return dict(source, **keywords)
    else:
        pairs = list(source)
        # Anything else that can be unpacked is left to Python, with its messages.
        regular = all(type(pair) in (tuple, list) and len(pair) == 2 for pair in pairs)
        if not regular or not any(concolic_inside(pair[0]) for pair in pairs):
            return dict(pairs, **keywords)
        made = sym_dict({}, ZERO)
        made.update(pairs)
    # Keywords come last and win.
    made.update(**keywords)
    return made


@models(Counter, LIBRARY)
def counter(*args: Any, **keywords: Any) -> Any:
    if len(args) != 1 or keywords or isinstance(args[0], (dict, str)):
        return Counter(*args, **keywords) if not args or not core.is_concolic(args[0]) else _counted(args[0])
    return _counted(args[0]) if args[0] is not None else Counter(None)


def _counted(iterable: Any) -> Any:
    made: Counter[Any] = Counter()
    # A Counter takes over the counts of a mapping instead of counting its keys.
    if isinstance(iterable, dict):
        for key, value in iterable.items():
            lookups.set_item(made, key, value)
        return made
    for element in iterable:
        lookups.set_item(made, element, lookups.get_item(made, element, 0) + 1)
    return made


# Operators as functions


@models(operator.contains, LIBRARY)
def contains_(*args: Any) -> Any:
    return lookups.contains(*args) if len(args) == 2 else operator.contains(*args)


@models_concolic(operator.getitem, LIBRARY)
def getitem_(container: Any, key: Any, /) -> Any:
    # The rewritten subscript would do the same; as a function it never passes through there.
    if isinstance(container, dict) and type(container).__getitem__ is dict.__getitem__:
        return lookups.mapping_item(container, key)
    return lookups.select_item(container, key)


@models_concolic(operator.not_, LIBRARY)
def not_(value: Any, /) -> Any:
    return negated(truth(value))


models_concolic(operator.truth, LIBRARY)(truth)


@models_concolic(operator.index, LIBRARY)
def index_(value: Any, /) -> Any:
    return value if core.BUILTIN[type(value)] is int else operator.index(value)
