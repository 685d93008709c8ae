"""How long a process has waited for a processor: limits of time leave that out, so that a busy machine changes
no outcome.
"""

from __future__ import annotations

import os
from time import monotonic

_FRESH = 0.5  # seconds for which a reading at the beginning of short work serves others too

_open, _pread, _close, _monotonic = os.open, os.pread, os.close, monotonic  # a target may replace them


class Starvation:
    """The seconds for which a process was ready to run and had no processor; 0 where the system does not tell."""

    def __init__(self, process: int | str = "self") -> None:
        self._path = f"/proc/{process}/schedstat"
        self._taken = 0.0
        self._before = 0.0

    def begin(self) -> None:
        """What has been until now does not count, or only a little of it: reading costs a tenth of a short run."""
        now = _monotonic()
        if now - self._taken > _FRESH:
            self._taken, self._before = now, self._total()

    def since(self) -> float:
        """The seconds since then."""
        return self._total() - self._before

    def granted(self) -> float:
        """The seconds since then, which from now on do not count any more."""
        before, self._before = self._before, self._total()
        return self._before - before

    def _total(self) -> float:
        try:
            descriptor = _open(self._path, os.O_RDONLY)
        except OSError:
            return 0.0
        try:
            return int(_pread(descriptor, 100, 0).split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0
        finally:
            _close(descriptor)
