"""Are verdicts honest on code that nobody here wrote? Every edge called infeasible is attacked, every edge called
covered is replayed, and every run that left its path without a recorded loss is shown.

    python benchmarks/honesty.py [--seconds S] [--calls N] [--check-terms] MODULE[:FUNCTION]...

For each function of the modules: *WRONG infeasible* if one of N generated plain calls takes an edge that was
called infeasible or dead; *WRONG covered* if replaying the input that is said to cover an edge does not take it;
*DIVERGED* if a run left its path although nothing was concretised. Nothing is printed for an honest function.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any


def functions(module: str) -> list[str]:
    """The names of the functions of a module that take arguments."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return []
    tree = ast.parse(Path(spec.origin).read_bytes())
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.posonlyargs or node.args.vararg)
    ]


def examine(target: str, seconds: float, calls: int) -> tuple[Counter[str], list[str]]:
    """How many edges got each verdict, and what is wrong with them."""
    import ramify
    from ramify.runtime.programs import Knowledge
    from ramify.runtime.search import bench, guided
    from ramify.runtime.search import exploration as loop

    left: list[str] = []
    follows = loop.follows

    def noting(execution: Any, candidate: Any) -> bool:
        kept = follows(execution, candidate)
        if not kept and not execution.concretisations and not candidate.parent.concretisations:
            left.append(_departure(execution, candidate))
        return kept

    bench.follows = noting
    explored = ramify.explore(target, budget=seconds)
    assert isinstance(explored, guided.GuidedExploration)
    close, explored.program.close = explored.program.close, lambda: None  # type: ignore[method-assign]
    wrong: list[str] = []
    try:
        for _ in explored:
            pass
        verdicts = explored.edge_verdicts()
        denied = {v.edge.id: v for v in verdicts if v.kind in ("infeasible", "dead")}
        if denied:
            burst = explored.program.burst(
                range(1000, 1000 + calls), Knowledge(explored.goals.covered), frozenset(), 4 * seconds
            )
            for found in burst.found:
                for edge in denied.keys() & found.hits:
                    wrong.append(f"WRONG {denied[edge].text[:150]}: taken by {dict(found.assignment)!r:.200}")
        replayed: dict[int, frozenset[int]] = {}
        for verdict in verdicts:
            if verdict.kind == "covered" and verdict.by is not None:
                by = verdict.by
                if id(by) not in replayed:
                    replayed[id(by)] = explored.program.measure(dict(by.assignment), seconds=seconds).hits
                if verdict.edge.id not in replayed[id(by)] and by.outcome not in ("crashed", "cut"):
                    wrong.append(f"WRONG covered: {verdict.edge.label}: not taken by {dict(by.assignment)!r:.200}")
    finally:
        bench.follows = follows
        close()
    if not explored.summary.concretisations:
        wrong += [f"DIVERGED {text}" for text in left]
        if explored.summary.divergences > len(left):
            wrong.append(f"DISAGREED {explored.summary.divergences - len(left)} runs that decided alike")
    return Counter(v.kind for v in verdicts), wrong


def _departure(execution: Any, candidate: Any) -> str:
    """Where a run left the path it was built for."""
    expected, observed = candidate.parent.decisions, execution.decisions
    for number, wanted in enumerate(expected[: candidate.index + 1]):
        outcome = wanted.outcome is not (number == candidate.index)
        got = observed[number] if number < len(observed) else None
        if got is None or got.site is not wanted.site or got.outcome is not outcome:
            said = "the end" if got is None else f"{got.site} {got.outcome} {got.term!s:.120}"
            return (
                f"at decision {number} of {candidate.index}: {wanted.site} should be {outcome}"
                f" ({wanted.term!s:.120}), was {said}; {dict(execution.assignment)!r:.200}"
            )
    return "nowhere"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("targets", nargs="+", metavar="MODULE[:FUNCTION]")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each function")
    parser.add_argument("--calls", type=int, default=3000, help="generated against what was called infeasible")
    parser.add_argument("--check-terms", action="store_true", help="compare every term with its value")
    options = parser.parse_args()
    if options.check_terms and os.environ.get("RAMIFY_CHECK_TERMS") != "1":
        os.environ["RAMIFY_CHECK_TERMS"] = "1"  # read when the engine is imported
        os.execv(sys.executable, [sys.executable, *sys.argv])
    total: Counter[str] = Counter()
    count, bad, started = 0, 0, time.perf_counter()
    for name in options.targets:
        module, _, function = name.partition(":")
        for each in [function] if function else functions(module):
            try:
                verdicts, wrong = examine(f"{module}:{each}", options.seconds, options.calls)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a target that cannot be explored; a term that is wrong
                print(f"{module}:{each}: not explored: {type(error).__name__}: {error!s:.300}", flush=True)
                continue
            count += 1
            total += verdicts
            bad += bool(wrong)
            for text in wrong:
                print(f"{module}:{each}: {text}", flush=True)
    shown = ", ".join(f"{number} {kind}" for kind, number in total.most_common())
    print(f"{count} functions, {shown}; {bad} with something wrong; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
