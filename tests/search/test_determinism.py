"""Without a budget a search is the same on any machine and under any load: inputs, their order, every verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SUBJECTS = """
import re
import zlib

def numbers(a: int, b: int) -> int:
    if a * 3 + b * 5 == 1234 and a - b == 86:
        return 1
    return 2 if a * b == 391 else 3

def checksum(s: str) -> int:
    if zlib.crc32(s.encode()) % 97 == 7 and s.startswith("key"):
        return 1
    return 0

def sums(values: list[int]) -> int:
    total = 0
    for value in values:
        total += value if value % 3 else -value
    if total == 77 and len(values) > 2:
        return 1
    return 0

def forms(text: str, n: int) -> int:
    found = re.match(r"([a-z]+)=(\\d+);", text)
    if found and int(found[2]) == n + 40:
        return 1
    return len(text.split(",")) > 3

def untyped(x, y):
    if x > 3 and y == "yes":
        return x / (x - 9)
    return y

def floats(x: float) -> int:
    if x * x - 3.0 * x == 10.0:
        return 1
    return 2 if 0.3 < x < 0.31 else 3

def endless(n: int) -> int:
    while n != 7:
        n += 1
    return n

class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance

    def withdraw(self, amount: int) -> int:
        if amount > self.balance:
            raise ValueError(amount)
        self.balance -= amount
        return 1 if self.balance == 17 else 0
"""
TIMES = {"seconds", "solver_seconds"}


def explored(file: Path) -> list[str]:
    """What the command writes, apart from the times it took."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "ramify", "explore", str(file), "--max-runs", "25", "--format", "jsonl"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [json.dumps({k: v for k, v in record.items() if k not in TIMES}) for record in records]


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """The machine has more to do than it can."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_a_busy_machine_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "subjects.py"
    file.write_text(SUBJECTS)
    idle = explored(file)
    with busy(3 * (os.cpu_count() or 1)):
        loaded = explored(file)
    assert idle == loaded
    ended = [json.loads(line) for line in idle if '"kind": "summary"' in line]
    assert {record["function"] for record in ended} >= {"numbers", "endless", "Account.withdraw"}
    assert {record["stop"] for record in ended} <= {"covered", "exhausted", "incomplete", "runs"}
    assert sum(record["covered"] for record in ended) >= 25


@pytest.mark.parametrize("seed", ["1", "3"])
def test_another_seed_is_another_search_and_as_steady(tmp_path: Path, seed: str) -> None:
    file = tmp_path / "subjects.py"
    file.write_text(SUBJECTS)
    command = [sys.executable, "-m", "ramify", "explore", f"{file}:sums", "--max-runs", "30", "--seed", seed]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.rpartition(";")[0]
        for _ in range(2)
    )
    assert first == second
