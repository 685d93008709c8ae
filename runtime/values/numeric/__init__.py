"""Concolic numbers: truth values, ints, floats and complex numbers, Decimal and Fraction."""
