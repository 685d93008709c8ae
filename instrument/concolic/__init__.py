"""The concolic level: a module's AST rewritten so that models see what Python would not dispatch to a value."""

from ramify.instrument.concolic.decided import Edges, decided_edges
from ramify.instrument.concolic.level import Concolic, instrument, rewrite
from ramify.instrument.concolic.switches import ALL, Switches

__all__ = ["ALL", "Concolic", "Edges", "Switches", "decided_edges", "instrument", "rewrite"]
