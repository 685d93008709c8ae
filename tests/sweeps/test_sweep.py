"""Every file of the running Python's standard library can be instrumented, and its code objects look untouched."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from sweeping import LIBRARY, SAMPLE, differences, library_files

# Differences we know of, with the reason.
KNOWN = {
    # 3.12 makes one code object of two equal lambdas on a line; with a probe of its own in each, they differ.
    "test/test_compile.py: other code objects",
    # 3.13 drops code behind a jump it can prove is always taken; the probe between the two keeps it.
    "test/test_compile.py: TestSpecifics.test_regression_gh_120225.<locals>.name_4: lines +[1511, 1512] -[]",
}


def test_sample() -> None:
    files = [LIBRARY / name for name in SAMPLE.split() if (LIBRARY / name).exists()]
    found = [difference for path in files for difference in differences(path)]
    assert len(files) >= 30
    assert [difference for difference in found if difference not in KNOWN] == []


@pytest.mark.slow
def test_whole_library() -> None:
    files = library_files()
    with ProcessPoolExecutor(2) as pool:
        found = [difference for result in pool.map(differences, files, chunksize=20) for difference in result]
    print(f"{len(files)} files of Python {sys.version.split()[0]}", *found, sep="\n")
    assert len(files) > 500
    assert [difference for difference in found if difference not in KNOWN] == []
