"""Run a snippet plainly and instrumented, and see everything that can be observed of either."""

from __future__ import annotations

import builtins
import contextlib
import gc
import io
import linecache
import re
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ramify.cfg.table import BranchTable
from ramify.instrument import concolic, measuring, probes
from ramify.instrument.coverage import instrument
from ramify.instrument.positions import TESTS_STAND_AT_OPERANDS
from ramify.runtime.programs.recorder import Recorder
from ramify.runtime.programs.ticks import Ticks
from ramify.runtime.recording import is_own
from ramify.runtime.rewritten import NAMESPACE

FILENAME = "/sample/snippet.py"


@dataclass
class Observed:
    """What a program let the world see."""

    output: str = ""
    errors: str = ""
    failure: list[str] = field(default_factory=list)
    places: list[tuple[str, int | None]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    doc: str | None = None


@dataclass
class Recorded:
    """What the probes of a program say."""

    happened: set[str]
    missing: set[str]
    lines: set[int]
    unreached: set[int]


def execute(
    code: types.CodeType, given: dict[str, Any] | None = None, trace: Callable[..., Any] | None = None
) -> Observed:
    """Execute a module's code and collect what it shows."""
    module = types.ModuleType("snippet")
    module.__file__ = FILENAME
    module.__dict__.update(given or {})
    seen = Observed()
    output, errors = io.StringIO(), io.StringIO()
    sys.modules["snippet"] = module
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            sys.settrace(trace)
            exec(code, module.__dict__)
        except BaseException as error:
            sys.settrace(None)
            # The first entry is the frame of this function.
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next
            seen.failure = traceback.format_exception(error)
            seen.places = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
                           if not is_own(frame.filename)]  # fmt: skip
            del error
        finally:
            sys.settrace(None)
            del sys.modules["snippet"]
    seen.output, seen.errors = output.getvalue(), errors.getvalue()
    seen.doc = module.__doc__
    seen.names = {name: _shown(value) for name, value in module.__dict__.items() if name != "__builtins__"}
    return seen


def _shown(value: object) -> str:
    """A value as text that is the same in every run."""
    simple = (int, float, str, bytes, bool, type(None), complex)
    if isinstance(value, list | tuple | set | frozenset | dict) and "<" not in repr(value):
        return repr(value)
    return repr(value) if isinstance(value, simple) else type(value).__qualname__


def source_lines(source: str) -> None:
    """Let tracebacks and `inspect` find the snippet's source."""
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(keepends=True), FILENAME)


def plainly(source: str, given: dict[str, Any] | None = None, trace: Callable[..., Any] | None = None) -> Observed:
    source_lines(source)
    return execute(compile(source, FILENAME, "exec", dont_inherit=True), given, trace)


def instrumented(
    source: str, given: dict[str, Any] | None = None, trace: Callable[..., Any] | None = None
) -> tuple[Observed, Recorded]:
    source_lines(source)
    result = instrument(source.encode(), FILENAME)
    assert not result.declined
    probes._active.clear()
    probes.activate(result, FILENAME)
    seen = execute(result.code, given, trace)
    hit = hits(result.digest)
    table = BranchTable.of_source(source)
    words = {edge.id: f"{edge.site.text}: {edge.outcome}" for edge in table.edges}
    happened = {word for number, word in words.items() if number in hit}
    missing = {word for number, word in words.items() if number not in hit}
    lines = {statement.line for statement in table.statements if statement.probe in hit}
    unreached = {statement.line for statement in table.statements if statement.probe not in hit}
    return seen, Recorded(happened, missing, lines, unreached)


def hits(digest: str) -> set[int]:
    """The probes hit in the file with this source."""
    return next(hits for (_, known), hits in probes.measured().items() if known == digest)


def same_behaviour(source: str, given: Callable[[], dict[str, Any]] = dict) -> Recorded:
    """Assert that a program behaves alike with and without probes; what the probes recorded."""
    gc.collect()
    expected = plainly(source, given())
    seen, recorded = instrumented(source, given())
    assert seen == expected
    same_at_the_concolic_level(source, given(), expected)
    same_at_the_measuring_level(source, given(), expected, recorded)
    return recorded


def same_at_the_measuring_level(
    source: str, given: dict[str, Any], expected: Observed, recorded: Recorded
) -> None:
    """The measuring level behaves alike and hits the same edges."""
    result = measuring.instrument(source.encode(), FILENAME)
    assert not result.declined
    ticks = Ticks()
    recorder = Recorder(result, ticks)
    seen = execute(result.code, {**given, "__builtins__": ticks.builtins(recorder.namespace)})
    assert _shown_by(seen) == _shown_by(expected)
    edges = BranchTable.of_source(source).edges
    assert {f"{e.site.text}: {e.outcome}" for e in edges if e.id in recorder.taken()} == recorded.happened


# The frames of the engine in the text of a traceback.
_OWN_FRAMES = re.compile(r'  File "[^"]*/runtime/[a-z_/]+\.py", line \d+, in \w+\n(?:    .*\n)*')
_PLACES = re.compile(r'(  File "/sample/snippet.py", line )\d+(, in .*\n)(?:    .*\n)*')


def same_at_the_concolic_level(source: str, given: dict[str, Any], expected: Observed) -> None:
    """The concolic level behaves alike too; its functions may stand in tracebacks between the program's."""
    result = concolic.instrument(source.encode(), FILENAME)
    assert not result.declined
    seen = execute(result.code, {**given, "__builtins__": {**vars(builtins), **NAMESPACE}})
    assert _shown_by(seen) == _shown_by(expected)


def _shown_by(seen: Observed) -> object:
    places, texts = seen.places, [_OWN_FRAMES.sub("", seen.output), _OWN_FRAMES.sub("", seen.errors)]
    if not TESTS_STAND_AT_OPERANDS:
        # 3.11 tests a name at the line of its statement; the concolic level, at its own.
        places = [(name, 0) for name, _ in places]
        texts = [_PLACES.sub(r"\1\2", text) for text in texts]
    return texts, places, seen.failure[-1:], seen.names, seen.doc
