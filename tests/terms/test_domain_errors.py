"""What operations raise: outside their domain a term has no value; a mistake in an operation is not hidden."""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from project import ROOT, modules

from ramify.runtime.solver import guess, inverses
from ramify.runtime.terms import DOMAIN_ERRORS, INT, Evaluator, Term, const, make, var
from ramify.runtime.terms.compiled import WORTH_IT
from ramify.runtime.terms.nodes import OPS, EvaluationError, Op
from ramify.runtime.terms.printing import call

# What Python's operations raise for some operands, each by an operation that does.
OF_OPERANDS: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "division": (ZeroDivisionError, lambda: 1 // 0),
    "float": (OverflowError, lambda: 10.0**400),
    "domain of math": (ValueError, lambda: __import__("math").sqrt(-1)),
    "decimal": (decimal.InvalidOperation, lambda: decimal.Decimal("x")),
    "item": (IndexError, lambda: "a"[1]),
    "key": (KeyError, lambda: {}["a"]),
    "code point": (ValueError, lambda: chr(-1)),
    "encoding": (UnicodeEncodeError, lambda: "\ud800".encode()),
    "decoding": (UnicodeDecodeError, lambda: b"\xff".decode()),
    "format": (TypeError, lambda: "%d" % ("x",)),  # noqa: UP031
    "specification": (ValueError, lambda: format(1, "y")),
    "digits": (ValueError, lambda: str(10**5000)),
    "pattern": (re.error, lambda: re.compile("(")),
    "too large": (EvaluationError, lambda: OPS["pow"].evaluate(10, 10**9)),
    "memory": (MemoryError, lambda: (0,) * (1 << 60)),
}
MISTAKES = (AttributeError, AssertionError, NameError, NotImplementedError, OSError, ImportError)
_numbers = count()


@pytest.fixture
def operation(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], str]:
    """Puts an operation of one integer into the language, and gives its name."""

    def put(evaluate: Callable[..., Any]) -> str:
        name = f"tried{next(_numbers)}"
        monkeypatch.setitem(OPS, name, Op(name, INT, evaluate, call(name)))
        return name

    return put


def ways(name: str) -> dict[str, Callable[[], bool]]:
    """Every way in which a term of the operation is evaluated; each says whether it has a value."""
    x = var("x", INT)

    def folded() -> bool:
        return make(name, const(next(_numbers))).is_const

    def evaluated() -> bool:
        try:
            Evaluator({"x": 1}).value(make(name, x))
        except EvaluationError:
            return False
        return True

    def compiled() -> bool:
        condition: Term = make("eq", make(name, x), const(3))
        condition._code = WORTH_IT
        Evaluator({"x": 1}).holds(condition)
        assert condition._code.__class__ is not int
        evaluator = Evaluator({"x": 1})
        evaluator.holds(condition)
        return isinstance(evaluator._values[condition], bool)

    return {"folded": folded, "evaluated": evaluated, "compiled": compiled}


@pytest.mark.parametrize("way", ["folded", "evaluated", "compiled"])
@pytest.mark.parametrize("kind", OF_OPERANDS)
def test_outside_its_domain_a_term_has_no_value(kind: str, way: str, operation: Any) -> None:
    error, raising = OF_OPERANDS[kind]
    with pytest.raises(error):
        raising()
    assert not ways(operation(lambda x: raising()))[way]()


@pytest.mark.parametrize("way", ["folded", "evaluated", "compiled"])
def test_inside_its_domain_it_has_one(way: str, operation: Any) -> None:
    assert ways(operation(lambda x: 3))[way]()


@pytest.mark.parametrize("way", ["folded", "evaluated", "compiled"])
@pytest.mark.parametrize("error", MISTAKES)
def test_a_mistake_in_an_operation_surfaces(error: type[Exception], way: str, operation: Any) -> None:
    def broken(x: int) -> int:
        raise error("a mistake")

    with pytest.raises(error, match="a mistake"):
        ways(operation(broken))[way]()


@pytest.mark.parametrize("error", MISTAKES)
def test_a_mistake_in_an_inverse_surfaces(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(wanted: Any, args: Any) -> Any:
        raise error("a mistake")

    monkeypatch.setitem(inverses.ONE_SIDED, "neg", broken)
    goal = make("eq", make("neg", var("x", INT)), const(3))
    with pytest.raises(error, match="a mistake"):
        list(guess.changes(goal, inverses.Present({"x": 1})))


@pytest.mark.parametrize("error", MISTAKES)
def test_no_mistake_is_an_error_of_operands(error: type[Exception]) -> None:
    assert not issubclass(error, DOMAIN_ERRORS)


def test_nothing_that_works_on_terms_catches_everything() -> None:
    import ast

    foreign = "runtime/terms/spelling.py"  # it asks objects of the target for their texts
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in modules(folders=["runtime/terms", "runtime/solver", "runtime/models", "runtime/values"])
        for node in ast.walk(tree)
        if str(path.relative_to(ROOT)) != foreign
        and isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    ]
    assert found == []
