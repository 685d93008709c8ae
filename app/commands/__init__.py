"""The commands of `ramify`, one module each."""
