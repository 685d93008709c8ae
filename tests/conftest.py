"""The whole suite runs with the engine's debug check on: after every operation the term must give the
concrete value.
"""

import gc
import os

import pytest

os.environ.setdefault("RAMIFY_CHECK_TERMS", "1")


@pytest.fixture(scope="module", autouse=True)
def _what_is_there_is_kept() -> None:
    """What was imported and collected, and what modules before left, stays: no collection of garbage goes through
    it again. Tests of instrumentation collect often, and what went before would cost them more than they do.
    """
    gc.collect()
    gc.freeze()
