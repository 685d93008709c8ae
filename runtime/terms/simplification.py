"""Cheap rewritings applied when a term is first built: each takes the arguments and gives a simpler equal
term, or None.

Equal means equal wherever Python raises nothing. Floats are left alone: nan, -0.0 and rounding break most
identities.
"""

from __future__ import annotations

from ramify.runtime.terms.nodes import BOOL, FALSE, FLOAT, INT, STR, TRUE, Term, _table, const, make, walk

MAX_FACTOR = 10_000  # bits of a constant that factors are gathered in
MAX_JOINED = 32  # operands of an `and` or `or` that become operands of the one around it

NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def _is(term: Term, value: int) -> bool:
    return term.op == "const" and term.sort is INT and term.value == value


def add(a: Term, b: Term) -> Term | None:
    if a.sort is not INT:
        return None
    if a.op == "const":
        return make("add", b, a)
    if b.op == "const":
        if b.value == 0:
            return a
        if a.op == "add" and a.args[1].op == "const":
            return make("add", a.args[0], const(a.args[1].value + b.value))
    return None


def sub(a: Term, b: Term) -> Term | None:
    if a.sort is not INT:
        return None
    if b.op == "const":
        return make("add", a, const(-b.value))
    return const(0) if a is b else make("neg", b) if _is(a, 0) else None


def mul(a: Term, b: Term) -> Term | None:
    if a.sort is not INT:
        return None
    if a.op == "const":
        return make("mul", b, a)
    if b.op == "const":
        if b.value == 0:
            return b
        if b.value == 1:
            return a
        if a.op == "mul" and a.args[1].op == "const" and b.value.bit_length() <= MAX_FACTOR:
            return make("mul", a.args[0], const(a.args[1].value * b.value))
    return None


def neg(a: Term) -> Term | None:
    return a.args[0] if a.op == "neg" else None


def floordiv(a: Term, b: Term) -> Term | None:
    return a if a.sort is INT and _is(b, 1) else None


def mod(a: Term, b: Term) -> Term | None:
    return const(0) if a.sort is INT and _is(b, 1) else None


def power(a: Term, b: Term) -> Term | None:
    return a if a.sort is INT and _is(b, 1) else const(1) if a.sort is INT and _is(b, 0) else None


def shift(a: Term, b: Term) -> Term | None:
    return a if _is(b, 0) else None


def and_bits(a: Term, b: Term) -> Term | None:
    if a.sort is BOOL:
        return make("and", a, b)
    if a.op == "const":
        return make("and_bits", b, a)
    return b if _is(b, 0) else a if a is b or _is(b, -1) else None


def or_bits(a: Term, b: Term) -> Term | None:
    if a.sort is BOOL:
        return make("or", a, b)
    if a.op == "const":
        return make("or_bits", b, a)
    return a if a is b or _is(b, 0) else b if _is(b, -1) else None


def xor_bits(a: Term, b: Term) -> Term | None:
    if a.sort is BOOL:
        return make("ne", a, b)
    if a.op == "const":
        return make("xor_bits", b, a)
    return const(0) if a is b else a if _is(b, 0) else None


def invert(a: Term) -> Term | None:
    return a.args[0] if a.op == "invert" else None


def _holds_nan(term: Term) -> bool:
    sort = term.sort
    while sort.element is not None:
        sort = sort.element
    return sort is FLOAT


def comparison(name: str, a: Term, b: Term) -> Term | None:
    if a is b and not _holds_nan(a):
        return TRUE if name in ("eq", "le", "ge") else FALSE
    if name in ("eq", "ne"):
        if a.sort is not b.sort and not (a.sort.element and b.sort.element) and {a.sort, b.sort} != {INT, FLOAT}:
            return FALSE if name == "eq" else TRUE
        if a.sort is BOOL and a.op == "const":
            a, b = b, a
        if b.sort is BOOL and b.op == "const":
            return a if b.value == (name == "eq") else make("not", a)
    if a.op == "const":
        return make(MIRRORED[name], b, a)
    if b.op == "const":
        if a.op == "bool_to_int":
            return _bit(name, a.args[0], b)
        if a.op == "len" and b.sort is INT and b.value <= 0:
            return _length_bound(name, a, b)
    return None


def _bit(name: str, flag: Term, number: Term) -> Term:
    """`int(flag) == 1` is `flag`, and so on for every comparison with a constant."""
    of_false, of_true = make(name, const(0), number), make(name, const(1), number)
    if of_false is of_true:
        return of_false
    return flag if of_true is TRUE else make("not", flag)


def _length_bound(name: str, length: Term, bound: Term) -> Term | None:
    """No length is negative."""
    if bound.value < 0:
        return TRUE if name in ("ne", "gt", "ge") else FALSE
    return {"ge": TRUE, "lt": FALSE}.get(name)


def not_(a: Term) -> Term | None:
    if a.op == "not":
        return a.args[0]
    if a.op in ("eq", "ne") or (a.op in NEGATED and not any(_holds_nan(side) for side in a.args)):
        return make(NEGATED[a.op], *a.args)
    return None


def and_(*args: Term) -> Term | None:
    return _junction("and", TRUE, FALSE, args)


def or_(*args: Term) -> Term | None:
    return _junction("or", FALSE, TRUE, args)


def _junction(name: str, neutral: Term, absorbing: Term, args: tuple[Term, ...]) -> Term | None:
    flat: dict[Term, None] = {}
    for arg in args:
        # A chain is flattened piece by piece: all of it at every step would take quadratic time and space.
        for part in arg.args if arg.op == name and len(arg.args) <= MAX_JOINED else (arg,):
            if part is not neutral:
                flat[part] = None
    if absorbing in flat:
        return absorbing
    kept = list(flat)
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    return make(name, *kept) if tuple(kept) != args else None


def ite(condition: Term, then: Term, otherwise: Term) -> Term | None:
    if condition.op == "const":
        return then if condition.value else otherwise
    if then is otherwise:
        return then
    if then is TRUE and otherwise is FALSE:
        return condition
    if then is FALSE and otherwise is TRUE:
        return make("not", condition)
    if condition.op == "not":
        return make("ite", condition.args[0], otherwise, then)
    return None


def concat(a: Term, b: Term) -> Term | None:
    if a.op == "const" and not a.value:
        return b
    if b.op == "const":
        if not b.value:
            return a
        if a.op == "concat" and a.args[1].op == "const":
            return make("concat", a.args[0], make("concat", a.args[1], b))
    if a.op == b.op == "seq":
        return make("seq", *a.args, *b.args)
    return None


def length(a: Term) -> Term | None:
    if a.op in ("concat", "store"):
        # From the bottom up, so that what stands inside is known when it is asked for: no recursion.
        for node in walk((a,), skip=lambda t: t.op not in ("concat", "store") or ("len", t) in _table):
            if node is not a:
                make("len", node)
    if a.op == "concat":
        return make("add", make("len", a.args[0]), make("len", a.args[1]))
    if a.op == "store":
        return make("len", a.args[0])
    if a.op == "seq":
        return const(len(a.args))
    if a.op in ("chr", "char_at") and a.sort is STR:
        return const(1)
    return None


def item(s: Term, i: Term) -> Term | None:
    whole = s
    if i.op != "const":
        return s.args[2] if s.op == "store" and s.args[1] is i else None
    at = i.value
    while True:  # no recursion: a loop may have stored thousands of times
        if s.op == "store":
            place = s.args[1]
            if place.op != "const" or (place.value != at and (at >= 0) != (place.value >= 0)):
                break
            if place.value == at:
                return s.args[2]
            s = s.args[0]
        elif s.op == "concat" and s.args[0].op == "seq" and at >= 0:
            first, second = s.args
            if at < len(first.args):
                return first.args[at]
            s, at = second, at - len(first.args)
        elif s.op == "seq" and -len(s.args) <= at < len(s.args):
            return s.args[at]
        else:
            break
    return None if s is whole else make("char_at" if whole.sort is STR else "select", s, const(at))


def part(s: Term, lo: Term, hi: Term) -> Term | None:
    if _is(lo, 0) and hi.op == "len" and hi.args[0] is s:
        return s
    if s.op == "seq" and lo.op == hi.op == "const":
        kept = s.args[lo.value : hi.value]
        return make("seq", *kept) if kept else const((), s.sort)
    return None


def store(s: Term, i: Term, v: Term) -> Term | None:
    if s.op == "store" and s.args[1] is i:
        return make("store", s.args[0], i, v)
    if s.op == "seq" and i.op == "const" and -len(s.args) <= i.value < len(s.args):
        changed = list(s.args)
        changed[i.value] = v
        return make("seq", *changed)
    return None


def is_space(s: Term) -> Term | None:
    """A stripped text neither begins nor ends with a blank."""
    if s.op == "char_at" and s.args[1].op == "const":
        stripped, at = s.args[0].op, s.args[1].value
        if (at == 0 and stripped in ("strip", "lstrip")) or (at == -1 and stripped in ("strip", "rstrip")):
            return FALSE
    return None


def inverse_of(name: str):  # type: ignore[no-untyped-def]
    """The argument of the inner call when this operation undoes it."""

    def undo(a: Term) -> Term | None:
        return a.args[0] if a.op == name else None

    return undo
