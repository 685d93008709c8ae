"""Source in; instrumented code object out, with the import hook and its bytecode cache."""
