"""Ramify: which inputs reach every branch of this code, and which of them break it."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "explore":  # imported on first use: the engine is heavy
        from ramify.exploring import explore

        return explore
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
