"""Prints conditions that share parts: small ones in full, of large ones the parts have names.

Terms are graphs. Written out as trees they may be longer than any disk (`y = max(y, x + 1) + abs(y)` doubles the
text in every round), so shared and long parts are written once, under names, and what is still too long is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ramify.runtime.terms.nodes import Term, walk
from ramify.runtime.terms.printing import ATOM, Fragment, show, text_of

SMALL = 1_000  # characters, about, of a condition that is written out
SHORT = 30  # of a shared part that needs no name
LONG = 300  # of a part that gets one even if nobody shares it: so no text is nested deeply
MAX_NAMED = 200_000  # characters of the named parts of one list of conditions
MAX_CONSTANT = 10_000  # characters of a constant inside them
OPERATOR = 4  # characters that an operation adds, about
NAME = 6
GAP: Fragment = ("...", ATOM)


class NamedParts:
    """The texts of several conditions. `where` has the parts that they name, each after those that it names
    itself; `left_out` counts the parts that stand nowhere: `...` is in their places.
    """

    def __init__(self, roots: Sequence[Term]) -> None:
        self.where: dict[str, str] = {}
        self.left_out = 0
        distinct = list(dict.fromkeys(roots))
        lengths = TreeLengths()
        large = [root for root in distinct if not lengths.is_small(root)]
        shown = {root: show(root) for root in distinct if lengths.is_small(root)}
        if large:
            shown |= self._named(large)
        self._shown = shown

    def text(self, root: Term) -> str:
        """One of the conditions."""
        return self._shown[root]

    def conjunction(self, roots: Sequence[Term]) -> str:
        """That several of them hold."""
        return " and ".join(map(self._operand, roots)) or "True"

    def _operand(self, root: Term) -> str:
        text = self._shown[root]
        return f"({text})" if root.op in ("and", "or", "ite") and not text.isidentifier() else text

    def _named(self, roots: list[Term]) -> dict[Term, str]:
        lengths, named = _cut_up(roots)
        chosen = _within(roots, lengths, named)
        self.left_out = len(named) + len(set(roots) - named) - len(chosen)
        names = _names(roots, [part for part in walk(roots) if part in named and part in chosen])
        texts: dict[Term, Fragment] = {}
        result: dict[Term, str] = {}
        wanted = set(roots)
        # A part that was left out hides what is below it, so only what is shown is walked.
        for node in walk(roots, skip=lambda t: t in named and t not in chosen):
            texts.update((a, GAP) for a in node.args if a not in texts)
            shown = text_of(node, texts)
            if len(shown[0]) > MAX_CONSTANT and not node.args:
                self.left_out += 1
                shown = GAP
            if node in names:
                self.where[names[node]] = shown[0]
                shown = names[node], ATOM
            elif node in wanted:
                result[node] = shown[0] if node in chosen else GAP[0]
            texts[node] = shown
        for root in roots:
            if root not in result:
                result[root] = texts.get(root, GAP)[0]
        return result


class TreeLengths:
    """About how long nodes would be as trees; each is looked at once. Beyond `SMALL` a number says no more."""

    def __init__(self) -> None:
        self._lengths: dict[Term, int] = {}

    def is_small(self, root: Term) -> bool:
        """Whether a condition can be written out."""
        lengths = self._lengths
        if root not in lengths:
            for node in walk((root,), skip=lengths.__contains__):
                own = OPERATOR
                if not node.args:
                    own = _constant_length(node) if node.op == "const" else len(node.value or "")
                lengths[node] = min(own + sum(lengths[a] for a in node.args), SMALL + 1)
        return lengths[root] <= SMALL

    def forget(self) -> None:
        """Lets go of the terms."""
        self._lengths.clear()


def _constant_length(node: Term) -> int:
    value = node.value
    if isinstance(value, int):
        return value.bit_length() // 3 + 1
    return len(value) * (1 if isinstance(value, str) else OPERATOR) + 2 if isinstance(value, (str, tuple)) else 8


def _cut_up(roots: list[Term]) -> tuple[dict[Term, int], set[Term]]:
    """The parts that get names, and how long each node is when they have them."""
    uses: dict[Term, int] = {}
    order = list(walk(roots))
    for node in order:
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    lengths: dict[Term, int] = {}
    named: set[Term] = set()
    for node in order:
        own = _constant_length(node) if node.op == "const" else len(node.value) if node.op == "var" else OPERATOR
        length = own + sum(NAME if a in named else lengths[a] for a in node.args)
        lengths[node] = length
        times = uses.get(node, 0)
        if times and node.args and length > (SHORT if times > 1 else LONG):
            named.add(node)
    return lengths, named


def _within(roots: list[Term], lengths: dict[Term, int], named: set[Term]) -> set[Term]:
    """The roots and named parts that are shown, those near the roots first, until the characters are used up."""
    chosen: dict[Term, None] = {}
    left = MAX_NAMED
    level = list(roots)
    met = set(level)
    while level:
        below: list[Term] = []
        for part in level:
            left -= lengths[part]
            if left < 0:
                return set(chosen)
            chosen[part] = None
            stack = list(part.args)
            while stack:
                node = stack.pop()
                if node in named:
                    if node not in met:
                        met.add(node)
                        below.append(node)
                else:
                    stack.extend(node.args)
        level = below
    return set(chosen)


def _names(roots: list[Term], parts: list[Term]) -> dict[Term, str]:
    """t1, t2, ...; with another letter if inputs have such names."""
    taken = " ".join(sorted(frozenset[str]().union(*(root.variables for root in roots))))
    letter = "t"
    while re.search(rf"\b{letter}[0-9]+\b", taken):
        letter += "t"
    return {part: f"{letter}{number}" for number, part in enumerate(parts, 1)}
