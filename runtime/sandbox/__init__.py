"""A guarded child process that answers calls: what it may do, what it is limited to, and how it ends. And a watch
over the work of its parent.
"""

from ramify.runtime.sandbox.policy import MIB, Policy, Refusal, in_units, policy_of
from ramify.runtime.sandbox.starvation import Starvation
from ramify.runtime.sandbox.watch import (
    CLOSING,
    INTERRUPTED,
    MEMORY,
    TIME,
    Interrupted,
    Stopped,
    Watch,
    asked_to_end,
    closing,
    held,
    interruptible,
    signals,
)
from ramify.runtime.sandbox.worker import Worker, WorkerDied

__all__ = [
    "CLOSING", "INTERRUPTED", "MEMORY", "MIB", "TIME", "Interrupted", "Policy", "Refusal", "Starvation", "Stopped",
    "Watch", "Worker", "WorkerDied", "asked_to_end", "closing", "held", "in_units",
    "interruptible", "policy_of", "signals",
]  # fmt: skip
