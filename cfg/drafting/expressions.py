"""Control flow inside expressions: short circuits, chained comparisons, conditional expressions, yields."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ramify.cfg.branches import BranchId, Site
from ramify.cfg.drafting import causes
from ramify.cfg.drafting.causes import Cause
from ramify.cfg.drafting.draft import Draft, DraftBlock
from ramify.cfg.drafting.jumps import Jumps
from ramify.cfg.graph import EdgeKind, Extent, Part
from ramify.cfg.source import SourceText
from ramify.cfg.syntax import is_constant_test
from ramify.cfg.table import BranchTable


def branches(node: ast.AST) -> bool:
    """Whether evaluating this very node takes more than one way, or stops in between."""
    match node:
        case ast.BoolOp() | ast.IfExp() | ast.Yield() | ast.YieldFrom():
            return True
        case ast.Compare():
            return len(node.ops) > 1
    return False


def branching_nodes(tree: ast.AST) -> set[ast.AST]:
    """All nodes that contain control flow inside an expression, so that the rest need not be walked."""
    parents: dict[ast.AST, ast.AST] = {}
    marked: set[ast.AST] = set()
    todo = [tree]
    while todo:
        node = todo.pop()
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            todo.append(child)
        if branches(node):
            # Upwards until a node that is marked already: each node is visited once.
            mark: ast.AST | None = node
            while mark is not None and mark not in marked:
                marked.add(mark)
                mark = parents.get(mark)
    return marked


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions a node evaluates in its own scope, in the order of evaluation."""
    match node:
        case ast.Lambda():
            yield from defaults(node.args)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield node.generators[0].iter
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                # None stands for `**mapping` in a display.
                if key is not None:
                    yield key
                yield value
        case ast.NamedExpr():
            yield node.value
        # The value first, then the targets from left to right.
        case ast.Assign():
            yield node.value
            yield from node.targets
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value
            yield node.target
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from node.decorator_list
            yield from defaults(node.args)
        case ast.ClassDef():
            yield from node.decorator_list
            yield from node.bases
            yield from (keyword.value for keyword in node.keywords)
        case _:
            if type(node).__name__ != "TypeAlias":
                # In the order of the fields, which is that of evaluation for all other nodes.
                yield from ast.iter_child_nodes(node)


def defaults(args: ast.arguments) -> Iterator[ast.expr]:
    yield from args.defaults
    yield from (default for default in args.kw_defaults if default is not None)


@dataclass(slots=True)
class Way:
    """Where one outcome of a test leads, and what the edge says."""

    target: DraftBlock
    kind: EdgeKind
    cause: Cause
    branch: BranchId | None = None


class ExpressionDraft:
    """Appends the evaluation of expressions to the current block of a draft."""

    def __init__(
        self, draft: Draft, jumps: Jumps, table: BranchTable, source: SourceText, flowing: set[ast.AST]
    ) -> None:
        self.draft = draft
        self.jumps = jumps
        self.table = table
        self.source = source
        self.flowing = flowing
        # The statement the expressions belong to gives their parts its lines.
        self.statement: Part | None = None

    # -- parts ----------------------------------------------------------------------------------

    def operand(self, first: ast.expr, last: ast.expr | None = None) -> None:
        """Note that an operand, or two compared ones, are evaluated in the current block."""
        last = last or first
        span = Extent(first.lineno, first.col_offset, last.end_lineno or 0, last.end_col_offset or 0)
        probe = None if self.statement is None else self.statement.probe
        self.add(Part("operand", self.source.between(first, last), span, *self._lines(first), probe))

    def rest(self) -> None:
        """Note that the statement goes on in the current block."""
        if (part := self.statement) is not None:
            self.add(Part("rest", part.text, part.span, part.entry_line, part.exit_line, part.probe))

    def add(self, part: Part) -> None:
        self.draft.current.parts.append(part)
        self.jumps.may_raise(self.draft.current, part.exit_line)

    def _lines(self, node: ast.expr) -> tuple[int, int]:
        if self.statement is None:
            return node.lineno, node.lineno
        return self.statement.entry_line, self.statement.exit_line

    # -- values ---------------------------------------------------------------------------------

    def values(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.value(node)

    def value(self, node: ast.AST) -> None:
        """Evaluate an expression for its value; the current block is then the one that has it."""
        if node not in self.flowing:
            return
        match node:
            case ast.BoolOp():
                join = self.draft.block(self._line_of(node))
                stops = isinstance(node.op, ast.Or)
                for part, operand in enumerate(node.values[:-1]):
                    self._short_circuit(node, part, operand, join, stops)
                self.operand(node.values[-1])
                self.value(node.values[-1])
                self._join(join)
            case ast.IfExp():
                join = self.draft.block(self._line_of(node))
                for branch in self._conditional(node):
                    self.operand(branch)
                    self.value(branch)
                    self._join(join)
                self.draft.current = join
            case ast.Compare() if len(node.ops) > 1:
                join = self.draft.block(self._line_of(node))
                last = self._links(node, join)
                self.operand(last, node.comparators[-1])
                self.value(node.comparators[-1])
                self._join(join)
            case ast.Yield() | ast.YieldFrom():
                self.values(in_order(node))
                self.suspend(node)
            case _:
                self.values(in_order(node))

    def suspend(self, node: ast.expr, resumed: DraftBlock | None = None) -> None:
        """Hand a value out; the next block runs when the generator is resumed."""
        draft = self.draft
        target = resumed or draft.block(self._line_of(node))
        thing = f"the generator was {{}}resumed after the yield on line {node.lineno}"
        draft.edge(
            draft.current,
            target,
            "yield",
            Cause(thing.format(""), thing.format("never ")),
            node.lineno,
        )
        draft.current = target

    def _line_of(self, node: ast.expr) -> int:
        return self._lines(node)[0]

    def _join(self, block: DraftBlock) -> None:
        self.draft.edge(self.draft.current, block, "next")
        self.draft.current = block

    def _short_circuit(
        self, node: ast.BoolOp, part: int, operand: ast.expr, stop: DraftBlock, stops: bool
    ) -> None:
        """Decide by one operand whether the next one is evaluated; the current block then is its."""
        onward = self.draft.block(self._line_of(operand))
        self.operand(operand)
        on_true, on_false = (stop, onward) if stops else (onward, stop)
        self.branch(operand, self.table.at(node, part), on_true, on_false)
        self.draft.current = onward

    def _conditional(self, node: ast.IfExp) -> Iterator[ast.expr]:
        """Decide a conditional expression, and give each branch with its block as the current one."""
        on_true, on_false = self.draft.block(self._line_of(node)), self.draft.block(self._line_of(node))
        self.operand(node.test)
        self.branch(node.test, self.table.at(node), on_true, on_false)
        self.draft.current = on_true
        yield node.body
        self.draft.current = on_false
        yield node.orelse

    def _links(self, node: ast.Compare, stop: DraftBlock) -> ast.expr:
        """Decide all links of a chain but the last one, whose left operand is returned."""
        left = node.left
        self.value(left)
        for part, right in enumerate(node.comparators[:-1]):
            self.operand(left, right)
            self.value(right)
            onward = self.draft.block(self._line_of(left))
            site = self.table.at(node, part)
            line, text = left.lineno, self.source.between(left, right)
            self._decide(self._way(site, True, onward, line, text), self._way(site, False, stop, line, text))
            self.draft.current = onward
            # The middle operand is evaluated once and compared twice.
            left = right
        return left

    # -- tests ----------------------------------------------------------------------------------

    def branch(
        self,
        test: ast.expr,
        site: Site | None,
        on_true: DraftBlock,
        on_false: DraftBlock,
        false_kind: EdgeKind = "false",
    ) -> None:
        """Evaluate a test for its truth; its two outcomes are the edges of `site`.

        The outcomes of an operand inside the test first lead to a block of their own where they agree
        on the outcome of the whole, so that `a and b` is never false by `a` and then true.
        """
        line, text = test.lineno, self.source.text(test)
        yes = self._way(site, True, on_true, line, text)
        no = self._way(site, False, on_false, line, text)
        # For a failing assertion.
        no.kind = false_kind
        value = is_constant_test(test)
        if value is not None:
            self._decide_constant(value, yes, no, line)
            self._unevaluated(test)
            return
        inner, negated = test, False
        while isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
            inner, negated = inner.operand, not negated
        if not _is_compound(inner):
            self.value(inner)
            self._decide(yes, no)
            return
        met, failed = self.draft.block(self._line_of(test)), self.draft.block(self._line_of(test))
        self._condition(test, met, failed)
        for block, way in ((met, yes), (failed, no)):
            self.draft.edge(block, way.target, way.kind, way.cause, line, way.branch)

    def _condition(self, test: ast.expr, met: DraftBlock, failed: DraftBlock) -> None:
        """Evaluate a test whose outcomes have no id of their own."""
        value = is_constant_test(test)
        if value is not None:
            self.draft.edge(
                self.draft.current, met if value else failed, "next", causes.constant(test.lineno, value)
            )
            self._unevaluated(test)
            return
        match test:
            case ast.UnaryOp(op=ast.Not()):
                self._condition(test.operand, failed, met)
            case ast.BoolOp():
                stops = isinstance(test.op, ast.Or)
                for part, operand in enumerate(test.values[:-1]):
                    self._short_circuit(test, part, operand, met if stops else failed, stops)
                self.operand(test.values[-1])
                self._condition(test.values[-1], met, failed)
            case ast.IfExp():
                for branch in self._conditional(test):
                    self.operand(branch)
                    self._condition(branch, met, failed)
            case ast.Compare() if len(test.ops) > 1:
                left, right = self._links(test, failed), test.comparators[-1]
                self.operand(left, right)
                self.value(right)
                text = self.source.between(left, right)
                self._decide_alone(left.lineno, text, met, failed)
            case _:
                self.value(test)
                text = self.source.text(test)
                self._decide_alone(test.lineno, text, met, failed)

    def _way(self, site: Site | None, value: bool, target: DraftBlock, line: int, text: str) -> Way:
        outcome: EdgeKind = "true" if value else "false"
        if site is None:
            return Way(target, outcome, causes.of_truth(text, line, value))
        return Way(target, outcome, causes.of_outcome(site, outcome), site.edge(outcome))

    def _decide(self, *ways: Way) -> None:
        """End the current block with one edge per outcome."""
        for way in ways:
            self.draft.edge(self.draft.current, way.target, way.kind, way.cause, 0, way.branch)

    def _decide_alone(self, line: int, text: str, met: DraftBlock, failed: DraftBlock) -> None:
        """End the current block with the two outcomes of an operand that has no id of its own."""
        self._decide(self._way(None, True, met, line, text), self._way(None, False, failed, line, text))

    def _unevaluated(self, test: ast.expr) -> None:
        """The outcomes inside a test that the compiler decides: `x` in `False and (x or y)`."""
        # They are in the branch table, so they must be in the graph: dead, and said to be so.
        if test in self.flowing:
            self.draft.current = self.draft.block(test.lineno)
            self.value(test)

    def _decide_constant(self, value: bool, yes: Way, no: Way, line: int) -> None:
        """A test the compiler decides has one way out, and no site."""
        taken, other = (yes, no) if value else (no, yes)
        kind: EdgeKind = "next" if taken.kind in ("true", "false") else taken.kind
        other.target.why_dead = f"the condition on line {line} is always {str(value).lower()}"
        self._decide(Way(taken.target, kind, causes.constant(line, value)))


def _is_compound(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp | ast.IfExp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)
