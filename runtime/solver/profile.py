"""What a query contains: its variables and the kinds of operations, to choose the encodings that can work."""

from __future__ import annotations

from collections.abc import Sequence

from ramify.runtime.terms import FLOAT, STR, Sort, Term, walk

BIT_OPERATIONS = {"and_bits", "or_bits", "xor_bits", "lshift", "rshift", "invert", "bit_length"}
MAX_KNOWN = 20_000  # constraints whose contents are remembered


def is_text(sort: Sort) -> bool:
    """Whether values of this sort have a length: texts and sequences."""
    return sort is STR or sort.element is not None


class Profile:
    """The union of what some constraints contain."""

    __slots__ = ("bits", "classes", "floats", "longest", "text_operations", "texts", "variables")

    def __init__(self) -> None:
        self.variables: dict[str, Sort] = {}
        self.texts: dict[str, Sort] = {}  # the variables among them that have a length
        self.floats = self.bits = self.text_operations = False
        self.classes = False  # of characters: predicates whose meaning depends on Unicode
        self.longest = 0  # constant text

    def merge(self, part: Profile) -> None:
        self.variables.update(part.variables)
        self.texts.update(part.texts)
        self.floats = self.floats or part.floats
        self.bits = self.bits or part.bits
        self.text_operations = self.text_operations or part.text_operations
        self.classes = self.classes or part.classes
        self.longest = max(self.longest, part.longest)

    def inspect(self, node: Term) -> None:
        if node.op == "var":
            self.variables[node.value] = node.sort
            if is_text(node.sort):
                self.texts[node.value] = node.sort
        elif node.op in BIT_OPERATIONS:
            self.bits = True
        elif node.op.startswith(("is_", "re_")) or "strip" in node.op:
            self.classes = True
        if node.sort is FLOAT:
            self.floats = True
        elif is_text(node.sort):
            self.text_operations = True
            if node.op == "const":
                self.longest = max(self.longest, len(node.value))


class Profiler:
    """Remembers the profile of each constraint: prefixes of queries repeat."""

    def __init__(self) -> None:
        self._known: dict[Term, Profile] = {}
        self._latest: tuple[Sequence[Term], Profile] = (), Profile()

    def profile(self, constraints: Sequence[Term]) -> Profile:
        """Not to be changed: a query asks for it more than once."""
        if constraints is self._latest[0] and type(constraints) is tuple:
            return self._latest[1]
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        whole = Profile()
        for constraint in constraints:
            part = self._known.get(constraint)
            if part is None:
                part = self._known[constraint] = Profile()
                for node in walk((constraint,)):
                    part.inspect(node)
            whole.merge(part)
        self._latest = constraints, whole
        return whole
