"""Ramify: which inputs reach every branch of this code, and which of them break it."""

__version__ = "0.1.0"
