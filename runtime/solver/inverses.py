"""How to undo an operation: from the value a term should have to the value one of its inputs must get.

The other operands keep their present values. An inverse is a proposal: whoever asks evaluates the whole query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ramify.runtime.solver.regexes import matching
from ramify.runtime.terms import BOOL, DOMAIN_ERRORS, FLOAT, INT, MAX_BITS, STR, Assignment, Evaluator, Sort, Term
from ramify.runtime.terms import language as T

Change = tuple[str, Any]  # an input and its new value

MAX_DEPTH = 100  # choices between operands, one inside the other
MAX_STEPS = 30_000  # operations undone for one condition: through shared parts there may be endlessly many ways
MAX_REPEATED_STEPS = 300_000  # for all conditions that are mended one after the other
MAX_NUMERAL_BITS = 1_000  # of integers written in other bases than ten
MAX_LENGTH = 200  # of texts and sequences made longer by a guess


class Present(Evaluator):
    """The present values of terms, and how many more steps are taken from them."""

    def __init__(self, assignment: Assignment, steps: int = MAX_STEPS) -> None:
        super().__init__(assignment)
        self._most = steps
        self.taken = 0

    def step(self) -> bool:
        """Whether one more may be taken."""
        self.taken += 1
        return self.taken <= self._most


def undo(term: Term, wanted: Any, now: Present, depth: int = 0) -> Iterator[Change]:
    """Changes of one input after which the term should have the wanted value, other inputs being as they
    are.
    """
    while depth < MAX_DEPTH and now.step():
        if type(wanted) is int and wanted.bit_length() > MAX_BITS:
            return  # squared at every step it would fill the memory
        op, args = term.op, term.args
        if op == "var":
            if fits(wanted, term.sort):
                yield term.value, as_lists(wanted)
            return
        if op in TWO_SIDED:
            a, b = args
            for side, other, inverse in ((a, b, TWO_SIDED[op][0]), (b, a, TWO_SIDED[op][1])):
                if not side.is_const:
                    for value in inverse(wanted, now.value(other)):
                        yield from undo(side, value, now, depth + 1)
            return
        values = [now.value(a) for a in args]
        try:
            options = SEVERAL[op](wanted, values) if op in SEVERAL else None
            following = ONE_SIDED[op](wanted, values) if op in ONE_SIDED else None
        except DOMAIN_ERRORS:
            return  # nothing gives the wanted value
        for place, value in options or ():
            yield from undo(args[place], value, now, depth + 1)
        if following is not None and op == "len" and args[0].sort.element is not None:
            following = 0, _filled(following[1], values[0], args[0].sort.element)
        if following is None:
            return
        term, wanted = args[following[0]], following[1]


def _filled(wanted: tuple[Any, ...], value: tuple[Any, ...], element: Sort) -> tuple[Any, ...]:
    """The lengthened sequence with new elements of the right sort."""
    blank: Any = () if element.element is not None else {BOOL: False, INT: 0, FLOAT: 0.0, STR: ""}[element]
    return wanted[: len(value)] + (blank,) * (len(wanted) - len(value))


def as_lists(value: Any) -> Any:
    """Sequences as they stand in assignments."""
    return [as_lists(v) for v in value] if isinstance(value, tuple) else value


def fits(value: Any, sort: Sort) -> bool:
    if sort.element is not None:
        element = sort.element
        return isinstance(value, tuple) and all(fits(v, element) for v in value)
    return type(value) is {BOOL: bool, INT: int, FLOAT: float, STR: str}[sort]


Inverse = Callable[[Any, Any], list[Any]]


def _unless_split(wanted: Any, first: Any) -> list[Any]:
    """What must follow `first` to give the wanted text or sequence."""
    return [wanted[len(first) :]] if wanted[: len(first)] == first else []


def _unless_joined(wanted: Any, last: Any) -> list[Any]:
    cut = len(wanted) - len(last)
    return [wanted[:cut]] if cut >= 0 and wanted[cut:] == last else []


def _factor(wanted: Any, other: Any) -> list[Any]:
    if not other:
        return []
    if isinstance(wanted, int) and isinstance(other, int):
        return [wanted // other] if wanted % other == 0 else []
    return [wanted / other]


# How to get one operand from the result and the other operand: first the left one, then the right one.
TWO_SIDED: dict[str, tuple[Inverse, Inverse]] = {
    "add": (lambda w, b: [w - b], lambda w, a: [w - a]),
    "sub": (lambda w, b: [w + b], lambda w, a: [a - w]),
    "mul": (_factor, _factor),
    "xor_bits": (lambda w, b: [w ^ b], lambda w, a: [w ^ a]),
    "concat": (_unless_joined, _unless_split),
}


def _resized(wanted: int, args: list[Any]) -> tuple[int, Any] | None:
    value = args[0]
    if not 0 <= wanted <= MAX_LENGTH:
        return None
    if len(value) >= wanted:
        return 0, value[:wanted]
    if isinstance(value, str):
        return 0, value + "a" * (wanted - len(value))
    if not value:
        return (0, (0,) * wanted)
    return 0, value + (type(value[0])(),) * (wanted - len(value))


def _replaced(wanted: Any, args: list[Any]) -> tuple[int, Any] | None:
    """One element of a text or sequence changed."""
    value, at = args
    at += len(value) if at < 0 else 0
    middle = wanted if isinstance(value, str) else (wanted,)
    return (0, value[:at] + middle + value[at + 1 :]) if len(middle) == 1 else None


def _same_remainder(wanted: Any, args: list[Any]) -> tuple[int, Any] | None:
    value, divisor = args
    return 0, value - value % divisor + wanted


def _letters(wanted: Any, args: list[Any]) -> tuple[int, Any]:
    return 0, wanted


# How to get one operand (its place, its value) from the result, the others staying as they are.
ONE_SIDED: dict[str, Callable[[Any, list[Any]], tuple[int, Any] | None]] = {
    "neg": lambda w, args: (0, -w),
    "invert": lambda w, args: (0, ~w),
    "abs": lambda w, args: (0, w) if w >= 0 else None,
    "floordiv": lambda w, args: (0, w * args[1]),
    "truediv": lambda w, args: (0, type(args[0])(w * args[1])),
    "mod": _same_remainder,
    "rshift": lambda w, args: (0, w << args[1]) if args[1] < 64 else None,
    "to_float": lambda w, args: (0, int(w)) if math.isfinite(w) else None,
    "to_int": lambda w, args: (0, float(w)),
    "floor": lambda w, args: (0, float(w)),
    "ceil": lambda w, args: (0, float(w)),
    "round": lambda w, args: (0, float(w)),
    "sqrt": lambda w, args: (0, w * w),
    "bool_to_int": lambda w, args: (0, bool(w)),
    "ite": lambda w, args: (1 if args[0] else 2, w),
    "len": _resized,
    "char_at": _replaced,
    "select": _replaced,
    "table_get": lambda w, args: (2, args[0][args[1].index(w)]) if w in args[1] else None,
    "ord": lambda w, args: (0, chr(w)) if 0 <= w <= 0x10FFFF else None,
    "chr": lambda w, args: (0, ord(w)) if len(w) == 1 else None,
    "lower": _letters,
    "upper": _letters,
    "title": _letters,
    "capitalize": _letters,
    "swapcase": lambda w, args: (0, w.swapcase()),
    "strip": _letters,
    "lstrip": _letters,
    "rstrip": _letters,
    "strip_chars": _letters,
    "lstrip_chars": _letters,
    "rstrip_chars": _letters,
    "casefold": _letters,
    "expandtabs": _letters,
    "replace": _letters,
    "replace_some": _letters,
    "repr": lambda w, args: (0, w[1:-1]),
    "ascii": lambda w, args: (0, w[1:-1]),
    "translate": lambda w, args: (0, _translated_back(w, args[1], args[2])),
    "int_to_str": lambda w, args: (0, int(w)) if w.lstrip("-").isdecimal() else None,
    "float_to_str": lambda w, args: (0, float(w)),
    "bit_count": lambda w, args: (0, (1 << w) - 1) if 0 <= w <= 256 else None,
    "bit_length": lambda w, args: (0, 1 << (w - 1) if w else 0) if 0 <= w <= 256 else None,
    "isqrt": lambda w, args: (0, w * w),
    "round_to": lambda w, args: (0, w),
}


def _translated_back(wanted: str, keys: tuple[str, ...], values: tuple[str, ...]) -> str:
    back = {value: key for key, value in zip(keys, values, strict=True) if len(value) == 1}
    return "".join(back.get(c, c) for c in wanted)


Inversion = Callable[[Any, list[Any]], list[tuple[int, Any]]]


def _spliced(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
    """A text whose slice is the wanted one, between what stands there now."""
    whole, low, high = args
    low, high, _ = slice(low, high).indices(len(whole))
    options = [(0, whole[:low] + wanted + whole[max(low, high) :])]
    if isinstance(wanted, str) and isinstance(whole, str) and len(wanted) < high - low:
        options.append((0, whole[:low] + wanted.rjust(high - low, "0") + whole[high:]))
    return options


def _written(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
    """Numerals of a number: the shortest, and as long as the text is now."""
    text, base = args
    short = numeral(wanted, base)
    return [(0, short), (0, short.zfill(len(text)))] if len(short) < len(text) <= MAX_LENGTH else [(0, short)]


def numeral(number: int, base: int) -> str:
    """A text that `int(text, base)` reads as the number."""
    if base in (0, 10):
        return str(number)
    if number.bit_length() > MAX_NUMERAL_BITS:
        raise ValueError("so many digits")
    digits, rest = "", abs(number)
    while rest or not digits:
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % base] + digits
        rest //= base
    return "-" * (number < 0) + digits


def _floats_written(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
    return [(0, repr(wanted)), *([(0, str(int(wanted)))] if wanted == wanted // 1 else [])]


def _parsed_back(wanted: str, args: list[Any]) -> list[tuple[int, Any]]:
    """Numbers and texts whose format may be the wanted text."""
    value, spec = args
    bare = wanted.strip()
    if isinstance(value, str):
        return [(0, bare), (0, wanted)]
    if isinstance(value, float):
        return [(0, float(bare.replace(",", "").rstrip("%")))]
    base = {"x": 16, "X": 16, "o": 8, "b": 2}.get(spec[-1:], 10)
    return [(0, int(bare.replace(",", ""), base))]


def _percent_back(wanted: str, args: list[Any]) -> list[tuple[int, Any]]:
    return [(1, value) for _, value in _parsed_back(wanted, [args[1], args[0]])]


def _modular_back(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    base, _, modulus = args
    power = T.OPS["pow_mod"].evaluate
    exponents = [(1, e) for e in range(64) if power(base, e, modulus) == wanted]
    tried = range(256 if args[1].bit_length() <= 64 else 8)
    bases = [(0, b) for b in tried if power(b, args[1], modulus) == wanted]
    return [*bases[:2], *exponents[:2]]


def _common_divisor(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    """Multiples of the wanted divisor, near the present numbers, that have no larger one in common."""
    found = []
    for place in (0, 1):
        nearest = args[place] // wanted if wanted else 0
        for factor in (1, *range(nearest, nearest + 20)):
            if math.gcd(factor * wanted, args[1 - place]) == wanted:
                found.append((place, factor * wanted))
    return found


def _other_matches(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    """Texts that match in other ways; whether a group is where it should be, evaluation says."""
    search, text, at = args[:3]
    return [(1, proposal) for proposal in matching(search, text, at)]


def _tried(function: Callable[..., Any], limit: int) -> Inversion:
    """The small arguments for which a function of one or two integers gives the wanted value."""

    def options(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
        found = []
        for place in range(len(args)):
            for value in range(limit):
                changed = [*args]
                changed[place] = value
                try:
                    if function(*changed) == wanted:
                        found.append((place, value))
                        break
                except (ValueError, ArithmeticError):
                    continue
        return found

    return options


def _inverse(function: Callable[[float], float]) -> Inversion:
    return lambda wanted, args: [(0, function(wanted))]


def _extremes(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
    """All summands but one stay as they are."""
    return [(n, type(value)(wanted - (sum(args) - value))) for n, value in enumerate(args)][:4]


def _moved(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    """A text in which the part is found at the wanted place."""
    text, part = args[0], args[1]
    if not part or not -1 <= wanted <= MAX_LENGTH:
        return []
    if wanted < 0:
        return [(0, text.replace(part, "")), (0, "")]
    rest = text.replace(part, "")
    filler = rest.ljust(wanted, "a" if "a" not in part else "b")
    return [(0, filler[:wanted] + part + filler[wanted:]), (0, filler[:wanted] + part)]


def _shifted_back(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    value, distance = args
    return [(0, wanted >> distance), (1, wanted.bit_length() - value.bit_length())]


def _exponents(wanted: Any, args: list[Any]) -> list[tuple[int, Any]]:
    """The exponent that comes nearest; roots are left to solvers."""
    base, exponent = args
    if type(base) is not int or type(exponent) is not int or abs(base) < 2 or wanted == 0:
        return []
    return [(1, round(math.log(abs(wanted)) / math.log(abs(base))))]


def _counted(wanted: int, args: list[Any]) -> list[tuple[int, Any]]:
    text, part = args
    if not part or not 0 <= wanted <= MAX_LENGTH:
        return []
    return [(0, text.replace(part, "") + part * wanted), (0, part * wanted)]


# How to get one operand in several ways.
SEVERAL: dict[str, Inversion] = {
    "lshift": _shifted_back,
    "pow": _exponents,
    "substr": _spliced,
    "seq_slice": _spliced,
    "str_to_int": _written,
    "str_to_float": _floats_written,
    "format": _parsed_back,
    "percent": _percent_back,
    "pow_mod": _modular_back,
    "float_sum": _extremes,
    "index_of": _moved,
    "last_index_of": _moved,
    "count": _counted,
    "gcd": _common_divisor,
    "factorial": _tried(T.OPS["factorial"].evaluate, 100),
    "comb": _tried(T.OPS["comb"].evaluate, 100),
    "perm": _tried(T.OPS["perm"].evaluate, 30),
    "exp": _inverse(math.log),
    "exp2": _inverse(math.log2),
    "expm1": _inverse(math.log1p),
    "log": _inverse(math.exp),
    "log2": _inverse(math.exp2),
    "log10": _inverse(lambda w: 10.0**w),
    "log1p": _inverse(math.expm1),
    "sin": _inverse(math.asin),
    "cos": _inverse(math.acos),
    "tan": _inverse(math.atan),
    "asin": _inverse(math.sin),
    "acos": _inverse(math.cos),
    "atan": _inverse(math.tan),
    "sinh": _inverse(math.asinh),
    "cosh": _inverse(math.acosh),
    "tanh": _inverse(math.atanh),
    "asinh": _inverse(math.sinh),
    "acosh": _inverse(math.cosh),
    "atanh": _inverse(math.tanh),
    "cbrt": _inverse(lambda w: w**3),
    "degrees": _inverse(math.radians),
    "radians": _inverse(math.degrees),
    "copysign": lambda w, args: [(0, w), (1, w)],
    "hypot": lambda w, args: [(0, math.sqrt(w * w - args[1] ** 2)), (1, math.sqrt(w * w - args[0] ** 2))],
    "atan2": lambda w, args: [(0, math.tan(w) * args[1])],
    "fmod": lambda w, args: [(0, w)],
    "re_start": _other_matches,
    "re_end": _other_matches,
    "re_last": _other_matches,
}
