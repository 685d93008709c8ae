"""What a search knows is handed to the runs it asks for, and what these teach outlives their process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ramify.cfg.leaves import Leaf
from ramify.runtime.programs import Ascent, HybridProgram, Knowledge, RemoteHybrid, ending
from ramify.runtime.sandbox import Policy
from ramify.runtime.search import Goals, GuidedExploration
from ramify.runtime.terms import argument
from ramify.runtime.worlds import Target, parse

SOURCE = """
def kinds(x: int, s: str) -> int:
    if x > 50:
        raise ValueError(x)
    if x < -50:
        raise KeyError(x)
    if s.startswith("a"):
        return 10 // x
    return 0

def long(xs: list[int]) -> int:
    if len(xs) > 6:
        return 1
    return 0
"""


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[dict[str, RemoteHybrid]]:
    file = tmp_path / "known.py"
    file.write_text(SOURCE)
    found = {}
    for name in ("kinds", "long"):
        target = Target(*parse(f"{file}:{name}"))  # type: ignore[arg-type]
        found[name] = RemoteHybrid(lambda a, target=target: HybridProgram(target, attendant=a), Policy())
    yield found
    for program in found.values():
        program.close()


def test_a_burst_sends_back_only_what_adds_to_what_is_known(remote: dict[str, RemoteHybrid]) -> None:
    program = remote["kinds"]
    first = program.burst(range(1, 200), Knowledge(), frozenset())
    assert len(first.found) > 3
    known = Knowledge()
    for execution in first.found:
        known.covered |= execution.hits
        known.endings.add(ending(execution))
    again = program.burst(range(1, 200), known, frozenset())
    assert (again.runs, again.found) == (first.runs, [])
    known.endings = {end for end in known.endings if "KeyError" not in end}
    assert {ending(e) for e in program.burst(range(1, 200), known, frozenset()).found} - known.endings
    assert len(program.burst(range(1, 200), known, frozenset()).found) == 1


def test_a_search_gets_no_ending_twice_from_its_bursts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ramify

    file = tmp_path / "known.py"
    file.write_text(SOURCE)
    exploration = ramify.explore(f"{file}:kinds", max_runs=60)
    assert isinstance(exploration, GuidedExploration)
    program = exploration.program
    assert isinstance(program, RemoteHybrid)
    known_already = []
    burst = program.burst

    def noting(seeds: range, known: Knowledge, *others: object) -> object:
        made = burst(seeds, known, *others)  # type: ignore[arg-type]
        known_already.extend(e for e in made.found if ending(e) in known.endings and e.hits <= known.covered)
        return made

    monkeypatch.setattr(program, "burst", noting)
    list(exploration)
    assert known_already == []


def test_a_new_child_goes_on_with_what_others_have_learned(remote: dict[str, RemoteHybrid]) -> None:
    program = remote["long"]
    program.measure({})
    goals = Goals(program.whereabouts().file(), "long")
    (leaf,) = (span for span, (true, _) in goals.leaves.items() if true & goals.own)
    ascent = Ascent({argument("xs"): []}, Leaf(leaf), True, 100)
    here = program.climb(ascent, Knowledge())
    program.close()
    there = program.climb(ascent, Knowledge())
    assert here.distance == there.distance == 0
    assert there.runs < 60  # without the sort of its elements, no list would ever grow
