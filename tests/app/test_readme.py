"""What the README shows is what the commands print."""

from __future__ import annotations

import re

import pytest
from shown import printed, shown

SHOWN = shown("README.md")


def without_times(text: str) -> str:
    """Without what depends on the machine: seconds, and how many cheap runs they were enough for."""
    return re.sub(r"\d+ runs", "some runs", re.sub(r"(after|runs,) [\d.]+ s", r"\1 a while", text))


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_is_shown(command: str, output: str) -> None:
    assert without_times(printed(command).stdout) == without_times(output)


def test_there_are_examples_to_check() -> None:
    assert {command.split()[1] for command, _ in SHOWN} == {"check", "explore", "run"}
