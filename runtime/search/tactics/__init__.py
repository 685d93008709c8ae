"""The tactics of a search for coverage, one module each behind one protocol."""

from ramify.runtime.search.bench import Bench
from ramify.runtime.search.tactics.cheap_runs import CheapRuns
from ramify.runtime.search.tactics.climbs import Climbs
from ramify.runtime.search.tactics.flips import Breaking, Flips
from ramify.runtime.search.tactics.last_look import LastLook
from ramify.runtime.search.tactics.perseverance import Perseverance
from ramify.runtime.search.tactics.tactic import Tactic, Urgency


def tactics_of(bench: Bench) -> list[Tactic]:
    """All tactics. Those that draw or climb as part of their turn share the ones that do so themselves."""
    cheap_runs = CheapRuns(bench)
    climbs = Climbs(bench, cheap_runs)
    flips = Flips(bench, climbs)
    return [
        cheap_runs,
        climbs,
        flips,
        Breaking(bench, flips),
        Perseverance(bench, cheap_runs),
        LastLook(bench, cheap_runs),
    ]


__all__ = ["Tactic", "Urgency", "tactics_of"]
