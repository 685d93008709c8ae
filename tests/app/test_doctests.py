"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

# Named one by one: an editable install has these in folders that do not lie in each other.
PACKAGES = ["ramify", "ramify.cfg", "ramify.instrument", "ramify.runtime"]
MODULES = sorted(
    {
        module.name
        for package in PACKAGES
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        if not module.ispkg and not module.name.endswith(("__main__", "sitecustomize"))
    }
)
WITH_EXAMPLES = [
    name
    for name in MODULES
    if any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name), name))
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert {"ramify.exploring", "ramify.runtime.terms.language"} <= set(WITH_EXAMPLES)
