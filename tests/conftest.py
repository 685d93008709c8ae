"""The whole suite runs with the engine's debug check on: after every operation the term must give the
concrete value.
"""

import gc
import os

os.environ.setdefault("RAMIFY_CHECK_TERMS", "1")


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: no collection of garbage goes through it again, here or
    in the processes forked from this one.
    """
    gc.collect()
    gc.freeze()
