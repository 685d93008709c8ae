"""`%` and `str.format` with concolic arguments: the result is the joined texts, as far as each conversion has
a model.
"""

from __future__ import annotations

import re
import string
from typing import Any

from ramify.runtime.recording import path
from ramify.runtime.terms import FLOAT, INT, Term, const
from ramify.runtime.terms import language as T
from ramify.runtime.values import core
from ramify.runtime.values.numeric.bool_ import SymBool
from ramify.runtime.values.showing import concatenated, formatted, joined, repr_of, shown_as, str_of
from ramify.runtime.values.texts.text import SymStr, plain, text

CONVERSION = re.compile(
    r"%%|%(?:\((?P<name>[^)]*)\))?(?P<spec>[#0\- +]*(?P<star>\*)?\d*(?:\.(?:\d+|\*)?)?)[hlL]?"
    r"(?P<kind>[diouxXeEfFgGcrsa])"
)


def percent(template: Any, arguments: Any) -> Any:
    """`template % arguments` for a template whose text is concrete."""
    # Python's own result first: if the template and the arguments do not go together, this raises and says why.
    value = plain(template) % core.strip(arguments)
    if type(template) is SymStr:
        return _lost("%", value)
    values = list(arguments) if isinstance(arguments, tuple) else [arguments]
    pieces: list[Term] = []
    position = 0
    for match in CONVERSION.finditer(template):
        pieces.append(const(template[position : match.start()]))
        position = match.end()
        if match[0] == "%%":
            pieces.append(const("%"))
            continue
        shown = None
        if match["star"] is None:
            if match["name"] is not None:
                # A mapping of the user's may compute what it is asked for; it is not asked twice.
                argument = arguments[match["name"]] if isinstance(arguments, dict) else None
            else:
                argument = values.pop(0)
            shown = _converted(argument, "%" + match["spec"] + match["kind"])
        if shown is None:
            return _lost("%", value)
        pieces.append(shown)
    pieces.append(const(template[position:]))
    return joined(value, pieces)


def _converted(value: Any, conversion: str) -> Term | None:
    """The text of one argument under a conversion such as `%05d`, or None if no term says it."""
    kind = conversion[-1]
    # `"%s" % flag` shows True or False, a text that no term gives; the flag is decided.
    if type(value) is SymBool:
        value = bool(value)
    # `%s` asks `__str__`, and an object's own method may put a concolic text together.
    if not core.is_concolic(value) and conversion != "%s":
        return const(conversion % (core.strip(value),))
    if conversion == "%s":
        found = text(str_of(value))
        return None if found is None else found[1]
    term = core.term_of(value)
    if term is None or term.sort.element is not None:
        return None
    if conversion in ("%d", "%i") and term.sort is INT:
        return T.int_to_str(term)
    if kind in "rsa" or (kind in "diouxXc" and term.sort is not FLOAT) or kind in "eEfFgG":
        return T.percent(const(conversion), term)
    return None


def format_(template: Any, *args: Any, **kwargs: Any) -> Any:
    """`template.format(...)` for a template whose text is concrete."""
    value = str.format(plain(template), *core.strip(args), **core.strip(kwargs))
    if type(template) is SymStr:
        return _lost("str.format", value)
    pieces: list[Any] = []
    automatic = 0
    for before, name, spec, conversion in string.Formatter().parse(template):
        pieces.append(before)
        if name is None:
            continue
        # `{}` and `{.attribute}` take the next argument by number.
        if name == "" or name[0] in ".[":
            name, automatic = str(automatic) + name, automatic + 1
        found = _field(name, args, kwargs)
        if conversion is not None:
            found = {"s": str_of, "r": repr_of, "a": ascii}[conversion](found)
        # A field inside a format specification, as in `{:{width}}`.
        if spec and "{" in spec:
            return _lost("str.format", value)
        pieces.append(shown_as(found, spec or "") if core.is_concolic(found) else format(found, spec or ""))
    return _checked(value, concatenated(*pieces))


def _field(name: str, args: Any, kwargs: Any) -> Any:
    return string.Formatter().get_field(name, args, kwargs)[0]


def _checked(value: str, built: Any) -> Any:
    """The text that was built from pieces, unless a piece lost something on the way."""
    return built if plain(built) == value else _lost("str.format", value)


def _lost(operation: str, value: Any) -> Any:
    path.concretised(operation)
    return value


def _mod(self: SymStr, arguments: Any) -> Any:
    return percent(self, arguments)


def _rmod(self: SymStr, template: Any) -> Any:
    return percent(template, self) if isinstance(template, str) else NotImplemented


def _format(self: SymStr, *args: Any, **kwargs: Any) -> Any:
    return format_(self, *args, **kwargs)


def _format_map(self: SymStr, mapping: Any) -> Any:
    return format_map(self, mapping)


def format_map(template: Any, mapping: Any) -> Any:
    """`template.format_map(mapping)` for a template whose text is concrete."""
    if type(template) is SymStr or not isinstance(mapping, dict):
        return _lost("str.format_map", str.format_map(plain(template), mapping))
    # For one, positional fields.
    str.format_map(template, core.strip(mapping))  # refuses what format() would take
    return format_(template, **mapping)


def _str_format(self: SymStr, spec: str) -> Any:
    path.shown()
    if spec in ("", "s"):
        return self
    return formatted(self, core.plain(spec), lambda value: str.__format__(value, core.plain(spec)))


for _name, _method in (
    ("__mod__", _mod),
    ("__rmod__", _rmod),
    ("format", _format),
    ("format_map", _format_map),
    ("__format__", _str_format),
):
    setattr(SymStr, _name, _method)
