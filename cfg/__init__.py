"""Branches of a source text: their table with an id for each, the control-flow graph, and coverage by probes."""
