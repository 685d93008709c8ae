"""`%` and `str.format` with concolic arguments: the result is the joined texts, as far as each conversion has
a model.
"""

from __future__ import annotations

import re
import string
from typing import Any

from ramify.runtime import path
from ramify.runtime import terms as T
from ramify.runtime.nodes import Term, const
from ramify.runtime.values import core
from ramify.runtime.values.bool_ import SymBool, as_int
from ramify.runtime.values.text import EMPTY, SymStr, plain, sym_str, text

CONVERSION = re.compile(r"%(%|[sdi])")


def percent(template: Any, arguments: Any) -> Any:
    """`template % arguments` for a template whose text is concrete."""
    values = list(arguments) if isinstance(arguments, tuple) else [arguments]
    if type(template) is SymStr or isinstance(arguments, dict):
        return _lost("%", plain(template) % core.strip(arguments))
    pieces, position, used = [], 0, 0
    while position < len(template):
        mark = template.find("%", position)
        if mark < 0:
            break
        match = CONVERSION.match(template, mark)
        if match is None or (match[1] != "%" and used >= len(values)):
            return _lost("%", template % core.strip(arguments))
        pieces.append(const(template[position:mark]))
        if match[1] == "%":
            pieces.append(const("%"))
        else:
            shown = _shown(values[used], match[1] != "s")
            if shown is None:
                return _lost("%", template % core.strip(arguments))
            pieces.append(shown)
            used += 1
        position = match.end()
    if used != len(values):
        return _lost("%", template % core.strip(arguments))
    pieces.append(const(template[position:]))
    return _joined(template % core.strip(arguments), pieces)


def format_(template: Any, *args: Any, **kwargs: Any) -> Any:
    """`template.format(...)` for a template whose text is concrete."""
    value = str.format(plain(template), *core.strip(args), **core.strip(kwargs))
    if type(template) is SymStr:
        return _lost("str.format", value)
    pieces: list[Term] = []
    automatic = 0
    for before, name, spec, conversion in string.Formatter().parse(template):
        pieces.append(const(before))
        if name is None:
            continue
        if name == "":
            name, automatic = str(automatic), automatic + 1
        found = args[int(name)] if name.isdigit() and int(name) < len(args) else kwargs.get(name)
        shown = _shown(found, False) if not spec and conversion in (None, "s") else None
        if shown is None:
            return _lost("str.format", value)
        pieces.append(shown)
    return _joined(value, pieces)


def _shown(value: Any, as_number: bool) -> Term | None:
    """The text of an argument: `str(value)`, or its decimal digits."""
    if type(value) is SymBool:
        value = as_int(value) if as_number else bool(value)
    if as_number and (not isinstance(value, int) or type(value) is bool):
        return None
    if not core.is_concolic(value):
        found = text(str(value))
    else:
        found = text(str(value))
    return None if found is None else found[1]


def _joined(value: str, pieces: list[Term]) -> Any:
    result = EMPTY
    for piece in pieces:
        result = T.concat(result, piece)
    return sym_str(value, result)


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
    return _lost("str.format_map", str.format_map(plain(self), mapping))


for _name, _method in (
    ("__mod__", _mod),
    ("__rmod__", _rmod),
    ("format", _format),
    ("format_map", _format_map),
):
    setattr(SymStr, _name, _method)
