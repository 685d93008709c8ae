"""The solver: `Solver(...).solve(prefix, goal, parent)` finds an assignment that follows a path and then
takes the other side.
"""

from ramify.runtime.solver.chain import Solver, SolverOptions
from ramify.runtime.solver.verdict import UNSAT, Query, Sat, Stats, Unknown, Unsat, Verdict

__all__ = ["UNSAT", "Query", "Sat", "Solver", "SolverOptions", "Stats", "Unknown", "Unsat", "Verdict"]
