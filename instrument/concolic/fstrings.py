"""The two forms of an f-string: as it was written, and with its parts shown and joined by models."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ramify.instrument.concolic.plainness import Plainness
from ramify.instrument.concolic.variants import Forms, call, changed, joined, only
from ramify.instrument.positions import start_of


def text(node: ast.JoinedStr, value: Callable[[ast.expr], ast.expr], plain: Plainness) -> Forms:
    """An f-string; `value` gives the rewritten form of a value in it."""
    values: list[ast.expr] = []
    asked: list[ast.expr] = []  # for models
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            spec = _specification(part.format_spec, value)
            part = changed(part, value=value(part.value), format_spec=spec)
            asked.append(part if plain.kinds.of(part.value) else _shown(part))
        else:
            asked.append(part)
        values.append(part)
    fast = changed(node, values=values)
    shown = [v for v in node.values if isinstance(v, ast.FormattedValue)]
    if not plain.switches.formats or not shown:
        return only(fast, 5 * len(values))
    parts: list[ast.expr] = [v if isinstance(v, ast.Constant) else changed(node, values=[v]) for v in asked]
    slow: ast.expr = changed(node, values=asked)
    # A single part keeps its term natively; several are copied into a new text by C code.
    if len(values) > 1:
        slow = call(node, "joined", ast.copy_location(ast.Tuple(parts, ast.Load()), node))
    names = plain.all_clean(v.value for v in shown)
    if names is None or any(v.format_spec is not None and _is_dynamic(v.format_spec) for v in shown):
        return only(slow, 5 * len(values))
    return joined(fast, slow, *(only(v, 5) for v in values), guards=names)


def _specification(spec: ast.expr | None, value: Callable[[ast.expr], ast.expr]) -> ast.expr | None:
    """A format specification; the values in it are read by C code."""
    if not isinstance(spec, ast.JoinedStr) or not _is_dynamic(spec):
        return spec
    parts: list[ast.expr] = []
    for part in spec.values:
        if isinstance(part, ast.FormattedValue):
            part = changed(part, value=call(part.value, "told", value(part.value)))
        parts.append(part)
    return changed(spec, values=parts)


def _shown(part: ast.FormattedValue) -> ast.FormattedValue:
    """A part of an f-string, with what C code would show of objects and containers left to a model."""
    place = start_of(part)
    details = [ast.Constant(part.conversion, **place), ast.Constant(part.format_spec is None, **place)]
    return changed(part, value=call(part.value, "shown", part.value, *details), conversion=-1)


def _is_dynamic(spec: ast.expr) -> bool:
    return any(isinstance(part, ast.FormattedValue) for part in ast.walk(spec))
