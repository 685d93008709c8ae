"""Regular expressions on concolic texts."""
