"""Makes models readable: the parent's value where the constraints allow it, else small numbers and plain
letters.

Works by evaluating candidates, never by asking Z3, so it costs microseconds and cannot change a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ramify.runtime.terms import Assignment, Evaluator, Term

MAX_TRIES = 40


def same(a: Any, b: Any) -> bool:
    """Equal, of the same type, and not 0.0 for -0.0; nan is nan."""
    return (type(a) is type(b) and (a == b and repr(a) == repr(b) if isinstance(a, float) else a == b)) or (
        a != a and b != b
    )


def tidy(model: Assignment, constraints: Sequence[Term], parent: Assignment) -> Assignment:
    """A model of the same constraints that is easier to read. The one given must satisfy them."""
    best = dict(model)
    changed = [n for n in sorted(best) if n not in parent or not same(best[n], parent[n])]
    if not changed:
        return best
    goal = constraints[-1].variables
    changed.sort(key=lambda n: n in goal)  # what the goal speaks about changes last
    about = {n: [c for c in reversed(constraints) if n in c.variables] for n in changed}
    tries = MAX_TRIES
    for name in changed:
        for candidate in candidates(best[name], parent.get(name)):
            if tries == 0:
                return best
            tries -= 1
            attempt = {**best, name: candidate}
            evaluator = Evaluator(attempt)
            if evaluator.all_hold(about[name]):
                best = attempt
                break
    return best


def candidates(value: Any, old: Any) -> Iterator[Any]:
    """Better values than this one, best first."""
    if type(old) is type(value):
        if not same(old, value):
            yield old
        if same(old, value):
            return
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from smaller_integers(value)
    elif isinstance(value, float):
        yield from simpler_floats(value)
    elif isinstance(value, str):
        yield from plainer_texts(value, old if isinstance(old, str) else "")
    elif isinstance(value, list):
        yield from closer_lists(value, old if isinstance(old, list) else [])


def smaller_integers(value: int) -> Iterator[int]:
    if abs(value) <= 9:
        return
    for near in (0, 1, -1, 2, 10, -10, 100, 1000):
        if abs(near) < abs(value):
            yield near


def simpler_floats(value: float) -> Iterator[float]:
    if abs(value) < 10 and value == int(value):
        return
    yield from (0.0, 1.0, -1.0)
    if abs(value) < 1e15:
        for digits in (0, 1, 2):
            yield float(round(value, digits))
        yield float(int(value) + 1)
        yield float(int(value) - 1)


def is_plain(ch: str) -> bool:
    return " " <= ch <= "~"


def plainer_texts(value: str, old: str) -> Iterator[str]:
    """Odd characters replaced by the parent's or by letters: all together, then one by one."""
    odd = [k for k, ch in enumerate(value) if not ch.isascii() or not ch.isalnum()]
    if len(old) == len(value):
        odd = [k for k in odd if value[k] != old[k]]
    if not odd:
        return
    for letter in "ab0A ":
        chars = list(value)
        for k in odd:
            chars[k] = letter
        yield "".join(chars)
    for k in odd[:4]:
        if not is_plain(value[k]):
            for letter in "a0 ":
                yield value[:k] + letter + value[k + 1 :]


def closer_lists(value: list[Any], old: list[Any]) -> Iterator[list[Any]]:
    """The parent's elements where possible, then simpler ones, all together and then one by one."""
    kept = [old[k] if k < len(old) else v for k, v in enumerate(value)]
    if kept != value:
        yield kept
    for k, item in enumerate(value[:6]):
        if k < len(old) and same(item, old[k]):
            continue
        for better in candidates(item, old[k] if k < len(old) else None):
            yield [*value[:k], better, *value[k + 1 :]]
