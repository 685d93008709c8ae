"""What is left when a command is interrupted, terminated or no longer read: what was reported, and a sound end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# One finding or path is there at once, and the search has enough to do for longer than any test waits.
SOURCE = '''
def endless(x: int, s: str) -> int:
    total = 0
    if x == 4711:
        return 1 // (x - 4711)
    for c in s:
        total = (total * 31 + ord(c)) % 1000003
    for step in range(40):
        if (total * step + x) % 1000033 == 500:
            total += 1
    if total == 123456 and x == 987654:
        return 2
    return 1 // (x - 5)
'''
OLD = SOURCE.replace("return 2", "return 3").replace("x - 5)", "x - 6)")
LONG = "600"


@pytest.fixture
def begin(tmp_path: Path) -> Any:
    """Starts a command in a folder with the module, and ends it with the test."""
    (tmp_path / "subject.py").write_text(SOURCE)
    (tmp_path / "old.py").write_text(OLD)
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "ramify", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # what is read here by line is missing to nobody who reads on
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


TARGET = "subject.py:endless"
Begin = Callable[..., "subprocess.Popen[bytes]"]


def until(process: subprocess.Popen[bytes], wanted: str) -> str:
    """What the process wrote up to the first line that has this in it."""
    assert process.stdout is not None
    seen = ""
    while line := process.stdout.readline().decode():
        seen += line
        if wanted in line:
            return seen
    raise AssertionError(f"it ended without {wanted!r}: {seen}{process.stderr and process.stderr.read()}")


def ended(process: subprocess.Popen[bytes]) -> tuple[str, str]:
    """The rest of what it wrote, and what it complained of."""
    output, errors = process.communicate(timeout=60)
    return output.decode(), errors.decode()


CASES = {
    "explore": (("explore", TARGET), "endless("),
    "explore, a whole module": (("explore", "subject.py"), "endless("),
    "explore, records": (("explore", TARGET, "--format", "jsonl"), '"kind": "path"'),
    "explore, peer": (("explore", TARGET, "--mode", "peer"), "endless("),
    "explore, in turn": (("explore", "subject.py", "--strategy", "bfs", "--format", "jsonl"), '"kind": "path"'),
    "check": (("check", TARGET, "old.py:endless"), "shell:"),
    "check, json": (("check", "old.py:endless", TARGET, "--format", "json"), '"verdict"'),
    "check, sarif": (("check", TARGET, "old.py:endless", "--format", "sarif"), '"ruleId"'),
    "check, github": (("check", TARGET, "old.py:endless", "--format", "github"), "::error"),
    "diff": (("diff", "old.py:endless", TARGET), "    new "),
    "diff, json": (("diff", "old.py:endless", TARGET, "--format", "json"), '"new"'),
    "compare": (("compare", "old.py:endless", TARGET), "both reached"),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", CASES)
def test_a_signal_ends_a_command_with_what_was_found(begin: Begin, name: str, number: signal.Signals) -> None:
    arguments, first = CASES[name]
    budget = "4" if arguments[0] == "compare" else LONG
    process = begin(*arguments, "--budget", budget)
    seen = until(process, first)
    process.send_signal(number)
    rest, errors = ended(process)
    output = seen + rest
    assert process.returncode == 128 + number, errors
    assert "ramify: interrupted" in errors
    assert "Traceback" not in errors
    if "json" in name or "sarif" in name:
        whole = json.loads(output)
        assert first.strip('"') in output
        assert whole.get("interrupted") or whole["runs"][0]["invocations"][0]["executionSuccessful"] is False
    elif "jsonl" in arguments:
        summary = [json.loads(line) for line in output.splitlines()][-1]
        assert (summary["kind"], summary["stop"]) == ("summary", "interrupted")
    elif arguments[0] == "explore":
        assert "interrupted after" in output.splitlines()[-1]
    elif arguments[0] == "check" and "json" not in arguments:
        assert "findings in" in output.splitlines()[-1] or "finding in" in output.splitlines()[-1]
    elif arguments[0] == "diff":
        assert "endless: different" in output


def test_a_signal_before_anything_was_found_says_so_too(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os\nos.open('begun', os.O_RDONLY)\nwhile True:\n    pass\ndef f(x: int): ...\n"
    )
    os.mkfifo(tmp_path / "begun")
    process = begin("explore", "slow.py:f")
    os.close(os.open(tmp_path / "begun", os.O_WRONLY))  # returns when the target is being imported
    process.send_signal(signal.SIGINT)
    output, errors = ended(process)
    assert (process.returncode, output, errors) == (130, "", "ramify: interrupted\n")


@pytest.mark.parametrize("command", ["show", "cfg"])
def test_short_commands_say_it_too(command: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from ramify import cli

    def interrupted(*arguments: Any, **keywords: Any) -> None:
        raise KeyboardInterrupt

    loaded = cli.LazyGroup.get_command(cli.cli, None, command)  # type: ignore[arg-type]
    monkeypatch.setattr(loaded, "callback", interrupted)
    with pytest.raises(SystemExit) as end:
        cli.main([command, "examples/pef.py"])
    assert end.value.code == 130
    assert "ramify: interrupted" in capsys.readouterr().err


READ = ("explore", "explore, a whole module", "explore, records", "check", "check, sarif", "diff", "diff, json")


@pytest.mark.parametrize("name", READ)
def test_who_reads_no_further_ends_a_command_quietly(begin: Begin, name: str) -> None:
    arguments, first = CASES[name]
    process = begin(*arguments, "--budget", "4")
    until(process, first)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read().decode()
    assert (process.wait(timeout=60), errors) == (128 + signal.SIGPIPE, "")


def test_what_was_reported_is_there_when_the_command_is_killed(begin: Begin) -> None:
    process = begin("explore", TARGET, "--format", "jsonl", "--budget", LONG)
    seen = until(process, '"kind": "path"')
    process.kill()
    rest, _ = ended(process)
    assert all(json.loads(line)["kind"] == "path" for line in (seen + rest).splitlines())
