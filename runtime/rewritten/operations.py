"""The functions that code at the concolic level calls, under the names it calls them by.

Each does exactly what the syntax it stands for does, and keeps terms where Python would not ask the concolic
operand: to the right of a float, a bool or a list, behind `not`, `is` and `in`, in texts that are put together.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import Any

from ramify.runtime.losses import SHARED, answered, is_opaque
from ramify.runtime.losses.caught import caught
from ramify.runtime.models import BUILTINS, LIBRARY
from ramify.runtime.models.functions_of_values import PLAIN_SIZED
from ramify.runtime.models.registry import guarded
from ramify.runtime.recording import decide, path, sites
from ramify.runtime.rewritten.attributes import Within, onto, operators
from ramify.runtime.rewritten.dispatch import call, code, pick
from ramify.runtime.rewritten.subscripts import PLAIN, SYMBOLIC, At, contains, into, item, not_contains, store
from ramify.runtime.terms import const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core, lookups
from ramify.runtime.values.dict_ import SymDict
from ramify.runtime.values.equality import concolic_inside
from ramify.runtime.values.formatting import percent
from ramify.runtime.values.list_ import SymList, sym_list
from ramify.runtime.values.numeric.bool_ import SymBool, negated, sym_bool
from ramify.runtime.values.numeric.float_ import SymFloat
from ramify.runtime.values.numeric.int_ import SymInt
from ramify.runtime.values.set_ import as_set
from ramify.runtime.values.showing import repr_of, str_of
from ramify.runtime.values.texts.bytes_ import as_bytes, as_text
from ramify.runtime.values.texts.text import SymStr

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "matmul": "@", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

_NUMBERS = frozenset((SymInt, SymFloat))
# Two plain dicts compare and merge by the hashes of their keys, in C, without asking a concolic key.
_BY_HASH = ("==", "!=", "|")  # what dicts do by the hashes of their keys

_LEN = BUILTINS[len]
_IN_PLACE = (operator.iadd, operator.imul)
_SETS_IN_PLACE = (operator.iand, operator.ior, operator.isub, operator.ixor)

# For a right operand of another type Python asks that one: these have no number slot, or return NotImplemented.
_ASKING = (str, bytes, list, tuple, dict, set, frozenset, deque)

# Compiled from text: one function for all, which takes the operator as an argument, would cost a call more on
# every operation.
_TEMPLATE = """
def {name}(left, right):{first}
    if type(right) in {hidden}:
        return modelled({function!r}, left, right, {native})
    {body}
"""


def modelled(name: str, left: Any, right: Any, native: Callable[[Any, Any], Any]) -> Any:
    """`left op right` for a right operand that Python might not ask, or that hides concolic values inside."""
    kind = type(left)
    if kind in _NUMBERS and type(right) in _NUMBERS:  # they compute by themselves, each with the other
        return native(left, right)
    if kind in (str, bytes) and name in ("mod", "mul"):
        return _formatted(left, right, native) if name == "mod" else _repeated(left, right, native)
    if kind is list:
        return _list(name, left, right, native)
    if type(right) in (set, frozenset):
        # Sets in place stay plain objects: aliases must see the change.
        either = kind in (set, frozenset) and (lookups.has_concolic_keys(left) or lookups.has_concolic_keys(right))
        return native(as_set(left), right) if either and native not in _SETS_IN_PLACE else native(left, right)
    if type(right) in (SymInt, SymFloat):
        # SymInt is a subclass of int only: `2.5 + x` and `True + x` never ask it, and C code computes with the
        # concrete value.
        number = kind is float or kind is bool or (_inherits(left, name) and isinstance(left, (int, float)))
        if number:
            return native(constant(left) if type(right) is SymInt else left, right)
    # A text of a user's class is no base of SymStr either.
    if type(right) is SymStr and name in COMPARISONS and _compares_as_text(left):
        return native(lookups.lifted_text(str.__str__(left)), right)
    method = None if kind in PLAIN and kind is not complex else getattr(kind, f"__{name}__", None)
    asks = type(right) not in (SymInt, SymFloat) and issubclass(kind, _ASKING)
    reads = not asks and kind not in SYMBOLIC and not hasattr(method, "__code__")
    if method is not None and (reads or is_opaque(method)):
        path.concretised(f"{kind.__name__} {OPERATORS.get(name) or COMPARISONS[name]}")
    return native(left, right)


def _compares_as_text(value: Any) -> bool:
    """Whether a text of a user's class compares as the builtin does."""
    compare: Any = type(value).__eq__
    return type(value) is not str and isinstance(value, str) and compare is str.__eq__


def _inherits(value: Any, name: str) -> bool:
    """Whether a number of a user's class (an IntEnum) computes as the builtin does."""
    method = getattr(type(value), f"__{name}__", None)
    return method is getattr(int, f"__{name}__", object()) or method is getattr(float, f"__{name}__", object())


def constant(value: Any) -> Any:
    """A plain number as a concolic one whose term is the constant, so that its operators give terms."""
    if isinstance(value, float):
        number: Any = float.__float__(value)
        made: Any = float.__new__(SymFloat, number)
    else:
        number = int.__int__(value)
        # Past the factory, which gives the plain number back for a constant term.
        made = int.__new__(SymInt, number)
    made.term = const(number)
    return made


def _formatted(left: Any, right: Any, native: Callable[[Any, Any], Any]) -> Any:
    inside = right if type(right) is tuple else right.values() if type(right) is dict else (right,)
    if type(right) is not SymStr and not any(type(part) in SYMBOLIC for part in inside):
        return native(left, right)
    if type(left) is str:
        return percent(left, right)
    path.concretised("%")
    return left % core.strip(right)


def _repeated(left: Any, right: Any, native: Callable[[Any, Any], Any]) -> Any:
    if type(right) is not SymInt:
        return native(left, right)
    if type(left) is bytes:
        return as_bytes(lookups.lifted_text(as_text(left)) * right)
    return lookups.lifted_text(left) * right


def _list(name: str, left: list[Any], right: Any, native: Callable[[Any, Any], Any]) -> Any:
    """`[1] + xs` and `[0] * n`: lists whose length depends on the inputs. In place a plain list stays one."""
    # `xs += ys` must change the very list that `xs` names.
    if native in _IN_PLACE:
        if type(right) is SymInt and name == "mul":
            path.concretised("list *=")
        return native(left, right)
    if name == "add" and type(right) is SymList:
        if not left:
            return right.copy()
        return sym_list(list(left), const(len(left)), lookups.content_term(left)) + right
    if name == "mul" and type(right) is SymInt:
        content = lookups.content_term(left)
        repeated = left * core.plain(right)
        if content is not None and len(repeated) <= lookups.MAX_CHAIN:
            term = T.repeat(content, right.term)
            cells = [core.wrap(core.plain(v), T.select(term, const(n))) for n, v in enumerate(repeated)]
            return sym_list(cells, T.mul(const(len(left)), T.max_(right.term, const(0))), term)
        path.concretised("list *")
        return repeated
    return native(left, right)


def linked(
    first: str, second: str, left: Any, middle: Any, right: Any, span: tuple[int, int, int, int], frame: FrameType
) -> Any:
    """`left < middle < right` with a middle that is evaluated once; its first link is decided at `span`."""
    # Looked up by name: the functions are made further down, from the template.
    link = NAMESPACE[f"__ramify_{first}__"](left, middle)
    if type(link) is SymBool:
        if not decide(link.term, link.value, sites.known.at(frame, span)):
            return False
    elif not link:
        return link
    return NAMESPACE[f"__ramify_{second}__"](middle, right)


def len_(function: Any, value: Any) -> Any:
    """`len(value)`; `function` is what `len` stands for in the program."""
    return len(value) if function is _LEN and type(value) in PLAIN_SIZED else function(value)


def is_(left: Any, right: Any) -> Any:
    """`left is right`: the result of a comparison counts as the bool it stands for."""
    # There is one True: `(x > 1) is True` means that the comparison holds.
    if type(left) is SymBool and type(right) is bool:
        return sym_bool(left.value is right, left.term if right else T.not_(left.term))
    if type(right) is SymBool and type(left) is bool:
        return is_(right, left)
    if type(left) in SYMBOLIC or type(right) in SYMBOLIC:
        kind = core.BUILTIN.get(type(left), type(left))
        if kind is core.BUILTIN.get(type(right), type(right)) and kind in SHARED:
            path.concretised("is")  # which equal values are one object is CPython's to say
    return left is right


def is_not(left: Any, right: Any) -> Any:
    return negated(is_(left, right))


def kind(cls: Any) -> Any:
    """`value.__class__`: that of a concolic value is the builtin's."""
    # `__class__` is asked natively first, and may be anything a program's property returns.
    return core.BUILTIN.get(cls, cls) if isinstance(cls, type) else cls


def not_(value: Any) -> Any:
    """`not value`, without a decision where the truth has a term."""
    kind = type(value)
    if kind is SymBool:
        return negated(value)
    # `not x` as a term, so that `flag = not x` branches nowhere.
    if kind is SymInt or kind is SymFloat:
        return sym_bool(not core.plain(value), T.eq(value.term, const(0 if kind is SymInt else 0.0)))
    if kind is SymStr:
        return sym_bool(not core.plain(value), T.eq(T.length(value.term), const(0)))
    return not value


def joined(parts: tuple[str, ...]) -> Any:
    """An f-string of several parts."""
    # A part that is concolic makes the whole so; `"".join` of C code would copy characters.
    for part in parts:
        if type(part) is SymStr:
            whole = const("")
            for piece in parts:
                whole = T.concat(whole, piece.term if type(piece) is SymStr else const(piece))
            return core.wrap("".join(map(core.plain, parts)), whole)
    return "".join(parts)


def shown(value: Any, conversion: int, whole: bool) -> Any:
    """A part of an f-string with its conversion (`!r`) done; `whole`: it has no format specification.

    What C code would show of a container or object is a text with a term where there is one.
    """
    kind = type(value)
    if conversion != -1:
        return _CONVERTED[chr(conversion)](value)
    # `object.__format__` is `str(self)`; any other may be C code that has its own idea of the text.
    format_: Any = kind.__format__
    if not whole or kind in PLAIN or format_ is not object.__format__:
        return value
    return str_of(value)


_CONVERTED = {"s": str_of, "r": repr_of, "a": BUILTINS[ascii]}


def told(value: Any) -> Any:
    """A part of a format specification, which C code reads."""
    if type(value) in SYMBOLIC:
        path.concretised("format specification")
    return core.plain(value)


def elements(values: list[Any]) -> Any:
    """`{a, b}`: which elements are equal is decided."""
    return BUILTINS[set](values) if any(map(concolic_inside, values)) else set(values)


def entries(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """`{a: 1, b: 2}`: which keys are equal is decided."""
    made: dict[Any, Any] = {}
    for key, value in pairs:
        lookups.set_item(made, key, value)
    return made


def merged(made: dict[Any, Any]) -> dict[Any, Any]:
    """`{**a, **b}`: which keys are equal was said by their hashes."""
    if path.journal.keyed and lookups.has_concolic_keys(made):
        path.concretised("dict **")
    return made


def subject(value: Any, questions: tuple[Any, ...], depth: int) -> Any:
    """What is matched: the lengths that C code would read are decided first, and truth values are real ones.

    `depth`: how deep inside the value patterns ask.
    """
    # `case True` is an identity test that no class can answer.
    if type(value) is SymBool:
        return bool(value) if True in questions else value
    mapping = isinstance(value, dict) and type(value) is not SymDict
    if mapping and path.journal.keyed and lookups.has_concolic_keys(value):
        path.concretised("match of a dict")  # a mapping pattern finds its keys by their hashes
    if type(value) in (SymList, SymDict):
        for question in questions:
            if question is not True:
                wanted, exactly = question
                # C code asks `len` of a subject and gets the concrete length.
                size, length = value.size, len(core.plain(value))
                term = T.eq(size, const(wanted)) if exactly else T.ge(size, const(wanted))
                decide(term, length == wanted if exactly else length >= wanted)
    if depth:
        for part in _parts(value):
            # Inside, a truth value cannot be replaced by a real one without changing the program's object.
            if subject(part, questions, depth - 1) is not part:
                path.concretised("match of a truth value")
    return value


def _parts(value: Any) -> list[Any]:
    """What patterns may find inside a value; how many there are is decided."""
    kind = core.BUILTIN.get(type(value), type(value))
    if kind in (list, tuple):
        return list(value)
    if kind is dict:
        return list(value.values())
    return list(vars(value).values()) if hasattr(value, "__dict__") and kind not in PLAIN else []


NAMESPACE: dict[str, Any] = {
    f"__ramify_{name}__": function
    for name, function in {
        "tick": itertools.repeat(None).__next__, "type": type, "plain": PLAIN, "keyed": path.journal.keyed,
        "slice": slice, "item": item, "store": store, "at": At, "into": into, "within": Within, "in": contains,
        "not_in": not_contains, "is": is_, "is_not": is_not, "kind": kind, "not": not_, "joined": joined,
        "elements": elements, "entries": entries, "merged": merged,
        "subject": subject, "call": call, "pick": pick, "code": code,
        "answered": answered, "told": told, "shown": shown, "caught": caught,
        "onto": onto, "keeping": path.journal.keeping, "holding": path.journal.holding,
        "len": len_,
    }.items()
}  # fmt: skip
"""What stands in the `__builtins__` of a module at the concolic level, beside the builtins.

The tick has no budget: whoever runs the code puts its own in its place.
"""


_CHAIN = """
def chain(left, middle, right, span):
    if type(left) in PLAIN and type(middle) in PLAIN and type(right) in PLAIN:
        return left {first} middle {second} right
    return linked({names}, left, middle, right, span, getframe(1))
"""

# `left < len(value)`, as `len_` above.
_OF = """
def of(left, function, value):
    if function is LEN and type(value) in SIZED:
        return left {symbol} len(value)
    return {compared}(left, function(value))
"""


def _define() -> None:
    # The types of right operands that make an operator ask: `%` also looks into tuples and dicts, for a
    # template.
    hidden = {"NUMBERS": frozenset({*SYMBOLIC - {SymBool}, set, frozenset}),
              "PARTS": frozenset({SymInt, SymFloat, SymStr, SymBool, SymList, tuple, dict})}  # fmt: skip
    scope = {
        "modelled": modelled,
        "keyed": path.journal.keyed,
        "keys_read": lookups.keys_read,
        "operator": operator,
        "linked": linked,
        "getframe": sys._getframe,
        "PLAIN": PLAIN,
        "SIZED": PLAIN_SIZED,
        "LEN": _LEN,
    }
    scope |= hidden

    def define(key: str, name: str, text: str) -> None:
        exec(compile(text, __file__, "exec"), scope)
        NAMESPACE[f"__ramify_{key}__"] = scope[name]

    for name, symbol in {**OPERATORS, **COMPARISONS}.items():
        parts = {"hidden": "PARTS" if name == "mod" else "NUMBERS", "function": name}
        parts["first"] = f"\n    if keyed: keys_read({symbol!r}, left, right)" if symbol in _BY_HASH else ""
        # These two are keywords.
        native = f"operator.{name}_" if name in ("and", "or") else f"operator.{name}"
        define(
            name,
            "plain",
            _TEMPLATE.format(name="plain", native=native, body=f"return left {symbol} right", **parts),
        )
        if name in OPERATORS:
            body = f"left {symbol}= right\n    return left"
            text = _TEMPLATE.format(name="in_place", native=f"operator.i{name}", body=body, **parts)
            define(f"i{name}", "in_place", text)
        else:
            scope[name] = scope["plain"]
            define(f"{name}_of", "of", _OF.format(symbol=symbol, compared=name))
    # 36 functions, made once on import, for chains whose middle operand must be evaluated once.
    for first, second in itertools.product(COMPARISONS, repeat=2):
        symbols = {"first": COMPARISONS[first], "second": COMPARISONS[second]}
        define(f"{first}_{second}", "chain", _CHAIN.format(names=f"{first!r}, {second!r}", **symbols))


_define()
operators({name: NAMESPACE[f"__ramify_i{name}__"] for name in OPERATORS})


def _hint(value: Any, default: Any = 0, /) -> Any:
    return _LEN(value) if type(value) in SYMBOLIC else operator.length_hint(value, core.plain(default))


def _as_functions() -> None:
    """`operator.add` and its like, where Python would not ask a concolic operand."""
    for name in (*OPERATORS, *COMPARISONS):
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        LIBRARY[function] = guarded(function, NAMESPACE[f"__ramify_{name}__"])
        if name in OPERATORS:
            in_place = getattr(operator, f"i{name}")
            LIBRARY[in_place] = guarded(in_place, NAMESPACE[f"__ramify_i{name}__"])
    for function, name in ((operator.concat, "add"), (operator.iconcat, "iadd")):
        LIBRARY[function] = guarded(function, NAMESPACE[f"__ramify_{name}__"])
    for function, model in ((operator.is_, is_), (operator.is_not, is_not), (operator.length_hint, _hint)):
        LIBRARY[function] = guarded(function, model)


_as_functions()
