"""The coverage level: a module's AST rewritten so that every edge and statement leaves a mark when it runs."""

from ramify.instrument.coverage.rewriter import Rewriter, instrument, rewrite

__all__ = ["Rewriter", "instrument", "rewrite"]
