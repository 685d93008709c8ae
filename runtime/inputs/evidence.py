"""What the body of a function says about the types of its parameters: the tests it makes, and what it does with
them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from ramify.cfg.recursion import deep_recursion

BUILTINS: dict[str, type] = {
    "str": str, "list": list, "dict": dict, "set": set, "bytes": bytes, "int": int, "float": float, "tuple": tuple,
}  # fmt: skip
# Weights, not rules: what a call says is added up with what everything else says.
TAKES: dict[str, dict[str, float]] = {
    "range": {"int": 3}, "chr": {"int": 4}, "bin": {"int": 3}, "hex": {"int": 3}, "oct": {"int": 3},
    "ord": {"str": 4}, "int": {"str": 2, "float": 1, "int": 1}, "float": {"float": 2, "str": 1, "int": 1},
    "len": {"list": 1, "str": 1, "dict": 0.5}, "sum": {"list": 3}, "max": {"list": 1.5}, "min": {"list": 1.5},
    "sorted": {"list": 2, "str": 0.5}, "enumerate": {"list": 2, "str": 0.5}, "zip": {"list": 2, "str": 0.5},
    "reversed": {"list": 2, "str": 0.5}, "any": {"list": 2}, "all": {"list": 2}, "abs": {"int": 2, "float": 1},
    "round": {"float": 2, "int": 1}, "divmod": {"int": 3}, "pow": {"int": 2}, "list": {"list": 1, "str": 0.5},
    "set": {"list": 1}, "tuple": {"list": 1}, "iter": {"list": 1}, "dict": {"dict": 2}, "open": {"str": 2},
    "sqrt": {"float": 2, "int": 1}, "floor": {"float": 3}, "ceil": {"float": 3}, "log": {"float": 2},
    "gcd": {"int": 3}, "factorial": {"int": 3}, "match": {"str": 1}, "search": {"str": 1}, "fullmatch": {"str": 1},
    "findall": {"str": 1}, "split": {"str": 1}, "sub": {"str": 1}, "loads": {"str": 2}, "startswith": {"str": 2},
    "endswith": {"str": 2}, "heappush": {"list": 3}, "heappop": {"list": 3}, "heapify": {"list": 3},
    "bisect": {"list": 3}, "bisect_left": {"list": 3}, "isnan": {"float": 3}, "isinf": {"float": 3},
}  # fmt: skip
COUNTING = (ast.Mod, ast.FloorDiv, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
WORDS = {
    "str": "s text string name line word msg message key prefix suffix pattern title sentence chars token",
    "list": "lst list items values numbers nums arr array xs ys seq sequence words lines",
    "dict": "d dct mapping config options params table counts",
    "bool": "flag verbose strict force reverse",
    "int": "n m k x y i j count size length width height index year month day amount age",
    "function": "func fn callback predicate",
}
NAMES = {name: kind for kind, names in WORDS.items() for name in names.split()}


@dataclass(slots=True)
class Evidence:
    """What was seen of one name. `scores` ranks kinds of types; `tested` are the types that the code asks for."""

    scores: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    tested: list[ast.expr | None] = field(default_factory=list)  # None: a test for None
    called_with: list[Any] = field(default_factory=list)  # annotations of parameters it is passed to
    attributes: set[str] = field(default_factory=set)
    keys: list[str] = field(default_factory=list)
    elements: list[Evidence] = field(default_factory=list)
    uses: int = 0

    def vote(self, **kinds: float) -> None:
        for kind, weight in kinds.items():
            self.scores[kind] += weight

    def ranked(self) -> list[str]:
        """The kinds that were seen, the likeliest first; those that hardly count against it are left out."""
        best = max(self.scores.values(), default=0)
        # A third of the best is still worth a try; less is mostly noise.
        kinds = [kind for kind, score in self.scores.items() if score > 0 and score >= best / 3]
        return sorted(kinds, key=lambda kind: -self.scores[kind])


def body_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The source of a function as a tree, if there is one."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, IndexError):
        return None
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    # `inspect.getsource` of a lambda or of generated code may give another function's lines.
    found = next(functions, None)
    return found if found is not None and found.name == getattr(function, "__name__", "") else None


def evidence_of(function: Callable[..., Any], depth: int = 0) -> dict[str, Evidence]:
    """What a function's body says about each name in it."""
    tree = body_of(function)
    if tree is None:
        return {}
    collector = _Collector(getattr(function, "__globals__", {}), depth)
    with deep_recursion():
        for statement in tree.body:
            collector.visit(statement)
    arguments = tree.args
    # A name alone is weak evidence, for when the body says nothing.
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        kind = NAMES.get(argument.arg)
        if kind is not None:
            collector.of(argument.arg).vote(**{kind: 0.2})
    return collector.found


class _Collector(ast.NodeVisitor):
    def __init__(self, scope: dict[str, Any], depth: int) -> None:
        self.found: dict[str, Evidence] = {}
        self._later: dict[str, Evidence] = {}  # of names that stand for another value by now
        self._scope = scope
        self._depth = depth

    def of(self, name: str) -> Evidence:
        return self._later[name] if name in self._later else self.found.setdefault(name, Evidence())

    def visit_Assign(self, node: ast.Assign) -> None:
        """`line = line.split()`: what follows speaks of the parts, not of the line."""
        self.generic_visit(node)
        for name in (target.id for target in node.targets if isinstance(target, ast.Name)):
            if _calls_with(node.value, name) and self.of(name).ranked():
                # Only if the old meaning has left a trace: otherwise the conversion was the first thing to see.
                self._later[name] = Evidence()

    def _evidence(self, node: ast.AST) -> Evidence | None:
        """The evidence about an expression: a name, or an element of a name."""
        if isinstance(node, ast.Name):
            return self.of(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and not _is_text(node.slice):
            # A slice is of the kind of the whole, not of its elements.
            if isinstance(node.slice, ast.Slice):
                return None
            element = Evidence()
            self.of(node.value.id).elements.append(element)
            return element
        return None

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.of(node.id).uses += 1

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        evidence = self._evidence(node.value)
        if evidence is None:
            return
        having = [kind for kind, cls in BUILTINS.items() if hasattr(cls, node.attr)]
        if having:
            # Bytes share most names with texts, and are seldom meant.
            having = [k for k in having if not (k == "bytes" and "str" in having)]
            evidence.vote(**{kind: 4 / len(having) for kind in having})
        else:
            evidence.attributes.add(node.attr)

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        self._iterated(node.target, node.iter)
        self.generic_visit(node)

    visit_AsyncFor = visit_For
    visit_comprehension = visit_For

    def _iterated(self, target: ast.expr, source: ast.expr) -> None:
        # The functions that hand the elements on.
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.args:
            through, inner = source.func.id, source.args[0]
            # The second of the pair is the element.
            if through == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                target, source = target.elts[1], inner
            elif through in ("sorted", "reversed", "set", "list"):
                source = inner
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
            return  # `d.items()`: the method says enough
        evidence = self._evidence(source)
        if evidence is None:
            return
        evidence.vote(list=2, str=0.7, dict=0.2)
        if isinstance(target, ast.Name):
            self._later.pop(target.id, None)
            evidence.elements.append(self.of(target.id))
        elif isinstance(target, ast.Tuple):
            pair = Evidence()
            pair.vote(tuple=3)
            evidence.elements.append(pair)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.generic_visit(node)
        if (index := self._evidence(node.slice)) is not None:
            index.vote(int=1, str=0.3)
        evidence = self._evidence(node.value)
        if evidence is None:
            return
        if _is_text(node.slice):
            evidence.vote(dict=4)
            evidence.keys.append(node.slice.value)  # type: ignore[attr-defined]
        elif isinstance(node.slice, (ast.Slice, ast.UnaryOp)) or _is_number(node.slice):
            evidence.vote(list=2, str=1, tuple=0.5)
        else:
            evidence.vote(list=1.2, dict=1, str=0.5)
        if not isinstance(node.ctx, ast.Load):
            # A store into it: neither can be changed.
            evidence.vote(str=-5, tuple=-5)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        for mine, other in ((node.left, node.right), (node.right, node.left)):
            if (evidence := self._evidence(mine)) is not None:
                self._operand(evidence, node.op, other, mine is node.left)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if (evidence := self._evidence(node.value)) is not None:
            self._operand(evidence, node.op, node.target, False)
        if (evidence := self._evidence(node.target)) is not None:
            self._operand(evidence, node.op, node.value, True)

    def _operand(self, evidence: Evidence, op: ast.operator, other: ast.expr, left: bool) -> None:
        if isinstance(other, ast.JoinedStr) or _is_text(other):
            # `"%s" % x` and `"-" * n` say nothing about the right operand.
            if isinstance(op, ast.Add) or left:
                evidence.vote(str=4)
            return
        if _is_number(other):
            evidence.vote(**{"float" if _is_float(other) else "int": 3})
        elif isinstance(other, (ast.List, ast.ListComp)):
            # `[0] * n` repeats.
            evidence.vote(list=4) if isinstance(op, ast.Add) else evidence.vote(int=3)
        elif isinstance(op, ast.Add):
            evidence.vote(int=0.8, str=0.4, list=0.3)
        # Operators that floats and texts hardly use.
        elif isinstance(op, COUNTING):
            evidence.vote(int=2)
        else:
            evidence.vote(int=1.5, float=0.6)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        evidence = self._evidence(node.operand)
        if evidence is not None and not isinstance(node.op, ast.Not):
            evidence.vote(int=2)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            self._compared(op, left, right)
        self._type_test(node)

    def _compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> None:
        if isinstance(op, (ast.In, ast.NotIn)):
            if (inner := self._evidence(left)) is not None:
                for item in getattr(right, "elts", [right] if _is_text(right) else []):
                    self._like(inner, item)
            if (outer := self._evidence(right)) is not None:
                outer.vote(list=1, dict=0.8, set=0.6, str=1.5 if _is_text(left) else 0.4)
            return
        for mine, other in ((left, right), (right, left)):
            evidence = self._evidence(mine)
            if evidence is None:
                continue
            if isinstance(other, ast.Constant) and other.value is None:
                evidence.tested.append(None)
            elif isinstance(other, ast.Call) and isinstance(other.func, ast.Name) and other.func.id == "len":
                evidence.vote(int=2)
            elif not self._like(evidence, other) and not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
                evidence.vote(int=1, float=0.3)

    def _like(self, evidence: Evidence, value: ast.expr) -> bool:
        """Compared with a literal: probably of its type."""
        if _is_text(value):
            evidence.vote(str=3)
        elif _is_number(value):
            evidence.vote(**{"float" if _is_float(value) else "int": 3})
        elif isinstance(value, ast.Constant) and isinstance(value.value, bool):
            evidence.vote(bool=3)
        elif isinstance(value, ast.Constant) and isinstance(value.value, bytes):
            evidence.vote(bytes=3)
        elif isinstance(value, (ast.List, ast.Tuple, ast.Dict)):
            evidence.vote(**{type(value).__name__.lower(): 3})
        else:
            return False
        return True

    def _type_test(self, node: ast.Compare) -> None:
        """`type(x) is T`, `type(x) == T`, `type(x) in (T, U)`, `x.__class__ is T`."""
        subject, asked = node.left, node.comparators[0]
        name = None
        if isinstance(subject, ast.Call) and isinstance(subject.func, ast.Name) and subject.func.id == "type":
            name = subject.args[0] if len(subject.args) == 1 else None
        elif isinstance(subject, ast.Attribute) and subject.attr == "__class__":
            name = subject.value
        if isinstance(name, ast.Name):
            self.of(name.id).tested += getattr(asked, "elts", [asked])

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        function = node.func
        called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if isinstance(function, ast.Name) and called == "isinstance" and len(node.args) == 2:
            if (evidence := self._evidence(node.args[0])) is not None:
                evidence.tested += _flat(node.args[1])
            return
        # A name of the module that is called is a function of it, no parameter.
        if (evidence := self._evidence(function)) is not None and called not in self._scope:
            evidence.vote(function=4)
        if called == "callable" and node.args and (evidence := self._evidence(node.args[0])) is not None:
            evidence.vote(function=1)
        if called == "join" and node.args and (evidence := self._evidence(node.args[0])) is not None:
            evidence.vote(list=4)
            # `join` takes texts only.
            words = Evidence()
            words.vote(str=4)
            evidence.elements.append(words)
        if called in ("get", "pop", "setdefault") and node.args and _is_text(node.args[0]):
            receiver = self._evidence(getattr(function, "value", function))
            if receiver is not None:
                receiver.vote(dict=2)
                receiver.keys.append(node.args[0].value)  # type: ignore[attr-defined]
        several = called in ("min", "max") and len(node.args) > 1
        for number, argument in enumerate(node.args):
            evidence = self._evidence(argument)
            if evidence is not None:
                evidence.vote(**({"int": 1.5, "float": 0.5} if several else TAKES.get(called, {})))
                self._passed(evidence, function, number)

    def _passed(self, evidence: Evidence, function: ast.expr, number: int) -> None:
        """An argument of another function of the same module is what that function takes."""
        callee = self._scope.get(function.id) if isinstance(function, ast.Name) else None
        # Two calls deep is as far as a guess is worth reading further functions.
        if not isinstance(callee, FunctionType) or self._depth >= 2:
            return
        names = callee.__code__.co_varnames[: callee.__code__.co_argcount]
        if number >= len(names):
            return
        if names[number] in callee.__annotations__:
            evidence.called_with.append(callee.__annotations__[names[number]])
            return
        theirs = evidence_of(callee, self._depth + 1).get(names[number])
        if theirs is not None:
            evidence.vote(**theirs.scores)
            evidence.elements += theirs.elements
            evidence.keys += theirs.keys
            evidence.attributes |= theirs.attributes

    def visit_Match(self, node: ast.Match) -> None:
        self.generic_visit(node)
        if (evidence := self._evidence(node.subject)) is None:
            return
        for case in node.cases:
            for pattern in _alternatives(case.pattern):
                self._pattern(evidence, pattern)

    def _pattern(self, evidence: Evidence, pattern: ast.pattern) -> None:
        if isinstance(pattern, ast.MatchClass):
            evidence.tested.append(pattern.cls)
        elif isinstance(pattern, ast.MatchValue):
            self._like(evidence, pattern.value)
        elif isinstance(pattern, ast.MatchSingleton) and pattern.value is None:
            evidence.tested.append(None)
        elif isinstance(pattern, ast.MatchSequence):
            evidence.tested.append(ast.Name("list", ast.Load()))
        elif isinstance(pattern, ast.MatchMapping):
            evidence.tested.append(ast.Name("dict", ast.Load()))
            evidence.keys += [key.value for key in pattern.keys if _is_text(key)]  # type: ignore[attr-defined]


def _alternatives(pattern: ast.pattern) -> Iterator[ast.pattern]:
    if isinstance(pattern, ast.MatchOr):
        for inner in pattern.patterns:
            yield from _alternatives(inner)
    elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        yield from _alternatives(pattern.pattern)
    else:
        yield pattern


def _flat(node: ast.expr) -> list[ast.expr | None]:
    """The types of the second argument of `isinstance`."""
    if isinstance(node, ast.Tuple):
        return [kind for item in node.elts for kind in _flat(item)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _flat(node.left) + _flat(node.right)
    return [node]


def _calls_with(value: ast.expr, name: str) -> bool:
    """Whether a value is what a call makes of a name."""
    return isinstance(value, ast.Call) and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_float(node: ast.AST) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant) and isinstance(
        getattr(node.operand if isinstance(node, ast.UnaryOp) else node, "value", None), float
    )
