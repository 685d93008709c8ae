"""The paths of the graph are the paths of the program, all of them and no others.

Random programs are run on every sequence of decisions up to a length; the traces they leave must be
the same set as the traces of all paths through the graph.
"""

from __future__ import annotations

import ast
import itertools
import random
import sys
from types import CodeType, FrameType

import pytest

from ramify.cfg.build import ModuleGraphs
from ramify.cfg.graph import FlowEdge, FlowGraph
from ramify.cfg.states import state_space

MAX_BITS = 6
MAX_LOGS = 14


class _Stop(BaseException):
    """Ends a run that asks for more than it may have; the run then does not count."""


class _Machine:
    """What a program can see: a log to write to, and decisions to ask for."""

    def __init__(self, bits: tuple[bool, ...]) -> None:
        self.bits = list(bits)
        self.trace: list[object] = []
        self.stopped = False

    def log(self, number: int) -> None:
        self.trace.append(number)
        if len(self.trace) > MAX_LOGS:
            self.stop()

    def flag(self) -> bool:
        if not self.bits:
            self.stop()
        return self.bits.pop(0)

    def stop(self) -> None:
        self.stopped = True
        raise _Stop

    def flags(self):
        while self.flag():
            yield None

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind, value, trace) -> bool:
        return kind is not None and kind is not _Stop and self.flag()


def traces_of_runs(source: str) -> set[tuple[object, ...]]:
    code = compile(source, "<program>", "exec")
    found = set()
    for length in range(MAX_BITS + 1):
        for bits in itertools.product((True, False), repeat=length):
            machine = _Machine(bits)
            outcome = run(code, machine)
            if not machine.stopped and not machine.bits:
                found.add((*machine.trace, outcome))
    return found


def run(code: CodeType, machine: _Machine) -> str:
    names = {"log": machine.log, "flag": machine.flag, "flags": machine.flags, "manager": machine}
    exec(code, names)
    steps = itertools.count()

    def tick(frame: FrameType, event: str, arg: object) -> object:
        """Stops a loop that neither logs nor asks."""
        if next(steps) > 400:
            machine.stop()
        return tick

    before = sys.gettrace()
    sys.settrace(tick)
    try:
        names["f"]()
    except _Stop:
        return "stopped"
    except ValueError:
        return "raise"
    finally:
        sys.settrace(before)
    return "exit"


def traces_of_paths(graph: FlowGraph) -> set[tuple[object, ...]]:
    space = state_space(graph)
    logs: dict[int, list[int]] = {}
    for block in graph.blocks:
        logs[block.index] = [
            ast.literal_eval(part.text[4:-1]) for part in block.parts if part.text.startswith("log(")
        ]
    steps = [[target for edge, target in edges if not _is_surprise(edge)] for edges in space.steps]
    found: set[tuple[object, ...]] = set()
    todo: list[tuple[int, tuple[object, ...], int, int]] = [(0, (), 0, 0)]
    seen = set()
    while todo:
        state, trace, bits, quiet = todo.pop()
        block = graph.blocks[space.blocks[state]]
        here = (*trace, *logs[block.index])
        if len(here) > MAX_LOGS or quiet > 60 or (state, trace, bits, quiet) in seen:
            continue
        seen.add((state, trace, bits, quiet))
        if block.kind in ("exit", "raise"):
            found.add((*here, block.kind))
            continue
        quiet = 0 if len(here) > len(trace) else quiet + 1
        ways = steps[state]
        cost = bits + (len(ways) > 1)
        if cost <= MAX_BITS:
            todo += [(target, here, cost, quiet) for target in ways]
    return found


def _is_surprise(edge: FlowEdge) -> bool:
    """An exception that these programs never raise: only their `raise` statements do."""
    return edge.implicit and edge.cause.startswith("an exception was raised on line")


class _Writer:
    """Writes random programs: every statement logs, every condition asks for a decision."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.logs = 0

    def program(self) -> str:
        self.lines = ["def f():"]
        self.suite(1, 3, loop=False, handler=False)
        return "\n".join(self.lines) + "\n"

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def log(self, indent: int) -> None:
        self.logs += 1
        self.put(indent, f"log({self.logs})")

    def suite(self, indent: int, depth: int, loop: bool, handler: bool) -> None:
        self.log(indent)
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent, depth, loop, handler)
        if self.random.random() < 0.5:
            self.log(indent)

    def condition(self) -> str:
        return self.random.choice(
            ["flag()", "not flag()", "flag() and flag()", "flag() or not flag()", "flag() if flag() else flag()"]
        )

    def statement(self, indent: int, depth: int, loop: bool, handler: bool) -> None:
        simple = ["log", "log", "return", "raise"] + ["break", "continue"] * 2 * loop + ["reraise"] * handler
        nested = ["if", "if", "while", "for", "try", "try", "try", "with", "forever"]
        kind = self.random.choice(simple if depth == 0 or self.random.random() < 0.25 else nested)
        inner = depth - 1
        match kind:
            case "log":
                self.log(indent)
            case "return" | "break" | "continue":
                self.put(indent, kind)
            case "raise":
                self.put(indent, "raise ValueError")
            case "reraise":
                self.put(indent, "raise")
            case "if":
                self.put(indent, f"if {self.condition()}:")
                self.suite(indent + 1, inner, loop, handler)
                self.maybe_else(indent, inner, loop, handler)
            case "while" | "for" | "forever":
                heads = {
                    "while": f"while {self.condition()}:",
                    "for": "for _ in flags():",
                    "forever": "while True:",
                }
                self.put(indent, heads[kind])
                self.suite(indent + 1, inner, True, handler)
                self.maybe_else(indent, inner, loop, handler)
            case "with":
                self.put(indent, "with manager:")
                self.suite(indent + 1, inner, loop, handler)
            case "try":
                self.try_(indent, inner, loop, handler)

    def maybe_else(self, indent: int, depth: int, loop: bool, handler: bool) -> None:
        if self.random.random() < 0.4:
            self.put(indent, "else:")
            self.suite(indent + 1, depth, loop, handler)

    def try_(self, indent: int, depth: int, loop: bool, handler: bool) -> None:
        handlers, final = self.random.choice([(1, 0), (0, 1), (1, 1)])
        self.put(indent, "try:")
        self.suite(indent + 1, depth, loop, handler)
        if handlers:
            clause = self.random.choice(["except:", "except ValueError:", "except Exception as e:"])
            self.put(indent, clause)
            # What a wider clause raises again has no exact name.
            self.suite(indent + 1, depth, loop, clause == "except ValueError:")
            self.maybe_else(indent, depth, loop, handler)
        if final:
            self.put(indent, "finally:")
            self.suite(indent + 1, depth, loop, handler)


@pytest.mark.parametrize("seed", range(60))
def test_paths_are_exactly_those_of_the_program(seed: int) -> None:
    source = _Writer(seed).program()
    [graph] = ModuleGraphs.of_source(source).named("f")
    assert traces_of_paths(graph) == traces_of_runs(source), source
