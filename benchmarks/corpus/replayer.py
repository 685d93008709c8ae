"""Calls one plain function with given inputs under coverage.py and says which of its branches they took.

    python replayer.py REQUEST RESULT

REQUEST is a JSON file: module, function, listed (the parameters with a type), calls (expressions of keyword
arguments), before (statements that each needs), at (the second each was found), skip (numbers of calls to leave
out), per_call and total (seconds), memory (bytes). RESULT is a JSON file: `branches` and `covered` are lists of
[from line, to line], a negative target being an exit; `settled` is the second after which nothing new came.
Before each call its number goes to a file beside RESULT, so that a call that kills the process is known.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import coverage

VALUES = 1000
"""How many values of a generator are taken, as an exploration does."""

BUCKET = 0.25
"""Seconds; new branches are attributed to a stretch of this length, which costs far less than to every input."""

SPARE = 30
"""Seconds of processor time beyond the total, should nobody be left to end this process."""

Branch = tuple[int, int]


class TimeIsUp(BaseException):
    """Not an Exception: a target that catches those must not swallow it."""


def lines_of(function: Callable[..., Any], file: str) -> tuple[int, int]:
    """The first and last line of a function's definition, without its decorators, which run on import."""
    first = function.__code__.co_firstlineno  # type: ignore[attr-defined]
    tree = ast.parse(Path(file).read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and first in (node.lineno, *(d.lineno for d in node.decorator_list)):
            return node.lineno, node.end_lineno or node.lineno
    raise SystemExit(f"{file}: no function starts at line {first}")


def unlisted(parameters: list[inspect.Parameter], listed: list[str]) -> list[str]:
    """Parameters that the table forgot: every one needs a type unless its default is None."""
    return [
        p.name
        for p in parameters
        if p.name not in listed and p.default is not None and p.kind is not p.VAR_KEYWORD
    ]


def call(
    function: Callable[..., Any], parameters: list[inspect.Parameter], arguments: dict[str, Any]
) -> None:
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    rest = any(p.kind is p.VAR_POSITIONAL and arguments.get(p.name) for p in parameters)
    for parameter in parameters:
        if parameter.name not in arguments:
            continue
        value = arguments[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            keywords.update(value)
        elif parameter.kind is parameter.KEYWORD_ONLY or (
            parameter.kind is not parameter.POSITIONAL_ONLY and not rest
        ):
            keywords[parameter.name] = value
        else:
            positional.append(value)
    result = function(*positional, **keywords)
    if isinstance(result, Iterator):
        for _ in itertools.islice(result, VALUES):
            pass


class Replay:
    """All calls, each bounded, all bounded together."""

    def __init__(self, request: dict[str, Any], log: Path) -> None:
        self.request = request
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT)
        self.module = importlib.import_module(request["module"])
        found: Any = self.module
        for name in request["function"].split("."):
            found = getattr(found, name)
        self.function = found
        self.parameters = list(inspect.signature(found).parameters.values())
        plain = inspect.unwrap(found)
        self.file = str(Path(inspect.getsourcefile(plain) or "").resolve())
        self.first, self.last = lines_of(getattr(plain, "__func__", plain), self.file)
        self.coverage = coverage.Coverage(
            data_file=None, branch=True, include=[self.file], config_file=False, messages=False
        )
        self.inside = False
        self.overdue = 0
        self.done = 0

    def run(self) -> dict[str, Any]:
        missing = unlisted(self.parameters, self.request["listed"])
        if missing:
            return {"error": f"the table gives no type for {', '.join(missing)}"}
        signal.signal(signal.SIGALRM, self.ring)
        self.perform()
        return self.result()

    def perform(self) -> None:
        request, end = self.request, time.perf_counter() + self.request["total"]
        current = None
        self.coverage.start()
        try:
            inputs = zip(request["calls"], request["before"], request["at"], strict=True)
            for number, (expression, before, at) in enumerate(inputs):
                if time.perf_counter() > end:
                    break
                if number in request["skip"]:
                    continue
                os.pwrite(self.log, f"{number:>9}".encode(), 0)
                if current != (current := bucket_of(at)):
                    self.coverage.switch_context(current)
                self.once(expression, before)
                self.done += 1
        finally:
            self.coverage.stop()

    def once(self, expression: str, before: list[str]) -> None:
        """One call; whatever it raises, prints or takes is nobody's business here but a time-out's."""
        self.inside = True
        signal.setitimer(signal.ITIMER_REAL, self.request["per_call"], 0.05)  # again, should it be swallowed
        try:
            names = dict(vars(self.module))
            for statement in before:
                exec(statement, names)
            call(self.function, self.parameters, eval(expression, names))
        except TimeIsUp:
            self.overdue += 1
        except BaseException:
            pass
        finally:
            self.inside = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def ring(self, number: int, frame: FrameType | None) -> None:
        if self.inside:
            raise TimeIsUp

    def result(self) -> dict[str, Any]:
        data = self.coverage.get_data()
        data.add_arcs({})  # which makes it branch data even if nothing ran
        data.touch_file(self.file)  # a function that was never entered has branches all the same
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "coverage.json")
            self.coverage.json_report(outfile=report, ignore_errors=False)
            (measured,) = json.loads(Path(report).read_text(encoding="utf-8"))["files"].values()
        covered = self.own(measured["executed_branches"])
        branches = sorted(covered | self.own(measured["missing_branches"]))
        return {
            "file": self.file,
            "branches": branches,
            "covered": sorted(covered),
            "settled": self.settled(data, covered),
            "calls": self.done,
            "overdue": self.overdue,
            "error": None,
        }

    def own(self, branches: list[list[int]]) -> set[Branch]:
        return {(source, to) for source, to in branches if self.first <= source <= self.last}

    def settled(self, data: coverage.CoverageData, covered: set[Branch]) -> float:
        """The second by which everything that was ever covered had been."""
        left, last = set(covered), 0.0
        for label in sorted({bucket_of(at) for at in self.request["at"]}, key=float):
            if not left:
                break
            data.set_query_context(label)
            left -= {(source, to) for source, to in data.arcs(self.file) or ()}
            last = float(label)
        return last


def bucket_of(at: float) -> str:
    return str((int(at / BUCKET) + 1) * BUCKET)


def main(request: Path, result: Path) -> None:
    asked = json.loads(request.read_text(encoding="utf-8"))
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"],) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(asked["total"]) + SPARE,) * 2)
    answer = Replay(asked, result.with_suffix(".at")).run()
    result.write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
