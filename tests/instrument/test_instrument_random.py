"""Random small programs behave alike with and without probes, and the probes agree with other witnesses.

Two oracles share no code with the rewriter: a trace function knows which lines ran, and a second
instrumentation of the source, which asks a function for the outcome of every test, knows the branches.
"""

from __future__ import annotations

import ast
import random
import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from instrumenting import FILENAME, Observed, execute, instrumented, plainly, source_lines

from ramify.cfg.table import BranchTable
from ramify.instrument import probes

NAMES = ("a", "b", "c")

# In the value `(a and b) or c`, 3.11 does not test again an `a` it has found false; later versions do, and so
# does instrumented code.
TESTS_INNER_ONCE = sys.version_info < (3, 12)

# When an exception leaves a block whose last statement is dead code, 3.11 traces that statement's line.
TRACES_DEAD_LINES = sys.version_info < (3, 12)


class Program:
    """Draws a program; every choice comes from one list of small numbers."""

    def __init__(self, choices: list[int]) -> None:
        self.choices: Iterator[int] = iter(choices)
        self.calls = 0
        self.loops = 0

    def pick(self, count: int) -> int:
        return next(self.choices, 0) % count

    # -- expressions ------------------------------------------------------------------------------

    def call(self) -> str:
        self.calls += 1
        return f"t({self.calls})"

    def expression(self, depth: int = 0) -> str:
        kind = self.pick(12 if depth < 3 else 4)
        inner = depth + 1
        match kind:
            case 0 | 1:
                return self.call()
            case 2:
                return NAMES[self.pick(3)]
            case 3:
                return str(self.pick(4))
            case 4 | 5:
                word = (" and ", " or ")[self.pick(2)]
                return f"({word.join(self.expression(inner) for _ in range(2 + self.pick(2)))})"
            case 6 | 7:
                text = self.expression(inner)
                for _ in range(1 + self.pick(3)):
                    text += (" < ", " >= ", " != ", " is not ")[self.pick(4)] + self.expression(inner)
                return f"({text})"
            case 8:
                return f"({self.expression(inner)} if {self.expression(inner)} else {self.expression(inner)})"
            case 9:
                return f"(not {self.expression(inner)})"
            case 10:
                return self.comprehension(inner)
            case _:
                return f"(lambda a: {self.expression(inner)})({self.expression(inner)})"

    def comprehension(self, depth: int) -> str:
        loops = ""
        for name in ("i", "j")[: 1 + self.pick(2)]:
            loops += f" for {name} in items({self.expression(depth)})"
            loops += "".join(f" if {self.expression(depth)}" for _ in range(self.pick(2)))
        text = f"{self.expression(depth)}{loops}"
        return (f"len([{text}])", f"next(({text}), 5)", f"len(list({text}))", f"len({{{text}}})")[self.pick(4)]

    # -- statements -------------------------------------------------------------------------------

    def suite(self, depth: int, in_loop: bool) -> list[str]:
        lines = [line for _ in range(1 + self.pick(3)) for line in self.statement(depth, in_loop)]
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kind = self.pick(16 if depth < 3 else 7)
        inner = depth + 1
        match kind:
            case 0 | 1:
                return [f"{NAMES[self.pick(3)]} = {self.expression()}"]
            case 2:
                return [self.expression()]
            case 3:
                return [f"assert {self.expression()}, {self.expression()}"]
            case 4:
                return [f"return {self.expression()}" if self.pick(2) else "return"]
            case 5:
                return [("break", "continue")[self.pick(2)] if in_loop else "pass"]
            case 6:
                return [f"raise {('ValueError', 'KeyError')[self.pick(2)]}({self.pick(3)})"]
            case 7 | 8:
                lines = [f"if {self.expression()}:", *self.suite(inner, in_loop)]
                if self.pick(2):
                    lines += [f"elif {self.expression()}:", *self.suite(inner, in_loop)]
                return lines + (["else:", *self.suite(inner, in_loop)] if self.pick(2) else [])
            case 9:
                self.loops += 1
                test = f"again({self.loops}) and {self.expression()}"
                lines = [f"while {test}:", *self.suite(inner, True)]
                return lines + (["else:", *self.suite(inner, in_loop)] if self.pick(2) else [])
            case 10:
                lines = [f"for {NAMES[self.pick(3)]} in items({self.expression()}):", *self.suite(inner, True)]
                return lines + (["else:", *self.suite(inner, in_loop)] if self.pick(2) else [])
            case 11 | 12:
                return self.try_(inner, in_loop)
            case 13:
                items = ", ".join(f"manager({self.expression()})" for _ in range(1 + self.pick(2)))
                return [f"with {items}:", *self.suite(inner, in_loop)]
            case 14:
                return self.match(inner, in_loop)
            case _:
                return ["def inner(a):", *self.suite(inner, False), f"b = inner({self.expression()})"]

    def try_(self, depth: int, in_loop: bool) -> list[str]:
        lines = ["try:", *self.suite(depth, in_loop)]
        handlers = self.pick(4)
        for error in ("KeyError", "(ValueError, TypeError)", "Exception as error")[:handlers]:
            lines += [f"except {error}:", *self.suite(depth, in_loop)]
        if handlers and self.pick(2):
            lines += ["else:", *self.suite(depth, in_loop)]
        if not handlers or self.pick(3) == 0:
            lines += ["finally:", *self.suite(depth, in_loop)]
        return lines

    def match(self, depth: int, in_loop: bool) -> list[str]:
        lines = [f"match {self.expression()}:"]
        for pattern in ("0", "1 | 2", "int(a)", "[a, b]", "c")[: 1 + self.pick(5)]:
            guard = f" if {self.expression()}" if pattern == "c" or self.pick(3) == 0 else ""
            lines.append(f"    case {pattern}{guard}:")
            lines += [f"    {line}" for line in self.suite(depth, in_loop)]
        return lines

    def text(self) -> str:
        body = self.suite(0, False)
        return "\n".join(["def program(a, b, c):", *body, "", "for round in range(6):", "    run(program)", ""])


class World:
    """What a program can call: everything is logged, and values come from a script."""

    def __init__(self, script: list[int]) -> None:
        self.script = script
        self.log: list[str] = []
        self.steps = 0
        self.loops: dict[int, int] = {}

    def next(self) -> int:
        self.steps += 1
        if self.steps > 600:
            raise SystemExit("long enough")
        return self.script[(self.steps * 7 + self.steps // 5) % len(self.script)]

    def names(self) -> dict[str, Any]:
        return {"t": self.t, "again": self.again, "items": self.items, "manager": self.manager, "run": self.run}

    def t(self, number: int) -> Any:
        value = self.next()
        self.log.append(f"t{number} {value}")
        if value == 9:
            raise (ValueError, KeyError, TypeError)[number % 3](number)
        return Value(self, f"v{number}", value % 4) if value > 4 else value

    def again(self, loop: int) -> bool:
        self.loops[loop] = self.loops.get(loop, 0) + 1
        return self.loops[loop] % 4 != 0

    def items(self, value: object) -> list[int]:
        self.log.append(f"items {value!r}")
        return list(range(self.next() % 3))

    def manager(self, value: object) -> Manager:
        return Manager(self, self.next())

    def run(self, program: Any) -> None:
        try:
            self.log.append(f"-> {program(*(self.next() % 3 for _ in range(3)))!r}")
        except Exception as error:
            lines = []
            trace = error.__traceback__
            while trace is not None:
                if trace.tb_frame.f_code.co_filename == FILENAME:
                    lines.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
                trace = trace.tb_next
            self.log.append(f"-> {error!r} from {error.__context__!r} at {lines}")


class Value:
    """A value that logs what is asked of it."""

    def __init__(self, world: World, name: str, value: int) -> None:
        self.world, self.name, self.value = world, name, value

    def __repr__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        entry = f"bool {self.name}"
        if not (TESTS_INNER_ONCE and self.world.log[-1:] == [entry]):
            self.world.log.append(entry)
        return bool(self.value)

    def _compare(self, other: object) -> bool:
        self.world.log.append(f"{self.name} compared")
        return self.world.next() % 2 == 0

    __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __eq__(self, other: object) -> bool:
        return self._compare(other)

    def __hash__(self) -> int:
        return self.value


class Manager:
    def __init__(self, world: World, value: int) -> None:
        self.world, self.value = world, value

    def __enter__(self) -> Manager:
        self.world.log.append("enter")
        if self.value == 8:
            raise KeyError("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        self.world.log.append(f"exit {kind and kind.__name__}")
        if self.value == 7:
            raise ValueError("exit")
        return self.value % 2 == 0 and kind is not SystemExit


# -- the oracle of branches -----------------------------------------------------------------------------


class Witness(ast.NodeTransformer):
    """Asks `saw(site, value)` for the outcome of every test, by plain calls.

    It handles the sites whose outcome is the truth of one expression; truths are tested twice, which is
    why it runs a copy of the program whose values do not tell.
    """

    def __init__(self, table: BranchTable) -> None:
        self.table = table

    def saw(self, node: ast.expr, first: int) -> ast.expr:
        name = ast.Name("saw", ast.Load())
        return ast.copy_location(ast.Call(name, [ast.Constant(int(first)), node], []), node)

    def visit_test(self, node: Any) -> ast.AST:
        site = self.table.at(node)
        self.generic_visit(node)
        if site is not None:
            node.test = self.saw(node.test, site.first)
        return node  # type: ignore[no-any-return]

    visit_If = visit_While = visit_IfExp = visit_Assert = visit_test

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        sites = [self.table.at(node, part) for part in range(len(node.values) - 1)]
        self.generic_visit(node)
        for part, site in enumerate(sites):
            if site is not None:
                node.values[part] = self.saw(node.values[part], site.first)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        sites = [self.table.at(node, part) for part in range(1, 1 + len(node.ifs))]
        self.generic_visit(node)
        node.ifs = [
            test if site is None else self.saw(test, site.first)
            for test, site in zip(node.ifs, sites, strict=True)
        ]
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        site = self.table.at(node, 1)
        self.generic_visit(node)
        if node.guard is not None and site is not None:
            node.guard = self.saw(node.guard, site.first)
        return node


WITNESSED = ("if", "while", "conditional", "assert", "operand", "filter", "guard")


def branches_seen(source: str, script: list[int]) -> set[str]:
    tree = ast.parse(source)
    table = BranchTable.of(tree, source)
    seen: set[int] = set()
    world = World(script)

    def saw(first: int, value: object) -> object:
        before = len(world.log)
        seen.add(first if value else first + 1)
        del world.log[before:]
        return value

    tree = ast.fix_missing_locations(Witness(table).visit(tree))
    execute(compile(tree, FILENAME, "exec"), {**world.names(), "saw": saw})
    return {f"{edge.site.index} {edge.outcome}" for edge in table.edges if edge.id in seen}


# -- the oracle of lines --------------------------------------------------------------------------------


def lines_run(source: str, script: list[int]) -> tuple[Observed, list[str], set[int]]:
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != FILENAME:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    world = World(script)
    return plainly(source, world.names(), trace), world.log, lines


def check(choices: list[int], script: list[int], thin_at: tuple[int, ...]) -> None:
    source = Program(choices).text()
    warnings.simplefilter("ignore")  # `1 is not 2`
    try:
        compile(source, FILENAME, "exec")
    except SyntaxError:
        return  # a comprehension that binds what it reads, a `case` behind one that takes all
    expected, log, lines = lines_run(source, script)
    world = World(script)
    usual, probes._THIN_AT = probes._THIN_AT, thin_at
    try:
        seen, _ = instrumented(source, world.names())
    finally:
        probes._THIN_AT = usual
    assert world.log == log
    assert seen == expected
    table = BranchTable.of_source(source)
    hit = next(iter(probes.measured().values()))
    # A lambda may stand on a line that is not a statement's.
    statements = [statement for statement in table.statements if table.scopes[statement.scope].kind != "lambda"]
    counted = {statement.line for statement in statements}
    claimed = {statement.line for statement in statements if statement.probe in hit}
    assert claimed <= lines
    assert TRACES_DEAD_LINES or claimed == lines & counted
    ours = {
        f"{edge.site.index} {edge.outcome}"
        for edge in table.edges
        if edge.id in hit and edge.site.kind in WITNESSED
    }
    assert ours == branches_seen(source, script)


def numbers(limit: int, count: int) -> st.SearchStrategy[list[int]]:
    """Long random lists; drawn number by number they would mostly be short and full of zeros."""
    return st.integers(0, 2**32).map(lambda seed: random.Random(seed).choices(range(limit), k=count))


CHOICES = numbers(48, 200)
SCRIPT = numbers(10, 37)
THIN = st.sampled_from([(2, 16, 128), (1, 2, 3), (2, 4)])
USUAL = settings(
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    max_examples=250,
)


@USUAL
@given(CHOICES, SCRIPT, THIN)
def test_random_programs(choices: list[int], script: list[int], thin_at: tuple[int, ...]) -> None:
    check(choices, script, thin_at)


@pytest.mark.slow
@settings(USUAL, max_examples=4000)
@given(CHOICES, SCRIPT, THIN)
def test_many_random_programs(choices: list[int], script: list[int], thin_at: tuple[int, ...]) -> None:
    check(choices, script, thin_at)


def test_programs_are_worth_running() -> None:
    """The generator reaches every kind of statement and site."""
    kinds: set[str] = set()
    for seed in range(60):
        choices = [(seed * 31 + index * index * 7 + index * seed) % 48 for index in range(150)]
        source = Program(choices).text()
        kinds |= {site.kind for site in BranchTable.of_source(source).sites}
    assert {"if", "while", "for", "try", "handler", "with", "case", "link", "operand", "filter"} <= kinds


def test_exit_status_of_the_generator() -> None:
    """A program that runs too long is ended in the same way by both."""
    source = "def program(a, b, c):\n    while True: t(1)\nrun(program)\n"
    source_lines(source)
    for run in (lambda world: plainly(source, world), lambda world: instrumented(source, world)[0]):
        seen = run(World([1]).names())
        assert "SystemExit" in seen.failure[-1]

