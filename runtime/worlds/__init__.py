"""The target that the user names, and a fresh world for every run: its modules executed anew, output captured."""

from ramify.runtime.worlds.companions import Companions, Level, beside
from ramify.runtime.worlds.cost import TICK, cost
from ramify.runtime.worlds.entries import Entries
from ramify.runtime.worlds.fresh import FreshFunction, FunctionWorld, ModuleWorld, Prepare, World, unwrapped
from ramify.runtime.worlds.isolate import Sandbox, copied, names_used
from ramify.runtime.worlds.located import at_home, file_of, located
from ramify.runtime.worlds.target import Source, Target, from_spec, function_names, parse, written

__all__ = [
    "TICK", "Companions", "Entries", "FreshFunction", "FunctionWorld", "Level", "ModuleWorld", "Prepare",
    "Sandbox", "Source", "Target", "World", "at_home", "beside", "copied", "cost", "file_of", "from_spec",
    "function_names", "located", "names_used", "parse", "unwrapped", "written",
]  # fmt: skip
