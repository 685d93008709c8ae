"""Reads PEF's contracts from docstrings: `:types:`, `:assume:`, `:ensure:` and `:raises:`.

Sphinx writes `:type x: int` and `:raises ValueError: when it is bad`; these are understood as what they say,
the second as an exception that is documented.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NamedTuple

from ramify.errors import InputError
from ramify.runtime.contracts import docstrings
from ramify.runtime.contracts.clause import RESULT, Clause, compile_clause

FIELD = re.compile(r"^\s*:(\w+)((?:\s+[\w.]+)*):(?=\s|$)(.*)$")
WORDS = {"ensures": "ensure", "type": "types", "raise": "raises"}
ANY = "any"


class Field(NamedTuple):
    """A field of a docstring: `:name argument: text`, the text's lines kept apart."""

    name: str
    argument: str
    text: str
    line: int  # of the docstring, from 0


@dataclass(frozen=True, slots=True)
class Raises:
    """An exception that is expected when a condition holds."""

    exception: str
    kind: CodeType | None  # None is `any`
    condition: tuple[Clause, ...]
    line: int = 0

    @property
    def text(self) -> str:
        conditions = ", ".join(clause.text for clause in self.condition)
        return f"{self.exception}: {conditions}" if conditions else self.exception

    def matches(self, error: BaseException, scope: dict[str, Any]) -> bool:
        return self.kind is None or isinstance(error, eval(self.kind, dict(scope)))


@dataclass(frozen=True, slots=True)
class Contract:
    """What a docstring says about a function."""

    types: dict[str, ast.expr] = field(default_factory=dict)
    assume: tuple[Clause, ...] = ()
    ensure: tuple[Clause, ...] = ()
    raises: tuple[Raises, ...] = ()
    documented: tuple[str, ...] = ()  # exceptions that prose mentions
    file: str = ""

    def __bool__(self) -> bool:
        return bool(self.assume or self.ensure or self.raises)

    def constants(self) -> list[Any]:
        """The values its clauses mention: bounds are where things go wrong."""
        clauses = [*self.assume, *self.ensure, *(clause for item in self.raises for clause in item.condition)]
        parts = [part for clause in clauses for part in ast.walk(ast.parse(clause.text, mode="eval"))]
        return [part.value for part in parts if isinstance(part, ast.Constant)]


class _Places:
    """Where the lines of a docstring are, for error messages."""

    def __init__(self, where: str, file: str = "", first: Callable[[int], int] | None = None) -> None:
        self.where, self.file, self._first = where, file, first

    def line(self, offset: int) -> int:
        return self._first(offset) if self._first is not None else offset + 1

    def error(self, offset: int, message: str) -> InputError:
        place = f"{self.file}:{self.line(offset)}: " if self._first is not None else ""
        return InputError(f"{place}contract of {self.where}: {message}")


# For the whole process: a module is executed anew for every run, but its code objects stay. Equal code may
# stand in several files.
_known: dict[tuple[CodeType, str], Contract] = {}


def of(function: Callable[..., Any]) -> Contract:
    """The contract of a function, checked: it speaks only of what there is. What is wrong with it is said with
    file, line and clause.
    """
    # A decorator keeps `__doc__`, but the parameters are those of the function inside.
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None or not function.__doc__:
        return Contract()
    # By code object: a module that is executed anew makes new functions of the same code.
    found = _known.get((code, code.co_filename))
    if found is None:
        places = _Places(function.__qualname__, code.co_filename, docstrings.lines_of(function))
        # A module that has a function called `old` means that one.
        own = _parameters(code) | set(function.__globals__)
        found = read(function.__doc__, function.__qualname__, places, own)
        _check_names(found, function, code, places)
        _known[code, code.co_filename] = found
    return found


def read(docstring: str | None, where: str, places: _Places | None = None, own: Collection[str] = ()) -> Contract:
    """The contract in a docstring; `where` names the function in error messages, `own` are the names
    it has already."""
    places = places if places is not None else _Places(where)
    types: dict[str, ast.expr] = {}
    assume: list[Clause] = []
    ensure: list[Clause] = []
    raises: list[Raises] = []
    documented: list[str] = []
    for item in fields(docstring or ""):
        name = WORDS.get(item.name, item.name)
        if name == "types":
            types.update(_sphinx_type(item) if item.argument else _types(item.text, item.line, places))
        elif name == "assume":
            assume += _clauses(item.text, item.line, places, "assume", own)
        elif name == "ensure":
            ensure += _clauses(item.text, item.line, places, "ensure", own)
        elif name == "raises" and item.argument:
            # `:raises ValueError: when ...` is prose: the exception is expected, no condition is checked.
            documented += item.argument.split()
        elif name == "raises" and "`" not in item.text:  # else it is prose with references
            raises.append(_raises(item, places, own))
    return Contract(types, tuple(assume), tuple(ensure), tuple(raises), tuple(documented), places.file)


def fields(docstring: str) -> list[Field]:
    """The fields of a docstring; a field goes on until a blank line or the next field."""
    found: list[Field] = []
    inside = False
    for number, line in enumerate(docstring.splitlines()):
        match = FIELD.match(line)
        if match is not None:
            found.append(Field(match[1], match[2].strip(), match[3].strip(), number))
            inside = True
        elif not line.strip():
            inside = False
        elif inside:
            last = found[-1]
            found[-1] = last._replace(text=f"{last.text}\n{line.strip()}")
    return found


def types_of(text: str, where: str) -> dict[str, ast.expr]:
    """The types of a text `name: type, name: type`."""
    return _types(text, 0, _Places(where))


def _types(text: str, line: int, places: _Places) -> dict[str, ast.expr]:
    tree = _parse("{" + text + "}", f":types: {_one_line(text)}", line, places)
    if not isinstance(tree, ast.Dict) or not all(isinstance(key, ast.Name) for key in tree.keys):
        raise places.error(line, f":types: wants `name: type, name: type`, not {_one_line(text)!r}")
    return {k.id: v for k, v in zip(tree.keys, tree.values, strict=True) if isinstance(k, ast.Name)}


def _sphinx_type(item: Field) -> dict[str, ast.expr]:
    """`:type x: int` where the text is a plain type; prose says nothing to us."""
    try:
        node = ast.parse(item.text, mode="eval").body
    except SyntaxError:
        return {}
    # Sphinx allows any prose there, "list of str" for one.
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp)):
        return {}
    # A word of prose parses as a name, too; only builtin types are taken at their word.
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return {item.argument: node} if all(hasattr(builtins, name) for name in names) else {}


def _clauses(text: str, line: int, places: _Places, word: str, own: Collection[str]) -> list[Clause]:
    if not text.strip():
        raise places.error(line, f":{word}: says nothing; write an expression behind it")
    # As a tuple: clauses are separated by commas, and may go over several lines.
    tree = _parse(f"({text},)", f":{word}: {_one_line(text)}", line, places)
    assert isinstance(tree, ast.Tuple)
    for part in ast.walk(tree):
        if isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)):
            raise places.error(line, f":{word}: {_one_line(text)}: a clause cannot wait or yield")
    return [compile_clause(node, places.line(line + node.lineno - 1), own) for node in tree.elts]


def _raises(item: Field, places: _Places, own: Collection[str]) -> Raises:
    shown = f":raises: {_one_line(item.text)}"
    name, colon, condition = item.text.partition(":")
    node = _parse(name.strip() or "()", shown, item.line, places)
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    if not kinds or not all(isinstance(kind, (ast.Name, ast.Attribute)) for kind in kinds):
        raise places.error(item.line, f"{shown}: wants `Exception: condition`")
    clauses = _clauses(condition, item.line, places, "raises", own) if colon and condition.strip() else []
    text = ast.unparse(node)
    # Compiled, not looked up: the name must mean what it means in the module when it runs.
    code = None if text == ANY else compile(text, "<contract>", "eval", dont_inherit=True)
    return Raises(text, code, tuple(clauses), places.line(item.line))


def _parse(text: str, what: str, line: int, places: _Places) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        at = line + (getattr(error, "lineno", None) or 1) - 1
        raise places.error(at, f"{what} is no Python ({getattr(error, 'msg', error)})") from None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _parameters(code: CodeType) -> set[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    # `co_varnames` begins with the parameters: positional, keyword-only, then `*args` and `**kwargs`.
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return set(code.co_varnames[: count + flags])


def _check_names(contract: Contract, function: Any, code: CodeType, places: _Places) -> None:
    """A name that nobody defined would make a clause fail for every input: it is an error in the contract."""
    own = _parameters(code)
    scope = function.__globals__
    known = own | set(scope) | set(vars(builtins)) | set(code.co_freevars)
    conditions = [("raises", clause) for item in contract.raises for clause in item.condition]
    for word, clause in [*(("assume", c) for c in contract.assume), *conditions]:
        _known_only(word, clause, known, contract, places)
        if clause.olds or clause.finals:
            raise _error(contract, places, clause.line, f":{word}: {clause.text}: old and new belong in :ensure:")
    if contract.ensure and RESULT in own:
        raise _error(contract, places, contract.ensure[0].line, f"an argument called {RESULT!r} hides the result")
    for clause in contract.ensure:
        _known_only("ensure", clause, known | {RESULT}, contract, places)
        for name in clause.finals - own:
            raise _error(
                contract,
                places,
                clause.line,
                f":ensure: {clause.text}: new({name}) is no argument of the function",
            )
    for item in contract.raises:
        _check_exception(item, scope, contract, places)


def _known_only(word: str, clause: Clause, known: set[str], contract: Contract, places: _Places) -> None:
    for name in sorted(clause.names - known):
        raise _error(contract, places, clause.line, f":{word}: {clause.text}: nothing is called {name!r} there")


def _check_exception(item: Raises, scope: dict[str, Any], contract: Contract, places: _Places) -> None:
    if item.kind is None:
        return
    try:
        kind = eval(item.kind, dict(scope))
    except Exception:
        kind = None
    for one in kind if isinstance(kind, tuple) else (kind,):
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise _error(contract, places, item.line, f":raises: {item.text}: {item.exception!r} is no exception")


def _error(contract: Contract, places: _Places, line: int, message: str) -> InputError:
    place = f"{contract.file}:{line}: " if contract.file else ""
    return InputError(f"{place}contract of {places.where}: {message}")
