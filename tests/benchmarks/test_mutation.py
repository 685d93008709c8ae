"""The published table of mutants adds up, and the page of results shows what it says."""

from __future__ import annotations

import csv

from project import ROOT

DATA = ROOT / "docs" / "data"


def test_the_table_of_mutants_adds_up_and_the_page_shows_its_sum() -> None:
    with (DATA / "mutation.csv").open(encoding="utf-8", newline="") as file:
        *rows, total = csv.DictReader(file)
    for count in ("mutants", "killed", "survived", "open"):
        assert sum(int(row[count]) for row in rows) == int(total[count])
    for row in [*rows, total]:
        assert int(row["killed"]) + int(row["survived"]) + int(row["open"]) == int(row["mutants"])
        tried = int(row["killed"]) + int(row["survived"])
        assert row["score"] == (f"{100 * int(row['killed']) / tried:.1f}" if tried else "")
    assert float(total["score"]) >= 85
    page = (DATA.parent / "benchmarks.md").read_text(encoding="utf-8")
    assert f"{total['score']} % of {tried:,} small changes" in page
