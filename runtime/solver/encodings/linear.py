"""Flattens sums: a long chain such as `((a + b) + b) + 3 * a` becomes one sum of multiples.

Loops that add up their input build chains thousands deep, on which Z3 takes quadratic time.
"""

from __future__ import annotations

from heapq import heappop, heappush

from ramify.runtime.terms import INT, Term

MAX_FACTOR_BITS = 10_000
MAX_STEPS = 100_000  # nodes of one sum

Sum = tuple[list[tuple[Term, int]], int]  # terms that are no sums with their factors, and a constant


def is_sum(term: Term) -> bool:
    if term.sort is not INT:
        return False
    return term.op in ("add", "sub", "neg") or (term.op == "mul" and term.args[1].op == "const")


def is_chain(term: Term) -> bool:
    """A sum whose operands are sums again."""
    return is_sum(term) and any(is_sum(arg) for arg in term.args)


def flatten(term: Term) -> Sum:
    """The sum as multiples of its operands. Newer nodes come first, so each is met once.

    Raises OverflowError when factors or the sum explode.
    """
    factors: dict[Term, int] = {term: 1}
    newest = [(-term.uid, term)]
    operands: list[tuple[Term, int]] = []
    constant = steps = 0
    while newest:
        node = heappop(newest)[1]
        steps += 1
        if steps > MAX_STEPS:
            raise OverflowError("a sum")
        factor = factors.pop(node)
        if factor == 0:
            continue
        if factor.bit_length() > MAX_FACTOR_BITS:
            raise OverflowError("factors of a sum")
        if node.op == "const":
            constant += factor * node.value
            continue
        if not is_sum(node):
            operands.append((node, factor))
            continue
        for arg, times in _parts(node):
            if arg not in factors:
                factors[arg] = 0
                heappush(newest, (-arg.uid, arg))
            factors[arg] += factor * times
    operands.reverse()  # oldest first, as they were written
    return operands, constant


def _parts(node: Term) -> list[tuple[Term, int]]:
    if node.op == "mul":
        return [(node.args[0], node.args[1].value)]
    if node.op == "neg":
        return [(node.args[0], -1)]
    return [(node.args[0], 1), (node.args[1], 1 if node.op == "add" else -1)]
