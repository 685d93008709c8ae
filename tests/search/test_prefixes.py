"""Numbers of paths against the paths themselves."""

from __future__ import annotations

import random

from ramify.runtime.recording import Decision, DecisionSite, Phase
from ramify.runtime.search import path_key
from ramify.runtime.search.prefixes import Prefixes
from ramify.runtime.terms import INT, const, var
from ramify.runtime.terms import language as T

SITES = [DecisionSite("somewhere.py", "f", line, 0) for line in (1, 2)]
TERMS = [T.lt(var("x", INT), const(limit)) for limit in (1, 2)]


def some_path(generator: random.Random, phases: tuple[Phase, ...]) -> list[Decision]:
    choice = generator.choice
    return [
        Decision(choice(SITES), choice((False, True)), choice(TERMS), choice(phases))
        for _ in range(generator.randrange(5))
    ]


def test_paths_have_the_same_number_if_they_have_the_same_key() -> None:
    generator = random.Random(5)
    prefixes = Prefixes()
    bodies = Prefixes(prefixes)
    numbers: dict[tuple[object, ...], int] = {}
    met = 0
    for _ in range(3000):
        path = some_path(generator, (Phase.BODY, Phase.ENSURE))
        key = path_key(path)
        number = (prefixes if generator.random() < 0.7 else bodies).number(path)
        met += key in numbers
        assert numbers.setdefault(key, number) == number
    assert len(set(numbers.values())) == len(numbers)
    assert 0 < met < 3000
