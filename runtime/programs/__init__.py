"""A target that can be run any number of times, on plain and on concolic values, here or in a worker."""

from ramify.runtime.programs.execution import (
    CRASHED,
    CUT,
    RAISED,
    REJECTED,
    RETURNED,
    VIOLATED,
    Execution,
    Options,
    Outcome,
    Runnable,
    ending,
)
from ramify.runtime.programs.hybrid import HybridProgram
from ramify.runtime.programs.knowledge import UNMEASURED, Ascent, Burst, Climb, Knowledge
from ramify.runtime.programs.levels import CHEAP_RUNS, PARTS, SEARCH, prepare
from ramify.runtime.programs.listing import function_names, public_functions
from ramify.runtime.programs.performance import finished
from ramify.runtime.programs.program import Program, program_of
from ramify.runtime.programs.remote import Host, RemoteProgram
from ramify.runtime.programs.remote_hybrid import RemoteHybrid
from ramify.runtime.programs.subject import Facts, Subject, Whereabouts

__all__ = [
    "CHEAP_RUNS", "CRASHED", "CUT", "PARTS", "RAISED", "REJECTED", "RETURNED", "SEARCH", "UNMEASURED",
    "VIOLATED", "Ascent", "Burst", "Climb", "Execution", "Facts", "Host", "HybridProgram", "Knowledge", "Options",
    "Outcome", "Program", "RemoteHybrid", "RemoteProgram", "Runnable", "Subject", "Whereabouts", "ending",
    "finished", "function_names", "prepare", "program_of", "public_functions",
]  # fmt: skip
