"""A guarded child process that answers calls: what it may do, what it is limited to, and how it ends."""

from ramify.runtime.sandbox.policy import MIB, Policy, Refusal, in_units, policy_of
from ramify.runtime.sandbox.worker import Worker, WorkerDied

__all__ = ["MIB", "Policy", "Refusal", "Worker", "WorkerDied", "in_units", "policy_of"]
