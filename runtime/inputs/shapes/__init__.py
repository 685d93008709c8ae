"""How an input of each type is built from an Assignment, and how it is written down as Python.

A shape is built again for every run. Scalars are variables named after the parameter; a list is one
sequence variable (representation *arrays*) or a length and cells (*cells*); a union is a variable that
chooses; an object runs its constructor. The modules: scalars, containers, choices, objects, functions, library
types, and the arguments of a call.
"""
