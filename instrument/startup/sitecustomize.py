"""Starts measuring in every Python process of a measured run, then gives way to the user's own sitecustomize.

`ramify run` puts this directory on PYTHONPATH, and Python imports `sitecustomize` before the program begins.
"""

import os
import sys


def _start() -> None:
    here = os.path.dirname(__file__)
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    run = os.environ.get("RAMIFY_RUN")
    if not run or not os.path.isdir(run):
        return
    before = set(sys.modules)
    try:
        from ramify.instrument import hidden, process
    except ImportError as error:
        # Another interpreter, in which Ramify is not installed: the report will say so.
        with open(os.path.join(run, f"unmeasured-{os.getpid()}"), "w", encoding="utf-8") as note:
            note.write(f"{sys.executable}: {error}")
        return
    process.start(run)
    hidden.hide_imports(before)


try:
    _start()
except Exception as error:
    # The program must run; what is lost is said.
    sys.stderr.write(f"ramify: this process is not measured: {type(error).__name__}: {error}\n")
finally:
    # The import system takes whatever module stands under this name in the end; if there is no other
    # one, the ImportError tells `site` that there is no sitecustomize at all, as without us.
    del sys.modules["sitecustomize"]
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
