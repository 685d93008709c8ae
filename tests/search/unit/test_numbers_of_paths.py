"""The numbers of paths: the same for the same decisions, whatever came in between."""

from __future__ import annotations

from fake_program import above, on, site_at

from ramify.runtime.recording import Decision, Phase
from ramify.runtime.search.prefixes import Prefixes


def path(*steps: tuple[int, bool], number: int = 3, phase: Phase = Phase.BODY) -> list[Decision]:
    return [Decision(site_at(on(line)), outcome, above(number), phase) for line, outcome in steps]


def test_paths_are_told_apart_by_sites_outcomes_and_conditions() -> None:
    numbers = Prefixes()
    all_paths = [
        path(), path((1, True)), path((1, False)), path((2, True)), path((1, True), number=4),
        path((1, True), (2, True)), path((1, True), (2, False)), path((2, True), (1, True)),
    ]  # fmt: skip
    first = [numbers.number(each) for each in all_paths]
    assert len(set(first)) == len(all_paths)
    assert [numbers.number(each) for each in all_paths] == first
    assert [numbers.number(each) for each in reversed(all_paths)] == first[::-1]


def test_phases_do_not_count() -> None:
    numbers = Prefixes()
    assert numbers.number(path((1, True))) == numbers.number(path((1, True), phase=Phase.ENSURE))


def test_a_path_and_its_beginning_are_two() -> None:
    numbers = Prefixes()
    whole = numbers.number(path((1, True), (2, True)))
    assert numbers.number(path((1, True))) not in (whole, numbers.number(path()))
    assert numbers.number(path((1, True), (2, True))) == whole


def test_numbers_are_given_one_after_the_other() -> None:
    numbers = Prefixes()
    assert numbers.number(path()) == 0
    assert numbers.number(path((1, True), (2, True))) == 2
    assert numbers.number(path((1, True))) == 1
    assert numbers.number(path((1, True), (3, True))) == 3


def test_paths_of_another_kind_have_the_same_numbers() -> None:
    numbers = Prefixes()
    others = Prefixes(numbers)
    assert numbers.number(path((1, True), (2, True))) == others.number(path((1, True), (2, True)))
    fresh = others.number(path((4, True)))
    assert numbers.number(path((4, True))) == fresh
    assert Prefixes().number(path((4, True))) == 1
