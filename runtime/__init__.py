"""The engine: concolic values, path recording, solver, search and input building."""
