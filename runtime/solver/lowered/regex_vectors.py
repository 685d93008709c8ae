"""The lowering of regular expressions: which positions of a vector a pattern can reach, as conditions on codes.

Whether a text matches does not depend on greed, so it is enough to follow all positions at once. What looks back
or refers to a group is too hard; groups themselves are left to guesses. Models are checked with `re` itself, and
"unsat" is never concluded: the engine's own corner cases are not all known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from ramify.runtime.solver.lowered import vectors as V
from ramify.runtime.solver.lowered.vectors import Lowered, TooHard, Vector, handles
from ramify.runtime.terms import FALSE, TRUE, Term, compiled_search, const
from ramify.runtime.terms import language as T

if TYPE_CHECKING:
    from ramify.runtime.solver.lowered.lowering import Lowering

Positions = list[Term]  # for each position from 0 to the number of codes: whether it is reached
Test = Callable[[Term], Term]


@handles("re_found")
def found(low: Lowering, node: Term, args: list[Lowered]) -> Lowered:
    search, at = node.args[0], node.args[2]
    text = args[1]
    if not search.is_const or not at.is_const or at.value != 0 or not isinstance(text, Vector):
        raise TooHard("a search from an unknown place")
    low.approximate()
    kind, pattern = compiled_search(search.value)
    tree = parser.parse(pattern.pattern, pattern.flags)
    reach = Reach(low, text, tree.state.flags)
    everywhere = kind in ("search", "finditer")
    starts = [reach.inside(k) if everywhere else TRUE if k == 0 else FALSE for k in range(len(text.items) + 1)]
    ends = reach.sequence(tree, starts)
    if kind == "fullmatch":
        ends = [T.and_(end, T.eq(text.length, const(k))) for k, end in enumerate(ends)]
    return T.or_(FALSE, *ends)


class Reach:
    """Follows a pattern through one vector."""

    def __init__(self, low: Lowering, text: Vector, flags: int) -> None:
        self._low = low
        self._text = text
        self._flags = flags

    def inside(self, position: int) -> Term:
        """Whether the text is at least that long."""
        return T.le(const(position), self._text.length)

    def sequence(self, tree: Any, starts: Positions) -> Positions:
        for op, argument in tree:
            starts = self._item(op, argument, starts)
        return starts

    def _item(self, op: Any, argument: Any, starts: Positions) -> Positions:
        if all(start is FALSE for start in starts):
            return starts
        if op in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            return self._consume(self._test(op, argument), starts)
        if op is codes.BRANCH:
            return self._join(*(self.sequence(branch, starts) for branch in argument[1]))
        if op is codes.SUBPATTERN:
            if argument[1] or argument[2]:
                raise TooHard("flags inside a pattern")
            return self.sequence(argument[3], starts)
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            low, high, part = argument
            return self._repeat(int(low), int(high), part, starts)
        if op is codes.AT:
            return [T.and_(start, self._anchor(argument, k)) for k, start in enumerate(starts)]
        if op in (codes.ASSERT, codes.ASSERT_NOT) and argument[0] > 0:
            return [self._ahead(op, argument[1], k, start) for k, start in enumerate(starts)]
        raise TooHard(f"{op} in a pattern")

    def _join(self, *several: Positions) -> Positions:
        return [T.or_(FALSE, *reached) for reached in zip(*several, strict=True)]

    def _consume(self, test: Test, starts: Positions) -> Positions:
        self._low.work(2 * len(starts))
        ends: Positions = [FALSE]
        for k, code in enumerate(self._text.items):
            assert isinstance(code, Term)
            ends.append(FALSE if starts[k] is FALSE else T.and_(starts[k], self.inside(k + 1), test(code)))
        return ends

    def _repeat(self, low: int, high: int, part: Any, starts: Positions) -> Positions:
        limit = len(self._text.items)
        for _ in range(min(low, limit + 1)):  # more rounds than characters only repeat the empty text
            starts = self.sequence(part, starts)
        reached, frontier = starts, starts
        for _ in range(min(high - low, limit)):
            frontier = self.sequence(part, frontier)
            if all(end is FALSE for end in frontier):
                break
            reached = self._join(reached, frontier)
        return reached

    def _ahead(self, op: Any, argument: Any, position: int, start: Term) -> Term:
        if start is FALSE:
            return start
        alone = [TRUE if k == position else FALSE for k in range(len(self._text.items) + 1)]
        seen = T.or_(FALSE, *self.sequence(argument, alone))
        return T.and_(start, seen if op is codes.ASSERT else T.not_(seen))

    def _anchor(self, kind: Any, position: int) -> Term:
        items = self._text.items
        at_end = T.eq(self._text.length, const(position))
        newline = const(ord("\n"))
        if kind in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            after_line = position > 0 and self._flags & re.MULTILINE and kind is codes.AT_BEGINNING
            return TRUE if position == 0 else T.eq(items[position - 1], newline) if after_line else FALSE  # type: ignore[arg-type]
        if kind is codes.AT_END_STRING:
            return at_end
        if kind is codes.AT_END:
            if position == len(items):
                return at_end
            before = T.eq(items[position], newline)  # type: ignore[arg-type]
            if not self._flags & re.MULTILINE:
                before = T.and_(before, T.eq(self._text.length, const(position + 1)))
            return T.or_(at_end, T.and_(before, self.inside(position + 1)))
        if kind in (codes.AT_BOUNDARY, codes.AT_NON_BOUNDARY):
            differs = T.ne(self._is_word(position - 1), self._is_word(position))
            return differs if kind is codes.AT_BOUNDARY else T.not_(differs)
        raise TooHard("an anchor")

    def _is_word(self, position: int) -> Term:
        if not 0 <= position < len(self._text.items):
            return FALSE
        code = self._text.items[position]
        assert isinstance(code, Term)
        return T.and_(self.inside(position + 1), self._category(codes.CATEGORY_WORD, code))

    # Characters

    def _test(self, op: Any, argument: Any) -> Test:
        if op is codes.ANY:
            return lambda code: TRUE if self._flags & re.DOTALL else T.ne(code, const(ord("\n")))
        if op is codes.IN:
            return lambda code: self._of_class(argument, code)
        if op is codes.NOT_LITERAL:
            return lambda code: T.not_(self._literal(argument, code))
        return lambda code: self._literal(argument, code)

    def _literal(self, wanted: int, code: Term) -> Term:
        if not self._flags & re.IGNORECASE:
            return T.eq(code, const(wanted))
        self._low.assume(T.lt(code, const(128)))
        return T.or_(*(T.eq(code, const(ord(c))) for c in {chr(wanted).lower()[0], chr(wanted).upper()[0]}))

    def _of_class(self, members: Any, code: Term) -> Term:
        self._low.work(len(members))
        tests = [self._member(op, argument, code) for op, argument in members if op is not codes.NEGATE]
        hit = T.or_(FALSE, *tests)
        return T.not_(hit) if members[0][0] is codes.NEGATE else hit

    def _member(self, op: Any, argument: Any, code: Term) -> Term:
        if op is codes.LITERAL:
            return self._literal(argument, code)
        if op is codes.CATEGORY:
            return self._category(argument, code)
        if op is not codes.RANGE:
            raise TooHard("a class of characters")
        low, high = argument
        inside = T.and_(T.ge(code, const(low)), T.le(code, const(high)))
        if not self._flags & re.IGNORECASE:
            return inside
        self._low.assume(T.lt(code, const(128)))
        others = {ord(chr(c).swapcase()[0]) for c in range(low, min(high, 127) + 1) if chr(c).isalpha()}
        return T.or_(inside, *(T.eq(code, const(c)) for c in sorted(others)))

    def _category(self, kind: Any, code: Term) -> Term:
        name, negated = CATEGORIES.get(kind, ("", False))
        if not name:
            raise TooHard("a class of characters")
        if name == "isspace" and self._flags & re.ASCII:
            test = T.or_(T.eq(code, const(32)), T.and_(T.ge(code, const(9)), T.le(code, const(13))))
        else:
            test = V.in_set(self._low, name)(code)
        if kind in (codes.CATEGORY_WORD, codes.CATEGORY_NOT_WORD):
            test = T.or_(test, T.eq(code, const(ord("_"))))
        if self._flags & re.ASCII:
            test = T.and_(test, T.lt(code, const(128)))
        return T.not_(test) if negated else test


CATEGORIES = {
    codes.CATEGORY_DIGIT: ("isdecimal", False),
    codes.CATEGORY_NOT_DIGIT: ("isdecimal", True),
    codes.CATEGORY_SPACE: ("isspace", False),
    codes.CATEGORY_NOT_SPACE: ("isspace", True),
    codes.CATEGORY_WORD: ("isalnum", False),
    codes.CATEGORY_NOT_WORD: ("isalnum", True),
}
