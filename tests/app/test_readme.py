"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
SHOWN = [(command.rpartition("&& ")[2], output) for command, output in BLOCKS if output]


def without_times(text: str) -> str:
    """Without what depends on the machine: seconds, and how many cheap runs they were enough for."""
    return re.sub(r"\d+ runs", "some runs", re.sub(r"(after|runs,) [\d.]+ s", r"\1 a while", text))


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_is_shown(command: str, output: str) -> None:
    name, *arguments = command.split()
    assert name == "ramify"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ramify", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert without_times(done.stdout) == without_times(output)


def test_there_are_examples_to_check() -> None:
    assert {command.split()[1] for command, _ in SHOWN} == {"check", "explore", "run"}
