"""The term language: every operation is one entry here, with its result sort, its meaning in Python and its
text.

A term stands for a value of sort BOOL, INT, FLOAT, STR or `seq_of(sort)`. Its meaning is Python's wherever
Python does not raise; where Python raises, evaluation raises EvaluationError, so callers first decide (as a
branch) that the operation is defined. `and`, `or` and `ite` evaluate like Python's: what is not needed may
be undefined. Terms are shared: equal terms are the same object.

An Assignment is a dict from variable name to Python value (sequences as lists or tuples).

To add an operation: one entry here; then, if solvers shall see it, a handler in `solver/texts.py` or
`solver/text_classes.py` (texts and sequences) or in the table of `solver/z3reals.py` (numbers).

    >>> from ramify.runtime.terms import language as T
    >>> x, s = T.var("x", T.INT), T.var("s", T.STR)
    >>> T.gt(T.add(x, T.const(3)), T.length(s))
    x + 3 > len(s)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ramify.runtime.terms import meaning as pysem
from ramify.runtime.terms import printing as show
from ramify.runtime.terms import simplification as simplify
from ramify.runtime.terms.nodes import (
    BOOL,
    FALSE,
    FLOAT,
    INT,
    OPS,
    STR,
    TRUE,
    Assignment,
    EvaluationError,
    Op,
    Sort,
    Term,
    Value,
    _table,
    build,
    collect,
    conjuncts,
    const,
    make,
    pack,
    plain,
    seq_of,
    sort_of,
    table_size,
    unpack,
    var,
    walk,
)

__all__ = [
    "BOOL", "FALSE", "FLOAT", "INT", "OPS", "STR", "TRUE", "Assignment", "EvaluationError", "Op",
    "Sort", "Term", "Value", "collect", "conjuncts", "const", "make", "pack", "plain", "seq_of",
    "sort_of", "table_size", "unpack", "var", "walk",
]  # fmt: skip

Unary = Callable[[Term], Term]
Binary = Callable[[Term, Term], Term]
Ternary = Callable[[Term, Term, Term], Term]
Quaternary = Callable[[Term, Term, Term, Term], Term]
Coercion = Callable[[tuple[Term, ...]], tuple[Term, ...]]


def unary(name: str, *rest: Any, **options: Any) -> Unary:
    op = OPS[name] = Op(name, *rest, **options)

    def construct(a: Term) -> Term:
        key = (name, a)
        found = _table.get(key)
        return found if found is not None else build(key, op, (a,))

    return construct


def binary(name: str, *rest: Any, **options: Any) -> Binary:
    op = OPS[name] = Op(name, *rest, **options)

    def construct(a: Term, b: Term) -> Term:
        key = (name, a, b)
        found = _table.get(key)
        return found if found is not None else build(key, op, (a, b))

    return construct


def ternary(name: str, *rest: Any, **options: Any) -> Ternary:
    op = OPS[name] = Op(name, *rest, **options)

    def construct(a: Term, b: Term, c: Term) -> Term:
        key = (name, a, b, c)
        found = _table.get(key)
        return found if found is not None else build(key, op, (a, b, c))

    return construct


def quaternary(name: str, *rest: Any, **options: Any) -> Quaternary:
    OPS[name] = Op(name, *rest, **options)
    return partial(make, name)


def variadic(name: str, *rest: Any, **options: Any) -> Callable[..., Term]:
    OPS[name] = Op(name, *rest, **options)
    return partial(make, name)


def first(args: tuple[Term, ...]) -> Sort:
    return args[0].sort


def second(args: tuple[Term, ...]) -> Sort:
    return args[1].sort


def element(args: tuple[Term, ...]) -> Sort:
    assert args[0].sort.element is not None
    return args[0].sort.element


def numbers(args: tuple[Term, ...]) -> tuple[Term, ...]:
    """Python's coercion in arithmetic: flags count as integers, an integer beside a float becomes one."""
    wanted = args[0].sort
    if (wanted is INT or wanted is FLOAT) and (len(args) == 1 or args[1].sort is wanted):
        return args
    if any(a.sort is FLOAT for a in args):
        return tuple(a if a.sort is FLOAT else to_float(a) for a in args)
    return integers(args)


def integers(args: tuple[Term, ...]) -> tuple[Term, ...]:
    """Flags as integers."""
    return (
        tuple(bool_to_int(a) if a.sort is BOOL else a for a in args) if any(a.sort is BOOL for a in args) else args
    )


def flags_or_integers(args: tuple[Term, ...]) -> tuple[Term, ...]:
    return args if all(a.sort is BOOL for a in args) else integers(args)


def comparable(args: tuple[Term, ...]) -> tuple[Term, ...]:
    """Integers and floats compare exactly, so neither is converted; equal sorts compare as they are."""
    return args if args[0].sort is args[1].sort else integers(args)


# Conversions
bool_to_int = unary("bool_to_int", INT, int, show.call("int"))
to_float = unary("to_float", FLOAT, float, show.call("float"), coerce=integers)
to_int = unary("to_int", INT, pysem.to_int, show.call("int"))
floor_ = unary("floor", INT, pysem.floor, show.call("floor"))
ceil_ = unary("ceil", INT, pysem.ceil, show.call("ceil"))
round_ = unary("round", INT, pysem.round_half_even, show.call("round"))
is_nan = unary("is_nan", BOOL, math.isnan, show.call("isnan"))
is_inf = unary("is_inf", BOOL, math.isinf, show.call("isinf"))
sqrt = unary("sqrt", FLOAT, math.sqrt, show.call("sqrt"))
MATH: dict[str, Unary] = {
    name: unary(name, FLOAT, getattr(math, name), show.call(name)) for name in pysem.MATH_OF_ONE
}
"""Functions of `math` of one float that only evaluation understands."""
hypot = binary("hypot", FLOAT, math.hypot, show.call("hypot"))
atan2 = binary("atan2", FLOAT, math.atan2, show.call("atan2"))
fmod = binary("fmod", FLOAT, math.fmod, show.call("fmod"))
copysign = binary("copysign", FLOAT, math.copysign, show.call("copysign"))
gcd = binary("gcd", INT, math.gcd, show.call("gcd"))
isqrt = unary("isqrt", INT, math.isqrt, show.call("isqrt"))
factorial = unary("factorial", INT, pysem.factorial, show.call("factorial"))
comb = binary("comb", INT, pysem.comb, show.call("comb"))
perm = binary("perm", INT, pysem.perm, show.call("perm"))

# Arithmetic on integers and floats
add = binary("add", first, operator.add, show.plus, simplify.add, numbers)
sub = binary("sub", first, operator.sub, show.infix("-", show.SUM), simplify.sub, numbers)
mul = binary("mul", first, pysem.mul, show.infix("*", show.PRODUCT), simplify.mul, numbers)
truediv = binary("truediv", FLOAT, operator.truediv, show.infix("/", show.PRODUCT), None, numbers)
floordiv = binary("floordiv", first, operator.floordiv, show.infix("//", show.PRODUCT), simplify.floordiv, numbers)
mod = binary("mod", first, operator.mod, show.infix("%", show.PRODUCT), simplify.mod, numbers)
pow_ = binary(
    "pow",
    first,
    pysem.power,
    show.infix("**", show.POWER, show.POWER + 1, show.UNARY),
    simplify.power,
    numbers,
)
neg = unary("neg", first, operator.neg, show.prefix("-", show.UNARY), simplify.neg, numbers)
abs_ = unary("abs", first, abs, show.call("abs"), None, numbers)

# Bits of integers (on two flags: the logical connective)
lshift = binary("lshift", INT, pysem.lshift, show.infix("<<", show.SHIFT), simplify.shift, integers)
rshift = binary("rshift", INT, operator.rshift, show.infix(">>", show.SHIFT), simplify.shift, integers)
and_bits = binary(
    "and_bits", first, operator.and_, show.infix("&", show.BITAND), simplify.and_bits, flags_or_integers
)
or_bits = binary("or_bits", first, operator.or_, show.infix("|", show.BITOR), simplify.or_bits, flags_or_integers)
xor_bits = binary(
    "xor_bits", first, operator.xor, show.infix("^", show.BITXOR), simplify.xor_bits, flags_or_integers
)
invert = unary("invert", INT, operator.invert, show.prefix("~", show.UNARY), simplify.invert, integers)
bit_length = unary("bit_length", INT, pysem.bit_length, show.method("bit_length"), None, integers)
bit_count = unary("bit_count", INT, int.bit_count, show.method("bit_count"), None, integers)
pow_mod = ternary("pow_mod", INT, pysem.pow_mod, show.call("pow"), None, integers)
round_to = binary("round_to", first, pysem.round_to, show.call("round"))
float_sum = variadic("float_sum", FLOAT, lambda *values: sum(values), show.call_of_list("sum"))

# Comparisons of numbers, texts and sequences
eq = binary("eq", BOOL, operator.eq, show.compare("=="), partial(simplify.comparison, "eq"), comparable)
ne = binary("ne", BOOL, operator.ne, show.compare("!="), partial(simplify.comparison, "ne"), comparable)
lt = binary("lt", BOOL, operator.lt, show.compare("<"), partial(simplify.comparison, "lt"), comparable)
le = binary("le", BOOL, operator.le, show.compare("<="), partial(simplify.comparison, "le"), comparable)
gt = binary("gt", BOOL, operator.gt, show.compare(">"), partial(simplify.comparison, "gt"), comparable)
ge = binary("ge", BOOL, operator.ge, show.compare(">="), partial(simplify.comparison, "ge"), comparable)

# Logic
not_ = unary("not", BOOL, operator.not_, show.prefix("not ", show.NOT), simplify.not_)
and_ = variadic("and", BOOL, pysem.and_, show.chain("and", show.AND), simplify.and_)
or_ = variadic("or", BOOL, pysem.or_, show.chain("or", show.OR), simplify.or_)
ite = ternary("ite", second, pysem.ite, show.conditional, simplify.ite)

# Texts and sequences alike
concat = binary("concat", first, pysem.concat, show.infix("+", show.SUM), simplify.concat)
length = unary("len", INT, len, show.call("len"), simplify.length)
stride = quaternary("stride", first, pysem.stride, show.part)
repeat = binary("repeat", first, pysem.repeat, show.infix("*", show.PRODUCT))

# Texts
char_at = binary("char_at", STR, pysem.item, show.index, simplify.item)
substr = ternary("substr", STR, pysem.part, show.part, simplify.part)
contains = binary("contains", BOOL, lambda s, sub: sub in s, lambda t, a: show.compare("in")(t, a[::-1]))
starts_with = binary("starts_with", BOOL, str.startswith, show.method("startswith"))
ends_with = binary("ends_with", BOOL, str.endswith, show.method("endswith"))
index_of = ternary("index_of", INT, str.find, show.method("find"))
last_index_of = binary("last_index_of", INT, str.rfind, show.method("rfind"))
count = binary("count", INT, str.count, show.method("count"))
replace = ternary("replace", STR, pysem.replace, show.method("replace"))
replace_some = quaternary("replace_some", STR, pysem.replace_some, show.method("replace"))
lower = unary("lower", STR, str.lower, show.method("lower"))
upper = unary("upper", STR, str.upper, show.method("upper"))
title = unary("title", STR, str.title, show.method("title"))
capitalize = unary("capitalize", STR, str.capitalize, show.method("capitalize"))
swapcase = unary("swapcase", STR, str.swapcase, show.method("swapcase"))
strip = unary("strip", STR, str.strip, show.method("strip"))
lstrip = unary("lstrip", STR, str.lstrip, show.method("lstrip"))
rstrip = unary("rstrip", STR, str.rstrip, show.method("rstrip"))
strip_chars = binary("strip_chars", STR, str.strip, show.method("strip"))
lstrip_chars = binary("lstrip_chars", STR, str.lstrip, show.method("lstrip"))
rstrip_chars = binary("rstrip_chars", STR, str.rstrip, show.method("rstrip"))
is_alnum = unary("is_alnum", BOOL, str.isalnum, show.method("isalnum"))
is_alpha = unary("is_alpha", BOOL, str.isalpha, show.method("isalpha"))
is_ascii = unary("is_ascii", BOOL, str.isascii, show.method("isascii"))
is_decimal = unary("is_decimal", BOOL, str.isdecimal, show.method("isdecimal"))
is_digit = unary("is_digit", BOOL, str.isdigit, show.method("isdigit"))
is_identifier = unary("is_identifier", BOOL, str.isidentifier, show.method("isidentifier"))
is_lower = unary("is_lower", BOOL, str.islower, show.method("islower"))
is_numeric = unary("is_numeric", BOOL, str.isnumeric, show.method("isnumeric"))
is_printable = unary("is_printable", BOOL, str.isprintable, show.method("isprintable"))
is_space = unary("is_space", BOOL, str.isspace, show.method("isspace"), simplify.is_space)
is_title = unary("is_title", BOOL, str.istitle, show.method("istitle"))
is_upper = unary("is_upper", BOOL, str.isupper, show.method("isupper"))
ord_ = unary("ord", INT, ord, show.call("ord"), simplify.inverse_of("chr"))
chr_ = unary("chr", STR, chr, show.call("chr"), simplify.inverse_of("ord"))
int_to_str = unary("int_to_str", STR, str, show.call("str"), None, integers)
float_to_str = unary("float_to_str", STR, str, show.call("str"))
is_int_text = binary("is_int_text", BOOL, pysem.accepts(int), show.call("is_int"))
str_to_int = binary("str_to_int", INT, int, show.call("int"))
is_float_text = unary("is_float_text", BOOL, pysem.accepts(float), show.call("is_float"))
str_to_float = unary("str_to_float", FLOAT, float, show.call("float"))
is_latin = unary("is_latin", BOOL, pysem.is_latin, show.call("is_latin"))  # the text of some bytes
is_time_text = binary("is_time_text", BOOL, pysem.is_time_text, show.call("is_time"))
is_decimal_text = unary("is_decimal_text", BOOL, pysem.is_decimal_text, show.call("is_decimal"))
casefold = unary("casefold", STR, str.casefold, show.method("casefold"))
repr_ = unary("repr", STR, repr, show.call("repr"))
ascii_ = unary("ascii", STR, ascii, show.call("ascii"))
format_ = binary("format", STR, pysem.format_, show.call("format"))
percent = binary("percent", STR, pysem.percent, show.infix("%", show.PRODUCT))
expandtabs = binary("expandtabs", STR, pysem.expandtabs, show.method("expandtabs"))
translate = ternary("translate", STR, pysem.translate, show.call("translate"))  # keys and values: two sequences

# Regular expressions: a search is one constant text (see pysem.search_of)
re_found = ternary("re_found", BOOL, pysem.re_found, show.call("re_found"))
re_start = quaternary("re_start", INT, pysem.re_start, show.call("re_start"))
re_end = quaternary("re_end", INT, pysem.re_end, show.call("re_end"))
re_last = ternary("re_last", INT, pysem.re_last, show.call("re_last"))

# Sequences
seq_len = length
seq_concat = concat
seq_repeat = repeat
_seq = variadic("seq", lambda args: seq_of(args[0].sort), pysem.sequence, show.listing)
select = binary("select", element, pysem.item, show.index, simplify.item)
store = ternary("store", first, pysem.store, show.call("store"), simplify.store)
seq_slice = ternary("seq_slice", first, pysem.part, show.part, simplify.part)
seq_contains = binary("seq_contains", BOOL, lambda s, v: v in s, lambda t, a: show.compare("in")(t, a[::-1]))
table_get = ternary(
    "table_get", lambda args: element(args[1:]), pysem.table_get, show.call("table_get")
)  # the value beside a key that is there


def seq(sort: Sort, *elements: Term) -> Term:
    """The sequence of these elements; the sort is that of one element."""
    return _seq(*elements) if elements else const((), seq_of(sort))


def min_(a: Term, b: Term) -> Term:
    """Python's `min`: the first of equal arguments."""
    return ite(lt(b, a), b, a)


def max_(a: Term, b: Term) -> Term:
    """Python's `max`: the first of equal arguments."""
    return ite(gt(b, a), b, a)
