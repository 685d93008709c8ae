"""Rewriting of modules: a source text in, a code object with marks or models out; import hook, bytecode cache."""
