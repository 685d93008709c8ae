"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

# Named one by one: an editable install has them in folders that do not lie in each other.
PACKAGES = ["", ".cfg", ".instrument", ".runtime", ".runtime.solver", ".runtime.values"]
MODULES = [
    f"ramify{package}.{module.name}"
    for package in PACKAGES
    for module in pkgutil.iter_modules(importlib.import_module(f"ramify{package}").__path__)
    if not module.ispkg and module.name != "__main__"
]
WITH_EXAMPLES = [
    name
    for name in MODULES
    if any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name), name))
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert {"ramify.exploring", "ramify.runtime.terms"} <= set(WITH_EXAMPLES)
