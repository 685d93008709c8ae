"""The one exception root, and which exit status each kind of failure has."""

from __future__ import annotations

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_INPUT = 2
EXIT_BUG = 3


class RamifyError(Exception):
    """Anything Ramify raises on purpose; `exit_code` is what the command line ends with."""

    exit_code = EXIT_BUG


class InputError(RamifyError):
    """The user's input is at fault: a target, a file, an option. One line says what, where and what to do."""

    exit_code = EXIT_INPUT
