"""Runs functions at the concolic level on concolic inputs, beside the same functions in plain Python."""

from __future__ import annotations

import ast
import builtins
import copy
import sys
import textwrap
import types
from collections.abc import Callable
from typing import Any

from differential import lifted, outcome, same

from ramify.cfg.table import BranchTable
from ramify.instrument import concolic, coverage, probes
from ramify.instrument.concolic import ALL, Switches
from ramify.instrument.concolic.decided import decided_edges
from ramify.runtime.models import BUILTINS
from ramify.runtime.recording import path
from ramify.runtime.rewritten import NAMESPACE
from ramify.runtime.values import core

FILENAME = "/sample/level.py"
FUNCTIONS = {f.__name__: model for f, model in BUILTINS.items() if not isinstance(f, type)}


class Level:
    """A module at the concolic level, and plainly."""

    def __init__(self, source: str, switches: Switches = ALL) -> None:
        self.source = textwrap.dedent(source)
        self.built = concolic.instrument(self.source.encode(), FILENAME, switches)
        self.names = {**vars(builtins), **FUNCTIONS, **NAMESPACE}

    def plain(self) -> dict[str, Any]:
        return _executed(compile(self.source, FILENAME, "exec", dont_inherit=True), vars(builtins))

    def rewritten(self) -> dict[str, Any]:
        return _executed(self.built.code, self.names)

    def run(self, *arguments: Any, name: str = "f", symbolic: int | None = None, **options: Any) -> path.Run:
        """Runs a function on concolic inputs and asserts that plain Python does the same; what was recorded."""
        plain_arguments = [copy.deepcopy(a) for a in arguments]
        expected = outcome(self.plain()[name], plain_arguments)
        assignment: dict[str, Any] = {}
        run = path.Run(assignment, **options)
        function = self.rewritten()[name]
        count = len(arguments) if symbolic is None else symbolic
        with path.recording(run):
            given = [lifted(f"a{n}", copy.deepcopy(a), assignment) if n < count else copy.deepcopy(a)
                     for n, a in enumerate(arguments)]  # fmt: skip
            observed = outcome(function, given)
            self.returned = observed[1]
            value = core.strip(observed[1])
        assert observed[0] == expected[0], f"{observed} for {expected}"
        assert same(value, core.strip(expected[1])), f"{value!r} for {expected[1]!r}"
        for after, before in zip(given, plain_arguments, strict=True):
            assert same(core.strip(after), before), f"left as {core.strip(after)!r}, not {before!r}"
        return run

    def taken(self, run: path.Run) -> set[str]:
        """The branches that the decisions of a run say it took."""
        tree = ast.parse(self.source)
        table = BranchTable.of(tree, self.source)
        edges = decided_edges(tree, table)
        found: set[str] = set()
        for decision in run.decisions:
            if decision.site.test:
                assert decision.site.span in edges, f"{decision.site.span} is no test: {decision.term}"
                ids = edges[decision.site.span][0 if decision.branch else 1]
                found |= {f"{table.edges[i].site.text}: {table.edges[i].outcome}" for i in ids}
        return found

    def hit(self, *arguments: Any, name: str = "f") -> set[str]:
        """The branches that the coverage level says a plain run takes."""
        built = coverage.instrument(self.source.encode(), FILENAME)
        probes._active.clear()
        probes.activate(built, FILENAME)
        module = _executed(built.code, vars(builtins))
        probes.reset()
        outcome(module[name], copy.deepcopy(list(arguments)))
        hits = next(hits for (_, digest), hits in probes.measured().items() if digest == built.digest)
        table = BranchTable.of_source(self.source)
        return {f"{e.site.text}: {e.outcome}" for e in table.edges if e.id in hits}


def _executed(code: types.CodeType, names: Any) -> dict[str, Any]:
    module = types.ModuleType("level")
    module.__dict__["__builtins__"] = dict(names)
    sys.modules["level"] = module
    try:
        exec(code, module.__dict__)
    finally:
        del sys.modules["level"]
    return module.__dict__


def conditions(run: path.Run) -> list[str]:
    """The decisions of a run as people read them."""
    return [repr(decision.condition) for decision in run.decisions]


def lost(run: path.Run) -> set[str]:
    """The operations that used a concrete value."""
    return {concretisation.operation for concretisation in run.concretisations}


Function = Callable[..., Any]
