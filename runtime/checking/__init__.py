"""What breaks, confirmed on plain values: findings, smaller inputs, reproduction, and two versions compared."""

from ramify.runtime.checking.check import NOTHING, PATIENCE, UNCHECKED, VERIFIED, Check, Report, bounds, unexplored
from ramify.runtime.checking.examiner import RemoteExaminer
from ramify.runtime.checking.findings import KINDS, Finding
from ramify.runtime.checking.versions import Deeds, Known, RemotePlain, RemoteVersions

__all__ = [
    "KINDS", "NOTHING", "PATIENCE", "UNCHECKED", "VERIFIED", "Check", "Deeds", "Finding", "Known",
    "RemoteExaminer", "RemotePlain", "RemoteVersions", "Report", "bounds", "unexplored",
]  # fmt: skip
