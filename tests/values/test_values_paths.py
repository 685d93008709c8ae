"""Terms say what holds for other inputs too: a run built by reversing a decision takes exactly the path it
was built for.

The check of every operation against its concrete value cannot see a term that is right for this input
only; divergences do.
"""

# ruff: noqa: E501, PT017 - tables in rows, odd spellings on purpose

from typing import Any

import pytest

import ramify
from ramify.runtime.search import Candidate


def classify(values: Any) -> str:
    """Branches on everything a sequence of ints holds."""
    for position, element in enumerate(values):
        if element == 3:
            return f"three at {position}"
        if position == 3:
            return "long"
    return "no three"


LIST_CHANGES = [
    "l.append(3)", "l.append(i)", "l.extend([i, 4])", "l.extend(m)", "l.insert(0, 3)", "l.insert(i, 3)", "l.insert(1, i)",
    "l.insert(-1, 3)", "l.pop()", "l.pop(0)", "l.pop(i)", "l.pop(-1)", "l.remove(3)", "l.remove(i)", "l[i] = 3", "l[0] = i",
    "l[-1] = 3", "del l[i]", "del l[0]", "del l[-1]", "del l[1:]", "l.reverse()", "l.sort()", "l.clear()", "l += [i]",
    "l += m", "l *= 2", "l = l + m", "l = [i] + l", "l = l[1:]", "l = l[:2]", "l = l[i:]", "l = l[:i]", "l = l[-2:]",
    "l = l[:-1]", "l = l[::-1]", "l[1:2] = [3]", "l = l + [l[0]]", "l.append(l[-1])", "l.append(l.pop(0))",
    "l.append('x'); l.append(3)", "l = [l[i], l[-1]]", "l = [len(l), l.count(3)]", "l = [l.index(3)]", "l = [i in l]",
    "l = [l == m]", "l = [l < m]", "l = list(l)", "l = sorted(l)", "l = [min(l), max(l)]", "l = [sum(l)]",
    "l = [e for e in l if e > i]", "l = [a for a, b in zip(l, m) if a == b]", "a, b = l; l = [b, a]", "a, *l = l",
    "l = l if l else m", "l = [l.pop() for _ in range(2)]", "l = list(range(i, i + 3))", "l = [x for x in reversed(l)]",
]  # fmt: skip

TEXT_CHANGES = [
    "l = [int(s)]", "l = [len(s)]", "l = [int(p) for p in s.split(',')]", "l = [ord(c) - 48 for c in s]", "l = [s.find('a')]",
    "l = [s.count('a')]", "l = [int(s.strip())]", "l = [len(s.replace('a', 'bb'))]", "l = [len(s[i:])]", "l = [s[i] == 'a', 3]",
    "l = [s.partition('=')[2] == '3', 3]", "l = [s.upper() == 'ABC', 3]", "l = [s.startswith('ab'), s.endswith('z'), 3]",
    "l = [int(x) for x in s.split()]", "l = [len(x) for x in s.splitlines()]", "l = [(s + t)[1] == 'q', 3]", "l = [s < t, 3]",
    "l = [len(s.rjust(5)), len(s.ljust(i))]", "l = [s[::-1] == 'ab', 3]", "l = ['%s' % s == 'ab', 3]", "l = [s in 'abc', 3]",
    "l = ['a' in s, 3]", "l = [len(s.removeprefix('ab'))]", "l = [c.isdigit() for c in s] + [3]", "l = [len(','.join([s, t]))]",
]  # fmt: skip

TABLE_CHANGES = [
    "l = [d[i]]", "l = [d.get(i, 3)]", "d[i] = 3; l = list(d.values())", "l = [d.pop(i)]", "l = [i in d, 3]", "l = list(d)",
    "d.update({1: 3}); l = [d[i]]", "del d[i]; l = [len(d)]", "l = [d.setdefault(i, 3)]", "l = [k for k, v in d.items() if v == k]",
    "l = [i in z, 3]", "z.add(i); l = [len(z)]", "z.discard(3); l = [len(z)]", "l = [len(z | {i})]", "l = [len(z & {1, 2})]",
    "l = [z == {1, i}, 3]", "l = [z <= {1, 2}, 3]", "z.remove(i); l = [len(z)]", "l = [len(z - {i})]", "l = [len(d) + len(z)]",
]  # fmt: skip

SIGNATURE = {
    "list": "l: list[int], m: list[int], i: int",
    "text": "s: str, t: str, i: int",
    "table": "d: dict[int, int], z: set[int], i: int",
}
CASES = [
    *(("list", change) for change in LIST_CHANGES),
    *(("text", change) for change in TEXT_CHANGES),
    *(("table", change) for change in TABLE_CHANGES),
]


@pytest.mark.parametrize("arrays", [True, False])
@pytest.mark.parametrize(("kind", "change"), CASES)
def test_runs_follow_their_paths(kind: str, change: str, arrays: bool, tmp_path: Any) -> None:
    if not arrays and kind != "list":
        return
    file = tmp_path / "subject.py"
    body = "\n    ".join(change.split("; "))
    classifier = (
        "def classify(values):\n    for position, element in enumerate(values):\n        if element == 3:\n"
        "            return 'three'\n        if position == 3:\n            return 'long'\n    return 'none'\n"
    )
    file.write_text(f"def f({SIGNATURE[kind]}):\n    {body}\n    return classify(l)\n\n\n{classifier}")
    exploration = ramify.explore(f"{file}:f", strategy="generational", max_runs=15, budget=5, arrays=arrays)
    paths = list(exploration)
    summary = exploration.summary
    if not summary.concretisations:
        assert summary.divergences == 0, [p.call for p in paths if p.outcome == "diverged"]
    names: dict[str, Any] = {}
    exec(file.read_text(), names)
    for path in paths:
        scope = dict(names)
        for statement in path.setup:
            exec(statement, scope)
        try:
            observed = names["f"](**eval(path.call, scope))
        except Exception as error:
            assert type(path.exception) is type(error)
            assert str(path.exception) == str(error)
        else:
            assert path.result == observed


def test_the_flip_of_a_candidate_is_the_opposite_edge() -> None:
    exploration = ramify.explore(classify, types={"values": list}, strategy="dfs", max_runs=3)
    (first, *_) = list(exploration)
    decision = first.decisions[0]
    assert Candidate(first.execution, 0, 0).edge == (decision.site, not decision.outcome)
