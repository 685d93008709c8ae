"""The ways in which every function of the corpus is measured, and what each asks of the engine."""

from __future__ import annotations

from ramify.runtime.programs import PARTS

MAIN = ("random", "peer", "generational", "hybrid")
"""`peer` has PEF's own order and depth; `generational` is the peer mode that `ramify compare` uses."""

REWRITING = "rewriting"
"""All that rewriting gives, and nothing else: cheap runs and local search stay."""

WITHOUT = "without "
ABLATIONS = tuple(WITHOUT + part for part in (*PARTS, REWRITING))
"""The hybrid with one part switched off, as by `ramify compare --ablate`, and with several at once."""

MODES = (*MAIN, *ABLATIONS)
GROUPS = {"all": MODES, "ablations": ABLATIONS}


def named(text: str) -> tuple[str, ...]:
    """The modes that a list with commas names, each once and in the order of MODES."""
    wanted: set[str] = set()
    for name in text.split(","):
        if name not in MODES and name not in GROUPS:
            raise ValueError(f"no mode {name!r}; there are {', '.join((*MODES, *GROUPS))}")
        wanted.update(GROUPS.get(name, (name,)))
    return tuple(mode for mode in MODES if mode in wanted)


def settings(mode: str) -> dict[str, str | None]:
    """What the explorer is told: the engine's mode, its strategy, and what of the hybrid is switched off."""
    if mode == "generational":
        return {"mode": "peer", "strategy": "generational", "without": None}
    if mode.startswith(WITHOUT):
        return {"mode": "hybrid", "strategy": None, "without": mode.removeprefix(WITHOUT)}
    return {"mode": mode, "strategy": None, "without": None}
