"""What `ramify diff` prints: text for people, json."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from ramify.diffing import Diff, Difference
from ramify.reports.growing import HERE, GrowingDocument


class DiffWriting(Protocol):
    """What is written of a comparison, piece by piece; `result` is complete at the end."""

    def __init__(self, write: Callable[..., None], result: Diff) -> None: ...

    def difference(self, found: Difference) -> None: ...

    def close(self) -> None: ...


class TextDiff:
    """For people: each difference, then the verdict in one line."""

    def __init__(self, write: Callable[..., None], result: Diff) -> None:
        self._write = write
        self._result = result

    def difference(self, found: Difference) -> None:
        call = found.arguments.of(self._result.function)
        self._write(f"{call}\n    old {found.old}\n    new {found.new}")

    def close(self) -> None:
        result = self._result
        lines = [f"{result.function}: {result.verdict} ({result.paths} paths, {result.runs} runs)"]
        lines += [f"    not explored: {what}" for what in result.unexplored]
        lines += [f"    bounds: {'; '.join(result.bounds)}"] if result.bounds else []
        self._write("\n".join(lines))


class JsonDiff:
    """One document, each difference as soon as it is found."""

    def __init__(self, write: Callable[..., None], result: Diff) -> None:
        self._result = result
        self._document = GrowingDocument(partial(write, nl=False), self._frame)

    def _frame(self) -> dict[str, Any]:
        result = self._result
        return {
            "function": result.function,
            "differences": [HERE],
            "verdict": result.verdict,
            "not_explored": result.unexplored,
            "bounds": result.bounds,
            "paths": result.paths,
            "runs": result.runs,
            "interrupted": result.interrupted,
        }

    def difference(self, found: Difference) -> None:
        self._document.add(
            {
                "call": found.arguments.of(self._result.function),
                "arguments": found.arguments,
                "setup": found.arguments.setup,
                "imports": found.arguments.imports,
                "old": found.old,
                "new": found.new,
            }
        )

    def close(self) -> None:
        self._document.close()


FORMATS: dict[str, type[DiffWriting]] = {"text": TextDiff, "json": JsonDiff}
