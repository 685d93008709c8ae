"""Programs run under measurement: which files count, and the process that runs them."""
