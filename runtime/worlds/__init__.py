"""The target that the user names, and a fresh world for every run: its modules executed anew, output captured."""

from ramify.runtime.worlds.companions import Companions, Level, beside
from ramify.runtime.worlds.cost import TICK, cost
from ramify.runtime.worlds.entries import Entries
from ramify.runtime.worlds.isolate import Sandbox, copied, names_used
from ramify.runtime.worlds.target import Source, Target, from_spec, function_names, parse, written

__all__ = [
    "TICK", "Companions", "Entries", "Level", "Sandbox", "Source", "Target", "beside", "copied", "cost",
    "from_spec", "function_names", "names_used", "parse", "written",
]  # fmt: skip
