"""What the compiler makes of syntax, as far as branches depend on it: facts, and limits of nesting."""

from __future__ import annotations

import ast

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

# An expression with more operands than this is one site, not many: the rewritten form nests once per
# operand, and the compiler's own recursion has a limit.
MAX_OPERANDS = 64

# CPython refuses more nested blocks than this in one function, and measuring a `with` takes two.
MAX_BLOCKS = 20


def is_constant_test(node: ast.expr) -> bool | None:
    """The value of a test the compiler decides by itself, else None."""
    match node:
        case ast.Constant():
            return bool(node.value)
        # A constant of the compiler, like a literal.
        case ast.Name(id="__debug__"):
            return True
        case ast.UnaryOp(op=ast.Not()):
            inner = is_constant_test(node.operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            # `x or True` is no constant: `x` is evaluated and may be what comes out.
            stops = isinstance(node.op, ast.Or)
            for value in map(is_constant_test, node.values):
                if value is None or value is stops:
                    return value
            return not stops
    return None


def takes_all(pattern: ast.pattern) -> bool:
    """Whether a pattern fits every subject."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return takes_all(inner)
        case ast.MatchOr():
            # Only the last alternative may be irrefutable; CPython refuses the others.
            return takes_all(pattern.patterns[-1])
    return False


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether a case takes every subject: a bare name or wildcard, without a guard."""
    return case.guard is None and takes_all(case.pattern)


def does_nothing(node: ast.stmt) -> bool:
    """Whether the compiler emits no code for a statement, so that no line of it can be executed."""
    match node:
        # A constant on its own (a docstring, `...`) is optimised away.
        case ast.Global() | ast.Nonlocal() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Delete(targets=[ast.Tuple(elts=[]) | ast.List(elts=[])]):
            return True
    return False


def leaves_through_cleanup(body: list[ast.stmt]) -> bool:
    """Whether a jump out of this suite first runs a `finally` or the exit of a `with` that stands in it."""

    def leaves(node: ast.AST, in_loop: bool, in_cleanup: bool) -> bool:
        match node:
            case ast.Return():
                return in_cleanup
            case ast.Break() | ast.Continue():
                return in_cleanup and not in_loop
            # A `return` in there leaves another scope.
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.expr():
                return False
            case ast.For() | ast.AsyncFor() | ast.While():
                return any(leaves(inner, True, in_cleanup) for inner in node.body) or any(
                    leaves(inner, in_loop, in_cleanup) for inner in node.orelse
                )
            case ast.With() | ast.AsyncWith():
                in_cleanup = True
            case ast.Try() | ast.TryStar():
                # Handlers alone run no code when a jump leaves.
                in_cleanup = in_cleanup or bool(node.finalbody)
        return any(leaves(inner, in_loop, in_cleanup) for inner in ast.iter_child_nodes(node))

    return any(leaves(node, False, False) for node in body)


def has_docstring(body: list[ast.stmt]) -> bool:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            return True
    return False


def max_blocks(body: list[ast.stmt]) -> int:
    """How many blocks nest in a function once every `with` is measured."""

    def depth(node: ast.stmt) -> int:
        match node:
            case ast.With() | ast.AsyncWith():
                # Each item is a block; measuring adds one around all of them and one around the body.
                return len(node.items) + 2 + max_blocks(node.body)
            case ast.For() | ast.AsyncFor() | ast.While():
                return 1 + max(max_blocks(node.body), max_blocks(node.orelse))
            case ast.Try() | ast.TryStar():
                handlers = max((max_blocks(handler.body) for handler in node.handlers), default=0)
                # Its body is then measured by a `with` of its own.
                guarded = bool(node.handlers) and leaves_through_cleanup(node.body)
                inner = max(max_blocks(node.body) + guarded, handlers + 1, max_blocks(node.orelse))
                # One block for the handlers and one for the `finally`, whether both are there or not: an
                # estimate on the safe side.
                return 2 + max(inner, max_blocks(node.finalbody))
            case ast.If():
                return max(max_blocks(node.body), max_blocks(node.orelse))
            case ast.Match():
                return max(max_blocks(case.body) for case in node.cases)
        return 0

    # A loop, not `max` of a generator: on 3.12 calls through C may nest a few hundred times only.
    deepest = 0
    for node in body:
        deepest = max(deepest, depth(node))
    return deepest
