"""Source in; branch table, control-flow graph and coverage out."""
