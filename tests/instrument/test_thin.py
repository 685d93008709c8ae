"""Spent probes disappear from functions, and nothing is lost or changed by it."""

from __future__ import annotations

import dis
from types import CodeType, FunctionType
from typing import Any

import pytest

from ramify.cfg.table import BranchTable
from ramify.instrument import probes
from ramify.instrument.coverage import instrument


class Module:
    """A source, instrumented and run, with what is still missing of it in words."""

    def __init__(self, source: str, name: str) -> None:
        self.built = instrument(source.encode(), name)
        assert not self.built.declined
        self.name = name
        self.table = BranchTable.of_source(source)
        probes.activate(self.built, name)
        self.globals: dict[str, Any] = {"__name__": name}
        exec(self.built.code, self.globals)

    def __getitem__(self, name: str) -> Any:
        return self.globals[name]

    def missing(self) -> list[str]:
        hits = probes.measured()[self.name, self.built.digest]
        return [edge.missing for edge in self.table.edges if edge.id not in hits]


def probe_loads(code: CodeType) -> int:
    """How many instructions of a code object, nested ones included, can still reach a recorder."""
    reachable, skip = 0, -1
    for step in dis.get_instructions(code):
        if step.offset < skip:
            continue
        if step.opname == "JUMP_FORWARD" and step.argval - step.offset < 40:
            skip = step.argval
        reachable += str(step.argval).startswith("__ramify_")
    return reachable + sum(probe_loads(const) for const in code.co_consts if isinstance(const, CodeType))


def test_a_function_whose_branches_are_all_covered_runs_its_plain_code() -> None:
    module = Module("def sign(x):\n    if x < 0:\n        return -1\n    return 1\n", "sign.py")
    sign: FunctionType = module["sign"]
    assert probe_loads(sign.__code__) > 0
    assert [sign(x) for x in (-2, 3) * 10] == [-1, 1] * 10
    assert probe_loads(sign.__code__) == 0
    assert sign.__code__ == next(c for c in module.built.plain.co_consts if isinstance(c, CodeType))
    assert module.missing() == []


def test_an_uncovered_branch_keeps_its_probe_and_is_still_seen_later() -> None:
    module = Module("def sign(x):\n    if x < 0:\n        return -1\n    return 1\n", "late.py")
    for _ in range(300):
        module["sign"](1)
    assert module.missing() == ["line 2: `if x < 0` never true"]
    assert module["sign"](-1) == -1
    assert module.missing() == []


EXPRESSIONS = """\
def choose(a, b):
    return [x or b for x in a if x != 3 and 0 <= abs(x) < 5] if a else lambda: b and a
"""


def test_probes_inside_expressions_disappear_too() -> None:
    module = Module(EXPRESSIONS, "expressions.py")
    before = probe_loads(module["choose"].__code__)
    for _ in range(300):
        assert module["choose"]([1, 0, 7], 2) == [1, 2]
    assert 0 < probe_loads(module["choose"].__code__) < before
    assert module["choose"]([], 0)() == 0
    assert module["choose"]([], 1)() == []
    assert module["choose"]([3], 1) == []
    assert module.missing() == ["line 2: `0 <= abs(x) ...` never false"]


def test_functions_made_anew_on_every_call_are_thinned_as_well() -> None:
    source = "def outer(n):\n    def inner(x):\n        return n if x else 0\n    return inner\n"
    module = Module(source, "made.py")
    for turn in range(200):
        inner = module["outer"](turn)
        assert (inner(1), inner(0)) == (turn, 0)
    assert probe_loads(module["outer"](5).__code__) == 0
    assert module.missing() == []


def test_reset_puts_the_probes_back() -> None:
    module = Module("def f(x):\n    return 1 if x else 2\n", "reset.py")
    for _ in range(50):
        module["f"](1), module["f"](0)
    assert module.missing() == []
    probes.reset()
    module["f"](0)
    assert module.missing() == ["line 2: `... if x else ...` never true"]


MANY_CONSTANTS = f"""\
def f(x):
    if x in [{", ".join(f"x + {n}" for n in range(7000, 7400))}]:
        return 1 if x == 7 else 2
    return 0
"""


def test_code_with_more_constants_than_one_byte_counts() -> None:
    module = Module(MANY_CONSTANTS, "constants.py")
    assert [module["f"](1) for _ in range(200)] == [0] * 200
    assert len(module.missing()) == 3


GENERATOR = """\
def numbers(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                yield got
    finally:
        done.append(n)
done = []
"""


@pytest.mark.parametrize("rounds", [1, 3, 40, 300])
def test_generators_keep_their_protocol(rounds: int) -> None:
    module = Module(GENERATOR, f"generator{rounds}.py")
    for _ in range(rounds):
        numbers = module["numbers"](3)
        assert (next(numbers), numbers.send("x"), next(numbers), next(numbers)) == (0, "x", 1, 2)
        numbers.close()
    assert module["done"] == [3] * rounds
    assert module.missing() == ["line 3: `for i in range(n)` never ran to its end"]
