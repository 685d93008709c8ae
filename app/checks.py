"""`ramify.check`: what breaks in this code, each with the smallest input found."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

from ramify.errors import InputError
from ramify.exploring import explore
from ramify.runtime.checking import Check, RemoteExaminer, Report
from ramify.runtime.programs import public_functions
from ramify.runtime.sandbox import Policy
from ramify.runtime.worlds import Target, parse

SECONDS = 10.0
P = ParamSpec("P")


def checking(
    target: str,
    *,
    mode: str = "hybrid",
    budget: float | None = SECONDS,
    max_runs: int | None = None,
    seed: int = 0,
    types: Mapping[str, Any] | None = None,
    calls: int = 0,
    symbolic_globals: Sequence[str] = (),
    allow: Sequence[str] = (),
    policy: Policy | None = None,
) -> Check:
    """The check of one function, which is still to be run: its findings can be had one by one."""
    source, name = parse(target)
    linecache.checkcache(source.path)
    if name is None:
        raise InputError(f"{target}: name a function in it, as in {target}:function")
    policy = policy or Policy()
    if budget is not None:
        policy = replace(policy, seconds=min(policy.seconds, max(budget, 1.0)))
    exploration = explore(
        target,
        mode=mode,
        budget=budget,
        max_runs=max_runs,
        seed=seed,
        types=types,
        calls=calls,
        symbolic_globals=symbolic_globals,
        thorough=True,
        policy=policy,
    )
    examiner = RemoteExaminer(Target(source, name), policy, seed, allow, types)
    return Check(target, exploration, examiner, calls)


def _at_once(make: Callable[P, Check]) -> Callable[P, Report]:
    @wraps(make)
    def run(*args: P.args, **kwargs: P.kwargs) -> Report:
        return make(*args, **kwargs).run()

    return run


check = _at_once(checking)
check.__name__, check.__doc__ = "check", """Checks one function, named as in `"file.py:function"`."""


def functions(text: str, policy: Policy) -> list[str]:
    """The functions that a target names: one, or the public ones of a class, file or module."""
    source, name = parse(text)
    names = public_functions(source, name, policy)
    if names is None:
        return [text]
    if not names:
        raise InputError(f"{text}: defines no functions to check")
    place = text if name is None else text[: -len(name) - 1]
    return [f"{place}:{qualname}" for qualname in names]
