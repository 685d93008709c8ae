"""The control flow of comprehensions and generator expressions."""

from __future__ import annotations

import ast

from ramify.cfg.drafting import causes
from ramify.cfg.drafting.causes import Cause
from ramify.cfg.drafting.draft import DraftBlock
from ramify.cfg.drafting.expressions import ExpressionDraft
from ramify.cfg.graph import Extent, Part
from ramify.cfg.syntax import Comprehension


def build_comprehension(evaluator: ExpressionDraft, node: Comprehension) -> None:
    """Fill the evaluator's draft: one loop per `for`, the element innermost.

    The first iterable belongs to the scope around the comprehension and is not evaluated here.
    """
    draft, table = evaluator.draft, evaluator.table
    after = draft.exit
    head = draft.current
    for index, generator in enumerate(node.generators):
        if index:
            evaluator.operand(generator.iter)
            evaluator.value(generator.iter)
        head, before = draft.block(), draft.current
        draft.edge(before, head, "next")
        draft.current = head
        _loop_part(evaluator, generator)
        body = draft.block()
        _loop_edges(evaluator, generator, body, after)
        draft.current = body
        evaluator.value(generator.target)
        for part, condition in enumerate(generator.ifs, 1):
            passed = draft.block()
            evaluator.operand(condition)
            evaluator.branch(condition, table.at(generator, part), passed, head)
            draft.current = passed
        # An inner loop that is exhausted goes on with the next item of the one around it.
        after = head
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for element in elements:
        evaluator.operand(element)
        evaluator.value(element)
    # Each element is handed out; nothing goes on until somebody asks for the next.
    if isinstance(node, ast.GeneratorExp):
        evaluator.suspend(node.elt, head)
    else:
        line = node.generators[-1].target.lineno
        draft.edge(draft.current, head, "next", causes.finished("element of the loop", line))


def _loop_part(evaluator: ExpressionDraft, generator: ast.comprehension) -> None:
    target, iterable = generator.target, generator.iter
    word = "async for" if generator.is_async else "for"
    text = f"{word} {evaluator.source.between(target, iterable)}"
    span = Extent(target.lineno, target.col_offset, iterable.end_lineno or 0, iterable.end_col_offset or 0)
    evaluator.add(Part("clause", text, span, target.lineno, target.lineno, None))


def _loop_edges(
    evaluator: ExpressionDraft, generator: ast.comprehension, body: DraftBlock, after: DraftBlock
) -> None:
    site = evaluator.table.at(generator)
    assert site is not None
    draft, head = evaluator.draft, evaluator.draft.current
    draft.edge(head, body, "loop", causes.of_outcome(site, "entered"), 0, site.edge("entered"))
    if "exhausted" in site.outcomes:
        ended, branch = causes.of_outcome(site, "exhausted"), site.edge("exhausted")
    else:
        thing = f"the loop `{site.text}` on line {site.line}"
        ended, branch = Cause(f"{thing} ran out of items", f"{thing} never ran out of items"), None
    draft.edge(head, after, "exhausted", ended, 0, branch)
