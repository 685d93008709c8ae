"""A target that can be run any number of times, on plain and on concolic values, here or in a worker."""

from ramify.runtime.programs.hybrid import (
    CHEAP_RUNS,
    PARTS,
    SEARCH,
    HybridProgram,
    prepare,
)
from ramify.runtime.programs.known import UNMEASURED, Ascent, Burst, Climb, Known
from ramify.runtime.programs.listing import public_functions
from ramify.runtime.programs.program import (
    CRASHED,
    CUT,
    RAISED,
    REJECTED,
    RETURNED,
    VIOLATED,
    Execution,
    Options,
    Program,
    Runnable,
    ending,
    finished,
    located,
    program_of,
)
from ramify.runtime.programs.remote import RemoteProgram, function_names
from ramify.runtime.programs.remote_hybrid import RemoteHybrid

__all__ = [
    "CHEAP_RUNS", "CRASHED", "CUT", "PARTS", "RAISED", "REJECTED", "RETURNED", "SEARCH", "UNMEASURED",
    "VIOLATED", "Ascent", "Burst", "Climb", "Execution", "HybridProgram", "Known", "Options", "Program",
    "RemoteHybrid", "RemoteProgram", "Runnable", "ending", "finished", "function_names", "located", "prepare",
    "program_of", "public_functions",
]  # fmt: skip
