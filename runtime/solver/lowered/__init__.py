"""Texts and sequences as vectors of integers: each operation on them becomes arithmetic on code points."""
