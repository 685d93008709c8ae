"""The tour shows what the commands print, and every example has its bug found."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ ramify (.*?)\n(.*?)```", TOUR, re.DOTALL)


def without_counts(text: str) -> str:
    return re.sub(r"\(\d+ paths?, \d+ runs?, [\d.]+ s\)", "(counts)", text)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.rpartition("/")[2] for command, _ in SHOWN])
def test_a_command_prints_what_the_tour_shows(command: str, output: str) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "ramify", *command.split()],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert without_counts(done.stdout) == without_counts(output)
    assert done.returncode == (1 if "violated" in output else 0)


def test_every_example_of_the_tour_has_a_finding() -> None:
    found = {re.search(r"tour/(\w+)\.py", command)[1] for command, output in SHOWN if ": violated" in output}  # type: ignore[index]
    assert found == {path.stem for path in (ROOT / "examples" / "tour").glob("*.py")}
