"""Translates terms to Z3, each node once per context, through the C API; the tables of handlers stand in
z3reals, z3bits, z3ieee, z3texts.

A handler gets the encoder, the node and its translated arguments and returns a Z3 node. Whatever limits the
solutions without being implied is assumed beside the node and makes the answer "unsat" worthless.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import z3
from z3 import z3core as c

from ramify.runtime.solver.encodings.linear import Sum, flatten, is_chain
from ramify.runtime.terms import BOOL, INT, MAX_DECIMAL_BITS, Sort, Term, walk

Ast = Any
MAX_BUILT = 5_000  # new nodes of one constraint; beyond, Z3's preprocessing takes minutes that no limit counts

MAX_FLATTENED = 20_000  # operands of the sums among them

SortMaker = Callable[[Any], Any]
Handler = Callable[["Encoder", Term, list[Ast]], Ast]


class Unsupported(Exception):
    """The encoding has no translation for an operation."""


class Encoder:
    """One encoding in one Z3 context. Nodes are reference-counted at once and live as long as the context."""

    def __init__(
        self,
        sorts: Mapping[Sort, SortMaker],
        handlers: Mapping[str, Handler],
        exact: bool = True,
        flat: bool = True,
    ) -> None:
        self.context = z3.Context()
        self.ref = self.context.ref()
        self._kept: list[Ast] = []
        weakref.finalize(self, _release, self.context, self._kept)
        self.integer = self.keep_sort(c.Z3_mk_int_sort(self.ref))
        self.real = self.keep_sort(c.Z3_mk_real_sort(self.ref))
        self._sorts = {BOOL: self.keep_sort(c.Z3_mk_bool_sort(self.ref))}
        for sort, make in sorts.items():
            self._sorts[sort] = self.keep_sort(make(self.ref))
        self._handlers = {**COMMON, **handlers}
        self._exact = exact
        self.flat = flat  # long sums in one piece
        self._side: dict[Term, list[Ast]] = {}  # conditions to assert beside a node
        self._inexact: set[Term] = set()
        self._nodes: dict[Term, Ast] = {}
        self.declarations: dict[str, tuple[Any, Sort]] = {}  # of the variables, by name

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            raise Unsupported(f"sort {sort!r}")
        return found

    def keep_sort(self, sort: Any) -> Any:
        self.keep(c.Z3_sort_to_ast(self.ref, sort))
        return sort

    def size(self) -> int:
        return len(self._nodes)

    def keep(self, ast: Ast) -> Ast:
        c.Z3_inc_ref(self.ref, ast)
        self._kept.append(ast)
        return ast

    def translate(self, term: Term) -> Ast:
        """The Z3 node of a term. Raises Unsupported for unknown operations and enormous terms."""
        nodes = self._nodes
        if term in nodes:
            return nodes[term]
        stack = [term]
        built = 0
        chains: dict[Term, Sum | None] = {}
        flattened = 0
        while stack:
            node = stack[-1]
            if node in nodes:
                stack.pop()
                continue
            if node not in chains:
                chains[node] = chain = self._chain(node)
                flattened += 0 if chain is None else len(chain[0]) + 1
                if flattened > MAX_FLATTENED:  # sums of sums that are all used elsewhere as well
                    raise Unsupported("so large a term")
            chain = chains[node]
            operands = node.args if chain is None else [operand for operand, _ in chain[0]]
            waiting = [a for a in operands if a not in nodes]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            nodes[node] = self.keep(self._build(node) if chain is None else self._sum(chain))
            built += 1
            if built > MAX_BUILT:
                raise Unsupported("so large a term")
            stack.pop()
        return nodes[term]

    def _chain(self, node: Term) -> Sum | None:
        if not self.flat or not is_chain(node):
            return None
        try:
            return flatten(node)
        except OverflowError:
            raise Unsupported("so large a number") from None

    def _build(self, node: Term) -> Ast:
        handler = self._handlers.get(node.op)
        if handler is None:
            raise Unsupported(node.op)
        return handler(self, node, [self._nodes[a] for a in node.args])

    def _sum(self, chain: Sum) -> Ast:
        operands, constant = chain
        parts = [self._nodes[n] if k == 1 else self.mul(self.number(k), self._nodes[n]) for n, k in operands]
        return self.add(*parts, self.number(constant)) if constant or not parts else self.add(*parts)

    def conditions(self, term: Term) -> list[Ast]:
        """The side conditions of everything inside a translated term."""
        if not self._side:
            return []
        return [s for node in walk((term,)) for s in self._side.get(node, ())]

    def assume(self, node: Term, condition: Ast, implied: bool = False) -> None:
        """Assert a condition beside a node; unless every solution meets it, the encoding is no longer
        exact.
        """
        self._side.setdefault(node, []).append(self.keep(condition))
        if not implied:
            self._inexact.add(node)

    def is_exact(self, term: Term) -> bool:
        return self._exact and (not self._inexact or not any(n in self._inexact for n in walk((term,))))

    # Small vocabulary for the handlers
    def number(self, value: int | Fraction, sort: Any = None) -> Ast:
        # Z3 takes decimal digits only, and its time for a step grows with them where no limit counts.
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_DECIMAL_BITS:
            raise Unsupported("so large a number")
        try:
            text = str(value)
        except ValueError:  # Python's limit of digits was lowered
            raise Unsupported("so large a number") from None
        return self.keep(c.Z3_mk_numeral(self.ref, text, sort or self.integer))

    def nary(self, build: Callable[..., Ast], *args: Ast) -> Ast:
        return self.keep(build(self.ref, len(args), (c.Ast * len(args))(*args)))

    def call(self, build: Callable[..., Ast], *args: Ast) -> Ast:
        return self.keep(build(self.ref, *args))

    def ite(self, condition: Ast, then: Ast, otherwise: Ast) -> Ast:
        return self.call(c.Z3_mk_ite, condition, then, otherwise)

    def add(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_add, *args)

    def sub(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_sub, *args)

    def mul(self, *args: Ast) -> Ast:
        return self.nary(c.Z3_mk_mul, *args)


def _release(context: z3.Context, kept: list[Ast]) -> None:
    """Gives back what was kept, users before their parts: deleting a context with nodes that somebody still counts
    takes Z3 milliseconds for each, half a minute at the end of a search.
    """
    while kept:
        c.Z3_dec_ref(context.ref(), kept.pop())


def simple(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, *args)


def chained(build: Callable[..., Ast]) -> Handler:
    return lambda e, node, args: build(e.ref, len(args), (c.Ast * len(args))(*args))


def negated(handler: Handler) -> Handler:
    return lambda e, node, args: c.Z3_mk_not(e.ref, e.keep(handler(e, node, args)))


def by_first(flags: Handler, others: Handler) -> Handler:
    """Equality: of flags, or of anything else."""
    return lambda e, node, args: (flags if node.args[0].sort is BOOL else others)(e, node, args)


def variable(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    sort = e.sort(node.sort)
    symbol = c.Z3_mk_string_symbol(e.ref, node.value)
    declaration = c.Z3_mk_func_decl(e.ref, symbol, 0, (c.Sort * 0)(), sort)
    e.keep(c.Z3_func_decl_to_ast(e.ref, declaration))
    e.declarations[node.value] = declaration, node.sort
    return c.Z3_mk_app(e.ref, declaration, 0, (c.Ast * 0)())


def flag(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    return c.Z3_mk_true(e.ref) if node.value else c.Z3_mk_false(e.ref)


def bool_to_int(e: Encoder, node: Term, args: list[Ast]) -> Ast:
    sort = e.sort(INT)
    return e.ite(args[0], e.number(1, sort), e.number(0, sort))


COMMON: dict[str, Handler] = {
    "var": variable,
    "not": simple(c.Z3_mk_not),
    "and": chained(c.Z3_mk_and),
    "or": chained(c.Z3_mk_or),
    "ite": simple(c.Z3_mk_ite),
    "bool_to_int": bool_to_int,
}
