"""Concolic texts and bytes, and the methods that are models of their own: splitting, encoding, translating."""
