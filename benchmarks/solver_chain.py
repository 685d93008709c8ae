"""Prints what each link of the solver chain saves on recorded query streams: run `python
benchmarks/solver_chain.py`.

A stream is what a generational search asks: for every decision of a run, the prefix before it and the
decision reversed. Each stream is solved by the whole chain, by the chain without one link, and by bare Z3;
read the seconds as ratios.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

from ramify.runtime.solver import Sat, Solver, SolverOptions
from ramify.runtime.terms import Assignment, Evaluator, Term
from ramify.runtime.terms import language as T

Decision = tuple[Term, bool]
Program = Callable[[Assignment], Iterator[Term]]  # yields the condition at each branch, taken or not
Query = tuple[list[Term], Term, Assignment]

c = T.const
LINKS = ("deduplicate", "independence", "differences", "cache", "guess", "incremental")


def sorting(assignment: Assignment, size: int = 5) -> Iterator[Term]:
    """Insertion sort of unknown numbers: many small, closely related queries."""
    cells = [T.var(f"l[{k}]", T.INT) for k in range(size)]
    now = Evaluator(assignment)
    for k in range(1, size):
        j = k
        while j > 0:
            less = T.lt(cells[j], cells[j - 1])
            yield less
            if not now.holds(less):
                break
            cells[j - 1], cells[j] = cells[j], cells[j - 1]
            j -= 1


def independent(assignment: Assignment, flags: int = 8) -> Iterator[Term]:
    """Unrelated inputs, each tested a few times."""
    for k in range(flags):
        x = T.var(f"x{k}", T.INT)
        yield T.gt(x, c(10 * k))
        yield T.gt(x, c(10 * k))
        yield T.eq(T.mod(x, c(3)), c(1))


def parsing(assignment: Assignment) -> Iterator[Term]:
    """A small parser of `key=number` with a sign."""
    s = T.var("s", T.STR)
    now = Evaluator(assignment)
    equals = T.index_of(s, c("="), c(0))
    yield T.eq(equals, c(-1))
    if now.value(equals) == -1:
        return
    key, value = T.substr(s, c(0), equals), T.substr(s, T.add(equals, c(1)), T.length(s))
    yield T.eq(T.length(key), c(0))
    yield T.is_alpha(key)
    for word in ("port", "host", "path"):
        yield T.eq(key, c(word))
        if now.value(key) == word:
            break
    else:
        return
    yield T.is_int_text(value, c(10))
    if now.holds(T.is_int_text(value, c(10))):
        number = T.str_to_int(value, c(10))
        yield T.lt(number, c(0))
        yield T.gt(number, c(65535))
        yield T.eq(T.mod(number, c(256)), c(80))


def checksum(assignment: Assignment, digits: int = 6) -> Iterator[Term]:
    """Digits, a weighted sum and its remainder."""
    s = T.var("s", T.STR)
    now = Evaluator(assignment)
    yield T.eq(T.length(s), c(digits))
    if len(assignment["s"]) != digits:
        return
    total: Term = c(0)
    for k in range(digits):
        digit = T.char_at(s, c(k))
        good = T.and_(T.ge(digit, c("0")), T.le(digit, c("9")))
        yield good
        if not now.holds(good):
            return
        total = T.add(total, T.mul(T.sub(T.ord_(digit), c(48)), c(digits - k)))
    yield T.eq(T.mod(total, c(11)), c(0))
    yield T.gt(total, c(100))


def numeric(assignment: Assignment) -> Iterator[Term]:
    """Products, masks and floats."""
    x, y, f = T.var("x", T.INT), T.var("y", T.INT), T.var("f", T.FLOAT)
    yield T.gt(T.mul(x, y), c(50))
    yield T.eq(T.and_bits(x, c(7)), c(5))
    yield T.gt(x, T.add(y, c(3)))
    yield T.eq(T.xor_bits(y, c(12)), c(3))
    yield T.gt(T.add(f, x), c(2.5))
    yield T.lt(T.mul(f, c(2.0)), T.to_float(y))


STREAMS: dict[str, tuple[Program, Assignment, int]] = {
    "sorting": (sorting, {f"l[{k}]": 0 for k in range(5)}, 60),
    "independent": (independent, {f"x{k}": 0 for k in range(8)}, 12),
    "parsing": (parsing, {"s": ""}, 25),
    "checksum": (checksum, {"s": ""}, 25),
    "numeric": (numeric, {"x": 0, "y": 0, "f": 0.0}, 25),
}


def record(program: Program, seed: Assignment, runs: int) -> list[Query]:
    """The queries of a generational search of so many runs, in order."""
    solver = Solver()
    queries: list[Query] = []
    waiting: deque[tuple[Assignment, int]] = deque([(seed, 0)])
    for _ in range(runs):
        if not waiting:
            break
        assignment, bound = waiting.popleft()
        now = Evaluator(assignment)
        path = [cond if now.holds(cond) else T.not_(cond) for cond in program(assignment)]
        for j in range(bound, len(path)):
            query = path[:j], T.not_(path[j]), assignment
            queries.append(query)
            verdict = solver.solve(*query)
            if isinstance(verdict, Sat):
                waiting.append((verdict.model, j + 1))
    return queries


def replay(queries: list[Query], options: SolverOptions) -> tuple[Solver, float, list[str]]:
    solver = Solver(options)
    start = time.perf_counter()
    verdicts = [solver.solve(*query) for query in queries]
    return solver, time.perf_counter() - start, [type(v).__name__ for v in verdicts]


def main() -> None:
    chains = {"whole chain": SolverOptions()}
    chains.update({f"without {link}": replace(SolverOptions(), **{link: False}) for link in LINKS})
    chains["Z3 alone"] = SolverOptions(**dict.fromkeys(LINKS, False))
    Solver().solve([], T.gt(T.mul(T.var("x", T.INT), T.var("x", T.INT)), c(1)), {"x": 0})  # load Z3
    for name, (program, seed, runs) in STREAMS.items():
        queries = record(program, seed, runs)
        print(f"{name}: {len(queries)} queries")
        whole = 0.0
        expected: list[str] = []
        for chain, options in chains.items():
            solver, seconds, verdicts = replay(queries, options)
            whole, expected = (seconds, verdicts) if chain == "whole chain" else (whole, expected)
            hits = ", ".join(f"{rule} {n}" for rule, n in sorted(solver.stats.cache_hits.items())) or "none"
            changed = sum(a != b for a, b in zip(verdicts, expected, strict=True))
            stats = solver.stats
            print(
                f"  {chain:22} {seconds * 1000:8.1f} ms  x{seconds / whole:5.1f}  Z3 calls {stats.z3_calls:5}"
                f"  guessed {stats.attempts['guess sat']:4}  cache hits: {hits}"
                + (f"  VERDICTS CHANGED: {changed}" if changed else "")
            )


if __name__ == "__main__":
    main()
