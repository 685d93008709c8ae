"""The audit: what decided alike must do alike."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ramify.runtime.programs import CRASHED, CUT, RAISED, REJECTED, RETURNED, VIOLATED, Execution
from ramify.runtime.search.audit import Audit

PATH, OTHER = ("a",), ("b",)


def ran(hits: Iterable[int] = (), outcome: str = RETURNED, exception: BaseException | None = None) -> Execution:
    return Execution({}, outcome=outcome, exception=exception, hits=frozenset(hits))


def test_runs_of_one_path_that_take_the_same_edges_agree() -> None:
    audit = Audit([0, 1])
    assert audit.agrees(PATH, ran([0]), ran())
    assert audit.agrees(PATH, ran([0]), ran())


def test_runs_of_one_path_that_take_different_edges_do_not() -> None:
    audit = Audit([0, 1])
    assert audit.agrees(PATH, ran([0]), ran())
    assert not audit.agrees(PATH, ran([1]), ran())
    assert not audit.agrees(PATH, ran([0, 1]), ran())
    assert not audit.agrees(PATH, ran([]), ran())
    assert audit.agrees(PATH, ran([0]), ran())  # the first run is what the others are held against


def test_runs_of_different_paths_may_differ() -> None:
    audit = Audit([0, 1])
    assert audit.agrees(PATH, ran([0]), ran())
    assert audit.agrees(OTHER, ran([1]), ran())
    assert not audit.agrees(OTHER, ran([0]), ran())


def test_edges_of_others_are_not_looked_at() -> None:
    audit = Audit(iter([0, 1]))
    assert audit.agrees(PATH, ran([0, 7]), ran())
    assert audit.agrees(PATH, ran([0, 8]), ran())


def test_a_run_must_end_alike_on_plain_and_on_concolic_values() -> None:
    error, other = ran([0], RAISED, ValueError()), ran([0], RAISED, KeyError())
    assert not Audit([0]).agrees(PATH, ran([0]), error)
    assert not Audit([0]).agrees(PATH, error, ran([0]))
    assert not Audit([0]).agrees(PATH, error, other)
    assert Audit([0]).agrees(PATH, error, ran((), RAISED, ValueError("of other words")))


def test_runs_of_one_path_must_end_alike() -> None:
    audit = Audit([0])
    error, other = ran([0], RAISED, ValueError()), ran([0], RAISED, KeyError())
    assert audit.agrees(PATH, error, error)
    assert not audit.agrees(PATH, other, other)
    assert not audit.agrees(PATH, ran([0]), ran([0]))


@pytest.mark.parametrize("outcome", [CUT, CRASHED, REJECTED, VIOLATED])
def test_what_came_to_no_ordinary_end_is_counted_elsewhere_and_not_remembered(outcome: str) -> None:
    audit = Audit([0, 1])
    assert audit.agrees(PATH, ran([0], outcome), ran())
    assert audit.agrees(PATH, ran([0]), ran((), outcome))
    assert audit.agrees(PATH, ran([1]), ran())
    assert not audit.agrees(PATH, ran([0]), ran())
