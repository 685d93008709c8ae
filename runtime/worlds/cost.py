"""What executing a module anew costs, in nominal seconds: told from its code, the same on every machine."""

from __future__ import annotations

from inspect import CO_OPTIMIZED
from types import CodeType

TICK = 2e-7  # a round of a loop or a call
INSTRUCTION = 5e-8
CLASS = 5e-5  # making a class is most of what modules do


def cost(module: CodeType) -> float:
    """The nominal seconds of a module's own code: its statements, and the bodies of its classes."""
    spent = 0.0
    todo = [module]
    while todo:
        code = todo.pop()
        spent += len(code.co_code) / 2 * INSTRUCTION
        # The code of a function is only made here; that of a class is executed.
        inner = [c for c in code.co_consts if isinstance(c, CodeType) and not c.co_flags & CO_OPTIMIZED]
        spent += len(inner) * CLASS
        todo += inner
    return spent
