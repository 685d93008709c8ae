"""Every operation means what Python means: evaluator, simplifier and printed text against CPython itself."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.runtime.terms import language as T
from ramify.runtime.terms import show
from ramify.runtime.terms.evaluation import EvaluationError, evaluate
from ramify.runtime.terms.printing import NAMES

settings.register_profile("fixed", derandomize=True, max_examples=60, deadline=None, database=None)
settings.load_profile("fixed")

ints = st.one_of(
    st.integers(-9, 9), st.integers(-(2**70), 2**70), st.sampled_from([2**63, -(2**63), 10**30, 255, 256])
)
shifts = st.integers(0, 80)
floats = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 0.5, 1.5, 2.5, -2.5, 1e308, 5e-324]),
)
texts = st.text(
    st.sampled_from("abAB01_ -+,.éßİ²٣\ud800😀\t\n\x00ǅ"), max_size=8
)  # combining, title case, digits of other scripts
needles = st.text(st.sampled_from("abA1 ,é"), max_size=2)
bools = st.booleans()
lists = st.lists(st.integers(-3, 3), max_size=5)
text_lists = st.lists(needles, max_size=4)
small = st.integers(-8, 8)

INTS, FLOATS, STRS, BOOLS = T.INT, T.FLOAT, T.STR, T.BOOL
LISTS, TEXT_LISTS = T.seq_of(T.INT), T.seq_of(T.STR)

# operation -> (sorts and strategies of the operands, the same in plain Python)
CASES = {
    "add": (T.add, [(INTS, ints)] * 2, lambda a, b: a + b),
    "sub": (T.sub, [(INTS, ints)] * 2, lambda a, b: a - b),
    "mul": (T.mul, [(INTS, ints)] * 2, lambda a, b: a * b),
    "floordiv": (T.floordiv, [(INTS, ints)] * 2, lambda a, b: a // b),
    "mod": (T.mod, [(INTS, ints)] * 2, lambda a, b: a % b),
    "truediv": (T.truediv, [(INTS, ints)] * 2, lambda a, b: a / b),
    "pow": (T.pow_, [(INTS, ints), (INTS, st.integers(0, 20))], lambda a, b: a**b),
    "neg": (T.neg, [(INTS, ints)], lambda a: -a),
    "abs": (T.abs_, [(INTS, ints)], abs),
    "lshift": (T.lshift, [(INTS, ints), (INTS, shifts)], lambda a, b: a << b),
    "rshift": (T.rshift, [(INTS, ints), (INTS, shifts)], lambda a, b: a >> b),
    "and_bits": (T.and_bits, [(INTS, ints)] * 2, lambda a, b: a & b),
    "or_bits": (T.or_bits, [(INTS, ints)] * 2, lambda a, b: a | b),
    "xor_bits": (T.xor_bits, [(INTS, ints)] * 2, lambda a, b: a ^ b),
    "invert": (T.invert, [(INTS, ints)], lambda a: ~a),
    "bit_length": (T.bit_length, [(INTS, ints)], lambda a: a.bit_length()),
    "and_flags": (T.and_bits, [(BOOLS, bools)] * 2, lambda a, b: a & b),
    "or_flags": (T.or_bits, [(BOOLS, bools)] * 2, lambda a, b: a | b),
    "xor_flags": (T.xor_bits, [(BOOLS, bools)] * 2, lambda a, b: a ^ b),
    "flag_plus": (T.add, [(BOOLS, bools), (INTS, ints)], lambda a, b: a + b),
    "flag_equals": (T.eq, [(BOOLS, bools), (INTS, small)], lambda a, b: a == b),
    "float_add": (T.add, [(FLOATS, floats)] * 2, lambda a, b: a + b),
    "float_sub": (T.sub, [(FLOATS, floats)] * 2, lambda a, b: a - b),
    "float_mul": (T.mul, [(FLOATS, floats)] * 2, lambda a, b: a * b),
    "float_div": (T.truediv, [(FLOATS, floats)] * 2, lambda a, b: a / b),
    "float_floordiv": (T.floordiv, [(FLOATS, floats)] * 2, lambda a, b: a // b),
    "float_mod": (T.mod, [(FLOATS, floats)] * 2, lambda a, b: a % b),
    "float_neg": (T.neg, [(FLOATS, floats)], lambda a: -a),
    "float_abs": (T.abs_, [(FLOATS, floats)], abs),
    "mixed_add": (T.add, [(INTS, ints), (FLOATS, floats)], lambda a, b: a + b),
    "mixed_mul": (T.mul, [(FLOATS, floats), (INTS, ints)], lambda a, b: a * b),
    "mixed_lt": (T.lt, [(INTS, ints), (FLOATS, floats)], lambda a, b: a < b),
    "mixed_eq": (T.eq, [(FLOATS, floats), (INTS, ints)], lambda a, b: a == b),
    "float_lt": (T.lt, [(FLOATS, floats)] * 2, lambda a, b: a < b),
    "float_eq": (T.eq, [(FLOATS, floats)] * 2, lambda a, b: a == b),
    "float_ne": (T.ne, [(FLOATS, floats)] * 2, lambda a, b: a != b),
    "to_int": (T.to_int, [(FLOATS, floats)], int),
    "to_float": (T.to_float, [(INTS, ints)], float),
    "floor": (T.floor_, [(FLOATS, floats)], math.floor),
    "ceil": (T.ceil_, [(FLOATS, floats)], math.ceil),
    "round": (T.round_, [(FLOATS, floats)], round),
    "sqrt": (T.sqrt, [(FLOATS, floats)], math.sqrt),
    "is_nan": (T.is_nan, [(FLOATS, floats)], math.isnan),
    "is_inf": (T.is_inf, [(FLOATS, floats)], math.isinf),
    "min": (T.min_, [(INTS, ints)] * 2, min),
    "max": (T.max_, [(FLOATS, floats)] * 2, max),
    "float_text": (T.float_to_str, [(FLOATS, floats)], str),
    "int_text": (T.int_to_str, [(INTS, ints)], str),
    "eq": (T.eq, [(INTS, small)] * 2, lambda a, b: a == b),
    "le": (T.le, [(INTS, small)] * 2, lambda a, b: a <= b),
    "text_eq": (T.eq, [(STRS, needles)] * 2, lambda a, b: a == b),
    "text_lt": (T.lt, [(STRS, texts)] * 2, lambda a, b: a < b),
    "text_ge": (T.ge, [(STRS, texts)] * 2, lambda a, b: a >= b),
    "list_eq": (T.eq, [(LISTS, lists)] * 2, lambda a, b: a == b),
    "list_lt": (T.lt, [(LISTS, lists)] * 2, lambda a, b: a < b),
    "concat": (T.concat, [(STRS, texts)] * 2, lambda a, b: a + b),
    "length": (T.length, [(STRS, texts)], len),
    "repeat": (T.repeat, [(STRS, texts), (INTS, small)], lambda a, n: a * n),
    "char_at": (T.char_at, [(STRS, texts), (INTS, small)], lambda a, i: a[i]),
    "substr": (T.substr, [(STRS, texts), (INTS, small), (INTS, small)], lambda a, i, j: a[i:j]),
    "stride": (
        T.stride,
        [(STRS, texts), (INTS, small), (INTS, small), (INTS, st.integers(-3, 3))],
        lambda a, i, j, k: a[i:j:k],
    ),
    "contains": (T.contains, [(STRS, texts), (STRS, needles)], lambda a, b: b in a),
    "starts_with": (T.starts_with, [(STRS, texts), (STRS, needles)], lambda a, b: a.startswith(b)),
    "ends_with": (T.ends_with, [(STRS, texts), (STRS, needles)], lambda a, b: a.endswith(b)),
    "index_of": (
        T.index_of,
        [(STRS, texts), (STRS, needles), (INTS, small)],
        lambda a, b, i: a.find(b, i),
    ),
    "last_index_of": (T.last_index_of, [(STRS, texts), (STRS, needles)], lambda a, b: a.rfind(b)),
    "count": (T.count, [(STRS, texts), (STRS, needles)], lambda a, b: a.count(b)),
    "replace": (
        T.replace,
        [(STRS, texts), (STRS, needles), (STRS, needles)],
        lambda a, b, d: a.replace(b, d),
    ),
    "strip_chars": (T.strip_chars, [(STRS, texts), (STRS, needles)], lambda a, b: a.strip(b)),
    "lstrip_chars": (T.lstrip_chars, [(STRS, texts), (STRS, needles)], lambda a, b: a.lstrip(b)),
    "rstrip_chars": (T.rstrip_chars, [(STRS, texts), (STRS, needles)], lambda a, b: a.rstrip(b)),
    "ord": (T.ord_, [(STRS, texts)], ord),
    "chr": (T.chr_, [(INTS, st.integers(-2, 0x110001))], chr),
    "str_to_int": (T.str_to_int, [(STRS, texts), (INTS, st.sampled_from([10, 2, 16, 0]))], int),
    "str_to_float": (T.str_to_float, [(STRS, texts)], float),
    "select": (T.select, [(LISTS, lists), (INTS, small)], lambda a, i: a[i]),
    "select_text": (T.select, [(TEXT_LISTS, text_lists), (INTS, small)], lambda a, i: a[i]),
    "seq_concat": (T.seq_concat, [(LISTS, lists)] * 2, lambda a, b: a + b),
    "seq_slice": (T.seq_slice, [(LISTS, lists), (INTS, small), (INTS, small)], lambda a, i, j: a[i:j]),
    "seq_len": (T.seq_len, [(LISTS, lists)], len),
    "seq_repeat": (T.seq_repeat, [(LISTS, lists), (INTS, small)], lambda a, n: a * n),
    "seq_contains": (T.seq_contains, [(LISTS, lists), (INTS, small)], lambda a, v: v in a),
    "store": (
        T.store,
        [(LISTS, lists), (INTS, small), (INTS, small)],
        lambda a, i, v: [*a[: i % len(a)], v, *a[i % len(a) + 1 :]] if -len(a) <= i < len(a) else a[i],
    ),
    **{
        name: (getattr(T, name), [(STRS, texts)], getattr(str, method))
        for name, method in {
            "lower": "lower",
            "upper": "upper",
            "title": "title",
            "capitalize": "capitalize",
            "swapcase": "swapcase",
            "strip": "strip",
            "lstrip": "lstrip",
            "rstrip": "rstrip",
            "is_alnum": "isalnum",
            "is_alpha": "isalpha",
            "is_ascii": "isascii",
            "is_decimal": "isdecimal",
            "is_digit": "isdigit",
            "is_identifier": "isidentifier",
            "is_lower": "islower",
            "is_numeric": "isnumeric",
            "is_printable": "isprintable",
            "is_space": "isspace",
            "is_title": "istitle",
            "is_upper": "isupper",
        }.items()
    },
}


def exact(value):
    """Values that must be told apart: 1 from True and 1.0, 0.0 from -0.0; nan equals itself."""
    if isinstance(value, (list, tuple)):
        return [exact(v) for v in value]
    return type(value), repr(value)


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_operation(name, data):
    build, operands, reference = CASES[name]
    names = ["a", "b", "d", "e"][: len(operands)]
    values = [data.draw(strategy, label=n) for n, (_, strategy) in zip(names, operands, strict=True)]
    assignment = dict(zip(names, values, strict=True))
    symbolic = build(*(T.var(n, sort) for n, (sort, _) in zip(names, operands, strict=True)))
    folded = build(*(T.const(v, sort) for v, (sort, _) in zip(values, operands, strict=True)))
    try:
        expected = reference(*values)
    except (ArithmeticError, ValueError, IndexError, TypeError):
        for term in (symbolic, folded):
            with pytest.raises(EvaluationError):
                evaluate(term, assignment)
        return
    assert exact(evaluate(symbolic, assignment)) == exact(expected)
    assert exact(evaluate(folded, {})) == exact(expected)
    assert exact(eval(show(symbolic), dict(NAMES), assignment)) == exact(expected)
    assert exact(eval(show(folded), dict(NAMES))) == exact(expected)


@given(s=texts, base=st.sampled_from([10, 2, 16, 36, 0]))
def test_texts_that_are_numbers(s, base):
    a, b = T.var("a", T.STR), T.const(base)
    for predicate, convert in (
        (T.is_int_text(a, b), lambda: int(s, base)),
        (T.is_float_text(a), lambda: float(s)),
    ):
        try:
            convert()
            expected = True
        except ValueError:
            expected = False
        assert evaluate(predicate, {"a": s}) is expected
        assert eval(show(predicate), dict(NAMES), {"a": s}) is expected


# Nested expressions: a recipe is built as a term and computed by Python side by side.

INT_OPS = {
    "+": (T.add, lambda a, b: a + b),
    "-": (T.sub, lambda a, b: a - b),
    "*": (T.mul, lambda a, b: a * b),
    "//": (T.floordiv, lambda a, b: a // b),
    "%": (T.mod, lambda a, b: a % b),
    "&": (T.and_bits, lambda a, b: a & b),
    "|": (T.or_bits, lambda a, b: a | b),
    "^": (T.xor_bits, lambda a, b: a ^ b),
}
COMPARISONS = {
    "==": (T.eq, lambda a, b: a == b),
    "!=": (T.ne, lambda a, b: a != b),
    "<": (T.lt, lambda a, b: a < b),
    "<=": (T.le, lambda a, b: a <= b),
    ">": (T.gt, lambda a, b: a > b),
    ">=": (T.ge, lambda a, b: a >= b),
}


@st.composite
def numeric(draw, depth):
    """A recipe of an integer: a variable, a constant, or (operation, operands)."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(["x", "y", "len", -3, -2, -1, 0, 1, 2, 3]))
    op = draw(st.sampled_from([*INT_OPS, "neg", "abs", "~", "if"]))
    inner = numeric(depth - 1)
    if op in INT_OPS:
        return op, draw(inner), draw(inner)
    return (op, draw(conditions(depth - 1)), draw(inner), draw(inner)) if op == "if" else (op, draw(inner))


@st.composite
def conditions(draw, depth):
    """A recipe of a flag."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(list(COMPARISONS))), draw(numeric(depth)), draw(numeric(depth))
    op = draw(st.sampled_from(["not", "and", "or", "b=="]))
    inner = conditions(depth - 1)
    return (op, draw(inner)) if op == "not" else (op, draw(inner), draw(inner))


def both(recipe, values):
    """The term and the value of a recipe; the value as a function: only the needed parts are computed."""
    if isinstance(recipe, int):
        return T.const(recipe), lambda: recipe
    if recipe == "len":
        return T.length(T.var("s", T.STR)), lambda: len(values["s"])
    if isinstance(recipe, str):
        return T.var(recipe, T.INT), lambda: values[recipe]
    op, *rest = recipe
    parts = [both(r, values) for r in rest]
    built, computed = [p[0] for p in parts], [p[1] for p in parts]
    if op in INT_OPS or op in COMPARISONS:
        build, python = (INT_OPS | COMPARISONS)[op]
        return build(*built), lambda: python(computed[0](), computed[1]())
    return {
        "neg": lambda: (T.neg(*built), lambda: -computed[0]()),
        "abs": lambda: (T.abs_(*built), lambda: abs(computed[0]())),
        "~": lambda: (T.invert(*built), lambda: ~computed[0]()),
        "not": lambda: (T.not_(*built), lambda: not computed[0]()),
        "and": lambda: (T.and_(*built), lambda: computed[0]() and computed[1]()),
        "or": lambda: (T.or_(*built), lambda: computed[0]() or computed[1]()),
        "b==": lambda: (T.eq(*built), lambda: computed[0]() == computed[1]()),
        "if": lambda: (T.ite(*built), lambda: computed[1]() if computed[0]() else computed[2]()),
    }[op]()


@settings(max_examples=400)
@given(recipe=conditions(3), x=st.integers(-4, 4), y=st.integers(-4, 4), s=needles)
def test_nested_expressions(recipe, x, y, s):
    values = {"x": x, "y": y, "s": s}
    term, compute = both(recipe, values)
    try:
        expected = compute()
    except ZeroDivisionError:
        return
    assert evaluate(term, values) is expected
    assert eval(show(term), dict(NAMES), values) is expected
