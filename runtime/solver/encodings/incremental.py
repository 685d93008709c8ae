"""Z3 solvers kept alive between queries: only the part of a query that differs from the previous one is
pushed and popped.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3
from z3 import z3core as c

from ramify.runtime.sandbox import interruptible
from ramify.runtime.solver.encodings import z3bits, z3ieee, z3reals, z3texts
from ramify.runtime.solver.encodings.encoder import Encoder, Handler, SortMaker, Unsupported
from ramify.runtime.solver.verdict import UNSAT, Sat, Stats, Unknown, Verdict
from ramify.runtime.terms import FLOAT, INT, Assignment, Sort, Term, from_decimal, variables_of, walk

MAX_QUERY = 10_000  # nodes of one query: asserting more may take Z3 minutes, and no limit stops it there
MAX_NODES = 200_000  # translated nodes after which a fresh context is begun
MAX_CHOICES = 3_200  # in one constraint: on 4,000 nested ones Z3 took half a minute
MAX_DEGREE = 100  # of a polynomial
MAX_OPERANDS = 20_000
MOST_POWER = 8  # a product for each exponent that is tried
FLATTENED = {"and", "or", "concat", "mul"}
MAX_DIGITS = 60_000  # of an integer in a model


@dataclass(frozen=True, slots=True)
class Encoding:
    """How terms are translated, and the Z3 solver that measured best on the result."""

    sorts: Mapping[Sort, SortMaker]
    handlers: Mapping[str, Handler]
    solver: Callable[[z3.Context], z3.Solver]
    exact: bool = True
    incremental: bool = True  # push and pop; Z3's tactics for bits and floats work only without


ENCODINGS = {
    "reals": Encoding(z3reals.SORTS, z3reals.REALS, lambda context: z3.SimpleSolver(ctx=context)),
    "bits": Encoding(
        z3bits.SORTS,
        z3bits.BITS,
        lambda context: z3.SolverFor("QF_BV", ctx=context),
        exact=False,
        incremental=False,
    ),
    "ieee": Encoding(z3ieee.SORTS, z3ieee.IEEE, lambda context: z3.Solver(ctx=context), incremental=False),
    # Pushing texts may take for ever, and no limit stops it there; checking them may not.
    "texts": Encoding(
        z3texts.SORTS, z3texts.TEXTS, lambda context: z3.SimpleSolver(ctx=context), incremental=False
    ),
}


class Incremental:
    """One encoding and its solver. The stack mirrors the constraints of the last query, one level each."""

    def __init__(self, mode: str, stats: Stats, keep_prefix: bool = True) -> None:
        self.mode = mode
        self._stats = stats
        self._keep_prefix = keep_prefix and ENCODINGS[mode].incremental
        self._sizes: dict[Term, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._sizes.clear()
        encoding = ENCODINGS[self.mode]
        flat = self.mode != "bits"  # where sums are Z3's own
        self.encoder = Encoder(encoding.sorts, encoding.handlers, encoding.exact, flat)
        self._heavy: dict[Term, bool] = {}
        self._fresh_solver()

    def _fresh_solver(self) -> None:
        self._solver = ENCODINGS[self.mode].solver(self.encoder.context)
        self._solver.set("ctrl_c", False)  # Z3 would swallow KeyboardInterrupt
        self._rlimit = 0
        self._stack: list[Term] = []

    def check(self, constraints: Sequence[Term], rlimit: int) -> Verdict:
        """Sat with the values Z3 gave (unchecked, rounded; variables it does not care about are absent), or
        the other two.

        Raises Unsupported when the encoding has no translation.
        """
        if self._size(constraints) > MAX_QUERY:
            return Unknown(f"{self.mode}: the query has more than {MAX_QUERY:,} parts")
        if self.encoder.size() > MAX_NODES:
            self._begin()
        elif not self._keep_prefix:
            self._fresh_solver()
        if any(map(self._is_heavy, constraints)):
            raise Unsupported("a term that grows when it is written out")
        asts = [self.encoder.translate(t) for t in constraints]  # first, since it may raise
        self._align(constraints, asts)
        start = time.perf_counter()
        if rlimit != self._rlimit:  # setting a parameter costs more than many a check
            self._solver.set("rlimit", rlimit)
            self._rlimit = rlimit
        with interruptible(self.encoder.context.interrupt):
            answer = self._solver.check()
        self._stats.z3_seconds += time.perf_counter() - start
        self._stats.z3_calls += 1
        if answer == z3.sat:
            return Sat(self._values(self._solver.model(), constraints))
        if answer == z3.unsat:
            rounds = self.mode != "ieee"
            exact = all(self.encoder.is_exact(t) and not (rounds and _has_floats(t)) for t in constraints)
            return UNSAT if exact else Unknown(f"unsat only in the encoding {self.mode!r}")
        reason = self._solver.reason_unknown()
        if "incomplete" not in reason:  # given up for good after a few steps, not for lack of them
            self._stats.steps += rlimit
        return Unknown(f"{self.mode}: {reason}")

    def _size(self, constraints: Sequence[Term]) -> int:
        """How many nodes the constraints have; those they share count once where it matters."""
        sizes, total = self._sizes, 0
        for term in constraints:
            size = sizes.get(term)
            if size is None:
                size = sizes[term] = _parts((term,))
            total += size
        return total if total <= MAX_QUERY else _parts(constraints)
    def _is_heavy(self, term: Term) -> bool:
        """Whether Z3 would spend its time before the check begins, where no limit counts."""
        found = self._heavy.get(term)
        if found is None:
            found = self._heavy[term] = _is_unfolded(term, self.encoder.flat)
        return found

    def _align(self, constraints: Sequence[Term], asts: list[Any]) -> None:
        stack = self._stack
        shared = 0
        while shared < len(stack) and shared < len(constraints) and stack[shared] is constraints[shared]:
            shared += 1
        if shared < len(stack):
            self._solver.pop(len(stack) - shared)
            del stack[shared:]
        encoder, ref, solver = self.encoder, self.encoder.ref, self._solver.solver
        for term, ast in zip(constraints[shared:], asts[shared:], strict=True):
            if self._keep_prefix:
                self._solver.push()
                stack.append(term)
            for condition in encoder.conditions(term):
                c.Z3_solver_assert(ref, solver, condition)
            c.Z3_solver_assert(ref, solver, ast)

    def _values(self, model: z3.ModelRef, constraints: Sequence[Term]) -> Assignment:
        ref, declarations = self.encoder.ref, self.encoder.declarations
        values: Assignment = {}
        for name in sorted(variables_of(constraints)):
            declaration, sort = declarations[name]
            ast = c.Z3_model_get_const_interp(ref, model.model, declaration)
            if ast:
                if sort is INT and self.mode != "bits":  # most variables: not worth a z3py object
                    value: Any = _whole(c.Z3_get_numeral_string(ref, ast))
                else:
                    value = read(model[z3.FuncDeclRef(declaration, self.encoder.context)])
                if value is not None:
                    values[name] = value
        return values


def _is_unfolded(term: Term, flat: bool) -> bool:
    """Whether Z3 would make too much of a term: it multiplies products of products out and flattens connectives
    and joined texts inside each other, so that what they share is written as often as it occurs. `flat`: sums of
    integers reach it in one piece.
    """
    choices = 0
    degrees: dict[Term, int] = {}
    operands: dict[Term, int] = {}  # of a connective or a joined text, when those inside it are taken apart
    for node in walk((term,)):
        op, args = node.op, node.args
        choices += op == "ite"
        if op == "mul":
            degrees[node] = sum(degrees[a] for a in args)
        elif op in ("sqrt", "isqrt"):  # a root is the unknown whose square is the number
            degrees[node] = 2 * degrees[args[0]]
        elif op == "pow":
            exponent = args[1]
            degrees[node] = degrees[args[0]] * _times(exponent)
        elif op in ("add", "sub", "neg", "ite", "abs", "lshift", "floordiv"):
            degrees[node] = max(degrees[a] for a in args)
        else:
            degrees[node] = op != "const"
        if op in FLATTENED or (op == "add" and not (flat and node.sort is INT)):
            operands[node] = sum(operands[a] if a.op == op else 1 for a in args)
            if operands[node] > MAX_OPERANDS:
                return True
        if degrees[node] > MAX_DEGREE or choices > MAX_CHOICES:
            return True
    return False


def _times(exponent: Term) -> int:
    if not exponent.is_const:
        return MOST_POWER
    return int(min(max(exponent.value, 1), MAX_DEGREE)) if exponent.value == exponent.value else 1


def _parts(constraints: Sequence[Term]) -> int:
    return sum(node.op not in ("add", "sub") for node in walk(constraints))  # sums are flattened


def read(value: Any) -> Any:
    """A Z3 constant as a Python value (a real as the nearest float), None when it cannot be read."""
    if z3.is_bool(value):
        return z3.is_true(value)
    if z3.is_int_value(value):
        return _whole(value.as_string())
    if z3.is_bv_value(value):
        return value.as_signed_long()
    if z3.is_rational_value(value):
        return _quotient(value)
    if z3.is_algebraic_value(value):
        return _quotient(value.approx(20))
    if isinstance(value, z3.SeqRef):
        return z3texts.read_text(value)
    if isinstance(value, z3.FPNumRef):
        if value.isNaN():
            return float("nan")
        bits = z3.simplify(z3.fpToIEEEBV(value, value.ctx))
        return struct.unpack(">d", bits.as_long().to_bytes(8, "big"))[0] if z3.is_bv_value(bits) else None
    return None


def _whole(digits: str) -> int | None:
    """The integer, unless it is larger than any that evaluation works with."""
    return from_decimal(digits) if len(digits) <= MAX_DIGITS else None


def _quotient(value: z3.RatNumRef) -> float | None:
    parts = str(value.numerator().as_string()), str(value.denominator().as_string())
    numerator, denominator = map(_whole, parts)
    if numerator is None or denominator is None:
        return None
    try:
        return numerator / denominator
    except OverflowError:
        return None


def _has_floats(term: Term) -> bool:
    return any(node.sort is FLOAT for node in walk((term,)))
