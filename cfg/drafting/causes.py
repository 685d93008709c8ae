"""The English on the edges: why control went a way, and why it never did."""

from __future__ import annotations

from typing import NamedTuple

from ramify.cfg.branches import Site


class Cause(NamedTuple):
    """Two clauses that fit behind "because"."""

    happened: str
    never: str


_BY_OUTCOME = {
    "true": ("was true", "was never true"),
    "false": ("was false", "was never false"),
    "entered": ("had another item", "never had an item"),
    "exhausted": ("ran out of items", "never ran out of items"),
    "matched": ("matched", "never matched"),
    "unmatched": ("did not match", "always matched"),
    "caught": ("caught the exception", "never caught an exception"),
    "passed": ("did not catch the exception", "never passed an exception on"),
    "completed": ("completed without an exception", "never completed without an exception"),
    "left": ("was left normally", "was never left normally"),
    "suppressed": ("suppressed an exception", "never suppressed an exception"),
}

_NOUN = {
    "if": "condition",
    "while": "condition",
    "conditional": "condition",
    "filter": "condition",
    "guard": "guard",
    "assert": "assertion",
    "operand": "operand",
    "link": "comparison",
    "for": "loop",
    "comprehension": "loop",
    "case": "pattern",
    "try": "block",
    "handler": "clause",
    "with": "block",
}

# The keyword is in the noun; what is left of the text is what the reader looks for.
_KEYWORDS = {"if": "if ", "while": "while ", "assert": "assert ", "case": "case ", "guard": "if ", "filter": "if "}


def of_outcome(site: Site, outcome: str) -> Cause:
    """The cause of an edge that is an outcome of a site."""
    happened, never = _BY_OUTCOME[outcome]
    text = site.text.removeprefix(_KEYWORDS.get(site.kind, ""))
    # The text of a site is made for lists of branches; a sentence wants the bare condition.
    if site.kind == "conditional":
        text = text.removeprefix("... if ").removesuffix(" else ...")
    elif site.kind == "link":
        text = text.removesuffix(" ...")
    elif site.kind == "operand":
        text = text.removesuffix(" and ...").removesuffix(" or ...")
    thing = f"the {_NOUN[site.kind]} `{text}` on line {site.line}"
    return Cause(f"{thing} {happened}", f"{thing} {never}")


def of_truth(text: str, line: int, value: bool) -> Cause:
    """The cause of a decision that no site stands for: the last operand gives the whole its value."""
    word = "true" if value else "false"
    thing = f"the operand `{text}` on line {line}"
    return Cause(f"{thing} was {word}", f"{thing} was never {word}")


def constant(line: int, value: bool) -> Cause:
    word = "true" if value else "false"
    return Cause(f"the condition on line {line} is always {word}", f"the condition on line {line} was not reached")


def executed(what: str, line: int) -> Cause:
    """The cause of a jump: "the break on line 7 was executed"."""
    return Cause(f"the {what} on line {line} was executed", f"the {what} on line {line} was never executed")


def finished(what: str, line: int) -> Cause:
    return Cause(f"the {what} on line {line} finished", f"the {what} on line {line} never finished")


def raised(line: int, name: str) -> Cause:
    """The cause of an exception that no statement asks for, or one that is passed on."""
    what = "an exception" if name == "any exception" else name
    where = f" on line {line}" if line else ""
    return Cause(f"{what} was raised{where}", f"{what} was never raised{where}")


def passed_on(what: str, line: int, name: str) -> Cause:
    thing = "an exception" if name == "any exception" else name
    return Cause(
        f"the {what} on line {line} passed {thing} on", f"the {what} on line {line} never passed {thing} on"
    )


PLAIN = Cause("the statements before it finished", "the statements before it never finished")
