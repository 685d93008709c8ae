"""The whole suite runs with the engine's debug check on: after every operation the term must give the
concrete value.
"""

import os

os.environ.setdefault("RAMIFY_CHECK_TERMS", "1")
