"""Random conditions that are true of known inputs: never called unsatisfiable, and every model satisfies them."""

import random

import pytest

from ramify.runtime.solver import Sat, Solver, SolverOptions, Unsat
from ramify.runtime.terms import Evaluator, satisfies
from ramify.runtime.terms import language as T

x, y = T.var("x", T.INT), T.var("y", T.INT)
f, g = T.var("f", T.FLOAT), T.var("g", T.FLOAT)
p = T.var("p", T.BOOL)
s, t = T.var("s", T.STR), T.var("t", T.STR)
numbers = T.var("l", T.seq_of(T.INT))
PARENT = {"x": 0, "y": 0, "f": 0.0, "g": 0.0, "p": False, "s": "", "t": "", "l": []}
COMPARISONS = [T.eq, T.ne, T.lt, T.le, T.gt, T.ge]
ON_TWO = [T.add, T.sub, T.mul, T.floordiv, T.mod, T.and_bits, T.xor_bits]
ON_ONE = [T.neg, T.abs_, T.invert, T.bit_length]
ON_FLOATS = [T.add, T.sub, T.mul, T.truediv]


class Maker:
    """Makes random terms, always the same ones for a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *options):
        return self.random.choice(options)

    def integer(self, depth):
        if depth == 0 or self.random.random() < 0.3:
            constant = T.const(self.pick(-9, -2, -1, 0, 1, 2, 3, 8, 16, 255, 1000))
            return self.pick(x, y, constant, T.length(s), T.length(numbers))
        inner = [self.integer(depth - 1) for _ in range(2)]
        shape = self.random.randrange(8)
        if shape <= 2:
            return self.pick(*ON_TWO)(*inner)
        if shape == 3:
            return self.pick(*ON_ONE)(inner[0])
        if shape == 4:
            return self.pick(T.lshift, T.rshift, T.pow_)(inner[0], T.const(self.pick(0, 1, 2, 3)))
        if shape == 5:
            return self.pick(T.to_int, T.floor_, T.round_)(self.float(depth - 1))
        if shape == 6:
            return self.pick(T.select(numbers, inner[0]), T.index_of(s, t, inner[0]))
        return T.ite(self.condition(depth - 1), *inner)

    def float(self, depth):
        if depth == 0 or self.random.random() < 0.4:
            return self.pick(f, g, T.const(self.pick(0.0, 1.5, -2.0, 0.1, -0.0)))
        if self.random.random() < 0.2:
            return T.to_float(self.integer(depth - 1))
        return self.pick(*ON_FLOATS)(self.float(depth - 1), self.float(depth - 1))

    def condition(self, depth):
        shape = self.random.randrange(9)
        if shape <= 3:
            return self.pick(*COMPARISONS)(self.integer(depth), self.integer(depth))
        if shape == 4:
            return self.pick(*COMPARISONS)(self.float(depth), self.float(depth))
        if shape == 5:
            return self.pick(*COMPARISONS)(self.integer(depth), self.float(depth))
        if shape == 6:
            return self.pick(T.and_, T.or_)(self.condition(0), self.condition(0))
        return self.pick(p, T.contains(s, t), self.pick(*COMPARISONS)(s, t), T.is_nan(f))

    def inputs(self):
        return {
            "x": self.random.randint(-6, 12),
            "y": self.random.randint(-6, 12),
            "f": self.pick(0.0, -0.0, 1.5, -2.25, 0.1, float("nan"), float("inf"), 3.0),
            "g": self.pick(0.0, 1.0, -1.5, 0.3),
            "p": self.pick(False, True),
            "s": self.pick("", "a", "ab", "ba9"),
            "t": self.pick("", "a", "b"),
            "l": [self.random.randint(-3, 3) for _ in range(self.random.randint(0, 3))],
        }


@pytest.mark.parametrize("seed", range(4))
def test_no_known_solution_is_denied(seed):
    make = Maker(seed)
    solver = Solver(SolverOptions(guess=seed % 2 == 0, rlimit=40_000))
    for _ in range(60):
        inputs = make.inputs()
        evaluator = Evaluator(inputs)
        constraints = []
        for _ in range(make.random.randint(1, 4)):
            condition = make.condition(make.random.randint(0, 2))
            for claim in (condition, T.not_(condition)):
                if evaluator.holds(claim) and not claim.is_const:
                    constraints.append(claim)
        if constraints:
            verdict = solver.solve(constraints[:-1], constraints[-1], PARENT)
            assert not isinstance(verdict, Unsat), (constraints, inputs)
            if isinstance(verdict, Sat):
                assert satisfies(verdict.model, constraints), (constraints, verdict)
    assert solver.stats.queries["sat"] > 40
