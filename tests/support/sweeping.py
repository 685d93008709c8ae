"""Compare the code objects of a plainly compiled file with those of its instrumented twin."""

from __future__ import annotations

import sysconfig
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ramify.instrument import concolic
from ramify.instrument.coverage import instrument

LIBRARY = Path(sysconfig.get_path("stdlib"))

# A fair sample: the syntax of every version, large and small files, many kinds of code.
SAMPLE = """
    abc.py argparse.py ast.py asyncio/base_events.py asyncio/tasks.py asyncio/taskgroups.py bdb.py calendar.py
    collections/__init__.py configparser.py contextlib.py copy.py csv.py dataclasses.py datetime.py _pydecimal.py
    difflib.py email/_header_value_parser.py enum.py fractions.py functools.py heapq.py inspect.py ipaddress.py
    json/decoder.py logging/__init__.py pathlib.py pickle.py random.py shutil.py statistics.py string.py
    subprocess.py tarfile.py textwrap.py threading.py tokenize.py turtle.py types.py typing.py unittest/mock.py
    test/test_grammar.py test/test_named_expressions.py test/test_patma.py test/test_except_star.py
    test/test_type_params.py test/test_type_aliases.py test/test_with.py test/test_coroutines.py
"""


def library_files() -> list[Path]:
    return sorted(path for path in LIBRARY.rglob("*.py") if "site-packages" not in path.parts)


def concolic_differences(path: Path) -> list[str]:
    """The same for the concolic level."""
    return differences(path, "concolic")


def differences(path: Path, level: str = "coverage") -> list[str]:
    """In which ways the instrumented code of a file differs from the plain code; none if it does not parse."""
    warnings.simplefilter("ignore")
    source = path.read_bytes()
    name = path.relative_to(LIBRARY).as_posix()
    try:
        plain = compile(source, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return []
    result: Any = (concolic.instrument if level == "concolic" else instrument)(source, str(path))
    if result.declined:
        return [f"{name}: declined, {result.declined}"]
    ours, theirs = list(code_objects(result.code)), list(code_objects(plain))
    if [code.co_qualname for code in ours] != [code.co_qualname for code in theirs]:
        return [f"{name}: other code objects"]
    return [
        f"{name}: {code.co_qualname}: {difference}"
        for code, other in zip(ours, theirs, strict=True)
        for difference in _code_differences(code, other)
    ]


def code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def _code_differences(ours: types.CodeType, theirs: types.CodeType) -> Iterator[str]:
    for name in ("co_firstlineno", "co_flags", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount"):
        if getattr(ours, name) != getattr(theirs, name):
            yield f"{name} {getattr(ours, name)}, not {getattr(theirs, name)}"
    # A comprehension that 3.12 inlines into a class body makes the names it mentions variables of that body.
    variables = tuple(name for name in ours.co_varnames if not name.startswith("__ramify_"))
    if variables != theirs.co_varnames:
        yield f"co_varnames {ours.co_varnames}, not {theirs.co_varnames}"
    if _documentation(ours) != _documentation(theirs):
        yield "documentation"
    names = {name for name in ours.co_names if not name.startswith("__ramify_") and name not in _OURS}
    if not names <= set(theirs.co_names):
        yield f"names {sorted(names - set(theirs.co_names))}"
    if (added := _lines(ours) - _lines(theirs)) or _lines(theirs) - _lines(ours):
        yield f"lines +{sorted(added)} -{sorted(_lines(theirs) - _lines(ours))}"


# Attributes of the recorders, which the code mentions.
_OURS = {
    "body", "chain", "completions", "ended", "ended_with", "ends", "functions", "given", "guards", "iter", "one",
    "pick", "started", "strict_guards", "went_on",
}  # fmt: skip


def _documentation(code: types.CodeType) -> object:
    if code.co_name.startswith("<"):
        return None
    first = code.co_consts[0] if code.co_consts else None
    return first if isinstance(first, str) else None


def _lines(code: types.CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line}

