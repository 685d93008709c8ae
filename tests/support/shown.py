"""The commands that a page shows, with what they are said to print, and what they do print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"```console\n\$ (.*?)\n(.*?)```", re.DOTALL)


def shown(page: str) -> list[tuple[str, str]]:
    """Each `ramify` command of a page with its output, if any is shown; without a `cd` before it."""
    blocks = _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    return [(command.rpartition("&& ")[2], output) for command, output in blocks if output]


def printed(command: str) -> subprocess.CompletedProcess[str]:
    """What the command prints when it runs in the checkout, errors included."""
    name, *arguments = command.split()
    assert name == "ramify"
    return subprocess.run(
        [sys.executable, "-P", "-m", "ramify", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
