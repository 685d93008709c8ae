"""The pure peer approach, for comparison: proxies only, the program untouched."""

from ramify.runtime.peer.comparison import HYBRID, MEASURING, PEER, Column, Comparison, compare
from ramify.runtime.peer.pef import NAMESPACE, PeerLoop

__all__ = ["HYBRID", "MEASURING", "NAMESPACE", "PEER", "Column", "Comparison", "PeerLoop", "compare"]
