"""The tour shows what the commands print, and every example has its bug found."""

from __future__ import annotations

import re

import pytest
from shown import ROOT, printed, shown

SHOWN = shown("docs/tour.md")


def without_counts(text: str) -> str:
    return re.sub(r"\(\d+ paths?, \d+ runs?, [\d.]+ s\)", "(counts)", text)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.rpartition("/")[2] for command, _ in SHOWN])
def test_a_command_prints_what_the_tour_shows(command: str, output: str) -> None:
    done = printed(command)
    assert without_counts(done.stdout) == without_counts(output)
    assert done.returncode == (1 if "violated" in output else 0)


def test_every_example_of_the_tour_has_a_finding() -> None:
    found = {re.search(r"tour/(\w+)\.py", command)[1] for command, output in SHOWN if ": violated" in output}  # type: ignore[index]
    assert found == {path.stem for path in (ROOT / "examples" / "tour").glob("*.py")}
